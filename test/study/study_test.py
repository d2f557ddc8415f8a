#!/usr/bin/env python3
"""Variants and their study: a study that is stopped and killed on its way measures everything once, and says so in every format."""
import csv
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support")]

import programs
import suite
from programs import call, compiler

try:
    import jsonschema
except ImportError:
    jsonschema = None

HEAT = programs.ROOT / "examples/heat3d/heat3d.stn"
DAMPED = """stencil damped;
param n : int = 14;
grid (z: n, y: n, x: n);
field u : f64;
init u = (z*5 + y*3 + x) % 7;
boundary u = fixed;
scalar q = mean(abs(u));
step { u[t+1] = u + 0.1 / (1 + q) * (u[x-1] + u[x+1] + u[y-1] + u[y+1] + u[z-1] + u[z+1] - 6*u); }
steps 4;
"""


def space(knobs, **more):
    listed = [{"name": name, "values": values} for name, values in knobs.items()]
    return {"format": "oocc-space", "version": 1, "knobs": listed, **more}


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="oocc-study-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def write(self, knobs, program=HEAT, options=("-D", "n=16"), status=0, **more):
        """Variants in self.folder / "v"."""
        if isinstance(program, str):
            (self.folder / "program.stn").write_text(program)
            program = self.folder / "program.stn"
        (self.folder / "space.json").write_text(json.dumps(space(knobs, **more)))
        return call([compiler(), program, *options, "--variants", "space.json", "-o", "v"], self.folder, status)

    def manifest(self):
        return json.loads((self.folder / "v/manifest.json").read_text())

    def study(self, *arguments, status=0):
        return call([compiler(), "study", "v", "--progress", "off", *arguments], self.folder, status, timeout=120)

    def journal(self):
        return [json.loads(line) for line in (self.folder / "v/study/journal.jsonl").read_text().splitlines()]

    def runs(self):
        return [entry for entry in self.journal() if "run" in entry]

    def rows(self, name):
        with open(self.folder / "v/study" / name, newline="") as file:
            return list(csv.DictReader(file))

    def load(self, name):
        return json.loads((self.folder / "v/study" / name).read_text())


