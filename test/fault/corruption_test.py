"""Bytes that are not those that were stored: found before they are used, whatever put them there."""
import random
import re
import shutil
import unittest

import seal
import suite
from trials import LONG, Subject, Trial, happened, try_all

IN_RUN = 4000 if LONG else 420
IN_STRIPS = 1000 if LONG else 28
AT_REST = 1000 if LONG else 192
KINDS = ("flip-write", "flip-write", "flip-read", "swap", "stale", "misdirect", "misread")
PLANS = (["--io-request", "4K"], ["--io-request", "8K", "--scratch", "a,b,c"], ["--schedule", "overlap", "--io-request", "4K"],
         ["--io-request", "4K", "--scratch", "a,b"], [])
STRIP = re.compile(r"error: \S+/strips is damaged: field \w+, level \d+ of slab \d+ \(byte \d+\)")
MESSAGE = re.compile(r"error: \S+ is damaged: field \w+, ((rows \d+ to \d+ of )?plane \d+, level -?\d+|level \d+ of slab \d+) "
                     r"\(byte \d+\)")


def go_on(trial, args, kind, strip):
    """A strip is of no pass that was committed: what was is whole, unless a write went there."""
    if strip:
        status = trial.run(*args, "--resume").returncode
        if status != 76 or kind not in ("swap", "misdirect"):
            return status
    return trial.run(*args, "--restart").returncode


def in_run(subject, engine, kind, plan, k, seed):
    spec = f"{kind}@{k}:seed={seed}"
    args = ["--engine", engine, *plan]
    with Trial(subject) as trial:
        done = trial.run(*args, "--fault", spec)
        wrong = None
        if done.returncode == 0:
            result = "harmless" if happened(done)[0] else "did not come to it"
            if trial.wrong_outputs():
                wrong = f"other bits, and nobody noticed: {trial.wrong_outputs()}"
        elif done.returncode != 76 or not MESSAGE.search(done.stderr):
            result, wrong = "wrong", f"status {done.returncode}"
        else:
            strip = STRIP.search(done.stderr) is not None
            result = "found in a strip" if strip else "found"
            if trial.wrong_outputs(whole=False):
                wrong = f"damaged outputs: {trial.wrong_outputs(whole=False)}"
            elif strip or seed % 5 == 0:
                status = go_on(trial, args, kind, strip)
                if status or trial.wrong_outputs() or trial.leftovers():
                    wrong = f"going on: status {status}, {trial.wrong_outputs()} {trial.leftovers()}"
    return f"{engine} {kind}: {result}", f"{subject.name} {' '.join(args)} --fault {spec}: {wrong}\n{done.stderr}" if wrong else None


# -- what is kept, between two runs -----------------------------------------------------------------------------------------

BLOCK = 4096


def flip_bit(path, source):
    data = bytearray(path.read_bytes())
    bit = source.randrange(8 * len(data))
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)


