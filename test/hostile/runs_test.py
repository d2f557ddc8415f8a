"""Programs with hostile names and paths are run: they give the bits of the same programs with plain names, and files under the
names that were asked for."""
import os
import random
import tempfile
import unittest
from pathlib import Path

import drawn_test
import judge
import names
import programs
import rename

PATHS = [b"$(touch pwned)`touch pwned`.npy", b"%n%s%d.npy", b"\xe2\x80\xae\xe2\x81\xa6.npy", b"\xff\xc0.npy", b"*\\n??!.npy",
         b"-rf {t.npy", b"'; touch pwned; '.npy"]


class Runs(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="oocc-hostile-")
        self.folder = Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def built(self, name, text, *options):
        folder = self.folder / name
        folder.mkdir()
        (folder / "p.stn").write_bytes(text)
        made, wrong = judge.compile_program(folder / "p.stn", folder / "p.c", *options)
        self.assertTrue(made, f"{wrong}\n{text[:2000]!r}")
        judge.build_program(folder / "p.c", folder / "p")
        return folder

    def run_in(self, folder, *options, status=0):
        done = judge.run([folder / "p", "--progress", "off", "--threads", "2", *options], folder)
        self.assertEqual(done.returncode, status, done.stderr)
        for stream in (done.stdout, done.stderr):
            self.assertIsNone(judge.unclean(stream), stream[:1000])
        return done

    def results(self, folder, *options):
        self.run_in(folder, *options)
        return {p.name: p.read_bytes() for p in folder.glob("*.npy")}

    def test_bits_do_not_depend_on_names(self):
        for template in drawn_test.TEMPLATES:
            with self.subTest(template.name):
                text = template.read_text()
                rng = random.Random(f"run {template.name}")
                new = names.draw(rng, rename.names_of(text))
                hostile = rename.renamed(text, new)[0]
                plain_folder = self.built(f"{template.stem}-plain", text.encode())
                folder = self.built(f"{template.stem}-hostile", hostile.encode())
                want = self.results(plain_folder)
                self.assertGreater(len(want), 0)
                for way in ([], ["--schedule", "stream", "--engine", "memory", "--bz", "2"]):
                    self.assertEqual(self.results(folder, *way), want, hostile)

    def test_paths_are_names_of_files_and_nothing_else(self):
        outputs = b"".join(b'output u to "' + path + b'";\n' for path in PATHS)
        folder = self.built("paths", b"stencil s; grid (y: 20, x: 20); field u : f64; init u = x; step { u[t+1] = u; } steps 1;\n" +
                            outputs + b'output u to "\x24(touch pwned)%s-{t}{t}.npy" every 1;\n')
        self.run_in(folder, "--plan")
        self.run_in(folder)
        found = {name for name in os.listdir(os.fsencode(folder)) if name.endswith(b".npy")}
        self.assertEqual(found, {*PATHS, b"$(touch pwned)%s-11.npy"})
        self.assertFalse((folder / "pwned").exists())

    def test_what_a_program_prints_of_paths(self):
        """Of files that are not there, in messages, plans and reports, the terminal gets names it can show."""
        folder = self.built("missing", b"stencil s; grid (y: 20, x: 20); field u : f64; coef c : f64 from \"\xe2\x80\xae\xff%n%s.npy\";"
                            b"step { u[t+1] = u + c; } steps 1; output u to \"no/\xe2\x81\xa6.npy\";"
                            b"record u at points \"\xc2\x85.csv\" to \"\xe2\x80\xab.npy\";")
        self.run_in(folder, status=65)
        self.run_in(folder, "--plan", status=65)
        (folder / "\x85.csv").write_text("1, 2\n")
        self.run_in(folder, "--plan")
        self.run_in(folder, "--plan", "--json")
        for option in ("--\x1b[2J", "-D\u202e=1", "--scratch=\x1b[2J/\u202e/x", "--report=no\n\x1b/x", "--engine=\u2066"):
            done = judge.run([folder / "p", option], folder)
            self.assertNotEqual(done.returncode, 0)
            self.assertIsNone(judge.unclean(done.stderr), option)

    def test_oocc_run_starts_no_shell(self):
        for name in (b"$(touch pwned).stn", b"`touch pwned`.stn", b"; touch pwned;.stn", b"-o.stn", b"\xe2\x80\xae.stn", b"..stn", b"...stn",
                     b".stn", b"@x.stn", b"a\n.stn"):
            source = os.path.join(os.fsencode(self.folder), name)
            with open(source, "wb") as file:
                file.write(b'stencil s; grid (x: 20); field u : f64; step { u[t+1] = u; } steps 1; output u to "o.npy";')
            done = judge.run([programs.compiler(), "run", os.path.join(b".", name), "--cc", judge.compilers()[0], "--", "--help"],
                             self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIsNone(judge.unclean(done.stdout + done.stderr))
            self.assertFalse((self.folder / "pwned").exists())

    def test_names_of_executables(self):
        source = self.folder / "p.stn"
        source.write_text("stencil s; grid (x: 20); field u : f64; step { u[t+1] = u; } steps 1;")
        (self.folder / "x").write_text("-shared")  # what @x would bring in
        for name in (b"@x", b"%n", b"$(id)", b"a b", b"\xe2\x80\xae", b"a\nb", b"\\"):
            done = judge.run([programs.compiler(), "p.stn", "--emit=exe", "-o", name], self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(judge.run([b"./" + name, "--help"], self.folder).returncode, 0, name)


if __name__ == "__main__":
    unittest.main()
