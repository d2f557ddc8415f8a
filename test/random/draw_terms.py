"""Draws expressions: of floats within a few units of [-BOUND, BOUND], of integers with a bound that is kept track of, and
conditions. Every read that is drawn is legal for the statement it is in.
"""
from itertools import product

import numpy as np

import macros
from expression import (F64, FLOATS, INT, TIME, Expr, arithmetic, call, choose, compare, coord, invert, literal,
                        logic, negate, nodes, power, read, reads, sample, scalar)
from model import COEF, STATE, TEMP, needed

BOUND = 4.0             # no floating field leaves [-BOUND, BOUND], but by injections
LIMIT = {"u8": 255, "i32": 1000, "int": 100000}
INTEGERS = tuple(LIMIT)
SAFE = 2 ** 28          # no integer on the way is larger


class Statement:
    """What is being drawn: an update of a field, or else an `inject`, a `monitor` or a `scalar`."""

    def __init__(self, mode, field=None, margins=None, reach=1):
        self.mode, self.field, self.reach = mode, field, reach
        self.margins = margins or {}    # (dim, side) -> cells that the statement's `where` is sure to leave out


class Terms:
    """Needs: rng, on (features), dims, extents, spacing, scalars, fields, shapes, leans (dimension ->
    the sign that offsets have); fills fns and shapes as they are used."""

    def chance(self, p):
        return self.rng.random() < p

    def decimal(self, low=1, high=99):
        return f"0.{self.rng.randint(low, high):02d}"

    # -- reads --------------------------------------------------------------------------------------------------------

    def types(self):
        return {f.name: f.type for f in self.fields}

    def legal(self, expr):
        return all(self.legal_read(*r.value) for r in reads(expr))

    def legal_read(self, name, time, offsets):
        at, f = self.statement, self.model_so_far[name]
        if f.kind == TEMP and name not in self.written or any(o * self.leans.get(d, o) < 0 for d, o in offsets):
            return False
        for d, n in zip(self.dims, self.extents):
            offset = dict(offsets).get(d, 0)
            for side in (0, 1):
                away = offset if side else -offset
                edge = f.edge(d, side)
                if away > n - (edge == "reflect_center") and edge in ("periodic", "reflect", "reflect_center"):
                    return False
                need = needed(self.model_so_far, self.rims, name, offsets, d, side)
                grows = at.field and (at.field.edge(d, side) == "fixed" or
                                      (at.field.kind == TEMP and at.field.edge(d, side) == "none"))
                if need > at.margins.get((d, side), 0) and not grows:
                    return False
        return True

    def times_of(self, f):
        mode = self.statement.mode
        if f.kind == COEF:
            return [0]
        if f.kind == TEMP:
            return [0] if mode in ("update", "monitor") and f.name in self.written else []
        if mode == "scalar":
            return [0] * 9 + [-1]
        if mode == "inject":
            return [0, 1]
        if mode == "monitor":
            return [1, 1, 0, 0, 0, -1]
        return [1] * 6 + [0] * 3 + [-1] if f.name in self.written else [0] * 12 + [-1, -1, -2]

    def draw_read(self, types=FLOATS, offsets=True):
        """A read of a field of one of the types; None when there is nothing to read."""
        rng = self.rng
        sources = [f for f in self.fields if f.type in types and self.times_of(f)]
        sources += [f for f in sources if f.kind == TEMP] * 2
        own = self.statement.field
        for _ in range(6):
            if not sources:
                return None
            if own is not None and own.type in types and own.kind == STATE and self.chance(0.4):
                f, times = own, [0] * 9 + [-1]
            else:
                f = rng.choice(sources)
                times = self.times_of(f)
            moved = [d for d in self.dims if self.chance(1 / len(self.dims))] if self.chance(0.8) else []
            if not offsets or self.statement.mode == "inject":
                moved = []
            reach = self.statement.reach
            where = [(d, rng.choice([-1, 1]) * rng.randint(1, reach)) for d in moved]
            where = [(d, o) for d, o in where if self.legal_read(f.name, 0, [(d, o)])]
            out = read(f.name, f.type, rng.choice(times), where)
            if self.legal(out):
                return out
        return next((read(f.name, f.type, 0, []) for f in self.fields
                     if f.type in types and f.kind == STATE), None)

    # -- floats -------------------------------------------------------------------------------------------------------

    def weight(self):
        """What is the same for all cells."""
        weight = self.plain_weight()
        if weight.op == "literal" or not self.chance(0.25):
            return weight
        return arithmetic("/", weight, arithmetic("+", literal("1"), arithmetic("*", weight, weight)))

    def plain_weight(self):
        rng = self.rng
        reals = [s for s in self.scalars if s.type in FLOATS]
        if self.series and self.statement.mode != "scalar" and self.chance(0.4):
            return sample(rng.choice(self.series), rng.choice([0, 0, 0, 1, 2]))
        if self.fed and self.statement.mode != "scalar" and self.chance(0.4):
            return scalar(rng.choice(self.fed), F64)
        if reals and self.chance(0.4):
            s = rng.choice(reals)
            return scalar(s.name, s.type)
        return literal(self.decimal())

    def term(self, depth):
        """An expression within [-BOUND, BOUND], or near it: what is not is clamped in the end."""
        rng = self.rng
        if depth <= 0:
            return self.draw_read()
        kind = rng.randrange(17)
        if kind <= 2:
            return arithmetic("*", self.weight(), self.term(depth - 1))
        if kind <= 4:
            return arithmetic(rng.choice("+-"), self.term(depth - 1), self.term(depth - 1))
        if kind == 5:
            return self.quotient(self.term(depth - 1))
        if kind == 6:
            return call(rng.choice(["min", "max"]), self.term(depth - 1), self.term(depth - 1))
        if kind == 7:
            return call("abs", self.term(depth - 1)) if self.chance(0.5) else negate(self.term(depth - 1))
        if kind == 8:
            return call("sqrt", call("abs", self.term(depth - 1)))
        if kind == 9:
            return arithmetic("/", self.term(depth - 1),
                              arithmetic("+", literal("2"), call("abs", self.term(depth - 1))))
        if kind == 10:
            return arithmetic("*", self.draw_read(), self.term(depth - 1))
        if kind == 11 and self.on["power"]:
            return power(self.term(depth - 1), rng.choice([2, 3])) if self.chance(0.5) else \
                call("floor", self.term(depth - 1))
        if kind >= 12 and (found := self.special(depth)) is not None:
            return found
        a, b = self.term(depth - 1), self.term(depth - 1)
        return choose(self.condition(), a, b)

    def quotient(self, term):
        """By what is the same for all cells; now and then of numbers so small that it rounds them."""
        rng = self.rng
        if self.chance(0.3):
            weight = self.plain_weight()
            return arithmetic("/", term, arithmetic("+", literal("1"), arithmetic("*", weight, weight)))
        divisor = literal(rng.choice(["2", "3", "1.7"]))
        if self.chance(0.1):
            divisor = negate(divisor)
        if not term.data or term.type not in FLOATS or self.chance(0.6):
            return arithmetic("/", term, divisor)
        size = rng.randint(300, 307) if term.type == F64 else rng.randint(30, 37)
        return arithmetic("*", arithmetic("/", arithmetic("*", term, literal(f"1e-{size}")), divisor), literal(f"1e{size}"))

    def special(self, depth):
        """A macro or a mixture of types, or None."""
        kinds = [draw for feature, draw in (("shapes", self.over_shape), ("fn", self.function_call),
                                            ("derivatives", self.difference), ("integers", self.with_integer),
                                            ("functions", self.function), ("functions", self.row_choice))
                 if self.on[feature] and feature in self.favoured]
        if not kinds:
            return None
        found = self.rng.choice(kinds)(depth)
        return found if found is not None and self.legal(found) else None

    def with_integer(self, depth):
        whole = self.draw_read(INTEGERS)
        if whole is None:
            return None
        return arithmetic("*", literal("0.01"), arithmetic(self.rng.choice("+-*"), self.draw_read(), self.moderate(whole)))

    def function(self, depth):
        """One of those that are computed, of what keeps it within bounds and an angle within what is an angle."""
        a = self.term(depth - 1)
        small = arithmetic("*", literal(self.rng.choice(["1.5", "40"])), call("tanh", a))
        return self.rng.choice([
            lambda: call("exp", negate(call("abs", a))),
            lambda: call("log", arithmetic("+", call("abs", a), literal("0.001"))),
            lambda: call("tanh", a),
            lambda: call("sin", small),
            lambda: call("cos", small),
            lambda: call("tan", call("tanh", a)),
            lambda: call("atan2", a, self.term(depth - 1)),
            lambda: call("pow", arithmetic("+", call("abs", a), literal("0.1")), call("tanh", self.term(depth - 1))),
        ])()

    def place(self):
        """A condition of where along the row a cell is, and of little else: rows are cut there."""
        rng, x, n = self.rng, coord(self.dims[-1]), self.extents[-1]
        at = literal(str(rng.randint(0, n)))
        value = rng.choice([
            x, x, negate(x), arithmetic("+", x, at), arithmetic("-", at, x), call("abs", arithmetic("-", x, at)),
            call("max", literal("0"), arithmetic("-", at, call("min", x, arithmetic("-", literal(str(n - 1)), x)))),
            call("min", x, arithmetic("-", literal(str(n - 1)), x)), call("max", arithmetic("-", at, x), arithmetic("-", x, literal("2"))),
        ])
        if len(self.dims) > 1 and self.chance(0.3):
            value = arithmetic(rng.choice("+-"), value, coord(rng.choice(self.dims[:-1])))
        bound = arithmetic("%", TIME, literal(str(n))) if self.statement.mode != "scalar" and self.chance(0.2) else literal(str(rng.randint(-2, n)))
        sides = [value, bound]
        if self.chance(0.3):
            sides.reverse()
        return compare(rng.choice(["<", "<=", ">", ">=", "==", "!="]), *sides)

    def row_choice(self, depth):
        """A choice in which functions are called, by what a row or a part of one decides, or decides with its cells; None where rows know nothing."""
        rng, known = self.rng, []
        if not self.still:
            known += [compare("<", coord(d), literal(str(n // 2))) for d, n in zip(self.dims[:-1], self.extents)]
            known.append(self.place())
        if self.statement.mode != "scalar":
            known.append(compare("<", arithmetic("%", TIME, literal("3")), literal("2")))
        if not known:
            return None
        out = rng.choice(known)
        for _ in range(rng.randrange(3)):
            out = logic(rng.choice(["and", "or"]), out, rng.choice([self.condition(), rng.choice(known)]))
        alternatives = [self.function(depth - 1), self.term(depth - 1)]
        rng.shuffle(alternatives)
        return choose(invert(out) if self.chance(0.3) else out, *alternatives)

    def moderate(self, whole):
        """What may be any integer, made so small that floats made of it stay numbers."""
        return arithmetic("%", whole, literal("1000")) if self.wraps else whole

    def float_value(self, f):
        """An update's value, within [-BOUND, BOUND]."""
        value = self.term(self.rng.randint(1, 4))
        for _ in range(self.rng.randint(0, 3)):
            value = arithmetic(self.rng.choice("+-"), value, arithmetic("*", self.weight(), self.term(1)))
        if not self.still and self.chance(0.2):
            index = arithmetic("*", coord(self.rng.choice(self.dims)), literal("0.001"))
            value = arithmetic("+", value, index)
        limit = literal(str(int(BOUND)))
        return call("max", negate(limit), call("min", limit, value))

    # -- integers -----------------------------------------------------------------------------------------------------

    def whole(self, depth):
        """(an integer expression, how large it can be)."""
        rng = self.rng
        if depth <= 0:
            return self.whole_leaf()
        kind = rng.randrange(9)
        a, bound = self.whole(depth - 1)
        if kind <= 2:
            b, other = self.whole(depth - 1)
            if bound + other < SAFE or self.wraps:
                return arithmetic(rng.choice("+-"), a, b), bound + other
        elif kind == 3:
            b, other = self.whole(depth - 1)
            if bound * other < SAFE or self.wraps:
                return arithmetic("*", a, b), bound * other
        elif kind == 4:
            by = rng.randint(2, 9)
            return arithmetic("/", a, literal(str(by))), bound
        elif kind == 5:
            by = rng.randint(2, 99)
            return arithmetic("%", a, literal(str(by))), min(bound, by)
        elif kind == 6:
            b, other = self.whole(depth - 1)
            return call(rng.choice(["min", "max"]), a, b), max(bound, other)
        elif kind == 7:
            return (call("abs", a) if self.chance(0.5) else negate(a)), bound
        b, other = self.whole(depth - 1)
        return choose(self.condition(), a, b), max(bound, other)

    def whole_leaf(self):
        rng = self.rng
        if self.chance(0.75):
            found = self.draw_read(INTEGERS)
            if found is not None:
                return found, LIMIT[self.types()[found.value[0]]]
        kind = rng.randrange(3)
        whole = [s.name for s in self.scalars if s.type == INT and s.name.startswith("k")]
        if kind == 0 and whole:
            return scalar(rng.choice(whole), INT), 9
        if kind == 1 and not self.still:
            return arithmetic("%", coord(rng.choice(self.dims)), literal(str(rng.randint(2, 7)))), 7
        return literal(str(rng.randint(0, 9))), 9

    def whole_value(self, f):
        value, bound = self.whole(self.rng.randint(1, 3))
        varies = any(n.op in ("read", "coord", "time") for n in nodes(value))   # plain numbers alone must not overflow
        if self.wraps and self.chance(0.7) and varies:  # and then it wraps around
            found = self.draw_read((f.type,))
            whole = found or value
            large = self.rng.choice(["3", "65539", "2147483629"] + ["6364136223846793005"] * (f.type == INT))
            large = literal(large if found or len(large) < 12 else "65539")  # beside i32 alone, a number is one, too
            value = arithmetic("+", arithmetic("*", whole, large), value) if self.chance(0.7) else \
                arithmetic("-", call("abs", value), arithmetic("*", large, whole))
            return value
        if f.type == "u8":              # whatever it is, it is stored modulo 256; no bare number, which must fit
            return arithmetic("+", value, literal(str(self.rng.randint(0, 9))))
        if bound > LIMIT[f.type]:
            limit = literal(str(LIMIT[f.type]))
            return arithmetic("%", value, limit) if self.chance(0.5) else \
                call("max", negate(limit), call("min", limit, value))
        return value

    # -- conditions ---------------------------------------------------------------------------------------------------

    def condition(self):
        rng = self.rng
        kind = rng.randrange(8)
        flag = self.draw_read(("bool",)) if kind >= 6 else None
        if flag is not None:
            out = flag if kind == 6 else compare(rng.choice(["==", "!="]), flag, self.draw_read(("bool",)))
        elif kind == 0 and not self.still:
            index = arithmetic("%", coord(rng.choice(self.dims)), literal(str(rng.randint(2, 4))))
            out = compare("==", index, literal("1"))
        elif kind == 1 and not self.still:
            axis = rng.randrange(len(self.dims))
            out = self.place() if self.chance(0.5) else compare(rng.choice(["<", ">="]), coord(self.dims[axis]), literal(str(self.extents[axis] // 2)))
        elif kind == 2 and self.statement.mode != "scalar":
            out = compare("<", arithmetic("%", TIME, literal("3")), literal("2"))
        elif kind == 3 and (whole := self.draw_read(INTEGERS)) is not None:
            out = compare(rng.choice(["<", "==", ">", "!="]), whole, literal(str(rng.randint(0, 9))))
        else:
            out = compare(rng.choice(["<", "<=", ">", ">="]), self.draw_read(), self.draw_read())
        if self.chance(0.2):
            out = invert(out)
        if self.chance(0.25):
            out = logic(rng.choice(["and", "or"]), out,
                        compare(rng.choice(["<", ">"]), self.draw_read(), literal(self.decimal())))
        return out

    # -- macros -------------------------------------------------------------------------------------------------------

    def lets(self):
        """Those that are numbers, and which."""
        return {s.name: np.float64(s.value.value) for s in self.scalars if not s.is_param and s.value.op == "literal"}

    def over_shape(self, depth):
        rng = self.rng
        shape = self.draw_shape()
        f = rng.choice([f for f in self.fields if f.type in FLOATS and self.times_of(f)] or [None])
        if f is None or self.statement.mode == "inject":
            return None
        op = rng.choice(["sum"] * 5 + ["min", "max"])
        body = Expr("offset_read", f.type, True, (), (f.name, rng.choice(self.times_of(f)), "o", rng.choice([1, 1, -1])))
        kind = rng.randrange(4)
        if kind == 0:
            factor = scalar(rng.choice(lets), F64) if (lets := list(self.lets())) and self.chance(0.5) else literal(self.decimal(1, 20))
        elif kind == 1:
            d = rng.choice(self.dims)
            member = Expr("member", INT, value=("o", d))
            slope = scalar(rng.choice(list(self.lets())), F64) if self.lets() else literal("0.03")
            factor = arithmetic("+", literal(self.decimal(1, 20)), arithmetic("*", slope, member))
        elif kind == 2 and self.on["fn"]:
            factor = Expr("offset_call", F64, False, (), (self.weight_function(), "o"))
        else:
            factor = None
        if factor is not None:
            body = arithmetic("*", factor, body)
        expansion = macros.reduction(op, "o", shape, body, self.dims, self.types(), self.lets())
        if not self.legal(expansion):
            return None
        if shape.name and shape not in self.shapes:
            self.shapes.append(shape)
        return arithmetic("*", literal(self.decimal(5, 30)), expansion)

    def draw_shape(self):
        rng, ndim = self.rng, len(self.dims)
        if self.shapes and self.chance(0.4):
            return rng.choice(self.shapes)
        kind = rng.choice(["box", "star", "star", "set"])
        name = f"s{len(self.shapes)}" if self.chance(0.5) else ""
        if kind == "set":
            every = list(product(range(-1, 2), repeat=ndim))
            points = tuple(rng.sample(every, rng.randint(1, min(5, len(every)))))
            source = "{" + ", ".join(f"({', '.join(map(str, p))})" for p in points) + "}"
            return macros.Shape(name, source, None, points)
        radius = 2 if kind == "star" and self.statement.reach > 1 and self.chance(0.5) else 1
        points, condition = macros.regular_points(kind, radius, ndim), None
        if name and self.chance(0.5):
            total = None
            for d in self.dims:
                one = call("abs", scalar(f"d{d}", INT))
                total = one if total is None else arithmetic("+", total, one)
            most = rng.randint(1, ndim)
            condition = compare("<=", total, literal(str(most)))
            points = tuple(p for p in points if sum(map(abs, p)) <= most)
        return macros.Shape(name, f"{kind}({radius})", condition, points)

    def weight_function(self):
        """fn w(o): a number from an offset."""
        for fn in self.fns:
            if fn.params == ("o",):
                return fn
        members = [Expr("member", INT, value=("o", d)) for d in self.dims]
        total = None
        for m in members:
            total = call("abs", m) if total is None else arithmetic("+", total, call("abs", m))
        body = choose(compare("==", total, literal("0")), literal(self.decimal()), literal(self.decimal(1, 20)))
        if self.chance(0.5):
            body = arithmetic("+", literal(self.decimal(1, 20)), arithmetic("*", literal("0.05"), total))
        fn = macros.Fn("w0", ("o",), body)
        self.fns.append(fn)
        return fn

    def function_call(self, depth):
        rng = self.rng
        fns = [fn for fn in self.fns if fn.params != ("o",)]
        if self.statement.mode == "inject":     # which reads its own cell only
            fns = [fn for fn in fns if not macros.reads_around(fn)]
        fn = rng.choice(fns) if fns and self.chance(0.5) else self.new_function()
        args = [coord(rng.choice(self.dims)) if param == "way" else self.term(depth - 1) for param in fn.params]
        found = macros.fn_call(fn, args, self.types())
        if not self.legal(found):
            return None
        if fn not in self.fns:
            self.fns.append(fn)
        return found

    def new_function(self):
        rng = self.rng
        a, b = (Expr("param", F64, True, (), name) for name in "fg")
        self.named += 1     # a function may be drawn within the arguments of another
        name = f"f{self.named}"
        if self.chance(0.4) and self.statement.mode != "inject":
            d, n = rng.choice([*self.dims, "way"]), rng.randint(1, self.statement.reach)
            near = [Expr("param_read", F64, True, (), ("f", ((d, o),))) for o in (n, -n)]
            params = ("f", "way") if d == "way" else ("f",)
            return macros.Fn(name, params, arithmetic("*", literal("0.5"), arithmetic(rng.choice("+-"), *near)))
        kind = rng.randrange(3)
        if kind == 0:
            return macros.Fn(name, ("f", "g"), arithmetic("+", a, arithmetic("*", literal(self.decimal()),
                                                                             arithmetic("-", b, a))))
        if kind == 1:
            return macros.Fn(name, ("f",), arithmetic("/", a, arithmetic("+", literal("1"), arithmetic("*", a, a))))
        return macros.Fn(name, ("f", "g"), choose(compare("<", a, b), a, arithmetic("*", literal("0.5"), b)))

    def difference(self, depth):
        rng = self.rng
        if self.statement.mode == "inject":
            return None
        operand = self.draw_read()
        if self.chance(0.3):
            operand = arithmetic("*", operand, self.draw_read())
        kind = rng.choice(["d", "d2", "dp", "dm", "laplace", "laplace"])
        order = rng.choice([2, 2, 4] if self.statement.reach > 1 else [2])
        spacing = list(zip(self.dims, self.spacing))
        found = macros.derivative(kind, operand, "" if kind == "laplace" else rng.choice(self.dims), order, spacing)
        return arithmetic("*", literal(self.decimal(1, 9)), found)
