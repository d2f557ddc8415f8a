"""Draws how a random program is run: schedule, engine, threads and knobs, and where it is stopped."""
import random

import compilers
from trial import Way

STRIPES = ["stripe1,stripe2", "stripe2,stripe3,stripe1"]


def draw_way(rng, program):
    way = one_way(rng, program)
    later = random.Random(f"later {program.seed} {way.options}")     # so that other draws stay what they are
    if way.resumed and later.random() < 0.8:
        way.first = later.random()
        way.later = goes_on(later, program, way)
    return way


def goes_on(rng, program, way):
    """Other options for the rest of a run: all but where its state is."""
    for _ in range(20):
        options = one_way(rng, program).options
        durable = options[options.index("--engine") + 1] not in ("memory", "swap")
        contradicts = way.compiled and "--tune" in options
        if durable and not contradicts and options[options.index("--schedule") + 1] in ("stream", "overlap"):
            if "--scratch" in options:
                at = options.index("--scratch")
                options = options[:at] + options[at + 2:]
            kept = way.options.index("--scratch") if "--scratch" in way.options else len(way.options)
            return options + way.options[kept:kept + 2]
    return None


def one_way(rng, program):
    waits = any(w.feeds for w in program.watches)      # a pass is one step
    schedule = rng.choice(["stream"] * 5 + ["overlap"] * 3 + ["resident"] * 2 + ["sweep"])
    engine = rng.choice(["memory"] * (5 if schedule == "resident" else 1) + ["mmap", "aio", "threads", "swap", "auto", "auto"])
    way = ["--schedule", schedule, "--engine", engine, "--threads", rng.choice([1, 2, 4])]
    knobs = []
    if schedule in ("stream", "overlap") and rng.random() < 0.85:
        bt = 1 if waits else rng.randint(1, min(program.steps, 9))
        knobs += ["--bt", bt]
        if rng.random() < 0.8:
            knobs += ["--bz", rng.randint(1, 7)]
        if rng.random() < 0.6:
            knobs += ["--ct", rng.randint(1, bt)]
    if schedule == "resident" and not waits and rng.random() < 0.5:
        knobs += ["--ct", rng.randint(1, program.steps)]
    tiled = {1: None, 2: 1}.get(len(program.dims), 1)
    if tiled is not None and schedule != "sweep" and rng.random() < 0.5:
        knobs += ["--yt", rng.randint(1, program.extents[tiled])]
    if tiled is not None and schedule != "sweep" and rng.random() < 0.4:
        way += ["--chains", rng.randint(1, 5)]
    if len(program.dims) == 3 and not program.wraps(program.dims[-1]) and schedule != "sweep" and rng.random() < 0.5:
        knobs += ["--xt", rng.randint(1, program.extents[-1])]
    cuts = rng.random() < 0.5       # where planes can be cut into columns
    stored = schedule in ("stream", "overlap") or schedule == "sweep" and engine not in ("memory", "swap")
    if stored and program.can_have_columns() and cuts:
        knobs += ["--columns", rng.randint(2, 4)]
        # Drawn apart, so that other draws stay what they are. What cannot lean all the same is run without (trial.py).
        apart = random.Random(f"sides {program.seed} {way} {knobs}")
        sides = apart.choice(["lean"] * 7 + ["halo"] * 2 + ["auto"])
        if sides == "lean":
            schedule = "stream" if schedule == "overlap" else schedule
            engine = apart.choice(["mmap", "aio", "threads", "auto"]) if engine in ("memory", "swap") else engine
            way[1], way[3] = schedule, engine
        way += ["--column-sides", sides] if sides != "auto" else []
    knobs = [str(part) for part in knobs]
    compiled = schedule in ("stream", "overlap") and "--yt" not in knobs and rng.random() < 0.08
    if engine not in ("memory", "swap") and rng.random() < 0.3:
        way += rng.choice([["--io-depth", rng.choice([1, 3, 40])], ["--io-request", rng.choice(["4K", "20K", "1M"])]])
    if rng.random() < 0.4:
        way += ["--memory", compilers.budget(rng.choice([24, 32, 48]))]
    if engine not in ("memory", "swap") and rng.random() < 0.3:
        way += ["--scratch", rng.choice(STRIPES)]
    # Any legal tiles will do, and others for every slab.
    if schedule != "sweep" and not {"--ct", "--yt"} & set(knobs) and rng.random() < 0.6:
        way += ["--adapt", f"random:{rng.randrange(1000)}"]
    # Trials of plans, on the real store, are not seen by what follows; what wins chooses later runs' plans.
    if not knobs and schedule != "sweep" and rng.random() < 0.5:
        way += ["--tune", "--tune-seconds", "0.1", "--probe", "off"]
    if rng.random() < 0.1:
        way += rng.choice([["--prefetch", "off"], ["--barriers", "on"]])
    resumed = schedule in ("stream", "overlap") and engine not in ("memory", "swap") and program.steps > 1 and rng.random() < 0.25
    return Way([str(part) for part in way] + ([] if compiled else knobs), resumed, compiled=knobs if compiled else [])
