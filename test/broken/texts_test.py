"""Texts that are deep, long or no program at all; compiled and formatted."""
import tempfile
import unittest
from pathlib import Path

import limits
import programs

PROGRAM = "stencil s; param n : int = 40; grid (y: n, x: n); field u : f64; step { u[t+1] = %s; } steps 2;"
HEAD = "stencil s;\n"
TAIL = "grid (y: 40, x: 40); field u : f64; step { u[t+1] = u; } steps 2;"
MIB = 1 << 20


def lines(number, line):
    return "".join(line.replace("#", str(i)) + "\n" for i in range(number))


class Texts(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="oocc-broken-")
        self.addCleanup(self.temporary.cleanup)
        self.file = Path(self.temporary.name) / "p.stn"

    def tries(self, kind, text, expected=(65,), commands=("--emit=c", "fmt")):
        """Compiles (which may be expected to give one status) and formats (which may be able to, whatever the names are)."""
        data = text if isinstance(text, bytes) else text.encode()
        self.file.write_bytes(data)
        seconds = 10 if len(data) > limits.LONG_TEXT else 1
        for command in commands:
            words = [programs.compiler(), command, *(["--check"] if command == "fmt" else []), "p.stn"]
            with self.subTest(kind=kind, command=command, text=text[:60]):
                problem = limits.wrong(kind, words, self.temporary.name, seconds, {*expected} if command != "fmt" else {0, 1, 65}, True)
                self.assertIsNone(problem)


class Deep(Texts):
    """Every way to nest, as deep as a line is long: 100, which must do, and 1,000 and 100,000, which must not kill."""
    NESTS = {"parentheses": ("(", "u", ")"), "negation": ("-", "u", ""), "negation, spaced": ("- ", "u", ""),
             "else": ("if u > 1 then 1 else ", "u", ""), "then": ("if u > 1 then ", "u", " else 2"),
             "calls": ("sqrt(", "u", ")"), "powers": ("", "u", "^2"), "arguments": ("min(1,", "u", ")")}
    CHAINS = {"sum": "+u", "product": "*u", "division": "/u"}
    OPEN = ["(", "[", "{", "if ", "not ", "u[", "min(", "if u > 1 then ", "sum(o in ", "-", "(-", "u^", "[(", "{(", "([{"]

    def test_nests(self):
        for kind, (before, inner, after) in self.NESTS.items():
            self.tries(kind, PROGRAM % (before * 100 + inner + after * 100), (0,))
            for depth in (1000, 100_000):
                self.tries(kind, PROGRAM % (before * depth + inner + after * depth))
        for depth in (1000, 100_000):
            self.tries("not", PROGRAM % ("if " + "not " * depth + "u > 1 then 1 else 2"))
            self.tries("condition", PROGRAM % ("if " * depth + "u > 1" + " then 1 else 2" * depth))
            self.tries("indices", PROGRAM % ("u[" * depth + "x" + "]" * depth))

    def test_chains(self):
        for kind, link in self.CHAINS.items():
            self.tries(kind, PROGRAM % ("u" + link * 1900), (0,))
            self.tries(kind, PROGRAM % ("u" + link * 100_000))
        self.tries("and", PROGRAM % ("if u > 1" + " and u > 1" * 100_000 + " then 1 else 2"))
        self.tries("arguments", PROGRAM % ("min(" + "u," * 100_000 + "u)"))

    def test_left_open(self):
        for opening in self.OPEN:
            for depth in (1000, 100_000):
                self.tries("left open", PROGRAM % (opening * depth))
                self.tries("left open", opening * depth)
        for closing in ")]}":
            self.tries("closed", PROGRAM % (closing * 100_000))

    def test_comments(self):
        self.tries("comments", "/*" * 100_000)
        self.tries("comments", "/* */" * 100_000 + PROGRAM % "u", (0,))
        self.tries("comments", "//" * 100_000 + "\n" + PROGRAM % "u", (0,))
        self.tries("comments", "/* // " * 100_000 + "*/" + PROGRAM % "u", (0,))

    def test_growth(self):
        doubling = "".join(f"fn f{i + 1}(a) = f{i}(a) + f{i}(a); " for i in range(60))
        self.tries("growth", f"stencil s; fn f0(a) = a; {doubling}" + (PROGRAM % "f60(u)")[10:])
        chain = "".join(f"fn f{i + 1}(a) = f{i}(a) + 1; " for i in range(10_000))
        self.tries("growth", f"stencil s; fn f0(a) = a; {chain}" + (PROGRAM % "f10000(u)")[10:])
        lets = "".join(f"let a{i + 1} = a{i} + a{i}; " for i in range(1000))
        self.tries("growth", f"stencil s; let a0 = 1.5; {lets}" + (PROGRAM % "a900*u")[10:], (0,))
        sums = "".join(f"temp t{i} : f64; " for i in range(20)), "".join(f"t{i} = sum(o in s) u[o]; " for i in range(20))
        self.tries("growth", f"stencil s; shape s = box(60); {sums[0]}" + (PROGRAM % "u")[10:].replace("step {", "step { " + sums[1]))
        self.tries("growth", "stencil s; fn f(a) = f(a); " + (PROGRAM % "f(u)")[10:])


