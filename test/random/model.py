"""A random program as data, and its text."""
from dataclasses import dataclass, field, replace
from typing import Any, Optional

import numpy as np

from expression import Expr, text


@dataclass
class Scalar:
    name: str
    type: str
    value: Expr
    is_param: bool
    run_value: Optional[str] = None     # given with -D when running


@dataclass
class Edge:
    kind: str                           # none fixed dirichlet
    value: Optional[Expr] = None


@dataclass
class Field:
    name: str
    type: str
    coef: bool = False
    init: dict = field(default_factory=dict)    # level (0, -1, ...) -> Expr; empty: zero
    file: Optional[np.ndarray] = None           # initial values from a .npy instead
    edges: dict = field(default_factory=dict)   # (dim, side) -> Edge

    @property
    def path(self):
        return f"in_{self.name}.npy"


@dataclass
class Stage:
    field: str
    value: Expr


@dataclass
class Model:
    seed: int
    dims: list                          # names, slowest first
    extents: list
    scalars: list
    fields: list
    stages: list
    steps: int

    def __getitem__(self, name):
        return next(f for f in self.fields if f.name == name)

    def with_steps(self, steps):
        return replace(self, steps=steps)

    def defines(self):
        return [part for s in self.scalars if s.run_value for part in ("-D", f"{s.name}={s.run_value}")]


def program_text(model):
    lines = [f"// random program {model.seed}", f"stencil r{model.seed};", ""]
    for s in model.scalars:
        lines.append(f"param {s.name} : {s.type} = {text(s.value)};" if s.is_param
                     else f"let {s.name} = {text(s.value)};")
    dims = ", ".join(f"{d}: {n}" for d, n in zip(model.dims, model.extents))
    lines += ["", f"grid ({dims});", ""]
    for f in model.fields:
        if not f.coef:
            lines.append(f"field {f.name} : {f.type};")
        elif f.file is not None:
            lines.append(f'coef {f.name} : {f.type} from "{f.path}";')
        else:
            lines.append(f"coef {f.name} : {f.type} = {text(f.init[0])};")
    lines.append("")
    for f in model.fields:
        if not f.coef and f.file is not None:
            lines.append(f'init {f.name} from "{f.path}";')
        elif not f.coef:
            for level, value in f.init.items():
                at = f"{f.name}[t{level:+d}]" if level else f.name
                lines.append(f"init {at} = {text(value)};")
    lines.append("")
    for f in model.fields:
        lines += boundary_lines(model, f)
    lines += ["", "step {"]
    lines += [f"    {s.field}[t+1] = {text(s.value)};" for s in model.stages]
    lines += ["}", "", f"steps {model.steps};", ""]
    lines += [f'output {f.name} to "{f.name}.npy";' for f in model.fields if not f.coef]
    return "\n".join(lines) + "\n"


def edge_text(edge):
    return f"dirichlet {text(edge.value)}" if edge.kind == "dirichlet" else edge.kind


def boundary_lines(model, f):
    """The shortest way to say it: one value for all, for both faces of a dimension, or face by face."""
    edges = {face: edge_text(edge) for face, edge in f.edges.items() if edge.kind != "none"}
    if not edges:
        return []
    if len(edges) == 2 * len(model.dims) and len(set(edges.values())) == 1:
        return [f"boundary {f.name} = {next(iter(edges.values()))};"]
    items = []
    for d in model.dims:
        low, high = edges.get((d, 0)), edges.get((d, 1))
        if low is not None and low == high:
            items.append(f"{d}: {low};")
        else:
            items += [f"{d}.{side}: {edge};" for side, edge in (("lo", low), ("hi", high)) if edge is not None]
    return [f"boundary {f.name} {{ {' '.join(items)} }}"]