def record(path, source):
    """Where a record begins, at random."""
    return source.randrange(path.stat().st_size // BLOCK) * BLOCK


def put(path, at, data):
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(data)


def get(path, at):
    with open(path, "rb") as file:
        file.seek(at)
        return file.read(BLOCK)


def swap_records(path, source, other=None):
    other = other or path
    a, b = record(path, source), record(other, source)
    first, second = get(path, a), get(other, b)
    put(path, a, second)
    put(other, b, first)


def relabel(manifest, source):
    """The whole generation is said to be of another level; the manifest is sealed again, so only what checksums know of
    their records tells."""
    level = source.choice([2, 3, 5])
    text = manifest.read_bytes()
    manifest.write_bytes(seal.sealed(re.sub(rb"(?m)^level \d+$", b"level %d" % level, text)))


def exchange(trial, places, source):
    """Two records of the whole generation change places, and their checksums in the manifest as well, sealed again. Of
    several members, whose planes are dealt out, the checksums alone."""
    manifest = places[0] / "manifest"
    lines = manifest.read_bytes().split(b"\n")
    generation = int(next(line for line in lines if line.startswith(b"generation")).split()[1])
    planes = int(next(line for line in lines if line.startswith(b"planes")).split()[1])
    state = [i + 1 for i, line in enumerate(lines)
             if line.startswith(b"sums ") and line.split()[1] != trial.subject.coefficient]
    a, b = source.sample(range(planes * len(state)), 2)
    first, second = (state[i // planes] + i % planes for i in (a, b))
    lines[first], lines[second] = lines[second], lines[first]
    manifest.write_bytes(seal.sealed(b"\n".join(lines)))
    if len(places) == 1:
        path = places[0] / f"gen{generation}"
        one, other = get(path, a * BLOCK), get(path, b * BLOCK)
        put(path, a * BLOCK, other)
        put(path, b * BLOCK, one)


def spoil(trial, scratches, kind, source):
    """Does something to the files of a kept scratch; `trial.older` has those of two passes before."""
    places = [trial.folder / name for name in scratches]
    place = source.choice(places)
    file = place / source.choice(["gen0", "gen1", "coef"])
    if kind == "flip":
        flip_bit(file, source)
    elif kind == "flip a text":
        flip_bit(source.choice([p for p in (place / "manifest", place / "member") if p.exists()]), source)
    elif kind == "flip a trace":
        flip_bit(source.choice([p for p in places[0].glob("trace*")] or [file]), source)
    elif kind == "swap":
        swap_records(file, source)
    elif kind == "swap across files":
        swap_records(file, source, source.choice(places) / source.choice(["gen0", "gen1", "coef"]))
    elif kind == "stale record":
        at = record(file, source)
        put(file, at, get(trial.older / file.relative_to(trial.folder), at))
    elif kind == "stale file":
        shutil.copy(trial.older / file.relative_to(trial.folder), file)
    elif kind == "stale manifest":
        shutil.copy(trial.older / scratches[0] / "manifest", places[0] / "manifest")
    elif kind == "another level":
        relabel(places[0] / "manifest", source)
    elif kind == "records and sums exchanged":
        exchange(trial, places, source)
    elif kind == "files exchanged":
        other = source.choice(places) / source.choice(["gen0", "gen1", "coef"])
        first, second = file.read_bytes(), other.read_bytes()
        file.write_bytes(second)
        other.write_bytes(first)
    else:  # "shorter"
        with open(file, "r+b") as cut:
            cut.truncate(source.randrange(file.stat().st_size))


SPOILT = ("flip", "flip a text", "flip a trace", "swap", "swap across files", "stale record", "stale file",
          "stale manifest", "files exchanged", "shorter", "another level", "records and sums exchanged")


def at_rest(subject, engine, kind, seed):
    """Four steps kept, two of the passes before kept aside; something is spoilt; on to six."""
    source = random.Random(seed)
    scratches = source.choice([[f"{subject.name}.scratch"], ["a", "b"]])
    args = ["--engine", engine, "--scratch", ",".join(scratches)]
    with Trial(subject) as trial:
        trial.older = trial.folder / "older"
        trial.run(*args, "--bt", 1, "--steps", 2, "--keep", status=0)
        for name in scratches:
            shutil.copytree(trial.folder / name, trial.older / name)
        trial.run(*args, "--bt", 1, "--steps", 4, "--keep", "--resume", status=0)
        for path in trial.outputs():
            (trial.folder / path).unlink()
        spoil(trial, scratches, kind, source)
        done = trial.run(*args, "--resume", "--steps", 6)
        outputs = trial.outputs()
        wrong = None
        if done.returncode == 0:
            result = f"{engine} {kind}: harmless"
            if any(outputs.get(name) != subject.want[name] for name in subject.want if not re.search(r"-\d", name)):
                wrong = "other bits, and nobody noticed"
        elif done.returncode in (65, 76):
            result = f"{engine} {kind}: found"
            if any(subject.want.get(name) != data for name, data in outputs.items()):
                wrong = "damaged outputs"
        else:
            result, wrong = "wrong", f"status {done.returncode}"
    return result, f"{subject.name} {engine} {kind}, seed {seed}: {wrong}\n{done.stderr}" if wrong else None


class Corruption(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.subjects = [Subject("wave"), Subject("ring")]
        cls.engines = cls.subjects[0].engines()[0]

    @classmethod
    def tearDownClass(cls):
        for subject in cls.subjects:
            subject.close()

    def counts(self):
        """Transfers of every kind in every plan."""
        found = {}
        for subject in self.subjects:
            for plan in PLANS:
                for kind in set(KINDS):
                    with Trial(subject) as trial:
                        done = trial.run("--engine", "threads", *plan, "--fault", f"{kind}@{10 ** 9}", status=0)
                    found[subject, tuple(plan), kind] = happened(done)[1]
        return found

    def test_in_a_run(self):
        source, counts, cases = random.Random(1), self.counts(), []
        for i in range(IN_RUN):
            subject, plan, kind = self.subjects[i % 2], PLANS[i % len(PLANS)], KINDS[i % len(KINDS)]
            k = source.randint(1, max(1, counts[subject, tuple(plan), kind]))
            engines = self.engines if "--scratch" in plan else [*self.engines, "memory"]
            cases.append((subject, source.choice(engines), kind, plan, k, i))
        counter = try_all(in_run, cases)
        suite.leave_promise("flipped bits, and swapped, stale, misdirected and misread records, are found before they are used",
                            counter)
        counter.check(self)
        self.assertGreater(sum(times for came, times in counter.kinds.items() if came.endswith(": found")), IN_RUN * 2 // 3)
        for engine in [*self.engines, "memory"]:
            for kind in set(KINDS):
                self.assertGreater(counter.kinds.get(f"{engine} {kind}: found", 0), 0, (engine, kind))

    def test_in_strips(self):
        """Of columns that lean: what one leaves to the next."""
        subject, source, cases = Subject("cut"), random.Random(2), []
        try:
            for kind in sorted(set(KINDS)):
                for plan in (["--bz", "1", "--bt", "3"], ["--bz", "1", "--bt", "6"], ["--bz", "1", "--bt", "2", "--commit-every", "1000"]):
                    with Trial(subject) as trial:
                        count = happened(trial.run("--engine", "threads", *plan, "--fault", f"{kind}@{10 ** 9}", status=0))[1]
                    cases += [(subject, source.choice(self.engines), kind, plan, k, k)
                              for k in range(count // 4, count, max(1, count // IN_STRIPS))]
            counter = try_all(in_run, cases)
        finally:
            subject.close()
        suite.leave_promise("what columns leave to each other is checked: mistakes of the same kinds are found before a pass is committed",
                            counter)
        counter.check(self)
        in_strips = {re.split("[ :-]", came)[1] for came in counter.kinds if came.endswith("found in a strip")}
        self.assertEqual(in_strips, {kind.split("-")[0] for kind in KINDS})

    def test_at_rest(self):
        cases, count = [], len(self.engines)
        for i in range(AT_REST):
            turn = i // len(SPOILT)  # every engine meets every kind
            cases.append((self.subjects[turn // count % 2], self.engines[turn % count], SPOILT[i % len(SPOILT)], i))
        counter = try_all(at_rest, cases)
        suite.leave_promise("a scratch that was changed between two runs is found out before it is used", counter)
        counter.check(self)
        for kind in SPOILT:
            self.assertGreater(sum(counter.kinds.get(f"{engine} {kind}: found", 0) for engine in self.engines), 0, kind)


if __name__ == "__main__":
    unittest.main()
