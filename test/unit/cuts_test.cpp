// Rows are cut wherever a condition changes, whatever the numbers are: integers wrap around, as those of programs do.
#include "analysis/cuts.h"

#include "analysis/invariance.h"
#include "sema/resolve.h"
#include "syntax/parse.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace oocc {

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();
constexpr int kCells = 24;
constexpr int kParams = 3;

/// Integers modulo 2^64, of a place along the row and of parameters.
struct At {
    int64_t x;
    std::array<int64_t, kParams> params;

    int64_t of(const ExprPtr &expr) const {
        return std::visit([&](const auto &e) { return of(e); }, expr->node);
    }
    static int64_t wrapped(uint64_t value) { return static_cast<int64_t>(value); }
    int64_t of(const Literal &e) const { return std::get<int64_t>(e.value); }
    int64_t of(const ScalarRef &e) const { return params.at(static_cast<size_t>(e.scalar)); }
    int64_t of(const Coord &) const { return x; }
    int64_t of(const Unary &e) const { return e.op == UnaryOp::Not ? !of(e.a) : wrapped(-static_cast<uint64_t>(of(e.a))); }
    int64_t of(const Binary &e) const {
        const int64_t a = of(e.a), b = of(e.b);
        switch (e.op) {
        case BinaryOp::Add: return wrapped(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
        case BinaryOp::Sub: return wrapped(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
        case BinaryOp::Eq: return a == b;
        case BinaryOp::Ne: return a != b;
        case BinaryOp::Lt: return a < b;
        case BinaryOp::Le: return a <= b;
        case BinaryOp::Gt: return a > b;
        case BinaryOp::Ge: return a >= b;
        case BinaryOp::And: return a && b;
        case BinaryOp::Or: return a || b;
        default: throw std::logic_error("no such operation here");
        }
    }
    int64_t of(const Call &e) const {
        const int64_t a = of(e.args.front()), b = of(e.args.back());
        return e.fn == MathFn::Abs ? (a < 0 ? wrapped(-static_cast<uint64_t>(a)) : a) : e.fn == MathFn::Min ? std::min(a, b) : std::max(a, b);
    }
    template <typename Other> int64_t of(const Other &) const { throw std::logic_error("no such expression here"); }
};

template <typename Node> ExprPtr made(Type type, Node node) {
    return std::make_shared<const Expr>(Expr{type, {}, std::move(node)});
}

class Draw {
  public:
    explicit Draw(unsigned seed) : random_(seed) {}

    int64_t number() {
        static constexpr int64_t kExtremes[] = {kLeast, kLeast + 1, kLeast + 9, kMost, kMost - 1, kMost - 9};
        return below(3) > 0 ? below(40) - 12 : kExtremes[below(6)];
    }
    ExprPtr condition(int depth) {
        if (depth > 0 && below(2) == 0) return made(Type::Bool, Binary{below(2) ? BinaryOp::And : BinaryOp::Or, condition(depth - 1), condition(depth - 1)});
        if (depth > 0 && below(4) == 0) return made(Type::Bool, Unary{UnaryOp::Not, condition(depth - 1)});
        static constexpr BinaryOp kAll[] = {BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge};
        ExprPtr a = value(4), b = same();
        if (below(2) == 0) std::swap(a, b);
        return made(Type::Bool, Binary{kAll[below(6)], a, b});
    }
    std::array<int64_t, kParams> params() { return {number(), number(), number()}; }

  private:
    int below(int n) { return std::uniform_int_distribution(0, n - 1)(random_); }

    ExprPtr same() {
        if (below(2) == 0) return made(Type::Int, ScalarRef{below(kParams)});
        return made(Type::Int, Literal{number()});
    }
    ExprPtr value(int depth) {
        if (depth == 0) return made(Type::Int, Coord{0});
        switch (below(6)) {
        case 0: return made(Type::Int, Unary{UnaryOp::Neg, value(depth - 1)});
        case 1: return made(Type::Int, Call{MathFn::Abs, {value(depth - 1)}});
        case 2: return made(Type::Int, Call{below(2) ? MathFn::Min : MathFn::Max, {value(depth - 1), below(3) ? value(depth - 1) : same()}});
        case 3: return value(depth - 1);
        default: break;
        }
        ExprPtr a = value(depth - 1), b = same();
        if (below(2) == 0) std::swap(a, b);
        return made(Type::Int, Binary{below(2) ? BinaryOp::Add : BinaryOp::Sub, a, b});
    }

    std::mt19937 random_;
};

Stencil program(const std::string &condition) {
    const Source source("cuts.stn", "stencil s; param a : int = 1; param b : int = 2; param c : int = 3; grid (x: 24); field u : f64;"
                                    "step { u[t+1] = if " + condition + " then u else -u; } steps 1;");
    Diagnostics diagnostics;
    const auto tree = parse(source, diagnostics);
    return *resolve(*tree, {}, diagnostics);
}

/// Of the condition of the program's choice; -1: it is no decision.
int cutsIn(const std::string &condition) {
    const Stencil stencil = program(condition);
    const auto cuts = cutsOf(stencil, std::get<Select>(stencil.stages.front().value->node).condition, 0);
    return cuts ? static_cast<int>(cuts->size()) : -1;
}

} // namespace

TEST(Cuts, WhereverAConditionChanges) {
    const Stencil stencil = program("a < b");
    int changes = 0, cuts = 0, tooMany = 0;
    for (unsigned seed = 0; seed < 20000; ++seed) {
        Draw draw(seed);
        const ExprPtr condition = draw.condition(2);
        const auto found = cutsOf(stencil, condition, 0);
        tooMany += !found;
        if (!found) continue;
        for (int round = 0; round < 3; ++round) {
            const std::array<int64_t, kParams> params = draw.params();
            std::vector<int64_t> at;
            for (const ExprPtr &cut : *found) {
                ASSERT_TRUE(isInvariant(cut, 0));
                at.push_back(At{0, params}.of(cut));
            }
            for (int64_t x = 1; x < kCells; ++x) {
                const bool isCut = std::ranges::find(at, x) != at.end();
                cuts += isCut;
                if (At{x, params}.of(condition) == At{x - 1, params}.of(condition)) continue;
                ++changes;
                ASSERT_TRUE(isCut) << "program " << seed << ", cell " << x;
            }
        }
    }
    EXPECT_LT(tooMany, 200);
    EXPECT_GT(changes, 20000);
    EXPECT_LT(cuts, 6 * changes) << "a row that is cut everywhere is no row";
}

TEST(Cuts, AsFewAsThereAre) {
    EXPECT_EQ(cutsIn("a < b"), 0);
    EXPECT_EQ(cutsIn("x < a"), 1);
    EXPECT_EQ(cutsIn("a < x"), 1);
    EXPECT_EQ(cutsIn("x < 5 or x >= 19"), 2);
    EXPECT_EQ(cutsIn("x == a"), 2);
    EXPECT_EQ(cutsIn("23 - x <= 4"), 1);
    EXPECT_EQ(cutsIn("abs(x - 12) < 4"), 2);
    EXPECT_EQ(cutsIn("min(x, 23 - x) < a"), 2);
    EXPECT_EQ(cutsIn("not (x > 3 and t < 2)"), 1);
    EXPECT_EQ(cutsIn("max(0, 4 - min(x, 23 - x)) > 0"), 2);
    EXPECT_EQ(cutsIn("x - a < 3"), 2) << "and where it wraps around";
}

TEST(Cuts, OfNothingElse) {
    for (const char *condition : {"x % 2 == 0", "2 * x < 9", "x < 24 - x", "x < 5 or u > 0", "0.1 * x < 1", "x / a < 2", "2 * abs(x) < 4"})
        EXPECT_EQ(cutsIn(condition), -1) << condition;
}

TEST(Cuts, OfALongSumAreNotCounted) {
    std::string sum = "x";
    for (int i = 0; i < 60; ++i)
        sum = "abs(" + sum + " + a)"; // each may wrap around
    EXPECT_EQ(cutsIn(sum + " < 3"), -1);
}

} // namespace oocc
