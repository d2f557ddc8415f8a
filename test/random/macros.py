"""What a program may write in short: functions, sums over shapes, derivatives. A macro has its text and its expansion
into operations, in the order that docs/language.md gives them. naive.py works from what is written, not from this.
"""
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from evaluate import Scope, evaluate
from expression import FLOATS, Expr, arithmetic, call, literal, read, rebuild, text


@dataclass(frozen=True)
class Fn:
    """fn name(params) = body; a param is a value, an offset where the body has its members only, or a dimension."""
    name: str
    params: tuple
    body: Expr

    def declaration(self):
        return f"fn {self.name}({', '.join(self.params)}) = {text(self.body)};"


@dataclass(frozen=True)
class Shape:
    """A set of offsets, one per point."""
    name: str               # empty: written out where it is used
    source: str             # box(1), star(2), {(0, 1), (0, -1)}
    condition: Expr         # over literal members dz, dy, dx; or None
    points: tuple           # offsets, one per dimension

    def declaration(self):
        where = f" where {text(self.condition)}" if self.condition else ""
        return f"shape {self.name} = {self.source}{where};"

    def spelled(self):
        return self.name or self.source


def regular_points(kind, radius, ndim):
    steps = range(-radius, radius + 1)
    return tuple(p for p in product(steps, repeat=ndim) if kind == "box" or sum(map(bool, p)) <= 1)


@dataclass(frozen=True)
class FnCall:
    fn: Fn
    args: tuple

    def text(self):
        return 9, f"{self.fn.name}({', '.join(text(arg) for arg in self.args)})"


@dataclass(frozen=True)
class Reduction:
    op: str                 # sum prod min max
    variable: str
    shape: Shape
    body: Expr

    def text(self):
        """It takes in a product, as a sign does."""
        return 5, f"{self.op}({self.variable} in {self.shape.spelled()}) {text(self.body, 6)}"


@dataclass(frozen=True)
class Derivative:
    kind: str               # d d2 dp dm laplace
    operand: Expr
    dim: str                # empty: laplace
    order: int
    spacing: tuple          # ((dim, literal's text or None), ...) of the grid, slowest first

    def text(self):
        dim = f", {self.dim}" if self.dim else ""
        order = f", order: {self.order}" if self.order != 2 else ""
        return 9, f"{self.kind}({text(self.operand)}{dim}{order})"


def moved(expr, by):
    """The expression at the cell that lies by {dim: cells} away."""
    def leaf(e):
        if e.op == "coord" and by.get(e.value):
            n = by[e.value]
            return arithmetic("+" if n > 0 else "-", e, literal(str(abs(n))))
        if e.op == "read":
            name, time, offsets = e.value
            total = dict(offsets)
            for d, n in by.items():
                total[d] = total.get(d, 0) + n
            return Expr("read", e.type, True, (), (name, time, tuple((d, o) for d, o in total.items() if o)))
        return None
    return rebuild(expr, leaf)


def bind(body, names, types):
    """The body with its parameters and offsets replaced; names: to an Expr or to an offset as {dim: cells}."""
    def leaf(e):
        if e.op == "param":
            return names[e.value]
        if e.op == "param_read":
            return moved(names[e.value[0]], {names[d].value if d in names else d: n for d, n in e.value[1]})
        if e.op == "member":
            return literal(str(names[e.value[0]].get(e.value[1], 0)))
        if e.op == "offset_read":
            name, time, offset, sign = e.value
            return read(name, types[name], time, [(d, sign * n) for d, n in names[offset].items()])
        if e.op == "offset_call":
            fn, offset = e.value
            return bind(fn.body, {fn.params[0]: names[offset]}, types)
        return None
    return rebuild(body, leaf)


def macro(source, expansion):
    return Expr("macro", expansion.type, expansion.data, (expansion,), source)


def reads_around(fn):
    """Whether a function reads its argument at an offset."""
    def any_read(e):
        return e.op == "param_read" or any(any_read(a) for a in e.args)
    return any_read(fn.body)


def fn_call(fn, args, types):
    return macro(FnCall(fn, tuple(args)), bind(fn.body, dict(zip(fn.params, args)), types))


def join(op, terms):
    out = None
    for term in terms:
        if out is None:
            out = term
        else:
            out = call(op, out, term) if op in ("min", "max") else arithmetic("+" if op == "sum" else "*", out, term)
    return out


def together(op, terms):
    """Terms by their points: those that differ along the last dimension first, then what has the same of it, ..."""
    parts = {(point, ()): (point, term) for point, term in terms.items()}     # by place and pattern: first point, term
    for _ in range(len(next(iter(terms)))):
        rows = {}
        for ((*place, last), pattern), part in parts.items():
            rows.setdefault((tuple(place), pattern), []).append((last, part))
        parts = {}
        for (place, pattern), row in rows.items():
            row.sort(key=lambda item: item[0])
            key = place, (*pattern, tuple(last for last, _ in row))
            parts[key] = row[0][1][0], join(op, [term for _, (_, term) in row])
    return join(op, [term for _, term in sorted(parts.values(), key=lambda part: part[0])])


