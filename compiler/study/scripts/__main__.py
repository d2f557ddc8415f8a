"""oocc study: measures the variants of a program. `oocc study --help` says how; docs/studies.md what for."""
import argparse
import difflib
import json
import os
import platform
import signal
import sys
from pathlib import Path

import exchange
import figure
import tables
from build import Builder
from failure import BAD_INPUT, CANNOT_CREATE, INTERNAL, IO_ERROR, OK, STOPPED, USAGE, Failure, note, report
from journal import Journal
from measure import Bench
from rounds import Progress, Records, measure, runs_due
from summary import counts, results
from variants import Variants


class Stopped(Exception):
    pass


class Parser(argparse.ArgumentParser):
    def error(self, message):
        unknown = message.removeprefix("unrecognized arguments:").split() if message.startswith("unrecognized") else []
        word = next((word for word in unknown if word.startswith("-")), "")
        near = difflib.get_close_matches(word.split("=")[0], self._option_string_actions, 1)
        print(f"oocc study: {message}" + (f"; did you mean '{near[0]}'?" if near else ""), file=sys.stderr)
        sys.exit(USAGE)


def at_least(least, kind, what):
    def parse(text):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not least <= value < float("inf"):
            raise argparse.ArgumentTypeError(f"'{text}' is not {what}")
        return value
    return parse


def parse(words):
    whole, positive = at_least(0, int, "a whole number"), at_least(1, int, "a whole number from 1 on")
    parser = Parser(prog="oocc study", allow_abbrev=False, usage="oocc study DIR [OPTIONS] [-- ARGUMENTS OF EVERY RUN]",
                    description="Builds and measures the variants that 'oocc PROGRAM.stn --variants SPACE.json -o DIR' has written.")
    add = parser.add_argument
    add("folder", metavar="DIR", help="the folder with manifest.json")
    add("--repeats", type=positive, default=3, metavar="N", help="rounds: runs of each variant; default: 3")
    add("--steps", type=whole, metavar="N", help="steps of every run; default: the program's")
    add("--timeout", type=at_least(0.001, float, "a number of seconds"), metavar="SECONDS", help="of one run; default: none")
    add("--scratch", metavar="DIR,...", help="where runs keep what does not fit in memory; default: beside the results")
    add("--inputs", default=".", metavar="DIR", help="where the files are that the program reads; default: here")
    add("--output", metavar="DIR", help="where journal and results go; default: DIR/study")
    add("--only", action="append", default=[], metavar="NAME", help="this variant alone (repeat for several); prints JSON")
    add("--seed", type=whole, default=1, metavar="N", help="of the random order within rounds; default: 1")
    add("--objective", choices=("median", "min"), default="median", help="what of a variant's runs counts; default: median")
    add("--jobs", type=positive, default=len(os.sched_getaffinity(0)), metavar="N", help="executables to build at once")
    add("--restart", action="store_true", help="discard what was measured before")
    add("--progress", choices=("auto", "on", "off"), default="auto")
    add("--cc", default="cc", metavar="CC", help="the C compiler; default: cc")
    add("--runtime", type=Path, required=True, metavar="DIR", help="where include/ and lib/ of the runtime are")
    arguments = []
    if "--" in words:
        arguments = words[words.index("--") + 1:]
        words = words[:words.index("--")]
    options = parser.parse_args(words)
    return options, arguments


def machine():
    """What a measurement holds for."""
    cpu = platform.processor() or platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            cpu = line.split(":", 1)[1].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"cpu": cpu, "cores": len(os.sched_getaffinity(0)), "memory_bytes": memory}


def write(path, text):
    beside = path.with_name(path.name + ".tmp")
    beside.write_text(text)
    beside.replace(path)


