"""CSV: one line for each measurement, and one for each variant."""
import csv
import io

MEASURED = ("pass_seconds", "compute_seconds", "read_wait_seconds", "write_wait_seconds", "commit_seconds", "check_seconds",
            "import_seconds", "export_seconds", "glups", "bytes_per_update", "peak_bytes", "steps", "passes", "result_hash")
PLANNED = ("schedule", "engine", "threads", "bt", "bz", "ct", "yt", "xt", "tiles", "chains", "columns", "layout")


def text(header, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def measurements(found, knobs):
    header = ["variant", "round", "status", "began", "wall_seconds", *MEASURED, *(f"plan_{name}" for name in PLANNED), *knobs,
              "message"]
    rows = []
    for result in found:
        for run in result.runs:
            measured, plan = run.get("measured", {}), run.get("plan", {})
            rows.append([result.variant.name, run["round"], run["status"], run["began"], run["wall_seconds"],
                         *(measured.get(name, "") for name in MEASURED), *(plan.get(name, "") for name in PLANNED),
                         *(value(result.variant.knobs[name]) for name in knobs), run.get("message", "")])
    rows.sort(key=lambda row: row[3])
    return text(header, rows)


def variants(found, knobs):
    header = ["variant", "status", "runs", "min_seconds", "median_seconds", "max_seconds", "glups", "result_hash",
              "compile_seconds", *knobs, "message"]
    rows = []
    for result in found:
        times = [result.least, result.median, max(result.seconds), result.glups] if result.seconds else [""] * 4
        rows.append([result.variant.name, result.status, len(result.runs), *times, result.hash, result.compile_seconds,
                     *(value(result.variant.knobs[name]) for name in knobs), result.message])
    return text(header, rows)


def value(knob):
    """As JSON has it."""
    return {True: "true", False: "false"}[knob] if isinstance(knob, bool) else knob
