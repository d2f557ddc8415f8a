"""Expressions of random programs: a small tree that can be written as program text and evaluated with numpy.

Typing follows docs/language.md, "Numbers", and is written here a second time on purpose: the oracle shares nothing with
the compiler.
"""
from dataclasses import dataclass, field
from typing import Any

import numpy as np

BOOL, INT, F32, F64 = "bool", "int", "f32", "f64"
DTYPE = {BOOL: np.bool_, INT: np.int64, F32: np.float32, F64: np.float64}


@dataclass(frozen=True)
class Expr:
    op: str                 # literal scalar coord time read neg not if call, or a binary operator
    type: str
    data: bool = False      # it holds a field's or a coefficient's value, whose type wins over that of scalars
    args: tuple = ()
    value: Any = None       # literal: its text; scalar, coord: a name; call: the function; read: (name, time, offsets)


def literal(text):
    return Expr("literal", F64 if "." in text else INT, value=text)


def scalar(name, type):
    return Expr("scalar", type, value=name)


def coord(dim):
    return Expr("coord", INT, value=dim)


TIME = Expr("time", INT)


def read(name, type, time, offsets):
    return Expr("read", type, data=True, value=(name, time, tuple(offsets)))


def is_literal(expr):
    return expr.op == "literal" or (expr.op == "neg" and is_literal(expr.args[0]))


def common(operands):
    """The type in which operands meet: data decides; else integers give way to reals, and literals to what has a type
    of its own; else the wider."""
    reals = [e for e in operands if e.type in (F32, F64)]
    if not reals:
        return INT
    deciding = [e for e in reals if e.data] or [e for e in reals if not is_literal(e)] or reals
    return F64 if any(e.type == F64 for e in deciding) else F32


def arithmetic(op, a, b):
    return Expr(op, common([a, b]), a.data or b.data, (a, b))


def compare(op, a, b):
    return Expr(op, BOOL, a.data or b.data, (a, b))


def logic(op, a, b):
    return Expr(op, BOOL, a.data or b.data, (a, b))


def negate(a):
    return Expr("neg", a.type, a.data, (a,))


def invert(a):
    return Expr("not", BOOL, a.data, (a,))


def choose(condition, a, b):
    return Expr("if", common([a, b]), a.data or b.data, (condition, a, b))


def call(function, *args):
    type = common(args)
    if function == "sqrt" and type == INT:
        type = F64
    return Expr("call", type, any(a.data for a in args), args, function)


def reads(expr):
    if expr.op == "read":
        yield expr
    for arg in expr.args:
        yield from reads(arg)


# -- text ---------------------------------------------------------------------------------------------------------------

LEVEL = {"if": 0, "or": 1, "and": 2, "not": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "==": 4, "!=": 4, "+": 5, "-": 5,
         "*": 6, "/": 6, "%": 6, "neg": 7}


def text(expr, least=0):
    """As the program has it, with no more parentheses than the grammar's precedence asks for."""
    own = LEVEL.get(expr.op, 9)
    a = expr.args
    if expr.op in ("literal", "scalar", "coord"):
        out = expr.value
    elif expr.op == "time":
        out = "t"
    elif expr.op == "read":
        out = read_text(*expr.value)
    elif expr.op == "call":
        out = f"{expr.value}({', '.join(text(arg) for arg in a)})"
    elif expr.op == "neg":
        out = "-" + text(a[0], own)
    elif expr.op == "not":
        out = "not " + text(a[0], own)
    elif expr.op == "if":
        out = f"if {text(a[0], 1)} then {text(a[1], 1)} else {text(a[2], 0)}"
    else:
        out = f"{text(a[0], own + (own == 4))} {expr.op} {text(a[1], own + 1)}"
    return f"({out})" if own < least else out


def read_text(name, time, offsets):
    parts = ["t" + f"{time:+d}"] if time else []
    parts += [dim + f"{offset:+d}" for dim, offset in offsets if offset]
    return name + (f"[{', '.join(parts)}]" if parts else "")


# -- values -------------------------------------------------------------------------------------------------------------

@dataclass
class Scope:
    """What names mean while an expression is evaluated: arrays that broadcast against each other."""
    scalars: dict = field(default_factory=dict)
    coords: dict = field(default_factory=dict)
    time: int = 0
    read: Any = None        # (name, time, offsets) -> array


def evaluate(expr, scope, as_type=None):
    value = plain(expr, scope)
    return cast(value, as_type) if as_type else value


def cast(value, type):
    return np.asarray(value).astype(DTYPE[type])


def truncating_divide(a, b):
    q = np.abs(a) // np.abs(b)
    return np.where((a < 0) != (b < 0), -q, q)


def plain(expr, scope):
    op, a = expr.op, expr.args
    if op == "literal":
        return DTYPE[expr.type](float(expr.value) if expr.type == F64 else int(expr.value))
    if op == "scalar":
        return scope.scalars[expr.value]
    if op == "coord":
        return scope.coords[expr.value]
    if op == "time":
        return np.int64(scope.time)
    if op == "read":
        return scope.read(*expr.value)
    if op == "not":
        return ~evaluate(a[0], scope)
    if op in ("and", "or"):
        x, y = (evaluate(e, scope) for e in a)
        return x & y if op == "and" else x | y
    if op == "neg":
        return -evaluate(a[0], scope)
    if op == "if":
        return np.where(evaluate(a[0], scope), evaluate(a[1], scope, expr.type), evaluate(a[2], scope, expr.type))
    if op == "call":
        return FUNCTIONS[expr.value](*(evaluate(e, scope, expr.type) for e in a))
    met = common(a) if expr.type == BOOL else expr.type
    x, y = (evaluate(e, scope, met) for e in a)
    return BINARY[op if met != INT or op not in "/%" else "int" + op](x, y)


FUNCTIONS = {
    "abs": np.abs,
    "sqrt": np.sqrt,
    "min": lambda a, b: np.where(a < b, a, b),
    "max": lambda a, b: np.where(a > b, a, b),
}

BINARY = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide,
    "int/": truncating_divide, "int%": lambda a, b: a - truncating_divide(a, b) * b,
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal,
}
