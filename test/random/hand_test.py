#!/usr/bin/env python3
"""Tiny programs whose results are worked out by hand, for both interpreters of random programs: what they agree on is
right only if they did not misunderstand the same thing."""
import sys
import unittest
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import numpy as np

import macros
import naive
import oracle
import suite
from expression import (F32, F64, INT, TIME, U8, arithmetic, call, choose, compare, coord, literal, power, read, sample, scalar)
from model import COEF, STATE, TEMP, Bound, Edge, Field, Inject, Model, Output, Points, Record, Series, Update, Watch


def field(name, type=F64, values=None, edge="none", kind=STATE, value=None, faces=None):
    values = None if values is None else np.array(values, dtype=oracle.DTYPE[type])
    edges = faces or {("x", side): Edge(edge, value) for side in (0, 1)}
    return Field(name, type, kind, {}, values, edges)


def results(fields, updates, steps=1, extents=(5,), **more):
    """The outputs of both interpreters, by file, and their lines."""
    dims = ["y", "x"][2 - len(extents):]
    empty = {name: [] for name in ("scalars", "fns", "shapes", "injects", "records", "watches", "stops")}
    model = Model(0, dims, list(extents), [literal(str(n)) for n in extents], [None] * len(dims), fields=fields,
                  updates=updates, outputs=[Output(f.name) for f in fields if f.kind == STATE], steps=steps,
                  **{**empty, **more})
    return [interpreter.run(model) for interpreter in (oracle, naive)]


def u(offset=0, time=0, type=F64, name="u"):
    return read(name, type, time, [("x", offset)])


