"""A random program as data."""
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from expression import Expr, reads

MOVING = ("neumann", "reflect", "reflect_center", "periodic")
STATE, COEF, TEMP = "field", "coef", "temp"


@dataclass
class Scalar:
    name: str
    type: str
    value: Expr
    is_param: bool
    compile_value: Optional[str] = None # given with -D when compiling
    run_value: Optional[str] = None     # given with -D when running

    @property
    def actual(self):
        """The value's text where it was given."""
        return self.run_value or self.compile_value


@dataclass
class Edge:
    kind: str                           # none fixed dirichlet neumann reflect reflect_center periodic
    value: Optional[Expr] = None        # of dirichlet


@dataclass
class Field:
    name: str
    type: str
    kind: str = STATE
    init: dict = field(default_factory=dict)    # level (0, -1, ...) -> Expr; empty: zero
    file: Optional[np.ndarray] = None           # initial values from a .npy instead
    edges: dict = field(default_factory=dict)   # (dim, side) -> Edge

    @property
    def path(self):
        return f"in_{self.name}.npy"

    def edge(self, dim, side):
        """The kind of edge at a face."""
        edge = self.edges.get((dim, side))
        return edge.kind if edge else "none"


@dataclass
class Bound:
    """One comparison of a `where`: a coordinate with what is the same at every point."""
    dim: str
    op: str
    value: Expr


@dataclass
class Update:
    field: str
    value: Expr
    where: list = field(default_factory=list)


@dataclass
class Points:
    """One place given by expressions, or a file of places."""
    at: list = field(default_factory=list)
    file: str = ""
    places: Any = None                  # of the file: one row per point


@dataclass
class Series:
    """A number per step."""
    name: str
    type: str
    values: np.ndarray                  # of the file, rounded to the type when they are used
    path: str


@dataclass
class Inject:
    field: str
    points: Points
    value: Optional[Expr] = None        # else the signal
    signal: Optional[np.ndarray] = None # (samples) or (samples, points)
    path: str = ""


@dataclass
class Record:
    field: str
    points: Points
    every: Optional[Expr]
    path: str
    on_cells: bool = True               # at every point one cell, so that integers are recorded as they are


@dataclass
class Watch:
    """A reduction: of the state before the step that updates use (`scalar`), or a `monitor`."""
    name: str
    op: str                             # sum min max mean
    value: Expr
    where: list = field(default_factory=list)
    every: Optional[Expr] = None
    feeds: bool = False


@dataclass
class Output:
    field: str
    every: Optional[Expr] = None

    @property
    def path(self):
        return f"{self.field}{'-{t}' if self.every else ''}.npy"


@dataclass
class Model:
    seed: int
    dims: list                          # names, slowest first
    extents: list                       # with the parameters' actual values
    extent_exprs: list
    spacing: list                       # literals' texts or None
    scalars: list
    fns: list
    shapes: list
    fields: list
    updates: list
    injects: list
    records: list
    watches: list
    stops: list                         # conditions
    outputs: list
    steps: int
    steps_option: bool = True           # --steps is given when running
    stop_on_none: bool = False
    fma: bool = False                   # compiled with --fma
    jam: str = ""                       # compiled with --jam
    cc: Optional[tuple] = None          # (compiler, flags) instead of the usual ones
    series: list = field(default_factory=list)
    renamed: dict = field(default_factory=dict) # names that the text has instead

    def __getitem__(self, name):
        return next(f for f in self.fields if f.name == name)

    @property
    def states(self):
        return [f for f in self.fields if f.kind == STATE]

    def wraps(self, dim):
        """Whether some field is periodic along a dimension."""
        return any(f.edge(dim, 0) == "periodic" for f in self.fields)

    def can_have_columns(self):
        """Whether planes may be cut: they have rows, with a first and a last, and no step waits for all of them."""
        return len(self.dims) > 2 and not self.wraps(self.dims[1]) and not any(w.feeds for w in self.watches)

    def defines(self, when="run"):
        values = [(s.name, s.run_value if when == "run" else s.compile_value) for s in self.scalars]
        return [part for name, value in values if value for part in ("-D", f"{self.renamed.get(name, name)}={value}")]

    def depth(self, name):
        """Levels of a field that are carried from step to step: 1 + the furthest past level that is read."""
        places = [u.value for u in self.updates] + [w.value for w in self.watches]
        return 1 + max([0] + [-r.value[1] for e in places for r in reads(e) if r.value[0] == name])


# -- rims: where updates stop before the grid's faces -------------------------------------------------------------------

def towards(offsets, dim, side):
    """How many cells a read leans towards a face; negative when it leans the other way."""
    offset = dict(offsets).get(dim, 0)
    return offset if side else -offset


def gives_value(edge):
    return edge == "dirichlet" or edge in MOVING


def needed(model, rims, name, offsets, dim, side):
    """How far from a face a read must stay to find a value."""
    f = model[name]
    lean = towards(offsets, dim, side)
    if f.kind == TEMP and f.edge(dim, side) == "none":
        return max(0, lean + rims[name][dim, side])
    return 0 if gives_value(f.edge(dim, side)) else max(0, lean)


def rims_of(model, f, value, rims):
    """(dim, side) -> cells: fixed faces leave out as far as the update reaches; a temp without an edge is made where its
    own reads have values. rims holds those of earlier updates."""
    out = {}
    for d in model.dims:
        for side in (0, 1):
            edge = f.edge(d, side)
            rim = 0
            for r in reads(value):
                name, _, offsets = r.value
                if edge == "fixed":
                    rim = max(rim, towards(offsets, d, side), needed(model, rims, name, offsets, d, side))
                elif f.kind == TEMP and edge == "none":
                    rim = max(rim, needed(model, rims, name, offsets, d, side))
            out[d, side] = rim
    return out


def all_rims(model):
    rims = {}
    for u in model.updates:
        rims[u.field] = rims_of(model, model[u.field], u.value, rims)
    return rims

