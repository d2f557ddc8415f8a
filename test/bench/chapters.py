"""The chapters of the document; each says so when its section was not measured."""
import re
import statistics

from program import POINTS
from tables import figure, gib, percent, plan, reason, shape, spread, table

MIB, GIB = 1 << 20, 1 << 30


def missing(view, section):
    return None if view.find(section=section) else "*Not measured in this session.*"


def image(images, name, words):
    return f"![{words}]({images[name]})" if name in images else ""


def joined(*parts):
    return "\n\n".join(part for part in parts if part)


# -- the opening --------------------------------------------------------------------------------------------------------------

def cores(machine):
    """Their number and kind, and what the name of the processor does not say: virtual machines hide a part of both."""
    caches = [f"{size >> 10} KiB" if size < MIB else f"{size >> 20} MiB" for size in machine.get("caches", [])]
    words = [machine.get("vectors"), "caches of " + ", ".join(caches) if caches else None]
    words = [word for word in words if word]
    return f"{machine['cores']} cores of {machine['cpu']}" + (f" ({'; '.join(words)})" if words else "")


def opening(view, note):
    machine, options = view.data["machine"], view.data["options"]
    unfinished = "" if view.data["complete"] else "\n**The session was ended before it was complete.**\n"
    group = ("Out-of-core runs are in a memory cgroup of a quarter more than their budget (16 MiB at least), so that the page cache serves "
             "nothing that is said to come from the disk." if machine["memory_cgroup"] else
             "**No memory cgroup could be made: the page cache hides what mmap and swap cost.**")
    same = ("**Runs that should have given the same bits did not.**" if view.other_bits() else
            "All runs of a program on a grid that did as many steps gave the same bits.")
    return f"""# Performance
{note}{unfinished}
Made by `test/bench/run.py`, which measures, and `test/bench/report.py`, which writes; [how to repeat it](#repeating-it).

Measured on {cores(machine)}, {machine['memory_bytes'] / GIB:.0f} GiB of memory, Linux
{machine['kernel']}, scratch on {machine['filesystem']}, {machine['cc']}. {group}

- **Speeds** are 10⁹ cell updates per second (GLUP/s) of the passes; import and export are left out.
- **Ratios** are taken within a round: each run is compared with the runs of its base just before and just after it. Medians
  over the rounds are shown, and the range where there were several rounds. Load when it began: {machine['load_at_start']:.1f}.
- **N×** means that state and coefficients are N times `--memory`, everything counted.
- **plain** is the loop nest that a person writes: two arrays, `omp parallel for`, the compiler's vectors
  (`test/bench/plain`). **resident** is oocc with everything in memory. Streamed runs do {options['passes']} passes (by
  engine swap {options.get('swap_passes', options['passes'])}), of at most {options['most_steps']} steps together; those of the large grid {options.get('large_passes', options['passes'])} passes, of at
  most {options.get('large_steps', options['most_steps'])} steps. {same}"""


def summary(view, _):
    rows = []
    sections = [(s, view.programs(s)) for s in ("matrix", "large", "dims")]
    for section, programs in sections:
        for program in programs:
            base = view.median("glups", section=section, program=program, case="resident")
            wanted = [case for case in view.cases(section, program) if
                      re.fullmatch(r"stream (16|32)x( aio)?", case)]
            row = [f"{POINTS[program]}{', large grid' if section == 'large' else ''}",
                   figure(view.median("glups", section=section, program=program, case="plain")), figure(base),
                   spread(view.ratios("plain", section, program, "resident"))]
            for factor in (16, 32):
                case = next((c for c in wanted if f" {factor}x" in c), None)
                row.append(spread(view.ratios("resident", section, program, case)) if case else "")
                if factor == 16:
                    row.append(spread(view.ratios("plain", section, program, case)) if case else "")
            rows.append(row)
    if not rows:
        return ""
    head = ["", "plain, GLUP/s", "resident, GLUP/s", "resident ⁄ plain", "16× ⁄ resident", "16× ⁄ plain", "32× ⁄ resident"]
    return joined("## In short", table(head, rows))


# -- the device ---------------------------------------------------------------------------------------------------------------

def mixed_bandwidth(view):
    """Of the device, both directions together, bytes per second: the median of the session."""
    values = [r["mixed_read"] + r["mixed_write"] for r in view.find(section="device", status="done")]
    return statistics.median(values) if values else None


def device_rate(view, record):
    """Of the device, around the run or in its session, where that is known."""
    return record.get("device_rate") or mixed_bandwidth(view)


def device_share(view, record):
    """What a streamed run reached of the device's mixed bandwidth."""
    device = device_rate(view, record)
    if not device or not record.get("seconds"):
        return None
    return (record["read_bytes"] + record["write_bytes"]) / record["seconds"] / device


