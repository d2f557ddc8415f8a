"""Values of expressions in numpy: arrays that broadcast against each other, one operation after the other."""
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import fma
import functions
from expression import BOOL, DTYPE, F64, FLOATS, Expr, meet


@dataclass
class Scope:
    """What names mean while an expression is evaluated."""
    scalars: dict = field(default_factory=dict)
    coords: dict = field(default_factory=dict)
    time: int = 0
    read: Any = None        # (name, time, offsets) -> array of the field's elements
    sample: Any = None      # (series' name, level) -> the number of its file
    fma: bool = False       # products that are added are rounded once


def evaluate(expr, scope, as_type=None):
    value = plain(expr, scope)
    return cast(value, as_type) if as_type else value


def cast(value, type):
    return np.asarray(value).astype(DTYPE[type])


def truncating_divide(a, b):
    q = a // b              # rounded down
    return q + ((q * b != a) & ((a < 0) != (b < 0)))


def plain(expr, scope):
    op, a = expr.op, expr.args
    if op == "literal":
        if expr.type == BOOL:
            return np.bool_(expr.value == "true")
        return DTYPE[expr.type](float(expr.value) if expr.type == F64 else int(expr.value))
    if op == "scalar":
        return scope.scalars[expr.value]
    if op == "coord":
        return scope.coords[expr.value]
    if op == "time":
        return np.int64(scope.time)
    if op == "read":
        return cast(scope.read(*expr.value), expr.type)
    if op == "sample":
        return DTYPE[expr.type](scope.sample(expr.value[0], scope.time + expr.value[1]))
    if op == "macro":
        return plain(a[0], scope)
    if op == "not":
        return ~evaluate(a[0], scope)
    if op in ("and", "or"):
        x, y = (evaluate(e, scope) for e in a)
        return x & y if op == "and" else x | y
    if op == "neg":
        return -evaluate(a[0], scope)
    if op == "power":
        base = out = evaluate(a[0], scope)
        for _ in range(expr.value - 1):
            out = out * base
        return out
    if op == "if":
        return np.where(evaluate(a[0], scope), evaluate(a[1], scope, expr.type), evaluate(a[2], scope, expr.type))
    if op == "call":
        return FUNCTIONS[expr.value](*(evaluate(e, scope, expr.type) for e in a))
    met = meet(*a)[0] if expr.type == BOOL else expr.type
    if scope.fma and op in ("+", "-") and met in FLOATS and any(factors(e, met) for e in a):
        return contracted(op, *a, scope, met)
    x, y = (evaluate(e, scope, met) for e in a)
    return BINARY[op if met in FLOATS or op not in "/%" else "int" + op](x, y)


def factors(expr, type):
    """The two factors when the expression is a product of this type; of a power, the last multiplication's."""
    while expr.op == "macro" or (expr.op == "power" and expr.value == 1):
        expr = expr.args[0]
    if expr.type != type:
        return None
    if expr.op == "power" and expr.value > 1:
        return Expr("power", type, args=expr.args, value=expr.value - 1), expr.args[0]
    return expr.args if expr.op == "*" else None


def contracted(op, a, b, scope, type):
    """The first operand that is a product is not rounded before it is added."""
    first = factors(a, type)
    x, y = (evaluate(e, scope, type) for e in first or factors(b, type))
    z = evaluate(b if first else a, scope, type)
    if op == "-":
        x, z = (x, -z) if first else (-x, z)
    return fma.fma(x, y, z)


FUNCTIONS = {
    **functions.FUNCTIONS,
    "abs": np.abs,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "min": lambda a, b: np.where(a < b, a, b),
    "max": lambda a, b: np.where(a > b, a, b),
}

BINARY = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide,
    "int/": truncating_divide, "int%": lambda a, b: a - truncating_divide(a, b) * b,
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal,
}