def export(folder, variants, found, here, compiler, kind):
    def dumped(data):
        return json.dumps(data, indent=1, allow_nan=False) + "\n"
    knobs = variants.knobs()
    write(folder / "measurements.csv", tables.measurements(found, knobs))
    write(folder / "variants.csv", tables.variants(found, knobs))
    write(folder / "t4-results.json", dumped(exchange.t4_results(found, variants.left_out, kind)))
    write(folder / "t4-metadata.json", dumped(exchange.t4_metadata(here, variants.oocc, compiler)))
    write(folder / "cache.json", dumped(exchange.cache(found, variants, here, kind)))
    picture = figure.draw(found, knobs, variants.program["name"])
    if picture:
        write(folder / "study.svg", picture)


def tell(found, kind, folder, differing):
    """On stdout: the best, and how many came to what."""
    done = sorted((result for result in found if result.status == "done"), key=lambda result: result.objective(kind))
    for result in done[:5]:
        print(f"{result.objective(kind):10.4g} s  {result.glups:8.4g} GLUP/s  {result.variant.name}")
    print(", ".join(f"{count} {status}" for status, count in sorted(counts(found).items())) + f"; results in {folder}")
    for result in differing[:5]:
        note(f"{result.variant.name} differs: {result.message}")


def tell_one(found, kind):
    """For a search that evaluates one variant at a time: a line of JSON for each."""
    for result in found:
        line = {"name": result.variant.name, "status": result.status, "seconds": None, "times": result.seconds,
                "hash": result.hash or None, "message": result.message or None, "knobs": result.variant.knobs}
        if result.status == "done":
            line["seconds"] = result.objective(kind)
        print(json.dumps(line))


def study(options, arguments):
    variants = Variants(options.folder)
    for word in arguments:
        if word.split("=")[0] in variants.options():
            raise Failure(USAGE, f"{word.split('=')[0]} is a knob of these variants", "leave it out of what follows --")
    chosen = variants.pick(options.only)
    if options.steps is not None:
        arguments = [*arguments, "--steps", str(options.steps)]
    folder, here = Path(options.output or Path(options.folder) / "study"), machine()
    settings = {"arguments": arguments, "machine": here, "scratch": options.scratch}
    bench = Bench(variants, folder, options.scratch, options.inputs)
    journal = Journal(folder, settings, options.restart)
    try:
        builder = Builder(variants, folder, options.runtime, options.cc, journal, here)
        records = Records(journal, builder)
        progress = Progress(options.progress if not options.only else "off", runs_due(chosen, records, options.repeats))
        stopped = False
        try:
            due = [each for each in chosen if any(records.due(each, round) for round in range(options.repeats))]
            builder.build(builder.missing(due), options.jobs, progress.built)
            measure(chosen, records, builder, bench, options, arguments, progress)
        except (KeyboardInterrupt, Stopped):
            stopped = True
        finally:
            progress.end()
            bench.clear()
        found = results(list(variants.all.values()), records, builder)
        export(folder, variants, found, here, builder.compiler, options.objective)
    finally:
        journal.close()
    if stopped:
        left = runs_due(chosen, records, options.repeats)
        note(f"stopped with {left} runs to go; the same command goes on from there")
        return STOPPED
    shown = [result for result in found if result.variant in chosen]
    differing = [result for result in shown if result.status == "differs"]
    if options.only:
        tell_one(shown, options.objective)
        return INTERNAL if differing else OK
    tell(shown, options.objective, folder, differing)
    if differing:
        note("error: variants of one program gave different results")
        note("help: of cflags that allow it (-ffast-math) this is to be expected; otherwise please report it, with the program")
        return INTERNAL
    if not any(result.status == "done" for result in shown):
        raise Failure(BAD_INPUT, f"no variant could be measured; {shown[0].variant.name}: {shown[0].message}")
    return OK


def stop(*_):
    raise Stopped


def main():
    signal.signal(signal.SIGTERM, stop)
    try:
        return study(*parse(sys.argv[1:]))
    except Failure as failure:
        return report(failure)
    except (KeyboardInterrupt, Stopped):
        note("stopped before anything was measured")
        return STOPPED
    except OSError as error:
        return report(Failure(IO_ERROR if error.errno != 28 else CANNOT_CREATE, str(error)))


sys.exit(main())
