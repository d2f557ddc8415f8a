"""Plots as SVG, without a library: line charts and bar charts in panels, readable on light and dark pages."""
import math
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

# Told apart by shape as well as by colour. (light, dark)
COLOURS = [("#1f6fb4", "#6cb2eb"), ("#c4521a", "#f2915c"), ("#2a8a4a", "#6fcf8f"), ("#8e44ad", "#c793e0"),
           ("#a0790a", "#e3bd55"), ("#b0284b", "#f07f9c"), ("#4a5560", "#b4bec8"), ("#0f8a8a", "#5fd0d0")]
WIDTH, LEFT, RIGHT, TOP, BOTTOM = 430, 62, 14, 34, 46  # of a panel; a panel alone is twice as wide


@dataclass
class Series:
    name: str
    points: list  # (x, y) or (x, y, least, most)


@dataclass
class Panel:
    title: str
    series: list
    x: str
    y: str
    log_x: bool = False
    log_y: bool = False
    lines: list = field(default_factory=list)  # (y, label): drawn across
    x_ticks: list = None


@dataclass
class Bars:
    """Groups of bars: `values[group][series]` is None, y or (y, least, most)."""
    title: str
    groups: list
    series: list
    values: dict
    y: str
    log_y: bool = False


def number(value):
    if value and (abs(value) >= 1e4 or abs(value) < 1e-2):
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")
    return f"{value:.3g}"


def ticks(low, high, log):
    """Round values from `low` to `high`."""
    if log:
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        found = [m * 10 ** e for e in range(first, last + 1) for m in ((1,) if last - first > 2 else (1, 2, 5))]
        return [t for t in found if low * 0.999 <= t <= high * 1.001]
    raw = (high - low) / 4 or 1
    unit = 10 ** math.floor(math.log10(raw))
    step = next(m * unit for m in (1, 2, 2.5, 5, 10) if m * unit >= raw * 0.999)
    return [step * k for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


class Scale:
    def __init__(self, values, log, start, end, room=0.05):
        """From data to pixels; a linear axis begins at 0."""
        self.log = log
        low, high = (min(values), max(values)) if values else (1, 10)
        if log:
            low, high = low / 1.15, high * 1.15
        else:
            low, high = min(0, low), high * (1 + room) if high > 0 else 1
        self.low, self.high, self.start, self.end = low, high if high > low else low + 1, start, end

    def __call__(self, value):
        convert = math.log if self.log else float
        share = (convert(value) - convert(self.low)) / (convert(self.high) - convert(self.low))
        return self.start + share * (self.end - self.start)

    def ticks(self):
        return ticks(self.low, self.high, self.log)


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(str(words))}</text>'


def line(x1, y1, x2, y2, kind):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def marker(k, x, y, shape=None):
    shapes = ["M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "M-3.5,-3.5h7v7h-7z", "M0,-4.5L4.5,3.5H-4.5z", "M0,-5L5,0L0,5L-5,0z",
              "M0,4.5L4.5,-3.5H-4.5z", "M-4,-1.3h2.7v-2.7h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7z"]
    return f'<path d="{shapes[(k if shape is None else shape) % len(shapes)]}" transform="translate({x:.1f},{y:.1f})" class="f{k % len(COLOURS)}"/>'


def frame(panel, width, height, y_scale):
    parts = [text(LEFT, 18, panel.title, "start", ' class="t"'),
             text(0, 0, panel.y, more=f' transform="translate(15,{(TOP + height - BOTTOM) / 2:.1f}) rotate(-90)"')]
    for tick in y_scale.ticks():
        y = y_scale(tick)
        parts += [line(LEFT, y, width - RIGHT, y, "grid"), text(LEFT - 6, y + 4, number(tick), "end")]
    parts.append(line(LEFT, height - BOTTOM, width - RIGHT, height - BOTTOM, "axis"))
    return parts


