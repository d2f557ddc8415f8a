"""docs/reliability.md has a row for each promise that is known, and every promise that a test leaves is known."""
import ast
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "test"))

import reliability
from reliability_promises import promises


def spelled():
    """Promises that are written out where they are left, in any suite."""
    for path in sorted((ROOT / "test").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "leave_promise":
                if isinstance(node.args[0], ast.Constant):
                    yield node.args[0].value, path


class Reliability(unittest.TestCase):
    def setUp(self):
        self.known = [p.text for p in promises()]

    def test_the_document_is_what_the_record_says(self):
        record = json.loads(reliability.RECORD.read_text())
        self.assertEqual((ROOT / "docs/reliability.md").read_text(), reliability.document(record),
                         "test/reliability.py -o docs/reliability.md writes it")

    def test_each_promise_has_one_row(self):
        text = (ROOT / "docs/reliability.md").read_text()
        for promise in self.known:
            self.assertEqual(text.count(f"| {promise} |"), 1, promise)

    def test_each_promise_that_a_test_leaves_is_known(self):
        found = list(spelled())
        self.assertGreater(len(found), 3)
        for promise, path in found:
            self.assertIn(promise, self.known, path)

    def test_each_promise_in_the_results_is_known(self):
        folder = Path(os.environ.get("OOCC_RESULTS") or "/nowhere")
        for path in folder.glob("*.promises.json"):
            for entry in json.loads(path.read_text()):
                self.assertIn(entry["promise"], self.known, path)

    def test_what_pieces_say_of_a_promise_is_added_up(self):
        hostile = next(p for p in promises() if p.cases == "hostile").text
        with tempfile.TemporaryDirectory() as name:
            for piece, (tried, failed) in enumerate(((500, 1), (250, 0))):
                folder = Path(name) / str(piece)
                folder.mkdir()
                for seed in (1, 2):
                    entries = [{"promise": text, "tried": tried, "failed": failed} for text in (self.known[0], hostile)]
                    (folder / f"random-{seed}.promises.json").write_text(json.dumps(entries))
                (folder / "hostile.json").write_text(json.dumps({"passed": 18, "failed": 1, "skipped": 2}))
            found = reliability.read_results([Path(name) / "0", Path(name) / "1" / "random-2.promises.json"])
        self.assertEqual(found, {self.known[0]: {"tried": 1250, "failed": 2}, hostile: {"tried": 1269, "failed": 3}})

    def test_programs_are_added_up_and_shown_beside_their_runs(self):
        with tempfile.TemporaryDirectory() as name:
            for piece, programs in enumerate((1000, 500)):
                entry = {"promise": self.known[0], "tried": 4 * programs, "failed": 0, "programs": programs}
                (Path(name) / f"random-{piece}.promises.json").write_text(json.dumps([entry]))
            found = reliability.read_results([name])
        self.assertEqual(found, {self.known[0]: {"tried": 6000, "failed": 0, "programs": 1500}})
        self.assertIn("| 6,000 / 0 (1,500 programs) |", reliability.document({self.known[0]: {"long": {**found[self.known[0]], "date": "today"}}}))

    def test_a_record_is_of_known_promises_and_says_when(self):
        for promise, kinds in json.loads(reliability.RECORD.read_text()).items():
            self.assertIn(promise, self.known)
            for entry in kinds.values():
                self.assertEqual(set(entry) - {"programs"}, {"tried", "failed", "date"})


if __name__ == "__main__":
    unittest.main()
