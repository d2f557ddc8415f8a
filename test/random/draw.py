"""Draws a random program from a seed. Values stay bounded, so that no NaN or infinity hides a difference."""
import random

import numpy as np

from expression import (DTYPE, F32, F64, INT, TIME, arithmetic, call, choose, common, compare, coord, invert, literal,
                        logic, negate, read, reads, scalar)
from model import Edge, Field, Model, Scalar, Stage

BOUND = 4.0             # no field ever leaves [-BOUND, BOUND]
REACH = 3


def draw(seed):
    return Drawing(random.Random(seed), seed).model()


class Drawing:
    def __init__(self, rng, seed):
        self.rng, self.seed = rng, seed

    def chance(self, p):
        return self.rng.random() < p

    def model(self):
        rng = self.rng
        ndim = rng.choice([1, 2, 2, 3, 3])
        self.dims = ["z", "y", "x"][3 - ndim:]
        largest = {1: [5000], 2: [60, 300], 3: [24, 30, 40]}[ndim]
        self.extents = [rng.randint(1, 6) if self.chance(0.08) else rng.randint(7, n) for n in largest]
        self.scalars = self.draw_scalars()
        states = [self.new_field(name, False) for name in rng.sample(["u", "v", "w", "p"], rng.randint(1, 4))]
        coefs = [self.new_field(name, True) for name in rng.sample(["a", "b"], rng.choice([0, 0, 1, 1, 2]))]
        self.fields = states + coefs
        for f in self.fields:
            self.draw_values(f)
        self.draw_edges(states, coefs)
        stages = self.draw_stages(states)
        past = {r.value[0] for s in stages for r in reads(s.value) if r.value[1] < 0}
        for f in states:
            if f.name not in past:
                f.init.pop(-1, None) # a level that is not carried has no initial value
        return Model(self.seed, self.dims, self.extents, self.scalars, self.fields, stages, rng.randint(1, 25))

    # -- scalars ------------------------------------------------------------------------------------------------------

    def decimal(self, low=1, high=99):
        return f"0.{self.rng.randint(low, high):02d}"

    def draw_scalars(self):
        rng, out = self.rng, []
        for i in range(rng.randint(0, 3)):
            kind = rng.choice([INT, F32, F64])
            value = literal(str(rng.randint(1, 9))) if kind == INT else literal(self.decimal())
            s = Scalar(f"k{i}", kind, value, True)
            if self.chance(0.3):
                s.run_value = str(rng.randint(1, 9)) if kind == INT else self.decimal()
            out.append(s)
        for s in list(out):
            if s.type != INT and self.chance(0.5):
                other = literal(self.decimal())
                out.append(Scalar(f"m{s.name}", s.type if s.type == F64 else common([scalar(s.name, s.type), other]),
                                  arithmetic(rng.choice("+-*"), scalar(s.name, s.type), other), False))
        return out

    # -- fields -------------------------------------------------------------------------------------------------------

    def new_field(self, name, coef):
        return Field(name, self.rng.choice([F32, F64]), coef)

    def pattern(self):
        """Something of the coordinates that looks irregular and is exact: (a*x + b*y + ...) % m * 0.1 - c."""
        rng = self.rng
        total = literal(str(rng.randint(0, 9)))
        for d in self.dims:
            total = arithmetic("+", total, arithmetic("*", coord(d), literal(str(rng.randint(1, 13)))))
        modulus = rng.choice([5, 7, 11, 17])
        scaled = arithmetic("*", arithmetic("%", total, literal(str(modulus))), literal(self.decimal(3, 12)))
        return arithmetic("-", scaled, literal(self.decimal()))

    def draw_values(self, f):
        if self.chance(0.3):
            noise = np.random.default_rng(self.rng.randint(0, 2 ** 31)).uniform(-2, 2, self.extents)
            f.file = noise.astype(DTYPE[f.type])
        elif f.coef or self.chance(0.9):
            f.init[0] = self.pattern()
            if not f.coef and self.chance(0.2):
                f.init[-1] = self.pattern()

    # -- edges --------------------------------------------------------------------------------------------------------

    def edge_value(self, coef):
        rng = self.rng
        kind = rng.randrange(4)
        if kind == 0:
            return literal(rng.choice(["0", "1", "0.25"]))
        value = negate(literal(self.decimal())) if self.chance(0.3) else literal(self.decimal())
        if kind >= 2:
            pattern = arithmetic("*", arithmetic("%", coord(rng.choice(self.dims)), literal("5")), literal("0.1"))
            value = arithmetic(rng.choice("+-"), value, pattern)
        if kind == 3 and not coef:
            value = arithmetic("+", value, arithmetic("*", arithmetic("%", TIME, literal("7")), literal("0.03")))
        return value

    def draw_edges(self, states, coefs):
        styles = ["fixed", "dirichlet", "mixed"]
        everywhere = self.rng.choice(styles + [None] * 3)
        for d in self.dims:
            for side in (0, 1):
                style = everywhere or self.rng.choice(styles)
                for f in states:
                    kind = style if style != "mixed" else self.rng.choice(["fixed", "dirichlet", "none"])
                    f.edges[d, side] = Edge(kind, self.edge_value(False) if kind == "dirichlet" else None)
                for f in coefs:
                    kind = "dirichlet" if style != "fixed" and self.chance(0.7) else "none"
                    f.edges[d, side] = Edge(kind, self.edge_value(True) if kind == "dirichlet" else None)

    def allowed(self, reader, source, dim, offset):
        """Whether a read may point this way: the reader's rim keeps it inside, or a value is declared out there."""
        side = 0 if offset < 0 else 1
        return offset == 0 or reader.edges[dim, side].kind == "fixed" or source.edges[dim, side].kind == "dirichlet"

    # -- updates ------------------------------------------------------------------------------------------------------

    def draw_stages(self, states):
        order = self.rng.sample(states, len(states))
        self.written = set()
        stages = []
        for f in order:
            self.reader = f
            self.reach = self.rng.choice([1, 1, 1, 2, REACH])
            stages.append(Stage(f.name, self.update(f)))
            self.written.add(f.name)
        return stages

    def draw_read(self):
        rng = self.rng
        source = self.reader if self.chance(0.45) else rng.choice(self.fields)
        time = 0
        if not source.coef:
            if source.name in self.written and self.chance(0.6):
                time = 1
            elif self.chance(0.15):
                time = rng.choice([-1, -1, -2])
        moved = [d for d in self.dims if self.chance(1 / len(self.dims))] if self.chance(0.8) else []
        offsets = [(d, rng.choice([-1, 1]) * rng.randint(1, self.reach)) for d in moved]
        offsets = [(d, o) for d, o in offsets if self.allowed(self.reader, source, d, o)]
        return read(source.name, source.type, time, offsets)

    def weight(self):
        rng = self.rng
        reals = [s for s in self.scalars if s.type != INT]
        if reals and self.chance(0.4):
            s = rng.choice(reals)
            return scalar(s.name, s.type)
        return literal(self.decimal())

    def term(self, depth):
        """An expression within [-BOUND, BOUND], or near it: what is not is clamped in the end."""
        rng = self.rng
        if depth <= 0:
            return self.draw_read()
        kind = rng.randrange(12)
        if kind <= 2:
            return arithmetic("*", self.weight(), self.term(depth - 1))
        if kind <= 4:
            return arithmetic(rng.choice("+-"), self.term(depth - 1), self.term(depth - 1))
        if kind == 5:
            return arithmetic("/", self.term(depth - 1), literal(rng.choice(["2", "3", "1.7"])))
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
        a, b = self.term(depth - 1), self.term(depth - 1)
        return choose(self.condition(), a, b)

    def condition(self):
        rng = self.rng
        kind = rng.randrange(5)
        if kind == 0:
            index = arithmetic("%", coord(rng.choice(self.dims)), literal(str(rng.randint(2, 4))))
            out = compare("==", index, literal("1"))
        elif kind == 1:
            axis = rng.randrange(len(self.dims))
            out = compare(rng.choice(["<", ">="]), coord(self.dims[axis]), literal(str(self.extents[axis] // 2)))
        elif kind == 2:
            out = compare("<", arithmetic("%", TIME, literal("3")), literal("2"))
        else:
            out = compare(rng.choice(["<", "<=", ">", ">="]), self.draw_read(), self.draw_read())
        if self.chance(0.2):
            out = invert(out)
        if self.chance(0.25):
            out = logic(rng.choice(["and", "or"]), out,
                        compare(rng.choice(["<", ">"]), self.draw_read(), literal(self.decimal())))
        return out

    def update(self, f):
        value = self.term(self.rng.randint(1, 4))
        for _ in range(self.rng.randint(0, 3)):
            value = arithmetic(self.rng.choice("+-"), value, arithmetic("*", self.weight(), self.term(1)))
        if not any(True for _ in reads(value)):
            value = arithmetic("+", value, self.draw_read())
        if self.chance(0.2):
            index = arithmetic("*", coord(self.rng.choice(self.dims)), literal("0.001"))
            value = arithmetic("+", value, index)
        limit = literal(str(int(BOUND)))
        return call("max", negate(limit), call("min", limit, value))


if __name__ == "__main__":
    import sys

    from model import program_text
    print(program_text(draw(int(sys.argv[1]))), end="")
