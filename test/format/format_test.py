"""`oocc fmt`: the same program in the same words, laid out as the examples are; and what it does with files."""
import os
import random
import re
import shutil
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

import draw
import frames
import pages
import scramble
from program_text import program_text
from programs import ROOT, compiler

EXAMPLES = sorted((ROOT / "examples").glob("*/*.stn"))


def oocc(*words, text=None, folder=None):
    done = subprocess.run([compiler(), *map(str, words)], input=text, capture_output=True, text=True, cwd=folder, timeout=60)
    return done.returncode, done.stdout, done.stderr


def raw(words, data):
    """With bytes, whose line ends stay what they are."""
    done = subprocess.run([compiler(), *words], input=data, capture_output=True, timeout=60)
    return done.returncode, done.stdout.decode()


class Meaning(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="oocc-fmt-"))
        self.addCleanup(lambda: subprocess.run(["rm", "-rf", str(self.folder)]))

    def emitted(self, text, stage):
        """What a stage prints, without positions."""
        (self.folder / "program.stn").write_bytes(text.encode())
        status, out, err = oocc("--emit=" + stage, "program.stn", folder=self.folder)
        return status, re.sub(r" *@\d+\.\.\d+", "", out) if status == 0 else re.sub(r":\d+:\d+:.*", "", err)

    def keeps(self, text, stages=("ast", "c")):
        status, once = raw(["fmt", "-"], text.encode())
        self.assertEqual(status, 0, text)
        self.assertEqual(scramble.code(once), scramble.code(text), text)
        self.assertEqual(scramble.comments(once), scramble.comments(text), text)
        status, twice = raw(["fmt", "-"], once.encode())
        self.assertEqual((status, twice), (0, once), text)
        for stage in stages:
            before, after = self.emitted(text, stage), self.emitted(once, stage)
            if before[0] == 0:
                self.assertEqual(after, before, text)
            else:
                self.assertEqual(after[0], before[0], text)
        for line in once.splitlines():
            self.assertEqual(line, line.rstrip(), once)
        return once


class Examples(Meaning):
    def test_are_formatted(self):
        status, out, err = oocc("fmt", "--check", *EXAMPLES)
        self.assertEqual((status, out, err), (0, "", ""))

    def test_the_document_shows_the_style(self):
        shown = [b.text for b in pages.blocks(ROOT / "docs" / "editors.md") if b.language == "stn"]
        self.assertEqual(len(shown), 1)
        self.assertEqual(oocc("fmt", "-", text=shown[0])[:2], (0, shown[0]))

    def test_keep_their_meaning(self):
        for path in EXAMPLES:
            with self.subTest(path.stem):
                self.keeps(path.read_text())

    def test_come_back_from_one_line_a_word(self):
        for path in EXAMPLES:
            text = path.read_text()
            with self.subTest(path.stem):
                once = self.keeps(scramble.scrambled(random.Random(path.stem), text, comment=0), ("ast",))
                width = max(len(line) for line in once.splitlines())
                self.assertLessEqual(width, 100, once)


class Snippets(Meaning):
    def test_of_all_documents(self):
        for page in pages.PAGES:
            known = {}
            for block in pages.blocks(page):
                if block.language != "stn" or any(m.key in ("file", "edit") for m in block.marks):
                    continue
                with self.subTest(str(block)):
                    self.keeps(frames.program(block, known), ("ast",))


class RandomPrograms(Meaning):
    def test_keep_their_meaning(self):
        for seed in range(40):
            with self.subTest(seed=seed):
                self.keeps(program_text(draw.draw(seed)))

    def test_scrambled_and_commented(self):
        for seed in range(40, 120):
            rng = random.Random(seed)
            text = scramble.scrambled(rng, program_text(draw.draw(seed)), rng.choice([0, 0.05, 0.3]), rng.choice(["\n", "\r\n"]))
            with self.subTest(seed=seed):
                self.keeps(text, ("ast",))


class Style(unittest.TestCase):
    def gives(self, text, expected):
        self.assertEqual(oocc("fmt", "-", text=text)[:2], (0, expected))

    def test_runs_are_aligned_up_to_a_blank_line(self):
        self.gives("stencil a;\nparam n:int=1;\nparam longer:f64=2;//x\nlet a=1;\n\n\n\nlet bcd=2;\n",
                   "stencil a;\nparam n      : int = 1;\nparam longer : f64 = 2;                  // x\n".replace("// x", "//x")
                   + "let a = 1;\n\nlet bcd = 2;\n")

    def test_spaces_of_the_author_show_groups(self):
        self.gives("let a = 2*b + c*d;\nlet e = 2 * b+c;\nlet f = 0.5 * h*h;\nlet g = a / b*c;\nlet h = a *b;\n",
                   "let a = 2*b + c*d;\nlet e = 2 * b + c;\nlet f = 0.5 * h*h;\nlet g = a / b * c;\nlet h = a * b;\n")

    def test_long_sums_break_before_operators(self):
        terms = " + ".join(f"value{i}" for i in range(20))
        status, out, _ = oocc("fmt", "-", text=f"let total = {terms};\n")
        lines = out.splitlines()
        self.assertEqual(status, 0)
        self.assertEqual(len(lines), 3)
        for line in lines[1:]:
            self.assertTrue(line.startswith("          + value"), out)

    def test_comments_below_each_other_stay_together(self):
        text = ("param n : int = 1;                       // the first\n"
                "                                         // and more of it\n"
                "param m : int = 1;\n")
        self.gives(text, text)
        self.gives(text.replace("m : int", "number : int").replace(" " * 41 + "// and", " " * 41 + "//  and"),
                   "param n      : int = 1;                  // the first\n"
                   "                                         //  and more of it\n"
                   "param number : int = 1;\n")

    def test_blocks_stay_on_the_line_where_they_fit(self):
        self.gives("step {u[t+1]=u;}\nboundary u{\nx:fixed;y.lo:neumann;}\n",
                   "step { u[t+1] = u; }\nboundary u {\n    x:    fixed;\n    y.lo: neumann;\n}\n")

    def test_faces_of_one_edge(self):
        self.gives("boundary u{\nx,y . lo:fixed;y.hi  ,z.lo:dirichlet 0;\n}\n",
                   "boundary u {\n    x, y.lo:    fixed;\n    y.hi, z.lo: dirichlet 0;\n}\n")

    def test_line_ends_are_kept(self):
        status, out = raw(["fmt", "-"], b"stencil a;\r\n\r\n\r\nparam n:int=1; // x\r\n")
        self.assertEqual((status, out), (0, "stencil a;\r\n\r\nparam n : int = 1;" + " " * 23 + "// x\r\n"))

    def test_nothing_at_all(self):
        self.gives("", "")
        self.gives("\n\n// only this\n\n\n", "// only this\n")


