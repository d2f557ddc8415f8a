"""Changes to a program that must not change a bit of what it computes, beyond what they change by themselves: no interpreter is needed to
see that.

    fields      declared, and written, in another order
    updates     those that do not use each other's results in another order
    names       everything has another name
    dims        dimensions have each other's names
    translate   all data moved around a ring, in a program that does not know where it is

Runs in parts, and with other tiles, are ways to run (trial.py).
"""
import re
from dataclasses import dataclass, replace

import numpy as np

import oracle
from expression import nodes, reads
from model import COEF, STATE, TEMP, Model

KINDS = ("fields", "updates", "names", "dims", "translate")


@dataclass
class Morph:
    kind: str
    model: Model
    want: oracle.Result


def shuffled(rng, items):
    return rng.sample(items, len(items))


def fields(model, want, rng):
    """Any order in which coefficients stand below those that they are made from."""
    coefs = iter([f for f in model.fields if f.kind == COEF])
    order = [next(coefs) if f.kind == COEF else f for f in shuffled(rng, model.fields)]
    return Morph("fields", replace(model, fields=order, outputs=shuffled(rng, model.outputs)), want)


def updates(model, want, rng):
    """Any order in which what an update reads of this step is there."""
    made = {u.field for u in model.updates}

    def needs(u):
        new = {r.value[0] for r in reads(u.value) if r.value[1] == 1 or model[r.value[0]].kind == TEMP}
        return new & made - {u.field}
    left, order = shuffled(rng, model.updates), []
    while left:
        there = {u.field for u in order}
        order.append(next(u for u in left if needs(u) <= there))
        left.remove(order[-1])
    return Morph("updates", replace(model, updates=order), want) if order != model.updates else None


def names_of(model):
    return [item.name for items in (model.scalars, model.fns, model.shapes, model.fields, model.watches, model.series)
            for item in items if item.name]


def renamed(model, want, kind, names, dims):
    """Dimensions are members of offsets, too: o.dx."""
    all_names = {**names, **dims, **{f"d{a}": f"d{b}" for a, b in dims.items()}}
    lines = [re.sub(r"  (\w+) = ", lambda m: f"  {all_names.get(m[1], m[1])} = ", line) for line in want.lines]
    return Morph(kind, replace(model, renamed=all_names), oracle.Result(want.files, lines, want.level))


def names(model, want, rng):
    taken = set()

    def new():
        while True:
            name = rng.choice("abcmnsuvwxyz") + "".join(rng.choice("abxyz_0123") for _ in range(rng.randint(2, 12)))
            if name not in taken:
                taken.add(name)
                return name
    return renamed(model, want, "names", {n: new() for n in names_of(model)}, {d: new() for d in model.dims})


def dims(model, want, rng):
    if len(model.dims) < 2:
        return None
    turned = model.dims[1:] + model.dims[:1]
    return renamed(model, want, "dims", {}, dict(zip(model.dims, turned if rng.random() < 0.5 else model.dims[::-1])))


def knows_where(model, dim):
    """Whether anything but initial data depends on the place along a dimension."""
    values = [u.value for u in model.updates] + [w.value for w in model.watches]
    return (model.injects or model.records or any(e.op == "coord" and e.value == dim for v in values for e in nodes(v))
            or any(b.dim == dim for s in [*model.updates, *model.watches] for b in s.where)
            or any(f.edge(dim, side) != "periodic" for f in model.fields for side in (0, 1)))


def translate(model, want, rng):
    """Initial values come from files then, which start all levels alike."""
    free = [d for d in model.dims if not knows_where(model, d)]
    if not free or any(set(f.init) - {0} for f in model.fields):
        return None
    # Values given at the faces of other dimensions may depend on the place along this one.
    free = [d for d in free if not any(n.op == "coord" and n.value == d for f in model.fields for e in f.edges.values()
                                       if e.value is not None for n in nodes(e.value))]
    if not free:
        return None
    dim = rng.choice(free)
    axis = model.dims.index(dim)
    by, scalars = rng.randrange(1, model.extents[axis] + 1), oracle.scalar_values(model)

    def moved(f):
        if f.kind not in (STATE, COEF):
            return f
        first = oracle.initial_levels(model, f, scalars, 1)[0]
        return replace(f, init={}, file=np.ascontiguousarray(np.roll(first, by, axis)))
    files = {name: np.roll(values, by, axis) for name, values in want.files.items()}
    return Morph("translate", replace(model, fields=[moved(f) for f in model.fields]), oracle.Result(files, want.lines, want.level))


def morphs(model, want, rng, kinds=KINDS):
    """One of each kind that the program has."""
    made = (globals()[kind](model, want, rng) for kind in kinds)
    return [m for m in made if m is not None]