def device(view, _):
    rows = []
    for record in view.find(section="device"):
        if record["status"] == "done":
            rows.append([record["case"], record["tool"], *[f"{record[key] / 1e9:.2f}" for key in
                                                           ("read", "write", "mixed_read", "mixed_write")]])
        else:
            rows.append([record["case"], reason([record]), "", "", "", ""])
    body = missing(view, "device") or table(
        ["when", "by", "read, GB/s", "write, GB/s", "both: read, GB/s", "both: written, GB/s"], rows)
    return joined("## The device by itself", "Requests of 4 MiB past the page cache, 8 in flight, on the scratch's file "
                  "system, in the same session; *both*: one file is read while another is written, as a stream does it.", body)


# -- streams ------------------------------------------------------------------------------------------------------------------

def stream_rows(view, section, program):
    for case in view.cases(section, program):
        records = view.find(section=section, program=program, case=case)
        good = [r for r in records if r["status"] == "done"]
        if not good:
            yield [case, reason(records)] + [""] * (len(head_of(view)) - 2)
            continue
        last = good[-1]
        cells = [case, spread([r["glups"] for r in good])]
        for base in ("resident", "plain"):
            cells.append("" if case == base else spread(view.ratios(base, section, program, case)))
        streamed = last.get("read_bytes", 0) > 0
        beside = [r["beside_rate"] / device_rate(view, r) for r in good if "beside_rate" in r and device_rate(view, r)]
        shares = [device_share(view, r) for r in good] if streamed else beside
        shares = [s for s in shares if s is not None]
        cells += [waiting(good) if streamed else "", *([first_pass(good)] if tells_first_pass(view) else []),
                  percent(statistics.median(shares)) if shares else "",
                  spread([r["seconds"] / r["planned_seconds"] for r in good if r.get("planned_seconds")]),
                  f"{gib(last['peak_bytes'])} of {gib(last['budget_bytes'])}" if "peak_bytes" in last and
                  (streamed or case != "resident") else gib(last.get("peak_bytes")), plan(last)]
        if len(good) < len(records):
            cells[0] += f" ({len(records) - len(good)} of {len(records)} runs failed)"
        yield cells


def waiting(runs):
    """The shares of the time that they waited for transfers and, where sessions tell it, committed."""
    shares = [[r[name] for r in runs if r.get(name) is not None] for name in ("wait_share", "commit_share")]
    return ", ".join(percent(statistics.median(each)) for each in shares if each)


def tells_first_pass(view):
    """Whether speeds are those of the passes after the first, which older sessions have not told apart."""
    return any(r.get("first_pass") for r in view.records)


def first_pass(records):
    """GLUP/s of the first passes, and what they waited."""
    runs = [r["first_pass"] for r in records if r.get("first_pass")]
    return f"{spread([r['glups'] for r in runs])}, {waiting(runs)}" if runs else ""


def head_of(view):
    waits = "waiting, commits" if any(r.get("commit_share") is not None for r in view.records) else "waiting"
    first = [f"first pass: GLUP/s, {waits}"] if tells_first_pass(view) else []
    return ["", "GLUP/s", "⁄ resident", "⁄ plain", waits, *first, "of the device", "⁄ predicted", "peak, GiB", "plan"]


def stream_tables(view, section, grid_of):
    parts = []
    for program in view.programs(section):
        rows = list(stream_rows(view, section, program))
        parts.append(f"### {POINTS[program]}{', large' if section == 'large' else ''}\n\n{grid_of(program)}\n\n"
                     f"{table(head_of(view), rows)}")
    return parts


def matrix(view, images):
    grid = view.data["options"]["grid"]
    first = """Speeds of streams, and all that is said of their time, are those of the passes after the first one, where there are any: the first writes
where the disk has never been written, which [some do more slowly](speed.md#the-first-pass), and is shown by itself.
""" if tells_first_pass(view) else ""
    intro = first + """*waiting*: share of the time spent waiting for transfers; *commits*: for the disk to keep what passes have
written, which [takes a hundredth](speed.md#commits) of a long run, and of runs as short as these nothing, or more where the first one falls into them. *of the device*: what reads and writes together reached of the
device's bandwidth for both at once. Where a run waits for the disk most of the time, this is its bound. *⁄ predicted*: the time
that was measured over the one that the plan predicted. *sweep* is the same program without temporal blocking, *overlap* has
blocks with halos that are computed twice. *resident beside fio* is the same run while fio moves bytes in both directions, as fast
as it can: what a disk at work leaves of the cores' speed, and the cores of the disk's. *tuned*: with `--tune`, whose trials are not counted."""
    return joined("## Streams beside memory", missing(view, "matrix") or intro,
                  image(images, "streams", "Speed of streams by each engine, as a share of resident speed"),
                  image(images, "schedules", "Speed of the schedules in GLUP/s"),
                  *stream_tables(view, "matrix", lambda _: f"{shape(grid)} cells."))


