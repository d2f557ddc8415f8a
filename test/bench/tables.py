"""Cells and tables of the document."""
import statistics

GIB = 1 << 30

STATUS = {"not offered": "not offered by this build", "does not fit": "does not fit in the budget", "refused": "refused",
          "failed": "failed", "timed out": "not done in time", "skipped": "skipped"}


def figure(value):
    """Three digits."""
    if value is None:
        return ""
    if value == 0 or abs(value) >= 100:
        return f"{value:.0f}"
    if abs(value) < 0.1:
        return f"{value:.2g}" if abs(value) >= 1e-4 else f"{value:.1e}"
    return f"{value:.3g}" if abs(value) >= 10 else f"{value:.2f}"


def spread(values):
    """The median, and the range where there are several."""
    if not values:
        return ""
    middle = figure(statistics.median(values))
    least, most = figure(min(values)), figure(max(values))
    return middle if least == most else f"{middle} ({least} … {most})"


def percent(value):
    return "" if value is None else f"{100 * value:.0f}%" if value >= 0.1 else f"{100 * value:.1f}%"


def gib(count):
    return "" if count is None else f"{count / GIB:.2f}" if count >= GIB / 10 else f"{count / GIB:.3f}"


def shape(grid):
    return " × ".join(f"{extent:,}" for extent in grid)


def table(head, rows):
    """Markdown; columns but the first are to the right when all their cells begin with digits or are empty."""
    rows = [[str(cell) for cell in row] for row in rows]
    right = [i > 0 and all(not row[i] or row[i][0].isdigit() for row in rows) for i in range(len(head))]
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join("---:" if r else "---" for r in right) + "|"]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def reason(records):
    """Why there are no figures: the first record's status, in words."""
    first = records[0]
    words = STATUS.get(first["status"], first["status"])
    if first["status"] in ("refused", "failed", "skipped") and first.get("reason"):
        words += ": " + " ".join(first["reason"].split()).split("error: ", 1)[-1]
    return first.get("reason", words) if first["status"] == "timed out" else words


def plan(record):
    chosen = record.get("plan")
    if not chosen:
        return ""
    keys = [("bt", "bt"), ("bz", "bz"), ("ct", "ct"), ("tiles", "tiles"), ("columns", "columns")]
    sides = {"lean": ", which lean", "halo": " with halos"}.get(chosen.get("column_sides"), "")
    text = ", ".join(f"{name} {chosen[key]}" for key, name in keys if chosen.get(key) is not None) + sides
    return text + became(record.get("adapted"), chosen)


def became(adapted, chosen):
    """The tiles that a run ended with, where they are not those that it began with."""
    if not adapted or all(adapted[key] == chosen.get(key) for key in ("ct", "tiles")):
        return ""
    return f"; in the end ct {adapted['ct']}, tiles {adapted['tiles']}"
