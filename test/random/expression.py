"""Expressions of random programs: a small tree that can be written as program text and evaluated with numpy.

Typing follows docs/language.md, "Numbers", and is written here a second time on purpose: the oracle shares nothing with
the compiler. naive.py does it a third time, with values that carry their types.
"""
from dataclasses import dataclass
from typing import Any

import numpy as np

BOOL, U8, I32, INT, F32, F64 = "bool", "u8", "i32", "int", "f32", "f64"
FLOATS = (F32, F64)
DTYPE = {BOOL: np.bool_, U8: np.uint8, I32: np.int32, INT: np.int64, F32: np.float32, F64: np.float64}
ARITHMETIC, COMPARISONS, LOGIC = "+-*/%", ("<", "<=", ">", ">=", "==", "!="), ("and", "or")


def value_type(element):
    """Of expressions over a field's elements: u8 computes as i32."""
    return I32 if element == U8 else element


@dataclass(frozen=True)
class Expr:
    """literal  its text                        call      the function
       scalar   a name                          power     the exponent
       coord    a name                          macro     what it is written as (macros.py); args: (its expansion,)
       read     (name, time, offsets)           sample    (series' name, steps ahead)
       neg not if, time, and binary operators have no value

    and in what macros are made from: param, a name; param_read (name, offsets, of which a dimension may be a param); member (offset's name, dim);
    offset_read (field, time, offset's name, sign); offset_call (function, offset's name)
    """
    op: str
    type: str
    data: bool = False      # it holds a field's or a coefficient's value, whose type wins over that of scalars
    args: tuple = ()
    value: Any = None


def literal(text):
    if text in ("true", "false"):
        return Expr("literal", BOOL, value=text)
    return Expr("literal", F64 if set(text) & set(".e") else INT, value=text)


def scalar(name, type):
    return Expr("scalar", type, value=name)


def coord(dim):
    return Expr("coord", INT, value=dim)


TIME = Expr("time", INT)


def read(name, element, time, offsets):
    return Expr("read", value_type(element), data=True, value=(name, time, tuple((d, o) for d, o in offsets if o)))


def sample(series, ahead):
    return Expr("sample", series.type, value=(series.name, ahead))


def is_literal(expr):
    return expr.op == "literal" or (expr.op == "neg" and expr.args[0].op == "literal")


def meet(a, b):
    """The type in which two numbers meet, and whether the result counts as data: integers give way to reals; data
    decides over scalars; what has a type over a literal; else the wider."""
    if a.type == b.type:
        type = a.type
    elif (a.type in FLOATS) != (b.type in FLOATS):
        type = a.type if a.type in FLOATS else b.type
    elif a.data != b.data:
        type = a.type if a.data else b.type
    elif a.type not in FLOATS:
        type = INT
    elif is_literal(a) != is_literal(b):
        type = b.type if is_literal(a) else a.type
    else:
        type = F64
    return type, any(e.data and e.type == type for e in (a, b))


def arithmetic(op, a, b):
    return Expr(op, *meet(a, b), (a, b))


def power(a, exponent):
    return Expr("power", a.type, a.data, (a,), exponent)


def compare(op, a, b):
    return Expr(op, BOOL, a.data or b.data, (a, b))


def logic(op, a, b):
    return Expr(op, BOOL, a.data or b.data, (a, b))


def negate(a):
    return Expr("neg", a.type, a.data, (a,))


def invert(a):
    return Expr("not", BOOL, a.data, (a,))


def choose(condition, a, b):
    return Expr("if", *meet(a, b), (condition, a, b))


def call(function, *args):
    if len(args) == 2:
        return Expr("call", *meet(*args), args, function)
    if function not in ("abs", "min", "max") and args[0].type not in FLOATS:
        return Expr("call", F64, False, args, function)
    return Expr("call", args[0].type, args[0].data, args, function)


def reads(expr):
    if expr.op == "read":
        yield expr
    for arg in expr.args:
        yield from reads(arg)


def nodes(expr):
    yield expr
    for arg in expr.args:
        yield from nodes(arg)


def rebuild(expr, leaf):
    """The expression with its leaves changed by leaf(expr), which returns None for what stays; types are found anew."""
    if not expr.args:
        new = leaf(expr)
        return expr if new is None else new
    a = [rebuild(arg, leaf) for arg in expr.args]
    op = expr.op
    if op == "macro":
        return a[0]
    if op in ARITHMETIC:
        return arithmetic(op, *a)
    if op in COMPARISONS or op in LOGIC:
        return compare(op, *a)
    if op == "if":
        return choose(*a)
    if op == "call":
        return call(expr.value, *a)
    if op == "power":
        return power(a[0], expr.value)
    return {"neg": negate, "not": invert}[op](a[0])


# -- text ---------------------------------------------------------------------------------------------------------------

LEVEL = {"if": 0, "or": 1, "and": 2, "not": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "==": 4, "!=": 4, "+": 5, "-": 5,
         "*": 6, "/": 6, "%": 6, "neg": 7, "power": 8}


def text(expr, least=0):
    """As the program has it, with no more parentheses than the grammar's precedence asks for."""
    own = LEVEL.get(expr.op, 9)
    a = expr.args
    if expr.op in ("literal", "scalar", "coord", "param"):
        out = expr.value
    elif expr.op == "time":
        out = "t"
    elif expr.op == "read":
        out = read_text(*expr.value)
    elif expr.op == "sample":
        out = f"{expr.value[0]}[t{expr.value[1]:+d}]" if expr.value[1] else f"{expr.value[0]}[t]"
    elif expr.op == "param_read":
        out = read_text(expr.value[0], 0, expr.value[1])
    elif expr.op == "member":
        out = f"{expr.value[0]}.d{expr.value[1]}"
    elif expr.op == "offset_read":
        name, time, offset, sign = expr.value
        out = f"{name}[{f't{time:+d}, ' if time else ''}{'-' if sign < 0 else ''}{offset}]"
    elif expr.op == "offset_call":
        out = f"{expr.value[0].name}({expr.value[1]})"
    elif expr.op == "macro":
        own, out = expr.value.text()
    elif expr.op == "call":
        out = f"{expr.value}({', '.join(text(arg) for arg in a)})"
    elif expr.op == "power":
        out = f"{text(a[0], own + 1)}^{expr.value}"
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
