"""Widths of tiles that are asked for: they are taken, or refused with one that is taken. Several rows at once in tiles: none too early."""
import re
import unittest

import programs
from programs import SWEEP, Program

RAGGED = """stencil ragged; grid (y: 20, x: 53); field u : f64; step { u[t+1] = u; }
            monitor m = max(if u[t+1, y+1] > u[t+1, x+1] then 1 else 0) where y < 19 and x < 49; steps 1;"""

# Three rows of `low` at once, and two of `u` (test/loops/jams2d.stn).
JAMS = """stencil jams; grid (y: 40, x: 30); field low : f64; field u : f64; init low = (y * 5 + x * 3) % 11; init u = (y + 3 * x) % 7;
          boundary low { y: dirichlet 0.5; x: dirichlet 0.2; } boundary u { y: dirichlet 1; }
          step { low[t+1] = min(low[y-1], low);
                 u[t+1] = 0.5*u[y-1] + 0.4*u[y+1] - 0.1*u + 0.04*low[t+1] + 0.01*low[t+1, y+1] - 0.02*low[t+1, y-1]
                          + 0.05*low[t+1, x-1] + 0.03*low[t+1, x+1]; }
          steps 7; output low to "low.npy"; output u to "u.npy";"""


class Tiles(unittest.TestCase):
    def test_a_width_that_is_offered_is_taken_however_deep_groups_are_asked_for(self):
        offered = 0
        with Program(RAGGED) as program:
            for ct in (1, 2, 11, 40):
                for yt in (1, 3, 5, 6, 17):
                    way = ["--schedule", "resident", "--engine", "memory", "--ct", ct]
                    done = program.run(*way, "--yt", yt, status=None)
                    self.assertIn(done.returncode, (0, 2), (ct, yt, done.stderr))
                    if done.returncode == 2:
                        program.run(*way, "--yt", re.search(r"at least (\d+) ", done.stderr)[1])
                        offered += 1
        self.assertGreater(offered, 0)

    def test_updates_that_take_more_and_fewer_rows_at_once_give_the_bits_of_a_sweep(self):
        with Program(JAMS) as program:
            program.run(*SWEEP)
            want = {name: program.load(name) for name in ("low.npy", "u.npy")}
            for bt in (1, 2, 3, 7):
                for bz in (1, 2, 3, 4, 5, 40):
                    program.run("--schedule", "stream", "--engine", "memory", "--bt", bt, "--bz", bz, "--threads", 2)
                    for name, array in want.items():
                        self.assertIsNone(programs.difference(program.load(name), array, name), (bt, bz))


if __name__ == "__main__":
    unittest.main()