class Command(unittest.TestCase):
    MESSY, NEAT = "stencil a ;\n", "stencil a;\n"

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="oocc-fmt-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.file = self.folder / "a.stn"
        self.file.write_text(self.MESSY)

    def fmt(self, *words, **more):
        return oocc("fmt", *words, folder=self.folder, **more)

    def test_in_place_keeps_the_mode_and_links(self):
        self.file.chmod(0o640)
        (self.folder / "link.stn").symlink_to("a.stn")
        self.assertEqual(self.fmt("-i", "link.stn"), (0, "", ""))
        self.assertEqual(self.file.read_text(), self.NEAT)
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o640)
        self.assertTrue((self.folder / "link.stn").is_symlink())
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.stn", "link.stn"])

    def test_in_place_leaves_neat_files_alone(self):
        self.file.write_text(self.NEAT)
        os.utime(self.file, (1000, 1000))
        self.assertEqual(self.fmt("-i", "a.stn"), (0, "", ""))
        self.assertEqual(self.file.stat().st_mtime, 1000)

    def test_check_names_what_would_change(self):
        (self.folder / "b.stn").write_text(self.NEAT)
        self.assertEqual(self.fmt("--check", "a.stn", "b.stn"), (1, "a.stn\n", ""))
        self.assertEqual(self.file.read_text(), self.MESSY)
        self.assertEqual(self.fmt("--check", "b.stn"), (0, "", ""))

    def test_diff_can_be_applied(self):
        long = "".join(f"let a{i}={i};\n\n" if i in (3, 40, 42) else f"let a{i} = {i};\n\n" for i in range(60))
        self.file.write_text(long[:-1])
        status, diff, _ = self.fmt("--diff", "a.stn")
        self.assertEqual(status, 0)
        self.assertEqual(diff.count("@@ -"), 2, diff)
        self.assertEqual(self.fmt("--check", "--diff", "a.stn")[0], 1)
        subprocess.run(["patch", "-s", "a.stn"], input=diff, text=True, cwd=self.folder, check=True)
        self.assertEqual(self.fmt("--check", "a.stn"), (0, "", ""))

    def test_wrong_programs_stay_as_they_are(self):
        self.file.write_text("param n = ;\n")
        status, out, err = self.fmt("-i", "a.stn")
        self.assertEqual((status, out), (65, ""))
        self.assertIn("a.stn:1:9: error: expected ':'", err)
        self.assertEqual(self.file.read_text(), "param n = ;\n")

    def test_one_wrong_program_does_not_keep_the_others(self):
        (self.folder / "b.stn").write_text("nonsense")
        self.assertEqual(self.fmt("-i", "b.stn", "a.stn")[0], 65)
        self.assertEqual(self.file.read_text(), self.NEAT)

    def test_standard_input(self):
        self.assertEqual(self.fmt("-", text=self.MESSY), (0, self.NEAT, ""))
        status, _, err = self.fmt("-", text="param")
        self.assertEqual(status, 65)
        self.assertIn("<stdin>:1:6: error", err)

    def test_usage(self):
        for words, part in [((), "no program given"), (("-i", "-"), "-i needs files"), (("--chek", "a.stn"), "did you mean '--check'?"),
                            (("-i", "--check", "a.stn"), "one of them"), (("a.stn", "a.stn"), "several programs")]:
            status, out, err = self.fmt(*words)
            self.assertEqual((status, out), (2, ""), words)
            self.assertIn(part, err)
        self.assertEqual(self.fmt("missing.stn")[0], 65)
        self.assertEqual(self.fmt("--help")[0], 0)

    def test_a_file_that_cannot_be_replaced(self):
        """Root may write anywhere, and becomes nobody for it, who may not see the build's folder."""
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        if nobody:
            os.chown(self.file, nobody["user"], nobody["group"])
        command = shutil.copy(compiler(), self.folder / "oocc")
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        done = subprocess.run([command, "fmt", "-i", "a.stn"], capture_output=True, text=True, cwd=self.folder, timeout=60, **nobody)
        self.assertEqual(done.returncode, 73)
        self.assertIn("cannot create a file beside 'a.stn'", done.stderr)
        self.assertEqual(self.file.read_text(), self.MESSY)


if __name__ == "__main__":
    unittest.main()
