"""Texts that were chosen by hand: comments, paths, names of files, values, sizes."""
import os
import re
import tempfile
import unittest
from pathlib import Path

import judge

# What C, a shell, printf, a terminal, JSON or a file system would take for something else.
FRAGMENTS = [b"*/", b"/*", b"/* */ */", b"//", b"??/", b"??/??/", b"??'", b"\\", b"\\\\", b"\\n", b"\\x41", b"%n%s%d", b"%%", b"'", b"`id`",
             b"$(touch pwned)", b"$HOME", b"; rm -rf x", b"a b", b"../../x", b"/dev/null", b"~", b"-o", b"{t", b"t}", b"{{head}}",
             b"}};", b"#define main", b"#include <stdio.h>", b"\xe2\x80\xae", b"\xe2\x81\xa6", b"\xe2\x80\x8b", b"\xef\xbb\xbf",
             b"\xc3\xa4", b"\xf0\x9f\x98\x80", b"\xff\xfe", b"\xc0\xaf", b"\xed\xa0\x80", b"\xc2\x85", b"\xc2\xa0", b"0", b"777",
             b"\\012", b"?" * 40, b"x" * 4000, b"\xe2\x80\xa8", b"<script>", b"&amp;", b"@file"]
# What no name of a file may hold, or no string at all.
BAD_IN_STRINGS = [b"\0", b"\t", b"\x1b[2J", b"\x7f", b"\x01", b"\r", b"\n", b"\\\n", b"??/\n", b'"']

PLAIN = b"""stencil s;
param n : int = 40;
grid (y: n, x: n);
field u : f64;
coef c : f64 = 1;
step { u[t+1] = 0.5*u + c; }
inject u at (1, 2) += 1;
steps 2;
output u to "o.npy";
"""


def places(name, number=0):
    """Every statement in which the name of a file can stand, and what names are different by, where files are written."""
    k = b"%d" % number
    of = lambda prefix: b'"' + prefix + k + name + b'.npy"'
    yield b"coef c" + k + b" : f64 from " + of(b"") + b";\n"
    if number == 0:
        yield b"init u from " + of(b"") + b";\n"
    yield b"output u to " + of(b"a") + b";\n"
    yield b"output u to " + of(b"{t}b") + b" every 1;\n"
    yield b"inject u at (1, 1) += signal " + of(b"") + b";\n"
    yield b"inject u at points " + of(b"") + b" += 1;\n"
    yield b"record u at points " + of(b"") + b" to " + of(b"c") + b";\n"


WORD_U = r"\bu\b"


