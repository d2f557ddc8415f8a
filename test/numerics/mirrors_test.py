"""Cells that stand for others beyond the ends of a row are there under every compiler at every level. gcc 12 has taken the loop that
copies them, when it was written with a falling index, for one that does nothing: at -O1 and -O2, not at -O3."""
import unittest

import numpy as np

import compilers
import programs

STEPS = 4
EDGES = {"neumann": "edge", "reflect": "symmetric", "reflect_center": "reflect", "periodic": "wrap"}
PROGRAM = """
stencil mirrors;
grid (y: 8, x: 17);
field p : f64;
field b : u8;
boundary b {{ y: fixed; x: {edge}; }}
init p = (x * 7 + y * 3) % 11;
init b = (9 + x * 2 + y * 7) % 13 * 5;
step {{
    p[t+1] = p + b[x+3];
    b[t+1] = b[y+1, x+2];
}}
steps 4;
output p to "p.npy";
output b to "b.npy";
"""


def wanted(mode):
    x, y = np.arange(17)[None, :], np.arange(8)[:, None]
    p, b = ((x * 7 + y * 3) % 11).astype(np.float64), ((9 + x * 2 + y * 7) % 13 * 5).astype(np.uint8)
    for _ in range(STEPS):
        wide = np.pad(b, ((0, 0), (0, 3)), mode)
        p = p + wide[:, 3:]
        b = np.concatenate([wide[1:, 2:19], b[-1:]])
    return {"p": p, "b": b}


class Mirrors(unittest.TestCase):
    def test_every_compiler_at_every_level(self):
        if compilers.sanitized():
            self.skipTest("the runtime is sanitized: only its own compiler links with it")
        for edge, mode in EDGES.items():
            want, tried = wanted(mode), 0
            for compiler in compilers.found():
                for level in ("-O0", "-O1", "-O2", "-O3"):
                    choice = compiler, (level,)
                    with self.subTest(edge=edge, choice=choice), \
                            programs.Program(PROGRAM.format(edge=edge), "--cc", compilers.wrapper_for(choice)) as program:
                        program.run(*programs.SWEEP)
                        for name, right in want.items():
                            self.assertIsNone(programs.difference(program.load(f"{name}.npy"), right, name))
                        tried += 1
            self.assertGreaterEqual(tried, 4)


if __name__ == "__main__":
    unittest.main()
