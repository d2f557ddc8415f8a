"""Arithmetic and functions against numpy: exact where IEEE 754 or the definition of a function says so, and as near to the exact value as
language.md says."""
import unittest

import numpy as np

import compilers
from functions import FUNCTIONS
from programs import SWEEP, Program

N = 4001


def evaluate(expression, type="f64", n=N):
    """An expression of x, computed once in every cell."""
    text = f"""
        stencil once;
        param two : {type} = 2;
        grid (x: {n});
        field u : {type};
        coef  a : {type} from "a.npy";
        boundary u = fixed;
        step {{ u[t+1] = {expression}; }}
        steps 1;
        output u to "u.npy";
        """
    with Program(text) as program:
        np.save(program.folder / "a.npy", operand(type, n))
        program.run(*SWEEP)
        return program.load("u.npy")


def operand(type="f64", n=N):
    return np.linspace(-3, 5, n).astype({"f64": np.float64, "f32": np.float32}[type])


class Exact(unittest.TestCase):
    def gives(self, expression, want, type="f64"):
        got = evaluate(expression, type)
        self.assertEqual(got.tobytes(), np.broadcast_to(want, got.shape).astype(got.dtype).tobytes(), expression)

    def test_integer_division_truncates(self):
        x = np.arange(N)
        self.gives("(x - 7) / 3", np.trunc((x - 7) / 3).astype(int))

    def test_remainder_has_the_sign_of_the_dividend(self):
        self.gives("(x - 7) % 3", np.fmod(np.arange(N) - 7, 3).astype(int))

    def test_integers_become_real_where_they_meet_one(self):
        self.gives("x / 2.0", np.arange(N) / 2.0)

    def test_multiplication_binds_more_than_addition(self):
        a = operand()
        self.gives("1 + a * 2 - a / 4", 1 + a * 2 - a / 4)

    def test_subtraction_is_left_associative(self):
        a = operand()
        self.gives("1 - a - 0.1", (1 - a) - 0.1)

    def test_minus_applies_after_the_power(self):
        self.gives("-x^2", -(np.arange(N) ** 2))

    def test_sqrt_is_correctly_rounded(self):
        self.gives("sqrt(abs(a))", np.sqrt(np.abs(operand("f32"))), "f32")

    def test_f32_stays_in_f32(self):
        a = operand("f32")
        self.gives("a * 0.1 + two / 3", a * np.float32(0.1) + np.float32(2) / np.float32(3), "f32")

    def test_floor_min_max(self):
        a = operand()
        self.gives("floor(a) + min(a, 1) * max(a, 0)", np.floor(a) + np.minimum(a, 1) * np.maximum(a, 0))

    def test_conditions(self):
        a, x = operand(), np.arange(N)
        self.gives("if a > 0 and not (x % 2 == 0) or x == 4 then a else -1",
                   np.where((a > 0) & (x % 2 != 0) | (x == 4), a, -1))


