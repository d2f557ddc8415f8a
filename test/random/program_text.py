"""A random program as text."""
import re

from expression import INT, text
from model import COEF, STATE


def program_text(model):
    text = "\n".join(filter(None, (block(model) for block in
                                   (head, grid, fields, boundaries, step, points, watches, ends)))) + "\n"
    return rename(text, model.renamed) if model.renamed else text


def rename(text, names):
    """Words that stand neither in quotes nor in comments, nor are edges' sides."""
    return re.sub(r'"[^"]*"|//.*|\b[A-Za-z_]\w*', lambda m: names.get(m[0], m[0]), text)


def element(type):
    return "i64" if type == INT else type


def head(model):
    lines = [f"// random program {model.seed}", f"stencil r{model.seed};", ""]
    for s in model.scalars:
        lines.append(f"param {s.name} : {s.type} = {text(s.value)};" if s.is_param
                     else f"let {s.name} = {text(s.value)};")
    lines += [fn.declaration() for fn in model.fns]
    lines += [shape.declaration() for shape in model.shapes]
    return "\n".join(lines)


def grid(model):
    dims = ", ".join(f"{d}: {text(n)}" + (f" spacing {h}" if h else "")
                     for d, n, h in zip(model.dims, model.extent_exprs, model.spacing))
    return f"\ngrid ({dims});\n"


def fields(model):
    lines = []
    for f in model.fields:
        type = element(f.type)
        if f.kind != COEF:
            lines.append(f"{f.kind} {f.name} : {type};")
        elif f.file is not None:
            lines.append(f'coef {f.name} : {type} from "{f.path}";')
        else:
            lines.append(f"coef {f.name} : {type} = {text(f.init[0])};")
    lines += [f'series {s.name} : {s.type} from "{s.path}";' for s in model.series]
    lines.append("")
    for f in model.states:
        if f.file is not None:
            lines.append(f'init {f.name} from "{f.path}";')
            continue
        for level, value in f.init.items():
            at = f"{f.name}[t{level:+d}]" if level else f.name
            lines.append(f"init {at} = {text(value)};")
    return "\n".join(lines)


def boundaries(model):
    return "\n".join([""] + [line for f in model.fields for line in boundary_lines(model, f)])


def edge_text(edge):
    return f"dirichlet {text(edge.value)}" if edge.kind == "dirichlet" else edge.kind


def boundary_lines(model, f):
    """The shortest way to say it: one value for all, or for every edge the dimensions and faces that have it."""
    edges = {face: edge_text(edge) for face, edge in f.edges.items() if edge.kind != "none"}
    if not edges:
        return []
    if len(edges) == 2 * len(model.dims) and len(set(edges.values())) == 1:
        return [f"boundary {f.name} = {next(iter(edges.values()))};"]
    faces = {}
    for d in model.dims:
        low, high = edges.get((d, 0)), edges.get((d, 1))
        if low is not None and low == high:
            faces.setdefault(low, []).append(d)
        else:
            for side, edge in (("lo", low), ("hi", high)):
                if edge is not None:
                    faces.setdefault(edge, []).append(f"{d}.{side}")
    items = [f"{', '.join(names)}: {edge};" for edge, names in faces.items()]
    return [f"boundary {f.name} {{ {' '.join(items)} }}"]


def where_text(bounds):
    return " where " + " and ".join(f"{b.dim} {b.op} {text(b.value, 5)}" for b in bounds) if bounds else ""


def every_text(every):
    return f" every {text(every)}" if every is not None else ""


def step(model):
    lines = ["", "step {"]
    for u in model.updates:
        target = f"{u.field}[t+1]" if model[u.field].kind == STATE else u.field
        lines.append(f"    {target} = {text(u.value)}{where_text(u.where)};")
    return "\n".join(lines + ["}", ""])


def place_text(points):
    return f'points "{points.file}"' if points.file else f"({', '.join(text(e) for e in points.at)})"


def points(model):
    lines = []
    for i in model.injects:
        what = text(i.value) if i.value is not None else f'signal "{i.path}"'
        lines.append(f"inject {i.field} at {place_text(i.points)} += {what};")
    for r in model.records:
        lines.append(f'record {r.field} at {place_text(r.points)}{every_text(r.every)} to "{r.path}";')
    return "\n".join(lines)


def watches(model):
    return "\n".join(f"{'scalar' if w.feeds else 'monitor'} {w.name} = {w.op}({text(w.value)})"
                     f"{where_text(w.where)}{every_text(w.every)};" for w in model.watches)


def ends(model):
    lines = [f"stop when {text(condition)};" for condition in model.stops]
    if model.stop_on_none:
        lines.append("stop on none;")
    lines.append(f"steps {model.steps};")
    lines += [f'output {o.field} to "{o.path}"{every_text(o.every)};' for o in model.outputs]
    return "\n".join([""] + lines)