class Spaces(Folder):
    """Constraints choose what Python says they choose."""

    KNOBS = {"bt": [1, 2, 3, 4, 6, 8], "ct": [1, 2, 3, 4, 5], "yt": [1, 4, 7], "schedule": ["stream", "resident"]}

    def chosen(self, constraints):
        self.write(self.KNOBS, constraints=constraints)
        manifest = self.manifest()
        return {tuple(each["knobs"].values()) for each in manifest["variants"] + manifest["left_out"]}

    def test_constraints_mean_what_they_mean_in_python(self):
        for constraints in (["ct <= bt", "bt % ct == 0"], ["1 <= ct < bt <= 6"], ["not (bt > 4 or ct > 2) and yt != 4"],
                            ["(ct - bt) // 2 == -2"], ["(ct - bt) % 3 == 1"], ["bt / ct >= 1.5", "min(bt, ct, yt) * 2 == max(2, ct)"],
                            ["schedule == 'stream' or yt > 4"], ["-bt + 2 * ct - 1 > 0", "schedule != 'stream'"],
                            ["bt - ct - 1 == 1"], ["8 // bt // ct == 1"], ["bt * ct % 5 == 2", "True"]):
            with self.subTest(constraints):
                names = list(self.KNOBS)
                want = {values for values in itertools.product(*self.KNOBS.values())
                        if all(eval(text, {"min": min, "max": max}, dict(zip(names, values))) for text in constraints)}
                self.assertTrue(0 < len(want) < 180)
                self.assertEqual(self.chosen(constraints), want)

    def test_names_do_not_depend_on_the_space(self):
        self.write({"bt": [2, 4], "ct": [1, 2], "engine": ["memory", "threads"]})
        before = {json.dumps(each["knobs"], sort_keys=True): each for each in self.manifest()["variants"]}
        self.write({"engine": ["threads"], "ct": [2, 1], "bt": [8, 4, 2]})
        both = 0
        for each in self.manifest()["variants"]:
            same = before.get(json.dumps(each["knobs"], sort_keys=True))
            if same:
                both += 1
                self.assertEqual(each, {**same, "knobs": each["knobs"]})
        self.assertEqual(both, 4)

    def test_a_sample_is_part_of_the_product_and_comes_again(self):
        self.write(self.KNOBS, constraints=["ct <= bt"])
        product = [each["name"] for each in self.manifest()["variants"]]
        taken = []
        for seed in (1, 1, 2):
            self.write(self.KNOBS, constraints=["ct <= bt"], sample={"count": 20, "seed": seed})
            taken.append([each["name"] for each in self.manifest()["variants"]])
            self.assertEqual(len(set(taken[-1])), 20)
            self.assertEqual(taken[-1], [name for name in product if name in taken[-1]])
        self.assertEqual(taken[0], taken[1])
        self.assertNotEqual(taken[0], taken[2])

    def test_a_sample_is_of_what_is_legal(self):
        self.write({"bt": [1, 2], "ct": [1, 2], "yt": list(range(1, 41))}, sample={"count": 100, "seed": 3})  # 120 of 160 are
        self.assertEqual(len(self.manifest()["variants"]), 100)

    def test_what_is_not_legal_is_listed_with_its_reason(self):
        self.write({"bt": [1, 2], "schedule": ["sweep", "stream"]}, program=DAMPED, options=())
        manifest = self.manifest()
        self.assertEqual([each["knobs"]["bt"] for each in manifest["variants"]], [1, 1])
        for each in manifest["left_out"]:
            self.assertEqual(each["knobs"]["bt"], 2)
        self.assertIn("'q'", manifest["left_out"][1]["reason"])

    def test_c_that_is_the_same_is_one_file(self):
        self.write({"bt": [2, 4], "engine": ["memory", "threads"], "fma": [False, True], "jam": ["1x1", "1x2"]})
        manifest = self.manifest()
        self.assertEqual(len(manifest["variants"]), 16)
        self.assertEqual(len(manifest["files"]), 8)
        for file in manifest["files"]:
            self.assertEqual((self.folder / "v" / file["file"]).stat().st_size, file["bytes"])
        self.assertEqual(len({file["program_hash"] for file in manifest["files"]}), 2)
        self.assertEqual(len(list((self.folder / "v/c").iterdir())), 8)

    def test_a_default_space_has_variants(self):
        for example in ("heat3d", "oscillator", "life", "wave3d", "poisson"):
            with self.subTest(example):
                source = programs.ROOT / f"examples/{example}/{example}.stn"
                call([compiler(), source, "--space", "-o", "space.json"], self.folder)
                call([compiler(), source, "--variants", "space.json", "-o", example], self.folder)
                manifest = json.loads((self.folder / example / "manifest.json").read_text())
                self.assertGreater(len(manifest["variants"]), 3)
                for knob in manifest["space"]["knobs"]:
                    self.assertIn(knob["default"], knob["values"])


