"""How long oocc takes to compile: heat3d, every example, and a generated program of 100 fields and 25 updates."""
import re
import statistics

import generate
from session import ROOT

STAGE = re.compile(r"^(\w+) +([0-9.]+) ms$", re.M)


def one(session, oocc, source, repeats):
    """Wall time of oocc (median), of its stages, of cc, and how long the C is."""
    c, exe = session.folder / "compiled.c", session.folder / "compiled"
    walls, stages = [], {}
    for _ in range(repeats):
        done = session.execute([oocc, source, "--time", "-o", c])
        if done.status:
            return {"status": "failed", "reason": done.error()}
        walls.append(done.seconds)
        for stage, milliseconds in STAGE.findall(done.err):
            stages.setdefault(stage, []).append(float(milliseconds) / 1e3)
    built = session.execute([oocc, source, "--time", "--emit=exe", "-o", exe])
    if built.status:
        return {"status": "failed", "reason": f"cc: {built.error()}"}
    cc = dict(STAGE.findall(built.err)).get("cc")
    return {"status": "done", "oocc_seconds": statistics.median(walls), "oocc_least_seconds": min(walls),
            "stages": {name: statistics.median(values) for name, values in stages.items()},
            "cc_seconds": float(cc) / 1e3 if cc else None, "source_lines": source.read_text().count("\n"),
            "c_lines": c.read_text().count("\n")}


def sources(session, small):
    """(name, path): heat3d and the generated program first."""
    generated, (fields, updates) = session.folder / "generated.stn", (12, 4) if small else (100, 25)
    generated.write_text(generate.program(fields, updates))
    yield "heat3d", ROOT / "examples/heat3d/heat3d.stn"
    yield f"generated: {fields} fields, {updates} updates", generated
    if not small:
        for path in sorted((ROOT / "examples").glob("*/*.stn")):
            if path.stem != "heat3d":
                yield path.stem, path


def measure(session, options, results, oocc):
    for name, path in sources(session, small=options.mode == "smoke"):
        figures = one(session, oocc, path, options.compile_repeats)
        results.add("compile", name, "compile", 1, figures)
