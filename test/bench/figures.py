"""The document's plots, as panels; a plot that nothing was measured for is left out."""
import re
import statistics

from plot import Bars, Panel, Series
from program import POINTS

FACTORS = [2, 4, 8, 16, 32]


def triple(values):
    """(median, least, most), or None."""
    return (statistics.median(values), min(values), max(values)) if values else None


def streams(view):
    panels = []
    for program in view.programs("matrix"):
        series = {}
        for case in view.cases("matrix", program):
            found = re.fullmatch(r"stream (\d+)x (\w+)", case)
            values = view.ratios("resident", "matrix", program, case) if found else []
            if values:
                series.setdefault(found[2], []).append((int(found[1]), *triple(values)))
        if series:
            panels.append(Panel(POINTS[program], [Series(name, sorted(points)) for name, points in series.items()],
                                "state, times the memory", "speed, of resident speed", log_x=True, lines=[(1, "resident")],
                                x_ticks=sorted({x for points in series.values() for x, *_ in points})))
    return panels


def schedules(view):
    """Bars of GLUP/s: what a person might use, on one scale."""
    names = {"plain": "plain loop", "resident": "resident"}
    far = [case for case in view.cases("matrix") if re.fullmatch(r"stream \d+x aio", case)]
    if far:
        far = "stream 16x aio" if "stream 16x aio" in far else far[-1]
        names[far] = far
    for case in view.cases("matrix"):
        if case.startswith(("overlap", "sweep")):
            names[case] = case
    programs = view.programs("matrix")
    values = {program: {name: triple(view.values("glups", section="matrix", program=program, case=case))
                        for case, name in names.items()} for program in programs}
    shown = [name for name in names.values() if any(values[program][name] for program in programs)]
    return [Bars("In memory, and out of it", programs, shown, values, "GLUP/s", log_y=True)] if shown else []


def growth(view):
    panels = []
    for program in view.programs("size"):
        points = [(r["points"] / 1e6, *triple([1 / v for v in view.values("glups", section="size", program=program,
                                                                           case=case)]))
                  for case in view.cases("size", program)
                  for r in view.find(section="size", program=program, case=case, status="done")[:1]]
        if points:
            panels.append(Panel(f"{POINTS[program]}: size, fixed budget", [Series(program, points)], "million cells",
                                "ns per cell and step", log_x=True))
    series = []
    for program in view.programs("matrix"):
        points = []
        for factor in FACTORS:
            values = view.values("glups", section="matrix", program=program, case=f"stream {factor}x aio")
            if values:
                points.append((1 / factor, *triple([1 / v for v in values])))
        if points:
            series.append(Series(program, sorted(points)))
    if series:
        panels.append(Panel("Budget, fixed grid (aio)", series, "memory, of the state", "ns per cell and step", log_x=True,
                            x_ticks=[1 / factor for factor in FACTORS]))
    for program in view.programs("threads"):
        series = {}
        for case in view.cases("threads", program):
            for record in view.find(section="threads", program=program, case=case, status="done")[:1]:
                values = view.values("glups", section="threads", program=program, case=case)
                series.setdefault(record["where"], []).append((record["threads"], *triple(values)))
        if series:
            ticks = sorted({x for points in series.values() for x, *_ in points})
            panels.append(Panel(f"{POINTS[program]}: threads", [Series(name, sorted(points)) for name, points in
                                                                series.items()], "threads", "GLUP/s", x_ticks=ticks))
    return panels


def moved(view):
    panels = []
    for program in view.programs("matrix"):
        actual, least = [], []
        for case in view.cases("matrix", program):
            found = re.fullmatch(r"stream (\d+)x aio", case)
            records = view.find(section="matrix", program=program, case=case, status="done") if found else []
            if records and records[0].get("bound_bytes"):
                record, factor = records[0], int(found[1])
                updates = record["glups"] * 1e9 * record["seconds"]
                actual.append((factor, (record["read_bytes"] + record["write_bytes"]) / updates))
                least.append((factor, record["bound_bytes"] / updates))
        if actual:
            panels.append(Panel(POINTS[program], [Series("moved", actual), Series("least of the plan space", least)],
                                "state, times the memory", "bytes per cell and step", log_x=True,
                                x_ticks=[x for x, _ in actual]))
    return panels


def all_of(view):
    for name, make in (("streams", streams), ("schedules", schedules), ("growth", growth), ("bytes", moved)):
        panels = make(view)
        if panels:
            yield name, panels