class Studies(Folder):
    """60 variants of a tiny grid."""

    KNOBS = {"bt": [1, 2, 4], "ct": [1, 2], "cflags": ["-O1"], "engine": ["memory", "threads", "mmap"], "layout": ["padded", "dense"],
             "schedule": ["stream", "resident"]}
    MORE = {"constraints": ["ct <= bt"]}
    REPEATS = 2

    def command(self):
        return [compiler(), "study", "v", "--repeats", str(self.REPEATS), "--steps", "6", "--seed", "7", "--jobs", "2"]

    def begin(self, runs):
        """Starts the study and waits until so many runs more are in the journal."""
        journal = self.folder / "v/study/journal.jsonl"
        count = lambda: journal.read_text().count('"run"') if journal.exists() else 0
        wanted = count() + runs
        running = subprocess.Popen(self.command(), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.kill)
        self.addCleanup(running.stderr.close)
        deadline = time.monotonic() + 60
        while count() < wanted:
            self.assertIsNone(running.poll(), "the study ended before it could be stopped")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)
        return running

    def processes(self):
        """Command lines of those that are still at work here."""
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if str(self.folder).encode() in (line := entry.read_bytes()):
                    yield line
            except OSError:
                pass

    def check_processes(self):
        """None is left, as soon as the kernel comes to it: on a busy machine a process that is killed is there for a while."""
        deadline = time.monotonic() + 10
        while left := list(self.processes()):
            self.assertLess(time.monotonic(), deadline, left)
            time.sleep(0.05)

    def test_stopped_and_killed_on_the_way(self):
        self.write(self.KNOBS, **self.MORE)
        names = {each["name"] for each in self.manifest()["variants"]}
        self.assertGreaterEqual(len(names), 50)

        running = self.begin(12)
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=30)[1]
        self.assertEqual(running.returncode, 75, said)
        self.assertIn("goes on from there", said)
        self.check_processes()
        done = self.journal()
        self.assertEqual(len(self.rows("measurements.csv")), len(self.runs()))

        running = self.begin(12)
        running.kill()
        running.wait()
        self.check_processes()
        with open(self.folder / "v/study/journal.jsonl", "ab") as journal:
            journal.write(b'{"run": "torn')  # what a kill in the middle of a line leaves
        call(self.command(), self.folder, timeout=120)
        entries = self.journal()
        self.assertEqual(entries[:len(done)], done)

        runs = [(entry["run"], entry["round"]) for entry in self.runs()]
        self.assertEqual(len(runs), len(set(runs)))
        self.assertEqual(set(runs), set(itertools.product(names, range(self.REPEATS))))
        self.assertEqual({entry["status"] for entry in self.runs()}, {"done"})
        self.assertEqual(len({entry["measured"]["result_hash"] for entry in self.runs()}), 1)
        self.assertEqual({entry["measured"]["steps"] for entry in self.runs()}, {6})
        rounds = [entry["round"] for entry in self.runs()]
        self.assertEqual(rounds, sorted(rounds))
        first, second = ([entry["run"] for entry in self.runs() if entry["round"] == round] for round in (0, 1))
        self.assertNotEqual(first, second)
        self.assertNotEqual(first, sorted(first))

        before = (self.folder / "v/study/journal.jsonl").read_bytes()
        call(self.command(), self.folder, timeout=120)  # there is nothing to do
        self.assertEqual((self.folder / "v/study/journal.jsonl").read_bytes(), before)
        self.check_results(names)

    def check_results(self, names):
        rows = self.rows("variants.csv")
        self.assertEqual({row["variant"] for row in rows}, names)
        self.assertEqual(len(self.rows("measurements.csv")), self.REPEATS * len(names))
        times = {entry["run"]: [] for entry in self.runs()}
        for entry in self.runs():
            times[entry["run"]].append(entry["measured"]["pass_seconds"])
        for row in rows:
            self.assertEqual(float(row["min_seconds"]), min(times[row["variant"]]))
            self.assertAlmostEqual(float(row["median_seconds"]), sum(times[row["variant"]]) / 2)
        self.check_schemas()
        results, cache = self.load("t4-results.json")["results"], self.load("cache.json")
        self.assertEqual({each["invalidity"] for each in results}, {"correct"})
        self.assertEqual(len(results), len(names))
        self.assertEqual(cache["problem_size"], [16, 16, 16])
        self.assertEqual(len(cache["cache"]), len(names))
        for key, entry in cache["cache"].items():
            self.assertEqual(key, ",".join(str(entry[name]) for name in cache["tune_params_keys"]))
            for name in cache["tune_params_keys"]:
                self.assertIn(entry[name], cache["tune_params"][name])
        self.assertIn("<svg", (self.folder / "v/study/study.svg").read_text())

    @unittest.skipUnless(jsonschema, "python3-jsonschema is not installed")
    def check_schemas(self):
        for name in ("t4-results", "t4-metadata", "cache"):
            schema = json.loads((HERE / "schemas" / f"{name}.json").read_text())
            jsonschema.Draft202012Validator.check_schema(schema)
            jsonschema.Draft202012Validator(schema).validate(self.load(f"{name}.json"))

    def test_what_cannot_be_measured_is_recorded_as_that(self):
        self.write({"bt": [2], "ct": [1], "cflags": ["-O1", "-O1 -fno-such-flag"], "threads": [1, 2],
                    "memory": ["auto", "64K"]}, constraints=["cflags == '-O1' or threads == 1 and memory != '64K'"])
        self.study("--repeats", 2)
        by_status = {}
        for row in self.rows("variants.csv"):
            by_status.setdefault(row["status"], []).append(row)
        self.assertEqual(set(by_status), {"done", "refused", "compile"})
        for row in by_status["refused"]:
            self.assertEqual(row["memory"], "64K")
            self.assertEqual(row["runs"], "1")  # not tried again
            self.assertIn("the budget is 64.0 KiB", row["message"])
        for row in by_status["compile"]:
            self.assertIn("fno-such-flag", row["message"])
        self.check_schemas()
        invalid = {each["configuration"]["memory"]: each["invalidity"] for each in self.load("t4-results.json")["results"]
                   if each["configuration"]["cflags"] == "-O1"}
        self.assertEqual(invalid, {"auto": "correct", "64K": "constraints"})
        self.assertIn("CompilationFailedConfig", {each["time"] for each in self.load("cache.json")["cache"].values()})

    def test_a_run_that_takes_too_long(self):
        self.write({"bt": [1], "cflags": ["-O0"], "schedule": ["sweep"], "engine": ["memory"]}, options=("-D", "n=150"))
        self.study("--steps", 100000, "--timeout", 0.3, "--repeats", 2, status=65)
        self.assertEqual([entry["status"] for entry in self.runs()], ["timeout"])
        self.check_processes()
        self.assertEqual(self.load("t4-results.json")["results"][0]["invalidity"], "timeout")

    def test_a_kill_leaves_no_run_behind(self):
        self.write({"bt": [1], "cflags": ["-O0"], "schedule": ["sweep"], "engine": ["memory"]}, options=("-D", "n=100"))
        command = [compiler(), "study", "v", "--steps", "1000000", "--progress", "off"]
        running = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(running.kill)
        deadline = time.monotonic() + 60
        while not (self.folder / "v/study/work").exists():  # a run has begun, or is about to
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        time.sleep(0.2)
        running.kill()
        running.wait()
        self.check_processes()
        self.assertEqual(self.runs(), [])

    def test_a_result_that_differs_is_found(self):
        self.write({"bt": [1, 2, 4], "cflags": ["-O1"], "engine": ["memory"]})
        wrong = self.manifest()["variants"][1]
        source = self.folder / "v" / wrong["file"]
        text = source.read_text()
        self.assertEqual(text.count(".p_alpha = 0.15"), 1, "the program's C is not as this test knows it")
        source.write_text(text.replace(".p_alpha = 0.15", ".p_alpha = 0.14"))
        said = self.study("--repeats", 1, status=70).stderr
        self.assertIn(wrong["name"], said)
        self.assertEqual([row["variant"] for row in self.rows("variants.csv") if row["status"] == "differs"], [wrong["name"]])
        bad = [each for each in self.load("t4-results.json")["results"] if each["invalidity"] == "correctness"]
        self.assertEqual([each["correctness"] for each in bad], [0])

    def test_more_rounds_add_to_what_is_there(self):
        self.write({"bt": [1, 2], "cflags": ["-O1"], "engine": ["memory"]})
        self.study("--repeats", 1, "--steps", 3)
        before = self.runs()
        self.study("--repeats", 3, "--steps", 3)
        self.assertEqual(self.runs()[:2], before)
        self.assertEqual(sorted(entry["round"] for entry in self.runs()), [0, 0, 1, 1, 2, 2])

    def test_other_settings_are_not_mixed(self):
        self.write({"bt": [1, 2], "cflags": ["-O1"], "engine": ["memory"]})
        self.study("--repeats", 1, "--steps", 3)
        said = self.study("--repeats", 2, "--steps", 4, status=65).stderr
        self.assertIn("--restart", said)
        self.study("--repeats", 1, "--steps", 4, "--output", "other")
        self.study("--repeats", 1, "--steps", 4, "--restart")
        self.assertEqual({entry["measured"]["steps"] for entry in self.runs()}, {4})

    def test_usage(self):
        self.write({"bt": [1], "cflags": ["-O1"], "engine": ["memory"]})
        name = self.manifest()["variants"][0]["name"]
        for arguments, status, text in ((["--repeats", "0"], 2, "whole number from 1 on"), (["--repaets", "2"], 2, "'--repeats'"),
                                        (["--only", name + "x"], 2, f"did you mean '{name}'"),
                                        (["--", "--engine", "mmap"], 2, "--engine is a knob"),
                                        (["--cc", "no-such-cc"], 73, "no-such-cc"), (["--scratch", "/no/such"], 73, "/no/such"),
                                        (["--runtime", "."], 73, "liboocc_runtime.a")):
            with self.subTest(arguments):
                self.assertIn(text, self.study(*arguments, status=status).stderr)
        self.assertIn("manifest.json", call([compiler(), "study", "nowhere"], self.folder, 65).stderr)

    def test_files_that_a_program_reads(self):
        source = 'stencil fed;\ngrid (x: 40);\nfield u : f64;\ncoef c : f64 from "in/c.npy";\nstep { u[t+1] = u + c; }\nsteps 3;\n' \
                 'output u to "u.npy";\n'
        self.write({"bt": [1, 2], "cflags": ["-O1"]}, program=source, options=())
        self.assertIn("in/c.npy", self.study(status=65).stderr)
        (self.folder / "data/in").mkdir(parents=True)
        programs.np.save(self.folder / "data/in/c.npy", programs.np.arange(40.0))
        self.study("--inputs", "data", "--repeats", 1)
        self.assertEqual({entry["status"] for entry in self.runs()}, {"done"})
        self.assertFalse((self.folder / "v/study/work").exists())


