"""One program of the bench: compiled by oocc, its plain loop beside it; plans it, runs it, and turns reports into figures."""
import json
import re
import subprocess
from pathlib import Path

from session import GIB, MIB, NO_MEMORY, USAGE, Refused, say, size_text

HERE = Path(__file__).resolve().parent
NAMES = ["heat7", "heat19", "heat27", "wave"]
FEW_DIMS = {"line3": 1, "plane5": 2, "plane9": 2}   # the programs of section dims, and how many dimensions they have
POINTS = {"line3": "line, 3 points, f64", "plane5": "plane, 5 points, f64", "plane9": "plane, 9 points, f64",
          "heat7": "7 points, f64", "heat19": "19 points, f64", "heat27": "27 points, f64",
          "wave": "wave, 8th order, f32"}
# What oocc passes on to cc, so that the plain loop differs in its loops alone.
CFLAGS = ["-std=c11", "-O3", "-march=native", "-fopenmp", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]


def group_bytes(budget):
    """The memory cgroup of a run: a quarter more for the page cache; less than 16 MiB is not enough for the kernel itself."""
    return budget + max(budget // 4, 16 * MIB)


class Refusal(Exception):
    """The program does not do it: `status` is what the record says."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


class Program:
    def __init__(self, session, oocc, name):
        self.session, self.name = session, name
        self.exe, self.loop = session.folder / name, session.folder / f"plain_{name}"
        for command in ([oocc, HERE / f"programs/{name}.stn", "--emit=exe", "-o", self.exe],
                        ["cc", *CFLAGS, HERE / f"plain/{name}.c", "-o", self.loop]):
            done = session.execute(command)
            if done.status:
                raise Refused(1, f"{Path(command[0]).name} cannot build {name}: {done.error()}\n{done.err}")
        self.help = session.execute([self.exe, "--help"]).out
        self.known = {}

    # -- what this build offers -------------------------------------------------------------------------------------------

    def offers(self, option, word=None):
        """Whether --help names the option (and, on its line, the word)."""
        line = re.search(rf"^ *--{option}\b(.*(?:\n {{12,}}\S.*)*)", self.help, re.M)
        return bool(line) and (word is None or re.search(rf"(?<![\w-]){word}(?![\w-])", line.group(1)) is not None)

    def check_offered(self, arguments):
        for option, value in zip(arguments, [*arguments[1:], ""]):
            if not str(option).startswith("--"):
                continue
            named = value if option in ("--engine", "--schedule") else None
            if not self.offers(option[2:], named):
                raise Refusal("not offered", f"not offered by this build: {option}{' ' + named if named else ''}")

    # -- plans ------------------------------------------------------------------------------------------------------------

    @staticmethod
    def size(grid):
        return [word for name, extent in zip(("nz", "ny", "nx")[-len(grid):], grid) for word in ("-D", f"{name}={extent}")]

    def plan(self, grid, *arguments):
        """The plan as the program prints it; raises Refusal with the program's own reason."""
        arguments = [str(argument) for argument in arguments]
        key = (tuple(grid), *arguments)
        if key not in self.known:
            self.check_offered(arguments)
            done = self.session.execute([self.exe, *self.size(grid), "--plan", "--json", *arguments])
            if done.status == NO_MEMORY:
                self.known[key] = Refusal("does not fit", done.error())
            elif done.status:
                self.known[key] = Refusal("refused" if done.status == USAGE else "failed", done.error())
            else:
                self.known[key] = json.loads(done.out)
        if isinstance(self.known[key], Refusal):
            raise self.known[key]
        return self.known[key]

    def stored_bytes(self, grid):
        """Of state and coefficients: what a budget is compared with."""
        described = self.plan(grid)["grid"]
        return described["state_bytes"] + described["coef_bytes"]

    def most_planes(self, grid, budget):
        """The most planes (up to those of the grid) with which everything stays in memory; a multiple of 8."""
        def fits(planes):
            try:
                self.plan((planes, *grid[1:]), "--schedule", "resident", "--engine", "memory", "--memory", budget)
                return True
            except Refusal as refusal:
                if refusal.status != "does not fit":
                    raise
                return False
        low, high = 0, grid[0] // 8
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if fits(8 * middle) else (low, middle - 1)
        return 8 * low

    def steps_for(self, grid, passes, most, *arguments):
        """(steps, plan): as many passes as asked for, but no more than `most` steps when one pass is deep already."""
        plan = self.plan(grid, *arguments, "--steps", most)["plan"]
        bt = plan["bt"]
        return bt * max(1, min(passes, most // bt)), plan

    # -- runs -------------------------------------------------------------------------------------------------------------

    def run_plain(self, grid, steps, threads=None):
        environment = {"OMP_NUM_THREADS": str(threads)} if threads else None
        done = self.session.execute([self.loop, *[1] * (3 - len(grid)), *grid, steps], environment=environment)
        if done.status:
            return {"status": "timed out" if done.expired else "failed", "reason": done.error()}
        figures = json.loads(done.out)
        return {"status": "done", "glups": figures["glups"], "seconds": figures["seconds"], "steps": steps,
                "sum": figures["sum"], "squares": figures["squares"]}

    def probe(self, grid, *arguments):
        """Lets the program measure what is missing of machine, loops and, for streams, the disk, so that no run does so on its way;
        runs of a few seconds would not do so at all. Loops go by the machine's figures, so these are measured for all programs once."""
        if self.offers("probe", "once"):
            self.session.execute([self.exe, *self.size(grid), "--plan", "--probe", "once", *arguments])

    def probe_streams(self, grid, budget):
        """Memory is measured in the largest of budgets only; what is found holds for all of them."""
        self.probe(grid, "--schedule", "stream", "--scratch", self.session.folder / "run.scratch", "--memory", budget)
        self.session.empty()

    def probe_resident(self, grid, steps):
        """In memory loops go at another pace than in slabs, and are timed by themselves."""
        self.probe(grid, "--schedule", "resident", "--engine", "memory", "--steps", steps)

    def run(self, grid, steps, *arguments, budget=None, before=None, environment=None):
        """One run; a record's figures, or its status and why. With a budget: inside a memory cgroup."""
        arguments = [str(argument) for argument in arguments]
        report, scratch = self.session.folder / "run.report", self.session.folder / "run.scratch"
        limit = None
        if budget is not None:
            arguments += ["--memory", str(budget)]
            limit = group_bytes(budget)
        try:
            self.check_offered(arguments)
            done = self.session.execute([self.exe, *self.size(grid), "--steps", steps, "--progress", "off",
                                         "--report", report, "--scratch", scratch, *arguments], limit, before, environment)
            if done.expired:
                return {"status": "timed out", "reason": done.err, "seconds_at_least": done.seconds, "steps": steps}
            if done.status:
                status = {NO_MEMORY: "does not fit", USAGE: "refused"}.get(done.status, "failed")
                return {"status": status, "reason": done.error()}
            return {**figures(json.loads(report.read_text())), "grid": list(grid)}
        except Refusal as refusal:
            return {"status": refusal.status, "reason": str(refusal)}
        finally:
            self.session.empty()


def steady(measured):
    """(GLUP/s, seconds that all steps take at that speed, shares of waiting and of commits) of the passes after the first, where there are any.

    The first one writes where the disk has never been written, or no longer holds anything; that is told apart.
    """
    later = measured["later_passes"]
    if not later:
        return measured["glups"], measured["pass_seconds"], measured["wait_share"], measured["commit_share"]
    return later["glups"], later["seconds"] * measured["steps"] / later["steps"], later["wait_share"], later["commit_share"]


def figures(report):
    measured, plan = report["measured"], report["plan"]
    glups, seconds, wait_share, commit_share = steady(measured)
    named = ("schedule", "engine", "bt", "bz", "ct", "tiles", "yt", "xt", "columns", "column_sides", "passes")
    return {"status": "done", "glups": glups, "seconds": seconds, "steps": measured["steps"],
            "first_pass": measured["first_pass"] if measured["later_passes"] else None,
            "read_bytes": measured["read_bytes"], "write_bytes": measured["write_bytes"],
            "planned_read_bytes": plan["read_bytes"], "planned_write_bytes": plan["write_bytes"],
            "planned_seconds": plan["predicted"]["seconds"], "bound": plan["predicted"]["bound"],
            "wait_share": wait_share, "commit_share": commit_share, "peak_bytes": measured["peak_bytes"],
            "budget_bytes": plan["budget_bytes"], "hash": measured["result_hash"],
            "plan": {name: plan[name] for name in named if name in plan}, "adapted": measured["adapt"]}


def build_all(session, oocc, names):
    programs = {}
    for name in names:
        say(f"building {name}")
        programs[name] = Program(session, oocc, name)
    return programs


def build_checked(session, oocc, names):
    """And makes sure that their plain loops compute the same."""
    programs = build_all(session, oocc, names)
    for one in programs.values():
        wrong = difference(one, oocc)
        if wrong:
            raise Refused(1, f"{one.name}: the plain loop does not compute the same: {wrong}")
    return programs


def difference(program, oocc):
    """None when the plain loop and oocc's program compute the same, but for the order of their sums; else what differs."""
    grid = {1: (5000,), 2: (60, 90)}.get(FEW_DIMS.get(program.name), (24, 20, 40))
    steps, session = 6, program.session
    source, exe, report = (session.folder / f"{program.name}_same{end}" for end in (".stn", "", ".report"))
    source.write_text((HERE / f"programs/{program.name}.stn").read_text() +
                      "\nmonitor total = sum(u[t+1]);\nmonitor squares = sum((1.0 * u[t+1])^2);\n")
    for command in ([oocc, source, "--emit=exe", "-o", exe],
                    [exe, *program.size(grid), "--steps", steps, "--report", report]):
        done = session.execute(command)
        if done.status:
            return done.error()
    ours = json.loads(report.read_text())["measured"]["values"]
    plain = program.run_plain(grid, steps)
    if plain["status"] != "done":
        return plain["reason"]
    near = 1e-11 if "f64" in POINTS[program.name] else 1e-5
    for a, b, what in ((ours["total"], plain["sum"], "the sum of all cells"),
                       (ours["squares"], plain["squares"], "the sum of their squares")):
        if not abs(a - b) <= near * abs(a):
            return f"{what} after {steps} steps is {a!r} with oocc and {b!r} with the plain loop"
    return None


def check_room(session, programs, grid, large, in_memory_bytes):
    """Refuses before anything is measured what would fail in the middle."""
    for name, program in programs.items():
        if grid:
            described = program.plan(grid)["grid"]
            store = 2 * described["state_bytes"] + described["coef_bytes"]
            session.need_space(2 * store, f"{name} on {'x'.join(map(str, grid))} cells, swap file included,",
                               "use a smaller --grid")
            session.need_memory(store + GIB // 4, f"{name} on {'x'.join(map(str, grid))} cells, all in memory,",
                                "use a smaller --grid")
        if large:
            described = program.plan(large)["grid"]
            store = 2 * described["state_bytes"] + described["coef_bytes"]
            session.need_space(store, f"{name} on {'x'.join(map(str, large))} cells", "use a smaller --large")
            if program.most_planes(large, in_memory_bytes) < 16:
                raise Refused(NO_MEMORY, f"not even 16 planes of the large grid fit in {size_text(in_memory_bytes)}; "
                                         "use a smaller --large")
