"""oocc init: folders that work at once, and that overwrite nothing."""
import os
import re
import tempfile
import unittest
from pathlib import Path

from programs import call, compiler


class Init(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="oocc-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def init(self, *words, status=0):
        return call([compiler(), "init", *words], self.folder, status)

    def kinds(self):
        kinds = re.search(r"the kind of program: (.*)", self.init("--help").stdout)[1]
        return re.split(r", | or ", kinds)

    def test_every_kind_runs_and_writes_what_gitignore_names(self):
        self.assertGreaterEqual(len(self.kinds()), 4)
        for kind in self.kinds():
            with self.subTest(kind):
                name = f"my_{kind}"
                said = self.init(name, "--template", kind).stdout
                made = sorted(path.name for path in (self.folder / name).iterdir())
                self.assertEqual(made, [".gitignore", "README.md", f"{name}.stn"])
                self.assertIn(f"now: cd {name} && oocc run {name}.stn\n", said)
                done = call([compiler(), "run", f"{name}.stn", "--", "--probe", "off"], self.folder / name)
                self.assertNotIn("warning", done.stderr)
                self.assertTrue(list((self.folder / name).glob("*.npy")))
                call(["git", "-c", "init.defaultBranch=main", "init", "-q"], self.folder / name)
                left = call(["git", "status", "--porcelain", "-uall"], self.folder / name).stdout
                self.assertEqual(sorted(left.split()), sorted(["??", "??", "??", *made]))
                for made_file in made:
                    self.assertNotIn("{{", (self.folder / name / made_file).read_text())

    def test_the_commands_of_the_readme_work(self):
        self.init("wave", "--template", "wave")
        readme = (self.folder / "wave/README.md").read_text()
        commands = [c for c in re.findall(r"^\| `(oocc [^`]+)`", readme, re.M) if "doctor" not in c]
        self.assertEqual(len(commands), 4)
        for command in commands:
            call([compiler(), *command.split()[1:]], self.folder / "wave")

    def test_the_name_is_the_kinds_unless_given(self):
        self.init()
        self.assertTrue((self.folder / "heat/heat.stn").is_file())

    def test_cmake(self):
        self.init("wave_1", "--cmake")
        text = (self.folder / "wave_1/CMakeLists.txt").read_text()
        self.assertIn("find_package(oocc REQUIRED)\noocc_add_stencil(wave_1 wave_1.stn EXECUTABLE)\n", text)
        self.assertIn("cmake --build build", (self.folder / "wave_1/README.md").read_text())
        self.assertEqual(self.init("test", "--cmake", status=2).stderr,
                         "oocc: 'test' is a target of CMake's own; choose another name\n")
        self.init("test")

    def test_nothing_is_overwritten(self):
        for name in [".gitignore", "README.md", "heat.stn"]:
            with self.subTest(name):
                folder = self.folder / "heat"
                folder.mkdir(exist_ok=True)
                (folder / name).write_text("mine")
                done = self.init(status=73)
                self.assertIn(f"oocc: error: 'heat/{name}' is in the way\n", done.stderr)
                self.assertEqual([path.name for path in folder.iterdir()], [name])
                self.assertEqual((folder / name).read_text(), "mine")
                (folder / name).unlink()
        (self.folder / "heat/other").write_text("mine")  # is not in the way
        self.init()

    def test_other_things_in_the_way(self):
        (self.folder / "heat").write_text("mine")
        self.assertIn("'heat' is in the way", self.init(status=73).stderr)
        (self.folder / "wave").mkdir()
        (self.folder / "wave/wave.stn").symlink_to("nowhere")
        self.assertIn("'wave/wave.stn' is in the way", self.init("--template", "wave", status=73).stderr)

    def test_a_folder_that_cannot_be_made(self):
        done = call([compiler(), "init"], "/proc", 73)
        self.assertIn("oocc: error: cannot create 'heat': ", done.stderr)

    def test_names_are_names_of_the_language(self):
        for name in ["3d", "a-b", "a b", "../up", "", ".", "ä", "a/b", "grid"]:
            with self.subTest(name):
                before = set(os.listdir(self.folder))
                done = self.init(name, status=None)
                if done.returncode == 0:  # then the language takes it
                    call([compiler(), f"{name}/{name}.stn", "-o", "/dev/null"], self.folder)
                    continue
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"'{name}' cannot be the name of a program", done.stderr)
                self.assertEqual(set(os.listdir(self.folder)), before)

    def test_usage(self):
        self.assertEqual(self.init("--template", "wav", status=2).stderr,
                         "oocc: --template cannot be 'wav'; did you mean 'wave'?\n")
        self.assertEqual(self.init("a", "b", status=2).stderr,
                         "oocc: 'b' is one word too many; 'oocc init --help' says what is taken\n")
