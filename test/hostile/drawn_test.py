"""Programs whose names were drawn from those that could be taken for something else."""
import concurrent.futures
import random
import tempfile
import unittest
from pathlib import Path

import cases_test as cases
import emitted
import judge
import names
import rename
import suite

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


def mutated(seed):
    """A template in which a few words are replaced, doubled, taken out, or follow something hostile."""
    rng = random.Random(f"mutated {seed}")
    words = [t.encode() for t in rename.TOKEN.findall(TEMPLATES[seed % len(TEMPLATES)].read_text())]
    pool = [*cases.FRAGMENTS, *cases.BAD_IN_STRINGS, *(w.encode() for w in names.KEYWORDS + names.LIBRARY + names.EMITTER)]
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(len(words))
        words[at:at + rng.choice([0, 1, 1, 2])] = [rng.choice([rng.choice(pool), rng.choice(words), words[at] * 2, b""])]
    return b"".join(words)


def show(seed):
    template, text, options = program(seed)
    with tempfile.TemporaryDirectory(prefix="oocc-hostile-") as folder:
        wrong = check(seed, folder)
    print(f"{text}\n// of {template.name}, compiled with: {' '.join(options) or 'nothing more'}")
    print(wrong or "nothing is wrong")
    return 1 if wrong and wrong != "refused" else 0


class Drawn(unittest.TestCase):
    tried = failed = 0

    @classmethod
    def tearDownClass(cls):
        suite.leave_promise("no program is taken for something else by C, a shell or a terminal", cls.tried, cls.failed)

    @classmethod
    def count(cls, tried, failed):
        cls.tried, cls.failed = cls.tried + tried, cls.failed + failed

    def test_mutated_programs(self):
        """They are refused, or mean something: never a crash, never C that a compiler refuses."""
        with tempfile.TemporaryDirectory(prefix="oocc-hostile-") as folder:
            emitted_files = []
            for seed in seeds:
                for part in range(4):
                    source, out = Path(folder) / f"{seed}-{part}.stn", Path(folder) / f"{seed}-{part}.c"
                    source.write_bytes(mutated(4 * seed + part))
                    made, wrong = judge.compile_program(source, out)
                    self.count(1, wrong is not None)
                    self.assertIsNone(wrong, f"mutated {4 * seed + part}: {wrong}\n{source.read_bytes()!r}")
                    emitted_files += [out] if made else []
            for at in range(0, len(emitted_files), 100):
                wrong = judge.check_c(*emitted_files[at:at + 100])
                self.count(0, wrong is not None)
                self.assertIsNone(wrong, wrong)

    def test_names(self):
        with tempfile.TemporaryDirectory(prefix="oocc-hostile-") as folder, \
                concurrent.futures.ThreadPoolExecutor(emitted.jobs()) as pool:
            found = list(pool.map(lambda seed: (seed, check(seed, folder)), seeds))
        refused = [seed for seed, wrong in found if wrong == "refused"]
        wrong = [f"{seed}: {wrong} (again: test/hostile/run.py --seed {seed})" for seed, wrong in found
                 if wrong and wrong != "refused"]
        self.count(len(found), len(wrong))
        self.assertEqual(wrong, [], "\n".join(wrong))
        self.assertLess(len(refused), len(found) / 4 + 1, f"refused: {refused}; what remains shows too little")
