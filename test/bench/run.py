#!/usr/bin/env python3
"""The benchmark: one command measures, and writes a document of text, tables and plots.

    test/bench/run.py --all [--hours H | --quick] --json results.json      then docs/performance.md is written
    test/bench/run.py --sections matrix,compile --json results.json        some of it
    test/bench/report.py results.json                                      the document once more

Sections: device (the scratch device by itself), matrix (plain loops, resident, streams by every engine, overlap, sweep),
large (a grid that no memory here holds), dims (grids of one and two dimensions), size and threads (growth), ingredients (one switched off at a time), compile.

Cases are measured in rounds, one after the other, and what they are compared with several times in a round, so that a
machine that changes its speed changes all alike; ratios are taken within a round. Out-of-core runs are in a memory
cgroup of a quarter more than their --memory (16 MiB at least): otherwise the page cache would serve what is said to come from the disk.
Figures are of the passes, without import and export. What a build does not offer is recorded as that. Everything that is
written goes to a folder below --scratch, which is removed whatever happens.
"""
import argparse
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import compile_time
import device
import program
import report
from results import Results, View
from session import GIB, MIB, ROOT, Refused, Session, machine, memory_available, say
from streams import ENGINES, Matrix, in_memory_budget
from studies import Studies

# Shares of the time; rounds are repeated while they last, and what was begun is finished.
SHARES = {"device": 0.03, "matrix": 0.45, "large": 0.30, "dims": 0.05, "growth": 0.10, "ingredients": 0.10, "compile": 0.02}
COMMON = {"factors": [2, 4, 8, 16, 32], "large_factors": [16, 32], "passes": 4, "most_steps": 192, "swap_passes": 2,
          "large_passes": 3, "large_steps": 192, "plain_steps": 16, "resident_steps": 64, "sweep_steps": 2, "rounds": 5, "growth_sizes": 6, "compile_repeats": 5, "tune_seconds": 20,
          "device_seconds": 6.0, "device_bytes": 4 * GIB, "patience": 300.0, "deep_steps": 256, "line": (1 << 27,), "plane": (8192, 16384)}
MODES = {
    "all": {**COMMON, "grid": (2048, 256, 256), "large": (2048, 1024, 1024), "hours": 0.6, "programs": program.NAMES,
            "large_programs": ["heat7", "heat19", "heat27"], "study_programs": ["heat7", "wave"]},
    "quick": {**COMMON, "grid": (1024, 128, 256), "large": (1024, 256, 256), "hours": 0.05, "programs": ["heat7", "wave"],
              "large_programs": ["heat7"], "study_programs": ["heat7"], "factors": [2, 4, 8, 16], "passes": 1,
              "large_factors": [8, 16], "rounds": 1, "growth_sizes": 4, "compile_repeats": 3, "device_seconds": 1.0,
              "device_bytes": GIB // 2, "patience": 60.0, "most_steps": 48, "large_passes": 2, "large_steps": 96, "deep_steps": 64,
              "line": (1 << 25,), "plane": (4096, 8192)},
    # Only to see that everything works: the figures mean nothing.
    "smoke": {**COMMON, "grid": (1600, 64, 64), "large": (1600, 64, 64), "hours": 0.05, "programs": ["heat7", "wave"],
              "large_programs": ["heat7"], "study_programs": ["heat7"], "factors": [2], "passes": 1, "large_factors": [2],
              "rounds": 1, "growth_sizes": 2, "compile_repeats": 1, "tune_seconds": 1, "device_seconds": 0.2, "device_bytes": 32 * MIB,
              "patience": 60.0, "most_steps": 8, "large_passes": 1, "large_steps": 8, "plain_steps": 4, "resident_steps": 8,
              "deep_steps": 4, "line": (1 << 22,), "plane": (2048, 2048)},
}


def extents(text):
    parts = [int(part) for part in text.replace("x", ",").split(",")]
    if len(parts) != 3 or min(parts) < 16:
        raise argparse.ArgumentTypeError(f"'{text}' is not three extents of at least 16, such as 2048,256,256")
    return tuple(parts)


def words(known):
    def parse(text):
        for word in text.split(","):
            if word not in known:
                raise argparse.ArgumentTypeError(f"there is no '{word}'; there are {', '.join(known)}")
        return text.split(",")
    return parse


