"""Arithmetic and functions against numpy: exact where IEEE 754 says so, to the last bits where the C library decides."""
import unittest

import numpy as np

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


class Library(unittest.TestCase):
    def is_close_to(self, expression, want, ulps=4):
        np.testing.assert_array_max_ulp(evaluate(expression), want, ulps)

    def test_functions(self):
        a = operand()
        positive = np.abs(a) + 0.5
        for expression, want in [
            ("exp(a)", np.exp(a)), ("log(abs(a) + 0.5)", np.log(positive)), ("sin(a)", np.sin(a)),
            ("cos(a)", np.cos(a)), ("tanh(a)", np.tanh(a)), ("atan2(a, two)", np.arctan2(a, 2)),
            ("(abs(a) + 0.5)^1.5", positive ** 1.5), ("a^3", a ** 3),
        ]:
            with self.subTest(expression):
                self.is_close_to(expression, want)
