"""The bench works: a run at toy size measures and leaves nothing behind, and a document is made of stored figures."""
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
sys.path.append(str(HERE.parent.parent / "compiler" / "study" / "scripts"))

import suite

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # tests run beside others: threads that wait must not spin

import device
import generate
import plot
import program
import report
import tables
from results import Results
from rounds import Case, measure, sequence
from session import ROOT, Refused, Session
from streams import SHORT_PASS, SHORT_PASSES, SHORT_RUNS

OOCC = Path(os.environ.get("OOCC") or ROOT / "build/release/bin/oocc").resolve()
BUILD = OOCC.parent.parent
SANITIZED = os.environ.get("OOCC_SANITIZE")


def links(text):
    return re.findall(r"\]\(([^)#]+)\)", text)


class Folder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="oocc-bench-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def command(self, *arguments):
        return [sys.executable, HERE / "run.py", "--build", BUILD, "--scratch", self.folder / "scratch", *arguments]

    def run_bench(self, *arguments, status=0):
        done = subprocess.run(self.command(*arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=500)
        self.assertEqual(done.returncode, status, done.stderr[-3000:])
        return done.stderr

    def assert_nothing_left(self):
        self.assertEqual(list((self.folder / "scratch").glob("*")), [])
        self.assertNotIn(str(self.folder), Path("/proc/swaps").read_text())


class Runs(Folder):
    @unittest.skipIf(SANITIZED, "sanitized programs need more memory than their budget")
    def test_smoke(self):
        self.run_bench("--smoke", "--json", self.folder / "results.json")
        data = json.loads((self.folder / "results.json").read_text())
        self.assertTrue(data["complete"])
        self.assertEqual({r["section"] for r in data["records"]},
                         {"device", "matrix", "large", "dims", "size", "threads", "ingredients", "compile"})
        wrong = [r for r in data["records"] if r["status"] not in ("done", "not offered", "skipped")]
        self.assertEqual(wrong, [])
        done = {(r["program"], r["case"]) for r in data["records"] if r["status"] == "done"}
        for name in ("heat7", "wave"):
            for case in ("plain", "resident", "stream 2x aio", "stream 2x mmap", "sweep 2x mmap"):
                self.assertIn((name, case), done)
        for name in program.FEW_DIMS:
            for case in ("plain", "resident", "stream 2x"):
                self.assertIn((name, case), done)
        streams = [r for r in data["records"] if r["case"] == "stream 2x aio"]
        self.assertTrue(all(r["read_bytes"] + r["write_bytes"] >= r["bound_bytes"] > 0 for r in streams))
        bound = [r for r in data["records"] if r["case"].endswith("disk bound")]
        self.assertEqual([(r["section"], r["status"], r["steps"]) for r in bound],
                         [("large", "done", SHORT_PASSES * SHORT_PASS)])
        self.assertGreater(bound[0]["device_rate"], 0)
        self.assertEqual(sorted(bound[0]["shares"])[SHORT_RUNS // 2], bound[0]["share"])
        text = (self.folder / "results.md").read_text()
        self.assertIn("figures of a run at toy size", text)
        self.assertEqual(len(links(text)), 4)
        for link in links(text):
            ElementTree.parse(self.folder / link)
        self.assert_nothing_left()

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                bench = subprocess.Popen(self.command("--smoke"), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                for line in bench.stderr:
                    if "resident" in line:  # in the midst of it
                        break
                bench.send_signal(number)
                _, err = bench.communicate(timeout=60)
                self.assertEqual(bench.returncode, 130, err)
                self.assertIn("bench: stopped", err)
                self.assert_nothing_left()

    def test_killed_before(self):
        child = subprocess.Popen(["true"])
        child.wait()  # its id is nobody's now
        left = self.folder / f"scratch/oocc-bench-{child.pid}-left"
        left.mkdir(parents=True)
        with Session(self.folder / "scratch", 10):
            self.assertFalse(left.exists())
        self.assert_nothing_left()

    def test_no_space(self):
        err = self.run_bench("--sections", "matrix", "--programs", "heat7", "--grid", "4000000,1024,1024", status=73)
        self.assertRegex(err, r"heat7 on 4000000x1024x1024 cells, .* needs .* are free; use a smaller --grid or --scratch")
        self.assert_nothing_left()

    def test_usage(self):
        for arguments, message in ((["--grid", "4,4,4", "--all"], "extents of at least 16"), ([], "one of the arguments"),
                                   (["--sections", "matrx"], "there is no 'matrx'"),
                                   (["--all", "--hours", "0"], "more than 0")):
            self.assertIn(message, self.run_bench(*arguments, status=2))


# In the place of fio: what is written is there from then on, and of what is not there nothing is read. One that is to go on does not stop.
FIO = """
import json, os, signal, sys, time
if "--runtime=36000" in sys.argv:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    open(os.path.join(os.path.dirname(sys.argv[0]), "begun"), "w").close()
    time.sleep(600)
files = [word.split("=", 1)[1] for word in sys.argv if word.startswith("--filename=")]
kinds = [word.split("=", 1)[1] for word in sys.argv if word.startswith("--rw=")]
jobs = [{"read": {"bw_bytes": 3 if kind == "read" and os.path.exists(file) else 0},
         "write": {"bw_bytes": 4 if kind == "write" else 0}} for file, kind in zip(files, kinds)]
for file in files:
    open(file, "a").close()
print(json.dumps({"jobs": jobs}))
"""


class Parts(Folder):
    def test_memory_is_refused_with_figures(self):
        with Session(self.folder, 10) as session, self.assertRaisesRegex(Refused, "needs 1024 GiB of memory") as caught:
            session.need_memory(1 << 40, "this", "that")
        self.assertEqual(caught.exception.status, 71)

    def test_plain_loops_compute_the_same(self):
        with Session(self.folder, 100) as session:
            for name in [*program.NAMES, *program.FEW_DIMS]:
                with self.subTest(name):
                    self.assertIsNone(program.difference(program.Program(session, OOCC, name), OOCC))

    def test_another_loop_is_found_out(self):
        with Session(self.folder, 100) as session:
            one = program.Program(session, OOCC, "heat7")
            subprocess.run(["cc", *program.CFLAGS, HERE / "plain/heat19.c", "-o", one.loop], check=True)
            self.assertIn("the sum of ", program.difference(one, OOCC))

    def test_offers(self):
        one = program.Program.__new__(program.Program)
        one.help = "  --engine NAME   how bytes move: auto, aio\n                  or memory\n  --bt N     steps\n"
        self.assertTrue(one.offers("engine", "aio") and one.offers("engine", "memory") and one.offers("bt"))
        self.assertFalse(one.offers("engine", "uring") or one.offers("columns") or one.offers("b"))

    def test_large_program(self):
        source, c = self.folder / "generated.stn", self.folder / "generated.c"
        source.write_text(generate.program(100, 25))
        self.assertEqual(len(re.findall(r"^(?:field|coef) ", source.read_text(), re.M)), 100)
        self.assertEqual(len(re.findall(r"\[t\+1\] =", source.read_text())), 25)
        start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([OOCC, source, "-o", c], check=True)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start, 20 if SANITIZED else 5)  # 0.1 s of a processor
        subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-fopenmp",
                        "-I", BUILD / "include", c], check=True)

    def test_generated_program_has_the_same_bits_everywhere(self):
        (self.folder / "g.stn").write_text(generate.program(7, 3))
        subprocess.run([OOCC, "g.stn", "--emit=exe", "-o", "g"], cwd=self.folder, check=True)
        hashes = set()
        for schedule in ("sweep", "resident", "stream"):
            subprocess.run(["./g", "-D", "n=20", "--schedule", schedule, "--report", "r", "--progress", "off"],
                           cwd=self.folder, check=True, capture_output=True)
            hashes.add(json.loads((self.folder / "r").read_text())["measured"]["result_hash"])
        self.assertEqual(len(hashes), 1)

    def test_bases_are_measured_again_and_again(self):
        cases = [Case(name, None, core=name != "c", base=name in ("plain", "resident"))
                 for name in ("plain", "resident", "a", "b", "c")]
        self.assertEqual([c.label for c in sequence(cases, True, every=2)],
                         ["plain", "resident", "a", "b", "resident", "c", "resident"])
        self.assertEqual([c.label for c in sequence(cases, False, every=2)], ["plain", "resident", "a", "b", "resident"])


    def test_without_time_the_core_is_measured(self):
        results = Results(None, "smoke", {}, {})
        done = {"status": "done", "glups": 1.0}
        measure(results, "s", {"p": [Case("a", lambda: done, base=True), Case("b", lambda: done),
                                     Case("c", lambda: done, core=False)]}, -1, 2, 5)
        self.assertEqual([(r["case"], r["round"], r["status"]) for r in results.data["records"]],
                         [("a", 1, "done"), ("b", 1, "done"), ("c", 1, "skipped"), ("a", 1, "done"),
                          ("a", 2, "done"), ("b", 2, "done"), ("a", 2, "done")])


    @contextlib.contextmanager
    def stand_in_for_fio(self):
        fio = self.folder / "bin/fio"
        fio.parent.mkdir()
        fio.write_text(f"#!{sys.executable}{FIO}")
        fio.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, PATH=f"{fio.parent}:{os.environ['PATH']}"), \
                unittest.mock.patch.object(device, "HUGE_PAGES", str(self.folder / "none")), Session(self.folder / "scratch", 10) as session:
            yield session
        self.assert_nothing_left()

    def test_files_of_the_device_stay_between_runs(self):
        with self.stand_in_for_fio() as session, device.repeated(session, 1 << 20, 0.1) as both_ways:
            self.assertEqual(both_ways(), 7)
            session.empty()
            self.assertEqual(both_ways(), 7)

    def test_a_device_is_measured_however_short_the_time(self):
        folder = self.folder / "device"
        folder.mkdir()
        figures = device.own(folder, 8 * device.BLOCK, 0)
        for way in ("read", "write", "mixed_read", "mixed_write"):
            self.assertGreater(figures[way], 0, way)

    def test_a_device_that_stays_busy_is_not_waited_for(self):
        with self.stand_in_for_fio() as session, unittest.mock.patch.object(device, "STOPS_SECONDS", 0.2):
            with device.busy(session, 1 << 20) as rate:
                while not (self.folder / "bin/begun").exists():
                    time.sleep(0.01)
            self.assertEqual(rate, [0])


