"""Streams against memory: the matrix of factors, engines and schedules, the large grid, and what bounds the bytes moved."""

import device
import rounds
from program import Refusal
from results import View
from rounds import Case
from session import GIB, MIB

SHORT_PASS = 1  # steps: cores are done with a slab long before it has moved
SHORT_PASSES = 6  # the first writes where the disk has never been written
SHORT_RUNS = 5  # a device may be a third slower a minute later
SHORT_PART = 4  # of the planes, one in so many
ENGINES = ["aio", "uring", "threads", "mmap", "swap"]


def guarded(function):
    """A run whose plan was refused is a record, too."""
    def run():
        try:
            return function()
        except Refusal as refusal:
            return {"status": refusal.status, "reason": str(refusal)}
    return run


class Matrix:
    def __init__(self, session, options, results):
        self.session, self.options, self.results = session, options, results

    # -- one run of each kind ---------------------------------------------------------------------------------------------

    def plain(self, program, grid):
        return Case("plain", lambda: program.run_plain(grid, self.options.plain_steps), base=True)

    def probe(self, program, grid):
        program.probe_streams(grid, program.stored_bytes(grid) // min(self.options.factors))
        program.probe_resident(grid, self.options.resident_steps)

    def resident(self, program, grid):
        run = guarded(lambda: program.run(grid, self.options.resident_steps, "--schedule", "resident", "--engine", "memory"))
        return Case("resident", run, base=True)

    def beside_device(self, program, grid, name=None, like=None):
        """Resident, while the device is kept busy by somebody else: what it takes from the cores, whoever uses it. As busy as the last
        run of case `like` kept it, or as can be."""
        def run():
            pace = None
            if like:
                runs = View(self.results.data).find(section="large", program=name, case=like, status="done")
                if not runs:
                    return {"status": "skipped", "reason": f"there is no {like}"}
                pace = [runs[-1][key] / runs[-1]["seconds"] for key in ("read_bytes", "write_bytes")]
            try:
                with device.busy(self.session, self.options.device_bytes, pace) as rate:
                    figures = self.resident(program, grid).run()
            except OSError as error:
                return {"status": "skipped", "reason": f"no busy device: {error}"}
            if rate[0] == 0:
                return {"status": "skipped", "reason": "the run was over before fio had begun"}
            return {**figures, "beside_rate": rate[0]}

        return Case(f"resident beside fio, as {like}" if like else "resident beside fio", run)

    def disk_bound(self, program, grid, factor):
        """Passes so short that the disk is all that counts, on a part of the grid. Of several runs, each between two measurements of the device
        by itself, the one that reached the median share of these."""
        part, budget = (max(1, grid[0] // SHORT_PART), *grid[1:]), program.stored_bytes(grid) // factor

        def once():
            return program.run(part, SHORT_PASSES * SHORT_PASS, "--schedule", "stream", "--bt", SHORT_PASS, budget=budget)

        def run():
            options, runs = self.options, []
            with device.repeated(self.session, options.device_bytes, options.device_seconds, device.tool_of(options.mode)) as both_ways:
                before = both_ways()
                for _ in range(SHORT_RUNS):
                    figures, after = once(), both_ways()
                    if figures["status"] != "done" or not before or not after:
                        return figures
                    rate, before = (before + after) / 2, after
                    moved = (figures["read_bytes"] + figures["write_bytes"]) / figures["seconds"]
                    runs.append({**figures, "device_rate": rate, "share": moved / rate})
            runs.sort(key=lambda r: r["share"])
            return {**runs[len(runs) // 2], "shares": [r["share"] for r in runs]}
        return Case(f"stream {factor}x, disk bound", guarded(run), more={"factor": factor, "schedule": "stream"})

    def with_swap(self, program, grid, engine, run):
        """The engine swap needs somewhere to swap to: for the time of this run."""
        if engine != "swap":
            return run()
        program.check_offered(["--engine", engine])
        described = program.plan(grid)["grid"]
        with self.session.swap_file(2 * described["state_bytes"] + described["coef_bytes"] + 256 * MIB) as file:
            if file.error:
                return {"status": "skipped", "reason": file.error}
            return run()

    def out_of_core(self, program, grid, factor, label, *arguments, core=True, passes=None, most_steps=None, tune=None,
                    **more):
        """A case at `factor` times the memory."""
        options = self.options
        engine = arguments[arguments.index("--engine") + 1] if "--engine" in arguments else "auto"

        def run():
            budget = program.stored_bytes(grid) // factor
            steps, _ = program.steps_for(grid, passes or options.passes, most_steps or options.most_steps, *arguments,
                                         "--memory", budget)
            # A tuned plan is kept where the other runs do not find it.
            more_arguments = ["--tune", "--tune-seconds", tune] if tune else []
            environment = {"OOCC_CACHE": str(self.session.folder / "tuned")} if tune else None
            figures = self.with_swap(program, grid, engine, lambda: program.run(
                grid, steps, *arguments, *more_arguments, budget=budget, environment=environment))
            return {**figures, "bound_bytes": self.bound(program, grid, budget, steps)}
        return Case(label, guarded(run), core=core, more={"factor": factor, "asked_engine": engine, **more})

    # -- the lower bound --------------------------------------------------------------------------------------------------

    def bound(self, program, grid, budget, steps):
        """The least bytes that any plan of schedule stream moves for these steps within the budget.

        That is of the deepest pass whose window fits at all (slabs of one plane), with any number of columns that this
        build offers: its passes, each of which reads state and coefficients and writes the state once.
        """
        columns = [1, 2, 3, 4, 6, 8] if program.offers("columns") else [None]
        found = [self.bound_with(program, grid, budget, steps, count) for count in columns]
        return min([count for count in found if count], default=None)

    @staticmethod
    def bound_with(program, grid, budget, steps, columns):
        def bytes_at(bt):
            try:
                plan = program.plan(grid, "--schedule", "stream", "--memory", budget, "--steps", steps, "--bt", bt,
                                    "--bz", 1, *(["--columns", columns] if columns else []))["plan"]
                return plan["read_bytes"] + plan["write_bytes"]
            except Refusal:
                return None
        low, high, least = 0, steps, None
        while low < high:
            middle = (low + high + 1) // 2
            moved = bytes_at(middle)
            if moved is None:
                high = middle - 1
            else:
                low, least = middle, moved if least is None else min(least, moved)
        return least

    # -- the sections -----------------------------------------------------------------------------------------------------

    def matrix_cases(self, program):
        grid, options = self.options.grid, self.options
        cases = [self.plain(program, grid), self.resident(program, grid)]
        for factor in options.factors:
            for engine in options.engines:
                cases.append(self.out_of_core(program, grid, factor, f"stream {factor}x {engine}", "--schedule", "stream",
                                              "--engine", engine, core=engine == options.engines[0] or factor == 16,
                                              passes=options.swap_passes if engine == "swap" else None, schedule="stream"))
        far = 16 if 16 in options.factors else options.factors[-1]
        for label, more in ((f"overlap {far}x, one level", ["--ct", "1"]), (f"overlap {far}x, two levels", [])):
            cases.append(self.out_of_core(program, grid, far, label, "--schedule", "overlap", *more, schedule="overlap"))
        cases.append(self.out_of_core(program, grid, far, f"stream {far}x, tuned", "--schedule", "stream", core=False,
                                      tune=options.tune_seconds, schedule="stream"))
        for engine in ("mmap", "swap"):
            cases.append(self.out_of_core(program, grid, 2, f"sweep 2x {engine}", "--schedule", "sweep", "--engine", engine,
                                          core=False, most_steps=options.sweep_steps, passes=options.sweep_steps,
                                          schedule="sweep"))
        return cases

    def matrix(self, programs, seconds):
        cases = {name: self.matrix_cases(program) for name, program in programs.items()}
        for program in programs.values():
            self.probe(program, self.options.grid)
        rounds.measure(self.results, "matrix", cases, seconds, 1, self.options.rounds)

    def large(self, programs, seconds, in_memory_bytes):
        """Streams of a grid that does not fit in memory, beside the largest part of it that does."""
        options, cases = self.options, {}
        length = {"passes": options.large_passes, "most_steps": options.large_steps}
        for name, program in programs.items():
            part = (program.most_planes(options.large, in_memory_bytes), *options.large[1:])
            program.probe_resident(part, options.resident_steps)  # streams are long enough to do so by themselves
            self.results.data["large_parts"] = {**self.results.data.get("large_parts", {}), name: part}
            cases[name] = [self.plain(program, part), self.resident(program, part), self.beside_device(program, part)]
            for factor in options.large_factors:
                cases[name].append(self.out_of_core(program, options.large, factor, f"stream {factor}x", "--schedule",
                                                    "stream", schedule="stream", **length))
                cases[name].append(self.beside_device(program, part, name, f"stream {factor}x"))
                if program.offers("column-sides"):
                    cases[name].append(self.out_of_core(program, options.large, factor, f"stream {factor}x, halos", "--schedule",
                                                        "stream", "--column-sides", "halo", schedule="stream", **length))
        first = next(iter(programs))  # of the disk, one program tells as much as all
        cases[first].append(self.disk_bound(programs[first], options.large, options.large_factors[0]))
        rounds.measure(self.results, "large", cases, seconds, 1, options.rounds)

    def dims(self, programs, grids, seconds):
        """Grids of one and two dimensions, whose passes are deep: a plane is a row, or a block of cells."""
        options, cases = self.options, {}
        far = 16 if 16 in options.factors else options.factors[-1]
        for name, program in programs.items():
            grid = grids[name]
            self.probe(program, grid)
            cases[name] = [self.plain(program, grid), self.resident(program, grid),
                           self.out_of_core(program, grid, far, f"stream {far}x", "--schedule", "stream", passes=1,
                                            most_steps=options.deep_steps, schedule="stream")]
        rounds.measure(self.results, "dims", cases, seconds, 1, options.rounds)


def in_memory_budget(available):
    """What in-memory runs of a large part may use."""
    return max(int(0.8 * available) - GIB // 2, available // 2)
