"""Runs a random program in numpy: one step after the other, every read by explicit index arithmetic."""
import numpy as np

from expression import DTYPE, Scope, evaluate, reads


def scalar_values(model):
    scope = Scope()
    for s in model.scalars:
        if s.run_value is not None:
            scope.scalars[s.name] = DTYPE[s.type](float(s.run_value) if s.type != "int" else int(s.run_value))
        else:
            scope.scalars[s.name] = evaluate(s.value, scope, s.type)[()]
    return scope.scalars


def grid_coords(model, shift=None):
    """The indices along each dimension, each an array that broadcasts over the grid."""
    coords = {}
    for axis, (dim, n) in enumerate(zip(model.dims, model.extents)):
        shape = [1] * len(model.dims)
        shape[axis] = n
        coords[dim] = (np.arange(n, dtype=np.int64) + (shift or {}).get(dim, 0)).reshape(shape)
    return coords


def on_grid(model, expr, scope, type):
    return np.broadcast_to(evaluate(expr, scope, type), tuple(model.extents)).copy()


def initial_levels(model, f, scalars, depth):
    scope = Scope(scalars, grid_coords(model))
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


def shifted_read(model, f, values, level, offsets, scalars):
    """The field at every cell plus an offset; beyond a face, what the field's boundary says lies there."""
    coords = grid_coords(model, dict(offsets))
    inside = np.ix_(*(np.clip(coords[d].ravel(), 0, n - 1) for d, n in zip(model.dims, model.extents)))
    out = values[inside]
    scope = Scope(scalars, coords, time=level)
    for d, n in reversed(list(zip(model.dims, model.extents))): # the first dimension has the last word
        for side, beyond in ((0, coords[d] < 0), (1, coords[d] >= n)):
            edge = f.edges.get((d, side))
            if edge and edge.kind == "dirichlet" and beyond.any():
                out = np.where(beyond, evaluate(edge.value, scope, f.type), out)
    return out


def domain(model, stage):
    """Where the stage updates: all but the rims of fixed faces, as wide as its reads reach towards them."""
    f = model[stage.field]
    slices = []
    for d, n in zip(model.dims, model.extents):
        offsets = [dict(r.value[2]).get(d, 0) for r in reads(stage.value)]
        low = max([0] + [-o for o in offsets]) if kind(f, d, 0) == "fixed" else 0
        high = max([0] + offsets) if kind(f, d, 1) == "fixed" else 0
        slices.append(slice(min(low, n), max(min(low, n), n - high)))
    return tuple(slices)


def kind(f, dim, side):
    edge = f.edges.get((dim, side))
    return edge.kind if edge else "none"


def depth_of(model, name):
    return 1 + max([0] + [-r.value[1] for s in model.stages for r in reads(s.value) if r.value[0] == name])


def run(model, defined=True):
    """The final value of every state field, by name."""
    scalars = scalar_values(model)
    levels = {f.name: initial_levels(model, f, scalars, depth_of(model, f.name)) for f in model.fields}
    for t in range(model.steps):
        def value_of(name, time, offsets):
            f = model[name]
            if f.coef:
                return shifted_read(model, f, levels[name][0], t, offsets, scalars)
            return shifted_read(model, f, levels[name][t + time], t + time, offsets, scalars)

        scope = Scope(scalars, grid_coords(model), t, value_of)
        for stage in model.stages:
            f = model[stage.field]
            new = levels[f.name][t].copy()
            inner = domain(model, stage)
            new[inner] = on_grid(model, stage.value, scope, f.type)[inner]
            levels[f.name][t + 1] = new
        for f in model.fields:
            if not f.coef:
                levels[f.name].pop(t + 1 - depth_of(model, f.name), None)
    return {f.name: levels[f.name][model.steps] for f in model.fields if not f.coef}