class Documents(Folder):
    def make(self, change=None):
        data = json.loads((HERE / "inputs/small.json").read_text())
        if change:
            change(data)
        written = report.write(data, self.folder / "performance.md")
        return written[0].read_text(), written[1:]

    def row(self, text, *begins):
        """The cells of the first row that begins so."""
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")]
        return next(row for row in rows if row[:len(begins)] == list(begins))

    def test_ratios_are_of_runs_nearby(self):
        """Resident speed is 5, then 4, and half of that in the second round: the ratio is 4.5 to their mean, each time."""
        text, _ = self.make()
        self.assertEqual(self.row(text, "stream 16x aio")[1:4], ["3.38 (2.25 … 4.50)", "1.00", "4.50"])
        self.assertEqual(self.row(text, "stream 32x aio")[2:6], ["0.44", "2.00", "60%", "150%"])
        self.assertEqual(self.row(text, "no cache blocking (ct 1)")[1:3], ["1.00", "0.25"])

    def test_a_device_measured_around_a_run_counts_for_it(self):
        def change(data):
            for record in data["records"]:
                if record["case"] == "stream 32x aio":
                    record["device_rate"] = 4e9  # of the session: 2e9
        self.assertEqual(self.row(self.make(change)[0], "stream 32x aio")[5], "75%")

    def test_the_first_pass_is_told_apart(self):
        def change(data):
            for record in data["records"]:
                if record["case"] == "stream 16x aio":
                    record["first_pass"] = {"steps": 32, "seconds": 2.0, "glups": 1.25, "wait_share": 0.25}
        self.assertEqual(self.row(self.make(change)[0], "stream 16x aio")[5], "1.25, 25%")

    def test_commits_are_told_beside_waiting(self):
        def change(data):
            for record in data["records"]:
                if record["case"] == "stream 16x aio":
                    record.update(wait_share=0.01, commit_share=0.125)
                    record["first_pass"] = {"steps": 32, "seconds": 2.0, "glups": 1.25, "wait_share": 0.25, "commit_share": 0.5}
        text = self.make(change)[0]
        self.assertEqual(self.row(text, "stream 16x aio")[4:6], ["1.0%, 12%", "1.25, 25%, 50%"])
        self.assertIn("| waiting, commits | first pass: GLUP/s, waiting, commits |", text)

    def test_speed_is_that_of_later_passes(self):
        """Two passes of 8 steps took 3 and 2 seconds: at the speed of the second, 16 steps take 4."""
        first = {"steps": 8, "seconds": 3.0, "glups": 1.0, "wait_share": 0.5, "commit_share": 0.1}
        measured = {"steps": 16, "glups": 1.2, "pass_seconds": 5.0, "wait_share": 0.3, "commit_share": 0.2, "first_pass": first,
                    "later_passes": {"steps": 8, "seconds": 2.0, "glups": 1.5, "wait_share": 0.0, "commit_share": 0.3}}
        self.assertEqual(program.steady(measured), (1.5, 4.0, 0.0, 0.3))
        self.assertEqual(program.steady({**measured, "later_passes": None}), (1.2, 5.0, 0.3, 0.2))

    def test_tiles_that_have_changed_are_told(self):
        chosen = {"bt": 8, "ct": 4, "tiles": 16}
        same, other = ({"tried": 5, "ct": 4, "tiles": tiles, "yt": 8, "gain": 1.0} for tiles in (16, 24))
        self.assertEqual(tables.plan({"plan": chosen}), "bt 8, ct 4, tiles 16")
        self.assertEqual(tables.plan({"plan": chosen, "adapted": same}), "bt 8, ct 4, tiles 16")
        self.assertEqual(tables.plan({"plan": chosen, "adapted": other}), "bt 8, ct 4, tiles 16; in the end ct 4, tiles 24")

    def test_what_was_not_measured_says_why(self):
        text, _ = self.make()
        self.assertEqual(self.row(text, "stream 16x uring")[1], "not offered by this build")
        self.assertEqual(self.row(text, "sweep 2x swap")[1], "not done after 600 s")
        self.assertEqual(self.row(text, "overlap 16x, two levels")[1], "does not fit in the budget")
        self.assertEqual(self.row(text, "one column (columns 1)")[1], "skipped: the plan has it so already")
        self.assertIn("*Not measured in this session.*", text)  # the large grid
        self.assertEqual(self.row(text, "19 points, 16×, of in-memory speed")[2:], ["not measured"] * 3)

    def test_beside_what_is_published(self):
        text, _ = self.make()
        self.assertEqual(self.row(text, "time by aio, of the time by mmap (16×)")[2], "7 points, f64: 0.50")
        self.assertEqual(self.row(text, "slower without temporal blocking (here: sweep beside stream, 2×, mmap)")[2],
                         "7 points, f64: 50")
        self.assertEqual(self.row(text, "7 points, f64, stream 16x aio")[-4:], ["4.00", "5.00", "5.00", "1.25"])

    def test_every_row_is_as_long_as_its_head(self):
        text, _ = self.make()
        for block in re.findall(r"(?:^\|.*\n)+", text, re.M):
            self.assertEqual(len({line.replace("\\|", "").count("|") for line in block.splitlines()}), 1, block)

    def test_plots(self):
        text, plots = self.make()
        self.assertEqual(sorted(links(text)), sorted(f"images/{path.name}" for path in plots))
        self.assertEqual(len(plots), 4)
        for path in plots:
            root = ElementTree.parse(path).getroot()
            self.assertTrue(root.findall(".//{*}path"), path)
            _, _, width, height = map(float, root.get("viewBox").split())
            for text_ in root.findall("{*}text"):
                self.assertTrue(0 <= float(text_.get("x")) < width and 0 < float(text_.get("y")) < height)

    def test_a_session_that_was_ended(self):
        def cut(data):
            data["complete"] = False
            data["records"] = data["records"][:3]
        text, _ = self.make(cut)
        self.assertIn("ended before it was complete", text)

    def test_other_bits(self):
        def change(data):
            for number, record in enumerate(r for r in data["records"] if r["case"] == "stream 16x aio"):
                record.update(grid=[8, 8, 8], hash=f"{number:016x}")
        self.assertIn("gave the same bits", self.make()[0])
        self.assertIn("same bits did not", self.make(change)[0])

    def test_of_two_files(self):
        """The same twice: every round is there twice, and every median is what it was."""
        data = json.loads((HERE / "inputs/small.json").read_text())
        twice = report.joined([data, data])
        self.assertEqual(len(twice["records"]), 2 * len(data["records"]))
        self.assertEqual(max(r["round"] for r in twice["records"]), 2 * max(r["round"] for r in data["records"]))
        written = report.write(twice, self.folder / "performance.md")
        self.assertEqual(self.row(written[0].read_text(), "stream 16x aio"), self.row(self.make()[0], "stream 16x aio"))
        slower = json.loads(json.dumps(data))
        for record in slower["records"]:
            if record["section"] == "device":
                record.update(mixed_read=2.5e8, mixed_write=2.5e8)  # of the other day: a quarter
        written = report.write(report.joined([data, slower]), self.folder / "performance.md")
        self.assertEqual(self.row(written[0].read_text(), "stream 32x aio")[5], "300%")  # 100 and 200% on one day, 400 and 800% on the other
        parts = {"heat7": [10, 8, 8]}, {"heat27": [12, 8, 8]}
        self.assertEqual(report.joined([{**data, "large_parts": one} for one in parts])["large_parts"], {**parts[0], **parts[1]})
        with self.assertRaisesRegex(ValueError, "different machines"):
            report.joined([data, {**data, "mode": "smoke"}])
        with self.assertRaisesRegex(ValueError, "different machines"):
            report.joined([data, {**data, "machine": {**data["machine"], "cores": data["machine"]["cores"] + 1}}])
        with self.assertRaisesRegex(ValueError, "different machines"):
            report.joined([data, {**data, "machine": {**data["machine"], "vectors": "AVX-512"}}])

    def test_files_are_kept_as_one(self):
        small, kept = HERE / "inputs/small.json", self.folder / "kept.json"

        def made(name, *arguments):
            doc = self.folder / name
            subprocess.run([sys.executable, HERE / "report.py", *arguments, "--doc", doc], check=True, capture_output=True)
            return doc.read_text()

        of_both = made("performance.md", small, small, "--keep", kept)
        self.assertEqual(made("performance.md", kept), of_both)
        self.assertNotEqual(made("performance.md", small), of_both)
        noted = made("performance.md", small, "--note", "The loops are older.", "--keep", kept)
        self.assertIn("\n\nThe loops are older.\n\n", noted)
        self.assertEqual(made("performance.md", kept), noted)

    def test_the_documents_are_what_their_records_say(self):
        records = list((ROOT / "docs").glob("performance*.json"))
        self.assertNotEqual(records, [])
        for record in records:
            for path in report.write(json.loads(record.read_text()), self.folder / record.with_suffix(".md").name):
                kept = ROOT / "docs" / path.relative_to(self.folder)
                self.assertEqual(kept.read_text(), path.read_text(), f"test/bench/report.py {record} --doc {record.with_suffix('.md')} writes it")

    def test_not_a_result(self):
        (self.folder / "x.json").write_text('{"format": "else"}')
        done = subprocess.run([sys.executable, HERE / "report.py", self.folder / "x.json", "--doc", self.folder / "x.md"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 65)
        self.assertIn("not a file of oocc's bench", done.stderr)
        self.assertFalse((self.folder / "x.md").exists())

    def test_values_on_a_log_axis(self):
        self.assertEqual(plot.ticks(1, 30, True), [1, 2, 5, 10, 20])
        self.assertEqual([round(t, 6) for t in plot.ticks(0, 1.05, False)], [0, 0.5, 1])


if __name__ == "__main__":
    if not OOCC.is_file() or not shutil.which("cc"):
        sys.exit("no oocc found: build it (scripts/build) or name one with OOCC=/path/to/oocc")
    sys.exit(suite.run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])))
