#!/usr/bin/env python3
"""Writes docs/reliability.md: what is promised, how each promise is tried, how often that was done and how often it failed.

    reliability.py -o docs/reliability.md                                   from the record, docs/reliability.json
    reliability.py build/release/results --record ci -o docs/reliability.md     takes in a run of the tests (folders of results, or
                                                                            files *.promises.json)
    reliability.py build/long/results --record long -o docs/reliability.md  the same of long runs

What several files or folders say of one promise is added up: a long run may be made in pieces, each with a name of its own
(OOCC_RESULTS=FOLDER OOCC_RESULT=random-5000 test/random/run.py --long --base 5000 --programs 500). Promises that nothing
is said of keep what is recorded.

A promise in the results that reliability_promises.py does not know is an error, so that none is left out.
"""
import argparse
import datetime
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(Path(__file__).resolve().parent))

from reliability_promises import AREAS, promises

RECORD = ROOT / "docs/reliability.json"

BEFORE = """# Reliability

What oocc promises, how each promise is tried, and what came of it. This file is written by `test/reliability.py` from what the
tests leave; it is not edited. *CI* is the last run of `scripts/test` that was recorded, *long* the last long run. Each pair of numbers is how
often a promise was tried, and how often it did not hold, with the number of programs where each is run several times. A dash: no such
run has been recorded. Where a long run is not named, the tests try all there is.
"""

AFTER = """
## What is not promised

- **Devices that lie.** Durability begins where the device says that a sync is done. Hardware that answers before its data would
  survive a power cut may lose commits that were acknowledged. What comes back is still checked: a state that does not
  match its checksums is refused, never computed on.
- **Memory that lies.** A bit that flips in RAM between a value's computation and its checksum, or after the checksum has been
  verified, is part of the result. Against that there is ECC memory. Grids in memory (engines `memory` and `swap` in place) have
  no checksums at all.
- **Malice.** Checksums are XXH3, against accidents. Who can write to a scratch can also make checksums that fit.
- **Chance.** A record that is spoilt passes with a probability of 2⁻⁶⁴.
- **Processors and C compilers.** Results are those of IEEE 754 as the compiler and the processor implement it. Functions (`exp`,
  `sin`, …) are made of that, too; with `-DOOCC_LIBM` they have the bits of the C library, which may differ between machines. `-ffast-math` and its
  like void all promises.
- **The file system, the kernel.** What they acknowledge and lose without an error is found when it is read, by checksums, and
  cannot be mended: begin again from the last thing that was kept elsewhere.
- **A proof.** Tests try a promise often, in ways that were drawn at random, and show the presence of bugs only. The share of
  planted bugs that are found says how much the absence of a finding is worth.

## More of it

    scripts/test --long                                                      random and hostile programs, many times as many
    test/random/run.py --long --base 200000                                  others than every run of the tests tries
    test/random/planted.py                                                   half an hour
    test/reliability.py build/release/results --record ci -o docs/reliability.md

How these tests work is in [testing.md](testing.md).
"""


def add(into, promise, tried, failed, programs=None):
    have = into.setdefault(promise, {"tried": 0, "failed": 0})
    have["tried"] += tried
    have["failed"] += failed
    if programs is not None:    # of which there are several tries each
        have["programs"] = have.get("programs", 0) + programs


def read_promises(path, into):
    for entry in json.loads(path.read_text()):
        add(into, entry["promise"], entry["tried"], entry["failed"], entry.get("programs"))


def read_cases(folder, into):
    """Promises that are counted by test cases."""
    for p in (p for p in promises() if p.cases):
        path = folder / f"{p.cases}.json"
        if path.exists():
            have = json.loads(path.read_text())
            add(into, p.text, have["passed"] + have["failed"], have["failed"])


def read_results(places):
    found = {}
    for place in map(Path, places):
        if place.is_dir():
            read_cases(place, found)
        files = sorted(place.glob("*.promises.json")) if place.is_dir() else [place]
        for path in files:
            read_promises(path, found)
    unknown = sorted(found.keys() - {p.text for p in promises()})
    if unknown:
        sys.exit("not in test/reliability_promises.py: " + "; ".join(unknown))
    return found


def counts(entry):
    if not entry:
        return "–"
    programs = f" ({entry['programs']:,} programs)" if "programs" in entry else ""
    return f"{entry['tried']:,} / {entry['failed']:,}{programs}"


def document(record):
    lines = [BEFORE.rstrip()]
    for area in AREAS:
        lines += ["", f"## {area.title}", "", "| promise | tried with | ctest | long run | CI | long |", "|---|---|---|---|---:|---:|"]
        for p in area.promises:
            have = record.get(p.text, {})
            long = f"`{p.long}` | {counts(have.get('ci'))} | {counts(have.get('long'))}" if p.long else f"| {counts(have.get('ci'))} |"
            lines.append(f"| {p.text} | {p.how} | `{p.entry}` | {long} |")
    dates = sorted({(kind, entry[kind]["date"]) for entry in record.values() for kind in entry})
    if dates:
        last = {kind: date for kind, date in dates}
        lines += ["", "Recorded: " + ", ".join(f"{'CI' if kind == 'ci' else 'long runs'} {date}" for kind, date in sorted(last.items())) + "."]
    return "\n".join(lines) + "\n" + AFTER


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="*", help="folders of results, or files *.promises.json")
    parser.add_argument("--record", choices=["ci", "long"], help="keep these counts as the last run of its kind")
    parser.add_argument("-o", "--output", type=Path, help="the document")
    options = parser.parse_args()
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    if bool(options.results) != bool(options.record):
        parser.error("results are recorded: --record ci, or --record long")
    for text, entry in read_results(options.results).items():
        record.setdefault(text, {})[options.record] = {**entry, "date": datetime.date.today().isoformat()}
    if options.record:
        RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    if options.output:
        options.output.write_text(document(record))
    return 0


if __name__ == "__main__":
    sys.exit(main())