class Cases(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="oocc-hostile-")
        self.folder = Path(self.temporary.name)
        self.emitted = []

    def tearDown(self):
        self.temporary.cleanup()

    def compiled(self, program, *options, name=b"p.stn", **more):
        """True when the program gives C, False when it is refused as it should be; fails at anything else."""
        number = len(list(self.folder.iterdir()))
        folder = os.fsencode(self.folder / str(number))
        os.mkdir(folder)
        source, out = os.path.join(folder, name), os.path.join(folder, b"out.c")
        with open(source, "wb") as file:
            file.write(program)
        made, wrong = judge.compile_program(source, out, *options, **more)
        self.assertIsNone(wrong, f"{wrong}\n{program[:600]!r} {options} {name!r}")
        if made:
            self.emitted.append(os.fsdecode(out))
        return made

    def clean(self):
        """All that was emitted passes the audit and both compilers."""
        wrong = judge.check_c(*self.emitted)
        self.assertIsNone(wrong, wrong)

    def takes(self, program, *options, **more):
        self.assertTrue(self.compiled(program, *options, **more), f"refused: {program[:600]!r} {options}")

    def refuses(self, program, *options, **more):
        self.assertFalse(self.compiled(program, *options, **more), f"taken: {program[:600]!r} {options}")

    def test_paths(self):
        for fragment in FRAGMENTS:
            self.takes(PLAIN + b"".join(places(fragment)))
        self.takes(PLAIN + b"".join(b"".join(places(fragment, i)) for i, fragment in enumerate(FRAGMENTS)))
        self.clean()

    def test_paths_that_are_none(self):
        for fragment in BAD_IN_STRINGS:
            for place in places(fragment):
                self.refuses(PLAIN + place)

    def test_comments(self):
        everything = [*FRAGMENTS, *BAD_IN_STRINGS]
        lines = [b"// " + fragment.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n" for fragment in everything]
        blocks = [b"/* " + fragment + b" */" for fragment in everything if b"*/" not in fragment]
        for comment in [*lines, *blocks]:
            self.takes(comment + PLAIN)
        self.emitted = self.emitted[:1]  # all the same
        self.takes(b"".join(lines) + PLAIN + b"".join(blocks))
        self.clean()

    def test_text_between_statements(self):
        for fragment in [*FRAGMENTS, b"\0", b"\x1b[2J", b'"', b"\x7f", b"\xef\xbb\xbf" + PLAIN]:
            if fragment not in (b"//", b"/* */ */"):
                self.refuses(fragment + b"\n" + PLAIN + fragment)

    def test_names_of_programs(self):
        for fragment in [*FRAGMENTS, b"\n", b"\r", b"\x1b[2J", b"\t", b'"', b"*/\n#define x\n/*", b"\\\n"]:
            self.takes(PLAIN, name=(b"a" + fragment.replace(b"/", b"\\") + b"b.stn")[:255])
        for name in (b"-", b"--help", b"-D", b"*", b"\xe2\x80\xae", b"\\", b"\n"):
            self.takes(PLAIN, name=name)
        self.takes(PLAIN, name=b"*" * 255)
        self.clean()

    def test_stencil_names(self):
        for name in (b"main", b"int", b"_", b"__FILE__", b"NULL", b"oocc", b"n" * 255):
            self.takes(PLAIN.replace(b"stencil s", b"stencil " + name))
        self.clean()

    def test_defines(self):
        for value in ["1;system(0)", "0x10", " 1", "1 ", "+1", "1e3", "nan", "inf", "1e999", "9223372036854775808", "1\n", "\x1b[2J",
                      "\u202e", "1" * 65536, "*/", "??/", "true", "(1)", "-", "--help", "1,2", "\\", '"']:
            self.refuses(PLAIN, "-D", f"n={value}", usage=True)
        for name in ["", "n ", " n", "N", "main", "n\n", "*/", "n" * 65536, "\u202e", "%n"]:
            self.refuses(PLAIN, "-D", f"{name}=1", usage=True)
        for value in ["1", "-1", "0", "9223372036854775807", "-9223372036854775808"]:
            self.compiled(PLAIN, "-D", f"n={value}")
        for value in ["40", "007", "1000000"]:
            self.takes(PLAIN, "-D", f"n={value}")
        self.clean()

    def test_numbers(self):
        take = [b"1e308", b"5e-324", b"0." + b"0" * 300 + b"1", b"1." + b"3" * 65000, b"0" * 60000 + b"1", b"1" * 300 + b".0",
                b"1e0000000000000000000001", b"9223372036854775807", b"1.e5", b".5", b"000", b"1/0.0", b"-1/0.0", b"0.0/0",
                b"1e308*10", b"-(1e308*10)", b"0*(1e308*10)", b"sqrt(-1.0)", b"-0.0", b"5e-324/2", b"exp(1000.0)", b"log(0.0)"]
        for number in take:
            self.takes(b"stencil s; param p : f64 = " + number + b"; let a = " + number + b"; grid (x: 40); field u : f64;"
                       b"coef k : f64 = " + number + b" * x; boundary u = dirichlet " + number +
                       b"; step { u[t+1] = u[x-1] + " + number + b" * p + k + a + (" + number + b"); } steps 1;")
        for number in (b"1e38", b"1e-45", b"1/0.0", b"-(1e308*10)", b"1e308*10", b"16777217"):
            self.takes(b"stencil s; grid (x: 40); field u : f32; step { u[t+1] = u + " + number + b"; } steps 1;")
        for number in [b"9" * 65536, b"9223372036854775808", b"1e999", b"1e-999", b"0." + b"0" * 65000 + b"1", b"1" * 65536 + b".0", b"1e99999999999999999999", b"1x", b"0x1",
                       b"1__", b"1e", b"0b1", b"1" * 65536 + b"x"]:
            self.refuses(b"stencil s; let a = " + number + b"; grid (x: 40); field u : f64; step { u[t+1] = u + a; } steps 1;")
        self.clean()

    def test_integers_at_their_ends(self):
        for value in (b"-9223372036854775807 - 1", b"9223372036854775807", b"-9223372036854775807"):
            self.takes(b"stencil s; param p : int = " + value + b"; let b = p; grid (x: 40); field u : i64; step { u[t+1] = u + b + (" +
                       value + b"); } steps 1;")
        for value in (b"2147483647", b"-2147483647 - 1"):
            self.takes(b"stencil s; grid (x: 40); field u : i32; step { u[t+1] = u - (" + value + b"); } steps 1;")
        self.clean()

    def test_values_that_compilers_know(self):
        known = ["if u == u then 1 else 0", "if u >= 0 then 1 else 0", "if 256 > u then 1 else 0", "if u == 300 then 1 else 0",
                 "if x == x then 1 else 0", "if 1 < 2 and 3 < 2 or u < 0 then 1 else 0", "if n == n or x - x == 0 then 1 else 0",
                 "if u < 3 or u > 1 then 1 else 0", "if u < 1 and u > 3 then 1 else 0", "if n < 3 or n > 1 then 1 else 0",
                 "if abs(u) < 0 then 1 else 0", "if min(u, u) == min(u, u) then 1 else 0", "if (if x > 1 then 1 else 1) == 1 then 2 else 2",
                 "u - u", "- -u", "if 1 == 1 then u else u", "2147483647 * 2147483647", "-(if x > 3 then -2147483647 - 1 else 1)",
                 "-(-9223372036854775807 - 1)", "u + (9223372036854775807 + 1)"]
        integer = ["u % n", "u / n", "if u % 7 == u % 7 then 1 else 0"]
        truth = ["u == u", "u != u", "flag == flag", "u == true", "(x > 1) == (x > 1)", "u and not u", "not not u", "flag"]
        for type, values in (("i32", known + integer), ("i64", known + integer), ("u8", known + integer), ("f32", known), ("bool", truth)):
            fields = ", ".join(f"u{i}" for i in range(len(values)))
            updates = " ".join(f"u{i}[t+1] = {re.sub(WORD_U, f'u{i}', value)};"
                               for i, value in enumerate(values))
            self.takes(f"stencil s; param n : int = 40; param flag : bool = true; let a = n < 3 or n > 1; grid (z: n, y: n, x: n);"
                       f"let b = flag == flag or n == n; field {fields} : {type}; step {{ {updates} }} steps 1;".encode(), "--jam", "1x1")
        for value in ("u % 0", "u / 0", "5 % 0", "5 / 0"):
            self.refuses(f"stencil s; grid (x: 40); field u : i32; step {{ u[t+1] = {value}; }} steps 1;".encode())
        self.clean()

    def test_sizes(self):
        field = lambda name: PLAIN.replace(b" u", b" " + name).replace(b"*u", b"*" + name)
        self.refuses(field(b"u" * 65536))
        self.refuses(field(b"u" * 256))
        self.takes(field(b"u" * 255))
        for place in places(b"x" * 65536):
            self.refuses(PLAIN + place)
        self.takes(b"// " + b"x" * 65536 + b"\n" + PLAIN + b"/*" + b"\n*" * 65536 + b"\n*/")
        many = b"".join(b"field f%d : f64;\n" % i for i in range(200)), b"".join(b"f%d[t+1] = f%d; " % (i, i) for i in range(200))
        self.takes(PLAIN.replace(b"step { ", many[0] + b"step { " + many[1]))
        self.clean()

    def test_every_stage_prints_safely(self):
        program = self.folder / "stages.stn"
        program.write_bytes(PLAIN + 'output u to "a\u202e\u2066b\x85.npy";\n'.encode() +
                            b'record u at points "\xff\xfe.csv" to "\xe2\x80\xae.npy";\n')
        for stage in ("ast", "stencil", "facts", "plan", "loops", "c"):
            done = judge.run([judge.programs.compiler(), program, f"--emit={stage}"], self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIsNone(judge.unclean(done.stdout), f"--emit={stage}")


if __name__ == "__main__":
    unittest.main()