def large(view, _):
    options, parts = view.data["options"], view.data.get("large_parts", {})

    def grid_of(program):
        return (f"Streams of {shape(options['large'])} cells; plain and resident of the first {parts[program][0]:,} planes of it, the "
                "most that fit in memory.")
    intro = """*resident beside fio, as stream 16×* is the resident run while fio moves as many bytes a second in each direction as the stream
did: what the device leaves of the cores' speed at that pace, whoever asks it. *disk bound* are passes of one step over the grid or a
part of it, so that cores wait for the disk; what they reached *of the device* (of several runs, the median) is beside what the device gave by
itself just before and just after."""
    return joined("## A grid that does not fit in memory", missing(view, "large") or intro,
                  *stream_tables(view, "large", grid_of))


def dims(view, _):
    def grid_of(program):
        grids = [r["grid"] for r in view.find(section="dims", program=program) if r.get("grid")]
        return f"{shape(grids[0])} cells." if grids else ""
    return joined("## One and two dimensions", missing(view, "dims") or "In the plane, planes are rows, and in a line blocks of cells: "
                  "a small memory holds many of them, so that a pass is deep.", *stream_tables(view, "dims", grid_of))


# -- beside what is published -------------------------------------------------------------------------------------------------

# (what, published, section, base, case, invert)
PUBLISHED = [
    ("7 points, 16×, of in-memory speed", "0.49 (2014), 0.87 (2015), 0.80 (2017)", "heat7", 16),
    ("19 points, 16×, of in-memory speed", "0.65 (2014)", "heat19", 16),
    ("27 points, 16×, of in-memory speed", "0.73 (2014)", "heat27", 16),
    ("7 points, 32×, of in-memory speed", "0.24 (2014)", "heat7", 32),
    ("27 points, 32×, of in-memory speed", "0.47 (2014)", "heat27", 32),
]


def times(view, base, case):
    """Of all programs: by how much the case is slower than the base."""
    return [f"{POINTS[program]}: {spread([1 / r for r in view.ratios(base, 'matrix', program, case)])}"
            for program in view.programs("matrix") if view.ratios(base, "matrix", program, case)]


def published(view, _):
    rows = []
    for what, known, program, factor in PUBLISHED:
        row = [what, known]
        for section, case in (("matrix", f"stream {factor}x aio"), ("large", f"stream {factor}x")):
            row.append(spread(view.ratios("resident", section, program, case)) or "not measured")
        overlap = [spread(view.ratios("resident", "matrix", program, case)) for case in view.cases("matrix", program)
                   if case.startswith(f"overlap {factor}x") and view.ratios("resident", "matrix", program, case)]
        row.append(" and ".join(overlap) or "not measured")
        rows.append(row)
    aio = [f"{POINTS[p]}: {spread(view.ratios('stream 16x aio', 'matrix', p, 'stream 16x mmap'))}"
           for p in view.programs("matrix") if view.ratios("stream 16x aio", "matrix", p, "stream 16x mmap")]
    slower = times(view, "stream 2x mmap", "sweep 2x mmap")
    second = table(["", "published", "here"], [
        ["time by aio, of the time by mmap (16×)", "0.5 to 0.6 (2015)", "; ".join(aio) or "not measured"],
        ["slower without temporal blocking (here: sweep beside stream, 2×, mmap)", "53.8 times",
         "; ".join(slower) or "not measured"]])
    return joined("## Beside what is published", """Out-of-core stencils on flash by Midorikawa and others: *An evaluation of the potential of flash SSD as large and slow
memory for stencil computations* (HPCS 2014), *Locality-aware stencil computations using flash SSDs as main memory extension*
(CCGrid 2015), *A highly efficient I/O-based out-of-core stencil algorithm with globally optimized temporal blocking* (PACRIM
2017). Their machines had more cores and faster flash; only ratios can be compared, each to its authors' own in-memory speed.
oocc's schedule `overlap` is the scheme of the first one, and runs here on the same machine as all else.""",
                  table(["", "published", "stream here", "stream, large grid", "overlap here (one level, two)"], rows), second)


# -- growth, bytes, ingredients, compile time ---------------------------------------------------------------------------------

