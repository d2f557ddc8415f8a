"""Numbers at 2^31, 2^32, 2^53 and 2^63, and just beside, wherever one can stand: in programs, on command lines, when a program runs."""
import tempfile
import unittest
from pathlib import Path

import limits
import programs

ENDS = [sign * value for p in (31, 32, 53, 63) for value in (2**p - 1, 2**p, 2**p + 1) for sign in (1, -1)]
NUMBERS = [0, 1, -1, *ENDS, 2**64 - 1, 2**64, 10**18, 10**30]

# One place each, marked #; what else a program has is added.
PLACES = ["grid (y: #, x: 40);", "grid (y: 40, x: #);", "grid (x: #);", "grid (z: #, y: #, x: #);", "grid (w: #, z: #, y: #, x: #);", "grid (y: 40 spacing #, x: 40 spacing 0.#);",
          "step { u[t+1] = u[x-(#)]; }", "step { u[t+1] = u[x+#]; }", "step { u[t+1] = u[y-(#), x]; }", "step { u[t+1] = u[t-(#)]; }", "step { u[t+#] = u; }",
          "step { u[t+1] = laplace(u, order: #); }", "step { u[t+1] = u; } boundary u { y.lo: dirichlet #; }", "step { u[t+1] = u^(#); }", "step { u[t+1] = # * u; }",
          "step { u[t+1] = u + x * #; }", "step { u[t+1] = u where x > #; }", "step { u[t+1] = u where x < n - (#); }", "step { u[t+1] = u / (#); }",
          "shape s = star(#); step { u[t+1] = sum(o in s) u[o]; }", "shape s = box(#); step { u[t+1] = sum(o in s) u[o]; }", "shape s = {(0, #)}; step { u[t+1] = sum(o in s) u[o]; }",
          "steps #;", "steps # * #;", "steps n + #;", 'output u to "{t}.npy" every #;', "monitor m = sum(u) every #;", 'record u at (1, #) every # to "r.npy";', "inject u at (#, 1) += #;",
          "inject u at (#.5, 1) += 1;", "param p : int = #;", "param p : f32 = #;", "param p : f64 = #;", "let a = # + #;", "let a = # * #;", "let a = # - #; let b = a * a;", "let a = # % (#);",
          "let a = #^#;", "param p : int = #; grid (y: p, x: p * p);", "param p : int = #; step { u[t+1] = u[x-1] where x > p; }", "coef c : f32 = #;", "init u = # * x;", "stop when m > #; monitor m = max(u);"]
REST = {"stencil": "stencil s;", "param n": "param n : int = 40;", "grid": "grid (y: n, x: n);", "field": "field u : f64;", "step {": "step { u[t+1] = u; }", "steps": "steps 2;",
        "boundary": "boundary u = periodic;"}
OPTIONS = ["--bt", "--bz", "--ct", "--yt", "--xt", "--columns", "--jam"]
RUN = ["--steps", "--memory", "--threads", "--bt", "--bz", "--ct", "--yt", "--xt", "--chains", "--columns", "--io-depth", "--io-request", "--commit-every",
       "--tune-seconds", "--adapt=random:#", "-Dn=#", "-Dm=#", "-De=#", "-Dr=#"]
RUNS = ("stencil runs; param n : int = 40; param m : int = 3; param e : int = 2; param r : f64 = 0.5; grid (z: n, y: n + m, x: n); field u : f64;"
        "step { u[t+1] = r * u[x-1] + u where x > m; } boundary u = periodic; steps m; monitor s = sum(u) every e; inject u at (m, 1, n / 2) += r;"
        'record u at (1, r, 1) every e to "r.npy";')


def program(place):
    """The statements of a place, and of the rest those that it has not."""
    return " ".join(text for key, text in REST.items() if key + " " not in place) + "\n" + place + "\n"


class Numbers(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="oocc-broken-")
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def check(self, kind, words, expected=None, position=False):
        with self.subTest(kind=kind, words=words[1:]):
            self.assertIsNone(limits.wrong(kind, words, self.folder, 3 if kind == "plan" else 1, expected, position))  # long runs: a wide search

    def test_in_programs(self):
        for i, place in enumerate(PLACES):
            for k, number in enumerate(NUMBERS):
                name = f"p{i}-{k}.stn"
                (self.folder / name).write_text(program(place).replace("#", str(number)))
                self.check("in a program", [programs.compiler(), "--emit=c", name, "-o", "out.c"], {0, 65}, True)

    def test_on_command_lines(self):
        (self.folder / "p.stn").write_text(program("param p : int = 1; param q : f32 = 1; grid (y: n, x: n + p);"))
        for number in NUMBERS:
            for name in "npq":
                self.check("-D", [programs.compiler(), "--emit=c", "p.stn", "-D", f"{name}={number}"])
            for option in OPTIONS:
                value = f"{number}x{number}" if option == "--jam" else str(number)
                self.check("option", [programs.compiler(), "--emit=c", "p.stn", f"{option}={value}"])

    def test_when_run(self):
        (self.folder / "runs.stn").write_text(RUNS)
        done = programs.call([programs.compiler(), "runs.stn", "--emit=exe", "-o", "runs"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        exe = self.folder / "runs"
        for number in NUMBERS:
            for option in RUN:
                word = option.replace("#", str(number)) if "#" in option else f"{option}={number}"
                self.check("plan", [exe, "--plan", word])
                if number in ENDS[::3]:
                    self.check("plan", [exe, "--plan", "--json", "--memory=64M", "-Dn=200", word])
        for suffix in ("", "K", "G", "T", "X", ".5G"):
            for number in NUMBERS[::2]:
                self.check("size", [exe, "--plan", f"--memory={number}{suffix}"])
        for number in ENDS:
            for name in "nme":
                self.check("run", [exe, "--memory=64M", f"-D{name}={number}", "--steps=2"])
            self.check("run", [exe, "--memory=64M", f"-Dr={number}", "--steps=0"])


if __name__ == "__main__":
    unittest.main()
