"""Programs whose names were drawn from those that could be taken for something else."""
import concurrent.futures
import random
import tempfile
import unittest
from pathlib import Path

import emitted
import judge
import names
import rename

TEMPLATES = sorted((Path(__file__).resolve().parent / "templates").glob("*.stn"))
WAYS = [[], ["--fma"], ["--jam", "1x1"], ["--jam", "2x2"], ["--jam", "4x1"]]
seeds = range(1, 61)


def program(seed):
    """(template, its text with drawn names, options)"""
    rng = random.Random(f"hostile {seed}")
    template = TEMPLATES[seed % len(TEMPLATES)]
    text = template.read_text()
    new = names.draw(rng, rename.names_of(text))
    return template, rename.renamed(text, new)[0], rng.choice(WAYS)


def check(seed, folder):
    """None, or what is wrong with the program."""
    template, text, options = program(seed)
    folder = Path(folder) / str(seed)
    folder.mkdir()
    (folder / "plain.stn").write_text(template.read_text())
    (folder / "hostile.stn").write_text(text)
    for which in ("plain", "hostile"):
        made, wrong = judge.compile_program(folder / f"{which}.stn", folder / f"{which}.c", *options)
        if wrong or not made:
            return f"{which}: {wrong or 'it is refused'}" if which == "plain" or wrong else "refused"
    wrong = judge.check_c(folder / "hostile.c")
    if wrong or not emitted.tool():
        return wrong
    return judge.same_but_names(folder / "plain.c", folder / "hostile.c")


def show(seed):
    template, text, options = program(seed)
    with tempfile.TemporaryDirectory(prefix="oocc-hostile-") as folder:
        wrong = check(seed, folder)
    print(f"{text}\n// of {template.name}, compiled with: {' '.join(options) or 'nothing more'}")
    print(wrong or "nothing is wrong")
    return 1 if wrong and wrong != "refused" else 0


class Drawn(unittest.TestCase):
    def test_names(self):
        with tempfile.TemporaryDirectory(prefix="oocc-hostile-") as folder, \
                concurrent.futures.ThreadPoolExecutor(emitted.jobs()) as pool:
            found = list(pool.map(lambda seed: (seed, check(seed, folder)), seeds))
        refused = [seed for seed, wrong in found if wrong == "refused"]
        wrong = [f"{seed}: {wrong} (again: test/hostile/run.py --seed {seed})" for seed, wrong in found
                 if wrong and wrong != "refused"]
        self.assertEqual(wrong, [], "\n".join(wrong))
        self.assertLess(len(refused), len(found) / 4 + 1, f"refused: {refused}; what remains shows too little")