def growth(view, images):
    parts = []
    for program in view.programs("size"):
        rows = []
        for case in view.cases("size", program):
            records = view.find(section="size", program=program, case=case)
            good = [r for r in records if r["status"] == "done"]
            if good:
                rows.append([case, f"{good[0]['points'] / 1e6:.1f}", spread([1 / r["glups"] for r in good]),
                             f"{good[-1]['plan']['schedule']}, {plan(good[-1])}"])
            else:
                rows.append([case, "", reason(records), ""])
        budget = view.data.get("growth_budget_bytes")
        parts.append(joined(f"Time against size, {POINTS[program]}, budget {gib(budget)} GiB:",
                            table(["", "million cells", "ns per cell and step", "plan"], rows)))
    for program in view.programs("threads"):
        rows = []
        for case in view.cases("threads", program):
            records = view.find(section="threads", program=program, case=case)
            good = [r["glups"] for r in records if r["status"] == "done"]
            rows.append([case, spread(good) if good else reason(records)])
        parts.append(joined(f"Speed against threads, {POINTS[program]}:", table(["", "GLUP/s"], rows)))
    return joined("## Growth", missing(view, "size"),
                  image(images, "growth", "Time against grid size, against budget, and speed against threads"), *parts)


def moved(view, images):
    rows = []
    for program in view.programs("matrix"):
        for case in view.cases("matrix", program):
            records = view.find(section="matrix", program=program, case=case, status="done")
            if not re.fullmatch(r"stream \d+x aio", case) or not records or not records[0].get("bound_bytes"):
                continue
            r = records[0]
            total = r["read_bytes"] + r["write_bytes"]
            rows.append([f"{POINTS[program]}, {case}", r["steps"], r["plan"]["bt"], gib(r["bound_bytes"]),
                         gib(r["planned_read_bytes"] + r["planned_write_bytes"]), gib(total),
                         figure(total / r["bound_bytes"])])
    if not rows:
        return joined("## Bytes moved", "*Not measured in this session.*")
    return joined("## Bytes moved", """The least is that of the plan space: a pass reads state and coefficients once and writes the state once, and no pass can be
deeper than the one whose window just fits the budget with slabs of one plane; so the least is the number of such passes that
the steps need, times what a pass moves (with any number of columns where the build offers them, redundant reading included).
What a plan moves beyond that, it gives away for wider slabs. *moved* was counted by the engine, *planned* before the run.""",
                  image(images, "bytes", "Bytes moved per cell and step, and the least that any plan could move"),
                  table(["", "steps", "bt", "least, GiB", "planned, GiB", "moved, GiB", "moved ⁄ least"], rows))


def ingredients(view, _):
    parts = []
    for program in view.programs("ingredients"):
        rows = []
        for case in view.cases("ingredients", program):
            records = view.find(section="ingredients", program=program, case=case)
            good = [r for r in records if r["status"] == "done"]
            if not good:
                rows.append([case, reason(records), "", ""])
                continue
            ratios = view.ratios("as planned", "ingredients", program, case) if case != "as planned" else []
            rows.append([case, spread([r["glups"] for r in good]), spread(ratios), plan(good[-1])])
        parts.append(joined(f"{POINTS[program]}:", table(["", "GLUP/s", "⁄ as planned", "plan"], rows)))
    return joined("## What each ingredient buys", missing(view, "ingredients") or "Streams at 16× (or the largest factor "
                  "measured) with one thing switched off at a time; the plan chooses the rest anew.", *parts)


def compile_time(view, _):
    stages = ["parse", "resolve", "analyse", "plan", "loops", "emit"]
    rows = []
    for record in view.find(section="compile"):
        if record["status"] != "done":
            rows.append([record["program"], reason([record])] + [""] * 5)
            continue
        known = record["stages"]
        slowest = max(known, key=known.get) if known else None
        rows.append([record["program"], record["source_lines"], record["c_lines"], f"{1e3 * record['oocc_seconds']:.0f}",
                     f"{1e3 * sum(known.get(s, 0) for s in stages):.1f}",
                     f"{slowest} {1e3 * known[slowest]:.1f}" if slowest else "",
                     f"{1e3 * record['cc_seconds']:.0f}" if record["cc_seconds"] else ""])
    body = missing(view, "compile") or table(["", "lines", "lines of C", "oocc, ms", "of it, stages", "slowest stage", "cc, ms"],
                                             rows)
    return joined("## Compile time", "Wall clock of the whole process, and of its stages (`oocc --time`); *cc* is what the C "
                  "compiler takes for the C afterwards.", body)


def repeating(view, _):
    return """## Repeating it

```sh
scripts/build
test/bench/run.py --all --json results.json
```

measures for an hour or two, needs 24 GiB of memory, 40 GiB of free disk and root (memory cgroups, a swap file), and writes this document.
`--hours` gives it more rounds, `--quick` is a rough look in a few minutes, `--help` lists what can be chosen. The scratch is removed in
every case. `test/bench/report.py results.json` writes the document once more; of several files, also of parts (`--sections`), it makes
one, and keeps what they say together in the file of `--keep`."""


ALL = [summary, device, matrix, large, dims, published, growth, moved, ingredients, compile_time, repeating]
