#!/usr/bin/env python3
"""Fuzzes every way into oocc and its programs by libFuzzer, from a fixed seed; what was found before is tried again first.

    run.py                          100,000 inputs in all, about a minute on two cores
    run.py --long                   10,000,000
    run.py --target lsp --runs 5000 --seed 17
    run.py --target program --seconds 600 --corpus FOLDER     keeps what it comes by; many seeds are better than one long run
    run.py --replay FILE --target lsp                         one input, with what the sanitizers say

Skipped (77) where the targets are not built: cmake --build BUILD --target fuzz.
"""
import argparse
import concurrent.futures
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import corpus
import programs
import suite

# Inputs of a test run, 100,000, and of a long one, 10,000,000: what has more to it gets more, and what takes milliseconds, as compiling and planning
# do, fewer than what reads a file.
SHARES = {"program": (8_000, 400_000), "format": (1_500, 30_000), "lsp": (2_500, 50_000), "variants": (12_000, 360_000), "options": (13_000, 60_000),
          "manifest": (13_000, 2_000_000), "npy": (11_000, 1_600_000), "points": (11_000, 1_500_000), "cache": (7_000, 1_000_000),
          "json": (7_000, 1_000_000), "signal": (7_000, 1_000_000), "label": (7_000, 1_000_000)}
SECONDS = 1  # of a processor for one input, slow as sanitizers are; by the clock, which libFuzzer goes by, a busy machine takes longer
NOMINAL_SECONDS = 0.25  # that spin() takes on a processor by which SECONDS are meant
PROMISE = "whatever the input, one clear error or a right answer within a second of processor time and a GiB, under sanitizers: no crash, no undefined behaviour, no leak"
FINDING = re.compile(r"FINDING: .*|.*runtime error: .*|ERROR: (?:AddressSanitizer|LeakSanitizer|libFuzzer): .*|terminate called .*|  what\(\): .*")


class Count:
    def __init__(self):
        self.tried, self.failed, self.kinds = 0, [], {}


def binary(target):
    return Path(programs.compiler()).parent.parent / "fuzz" / "fuzzers" / f"fuzz_{target}"


def environment(context):
    """`context`: how many callers of an allocation are kept. Allocations are most of what an input costs, so that only replays keep
    them; what an input frees stays in quarantine until it is done."""
    symbolizer = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer") or ""
    return {**os.environ, "ASAN_OPTIONS": f"quarantine_size_mb=16:malloc_context_size={context}:max_malloc_fill_size=0:allocator_may_return_null=1:external_symbolizer_path={symbolizer}",
            "UBSAN_OPTIONS": "print_stacktrace=1", "OMP_NUM_THREADS": "1"}


def call(target, *arguments, context=1):
    # Leaks are looked for at the end of a process: the parser's caches grow as it goes on, and libFuzzer would look after every input.
    # Entropic schedules take a fifth of the time of quick targets.
    command = [binary(target), f"-timeout={SECONDS}", "-rss_limit_mb=1024", "-detect_leaks=0", "-entropic=0", *map(str, arguments)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment(context))
    return done.returncode, done.stdout.decode("utf-8", "replace")


