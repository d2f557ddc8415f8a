"""Adds up what a run of the tests left in the results folder and prints one line: `N passed, N failed, N skipped`. Before it, what
failed, with the end of what it said: of a long log often only the end is kept.

ctest counts the whole lit suite as one test, and each Python suite too; what they left beside ctest's own results
(NAME.json, lit.xml) is counted in place of that one.
"""
import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def count_junit(path):
    counts, names = {}, {}
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
            kind = "failed"
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            kind = "skipped"
        else:
            kind = "passed"
        names[case.get("name")] = kind
        counts[kind] = counts.get(kind, 0) + 1
    return counts, names


TELLING = re.compile(r"fail|error|finding|expected|actual|which is", re.IGNORECASE)


def end_of(path, name, most=12, width=300):
    """The last lines of a test's output that look as if they said why it failed, or just the last ones."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.get("name") == name:
            lines = [line[:width] for line in (case.findtext("system-out") or "").splitlines() if line.strip()]
            return ([line for line in lines if TELLING.search(line)] or lines)[-most:]
    return []


def main():
    results = Path(sys.argv[1])
    total = {"passed": 0, "failed": 0, "skipped": 0}
    failures = []
    _, entries = count_junit(results / "ctest.xml")
    for name, kind in entries.items():
        parts = {kind: 1}
        if (results / f"{name}.json").exists():
            parts = json.loads((results / f"{name}.json").read_text())
        elif (results / f"{name}.xml").exists():
            parts, _ = count_junit(results / f"{name}.xml")
        if kind == "failed":
            failures.append(name)
            parts["failed"] = max(1, parts.get("failed", 0))  # it may have died before it could count
        for key in total:
            total[key] += parts.get(key, 0)
    for name in failures:
        print("\n  ".join([f"{name}:", *end_of(results / "ctest.xml", name)]))
    if failures:
        print("failed: " + ", ".join(failures))
    line = f"{total['passed']} passed, {total['failed']} failed"
    print(line + (f", {total['skipped']} skipped" if total["skipped"] else ""))
    return 1 if total["failed"] else 0


sys.exit(main())
