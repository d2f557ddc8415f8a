"""The manual pages say what --help says, no less and no more, and can be formatted."""
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import programs
from programs import call, compiler

PAGES = programs.ROOT / "docs" / "man"
# Commands that have a section whether or not this build has them: `lift` needs Clang's libraries.
OPTIONAL = {"lift", "fmt", "lsp", "study"}
# Of the section of a command whose options are those of another section, all but these.
RUN_LACKS = {"-o", "--output", "--emit"}


def options_of_help(text):
    """Lines that begin with two blanks and an option: "  -o,--output FILE ...  where to write"."""
    options = set()
    for line in re.findall(r"^  (-[^\s,]+(?:, ?-[^\s,]+)*)", text, re.M):
        options |= set(line.replace(" ", "").strip(",").split(","))
    return options


def options_of_page(text):
    """mdoc's items: ".It Fl o Ar FILE , Fl -output Ar FILE"."""
    return {f"-{name}" for line in re.findall(r"^\.It (Fl .*)$", text, re.M) for name in re.findall(r"\bFl (\S+)", line)}


def section(page, heading):
    """From a heading .Sh or .Ss to the next one of its kind; None when there is none."""
    text = (PAGES / page).read_text()
    found = re.search(rf"^\.(S[hs]) {heading}.*$", text, re.M)
    if not found:
        return None
    rest = text[found.end():]
    until = re.search(r"^\.Sh " if found[1] == "Sh" else r"^\.S[hs] ", rest, re.M)
    return rest[:until.start()] if until else rest


class Options(unittest.TestCase):
    def help(self, *words):
        return call([compiler(), *words, "--help"], PAGES).stdout

    def commands(self):
        names = re.findall(r"^oocc ([a-z]+) ", self.help().split("\nCommands", 1)[1], re.M)
        self.assertIn("run", names)
        return names

    def compare(self, page, where, said, described):
        self.assertTrue(said, f"{where}: --help lists no options")
        self.assertEqual(sorted(said - described), [], f"docs/man/{page}, {where}: --help has them, the page lacks them")
        self.assertEqual(sorted(described - said), [], f"docs/man/{page}, {where}: the page has them, --help does not")

    def test_of_the_compiler(self):
        described = options_of_page(section("oocc.1", "OPTIONS"))
        self.compare("oocc.1", "oocc", options_of_help(self.help()), described)
        self.compare("oocc.1", "oocc run", options_of_help(self.help("run")), described - RUN_LACKS)

    def test_of_every_command(self):
        for name in self.commands():
            with self.subTest(name):
                said = options_of_help(self.help(name))
                text = section("oocc.1", f"oocc {name}\\b")
                self.assertIsNotNone(text, f"docs/man/oocc.1 lacks a section '.Ss oocc {name} ...' with an '.It Fl' for each "
                                           f"of {', '.join(sorted(said))}")
                if name != "run":  # its options are the compiler's
                    self.compare("oocc.1", f"oocc {name}", said, options_of_page(text))

    def test_sections_are_of_commands(self):
        sections = re.findall(r"^\.Ss oocc ([a-z]+)", section("oocc.1", "COMMANDS"), re.M)
        self.assertEqual(sorted(set(sections) - set(self.commands()) - OPTIONAL), [])

    def test_of_generated_programs(self):
        with programs.Program("stencil a; grid (x: 4); field u : f64; step { u[t+1] = u; } steps 1;") as program:
            said = options_of_help(call([program.exe, "--help"], program.folder).stdout)
        self.assertIn("-D", said)
        self.compare("oocc-program.1", "a program", said, options_of_page(section("oocc-program.1", "OPTIONS")))

    def test_statuses_of_generated_programs(self):
        header = (programs.ROOT / "runtime/include/oocc/status.h").read_text()
        statuses = re.search(r"enum oocc_exit \{(.*?)\};", header, re.S)[1]
        self.assertEqual(re.findall(r"^\.It (\d+)$", section("oocc-program.1", "EXIT STATUS"), re.M),
                         re.findall(r"= (\d+)", statuses))


class Text(unittest.TestCase):
    def pages(self):
        pages = sorted(path for path in PAGES.iterdir() if path.suffix in {".1", ".5"})
        self.assertEqual(len(pages), 3)
        return pages

    def format(self, *command):
        if not shutil.which(command[0]):
            self.skipTest(f"there is no {command[0]} on the PATH")
        for page in self.pages():
            with self.subTest(page.name):
                done = call([*command, page], PAGES, status=None)
                self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_groff_has_nothing_to_say(self):
        self.format("groff", "-mdoc", "-Tutf8", "-ww", "-z")

    def test_mandoc_has_nothing_to_say(self):
        self.format("mandoc", "-Tlint", "-Wwarning")

    def test_the_program_of_the_page_of_the_language_compiles(self):
        block = re.search(r"^\.Bd -literal.*?\n(.*?)^\.Ed", (PAGES / "oocc.stn.5").read_text(), re.S | re.M)[1]
        with tempfile.TemporaryDirectory(prefix="oocc-") as folder:
            path = Path(folder) / "heat.stn"
            path.write_text(block)
            done = call([compiler(), path, "-o", Path(folder) / "heat.c"], folder)
            self.assertEqual(done.stderr, "")

    def test_pages_that_are_referred_to_are_there(self):
        own = {(page.stem, page.suffix[1:]) for page in self.pages()}
        for page in self.pages():
            for name, number in re.findall(r"\bXr (oocc\S*) (\d)", page.read_text()):
                self.assertIn((name, number), own, page.name)