class Hand(unittest.TestCase):
    def expect(self, found, want, file="u.npy"):
        for result in found:
            self.assertEqual(result.files[file].tolist(), want)

    def test_edges_stand_for_cells(self):
        values = [1, 2, 3, 4, 5]
        for edge, want in (("periodic", [4, 5, 1, 2, 3]), ("neumann", [1, 1, 1, 2, 3]), ("reflect", [2, 1, 1, 2, 3]),
                           ("reflect_center", [3, 2, 1, 2, 3]), ("fixed", [1, 2, 1, 2, 3])):
            with self.subTest(edge):
                self.expect(results([field("u", values=values, edge=edge)], [Update("u", u(-2))]), want)

    def test_high_edges_stand_for_cells(self):
        values = [1, 2, 3, 4, 5]
        for edge, want in (("periodic", [3, 4, 5, 1, 2]), ("neumann", [3, 4, 5, 5, 5]), ("reflect", [3, 4, 5, 5, 4]),
                           ("reflect_center", [3, 4, 5, 4, 3]), ("fixed", [3, 4, 5, 4, 5])):
            with self.subTest(edge):
                self.expect(results([field("u", values=values, edge=edge)], [Update("u", u(2))]), want)

    def test_dirichlet_sees_the_outside_cell_and_the_level_that_is_read(self):
        value = arithmetic("+", coord("x"), arithmetic("*", literal("100"), TIME))
        found = results([field("u", values=[1, 2, 3], edge="dirichlet", value=value)], [Update("u", u(-2))],
                        steps=2, extents=(3,))
        self.expect(found, [98, 99, -2])

    def test_a_corner_is_moved_first_and_then_belongs_to_the_first_dimension(self):
        faces = {("y", 0): Edge("dirichlet", arithmetic("*", literal("10"), coord("x"))), ("y", 1): Edge("none"),
                 ("x", 0): Edge("neumann"), ("x", 1): Edge("dirichlet", literal("7"))}
        f = field("u", values=[[1, 2], [3, 4]], faces=faces)
        up_left = read("u", F64, 0, [("y", -1), ("x", -1)])
        self.expect(results([f], [Update("u", up_left)], extents=(2, 2)), [[0, 0], [1, 1]])
        up_right = read("u", F64, 0, [("y", -1), ("x", 1)])
        self.expect(results([f], [Update("u", up_right)], extents=(2, 2)), [[10, 20], [2, 7]])

    def test_a_temp_has_a_rim_and_fixed_keeps_away_from_it(self):
        fields = [field("q", kind=TEMP), field("u", values=[1, 2, 4, 8, 16], edge="fixed")]
        updates = [Update("q", arithmetic("-", u(1), u(-1))),           # on cells 1 to 3: 3 6 12
                   Update("u", arithmetic("+", u(1, name="q"), u()))]   # low rim 0, by q at 1; high rim 2
        found = results(fields, updates)
        self.expect(found, [4, 8, 16, 8, 16])

    def test_where_keeps_the_value_elsewhere(self):
        bounds = [Bound("x", ">", literal("0")), Bound("x", "<=", literal("2"))]
        self.expect(results([field("u", values=[1, 2, 3, 4, 5])], [Update("u", literal("9"), bounds)]), [1, 9, 9, 4, 5])
        beyond = [Bound("x", ">=", literal("3")), Bound("x", "<", literal("99"))]
        self.expect(results([field("u", values=[1, 2, 3, 4, 5])], [Update("u", literal("9"), beyond)]), [1, 2, 3, 9, 9])

    def test_old_and_new(self):
        fields = [field("u", values=[1, 2, 3]), field("v", values=[10, 20, 30])]
        updates = [Update("u", arithmetic("+", u(), u(name="v"))),
                   Update("v", arithmetic("-", u(time=1), u()))]        # what v was
        found = results(fields, updates, steps=2, extents=(3,))
        self.expect(found, [21, 42, 63])
        self.expect(found, [10, 20, 30], "v.npy")

    def test_integers(self):
        fields = [field("u", U8, [250, 3, 7])]
        found = results(fields, [Update("u", arithmetic("+", u(type=U8), literal("10")))], extents=(3,))
        self.expect(found, [4, 13, 17])
        found = results(fields, [Update("u", arithmetic("-", literal("0"), u(type=U8)))], extents=(3,))
        self.expect(found, [6, 253, 249])
        below = arithmetic("-", u(type=INT), literal("7"))
        for op, want in (("/", [-3, -2, 0, 1]), ("%", [0, -1, 0, 1])):
            found = results([field("u", INT, [1, 2, 7, 10])], [Update("u", arithmetic(op, below, literal("2")))], extents=(4,))
            self.expect(found, want)

    def test_integers_wrap_around(self):
        least = -2 ** 31
        fields = [field("u", "i32", [2 ** 31 - 1, least, 65536])]
        for value, want in ((arithmetic("+", u(type="i32"), literal("1")), [least, least + 1, 65537]),
                            (call("abs", u(type="i32")), [2 ** 31 - 1, least, 65536]),
                            (arithmetic("*", u(type="i32"), u(type="i32")), [1, 0, 0]),
                            (arithmetic("/", u(type="i32"), literal("3")), [715827882, -715827882, 21845])):
            self.expect(results(fields, [Update("u", value)], extents=(3,)), want)
        last = field("u", INT, [2 ** 63 - 1])
        self.expect(results([last], [Update("u", arithmetic("+", u(type=INT), TIME))], steps=2, extents=(1,)), [-2 ** 63])
        large = Points(file="p.csv", places=np.array([[0.0]]))
        records = [Record("u", large, None, "t.npy")]
        self.expect(results([last], [Update("u", u(type=INT))], extents=(1,), records=records), [[2 ** 63 - 1]], "t.npy")

    def test_series_are_of_the_step_and_end(self):
        drive = Series("s", F32, np.array([0.1, 2, 3]), "s.npy")
        added = arithmetic("+", u(), sample(drive, 0))
        found = results([field("u", values=[1])], [Update("u", added)], steps=1, extents=(1,), series=[drive])
        self.expect(found, [1 + float(np.float32(0.1))])
        ahead = arithmetic("+", arithmetic("*", u(), literal("10")), sample(drive, 1))
        found = results([field("u", values=[0])], [Update("u", ahead)], steps=4, extents=(1,), series=[drive])
        self.expect(found, [2300])      # 2, 3, and nothing after it

    def test_fma_rounds_the_first_product_that_is_added_once(self):
        tiny = 2.0 ** -30
        values, one = [1 + tiny, 1 - tiny], literal("1.0")      # squares: 1 +- 2 tiny + tiny^2, rounded without its last term
        square = arithmetic("*", u(), u())
        for value, want in ((arithmetic("-", square, one), [2 * tiny + tiny ** 2, -2 * tiny + tiny ** 2]),
                            (arithmetic("-", one, power(u(), 2)), [-2 * tiny - tiny ** 2, 2 * tiny - tiny ** 2]),
                            (arithmetic("-", square, square), [tiny ** 2, tiny ** 2]),
                            (arithmetic("*", square, one), [1 + 2 * tiny, 1 - 2 * tiny])):
            self.expect(results([field("u", values=values)], [Update("u", value)], extents=(2,), fma=True), want)
            plain = results([field("u", values=values)], [Update("u", arithmetic("-", square, one))], extents=(2,))
            self.expect(plain, [2 * tiny, -2 * tiny])

    def test_scalars_take_the_type_of_data(self):
        tenth = arithmetic("*", u(type=F32), literal("0.1"))
        found = results([field("u", F32, [9])], [Update("u", tenth)], extents=(1,))
        self.expect(found, [float(np.float32(9) * np.float32(0.1))])
        self.assertNotEqual(float(np.float32(9) * np.float32(0.1)), float(np.float32(9 * 0.1)))

    def test_powers_and_the_nearest_below(self):
        self.expect(results([field("u", values=[-1.5, 2])], [Update("u", power(u(), 3))], extents=(2,)), [-3.375, 8])
        self.expect(results([field("u", values=[-1.5, 2.5])], [Update("u", call("floor", u()))], extents=(2,)), [-2, 2])

    def test_injection_off_the_grid_is_shared_out(self):
        points = Points([literal("0.25"), literal("1.5")])
        inject = Inject("u", points, literal("16"))
        found = results([field("u", values=np.zeros((2, 3)))], [Update("u", u())], extents=(2, 3), injects=[inject])
        self.expect(found, [[0, 6, 6], [0, 2, 2]])

    def test_signals_end(self):
        points = Points(file="p.csv", places=np.array([[0.0], [2.0]]))
        inject = Inject("u", points, None, np.array([[1.0, 2.0], [10.0, 20.0]]))
        found = results([field("u", values=[0, 0, 0])], [Update("u", u())], steps=3, extents=(3,), injects=[inject])
        self.expect(found, [11, 0, 22])

    def test_traces(self):
        points = Points(file="p.csv", places=np.array([[0.5], [2.0]]))
        records = [Record("u", points, literal("2"), "t.npy")]
        found = results([field("u", values=[1, 3, 5])], [Update("u", arithmetic("+", u(), literal("1")))], steps=5,
                        extents=(3,), records=records)
        self.expect(found, [[4, 7], [6, 9]], "t.npy")

    def test_monitors_see_the_whole_step_and_end_the_run(self):
        watch = Watch("m", "sum", arithmetic("-", u(time=1), u()), [Bound("x", "<", literal("2"))], literal("2"))
        stop = compare(">", scalar("m", F64), literal("5"))
        found = results([field("u", values=[1, 1, 1])], [Update("u", arithmetic("*", u(), literal("2")))], steps=9,
                        extents=(3,), watches=[watch], stops=[stop])
        for result in found:
            self.assertEqual(result.lines, ["t=2  m = 4", "t=4  m = 16"])
            self.assertEqual(result.level, 4)
        self.expect(found, [16, 16, 16])

    def test_sums_are_exact(self):
        watches = [Watch(op, op, u(time=1)) for op in ("sum", "mean", "min", "max")]
        found = results([field("u", values=[1e16, 1, 1, -1e16])], [Update("u", u())], extents=(4,), watches=watches)
        for result in found:
            self.assertEqual(result.lines, ["t=1  sum = 2  mean = 0.5  min = -1e+16  max = 1e+16"])

    def test_a_scalar_is_of_the_state_before_the_step(self):
        watch = Watch("g", "mean", u(), feeds=True)
        found = results([field("u", values=[1, 2, 3])], [Update("u", arithmetic("+", u(), scalar("g", F64)))], steps=2,
                        extents=(3,), watches=[watch])
        self.expect(found, [7, 8, 9])       # 2 was added, then 4

    def test_sums_over_shapes(self):
        points = macros.regular_points("star", 1, 2)
        self.assertEqual(points, ((-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)))
        types = {"u": F64}
        body = arithmetic("*", arithmetic("+", literal("10"), macros.Expr("member", INT, value=("o", "x"))),
                          macros.Expr("offset_read", F64, True, (), ("u", 0, "o", 1)))
        total = macros.reduction("sum", "o", macros.Shape("", "star(1)", None, points), body, ["y", "x"], types, {})
        faces = {(d, side): Edge("periodic") for d in "yx" for side in (0, 1)}
        f = field("u", values=[[1, 0, 0], [0, 0, 0], [0, 0, 0]], faces=faces)
        found = results([f], [Update("u", total)], extents=(3, 3))
        self.expect(found, [[10, 9, 11], [10, 0, 0], [10, 0, 0]])

    def test_derivatives_are_exact_for_squares(self):
        self.assertEqual(macros.formula("d2", 4), (Fraction(-5, 2), [(Fraction(4, 3), 1, -1), (Fraction(-1, 12), 2, -2)]))
        self.assertEqual(macros.formula("dp", 4), (None, [(Fraction(9, 8), 1, 0), (Fraction(-1, 24), 2, -1)]))
        squares = [float(i * i) for i in range(7)]
        for kind, want in (("d", [4, 6, 8]), ("d2", [2, 2, 2]), ("dp", [5, 7, 9]), ("dm", [3, 5, 7])):
            value = macros.derivative(kind, u(), "x", 2, [("x", None)])
            for result in results([field("u", values=squares, edge="fixed")], [Update("u", value)], extents=(7,)):
                self.assertEqual(result.files["u.npy"][2:5].tolist(), want)

    def test_coefficients_and_conditions(self):
        fields = [field("u", values=[1, 2, 3]), field("c", values=[5, 6, 7], kind=COEF)]
        value = choose(compare("<", u(), literal("2")), u(name="c"), literal("0"))
        self.expect(results(fields, [Update("u", value)], extents=(3,)), [5, 0, 0])


if __name__ == "__main__":
    sys.exit(suite.run(unittest.defaultTestLoader.loadTestsFromTestCase(Hand)))
