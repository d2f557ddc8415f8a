"""A plot of a study: how fast all variants are, and what each knob makes of it."""
import statistics

from plot import Bars, Panel, Series, svg

MOST_VALUES = 8  # of one knob, in a panel


def by_speed(found):
    """Fastest first, with the slowest and the fastest run of each."""
    points = [(run["measured"]["glups"], result) for result in found if result.status == "done"
              for run in result.runs if run["status"] == "done"]
    speeds = {}
    for glups, result in points:
        speeds.setdefault(result.variant.name, []).append(glups)
    ranked = sorted(speeds.values(), key=statistics.median, reverse=True)
    return [(rank + 1, statistics.median(each), min(each), max(each)) for rank, each in enumerate(ranked)]


def of_knob(found, name, values):
    """For each value: the best variant that has it, and the one in the middle."""
    bars = {}
    for value in values:
        speeds = [result.glups for result in found if result.status == "done" and result.variant.knobs[name] == value]
        if speeds:
            bars[str(value)] = {"best": max(speeds), "median": statistics.median(speeds)}
    return Bars(name, list(bars), ["best", "median"], bars, "GLUP/s") if len(bars) > 1 else None


def draw(found, knobs, title):
    """The document, or None when nothing was measured."""
    points = by_speed(found)
    if not points:
        return None
    panels = [Panel(f"{title}: {len(points)} variants", [Series("variants", points)], "variants, the fastest first", "GLUP/s")]
    for name, values in knobs.items():
        panel = of_knob(found, name, values[:MOST_VALUES])
        if panel:
            panels.append(panel)
    return svg(panels)
