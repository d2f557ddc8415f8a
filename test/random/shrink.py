"""Makes a failing program smaller while it fails in the same manner."""
import re
import tempfile
from dataclasses import replace

import oracle
import programs
from expression import BOOL, FLOATS, Expr, nodes, reads
from model import COEF, STATE, Edge
from trial import Trial, attempt

MOST_TRIES = 120


def manner(wrong):
    """What a failure has in common with that of a smaller program."""
    if " cells differ" in wrong or wrong.startswith("line "):
        return "values"
    return re.sub(r"\d+|'[^']*'|/\S+", "", wrong.splitlines()[0] if wrong.startswith("status 1") else wrong)[:120]


def family(type):
    return "float" if type in FLOATS else "bool" if type == BOOL else "integer"


def used(model):
    places = [u.value for u in model.updates] + [w.value for w in model.watches]
    places += [i.value for i in model.injects if i.value is not None]
    places += [value for f in model.fields for value in f.init.values()]
    return {r.value[0] for e in places for r in reads(e)}


def without(items, index):
    return items[:index] + items[index + 1:]


def smaller(model):
    """Models that are simpler by one thing."""
    for steps in sorted({1, 2, model.steps // 2, model.steps - 1}):
        if 0 < steps < model.steps:
            yield replace(model, steps=steps)
    if model.stops:
        yield replace(model, stops=[])
    names = {n.value for c in model.stops for n in nodes(c) if n.op == "scalar"}
    names |= {n.value for u in model.updates for n in nodes(u.value) if n.op == "scalar"}
    names |= {n.value for i in model.injects if i.value is not None for n in nodes(i.value) if n.op == "scalar"}
    for i, w in enumerate(model.watches):
        if w.name not in names:
            yield replace(model, watches=without(model.watches, i))
    for attribute in ("injects", "records"):
        for i in range(len(getattr(model, attribute))):
            yield replace(model, **{attribute: without(getattr(model, attribute), i)})
    for i, o in enumerate(model.outputs):
        if o.every is not None:
            yield replace(model, outputs=without(model.outputs, i))
    needed = used(model) | {s.field for s in [*model.injects, *model.records]}
    for i, u in enumerate(model.updates):
        if u.field not in needed and len(model.updates) > 1:
            yield replace(model, updates=without(model.updates, i),
                          fields=[f for f in model.fields if f.name != u.field],
                          outputs=[o for o in model.outputs if o.field != u.field])
    for i, f in enumerate(model.fields):
        if f.kind == COEF and f.name not in needed:
            yield replace(model, fields=without(model.fields, i))
        if f.file is not None and f.kind == STATE:
            yield with_field(model, i, replace(f, file=None))
    for i, u in enumerate(model.updates):
        if u.where:
            yield with_update(model, i, replace(u, where=u.where[:-1]))
        yield from (with_update(model, i, replace(u, value=e)) for e in simpler(u.value))
    for i, w in enumerate(model.watches):
        for e in simpler(w.value):
            yield replace(model, watches=model.watches[:i] + [replace(w, value=e)] + model.watches[i + 1:])
    for i, f in enumerate(model.fields):
        for d in model.dims:
            if any(f.edge(d, side) != "none" for side in (0, 1)):
                edges = {**f.edges, (d, 0): Edge("none"), (d, 1): Edge("none")}
                yield with_field(model, i, replace(f, edges=edges))


def with_update(model, i, u):
    return replace(model, updates=model.updates[:i] + [u] + model.updates[i + 1:])


def with_field(model, i, f):
    return replace(model, fields=model.fields[:i] + [f] + model.fields[i + 1:])


def size(e):
    return sum(1 for _ in nodes(e))


def simpler(e):
    """Expressions with a part taken in place of the whole: small parts first."""
    same = [n for n in nodes(e) if n is not e and family(n.type) == family(e.type) and any(True for _ in reads(n))]
    yield from sorted(same, key=size)[:4]
    yield from inner(e)


def inner(e):
    if e.op in ("macro", "read"):
        return
    for i, arg in enumerate(e.args):
        for new in [c for c in arg.args if family(c.type) == family(arg.type)] + list(inner(arg)):
            yield Expr(e.op, e.type, e.data, e.args[:i] + (new,) + e.args[i + 1:], e.value)


def tidy(model):
    """Initial values of levels that nobody reads any more are an error."""
    fields = [replace(f, init={k: v for k, v in f.init.items() if -k < model.depth(f.name) or k == 0})
              if f.kind == STATE else f for f in model.fields]
    return replace(model, fields=fields)


def wrong_with(model, way):
    with tempfile.TemporaryDirectory(prefix="shrink-") as folder:
        try:
            trial = Trial(model, folder)
            return attempt(trial, way, oracle.run(model))
        except programs.Failure as failure:
            return str(failure)
        except Exception:       # a smaller program need not make sense
            return None


def shrink(model, way, wrong):
    """(the smallest program found, what is wrong with it)."""
    tries, found = 0, True
    while found:
        found = False
        for candidate in smaller(model):
            if tries == MOST_TRIES:
                return model, wrong
            tries += 1
            candidate = tidy(candidate)
            now = wrong_with(candidate, way)
            if now not in (None, "refused") and manner(now) == manner(wrong):
                model, wrong, found = candidate, now, True
                break
    return model, wrong
