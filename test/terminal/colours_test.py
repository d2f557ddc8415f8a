"""Colours, and what is drawn on terminals of different kinds."""
import os
import pty
import subprocess
import tempfile
import unittest
from pathlib import Path

import programs
from programs import call, compiler

BAD = "stencil a;\ngrid (x: 4);\nfield u : f64;\nstep { u[t+1] = sqr(u); }\nsteps 2;\nlet u = 1;\n"
RED, BOLD, GREEN = "\033[1;31m", "\033[1m", "\033[1;32m"
CLEAN = {name: value for name, value in os.environ.items()
         if name not in {"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS"}}


def on_terminal(command, folder, **variables):
    """What a command says on stdout and stderr when both are a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL, stdout=theirs,
                               stderr=theirs, env={**CLEAN, **variables})
    os.close(theirs)
    said = b""
    try:
        while block := os.read(ours, 65536):
            said += block
    except OSError:  # EIO: nobody writes any more
        pass
    os.close(ours)
    process.wait(timeout=60)
    return said.decode().replace("\r\n", "\n")


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="oocc-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "a.stn").write_text(BAD)


class Compiler(Case):
    def piped(self, *words, **variables):
        return call([compiler(), "a.stn", *words], self.folder, 65, env={**CLEAN, "TERM": "xterm", **variables}).stderr

    def shown(self, *words, **variables):
        return on_terminal([compiler(), "a.stn", *words], self.folder, **variables)

    def test_a_terminal_has_colours(self):
        said = self.shown(TERM="xterm")
        self.assertIn(f"{BOLD}a.stn:4:17:\033[0m {RED}error:\033[0m {BOLD}there is no function 'sqr'\033[0m\n", said)
        self.assertIn(f"{GREEN}^~~\033[0m\n", said)

    def test_colours_change_nothing_else(self):
        said = self.piped("--color=always")
        for code in [RED, BOLD, GREEN, "\033[1;36m", "\033[0m"]:
            self.assertIn(code, said)
            said = said.replace(code, "")
        self.assertEqual(said, self.piped())
        self.assertNotIn("\033", said)

    def test_other_places_have_none(self):
        for variables in [{}, {"TERM": "xterm-256color"}, {"CLICOLOR": "1"}, {"CLICOLOR_FORCE": "0"}, {"CLICOLOR_FORCE": ""}]:
            with self.subTest(variables):
                self.assertNotIn("\033", self.piped(**variables))

    def test_terminals_that_want_none(self):
        for variables in [{"TERM": "dumb"}, {}, {"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "xterm", "NO_COLOR": "0"},
                          {"TERM": "xterm", "CLICOLOR": "0"}, {"TERM": "xterm", "NO_COLOR": "1", "CLICOLOR_FORCE": "1"}]:
            with self.subTest(variables):
                self.assertNotIn("\033", self.shown(**variables))
        self.assertIn("\033", self.shown(TERM="xterm", NO_COLOR=""))  # empty is not set

    def test_forced(self):
        self.assertIn("\033", self.piped(CLICOLOR_FORCE="1"))
        self.assertIn("\033", self.piped("--color=always", NO_COLOR="1", TERM="dumb"))
        self.assertNotIn("\033", self.piped("--color=never", CLICOLOR_FORCE="1"))
        self.assertNotIn("\033", self.shown("--color=never", TERM="xterm"))

    def test_documents_have_none(self):
        for format in ["json", "sarif"]:
            self.assertNotIn("[1;31m", self.piped(f"--diagnostics={format}", "--color=always"))

    def test_a_kind_that_is_not_there(self):
        done = call([compiler(), "a.stn", "--color=red"], self.folder, 2)
        self.assertEqual(done.stderr, "oocc: --color cannot be 'red'; it is one of auto, always, never\n")


class Progress(unittest.TestCase):
    """Of a generated program: one line that is redrawn, where that is possible; colours have nothing to do with it."""

    @classmethod
    def setUpClass(cls):
        cls.program = programs.Program(
            "stencil slow; grid (x: 100000); field u : f64; step { u[t+1] = u[x-1] + 1; } boundary u = fixed; steps 200;")
        cls.addClassCleanup(cls.program.__exit__)

    def shown(self, **variables):
        return on_terminal([self.program.exe, "--probe", "off"], self.program.folder, **variables)

    def test_is_redrawn(self):
        for variables in [{}, {"NO_COLOR": "1"}, {"CLICOLOR": "0"}]:
            with self.subTest(variables):
                self.assertIn("\r\033[Kslow: ", self.shown(TERM="xterm", **variables))

    def test_is_lines_on_dumb_terminals(self):
        for variables in [{}, {"TERM": "dumb"}, {"TERM": ""}]:
            with self.subTest(variables):
                said = self.shown(**variables)
                self.assertNotIn("\033", said)
                self.assertNotIn("\r", said)
                self.assertRegex(said, r"(?m)^slow: .*100%")