def of_numbers(e, lets):
    return e.op not in ("read", "coord", "time", "sample") and (e.op != "scalar" or e.value in lets) \
        and all(of_numbers(a, lets) for a in e.args)


def number_times(term, lets):
    """A product of a number and something as (the number's expression, something), or (None, the term)."""
    if term.op == "macro":
        return number_times(term.args[0], lets)
    if term.op == "*" and term.type in FLOATS and of_numbers(term.args[0], lets) != of_numbers(term.args[1], lets):
        return term.args if of_numbers(term.args[0], lets) else term.args[::-1]
    return None, term


def reduction(op, variable, shape, body, dims, types, lets):
    """Terms of a sum that are the same number times something are added without it. lets: the values of those that are numbers."""
    alike = {}
    for point in sorted(shape.points):
        term = bind(body, {variable: dict(zip(dims, point))}, types)
        factor, rest = number_times(term, lets) if op == "sum" else (None, term)
        number = None if factor is None else float(evaluate(factor, Scope(lets), term.type))
        alike.setdefault(number, (factor, {}))[1][point] = rest
    sums = [total if factor is None else arithmetic("*", factor, total)
            for factor, total in ((factor, together(op, rests)) for factor, rests in alike.values())]
    return macro(Reduction(op, variable, shape, body), join(op, sums))


# -- derivatives ------------------------------------------------------------------------------------------------------

def difference_weights(derivative, points):
    """Fornberg's weights of the derivative at 0 (Mathematics of Computation 51, 1988), by his recurrence on exact
    fractions: delta[m][n][v] is the weight of point v in the m-th derivative over the points 0..n."""
    n_points = len(points)
    delta = [[[Fraction(0)] * n_points for _ in range(n_points)] for _ in range(derivative + 1)]
    delta[0][0][0] = Fraction(1)
    c1 = Fraction(1)
    for n in range(1, n_points):
        c2 = Fraction(1)
        for v in range(n):
            c3 = points[n] - points[v]
            c2 *= c3
            for m in range(min(n, derivative) + 1):
                last = delta[m - 1][n - 1][v] if m else 0
                delta[m][n][v] = (points[n] * delta[m][n - 1][v] - m * last) / c3
        for m in range(min(n, derivative) + 1):
            last = delta[m - 1][n - 1][n - 1] if m else 0
            delta[m][n][n] = c1 / c2 * (m * last - points[n - 1] * delta[m][n - 1][n - 1])
        c1 = c2
    return delta[derivative][n_points - 1]


def formula(kind, order):
    """(weight of the centre, [(weight, offset after, offset before), ...] from the centre outwards)."""
    reach = order // 2
    if kind in ("dp", "dm"):
        points = [Fraction(2 * i + 1, 2) for i in range(-reach, reach)]
        weights = difference_weights(1, points)
        first = 1 if kind == "dp" else 0
        return None, [(weights[reach + k], first + k, first - 1 - k) for k in range(reach)]
    weights = difference_weights(1 if kind == "d" else 2, [Fraction(i) for i in range(-reach, reach + 1)])
    return (None if kind == "d" else weights[reach]), [(weights[reach + k], k, -k) for k in range(1, reach + 1)]


def add_term(total, weight, group):
    subtract = total is not None and weight < 0
    factor = -weight if subtract else weight
    term = group if factor == 1 else arithmetic("*", literal(repr(float(factor))), group)
    return term if total is None else arithmetic("-" if subtract else "+", total, term)


def along(kind, operand, dims, order, spacing):
    """One formula along dimensions of one spacing, grouped by weight; divided by the spacing once, as a factor."""
    centre, pairs = formula(kind, order)
    even = centre is not None
    total = add_term(None, centre * len(dims), operand) if even else None
    for weight, after, before in pairs:
        group = None
        for dim in dims:
            a, b = moved(operand, {dim: after}), moved(operand, {dim: before})
            if even:
                group = arithmetic("+", add_term(group, 1, b), a)
            else:
                group = arithmetic("-", a, b)
        total = add_term(total, weight, group)
    if spacing is None or float(spacing) == 1:
        return total
    h = literal(spacing)
    return arithmetic("*", total, arithmetic("/", literal("1.0"), arithmetic("*", h, h) if even else h))


def derivative(kind, operand, dim, order, spacing):
    """laplace adds up from the fastest dimension on, those of one spacing in one formula."""
    total, left = None, [dim] if dim else [d for d, _ in reversed(spacing)]
    spacings = dict(spacing)
    while left:
        same = [d for d in left if spacings[d] == spacings[left[0]]]
        total = add_term(total, 1, along("d2" if kind == "laplace" else kind, operand, same, order,
                                         spacings[left[0]]))
        left = [d for d in left if d not in same]
    return macro(Derivative(kind, operand, dim, order, tuple(spacing)), total)