def processor_seconds(target, *inputs):
    with subprocess.Popen([binary(target), "-timeout=600", *map(str, inputs)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, env=environment(1)) as process:
        _, _, used = os.wait4(process.pid, 0)
        process.returncode = 0
    return used.ru_utime + used.ru_stime


def spin():
    """Processor seconds of a fixed piece of work. A processor that is shared with others makes less of a second than one alone."""
    began = time.process_time()
    sum(i * i % 7 for i in range(3_000_000))
    return time.process_time() - began


def only_waited(target, output, empty):
    """Whether what libFuzzer took for too slow was in want of a processor: alone, it takes less than a second of one, at best of three."""
    slow = re.search(r"Test unit written to (\S*timeout-\S+)", output)
    if not slow:
        return False
    own = min((processor_seconds(target, slow.group(1)) - processor_seconds(target, empty)) / max(1, spin() / NOMINAL_SECONDS) for _ in range(3))
    if own >= SECONDS:
        return False
    Path(slow.group(1)).unlink()
    return True


def executed(output):
    found = re.search(r"stat::number_of_executed_units: *(\d+)", output)
    return int(found.group(1)) if found else max(map(int, re.findall(r"^#(\d+)", output, re.MULTILINE)), default=0)


def what(output):
    found = FINDING.findall(output)
    place = re.search(r"^ *#\d+ .*? (?:/\S*/)?((?:compiler|runtime|test/fuzz)/\S+:\d+)", output, re.MULTILINE)
    return (found[0].strip() if found else "it ended") + (f" ({place.group(1)})" if place else "")


def fuzz(target, runs, seed, seconds, kept, findings):
    """(inputs tried, [what was found])."""
    findings.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"oocc-fuzz-{target}-") as name:
        begin, words = Path(name) / "begin", Path(name) / "words"
        begin.mkdir()
        corpus.write(target, begin)
        words.write_text(corpus.dictionary())
        grown = kept / target if kept else Path(name) / "grown"
        grown.mkdir(parents=True, exist_ok=True)
        known = [corpus.FOUND / target] if (corpus.FOUND / target).is_dir() else []
        empty = Path(name) / "empty"
        empty.touch()
        tried, began = 0, time.monotonic()
        for again in range(100):
            left = max(1, seconds - int(time.monotonic() - began)) if seconds else runs - tried
            limits = [f"-max_total_time={left}"] if seconds else [f"-runs={left}"]
            status, output = call(target, grown, begin, *known, f"-seed={seed + 1000 * again}", f"-max_len={corpus.MOST_BYTES}", f"-dict={words}",
                                  "-len_control=20", "-print_final_stats=1", f"-artifact_prefix={findings}/{target}-", "-verbosity=1", *limits)
            tried += executed(output)
            if status and only_waited(target, output, empty):
                status = 0
                if tried < runs if not seconds else time.monotonic() - began < seconds:
                    continue
            break
    if status == 0 and not seconds and tried < runs:
        return tried, [f"{target}: only {tried} of {runs} inputs were tried"]
    if status == 0:
        return tried, []
    kept_as = re.search(r"Test unit written to (\S+)", output)
    (findings / f"{target}.log").write_text(output)
    return tried, [f"{target}, seed {seed}: {what(output)}; the input is {kept_as.group(1) if kept_as else 'not kept'}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="10,000,000 inputs")
    parser.add_argument("--target", choices=SHARES, action="append", help="only this one")
    parser.add_argument("--runs", type=int, help="inputs for each target")
    parser.add_argument("--seconds", type=int, help="for each target, instead of a number of inputs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path, help="keeps inputs that reached something new in a folder, and begins with them")
    parser.add_argument("--findings", type=Path, default=Path(tempfile.gettempdir()) / "oocc-findings", help="where inputs that fail are kept")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--replay", type=Path, help="one input")
    options = parser.parse_args()
    targets = options.target or list(SHARES)
    missing = [t for t in targets if not binary(t).exists()]
    if missing:
        print(f"skipped: {', '.join(missing)} not built, which needs clang and its libFuzzer (libclang-rt-19-dev, libomp-19-dev):"
              f" cmake --build {binary('').parents[2]} --target fuzz")
        return 77
    if options.replay:
        status, output = call(targets[0], options.replay, context=12)
        print(output)
        return 1 if status else 0
    count, began = Count(), time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        share = lambda target: options.runs or SHARES[target][options.long]
        jobs = {t: pool.submit(fuzz, t, share(t), options.seed, options.seconds, options.corpus, options.findings.resolve()) for t in targets}
        for target, job in jobs.items():
            tried, failed = job.result()
            count.tried += tried
            count.failed += failed
            count.kinds[target] = tried
            print(f"{target}: {tried:,} inputs" + "".join(f"\n  FAILED {each}" for each in failed), flush=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{count.tried:,} inputs, {len(count.failed)} findings, {time.monotonic() - began:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of processors")
    suite.leave_counts(len(targets) - len(count.failed), len(count.failed))
    suite.leave_promise(PROMISE, count)
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
