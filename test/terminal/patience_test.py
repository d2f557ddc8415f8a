"""Threads that wait go to sleep soon, unless the environment says how long they spin."""
import os
import re
import unittest

from programs import Program

HEAT = """stencil line;
grid (x: 64);
field u : f64;
init u = x;
boundary u = fixed;
step { u[t+1] = 0.5 * (u[x-1] + u[x+1]); }
steps 4;
"""
SAID = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")


class Patience(unittest.TestCase):
    def spins(self, program, **said):
        """What OpenMP goes by, each time that the program begins."""
        environment = {name: value for name, value in os.environ.items() if name not in SAID}
        done = program.run("--progress", "off", env={**environment, "OMP_DISPLAY_ENV": "verbose", **said})
        self.assertIn("result", done.stdout)
        return re.findall(r"GOMP_SPINCOUNT *= *'(\w+)'", done.stderr)

    def test_is_short_unless_somebody_has_said_how_long_it_is(self):
        with Program(HEAT) as program:
            if not self.spins(program, GOMP_SPINCOUNT="77"):
                self.skipTest("this compiler's OpenMP is not GCC's, which tells what it goes by")
            first, *later = self.spins(program)
            self.assertEqual(later, ["5000"], f"it starts itself anew once, {first} at first")
            self.assertEqual(self.spins(program, GOMP_SPINCOUNT="77"), ["77"])
            self.assertEqual(self.spins(program, OMP_WAIT_POLICY="passive"), ["0"])

    def test_of_a_program_by_another_name(self):
        """Its name, and what it says, are as if it had been started once."""
        with Program(HEAT) as program:
            other = program.folder / "other name"
            other.symlink_to(program.exe)
            environment = {name: value for name, value in os.environ.items() if name not in SAID}
            done = program.run("--nonsense", status=2, env=environment)
            program.exe = other
            self.assertEqual(program.run("--nonsense", status=2, env=environment).stderr, done.stderr)


if __name__ == "__main__":
    unittest.main()