class Examples(Folder):
    """Those of docs/studies.md."""

    def test_the_study(self):
        done = call([sys.executable, programs.ROOT / "examples/study/run.py", "--output", "v", "--image", "image.svg", "--planes", 8,
                     "--repeats", 1], self.folder, env={**os.environ, "OOCC": compiler(), "CCACHE_DISABLE": "1"}, timeout=200)
        self.assertGreaterEqual(len(self.rows("variants.csv")), 50, done.stdout)
        self.assertEqual({row["status"] for row in self.rows("variants.csv")}, {"done"})
        self.assertIn("GLUP/s", (self.folder / "image.svg").read_text())

    def test_t1_has_the_same_configurations(self):
        self.write({"bt": [1, 2, 4], "ct": ["auto", 1, 2], "engine": ["memory", "mmap"], "io_request": ["64K", "1M"], "io_depth": ["auto", 3]},
                   constraints=["ct <= bt", "bt < 4 or engine == 'mmap'", "io_request != '1M' or io_depth == 3"],
                   conditions=[{"knob": "io_request", "when": "engine != 'memory'"}, {"knob": "io_depth", "when": "io_request == '1M'"}])
        manifest = self.manifest()
        want = {tuple(each["knobs"].values()) for each in manifest["variants"] + manifest["left_out"]}
        done = call([sys.executable, programs.ROOT / "examples/study/t1.py", "v"], self.folder)
        t1 = json.loads(done.stdout)["ConfigurationSpace"]
        names = [each["Name"] for each in t1["TuningParameters"]]
        found = set()
        for values in itertools.product(*(eval(each["Values"]) for each in t1["TuningParameters"])):
            if all(eval(each["Expression"], {}, dict(zip(names, values))) for each in t1["Conditions"]):
                found.add(values)
        self.assertEqual(found, want)

    def test_random_search_and_hill_climb(self):
        self.write({"bt": [1, 2, 4], "ct": [1, 2], "cflags": ["-O1"], "engine": ["memory", "mmap"]}, constraints=["ct <= bt"])
        script = programs.ROOT / "examples/study/search.py"
        for kind in ("random", "climb"):
            with self.subTest(kind):
                done = call([sys.executable, script, "v", "--search", kind, "--evaluations", 5, "--seed", 3, "--repeats", 1], self.folder,
                            env={**os.environ, "OOCC": compiler()})
                best = json.loads(done.stdout.splitlines()[-1])
                evaluated = [json.loads(line) for line in done.stdout.splitlines()[:-1]]
                self.assertLessEqual(len(evaluated), 5)
                self.assertGreaterEqual(len(evaluated), 2)
                self.assertEqual(best["seconds"], min(each["seconds"] for each in evaluated))


if __name__ == "__main__":
    compiler()
    sys.exit(suite.run(unittest.defaultTestLoader.loadTestsFromNames(sys.argv[1:], sys.modules[__name__])
                       if sys.argv[1:] else unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])))