def floats(seed, n, most):
    """Finite ones of all sizes up to one, half of them moderate, and the special ones."""
    random = np.random.default_rng(seed)
    any = random.integers(0, 2**64, 4 * n, np.uint64).view(np.float64)
    any = any[np.abs(any) < most][:n // 2]
    special = [0, -0.0, 1, -1, 5e-324, -5e-324, 2.3e-308, 0.5, 1 / 3, 1.1, 22, np.pi / 4, np.pi / 2, np.pi, 2**0.5 - 1]
    return np.concatenate([special, any, random.normal(0, 3, n)])[:n]


class Functions(unittest.TestCase):
    ONE = {"exp": np.exp, "log": np.log, "sin": np.sin, "cos": np.cos, "tan": np.tan, "tanh": np.tanh}
    TWO = {"atan2": np.arctan2, "pow": np.power}

    def computed(self, expression, a, b, type, *options):
        text = f"""
            stencil once;
            grid (x: {len(a)});
            field u : {type};
            coef a : {type} from "a.npy";
            coef b : {type} from "b.npy";
            boundary u = fixed;
            step {{ u[t+1] = {expression}; }}
            steps 1;
            stop on none;
            output u to "u.npy";
            """
        with Program(text, *options) as program:
            np.save(program.folder / "a.npy", a)
            np.save(program.folder / "b.npy", b)
            program.run(*SWEEP)
            return program.load("u.npy")

    def operands(self, name, type, n):
        most = min(2.0**30 if name in ("sin", "cos", "tan") else np.inf, 1e38 if type == "f32" else np.inf)
        a, b = (floats(seed, n, most).astype({"f64": np.float64, "f32": np.float32}[type]) for seed in (1, 2))
        return (np.abs(a) + a.dtype.type(1e-30) if name == "log" else a), np.roll(b, 7)

    def expect_bits(self, name, type, n):
        a, b = self.operands(name, type, n)
        two = name in self.TWO
        got = self.computed(f"{name}(a, b)" if two else f"{name}(a)", a, b, type)
        want = FUNCTIONS[name](a, b) if two else FUNCTIONS[name](a)
        numbers = ~np.isnan(want)
        self.assertEqual(got[numbers].tobytes(), want[numbers].tobytes(), f"{name} of {n} {type}")
        self.assertTrue(np.all(np.isnan(got[~numbers])))

    def test_have_the_bits_of_their_definition(self):
        for name in [*self.ONE, *self.TWO]:
            for type in ("f64", "f32"):
                with self.subTest(name, type=type):
                    self.expect_bits(name, type, 20003)

    def test_in_cells_that_are_left_over_as_in_vectors(self):
        for n in (1, 2, 3, 5, 15, 17):
            with self.subTest(n):
                self.expect_bits("exp", "f64", n)
                self.expect_bits("atan2", "f32", n)

    def test_are_as_near_to_the_exact_value_as_they_say(self):
        for name, ulps in [("exp", 1), ("log", 1), ("sin", 1), ("cos", 1), ("tan", 2.5), ("tanh", 2.5), ("atan2", 2.5), ("pow", 1)]:
            for type in ("f64", "f32"):
                a, b = self.operands(name, type, 5000)
                wide = [v.astype(np.longdouble) for v in (a, b)]
                exact = self.TWO[name](*wide) if name in self.TWO else self.ONE[name](wide[0])
                got = self.computed(f"{name}(a, b)" if name in self.TWO else f"{name}(a)", a, b, type)
                with np.errstate(over="ignore"):
                    nearest = exact.astype(a.dtype)
                    off = np.abs(got - exact) / np.maximum(np.spacing(np.abs(nearest)), np.spacing(a.dtype.type(0)))
                with self.subTest(name, type=type):
                    self.assertTrue(np.all((got == nearest) | (off <= ulps) | (np.isnan(got) & np.isnan(nearest))))

    def test_of_constants_as_of_fields(self):
        """What oocc computes itself is what the program would have."""
        for value in (0.3, 1.7, 2.9):
            a = np.full(9, value)
            folded = self.computed(" + ".join(f"{f}({value})" for f in self.ONE) + f" + atan2({value}, 0.7) + {value}^0.7 + 0*a", a, a, "f64")
            computed = self.computed(" + ".join(f"{f}(a)" for f in self.ONE) + " + atan2(a, 0.7) + a^0.7", a, a, "f64")
            self.assertEqual(folded.tobytes(), computed.tobytes())

    @unittest.skipIf(compilers.sanitized(), "only the runtime's own compiler links with it")
    def test_where_sums_may_be_taken_in_any_order_they_are_no_nonsense(self):
        a, b = np.linspace(0.1, 9, 999), np.linspace(2, -3, 999)
        for compiler in compilers.found():
            with self.subTest(compiler):
                cc = compilers.wrapper_for((compiler, ("-funsafe-math-optimizations",)))
                for name, exact in [*self.ONE.items(), *self.TWO.items()]:
                    two = name in self.TWO
                    got = self.computed(f"{name}(a, b)" if two else f"{name}(a)", a, b, "f64", "--cc", cc)
                    np.testing.assert_allclose(got, exact(a, b) if two else exact(a), rtol=1e-14, err_msg=name)

    def test_of_the_c_library_do_not_go_on_with_a_run_of_these(self):
        text = """
            stencil twice;
            grid (y: 64, x: 64);
            field u : f64;
            init u = 0.01 * x;
            boundary u = fixed;
            step { u[t+1] = sin(u[x-1]); }
            steps 9;
            """
        with Program(text) as own, Program(text, "--cc", compilers.wrapper_for(("cc", ("-DOOCC_LIBM",)))) as other:
            scratch = ["--schedule", "stream", "--engine", "threads", "--scratch", own.folder / "scratch", "--bt", 2]
            own.run(*scratch, "--steps", 4, "--keep")
            refused = other.run(*scratch, "--resume", status=65)
            self.assertIn("belongs to another run", refused.stderr)
            own.run(*scratch, "--resume")

    def test_small_whole_powers_are_products(self):
        a = operand()
        np.testing.assert_array_equal(evaluate("a^3"), a * a * a)
