"""Modes, links in the place of files, and names that a shell would take apart."""
import os
import stat
import unittest

import options
import programs
import suite
from programs import call
from world import SHAPES, Counter, Folder, world

WAY = [*SHAPES["stream"], "--engine", "aio"]
UNCOMMITTED = [*SHAPES["uncommitted"], "--engine", "aio"]
SCRATCH_NAMES = ("gen0", "gen1", "gen2", "coef", "member", "member.tmp", "manifest", "manifest.tmp", "recent", "recent.tmp", "trace0", "trace1", "lock")
VICTIM = b"what belongs to somebody else"


def mode(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


class Modes(unittest.TestCase):
    def test_the_scratch_is_its_owner_s(self):
        for mask in (0o000, 0o022, 0o077):
            with self.subTest(oct(mask)), Folder() as folder:
                folder.run(*WAY, "--scratch", "s", "--keep", status=0, umask=mask)
                self.assertEqual(mode(folder.path / "s"), 0o700)
                for path in (folder.path / "s").iterdir():
                    self.assertEqual(mode(path), 0o600, path)

    def test_outputs_follow_the_umask(self):
        for mask in (0o000, 0o027, 0o077):
            with self.subTest(oct(mask)), Folder() as folder:
                folder.run(*WAY, "--report", "report.json", status=0, umask=mask)
                for name in [*folder.results(), "report.json"]:
                    self.assertEqual(mode(folder.path / name), 0o666 & ~mask, name)


class Planted(unittest.TestCase):
    """Links, of either kind, at every name that a run makes: refused, or replaced; what they lead to stays as it is."""

    def plant(self, folder, name, kind):
        victim = folder.path.parent / f"{folder.path.name}.victim"
        victim.write_bytes(VICTIM)
        self.addCleanup(lambda: victim.exists() and victim.unlink())
        path = folder.path / name
        path.parent.mkdir(exist_ok=True)
        (os.symlink if kind == "symbolic" else os.link)(victim, path)
        return victim

    def test_in_the_scratch(self):
        counter = Counter()
        for kind in ("symbolic", "hard"):
            for name in SCRATCH_NAMES:
                with Folder() as folder:
                    victim = self.plant(folder, f"s/{name}", kind)
                    done = folder.run(*WAY, "--scratch", "s")
                    wrong = None
                    if victim.read_bytes() != VICTIM:
                        wrong = f"{kind} link {name}: was followed"
                    elif done.returncode not in (0, 73, 77) or (done.returncode and "error: " not in done.stderr):
                        wrong = f"{kind} link {name}: status {done.returncode}: {done.stderr}"
                    elif done.returncode == 0 and folder.wrong():
                        wrong = f"{kind} link {name}: {folder.wrong()}"
                    counter.take(kind, wrong)
        suite.leave_promise("links planted at the names of a scratch are never followed", counter)
        self.assertFalse(counter.failed, "\n".join(counter.failed))

    def test_while_the_run_goes_on(self):
        """The names of what is being written, put there between two commits."""
        for name in ("manifest.tmp", "member.tmp", "recent", "recent.tmp"):
            way = UNCOMMITTED if name.startswith("recent") else WAY
            for kind in ("symbolic", "hard"):
                with Folder() as folder:
                    if way is WAY:
                        folder.run(*way, "--scratch", "s", "--kill-at", "commit:done:2", status=-9)
                    else:
                        folder.run(*way, "--scratch", "s", "--steps", "6", "--keep", status=0)
                    victim = self.plant(folder, f"s/{name}", kind)
                    folder.run(*way, "--scratch", "s", "--resume", "--steps", "13", status=0)
                    self.assertEqual(victim.read_bytes(), VICTIM)
                    self.assertIsNone(folder.wrong())

    def test_outputs(self):
        counter = Counter()
        for kind in ("symbolic", "hard"):
            for name in (*world().want, "report.json"):
                with Folder() as folder:
                    victim = self.plant(folder, name, kind)
                    folder.run(*WAY, "--report", "report.json", status=0)
                    replaced = victim.read_bytes() == VICTIM and not os.path.islink(folder.path / name)
                    counter.take(kind, folder.wrong() or (None if replaced else f"{kind} link {name}: was followed"))
        self.assertFalse(counter.failed, "\n".join(counter.failed))

    def test_temporary_names_of_outputs(self):
        """The process's number is in them: it is known to whoever starts the run, and stays when that becomes the run."""
        with Folder() as folder:
            victim = folder.path.parent / f"{folder.path.name}.victim"
            victim.write_bytes(VICTIM)
            self.addCleanup(victim.unlink)

            def plant():
                for name in (*world().want, "report.json"):
                    for i in range(3):
                        os.symlink(victim, folder.path / f"{name}.{os.getpid()}-{i}.tmp")
            folder.run(*WAY, "--report", "report.json", status=0, preexec_fn=plant)
            self.assertEqual(victim.read_bytes(), VICTIM)
            self.assertIsNone(folder.wrong())

    def test_what_only_looks_temporary_stays(self):
        """A file that another process is writing, a folder, a name that is none of ours."""
        with Folder() as folder:
            (folder.path / "end.npy.17-0.tmp").mkdir()
            for name in ("end.npy.tmp", "end.npy.17.tmp", "end.npy.x-0.tmp", "xend.npy.17-0.tmp"):
                (folder.path / name).write_bytes(VICTIM)
            (folder.path / "end.npy.18-0.tmp").write_bytes(b"")
            folder.run(*WAY, status=0)
            self.assertTrue((folder.path / "end.npy.17-0.tmp").is_dir())
            for name in ("end.npy.tmp", "end.npy.17.tmp", "end.npy.x-0.tmp", "xend.npy.17-0.tmp"):
                self.assertEqual((folder.path / name).read_bytes(), VICTIM)
            self.assertFalse((folder.path / "end.npy.18-0.tmp").exists())

    def test_files_of_the_user_are_left_alone(self):
        """A scratch may be any folder, and may not take what it did not make."""
        for name in ("gen0", "coef", "member", "manifest", "trace7"):
            with Folder() as folder:
                (folder.path / "s").mkdir()
                (folder.path / "s" / name).write_bytes(VICTIM)
                (folder.path / "s" / "thesis").write_bytes(VICTIM)
                folder.run(*WAY, "--scratch", "s", status=73)
                self.assertEqual({p.name: p.read_bytes() for p in (folder.path / "s").iterdir()},
                                 {name: VICTIM, "thesis": VICTIM})


ODD = ("-x", "with space", "new\nline", "$(touch pwned)", "`touch pwned`", "a;touch pwned", "'", '"', "*", "--help", "%s%n", "ü")


class Names(unittest.TestCase):
    def check(self, folder):
        self.assertFalse(list(folder.path.rglob("pwned")), "something was run by a shell")

    def test_scratch_and_report(self):
        for name in ODD:
            with self.subTest(name), Folder() as folder:
                folder.run(*WAY, "--scratch", name, "--report", "./" + name + ".json", "--kill-at", "commit:done:2", status=-9)
                self.assertEqual(folder.verify("./" + name).returncode, 0)
                folder.run(*WAY, "--scratch", name, "--report", "./" + name + ".json", "--resume", status=0)
                self.assertTrue((folder.path / (name + ".json")).exists())
                self.assertIsNone(folder.wrong())
                self.check(folder)

    def test_programs(self):
        """The compiler hands these to the C compiler, and `oocc run` to the program."""
        text = world().plain.source.read_text()
        for name in ODD if options.LONG else ODD[:7]:
            with self.subTest(name), Folder() as folder:
                source = folder.path / (name + ".stn")
                source.write_text(text)
                call([programs.compiler(), "./" + name + ".stn", "--emit=exe", "-o", "./" + name], folder.path)
                call(["./" + name, "--progress", "off", "--steps", "2"], folder.path)
                self.assertTrue((folder.path / "u.npy").exists())
                self.check(folder)

    def test_outputs(self):
        for name in ODD if options.LONG else ODD[:7]:
            if "\n" in name or '"' in name or "%" in name:
                continue  # no text of the language
            with self.subTest(name), Folder() as folder:
                program = world().plain.source.read_text().replace('"u.npy"', f'"{name}.npy"')
                (folder.path / "p.stn").write_text(program)
                call([programs.compiler(), "run", "p.stn", "--", "--progress", "off", "--steps", "2", "--schedule", "stream",
                      "--engine", "mmap"], folder.path)
                self.assertTrue((folder.path / f"{name}.npy").exists())
                self.check(folder)