def numbers(text):
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        found = [0]
    if min(found) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of whole numbers from 1 on")
    return found


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     allow_abbrev=False)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--all", action="store_true", help="every section")
    what.add_argument("--sections", type=words(list(SHARES)), help="these, separated by commas")
    what.add_argument("--smoke", action="store_true", help="every section at toy size, in seconds: does it work?")
    parser.add_argument("--quick", action="store_true", help="small grids, about 3 minutes: rough figures")
    parser.add_argument("--hours", type=float, help="about how long to measure (default 0.6; --quick 0.05)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to keep what was measured")
    parser.add_argument("--doc", type=Path, metavar="FILE", help="the document (default: docs/performance.md; with --quick, "
                        "--smoke or --sections: beside the JSON)")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="where bin/oocc is")
    parser.add_argument("--scratch", type=Path, help="folder on the disk to measure (default: bench in the build)")
    parser.add_argument("--grid", type=extents, metavar="NZ,NY,NX", help="default 2048,256,256")
    parser.add_argument("--large", type=extents, metavar="NZ,NY,NX", help="default 2048,1024,1024: 16 GiB")
    parser.add_argument("--programs", type=words(program.NAMES), help=f"default {','.join(program.NAMES)}; section dims has its own")
    parser.add_argument("--large-programs", type=words(program.NAMES), help="of these, on the large grid; default heat7,heat19,heat27")
    parser.add_argument("--engines", type=words(ENGINES), default=ENGINES, help=f"default {','.join(ENGINES)}")
    parser.add_argument("--factors", type=numbers, help="times the memory; default 2,4,8,16,32")
    parser.add_argument("--large-factors", type=numbers, help="default 16,32")
    parser.add_argument("--rounds", type=int, help="at most so many")
    parser.add_argument("--passes", type=int, help="of a streamed run (default 4)")
    parser.add_argument("--most-steps", type=int, help="of a streamed run (default 192)")
    parser.add_argument("--patience", type=float, metavar="SECONDS", help="ends a run that takes longer (default 300)")
    options = parser.parse_args(arguments)
    options.mode = "smoke" if options.smoke else "quick" if options.quick else "all"
    options.sections = options.sections or list(SHARES)
    for name, value in MODES[options.mode].items():
        if getattr(options, name, None) is None:
            setattr(options, name, value)
    options.large_programs = [name for name in options.large_programs if name in options.programs]
    options.study_programs = [name for name in options.study_programs if name in options.programs] or options.programs[:1]
    options.scratch = options.scratch or options.build / "bench"
    if min(options.hours, options.rounds, options.passes, options.most_steps, options.patience) <= 0:
        parser.error("--hours, --rounds, --passes, --most-steps and --patience are more than 0")
    if not (options.build / "bin/oocc").is_file():
        parser.error(f"there is no bin/oocc in {options.build}: build it (scripts/build) or name another with --build")
    if options.json and not options.json.resolve().parent.is_dir():
        parser.error(f"--json: there is no folder {options.json.resolve().parent}")
    return options


def bench(session, options, results):
    oocc, sections = options.build / "bin/oocc", options.sections
    total = options.hours * 3600 / sum(SHARES[name] for name in sections)

    def device_now(when):
        if "device" in sections:
            figures = device.measure(session, options.device_bytes, options.device_seconds, device.tool_of(options.mode))
            results.add("device", None, when, 1, figures)

    programs = {}
    if set(sections) & {"matrix", "large", "growth", "ingredients"}:
        programs = program.build_checked(session, oocc, options.programs)
        in_memory = in_memory_budget(memory_available())
        if set(sections) & {"matrix", "growth", "ingredients"}:
            program.check_room(session, programs, options.grid, None, in_memory)
        if "large" in sections:
            chosen = {name: programs[name] for name in options.large_programs}
            program.check_room(session, chosen, None, options.large, in_memory)
    few = {}
    if "dims" in sections:
        few = program.build_checked(session, oocc, program.FEW_DIMS)
        grids = {name: options.line if ndim == 1 else options.plane for name, ndim in program.FEW_DIMS.items()}
        for name, one in few.items():
            program.check_room(session, {name: one}, grids[name], None, 0)
    matrix = Matrix(session, options, results)
    studies = Studies(session, options, results)
    studied = {name: programs[name] for name in options.study_programs if name in programs}

    if programs:
        grid = options.large if "large" in sections else options.grid
        say("touching the disk")
        device.touch(session, max(2 * one.stored_bytes(grid) for one in programs.values()))
    device_now("before")
    if "matrix" in sections:
        matrix.matrix(programs, total * SHARES["matrix"])
        device_now("after the matrix")
    if "dims" in sections:
        matrix.dims(few, grids, total * SHARES["dims"])
    if "growth" in sections:
        studies.growth(next(iter(studied.values())), len(os.sched_getaffinity(0)), total * SHARES["growth"])
    if "ingredients" in sections:
        studies.ingredients(studied, total * SHARES["ingredients"])
    if "compile" in sections:
        compile_time.measure(session, options, results, oocc)
    if "large" in sections:
        matrix.large({name: programs[name] for name in options.large_programs}, total * SHARES["large"], in_memory)
        device_now("after the large grid")


def document_for(options):
    if options.doc:
        return options.doc
    if options.mode == "all" and options.sections == list(SHARES):
        return ROOT / "docs/performance.md"
    return options.json.with_suffix(".md") if options.json else None


def main(arguments=None):
    options = parse(arguments)
    kept = {name: value for name, value in vars(options).items()
            if name not in ("json", "doc", "build", "scratch", "all", "quick", "smoke")}
    if options.mode == "smoke":
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # it runs beside others, and threads that wait must not spin
    try:
        with Session(options.scratch, options.patience) as session:
            results = Results(options.json, options.mode, machine(session, options.build / "bin/oocc"), kept)
            if not session.limited:
                say("bench: no memory cgroup can be made here: the page cache will hide what mmap and swap cost")
            bench(session, options, results)
            results.complete(session.since_start())
    except Refused as refused:
        say(f"bench: {refused}")
        return refused.status
    except KeyboardInterrupt:
        say(f"bench: stopped; what was measured is in {options.json}" if options.json else "bench: stopped")
        return 130
    document = document_for(options)
    if document:
        for path in report.write(results.data, document):
            say(f"wrote {path}")
    wrong = View(results.data).other_bits()
    for name, grid, steps in wrong:
        say(f"bench: runs of {name} on {'x'.join(map(str, grid))} cells, {steps} steps, did not all give the same bits")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
