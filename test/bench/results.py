"""What a session has measured: a flat list of records, kept as JSON after every one of them."""
import json
import os
import statistics
import time
from pathlib import Path

from session import say


class Results:
    """A record is one run: section, program, case, round, at (seconds since the start), status and figures.

    status: done, not offered (this build lacks it), does not fit (the budget), refused, failed, timed out, skipped.
    """

    def __init__(self, path, mode, machine, options):
        self.path = Path(path) if path else None
        self.start = time.monotonic()
        self.data = {"format": "oocc-bench", "version": 1, "mode": mode, "machine": machine, "options": options,
                     "complete": False, "records": []}

    def add(self, section, program, case, number, figures, **more):
        record = {"section": section, "program": program, "case": case, "round": number,
                  "at": time.monotonic() - self.start, **more, **figures}
        self.data["records"].append(record)
        figure = record.get("glups")
        shown = f"{figure:.3f} GLUP/s" if figure else record["status"]
        if record["status"] not in ("done", "not offered"):
            shown += f" ({record.get('reason', '')})"
        say(f"[{record['at']:6.0f} s] {section} {program or ''} {case}: {shown}")
        self.save()
        return record

    def save(self):
        if not self.path:
            return
        draft = self.path.with_name(self.path.name + ".part")
        draft.write_text(json.dumps(self.data, indent=1) + "\n")
        os.replace(draft, self.path)

    def complete(self, seconds):
        self.data["complete"] = True
        self.data["seconds"] = seconds
        self.save()


class View:
    """Questions that reports ask of the records."""

    def __init__(self, data):
        self.data, self.records = data, data["records"]

    def find(self, **wanted):
        return [r for r in self.records if all(r.get(key) == value for key, value in wanted.items())]

    def values(self, key, **wanted):
        return [r[key] for r in self.find(**wanted) if r["status"] == "done" and r.get(key) is not None]

    def median(self, key, **wanted):
        values = self.values(key, **wanted)
        return statistics.median(values) if values else None

    def ratios(self, base, section, program, case, key="glups"):
        """Of every run of the case to the mean of those runs of the base just before and just after it in its round."""
        found = []
        for record in self.find(section=section, program=program, case=case, status="done"):
            bases = [r for r in self.find(section=section, program=program, case=base, round=record["round"],
                                          status="done") if r is not record]
            before = [r for r in bases if r["at"] < record["at"]][-1:]
            after = [r for r in bases if r["at"] > record["at"]][:1]
            near = [r[key] for r in before + after]
            if near:
                found.append(record[key] / statistics.mean(near))
        return found

    def cases(self, section, program=None):
        """Labels in the order in which they were measured first."""
        return list(dict.fromkeys(r["case"] for r in self.records if r["section"] == section and
                                  (program is None or r["program"] == program)))

    def other_bits(self):
        """Runs of one program on one grid for as many steps that did not give the same bits: (program, grid, steps)."""
        hashes = {}
        for r in self.records:
            if r.get("hash") and r.get("grid"):
                hashes.setdefault((r["program"], tuple(r["grid"]), r["steps"]), set()).add(r["hash"])
        return sorted(key for key, found in hashes.items() if len(found) > 1)

    def programs(self, section):
        return list(dict.fromkeys(r["program"] for r in self.records if r["section"] == section))
