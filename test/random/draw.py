"""Draws a random program from a seed. Values stay bounded, so that no NaN or infinity hides a difference."""
import random
from dataclasses import replace

import numpy as np

import compilers
import draw_watches
import oracle
from draw_terms import INTEGERS, Statement, Terms
from expression import (BOOL, DTYPE, F32, F64, FLOATS, I32, INT, TIME, U8, arithmetic, call, compare, coord,
                        literal, logic, negate, read, scalar)
from model import COEF, STATE, TEMP, Bound, Edge, Field, Inject, Model, Output, Points, Scalar, Series, Update, rims_of

REACH = 3
WIDE = 130       # rows (4-D: layers) at least, of planes that can be cut into columns
# What can be left out: the rest is drawn always.
FEATURES = ("dims4", "integers", "bool", "periodic", "mixed_periodic", "neumann", "reflect", "temp", "where", "fn", "shapes",
            "derivatives", "power", "inject", "record", "monitor", "scalar", "stop", "outputs", "sizes", "compiled",
            "fma", "wide", "series", "wrap", "compilers", "still", "kept", "lean", "functions", "long", "made")
RARE = {"still": 0.12, "kept": 0.04, "lean": 0.06, "long": 0.2}
DIMS = (("w", "z", "y", "x"), ("l", "k", "j", "i"))
LATER = ("series", "wrap", "compilers", "functions", "made", *RARE)      # drawn from seeds of their own: programs without them are what they were


def features(only=None, without=()):
    """Which features are drawn, as a dict; ValueError names one that there is not."""
    for name in [*(only or ()), *without]:
        if name not in FEATURES:
            raise ValueError(f"no construct '{name}'; there are {', '.join(FEATURES)}")
    return {name: (only is None or name in only) and name not in without for name in FEATURES}


def draw(seed, on=None, tiny=False):
    """tiny: a few hundred cells and few steps, for naive.py."""
    return Drawing(random.Random(seed), seed, on or features(), tiny).model()


