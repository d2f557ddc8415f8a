"""A second interpreter, in plain Python and written from the rules of the language rather than from oracle.py: cell by
cell, with values that carry their own types, macros as they are written, and an error for every read that has no value.
Slow; for tiny programs.
"""
import math
import struct
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np

import functions
import macros
from expression import reads
from oracle import Result

RANGE = {"u8": (0, 255), "i32": (-2 ** 31, 2 ** 31 - 1), "int": (-2 ** 63, 2 ** 63 - 1)}


class NoValue(Exception):
    """A read that leaves the grid where nothing is declared, or meets a cell of a temp that is not made."""


class Value(NamedTuple):
    number: object
    type: str
    data: bool = False
    literal: bool = False
    factors: tuple = ()         # of a product: the two numbers
    known: bool = False         # made of numerals, lets of these and parts of offsets alone
    split: tuple = ()           # of a product of a known number and something: both


class At(NamedTuple):
    """Where and when an expression is looked at, and what its local names mean."""
    cell: tuple
    level: int                  # the present one
    names: dict = {}            # params: (Expr, At); offsets: tuples of cells
    fused: bool = False         # sums of products are rounded once

    def by(self, shift):
        return self._replace(cell=tuple(c + s for c, s in zip(self.cell, shift)))


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def convert(number, type):
    if type == "bool":
        return bool(number)
    if type == "u8":
        return int(number) % 256
    if type in RANGE:
        low, high = RANGE[type]
        return (int(number) - low) % (high - low + 1) + low
    return single(float(number)) if type == "f32" else float(number)


def real(type):
    return type in ("f32", "f64")


def together(a, b):
    """Two numbers in the type where they meet, the type, and whether it is a field's."""
    if a.type == b.type:
        to = a.type
    elif real(a.type) or real(b.type):
        if not real(b.type):
            to = a.type
        elif not real(a.type):
            to = b.type
        elif a.data != b.data:
            to = (a if a.data else b).type
        elif a.literal != b.literal:
            to = (b if a.literal else a).type
        else:
            to = "f64"
    elif a.data != b.data:
        to = (a if a.data else b).type
    else:
        to = "int"
    data = (a.data and a.type == to) or (b.data and b.type == to)
    return convert(a.number, to), convert(b.number, to), to, data


def exact(number, type):
    """A fraction as the nearest number of the type, ties to even."""
    try:
        near = float(number)
    except OverflowError:
        return math.copysign(math.inf, number)
    if type == "f64" or Fraction(near) == number:
        return convert(near, type)
    other = math.nextafter(near, math.inf if number > near else -math.inf)
    odd = near if struct.unpack("q", struct.pack("d", near))[0] % 2 else other
    return single(odd)              # no tie is met that is none


def fused_sum(x, y, z, type):
    if not all(map(math.isfinite, (x, y, z))):
        return convert(x * y + z, type)
    total = Fraction(x) * Fraction(y) + Fraction(z)
    if total == 0:
        return x * y + z if z == 0 and 0 in (x, y) else 0.0
    return exact(total, type)


def combined(op, a, b, fused):
    """Two values added, multiplied, ...; a product keeps its factors as long as it keeps its type."""
    x, y, type, data = together(a, b)
    known = a.known and b.known
    if fused and real(type) and op in ("+", "-"):
        sign = -1.0 if op == "-" else 1.0
        if a.factors and a.type == type:
            return Value(fused_sum(*a.factors, sign * y, type), type, data, known=known)
        if b.factors and b.type == type:
            return Value(fused_sum(sign * b.factors[0], b.factors[1], x, type), type, data, known=known)
    split = ()
    if op == "*" and real(type) and a.known != b.known:
        number, rest, converted = (x, b, y) if a.known else (y, a, x)
        split = number, rest if rest.type == type else Value(converted, type, data)
    return Value(calculate(op, x, y, type), type, data, factors=(x, y) if op == "*" else (), known=known, split=split)


