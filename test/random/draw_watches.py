"""Draws what is done at points and what is watched: inject, record, scalar, monitor."""
import numpy as np

from draw_terms import INTEGERS, Statement
from expression import BOOL, FLOATS, INT, arithmetic, call, choose, literal, negate, read, scalar
from model import Inject, Points, Record, Watch


class Watches:
    def draw_scalars_fed(self):
        """Reductions of the state that updates use."""
        out = []
        if self.uses("scalar", 0.35):
            for i in range(self.rng.randint(1, 2)):
                out.append(self.watch(f"g{i}", "scalar"))
        self.fed = [w.name for w in out]
        return out

    def watch(self, name, mode):
        rng = self.rng
        where, margins = self.draw_where() if self.uses("where") else ([], {})
        self.statement = Statement(mode, None, margins, rng.choice([1, 1, 2]))
        if mode == "scalar" and self.empty(where):
            where, self.statement.margins = [], {}
        value = self.watched_value(mode)
        op = rng.choice(["min", "max", "mean", "mean"] if mode == "scalar" else ["sum", "min", "max", "mean"])
        return Watch(name, op, value, where, self.every() if mode == "monitor" and self.chance(0.7) else None,
                     mode == "scalar")

    def empty(self, where):
        """Whether a region may hold no point: what is watched there would be nan or infinite."""
        for d, n in zip(self.dims, self.extents):
            inside = range(n)
            for b in (b for b in where if b.dim == d):
                bound = self.bound_value(b.value)
                inside = [i for i in inside if {"<": i < bound, "<=": i <= bound, ">": i > bound, ">=": i >= bound,
                                                "==": i == bound}[b.op]]
            if not inside:
                return True
        return False

    def bound_value(self, expr):
        import oracle
        return int(oracle.constant(expr, oracle.scalar_values(self.model_so_far)))

    def watched_value(self, mode):
        rng = self.rng
        kind = rng.randrange(6)
        if kind == 0 and (whole := self.draw_read(INTEGERS)) is not None:
            return self.moderate(whole)
        if kind == 1:
            return choose(self.condition(), literal("1"), literal("0"))
        states = [f for f in self.fields if f.kind == "field" and f.type in FLOATS]
        if kind <= 3 and mode == "monitor":
            f = rng.choice(states)
            return call("abs", arithmetic("-", read(f.name, f.type, 1, []), read(f.name, f.type, 0, [])))
        return self.term(rng.randint(0, 2))

    # -- points -------------------------------------------------------------------------------------------------------

    def draw_place(self, whole):
        """Along each dimension a cell, the first or the last one rather often, or an eighth between two."""
        rng = self.rng
        return [rng.choice([0, n - 1]) if self.chance(0.3) else
                rng.randrange(n) if whole or n == 1 or self.chance(0.4) else rng.randrange(8 * (n - 1) + 1) / 8
                for n in self.extents]

    def place_expr(self, axis, at):
        if float(at) != int(at):
            return literal(repr(at))
        extent = self.extent_exprs[axis]
        if extent.op != "literal" and self.chance(0.5):
            return arithmetic("-", extent, literal(str(self.extents[axis] - int(at))))
        sizes = [s for s in self.scalars if s.name == "n"]
        if sizes and self.extents[axis] > self.largest(sizes[0]) // 2 and self.chance(0.3):
            return arithmetic("/", scalar("n", INT), literal("2"))
        return literal(str(int(at)))

    def largest(self, s):
        """Of a parameter's default, which the compiler checks places with, and its value in the run."""
        return max(int(s.value.value), int(s.actual or 0))

    def draw_points(self, number, whole=False):
        whole = whole or self.chance(0.5)
        if self.chance(0.5):
            return Points([self.place_expr(axis, at) for axis, at in enumerate(self.draw_place(whole))])
        places = np.array([self.draw_place(whole) for _ in range(self.rng.randint(1, 6))], float)
        return Points(file=f"points_{number}.csv", places=places)

    def draw_observers(self, model):
        floats = [f for f in model.states if f.type in FLOATS]
        if self.uses("inject", 0.8) and not self.still and not self.kept:
            for i in range(self.rng.randint(1, 2)):
                model.injects.append(self.draw_inject(self.rng.choice(floats), i))
        if self.uses("record", 0.8) and not self.still:
            for i in range(self.rng.randint(1, 2)):
                f = self.rng.choice(model.states)
                model.records.append(Record(f.name, self.draw_points(f"r{i}", f.type == BOOL),
                                            self.every() if self.chance(0.6) else None, f"trace_{i}.npy"))
        if self.uses("monitor", 0.8) or self.uses("stop", 0.8):
            if self.on["monitor"]:
                model.watches += [self.watch(f"m{i}", "monitor") for i in range(self.rng.randint(1, 3))]

    def draw_inject(self, f, i):
        rng = self.rng
        points = self.draw_points(f"i{i}")
        self.statement = Statement("inject", f)
        self.statement.field = None     # an injection has no rim
        if self.chance(0.5):
            amount = call("max", negate(literal("1")), call("min", literal("1"), self.term(rng.randint(1, 2))))
            return Inject(f.name, points, arithmetic("*", literal(self.decimal(1, 30)), amount))
        samples = rng.randint(1, 30)
        columns = len(points.places) if points.file else 1
        shape = (samples,) if self.chance(0.5) else (samples, columns)
        noise = np.random.default_rng(rng.randint(0, 2 ** 31)).uniform(-0.3, 0.3, shape)
        return Inject(f.name, points, None, noise.astype(rng.choice(["f4", "f8"])), f"signal_{i}.npy")