def draw_lines(panel, names, width, height):
    points = [point for series in panel.series for point in series.points]
    ys = [value for point in points for value in point[1:]] + [y for y, _ in panel.lines]
    x_scale = Scale([point[0] for point in points], panel.log_x, LEFT, width - RIGHT)
    y_scale = Scale(ys, panel.log_y, height - BOTTOM, TOP)
    parts = frame(panel, width, height, y_scale)
    for tick in panel.x_ticks or x_scale.ticks():
        x = x_scale(tick)
        parts += [line(x, height - BOTTOM, x, height - BOTTOM + 4, "axis"), text(x, height - BOTTOM + 17, number(tick))]
    parts.append(text((LEFT + width - RIGHT) / 2, height - 8, panel.x))
    for y, label in panel.lines:
        parts += [line(LEFT, y_scale(y), width - RIGHT, y_scale(y), "mark"),
                  text(width - RIGHT - 2, y_scale(y) - 4, label, "end", ' class="s"')]
    for series in panel.series:
        k = names.index(series.name)
        at = [(x_scale(p[0]), y_scale(p[1])) for p in series.points]
        if len(at) > 1:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
            parts.append(f'<polyline points="{path}" class="l{k % len(COLOURS)}"/>')
        for (x, y), point in zip(at, series.points):
            if len(point) == 4 and point[2] < point[3]:
                parts.append(line(x, y_scale(point[2]), x, y_scale(point[3]), f"l{k % len(COLOURS)}"))
            parts.append(marker(k, x, y))
    return parts


def draw_bars(panel, names, width, height):
    values = [v if isinstance(v, tuple) else (v, v, v) for row in panel.values.values() for v in row.values() if v is not None]
    y_scale = Scale([value for triple in values for value in triple], panel.log_y, height - BOTTOM, TOP)
    parts = frame(panel, width, height, y_scale)
    room = (width - RIGHT - LEFT) / max(1, len(panel.groups))
    for number_, group in enumerate(panel.groups):
        left = LEFT + number_ * room + 0.1 * room
        bar = 0.8 * room / len(panel.series)
        for position, name in enumerate(panel.series):
            value = panel.values.get(group, {}).get(name)
            if value is None:
                continue
            y, least, most = value if isinstance(value, tuple) else (value, value, value)
            x, top = left + position * bar, y_scale(y)
            parts.append(f'<rect x="{x + 0.5:.1f}" y="{top:.1f}" width="{max(1, bar - 1):.1f}" '
                         f'height="{max(0.0, height - BOTTOM - top):.1f}" class="f{names.index(name) % len(COLOURS)}"/>')
            if least < most:
                parts.append(line(x + bar / 2, y_scale(least), x + bar / 2, y_scale(most), "axis"))
        parts.append(text(left + 0.4 * room, height - BOTTOM + 17, group))
    return parts


def style():
    def rules(dark):
        ink, paper, grid = ("#c9d1d9", "#0d1117", "#30363d") if dark else ("#24292f", "#ffffff", "#d8dee4")
        found = [f".paper{{fill:{paper}}}text{{fill:{ink}}}.axis{{stroke:{ink}}}.grid{{stroke:{grid}}}.mark{{stroke:{ink}}}"]
        for k, pair in enumerate(COLOURS):
            found.append(f".l{k}{{stroke:{pair[dark]}}}.f{k}{{fill:{pair[dark]}}}")
        return "".join(found)
    fixed = ("text{font:12px system-ui,sans-serif}.t{font-weight:600}.s{font-size:11px}line,polyline{fill:none;stroke-width:1}"
             "polyline{stroke-width:2}.mark{stroke-dasharray:4 3}")
    return f"<style>{fixed}{rules(0)}@media (prefers-color-scheme:dark){{{rules(1)}}}</style>"


def svg(panels, columns=2, height=270):
    """The document: panels side by side, one legend below them all."""
    names = list(dict.fromkeys(name for panel in panels for name in
                               (panel.series if isinstance(panel, Bars) else [s.name for s in panel.series])))
    rows = -(-len(panels) // columns)
    width, each = columns * WIDTH, columns * WIDTH if len(panels) == 1 else WIDTH
    shape = 1 if all(isinstance(panel, Bars) for panel in panels) else None
    entries, x, y = [], LEFT, rows * height + 18
    for name in names:
        length = 26 + 7 * len(name)
        if x + length > width:
            x, y = LEFT, y + 20
        entries += [marker(names.index(name), x, y - 4, shape), text(x + 10, y, name, "start")]
        x += length
    total = y + 14
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {total}" width="{width}" height="{total}">',
             style(), f'<rect class="paper" width="{width}" height="{total}"/>']
    for number_, panel in enumerate(panels):
        draw = draw_bars if isinstance(panel, Bars) else draw_lines
        parts.append(f'<g transform="translate({number_ % columns * WIDTH},{number_ // columns * height})">')
        parts += draw(panel, names, each, height) + ["</g>"]
    return "\n".join(parts + entries + ["</svg>"]) + "\n"