class Drawing(Terms, draw_watches.Watches):
    def __init__(self, rng, seed, on, tiny):
        self.rng, self.seed, self.on, self.tiny = rng, seed, on, tiny
        self.fns, self.shapes, self.fed, self.named = [], [], [], 0
        # Each program mixes some of what it may, so that most constructs meet each other and none is everywhere.
        self.favoured = {name for name in FEATURES if name not in LATER and rng.random() < 0.5}
        self.favoured |= {name for name in LATER if random.Random(f"{name} {seed}").random() < RARE.get(name, 0.35)}
        self.series, self.late = [], random.Random(f"late {seed}")
        self.still = on["still"] and on["periodic"] and "still" in self.favoured
        self.wraps = on["wrap"] and "wrap" in self.favoured
        self.kept = on["kept"] and on["where"] and on["inject"] and "kept" in self.favoured and not self.still
        self.leans, sides = {}, random.Random(f"lean to {seed}")
        if on["lean"] and "lean" in self.favoured and not self.kept:
            # All reads lean to one side, as upwind differences do: what is read is not held up by what is read on the other side.
            self.leans = {d: sides.choice([-1, -1, 1]) for d in DIMS[0] + DIMS[1]}
            self.favoured.discard("reflect")    # which reads on both sides

    def uses(self, feature, p=0.7):
        return self.on[feature] and feature in self.favoured and self.chance(p)

    def model(self):
        rng = self.rng
        self.draw_grid()
        self.draw_fields()
        self.draw_series()
        self.model_so_far = Model(self.seed, self.dims, self.extents, self.extent_exprs, self.spacing, self.scalars,
                                  self.fns, self.shapes, self.fields, [], [], [], [], [], [], rng.randint(1, 25))
        model = self.model_so_far
        model.series = self.series
        if self.tiny:
            model.steps = rng.randint(1, 5)
        self.draw_edges()
        self.written, self.rims = set(), {}
        model.watches = self.draw_scalars_fed()
        model.updates = self.draw_updates()
        self.draw_observers(model)
        model.outputs = [Output(f.name) for f in model.states]
        if self.uses("outputs"):
            model.outputs += [Output(f.name, self.every()) for f in model.states if self.chance(0.6)]
        for f in model.states:
            for level in [level for level in f.init if -level >= model.depth(f.name)]:
                del f.init[level]       # a level that is not carried has no initial value
        self.make_from_coefs(model)
        model.steps_option = self.chance(0.8)
        model.fma = self.on["fma"] and random.Random(f"fma {self.seed}").random() < 0.35
        model.jam = random.Random(f"jam {self.seed}").choice(["2x2", "1x2", "3x1", "2x3", "1x1", ""])
        model.cc = compilers.draw(self.seed) if self.on["compilers"] else None
        return self.with_stop(model)

    def every(self):
        """A number of steps."""
        whole = [s for s in self.scalars if s.type == INT and s.name.startswith("k")]
        if whole and self.chance(0.2):
            return scalar(self.rng.choice(whole).name, INT)
        return literal(str(self.rng.choice([1, 1, 2, 3, 5, 7])))

    # -- the grid and the scalars -------------------------------------------------------------------------------------

    def draw_grid(self):
        rng = self.rng
        ndim = rng.choice([1, 2, 2, 3, 3])
        if self.uses("dims4", 0.35):
            ndim = 4
        self.dims = list(rng.choice([DIMS[0]] * 3 + [DIMS[1]])[4 - ndim:])
        largest = {1: [5000], 2: [60, 300], 3: [24, 30, 40], 4: [9, 10, 11, 14]}[ndim]
        wide = ndim > 2 and not self.tiny and self.uses("wide", 0.5)
        if self.tiny:
            largest = {1: [24], 2: [8, 8], 3: [5, 6, 5], 4: [4, 3, 4, 3]}[ndim]
        self.extents = [rng.randint(1, 6) if self.chance(0.08) else
                        rng.randint(min(7, n), n if self.chance(0.5) else min(n, 20)) for n in largest]
        if wide:        # planes of so many rows (4-D: layers) that they can be cut into columns
            self.extents = [rng.randint(1, 12), rng.randint(WIDE, 260), *(rng.randint(2, 9) for _ in largest[2:])]
        if ndim == 3 and not wide and not self.tiny and self.on["long"] and "long" in self.favoured:
            apart = random.Random(f"long rows {self.seed}")     # of many cache lines: pieces of them are whole lines
            self.extents = [min(n, 9) for n in self.extents[:2]] + [apart.randint(200, 900)]
        self.spacing = [rng.choice([None, "0.5", "2.0", "0.25"]) if self.uses("derivatives", 0.5) else None
                        for _ in self.dims]
        self.scalars = self.draw_scalars()
        self.extent_exprs = [literal(str(n)) for n in self.extents]
        if self.uses("sizes"):
            self.size_by_parameter()

    def size_by_parameter(self):
        """Extents that follow from a parameter, which is larger by default than in the run."""
        rng = self.rng
        axis = rng.randrange(len(self.dims))
        n = self.extents[axis]
        default = n if self.chance(0.4) else n + rng.randint(1, 5)
        size = Scalar("n", INT, literal(str(default)), True)
        if default != n:
            self.give(size, str(n))
        self.scalars.append(size)
        for i, extent in enumerate(self.extents):
            apart = extent - n
            if i == axis:
                self.extent_exprs[i] = scalar("n", INT)
            elif self.chance(0.5):
                self.extent_exprs[i] = arithmetic("+" if apart >= 0 else "-", scalar("n", INT), literal(str(abs(apart))))

    def give(self, s, value):
        if self.on["compiled"] and self.chance(0.4):
            s.compile_value = value
        else:
            s.run_value = value

    def draw_scalars(self):
        rng, out = self.rng, []
        for i in range(rng.randint(0, 3)):
            kind = rng.choice([INT, F32, F64])
            value = literal(str(rng.randint(1, 9))) if kind == INT else literal(self.decimal())
            s = Scalar(f"k{i}", kind, value, True)
            if self.chance(0.3):
                self.give(s, str(rng.randint(1, 9)) if kind == INT else self.decimal())
            out.append(s)
        for s in list(out):
            if s.type != INT and self.chance(0.5):
                value = arithmetic(rng.choice("+-*"), scalar(s.name, s.type), literal(self.decimal()))
                out.append(Scalar(f"m{s.name}", value.type, value, False))
        if self.chance(0.3):
            out.append(Scalar("l0", F64, literal(self.decimal(1, 20)), False))
        return out

    # -- fields -------------------------------------------------------------------------------------------------------

    def draw_fields(self):
        rng = self.rng
        states = [Field(name, rng.choice([F32, F64])) for name in rng.sample(["u", "v", "p", "e"], rng.randint(1, 3))]
        for feature, types in (("integers", [I32, I32, INT, U8]), ("bool", [BOOL])):
            if self.uses(feature, 0.6):
                states += [Field(f"{feature[0]}{i}", rng.choice(types)) for i in range(rng.randint(1, 2))]
        coefs = [Field(name, rng.choice([F32, F64]), COEF) for name in rng.sample(["a", "b"], rng.choice([0, 0, 1, 1, 2]))]
        for feature, types in (("integers", [I32, INT, U8]), ("bool", [BOOL])):
            if self.uses(feature, 0.3):
                coefs.append(Field(f"c{feature[0]}", rng.choice(types), COEF))
        temps = []
        if self.uses("temp", 0.8):
            temps = [Field(name, rng.choice([F32, F64, F64, F64]), TEMP) for name in ["q", "r"][:rng.randint(1, 2)]]
            if self.uses("integers", 0.2):
                temps.append(Field("h", rng.choice([I32, INT, U8]), TEMP))
        if self.kept:       # two fields are all
            states, temps = [Field(name, rng.choice([F32, F64])) for name in rng.sample(["u", "v", "p", "e"], 2)], []
        self.fields = states + coefs + temps
        rng.shuffle(self.fields)
        for f in states + coefs:
            self.draw_values(f)

    def draw_series(self):
        """Tables of a number per step, which may end before the run does."""
        if not self.uses("series", 1):
            return
        for i in range(self.rng.randint(1, 2)):
            noise = np.random.default_rng(self.rng.randint(0, 2 ** 31)).uniform(-1, 1, self.rng.randint(1, 28))
            self.series.append(Series(f"drive{i}", self.rng.choice([F32, F64]), noise.astype(self.rng.choice(["f4", "f8"])),
                                      f"series_{i}.npy"))

    def index_sum(self):
        rng = self.rng
        total = literal(str(rng.randint(0, 9)))
        for d in self.dims:
            total = arithmetic("+", total, arithmetic("*", coord(d), literal(str(rng.randint(1, 13)))))
        return total

    def pattern(self, type):
        """Something of the coordinates that looks irregular and is exact: (a*x + b*y + ...) % m * 0.1 - c."""
        rng = self.rng
        if type == U8 and self.chance(0.5):
            return self.index_sum()     # modulo 256
        total = arithmetic("%", self.index_sum(), literal(str(rng.choice([5, 7, 11, 17]))))
        if type == BOOL:
            return compare(rng.choice(["<", ">"]), total, literal("3"))
        if type == U8:
            return arithmetic("*", total, literal(str(rng.randint(1, 15))))
        if type in INTEGERS:
            return arithmetic("-", total, literal(str(rng.randint(0, 9))))
        scaled = arithmetic("*", total, literal(self.decimal(3, 12)))
        return arithmetic("-", scaled, literal(self.decimal()))

    def draw_values(self, f):
        if self.chance(0.3):
            noise = np.random.default_rng(self.rng.randint(0, 2 ** 31))
            low, high = {BOOL: (0, 2), U8: (0, 256), F32: (-2, 2), F64: (-2, 2)}.get(f.type, (-99, 100))
            values = noise.uniform(low, high, self.extents)
            f.file = (values if f.type in FLOATS else np.floor(values)).astype(DTYPE[f.type])
        elif f.kind == COEF or self.chance(0.9):
            f.init[0] = self.pattern(f.type)
            if f.kind == STATE and not self.still and self.chance(0.2):
                f.init[-1] = self.pattern(f.type)

    def make_from_coefs(self, model):
        """Initial values, and coefficients, which are made from coefficients that stand above them."""
        if not self.on["made"] or "made" not in self.favoured:
            return
        rng = random.Random(f"made {self.seed}")
        coefs = [f for f in model.fields if f.kind == COEF]
        for i, f in enumerate(model.fields):
            above = [c for c in coefs if c in model.fields[:i] or f.kind == STATE]
            for level, value in f.init.items():
                fitting = [c for c in above if (c.type == BOOL) == (f.type == BOOL) and (f.type in FLOATS or c.type not in FLOATS)]
                if fitting and rng.random() < 0.7:
                    f.init[level] = self.joined(value, f.type, rng.choice(fitting))

    @staticmethod
    def joined(value, type, coef):
        """The value and some of a coefficient."""
        some = read(coef.name, coef.type, 0, [])
        if type == BOOL:
            return logic("or", value, some)
        if type in FLOATS:
            some = arithmetic("*", literal("0.25" if coef.type in FLOATS else "0.01"), some)
        return arithmetic("+", value, some)

    # -- edges --------------------------------------------------------------------------------------------------------

    def edge_value(self, f):
        rng = self.rng
        near = call("abs", coord(rng.choice(self.dims)))
        late = self.chance(0.4) if f.kind == STATE else f.kind == TEMP and self.late.random() < 0.4
        if f.type == BOOL:
            if self.chance(0.5):
                return literal(rng.choice(["true", "false"]))
            return compare("==", arithmetic("%", TIME if late else near, literal("2")), literal("0"))
        if f.type in INTEGERS:
            value = arithmetic("%", near, literal(str(rng.randint(2, 9)))) if self.chance(0.5) else \
                literal(str(rng.randint(0, 9)))
            return arithmetic("+", value, arithmetic("%", TIME, literal("7"))) if late else value
        kind = rng.randrange(3)
        if kind == 0 and not late:
            return literal(rng.choice(["0", "1", "0.25"]))
        value = negate(literal(self.decimal())) if self.chance(0.3) else literal(self.decimal())
        if kind == 2:
            part = arithmetic("*", arithmetic("%", coord(rng.choice(self.dims)), literal("5")), literal("0.1"))
            value = arithmetic(rng.choice("+-"), value, part)
        if late:
            value = arithmetic("+", value, arithmetic("*", arithmetic("%", TIME, literal("7")), literal("0.03")))
        return value

    def draw_edges(self):
        """Per face one style for most fields; `any` lets each field have its own."""
        styles = ["fixed", "dirichlet"]
        styles += [s for s, feature in (("neumann", "neumann"), ("reflect", "reflect"), ("reflect_center", "reflect"))
                   if self.on[feature] and feature in self.favoured]
        everywhere = self.rng.choice(styles + [None] * 4)
        for d in self.dims:
            periodic = self.uses("periodic", 0.6) or self.still
            faces = [everywhere or self.rng.choice(styles + ["any"]) for _ in (0, 1)]
            for f in self.fields:
                wraps = periodic
                if self.uses("mixed_periodic", 0.1) and not self.still:
                    wraps = self.on["periodic"] and not periodic
                for side in (0, 1):
                    kind = "periodic" if wraps else faces[side]
                    if kind == "any":
                        kind = self.rng.choice(styles + ["none"])
                    if f.kind != STATE and not wraps and (kind == "fixed" or self.chance(0.3)):
                        kind = "none"
                    f.edges[d, side] = Edge(kind, self.edge_value(f) if kind == "dirichlet" else None)

    # -- updates ------------------------------------------------------------------------------------------------------

    def draw_where(self):
        """(bounds, what they surely leave out at each face)."""
        if self.still:
            return [], {}
        rng, bounds, margins = self.rng, [], {}
        for axis in rng.sample(range(len(self.dims)), rng.randint(1, len(self.dims))):
            d, n, kind = self.dims[axis], self.extents[axis], rng.randrange(6)
            inset = rng.randint(0, 4)
            below = arithmetic("-", self.extent_exprs[axis], literal(str(inset)))
            if self.extent_exprs[axis].op == "literal":
                below = literal(str(max(0, n - inset)))
                inset = min(inset, n)
            whole = [s.name for s in self.scalars if s.type == INT and s.name.startswith("k")]
            if kind <= 2:
                bounds.append(Bound(d, ">=", literal(str(inset))) if kind else
                              Bound(d, ">", literal(str(max(0, inset - 1)))))
                margins[d, 0] = inset if kind else max(0, inset - 1) + 1
            if kind in (1, 2, 3):
                bounds.append(Bound(d, "<", below))
                margins[d, 1] = inset
            if kind == 4:
                at = scalar(rng.choice(whole), INT) if whole and self.chance(0.5) else literal(str(rng.randrange(n + 3)))
                bounds.append(Bound(d, rng.choice(["==", "<=", ">"]), at))
            if kind == 5:               # beyond the grid, or empty
                bounds.append(Bound(d, rng.choice(["<", ">="]), literal(str(n + rng.randint(0, 9)))))
        return bounds, margins

    def draw_kept(self):
        """Updates of which the first leaves cells out that it does not read, and what is injected there comes late: of the
        second, which looks ahead. Nothing but that the cells keep their values holds the next step back."""
        rng, (first, second) = self.rng, [f for f in self.fields if f.kind == STATE]
        where, margins = self.draw_where()
        late = arithmetic("*", arithmetic("%", TIME, literal("7")), literal("0.03"))
        updates = [Update(first.name, arithmetic("+", self.pattern(first.type), late), where)]
        self.written.add(first.name)
        self.rims[first.name] = rims_of(self.model_so_far, first, updates[0].value, self.rims)
        self.statement = Statement("update", second, {}, REACH)
        ahead = [read(first.name, first.type, 1, [(self.dims[0], o)]) for o in (3, 2, 1, 0)]
        value = arithmetic("*", literal(self.decimal()), next(r for r in ahead if self.legal(r)))
        value = arithmetic("-", value, arithmetic("*", literal(self.decimal()), read(first.name, first.type, 1, [])))
        updates.append(Update(second.name, value))
        self.written.add(second.name)
        self.rims[second.name] = rims_of(self.model_so_far, second, value, self.rims)
        amount = arithmetic("*", literal(self.decimal(1, 30)), read(second.name, second.type, 1, []))
        places = np.array([self.draw_place(True) for _ in range(rng.randint(3, 9))], float)
        self.model_so_far.injects.append(Inject(first.name, Points(file="points_k.csv", places=places), amount))
        return updates

    def draw_updates(self):
        if self.kept:
            return self.draw_kept()
        rng = self.rng
        order = [f for f in self.fields if f.kind != COEF]
        rng.shuffle(order)
        order.sort(key=lambda f: f.kind != TEMP or self.chance(0.3))    # most temps come first
        updates = []
        for f in order:
            where, margins = [], {}
            if f.kind == STATE and self.uses("where", 0.5):
                where, margins = self.draw_where()
            self.statement = Statement("update", f, margins, rng.choice([1, 1, 1, 2, REACH]))
            value = self.update_value(f)
            updates.append(Update(f.name, value, where))
            self.rims[f.name] = rims_of(self.model_so_far, f, value, self.rims)
            self.written.add(f.name)
        return updates

    def update_value(self, f):
        if f.type in FLOATS:
            return self.float_value(f)
        if f.type == BOOL:
            return self.condition()
        return self.whole_value(f)

    # -- the end ------------------------------------------------------------------------------------------------------

    def with_stop(self, model):
        """A condition on a monitor that comes true somewhere in the run, or does not."""
        if not self.uses("stop"):
            return model
        model.stop_on_none = self.chance(0.2)
        names = [w.name for w in model.watches if not w.feeds]
        if not names:
            return model
        name = self.rng.choice(names)
        values = [float(line.split(f"  {name} = ")[1].split()[0]) for line in oracle.run(model).lines
                  if f"  {name} = " in line]
        values = [v for v in values if np.isfinite(v)]
        if values:
            limit = self.rng.choice(values)
            bound = negate(literal(repr(-limit))) if limit < 0 else literal(repr(limit))
            condition = compare(self.rng.choice(["<", "<=", ">", ">="]), scalar(name, F64), bound)
            return replace(model, stops=[condition])
        return model


if __name__ == "__main__":
    import sys

    from program_text import program_text
    print(program_text(draw(int(sys.argv[1]))), end="")