def quotient(a, b):
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


def calculate(op, x, y, type):
    if op == "+":
        out = x + y
    elif op == "-":
        out = x - y
    elif op == "*":
        out = x * y
    elif op == "/":
        out = x / y if real(type) else quotient(x, y)
    else:
        out = x - quotient(x, y) * y
    return convert(out, type)       # f32: rounded twice is rounded once, double has the digits for it


COMPARE = {"<": lambda x, y: x < y, "<=": lambda x, y: x <= y, ">": lambda x, y: x > y, ">=": lambda x, y: x >= y,
           "==": lambda x, y: x == y, "!=": lambda x, y: x != y}


class Interpreter:
    def __init__(self, model):
        self.model = model
        self.sizes = tuple(model.extents)
        self.cells = list(product(*(range(n) for n in self.sizes)))
        self.scalars, self.fed, self.watched = {}, {}, {}
        for s in model.scalars:
            given = s.actual
            if given is not None:
                number = int(given) if s.type == "int" else float(given)
            else:
                number = self.value(s.value, At((), 0)).number
            known = not s.is_param and self.value(s.value, At((), 0)).known
            self.scalars[s.name] = Value(convert(number, s.type), s.type, known=known)
        self.state, self.temps = {}, {}
        for f in sorted(model.fields, key=lambda f: f.kind != "coef"):     # which others are made from
            if f.kind != "temp":
                for level in range(0, -model.depth(f.name), -1):
                    self.state[f.name, level] = {c: self.initial(f, level, c) for c in self.cells}

    def initial(self, f, level, cell):
        if f.file is not None:
            return f.file[cell].item()
        expr = f.init.get(level, f.init.get(0))
        return convert(0, f.type) if expr is None else convert(self.value(expr, At(cell, 0)).number, f.type)

    def at(self, cell, level):
        """Where the value of an update, an injection or a monitor is looked at."""
        return At(cell, level, fused=self.model.fma)

    # -- expressions --------------------------------------------------------------------------------------------------

    def value(self, e, at):
        op, a = e.op, e.args
        if op == "literal":
            if e.value in ("true", "false"):
                return Value(e.value == "true", "bool", literal=True, known=True)
            if "." in e.value or "e" in e.value:
                return Value(float(e.value), "f64", literal=True, known=True)
            return Value(int(e.value), "int", literal=True, known=True)
        if op == "scalar":
            return self.fed[e.value] if e.value in self.fed else self.scalars[e.value]
        if op == "coord":
            return Value(at.cell[self.model.dims.index(e.value)], "int")
        if op == "time":
            return Value(at.level, "int")
        if op == "read":
            name, time, offsets = e.value
            return self.field(name, time, at, [dict(offsets).get(d, 0) for d in self.model.dims])
        if op == "sample":
            series = next(s for s in self.model.series if s.name == e.value[0])
            later = series.values[at.level + e.value[1]:]
            return Value(convert(later[0] if len(later) else 0, series.type), series.type)
        if op == "macro":
            return self.macro(e.value, at)
        if op in ("param", "param_read", "member", "offset_read", "offset_call"):
            return self.local(op, e.value, at)
        if op == "if":
            x, y = (self.value(arg, at) for arg in a[1:])   # both, so that both have to be there
            if x.type == "bool":
                return x if self.value(a[0], at).number else y
            p, q, type, data = together(x, y)
            condition = self.value(a[0], at)
            known = condition.known and (x if condition.number else y).known
            return Value(p if condition.number else q, type, data, known=known)
        values = [self.value(arg, at) for arg in a]
        data, known = any(v.data for v in values), all(v.known for v in values)
        if op in ("and", "or"):
            x, y = (v.number for v in values)
            return Value(x and y if op == "and" else x or y, "bool", data, known=known)
        if op == "not":
            return Value(not values[0].number, "bool", data, known=known)
        if op == "neg":
            return Value(convert(-values[0].number, values[0].type), values[0].type, data, values[0].literal, known=known)
        if op == "power":
            x = out = values[0]
            for _ in range(e.value - 1):
                out = combined("*", out, x, False)
            return out
        if op == "call":
            return self.call(e.value, values, data)._replace(known=known)
        x, y, type, data = together(*values)
        if op in COMPARE:
            return Value(COMPARE[op](x, y), "bool", data, known=known)
        return combined(op, *values, at.fused)

    def call(self, function, values, data):
        if function in ("min", "max"):
            x, y, type, data = together(*values)
            first = x < y if function == "min" else x > y
            return Value(x if first else y, type, data)
        if function in functions.FUNCTIONS:
            *numbers, type, data = together(*values) if len(values) == 2 else (values[0].number, values[0].type, data)
            type, data = (type, data) if real(type) else ("f64", False)
            kind = np.float32 if type == "f32" else np.float64
            return Value(convert(functions.FUNCTIONS[function](*map(kind, numbers)), type), type, data)
        x, type = values[0].number, values[0].type
        if function == "abs":
            return Value(convert(abs(x), type), type, data)
        if not real(type):
            type, data = "f64", False
        out = math.sqrt(x) if function == "sqrt" else math.copysign(math.floor(x), x)   # floor(-0.0) is -0.0
        return Value(convert(out, type), type, data)

    def local(self, op, what, at):
        if op == "param":
            expr, place = at.names[what]
            return self.value(expr, place)
        if op == "param_read":
            expr, place = at.names[what[0]]
            offsets = {at.names[d][0].value if d in at.names else d: n for d, n in what[1]}
            return self.value(expr, place.by([offsets.get(d, 0) for d in self.model.dims]))
        if op == "member":
            offset = at.names[what[0]]
            return Value(offset[self.model.dims.index(what[1])], "int", literal=True, known=True)
        if op == "offset_read":
            name, time, offset, sign = what
            return self.field(name, time, at, [sign * n for n in at.names[offset]])
        fn, offset = what
        return self.value(fn.body, at._replace(names={fn.params[0]: at.names[offset]}))

    def macro(self, m, at):
        if isinstance(m, macros.FnCall):
            return self.value(m.fn.body, at._replace(names={p: (e, at) for p, e in zip(m.fn.params, m.args)}))
        if isinstance(m, macros.Reduction):
            return self.reduction(m, at)
        return self.derivative(m, at)

    def reduction(self, m, at):
        """The lists of what has been taken together grow by one dimension after the other, from the fastest on."""
        def total(values):
            out = values[0]
            for value in values[1:]:
                out = (self.call(m.op, [out, value], False) if m.op in ("min", "max") else
                       combined("+" if m.op == "sum" else "*", out, value, at.fused))
            return out

        def joined(terms):
            while any(point for point, *_ in terms):
                last = len(terms[0][0]) - 1
                found = {}
                for point, same, value, first in sorted(terms, key=lambda term: term[0][last]):
                    found.setdefault((point[:last], same), []).append((point[last], value, first))
                terms = [(place, same + (tuple(p for p, *_ in row),), total([v for _, v, _ in row]), row[0][2])
                         for (place, same), row in found.items()]
            return total([value for *_, value, _ in sorted(terms, key=lambda term: term[3])])

        classes = []
        for point in sorted(m.shape.points):
            term = self.value(m.body, at._replace(names={**at.names, m.variable: point}))
            number, rest = term.split if m.op == "sum" and term.split else (None, term)
            if not any(number == other for other, _, _ in classes):
                classes.append((number, term.type, []))
            next(rests for other, _, rests in classes if number == other).append((point, (), rest, point))
        return total([joined(rests) if number is None else
                      combined("*", Value(number, type), joined(rests), at.fused) for number, type, rests in classes])

    def derivative(self, m, at):
        """Weights from a system of equations: exact for 1, x, x^2, ..."""
        reach = m.order // 2
        degree = 2 if m.kind in ("d2", "laplace") else 1
        half = Fraction(1, 2) if m.kind in ("dp", "dm") else 0
        points = [p - half for p in range(1 - reach, reach + 1)] if half else list(range(-reach, reach + 1))
        cells = [p + half - (m.kind == "dm") for p in points] if half else points
        weights = dict(zip(map(int, cells), solve(points, degree)))
        todo = [m.dim] if m.dim else list(reversed(self.model.dims))
        spacing = dict(m.spacing)
        out = None
        while todo:
            h = spacing[todo[0]]
            dims = [d for d in todo if spacing[d] == h]
            todo = [d for d in todo if spacing[d] != h]
            part = self.formula(m.operand, dims, weights, degree == 2, at)
            if h is not None:
                factor = 1 / float(h) / float(h) if degree == 2 else 1 / float(h)   # powers of two
                part = combined("*", part, part._replace(number=convert(factor, part.type), factors=()), False)
            out = part if out is None else combined("+", out, part, at.fused)
        return out

    def formula(self, operand, dims, weights, even, at):
        def there(dim, n):
            return self.value(operand, at.by([n if d == dim else 0 for d in self.model.dims]))

        centre = there(dims[0], 0)
        type = centre.type

        def term(weight, value):
            return value if weight == 1 else combined("*", Value(convert(float(weight), type), type, True), value, False)

        def add(op, a, b):
            return combined(op, a, b, at.fused)

        total = term(weights[0] * len(dims), centre) if even else None
        middle = min(weights) + max(weights)    # 0, or 1 between the cells 0 and 1, -1 between -1 and 0
        for after in sorted(n for n in weights if 2 * n > middle):
            before = middle - after
            group = None
            for dim in dims:
                a, b = there(dim, after), there(dim, before)
                if even:
                    group = add("+", b if group is None else add("+", group, b), a)
                else:
                    group = add("-", a, b)
            weight = weights[after]
            if total is None:
                total = term(weight, group)
            else:
                total = add("-" if weight < 0 else "+", total, term(abs(weight), group))
        return total._replace(data=centre.data)

    # -- fields ---------------------------------------------------------------------------------------------------------

    def field(self, name, time, at, offset):
        f = self.model[name]
        cell = self.inside(f, [c + o for c, o in zip(at.cell, offset)])
        level = at.level + (1 if f.kind == "temp" else time)
        if cell is None:            # beyond a face with a value
            number = self.beyond(f, [c + o for c, o in zip(at.cell, offset)], level)
        elif f.kind == "temp":
            number = self.temps[name][cell]
            if number is None:
                raise NoValue(f"{name} is not made at {cell}")
        else:
            number = self.state[name, 0 if f.kind == "coef" else level][cell]
        return Value(number, "i32" if f.type == "u8" else f.type, True)

    def moved(self, f, cell):
        """The cell after all faces that move it."""
        out = []
        for d, n, i in zip(self.model.dims, self.sizes, cell):
            if not 0 <= i < n:
                edge = f.edge(d, 0 if i < 0 else 1)
                if edge == "periodic":
                    i = i + n if i < 0 else i - n
                elif edge == "neumann":
                    i = max(0, min(n - 1, i))
                elif edge == "reflect":
                    i = -1 - i if i < 0 else 2 * n - 1 - i
                elif edge == "reflect_center":
                    i = -i if i < 0 else 2 * (n - 1) - i
                if edge in ("periodic", "neumann", "reflect", "reflect_center") and not 0 <= i < n:
                    raise NoValue(f"{f.name}: {cell} is further out than the grid is wide")
            out.append(i)
        return tuple(out)

    def inside(self, f, cell):
        cell = self.moved(f, cell)
        return cell if all(0 <= i < n for i, n in zip(cell, self.sizes)) else None

    def beyond(self, f, cell, level):
        cell = self.moved(f, cell)
        sides = [(d, 0 if i < 0 else 1) for d, i, n in zip(self.model.dims, cell, self.sizes) if not 0 <= i < n]
        if any(f.edge(*face) != "dirichlet" for face in sides):
            raise NoValue(f"{f.name} has no value at {cell}")
        return convert(self.value(f.edges[sides[0]].value, At(cell, level)).number, f.type)

    # -- the step -------------------------------------------------------------------------------------------------------

    def within(self, where, cell):
        bounds = [(self.model.dims.index(b.dim), b.op, self.value(b.value, At((), 0)).number) for b in where]
        return all(cell[d] == n if op == "==" else COMPARE[op](cell[d], n) for d, op, n in bounds)

    def rim(self, f, value):
        """The widest reach of the reads, as they are written, towards every fixed face; through temps that are not
        made everywhere, too."""
        return {(d, side): self.reach(value, axis, side) if f.edge(d, side) == "fixed" else 0
                for axis, d in enumerate(self.model.dims) for side in (0, 1)}

    def reach(self, value, axis, side):
        dim, furthest = self.model.dims[axis], 0
        for r in reads(value):
            name, _, offsets = r.value
            lean = dict(offsets).get(dim, 0) * (1 if side else -1)
            f = self.model[name]
            if f.kind == "temp" and f.edge(dim, side) == "none":
                made = next(u for u in self.model.updates if u.field == name)
                lean += self.temp_rim(made.value, axis, side)
            furthest = max(furthest, lean)
        return furthest

    def temp_rim(self, value, axis, side):
        """How far from a face a temp begins: as far as its reads lean out where nothing is declared."""
        dim, furthest = self.model.dims[axis], 0
        for r in reads(value):
            name, _, offsets = r.value
            lean = dict(offsets).get(dim, 0) * (1 if side else -1)
            f = self.model[name]
            if f.edge(dim, side) not in ("none", "fixed"):
                continue
            if f.kind == "temp":
                made = next(u for u in self.model.updates if u.field == name)
                lean += self.temp_rim(made.value, axis, side)
            furthest = max(furthest, lean)
        return furthest

    def update(self, u, t):
        f = self.model[u.field]
        if f.kind == "temp":
            self.temps[f.name] = {c: self.made(u, f, c, t) for c in self.cells}
            return
        rim = self.rim(f, u.value)
        new = {}
        for cell in self.cells:
            free = all(i >= rim[d, 0] and i < n - rim[d, 1] for d, i, n in zip(self.model.dims, cell, self.sizes))
            if free and self.within(u.where, cell):
                new[cell] = convert(self.value(u.value, self.at(cell, t)).number, f.type)
            else:
                new[cell] = self.state[f.name, t][cell]
        self.state[f.name, t + 1] = new

    def made(self, u, f, cell, t):
        """A temp's value, or None where its reads have none; only faces without an edge excuse that."""
        try:
            return convert(self.value(u.value, self.at(cell, t)).number, f.type)
        except NoValue:
            if not any(f.edge(d, side) == "none" for d in self.model.dims for side in (0, 1)):
                raise
            return None

    def reduce(self, w, t):
        values = [float(self.value(w.value, self.at(c, t)).number) for c in self.cells if self.within(w.where, c)]
        if w.op in ("min", "max"):
            best = math.inf if w.op == "min" else -math.inf
            for v in values:
                if v < best if w.op == "min" else v > best:
                    best = v
            return best + 0.0
        total = Fraction(0)
        for v in values:
            total += Fraction(v)
        return float(total) if w.op == "sum" else float(total) / len(values) if values else math.nan

    def places(self, points):
        if points.file:
            return [tuple(row) for row in points.places]
        return [tuple(float(self.value(e, At((), 0)).number) for e in points.at)]

    def around(self, place):
        """(cell, weight) of up to 2^d cells."""
        for corner in product((0, 1), repeat=len(place)):
            weight = 1.0
            for at, up in zip(place, corner):
                fraction = at - math.floor(at)
                weight *= fraction if up else 1 - fraction
            if weight:
                yield tuple(math.floor(at) + up for at, up in zip(place, corner)), weight

    def inject(self, i, t):
        f = self.model[i.field]
        for k, place in enumerate(self.places(i.points)):
            for cell, weight in self.around(place):
                if i.signal is None:
                    number = convert(self.value(i.value, self.at(cell, t)).number, f.type)
                elif t < len(i.signal):
                    number = float(i.signal[t] if i.signal.ndim == 1 else i.signal[t][min(k, i.signal.shape[1] - 1)])
                else:
                    number = 0.0
                old = self.state[f.name, t + 1][cell]
                self.state[f.name, t + 1][cell] = convert(old + convert(weight * number, f.type), f.type)

    def every(self, expr):
        return 1 if expr is None else self.value(expr, At((), 0)).number

    def run(self):
        model, result = self.model, Result()
        traces = {r.path: [] for r in model.records}
        self.watched = {w.name: Value(math.nan, "f64") for w in model.watches}
        for t in range(model.steps):
            self.temps = {}
            fed = {w.name: Value(self.reduce(w, t), "f64") for w in model.watches if w.feeds}
            self.fed = fed
            self.watched.update(fed)
            for u in model.updates:
                self.update(u, t)
            for i in model.injects:
                self.inject(i, t)
            result.level = level = t + 1
            due = [w for w in model.watches if not w.feeds and level % self.every(w.every) == 0]
            for w in due:
                self.watched[w.name] = Value(self.reduce(w, t), "f64")
            if due:
                texts = [f"  {w.name} = {shortest(self.watched[w.name].number)}" for w in due]
                result.lines.append(f"t={level}" + "".join(texts))
            for r in model.records:
                if level % self.every(r.every) == 0:
                    traces[r.path].append([self.sample(r, place, level) for place in self.places(r.points)])
            for o in model.outputs:
                if o.every is not None and level % self.every(o.every) == 0:
                    result.files[o.path.replace("{t}", str(level))] = self.array(o.field, level)
            self.fed = self.watched
            if (due or fed) and any(self.value(c, At((), 0)).number for c in model.stops):
                break
        for o in model.outputs:
            if o.every is None:
                result.files[o.path] = self.array(o.field, result.level)
        for r in model.records:
            shape = (len(traces[r.path]), len(self.places(r.points)))
            result.files[r.path] = np.array(traces[r.path], NUMPY[model[r.field].type]).reshape(shape)
        return result

    def sample(self, r, place, level):
        parts = [weight * float(self.state[r.field, level][cell]) for cell, weight in self.around(place)]
        total = parts[0]
        for part in parts[1:]:
            total += part
        type = self.model[r.field].type
        low, high = RANGE.get(type, (0, 1))
        return total if real(type) else min(max(round(total), low), high)

    def array(self, name, level):
        out = np.empty(self.sizes, NUMPY[self.model[name].type])
        for cell in self.cells:
            out[cell] = self.state[name, level][cell]
        return out


NUMPY = {"bool": "?", "u8": "u1", "i32": "<i4", "int": "<i8", "f32": "<f4", "f64": "<f8"}


def shortest(number):
    """-40 and not -4e+01, which has fewer digits and is longer."""
    found = "nan"
    for digits in range(17, 0, -1):
        text = "%.*g" % (digits, number)
        if float(text) == number and (found == "nan" or len(text) < len(found)):
            found = text
    return found


def solve(points, degree):
    """Weights w with sum w*p^k = (the degree-th derivative of x^k at 0) for every k below the number of points."""
    n = len(points)
    rows = [[Fraction(p) ** k for p in points] + [Fraction(math.factorial(k) if k == degree else 0)]
            for k in range(n)]
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for r in range(n):
            if r != i:
                rows[r] = [x - rows[r][i] * y for x, y in zip(rows[r], rows[i])]
    return [row[n] for row in rows]


def run(model):
    return Interpreter(model).run()
