"""What the runs of each variant come to, and whether they all computed the same."""
import statistics
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Result:
    variant: object
    runs: list                # of the journal, in order
    compile_seconds: float
    status: str = "unmeasured"  # or done, differs, refused, compile, timeout, error
    message: str = ""
    seconds: list = field(default_factory=list)  # of the passes, one for each run
    hash: str = ""

    @property
    def least(self):
        return min(self.seconds)

    @property
    def median(self):
        return statistics.median(self.seconds)

    def objective(self, kind):
        return self.least if kind == "min" else self.median

    @property
    def glups(self):
        """Of the fastest run."""
        return max(run["measured"]["glups"] for run in self.runs if run["status"] == "done")


def results(variants, records, builder):
    found = []
    for variant in variants:
        built = builder.built.get(builder.key(variant), {})
        result = Result(variant, records.of(variant), built.get("seconds", 0.0))
        for run in result.runs:
            if run["status"] == "done":
                result.seconds.append(run["measured"]["pass_seconds"])
                result.hash = result.hash or run["measured"]["result_hash"]
                result.status = "done"
        for run in result.runs:
            if run["status"] != "done":
                result.status, result.message = run["status"], run["message"]
        found.append(result)
    compare(found)
    return found


def compare(found):
    """Runs of one program, to the same level, have one result: the one that most have, or else the first."""
    groups = {}
    for result in found:
        for run in result.runs:
            if run["status"] == "done":
                groups.setdefault((result.variant.program, run["measured"]["steps"]), []).append((result, run))
    for runs in groups.values():
        counts = Counter(run["measured"]["result_hash"] for _, run in runs)
        usual = max(counts, key=counts.get)  # of several the first, as Counter keeps them in order
        for result, run in runs:
            if run["measured"]["result_hash"] != usual:
                result.status = "differs"
                result.message = f"result {run['measured']['result_hash']} instead of {usual}"


def counts(found):
    return Counter(result.status for result in found)
