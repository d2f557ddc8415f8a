"""Runs a random program in numpy: one step after the other, every read by explicit index arithmetic."""
import math
from dataclasses import dataclass, field

import numpy as np

from evaluate import Scope, cast, evaluate
from expression import BOOL, DTYPE, FLOATS, INT, U8, value_type
from model import COEF, TEMP, all_rims


@dataclass
class Result:
    """What a run leaves: files by name, the lines of its monitors, the last level."""
    files: dict = field(default_factory=dict)
    lines: list = field(default_factory=list)
    level: int = 0


def scalar_values(model):
    scope = Scope()
    for s in model.scalars:
        if s.actual is not None:
            scope.scalars[s.name] = DTYPE[s.type](int(s.actual) if s.type == INT else float(s.actual))
        else:
            scope.scalars[s.name] = evaluate(s.value, scope, s.type)[()]
    return scope.scalars


def constant(expr, scalars):
    return evaluate(expr, Scope(scalars))


def every(expr, scalars):
    return 1 if expr is None else int(constant(expr, scalars))


def grid_coords(model, shift=None):
    """The indices along each dimension, each an array that broadcasts over the grid."""
    coords = {}
    for axis, (dim, n) in enumerate(zip(model.dims, model.extents)):
        shape = [1] * len(model.dims)
        shape[axis] = n
        coords[dim] = (np.arange(n, dtype=np.int64) + (shift or {}).get(dim, 0)).reshape(shape)
    return coords


def on_grid(model, expr, scope, element):
    """The expression's value at every point as elements of a field; u8 is taken modulo 256."""
    value = np.broadcast_to(evaluate(expr, scope), tuple(model.extents))
    return to_element(value, element)


def to_element(value, element):
    if element == U8:
        return (value & 255).astype(np.uint8)
    return np.array(cast(value, element))


def initial_levels(model, f, scalars, depth):
    scope = Scope(scalars, grid_coords(model), read=lambda name, *_: initial_levels(model, model[name], scalars, 1)[0])
    levels = {}
    for level in range(0, -depth, -1):
        if f.file is not None:
            levels[level] = f.file
        elif level in f.init:
            levels[level] = on_grid(model, f.init[level], scope, f.type)
        elif 0 in f.init:
            levels[level] = levels[0]
        else:
            levels[level] = np.zeros(model.extents, DTYPE[f.type])
    return levels


MOVES = {       # (index, extent, side) -> the index of the cell that stands for one outside
    "neumann": lambda i, n, side: n - 1 if side else 0 * i,
    "reflect": lambda i, n, side: 2 * n - 1 - i if side else -1 - i,
    "reflect_center": lambda i, n, side: 2 * n - 2 - i if side else -i,
    "periodic": lambda i, n, side: i % n,
}


def shifted_read(model, f, values, level, offsets, scalars):
    """The field at every cell plus an offset; beyond a face, what the field's boundary says lies there."""
    coords = grid_coords(model, dict(offsets))
    sizes = list(zip(model.dims, model.extents))
    for d, n in sizes:
        for side in (0, 1):
            move = MOVES.get(f.edge(d, side))
            if move:
                outside = coords[d] >= n if side else coords[d] < 0
                coords[d] = np.where(outside, move(coords[d], n, side), coords[d])
    inside = np.ix_(*(np.clip(coords[d].ravel(), 0, n - 1) for d, n in sizes))
    out = values[inside]
    scope = Scope(scalars, coords, time=level)
    for d, n in reversed(sizes):                        # the first dimension has the last word
        for side, beyond in ((0, coords[d] < 0), (1, coords[d] >= n)):
            if f.edge(d, side) == "dirichlet" and beyond.any():
                value = evaluate(f.edges[d, side].value, scope, value_type(f.type))
                out = np.where(beyond, to_element(value, f.type), out)
    return out


def region(model, where, scalars):
    """Where a statement's bounds let it work, as an array of bools."""
    mask = np.ones(model.extents, bool)
    coords = grid_coords(model)
    for b in where:
        bound = np.int64(constant(b.value, scalars))
        i = coords[b.dim]
        mask &= {"<": i < bound, "<=": i <= bound, ">": i > bound, ">=": i >= bound, "==": i == bound}[b.op]
    return mask


def away_from(model, rims):
    """True at the points that lie in no rim."""
    mask = np.ones(model.extents, bool)
    coords = grid_coords(model)
    for d, n in zip(model.dims, model.extents):
        mask &= (coords[d] >= rims[d, 0]) & (coords[d] < n - rims[d, 1])
    return mask


def corners(model, place):
    """(cell, weight) of the cells around a place, the slowest dimension's lower index first; none of weight 0."""
    out = [((), 1.0)]
    for at in place:
        below = math.floor(at)
        out = [(cell + (below + upper,), weight * (at - below if upper else 1 - (at - below)))
               for cell, weight in out for upper in (0, 1)]
    return [(cell, weight) for cell, weight in out if weight]


def places(points, scalars):
    if points.file:
        return [tuple(float(i) for i in row) for row in points.places]
    return [tuple(float(constant(e, scalars)) for e in points.at)]


def reduced(op, values):
    """Sums are exact and rounded once; of the two zeros, the positive one."""
    values = [float(v) for v in values]
    if op in ("sum", "mean"):
        total = math.fsum(values) + 0.0
        return total if op == "sum" else total / len(values) if values else math.nan
    empty = math.inf if op == "min" else -math.inf
    return (min if op == "min" else max)(values, default=empty) + 0.0