class Long(Texts):
    """Many statements, errors and bytes."""
    VALID = {"let": "let a# = #;", "param": "param a# : int = #;", "fn": "fn f#(a) = a + #;"}
    ERRORS = {"no statement": "lt a# = #;", "unknown name": "let a# = b#;", "twice": "let a = 1;", "no end": "let a# = #", "brackets": "let a# = (#;",
              "character": "let a# = # $;", "unclosed string": 'output u to "a#;', "fields": "coef c# : f63 = 1;", "closes nothing": ")", "statement in it": "step { let a = 1;"}

    def test_statements(self):
        for statement in self.VALID.values():
            self.tries("statements", HEAD + lines(60_000, statement) + TAIL, (0,))
            self.tries("statements", HEAD + lines(1_000_000, statement) + TAIL)

    def test_fields(self):
        """Each update reads what others make, before and after: what the schedule is solved for grows with their number, and no faster."""
        for number in (500, 2000):
            names = [f"u{i}" for i in range(number)]
            for other, level in ((7, "t"), (1, "t"), (number - 1, "t+1")):
                updates = "".join(f"{u}[t+1] = {u} + 0.1 * ({names[(i + other) % number] if i else u}[{level if i else 't'}, x-1] - {u}[x+1]);\n"
                                  for i, u in enumerate(names))
                self.tries("fields", f"stencil many;\ngrid (y: 40, x: 40);\nfield {', '.join(names)} : f64;\n"
                           f"boundary {', '.join(names)} = dirichlet 0;\nstep {{\n{updates}}}\nsteps 2;\n", (0,))

    def test_errors(self):
        for statement in self.ERRORS.values():
            for number, commands in ((3000, ("--emit=c", "fmt")), (1_000_000, ("--emit=c",))):
                self.tries("errors", HEAD + lines(number, statement) + TAIL, commands=commands)
        for number in (3000, 100_000):
            self.tries("errors", HEAD + "grid (y: 40, x: 40); field u : f64; step {\n" + lines(number, "let a# = #;") + "u[t+1] = u; } steps 2;")
            self.tries("errors", HEAD + "grid (y: 40, x: 40); field u : f64; step {\n" + lines(number, "u[t+1] = b#[x];") + "} steps 2;")
            self.tries("errors", (HEAD + lines(number, "lt a# = #;") + TAIL).replace("\n", " "))

    def test_just_as_many_words(self):
        """One million words are looked at, one more is too many."""
        for number in (999_999, 1_000_000, 1_000_001):
            for word in (";", ",", "step ", "u "):
                self.tries("words", word * number, commands=("--emit=c",))

    def test_names(self):
        name = "u" * 65536
        self.tries("names", (PROGRAM % name).replace("u :", name + " :"))
        for size in (15, 16, 17, 64):
            self.tries("names", "a" * size * MIB, commands=("--emit=c",))

    def test_one_line(self):
        for text in (" ", "(", "$", ";", "1", "u+", "/*", '"', "\0", "\u00e9", "\t", "// "):
            for size in (16,) if text != "$" else (16, 64):
                self.tries("one line", text * (size * MIB // len(text.encode())), commands=("--emit=c",))
        self.tries("one line", "/*" + "x" * (15 * MIB) + "*/" + PROGRAM % "u", (0,))
        self.tries("one line", PROGRAM % "u" + "//" + "x" * (15 * MIB), (0,))
        self.tries("too large", "x" * (64 * MIB + 1), commands=("--emit=c",))


class Broken(Texts):
    def test_cut_off(self):
        """An example that ends after each of its words, and one without each of its bytes."""
        text = (programs.ROOT / "examples" / "heat2d" / "heat2d.stn").read_bytes()
        for at in range(0, len(text), max(1, len(text) // 60)):
            self.tries("cut off", text[:at], (0, 65), commands=("--emit=c",))
            self.tries("without a byte", text[:at] + text[at + 1:], (0, 65), commands=("--emit=c",))

    def test_no_text(self):
        for data in (b"", b"\n", b"\0", b"\xff\xfe\x00", b"\xef\xbb\xbf", bytes(range(256)), bytes(range(256)) * 400, b"\r" * 1000, b"\x1a", b"MZ\x90\0", b"\x7fELF\2\1\1"):
            self.tries("no text", data)
