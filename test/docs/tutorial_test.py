"""The tutorial, done word for word in an empty folder.

    <!-- file: NAME -->     before a block: the file is this
    <!-- edit: NAME -->     before a ```diff block: lines with - become lines with +
    ```sh                   commands; each block is one script that ends at the first command that fails
    <!-- status: N -->      before it: the script ends with this status
    ```text                 after it: lines that it prints, in this order; … stands for anything, a line … for lines
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from pages import ROOT, blocks
from programs import compiler

TUTORIAL = ROOT / "docs/tutorial.md"


def pattern(line):
    """A line as shown; runs of blanks may be of any length."""
    words = [".*".join(re.escape(part) for part in word.split("…")) for word in line.split()]
    return re.compile(r"\s*" + r"\s+".join(words) + r"\s*")


def missing_line(shown, printed):
    """The first line that is shown and was not printed after those before it, or None."""
    rest = iter(printed.splitlines())
    for line in shown.splitlines():
        if line.strip() in ("", "…"):
            continue
        expected = pattern(line)
        if not any(expected.fullmatch(each) for each in rest):
            return line
    return None


def edited(text, diff):
    """The text after an edit whose old lines occur in it once."""
    old = "".join(line[1:] + "\n" for line in diff.splitlines() if line[:1] in " -")
    new = "".join(line[1:] + "\n" for line in diff.splitlines() if line[:1] in " +")
    if text.count(old) != 1:
        raise AssertionError(f"occurs {text.count(old)} times:\n{old}")
    return text.replace(old, new)


class Reader:
    """Does what the tutorial says, in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder / "work"
        self.folder.mkdir()
        tools = folder / "bin"
        tools.mkdir()
        (tools / "oocc").symlink_to(compiler())
        (tools / "python3").symlink_to(sys.executable)
        self.environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
        self.printed = ""

    def follow(self, block):
        path = block.mark("file") or block.mark("edit")
        if block.mark("file"):
            (self.folder / path.text).write_text(block.text)
        elif block.mark("edit"):
            file = self.folder / path.text
            file.write_text(edited(file.read_text(), block.text))
        elif block.language == "sh":
            self.run(block)
        elif block.language == "text":
            line = missing_line(block.text, self.printed)
            if line is not None:
                raise AssertionError(f"{block}: not printed: {line}\n--- printed:\n{self.printed}")
        else:
            raise AssertionError(f"{block}: neither a file, nor commands, nor what they print")

    def run(self, block):
        status = int(block.mark("status").text) if block.mark("status") else 0
        done = subprocess.run(["bash", "-ec", block.text], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=600)
        self.printed = done.stdout
        if done.returncode != status:
            raise AssertionError(f"{block}: status {done.returncode} instead of {status}\n{self.printed}")


@unittest.skipIf(os.environ.get("OOCC_SANITIZE"), "its runs take too long under a sanitizer")
class Tutorial(unittest.TestCase):
    def test_done_word_for_word(self):
        with tempfile.TemporaryDirectory(prefix="oocc-tutorial-") as folder:
            reader = Reader(Path(folder))
            for block in blocks(TUTORIAL):
                reader.follow(block)


class TheTestItself(unittest.TestCase):
    """What the conventions let through, and what not."""

    def test_finds_lines_in_order(self):
        self.assertIsNone(missing_line("a 1\n…\nb … d\n", "x\na    1\ny\nb c d\n"))

    def test_misses_lines(self):
        self.assertEqual(missing_line("a 2\n", "a 1\n"), "a 2")
        self.assertEqual(missing_line("a\nb\n", "b\na\n"), "b")

    def test_edits_once(self):
        self.assertEqual(edited("a\nb\nc\n", " a\n-b\n+d\n c\n"), "a\nd\nc\n")
        with self.assertRaises(AssertionError):
            edited("a\na\n", "-a\n")
