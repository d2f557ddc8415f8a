"""Random indices of one dimension, by conditions and remainders: what is lifted means the cell that the C reads, at every cell. Most are refused."""
import operator
import os
import random
import re
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from programs import compiler

SIZES = (23, 31)
COUNT = 3000 if os.environ.get("OOCC_LONG", "") == "1" else 250
SEED = int(os.environ.get("OOCC_SEED", "1"))
COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}
BEYOND = {"periodic": lambda x, n: x % n, "neumann": lambda x, n: min(max(x, 0), n - 1),
          "reflect_center": lambda x, n: -x if x < 0 else 2 * (n - 1) - x}


class Value:
    """What C makes of i and n, and how it is written."""

    def __init__(self, text, value):
        self.text, self.value = text, value

    def __add__(self, other):
        return Value(f"({self.text} + {other.text})", lambda i, n: self.value(i, n) + other.value(i, n))

    def __sub__(self, other):
        return Value(f"({self.text} - {other.text})", lambda i, n: self.value(i, n) - other.value(i, n))

    def remainder(self):
        return Value(f"({self.text} % n)", lambda i, n: abs(self.value(i, n)) % n * (1 if self.value(i, n) >= 0 else -1))

    def compared(self, op, other):
        return Value(f"{self.text} {op} {other.text}", lambda i, n: COMPARISONS[op](self.value(i, n), other.value(i, n)))

    def choose(self, a, b):
        return Value(f"({self.text} ? {a.text} : {b.text})", lambda i, n: a.value(i, n) if self.value(i, n) else b.value(i, n))


I, N = Value("i", lambda i, n: i), Value("n", lambda i, n: n)


def number(k):
    return Value(str(k), lambda i, n: k)


def draw(generator):
    """An index: mostly a neighbour's, with another cell where a condition says so."""
    k = generator.choice((-2, -1, -1, 1, 1, 2))
    plain = I + number(k) if k > 0 else I - number(-k)
    few = number(generator.randint(0, 3))
    condition = generator.choice((I, I + few, I - few, N - few)).compared(generator.choice(list(COMPARISONS)),
                                                                          generator.choice((number(0), few, N, N - few, I)))
    if generator.random() < 0.4:
        plain = generator.choice((plain.remainder(), (plain + N).remainder(), (plain.remainder() + N).remainder()))
        if generator.random() < 0.5:
            return plain
    there = generator.choice((few, N - few, I, number(0), N - number(1), plain + N, plain - N, I - number(1), I + number(1)))
    return condition.choose(there, plain) if generator.random() < 0.5 else condition.choose(plain, there)


def is_index(drawn, low, high):
    """It stays within the array, and is not the same neighbour everywhere."""
    cells = [(n, i, drawn.value(i, n)) for n in SIZES for i in range(low, n - high)]
    return all(0 <= cell < n for n, _, cell in cells) and len({cell - i for _, i, cell in cells}) > 1


def edges(text):
    """What lies below and beyond the array 'a', by the program."""
    found = re.search(r"boundary (?:b, )?a(?:, b)? (?:= (\w+);|\{(.*)\})", text)
    if not found:
        return None, None
    if found[1]:
        return found[1], found[1]
    sides = dict(part.strip().split(": ") for part in found[2].split(";") if part.strip())
    return sides.get("i.lo", sides.get("i")), sides.get("i.hi", sides.get("i"))


class Indices(unittest.TestCase):
    def wrong(self, source, k, drawn, low, high):
        """None: refused. "": lifted, and right."""
        done = subprocess.run([compiler(), "lift", str(source), "--function", f"f{k}"], capture_output=True, text=True, timeout=60)
        if done.returncode == 65 and not done.stdout:
            return None
        if done.returncode:
            return f"{drawn.text}: status {done.returncode}: {done.stderr}"
        read = re.search(r"b\[t\+1\] = a(?:\[i([+-]\d+)\])?(?: where .*)?;", done.stdout)
        if not read:
            return f"{drawn.text} becomes {done.stdout}"
        below, above = edges(done.stdout)
        for n in SIZES:
            for i in range(low, n - high):
                cell = i + int(read[1] or 0)
                edge = below if cell < 0 else above
                if not 0 <= cell < n:
                    if edge not in BEYOND:
                        return f"{drawn.text}: at {i} of {n} the edge is {edge}"
                    cell = BEYOND[edge](cell, n)
                if cell != drawn.value(i, n):
                    return f"{drawn.text}: at {i} of {n} the C reads {drawn.value(i, n)}, the program {cell}"
        return ""

    def test_what_is_lifted_is_what_the_c_reads(self):
        generator, cases = random.Random(SEED), []
        while len(cases) < COUNT:
            case = draw(generator), *generator.choice(((0, 0), (0, 0), (1, 1), (0, 1), (1, 0)))
            if is_index(*case):
                cases.append(case)
        with tempfile.TemporaryDirectory(prefix="oocc-lift-") as folder:
            source = Path(folder) / "indices.c"
            source.write_text("\n".join(f"""void f{k}(int steps, int n, double a[n], double b[n]) {{
    for (int t = 0; t < steps; t++) {{
        for (int i = {low}; i < n - {high}; i++) b[i] = a[{drawn.text}];
        for (int i = 0; i < n; i++) a[i] = b[i];
    }}
}}""" for k, (drawn, low, high) in enumerate(cases)))
            with ThreadPoolExecutor(2) as pool:
                found = list(pool.map(lambda k: self.wrong(source, k, *cases[k]), range(len(cases))))
        self.assertFalse([f for f in found if f])
        self.assertGreater(found.count(""), COUNT // 20, "next to nothing is lifted")


if __name__ == "__main__":
    unittest.main()