def nearest(value, type):
    """The nearest whole number that the type has."""
    if type == BOOL:
        return value != 0
    limits = np.iinfo(DTYPE[type])
    return max(limits.min, min(limits.max, round(value)))


def number(value):
    """The shortest text that gives the same number when it is read, as %g has it: 10 and not 1e+01."""
    if math.isnan(value):
        return "nan"
    texts = [text for text in (f"{value:.{digits}g}" for digits in range(1, 18)) if float(text) == value]
    return min(texts, key=lambda text: (len(text), "e" in text))


class Run:
    def __init__(self, model):
        self.model, self.result = model, Result()
        self.scalars = scalar_values(model)
        self.rims = all_rims(model)
        self.levels = {f.name: initial_levels(model, f, self.scalars, model.depth(f.name))
                       for f in model.fields if f.kind != TEMP}
        self.temps = {}
        self.traces = {r.path: [] for r in model.records}
        self.watched = {w.name: np.float64(math.nan) for w in model.watches}

    def run(self):
        model = self.model
        for t in range(model.steps):
            self.step(t)
            if self.observe(t + 1):
                break
        for o in model.outputs:
            if o.every is None:
                self.result.files[o.path] = self.levels[o.field][self.result.level]
        for r in model.records:
            shape = (len(self.traces[r.path]), len(places(r.points, self.scalars)))
            self.result.files[r.path] = np.array(self.traces[r.path], DTYPE[model[r.field].type]).reshape(shape)
        return self.result

    def scope(self, t):
        def value_of(name, time, offsets):
            f = self.model[name]
            if f.kind == TEMP:
                return shifted_read(self.model, f, self.temps[name], t + 1, offsets, self.scalars)
            level = 0 if f.kind == COEF else t + time
            at = t if f.kind == COEF else level
            return shifted_read(self.model, f, self.levels[name][level], at, offsets, self.scalars)
        def number_of(name, level):
            values = next(s.values for s in self.model.series if s.name == name)
            return values[level] if level < len(values) else 0
        return Scope({**self.scalars, **self.fed}, grid_coords(self.model), t, value_of, number_of, self.model.fma)

    def step(self, t):
        model = self.model
        self.fed = {}
        for w in model.watches:
            if w.feeds:
                self.watched[w.name] = self.fed_value(w, t)
        self.fed = {w.name: self.watched[w.name] for w in model.watches if w.feeds}
        for u in model.updates:
            f = model[u.field]
            new = on_grid(model, u.value, self.scope(t), f.type)
            if f.kind == TEMP:
                self.temps[f.name] = new
                continue
            kept = ~(away_from(model, self.rims[f.name]) & region(model, u.where, self.scalars))
            self.levels[f.name][t + 1] = np.where(kept, self.levels[f.name][t], new)
        for i in model.injects:
            self.inject(i, t)
        self.result.level = t + 1

    def fed_value(self, w, t):
        values = on_grid(self.model, w.value, self.scope(t), "f64")
        return np.float64(reduced(w.op, values[region(self.model, w.where, self.scalars)]))

    def inject(self, i, t):
        f = self.model[i.field]
        target = self.levels[i.field][t + 1]
        for index, place in enumerate(places(i.points, self.scalars)):
            for cell, weight in corners(self.model, place):
                if i.signal is None:
                    value = on_grid(self.model, i.value, self.scope(t), f.type)[cell]
                elif t >= len(i.signal):
                    value = 0.0
                else:
                    value = i.signal[t] if i.signal.ndim == 1 else i.signal[t, index if i.signal.shape[1] > 1 else 0]
                target[cell] = target[cell] + DTYPE[f.type](weight * float(value))

    def observe(self, level):
        """Monitors, records and outputs after a step; whether the run is to end."""
        model, t = self.model, level - 1
        line, any_due = [], any(w.feeds for w in model.watches)
        for w in model.watches:
            if w.feeds or level % every(w.every, self.scalars):
                continue
            values = on_grid(model, w.value, self.scope(t), "f64")
            self.watched[w.name] = np.float64(reduced(w.op, values[region(model, w.where, self.scalars)]))
            line.append(f"  {w.name} = {number(float(self.watched[w.name]))}")
            any_due = True
        if line:
            self.result.lines.append(f"t={level}{''.join(line)}")
        for r in model.records:
            if level % every(r.every, self.scalars) == 0:
                self.traces[r.path].append([self.sample(r, place, level) for place in places(r.points, self.scalars)])
        for o in model.outputs:
            if o.every is not None and level % every(o.every, self.scalars) == 0:
                self.result.files[o.path.replace("{t}", str(level))] = self.levels[o.field][level].copy()
        for f in model.states:
            self.levels[f.name].pop(level - model.depth(f.name), None)
        scope = Scope({**self.scalars, **self.watched})
        return any_due and any(bool(evaluate(c, scope)) for c in model.stops)

    def sample(self, r, place, level):
        f = self.model[r.field]
        values = [weight * float(self.levels[r.field][level][cell]) for cell, weight in corners(self.model, place)]
        total = values[0]
        for value in values[1:]:
            total += value
        return DTYPE[f.type](total) if f.type in FLOATS else nearest(total, f.type)


def run(model):
    with np.errstate(all="ignore"):     # what rims and regions leave out is computed, too, and means nothing
        return Run(model).run()
