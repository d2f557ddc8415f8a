"""How time grows, what each ingredient buys: single programs, one thing varied at a time."""
import rounds
from program import Refusal
from rounds import Case
from session import without_huge_pages
from streams import guarded

# (label, arguments or None, what runs before the program): one thing switched off. The arguments' words {ny}, {nx} are the
# grid's. What --help does not name is reported as not offered.
INGREDIENTS = [
    ("no cache blocking (ct 1)", ["--ct", "1"], None),
    ("slabs of one plane (bz 1)", ["--bz", "1"], None),
    ("one tile (yt all rows)", ["--yt", "{ny}"], None),
    ("rows in one piece (xt all cells)", ["--xt", "{nx}"], None),
    ("one column (columns 1)", ["--columns", "1"], None),
    ("columns with halos", ["--column-sides", "halo"], None),
    ("no software prefetch", ["--prefetch", "off"], None),
    ("barriers, no progress counters", ["--barriers", "on"], None),
    ("no huge pages", [], without_huge_pages),
    ("no temporal blocking (sweep)", ["--schedule", "sweep"], None),
]
CHOSEN = ("schedule", "engine", "bt", "bz", "ct", "tiles", "yt", "xt", "pieces", "columns", "column_sides")


class Studies:
    def __init__(self, session, options, results):
        self.session, self.options, self.results = session, options, results

    # -- what each ingredient buys ----------------------------------------------------------------------------------------

    def ingredient(self, program, label, arguments, before):
        grid, options = self.options.grid, self.options
        factor = 16 if 16 in options.factors else options.factors[-1]
        filled = [word.format(ny=grid[1], nx=grid[2]) for word in arguments]
        schedule = [] if "--schedule" in filled else ["--schedule", "stream"]

        def run():
            budget = program.stored_bytes(grid) // factor
            steps, planned = program.steps_for(grid, options.passes, options.most_steps, "--schedule", "stream",
                                               "--memory", budget)
            program.check_offered(filled)
            if "sweep" in filled:
                steps = options.sweep_steps
            elif filled:
                other = program.plan(grid, *schedule, *filled, "--memory", budget, "--steps", options.most_steps)["plan"]
                if all(other.get(key) == planned.get(key) for key in CHOSEN):
                    return {"status": "skipped", "reason": "the plan has it so already"}
                steps = max(steps, other["bt"])
            return program.run(grid, steps, *schedule, *filled, budget=budget, before=before)
        return Case(label, guarded(run))

    def ingredients(self, programs, seconds):
        cases = {}
        for name, program in programs.items():
            cases[name] = [self.ingredient(program, label, arguments, before) for label, arguments, before in INGREDIENTS]
            base = self.ingredient(program, "as planned", [], None)
            base.base = True
            cases[name].insert(0, base)
        rounds.measure(self.results, "ingredients", cases, seconds, 1, self.options.rounds)

    # -- growth -----------------------------------------------------------------------------------------------------------

    def sized(self, program, planes, budget):
        grid, options = (planes, *self.options.grid[1:]), self.options

        def run():
            steps, _ = program.steps_for(grid, options.passes, options.most_steps, "--memory", budget)
            return program.run(grid, steps, budget=budget)
        return Case(f"{planes} planes", guarded(run), more={"planes": planes, "points": planes * grid[1] * grid[2]})

    def threaded(self, program, threads, factor):
        """In memory (factor None), or out of it."""
        grid, options = self.options.grid, self.options
        if factor is None:
            run = lambda: program.run(grid, options.resident_steps, "--schedule", "resident", "--engine", "memory",
                                      "--threads", threads)
        else:
            def run():
                budget = program.stored_bytes(grid) // factor
                arguments = ["--schedule", "stream", "--threads", threads]
                steps, _ = program.steps_for(grid, options.passes, options.most_steps, *arguments, "--memory", budget)
                return program.run(grid, steps, *arguments, budget=budget)
        where = "resident" if factor is None else f"stream {factor}x"
        return Case(f"{where}, {threads} threads", guarded(run), more={"threads": threads, "where": where})

    def plain_threaded(self, program, threads):
        return Case(f"plain, {threads} threads",
                    lambda: program.run_plain(self.options.grid, self.options.plain_steps, threads),
                    more={"threads": threads, "where": "plain"})

    def growth(self, program, cores, seconds):
        options = self.options
        grid = options.grid
        factor = 8 if 8 in options.factors else options.factors[-1]
        budget = program.stored_bytes(grid) // factor
        sizes, planes = [], grid[0]
        while planes >= 16 and len(sizes) < options.growth_sizes:
            sizes.insert(0, planes)
            planes //= 2
        counts = sorted({1 << k for k in range(cores.bit_length()) if 1 << k <= cores} | {cores})
        rounds.measure(self.results, "size", {program.name: [self.sized(program, n, budget) for n in sizes]},
                       seconds / 2, 1, options.rounds)
        far = 16 if 16 in options.factors else options.factors[-1]
        cases = [self.plain_threaded(program, count) for count in counts]
        cases += [self.threaded(program, count, where) for where in (None, far) for count in counts]
        rounds.measure(self.results, "threads", {program.name: cases}, seconds / 2, 1, options.rounds)
        self.results.data["growth_budget_bytes"] = budget
