"""Widths of tiles that are asked for: they are taken, or refused with one that is taken."""
import re
import unittest

from programs import Program

RAGGED = """stencil ragged; grid (y: 20, x: 53); field u : f64; step { u[t+1] = u; }
            monitor m = max(if u[t+1, y+1] > u[t+1, x+1] then 1 else 0) where y < 19 and x < 49; steps 1;"""


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


if __name__ == "__main__":
    unittest.main()
