// Scalars have the values that the generated C will give them: f32 is computed in f32, integers as C does.
#include "sema/evaluate.h"

#include "oocc/functions.h"

#include "sema/resolve.h"
#include "syntax/parse.h"

#include <cmath>
#include <gtest/gtest.h>

namespace oocc {

namespace {

Stencil program(const std::string &scalars, const std::string &extent = "8") {
    const Source source("scalars.stn", "stencil s; " + scalars + " grid (x: " + extent +
                                           "); field u : f64; step { u[t+1] = u; } steps 3;");
    Diagnostics diagnostics;
    const auto tree = parse(source, diagnostics);
    return *resolve(*tree, {}, diagnostics);
}

/// The value of the last of these scalars.
Value last(const std::string &scalars) {
    return evaluateScalars(program(scalars)).back();
}

double f64(const std::string &expr) {
    return std::get<double>(
        last("param n : int = 7; param p : bool = true; param s : f32 = 0.1; let a = " + expr + ";"));
}
int64_t integer(const std::string &expr) {
    return std::get<int64_t>(last("param n : int = 7; param p : bool = true; let a = " + expr + ";"));
}
bool truth(const std::string &expr) {
    return std::get<bool>(last("param n : int = 7; param p : bool = true; let a = " + expr + ";"));
}

} // namespace

TEST(Evaluate, IntegersAsC) {
    EXPECT_EQ(integer("-n / 2"), -3);
    EXPECT_EQ(integer("-n % 4"), -3);
    EXPECT_EQ(integer("n - 2 - 1"), 4);
    EXPECT_EQ(integer("2 + n * 3"), 23);
    EXPECT_EQ(integer("max(n, 9) + min(n, 9) + abs(-n)"), 23);
    EXPECT_EQ(integer("n^3"), 343);
    EXPECT_EQ(integer("if p and not (n > 8) then 1 else 2"), 1);
}

TEST(Evaluate, ComparisonsAndLogic) {
    EXPECT_TRUE(truth("n == 7 and n != 8 and n < 8 and n <= 7 and n > 6 and n >= 7"));
    EXPECT_FALSE(truth("n < 7 or n > 7 or not p"));
    EXPECT_TRUE(truth("p == (n > 1.5)"));
    EXPECT_TRUE(truth("p or 1 / (n - 7) == 0"))
        << "the right side of 'or' is not computed when the left one holds";
}

TEST(Evaluate, FloatingInItsOwnType) {
    EXPECT_EQ(f64("0.1 + 0.2"), 0.1 + 0.2);
    EXPECT_EQ(f64("s * s"), static_cast<double>(0.1F * 0.1F));
    EXPECT_EQ(f64("s / 3 - s"), static_cast<double>(0.1F / 3.0F - 0.1F));
    EXPECT_EQ(f64("sqrt(s)"), static_cast<double>(std::sqrt(0.1F)));
    EXPECT_EQ(f64("s + 0.0 * pow(2.0, n)"), static_cast<double>(0.1F)) << "a wider scalar makes the sum f64";
    EXPECT_EQ(f64("-(n * 0.5)"), -3.5);
    EXPECT_EQ(f64("atan2(1.0, 2) + pow(2.0, 0.5) + tanh(0.5)"),
              oocc_atan2_f64(1, 2) + oocc_pow_f64(2, 0.5) + oocc_tanh_f64(0.5));
    EXPECT_EQ(f64("exp(1) + log(2) + sin(1) + cos(1) + tan(1) + floor(-2.5)"),
              oocc_exp_f64(1) + oocc_log_f64(2) + oocc_sin_f64(1) + oocc_cos_f64(1) + oocc_tan_f64(1) + std::floor(-2.5));
    EXPECT_EQ(f64("exp(s)"), static_cast<double>(oocc_exp_f32(0.1F)));
    EXPECT_EQ(f64("max(1.5, 2) - min(1.5, 2) + abs(-0.5) + 2*pi"), 2 - 1.5 + 0.5 + 2 * M_PI);
}

TEST(Evaluate, AtOtherValuesThanTheDefaults) {
    const Stencil stencil = program("param n : int = 7;", "n * n");
    EXPECT_EQ(evaluateExtents(stencil, {Value(int64_t{9})}), std::vector<int64_t>{81});
    EXPECT_EQ(evaluateSteps(stencil, {Value(int64_t{9})}), 3);
    EXPECT_THROW(evaluateExtents(stencil, {Value(int64_t{0})}), EvaluationError);
    EXPECT_THROW(evaluateExtents(stencil, {Value(int64_t{4000000000})}), EvaluationError);
    EXPECT_THROW(evaluateExtents(stencil, {Value(int64_t{3000000000})}), EvaluationError);
}

TEST(Evaluate, RefusesWhatDiffersFromPointToPoint) {
    const ExprPtr x = std::make_shared<const Expr>(Expr{Type::Int, {}, Coord{0}});
    EXPECT_THROW(evaluate(x, {}), EvaluationError);
}

} // namespace oocc
