"""What bash and zsh complete."""
import os
import pty
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from programs import call, compiler

PROGRAM = """stencil wave;
param size : int = 8;
param speed : f64 = 0.5;
grid (y: size, x: size);
field u : f64;
step { u[t+1] = speed * u; }
steps 3;
"""


class Folder(unittest.TestCase):
    """A folder with files to complete."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="oocc-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "wave.stn").write_text(PROGRAM)
        (self.folder / "half.stn").write_text("stencil half;\nparam n : int = ")
        (self.folder / "with blank.stn").write_text(PROGRAM)
        (self.folder / "wave.npy").write_text("")
        (self.folder / "sub").mkdir()


class Bash(Folder):
    def complete(self, *words):
        """What the completion function makes of a command line, whose last word is the one being written."""
        script = ('source <("$OOCC" completion bash) || exit 1; COMP_WORDS=("$OOCC" "$@"); COMP_CWORD=$#; _oocc; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = call(["bash", "-c", script, "bash", *words], self.folder, env={**os.environ, "OOCC": compiler()})
        self.assertEqual(done.stderr, "")
        return [line for line in done.stdout.split("\n") if line]

    def test_commands_and_programs_come_first(self):
        words = self.complete("")
        for word in ["run", "doctor", "init", "completion", "wave.stn", "with blank.stn", "sub"]:
            self.assertIn(word, words)
        self.assertNotIn("wave.npy", words)

    def test_options_are_those_of_the_command(self):
        self.assertIn("--emit", self.complete("--"))
        self.assertIn("--emit", self.complete("wave.stn", "-"))
        self.assertEqual(self.complete("--em"), ["--emit"])
        self.assertIn("--scratch", self.complete("doctor", "--"))
        self.assertNotIn("--emit", self.complete("doctor", "--"))
        self.assertNotIn("--emit", self.complete("run", "wave.stn", "--"))

    def test_values(self):
        self.assertEqual(self.complete("--emit", ""), ["ast", "stencil", "facts", "plan", "loops", "c", "exe", "library", "header"])
        self.assertEqual(self.complete("--emit", "=", ""), self.complete("--emit", ""))
        self.assertEqual(self.complete("--emit", "="), self.complete("--emit", ""))
        self.assertEqual(self.complete("--emit", "=", "p"), ["plan"])
        self.assertEqual(self.complete("--diagnostics", "=", "s"), ["sarif"])
        self.assertEqual(self.complete("init", "--template", "w"), ["wave"])
        self.assertEqual(self.complete("completion", "z"), ["zsh"])

    def test_numbers_and_names_are_not_guessed(self):
        self.assertEqual(self.complete("wave.stn", "--bt", ""), [])
        self.assertEqual(self.complete("init", "w"), [])

    def test_parameters_of_the_program(self):
        self.assertEqual(self.complete("wave.stn", "-D", ""), ["size=", "speed="])
        self.assertEqual(self.complete("wave.stn", "-Dsp"), ["-Dspeed="])
        self.assertEqual(self.complete("run", "wave.stn", "--", "-D", "si"), ["size="])
        self.assertEqual(self.complete("with blank.stn", "-D", "si"), ["size="])
        self.assertEqual(self.complete("half.stn", "-D", ""), [])
        self.assertEqual(self.complete("none.stn", "-D", ""), [])
        self.assertEqual(self.complete("-D", ""), [])

    def test_options_of_the_program_follow_two_dashes(self):
        self.assertIn("--memory", self.complete("run", "wave.stn", "--", "--m"))
        self.assertNotIn("--emit", self.complete("run", "wave.stn", "--", "--"))
        self.assertEqual(self.complete("run", "wave.stn", "--", "--engine", "u"), ["uring"])
        self.assertEqual(self.complete("run", "wave.stn", "--", "--schedule", "s"), ["stream", "sweep"])
        self.assertEqual(self.complete("run", "wave.stn", "--", "--scratch", ""), ["sub"])

    def test_files_with_blanks_are_one_word(self):
        self.assertEqual(self.complete("run", "wi"), ["with blank.stn"])
        self.assertEqual(self.complete("-o", "wave.n"), ["wave.npy"])


class Zsh(Folder):
    """A real zsh on a terminal: Tab is pressed, and what is then on the line is looked at."""

    def setUp(self):
        super().setUp()
        zsh = shutil.which("zsh")
        if not zsh:
            self.skipTest("there is no zsh on the PATH")
        functions = self.folder / "functions"
        functions.mkdir()
        script = functions / ("_oocc" if self.from_fpath() else "sourced")
        script.write_text(call([compiler(), "completion", "zsh"], self.folder).stdout)
        self.line = self.folder / "line"
        environment = {**os.environ, "PATH": f"{Path(compiler()).parent}:{os.environ['PATH']}", "TERM": "dumb",
                       "ZDOTDIR": str(self.folder), "LINE": str(self.line)}
        (self.folder / ".zshrc").write_text(
            f"fpath=({functions} $fpath); autoload -Uz compinit; compinit -u -D; unsetopt beep\n"
            f"[[ -e {functions}/sourced ]] && source {functions}/sourced\n"
            "unsetopt zle_bracketed_paste 2>/dev/null; unset zle_bracketed_paste\n"
            "show() { print -r -- $BUFFER > $LINE.new; mv $LINE.new $LINE; BUFFER= }\n"
            "zle -N show; bindkey '^X' show; bindkey '^I' complete-word; : > $LINE\n")
        self.terminal, child = pty.openpty()
        self.process = subprocess.Popen([zsh, "-i"], stdin=child, stdout=child, stderr=child, cwd=self.folder,
                                        env=environment, start_new_session=True)
        os.close(child)
        self.addCleanup(self.end)
        self.wait_for_line()

    def end(self):
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)

    def wait_for_line(self):
        until = time.monotonic() + 30
        os.set_blocking(self.terminal, False)
        while not self.line.exists():
            try:
                os.read(self.terminal, 65536)  # nobody else empties it
            except BlockingIOError:
                pass
            self.assertLess(time.monotonic(), until, "zsh does not answer")
            time.sleep(0.01)
        text = self.line.read_text().rstrip("\n")
        self.line.unlink()
        return text

    def complete(self, text):
        os.write(self.terminal, text.encode() + b"\t\x18")
        return self.wait_for_line()

    def from_fpath(self):
        return "sourced" not in self.id()

    def test_completes_when_sourced(self):
        self.assertEqual(self.complete("oocc --emit=pl").rstrip(" "), "oocc --emit=plan")

    def test_completes(self):
        for text, whole in {
                "oocc doc": "oocc doctor ", "oocc wave.s": "oocc wave.stn ", "oocc --emit=pl": "oocc --emit=plan ",
                "oocc --emit pl": "oocc --emit plan ", "oocc --diagnostics-f": "oocc --diagnostics-file=",
                "oocc wave.stn -D sp": "oocc wave.stn -D speed=", "oocc run wave.stn -Dsi": "oocc run wave.stn -Dsize=",
                "oocc run wave.stn -- --schedule st": "oocc run wave.stn -- --schedule stream ",
                "oocc run wave.stn -- -D si": "oocc run wave.stn -- -D size=",
                "oocc run wave.stn -- --mem": "oocc run wave.stn -- --memory=",
                "oocc init --template wa": "oocc init --template wave ", "oocc completion z": "oocc completion zsh ",
                "oocc doctor --scr": "oocc doctor --scratch="}.items():
            with self.subTest(text):
                self.assertEqual(self.complete(text).rstrip(" "), whole.rstrip(" "))
