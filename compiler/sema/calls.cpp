#include "sema/elsewhere.h"
#include "sema/expressions.h"
#include "sema/resolver.h"
#include "support/spelling.h"

#include <algorithm>
#include <optional>

namespace oocc {

namespace {

struct Function {
    const char *name;
    size_t args;
    std::optional<MathFn> fn; ///< none: mod, which is an operator
};

constexpr Function kFunctions[] = {
    {"abs", 1, MathFn::Abs},   {"min", 2, MathFn::Min},     {"max", 2, MathFn::Max},
    {"sqrt", 1, MathFn::Sqrt}, {"exp", 1, MathFn::Exp},     {"log", 1, MathFn::Log},
    {"sin", 1, MathFn::Sin},   {"cos", 1, MathFn::Cos},     {"tan", 1, MathFn::Tan},
    {"tanh", 1, MathFn::Tanh}, {"floor", 1, MathFn::Floor}, {"atan2", 2, MathFn::Atan2},
    {"pow", 2, MathFn::Pow},   {"mod", 2, std::nullopt},
};

/// Not functions of values: they go over a shape, over the grid, or are shapes.
const char *const kReductions[] = {"sum", "prod", "mean"};
const char *const kShapes[] = {"box", "star"};

constexpr const char *kChoice = "if CONDITION then A else B";
constexpr Elsewhere kElsewhere[] = {
    {"where", kChoice},
    {"select", kChoice},
    {"merge", kChoice},
    {"iif", kChoice},
    {"ifelse", kChoice},
    {"clamp", "min(max(a, LOWEST), HIGHEST)"},
    {"fabs", "abs(a)"},
    {"fmin", "min(a, b)"},
    {"fmax", "max(a, b)"},
    {"sign", "if a > 0 then 1 else if a < 0 then -1 else 0"},
    {"ceil", "-floor(-a)"},
    {"round", "floor(a + 0.5)"},
    {"trunc", "if a < 0 then -floor(-a) else floor(a)"},
    {"ln", "log(a)"},
    {"log10", "log(a) / log(10.0)"},
    {"log2", "log(a) / log(2.0)"},
    {"log1p", "log(1 + a)"},
    {"exp2", "2.0^a"},
    {"expm1", "exp(a) - 1"},
    {"cbrt", "if a < 0 then -(-a)^(1.0/3) else a^(1.0/3)"},
    {"hypot", "sqrt(a^2 + b^2)"},
    {"sinh", "(exp(a) - exp(-a)) / 2"},
    {"cosh", "(exp(a) + exp(-a)) / 2"},
    {"asin", "atan2(a, sqrt(1 - a^2))"},
    {"acos", "atan2(sqrt(1 - a^2), a)"},
    {"atan", "atan2(a, 1)"},
    {"lap", "laplace(a)"},
    {"laplacian", "laplace(a)"},
    {"del2", "laplace(a)"},
};

/// What is not written as one function at all.
constexpr const char *kRandom[] = {"rand", "random", "noise"};
constexpr const char *kVectorOperators[] = {"grad", "gradient", "div", "divergence", "curl", "rot"};

bool onInts(MathFn fn) {
    return fn == MathFn::Abs || fn == MathFn::Min || fn == MathFn::Max;
}

std::vector<std::string> functionNames() {
    std::vector<std::string> list{"d", "d2", "dp", "dm", "laplace", "sum", "prod"};
    for (const Function &f : kFunctions)
        list.emplace_back(f.name);
    return list;
}

void refuseReduction(const ast::Name &function, const Place &place, Diagnostics &diagnostics) {
    const std::string &name = function.text;
    Diagnostic &error = diagnostics.error(function.range, "'" + name + "' goes over the whole grid and stands by itself");
    if (place.watched)
        error.withHelp("name it, as what is watched: monitor q = " + name + "(...) every 10;");
    else
        error.withHelp("name it, for the step to use: scalar q = " + name + "(...); over a shape it is written: " +
                       (name == "mean" ? "sum" : name) + "(o in box(1)) u[o]");
}

/// Of two values, and with one alone, as in a monitor, of all the grid's.
bool isExtreme(const std::string &name) {
    return name == "min" || name == "max";
}

/// Says how it is written here, what was probably meant, or what there is.
void refuseUnknown(const ast::Name &function, const std::vector<std::string> &declared, Diagnostics &diagnostics) {
    Diagnostic &error = diagnostics.error(function.range, "there is no function '" + function.text + "'");
    if (const char *const instead = meaningOf(function.text, kElsewhere))
        error.withHelp("write '" + std::string(instead) + "'");
    else if (namesType(function.text))
        error.withHelp("there is none to write: integers become floating where they meet floating numbers, and an update's value takes its "
                       "field's type");
    else if (contains(kRandom, function.text))
        error.withHelp("a program gives the same bits each time: take random numbers from a file, init u from \"u.npy\"");
    else if (contains(kVectorOperators, function.text))
        error.withHelp("a field has one number in every cell: derive component by component, as in d(vx, x) + d(vy, y), or dp(ez, y) - dp(ey, z) "
                       "half a cell on");
    if (error.help) return;
    std::vector<std::string> candidates = functionNames();
    candidates.insert(candidates.end(), declared.begin(), declared.end());
    suggestName(error, function, candidates);
    if (error.help) return;
    error.withHelp("there are " + joined(functionNames()) + ", and those that 'fn' declares");
}

} // namespace

bool isBuiltin(const std::string &name) {
    return isDerivative(name) || contains(kReductions, name) || contains(kShapes, name) ||
           std::ranges::any_of(kFunctions, [&](const Function &f) { return name == f.name; });
}

Operand ExpressionResolver::node(const ast::Call &e, Range range) {
    const std::string &name = e.function.text;
    if (isDerivative(name)) return derivative(e, range);
    const auto *found = std::ranges::find_if(kFunctions, [&](const Function &f) { return name == f.name; });
    if (found == std::end(kFunctions)) {
        Symbol *symbol = scope_.find(name);
        if (symbol && symbol->kind == Symbol::Kind::Function) return inlined(e, *symbol, range);
        if (symbol && symbol->kind == Symbol::Kind::Broken) return {};
        if (symbol && symbol->kind == Symbol::Kind::Field)
            diagnostics_.error(e.function.range,
                               "'" + name + "' is a field; brackets read it at an offset: " + name + "[...]");
        else if (symbol)
            diagnostics_.error(e.function.range, "'" + name + "' is not a function")
                .withHelp("a product is written with '*'");
        else if (contains(kReductions, name))
            refuseReduction(e.function, place_, diagnostics_);
        else if (contains(kShapes, name))
            diagnostics_.error(e.function.range, "'" + name + "' is a shape and not a value")
                .withHelp("sum over it: sum(o in " + name + "(1)) u[o]");
        else
            refuseUnknown(e.function, scope_.names({Symbol::Kind::Function}), diagnostics_);
        return {};
    }
    if (refuseLabels(e)) return {};
    if (isExtreme(name) && e.args.size() == 1) {
        refuseReduction(e.function, place_, diagnostics_);
        return {};
    }
    std::vector<Operand> args;
    bool fine = true;
    for (const ast::ExprPtr &arg : e.args) {
        args.push_back(child(arg));
        fine = fine && args.back();
    }
    if (e.args.size() != found->args) {
        Diagnostic &error =
            diagnostics_.error(e.function.range, "'" + name + "' takes " + std::to_string(found->args) +
                                                     (found->args == 1 ? " argument" : " arguments") + ", not " +
                                                     std::to_string(e.args.size()));
        if (isExtreme(name) && e.args.size() > 2) error.withHelp("of three values: " + name + "(a, " + name + "(b, c))");
        return {};
    }
    if (!fine) return {};
    for (const Operand &arg : args)
        if (arg.type() == Type::Bool) {
            diagnostics_.error(arg.expr->range, "'" + name + "' takes numbers, and this is bool");
            return {};
        }
    if (found->fn) return call(*found->fn, std::move(args), range);

    for (const Operand &arg : args)
        if (!isInteger(arg.type())) {
            diagnostics_
                .error(arg.expr->range,
                       std::string("'mod' takes integers, and this is ") + typeName(arg.type()))
                .withHelp("for floating numbers write a - b*floor(a/b)");
            return {};
        }
    if (!unify(args[0], args[1], range, "")) return {};
    if (!checkDivision(BinaryOp::Mod, args[0], args[1], range)) return {};
    return {makeExpr(args[0].type(), range, Binary{BinaryOp::Mod, args[0].expr, args[1].expr}), args[0].data,
            args[0].nodes + args[1].nodes + 1};
}

/// The arguments are numbers, as many as the function takes.
Operand ExpressionResolver::call(MathFn fn, std::vector<Operand> args, Range range) {
    if (args.size() == 2 && !unify(args[0], args[1], range, "")) return {};
    Operand out;
    std::vector<ExprPtr> list;
    for (Operand &arg : args) {
        if (isInteger(arg.type()) && !onInts(fn)) {
            arg = convert(arg, Type::F64, diagnostics_);
            arg.data = false; // f64 is the function's choice, not the field's
        }
        out.data = out.data || arg.data;
        out.nodes += arg.nodes;
        list.push_back(arg.expr);
    }
    const Type type = args[0].type();
    out.expr = makeExpr(type, range, Call{fn, std::move(list)});
    return out;
}

} // namespace oocc
