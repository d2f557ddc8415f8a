#include "stencil/printer.h"

#include "support/display.h"

#include <charconv>
#include <cmath>
#include <ostream>

namespace oocc {

namespace {

// How tightly an expression holds together: a part is put in parentheses when it holds less tightly than its
// place asks.
enum Precedence { kIf, kOr, kAnd, kNot, kCompare, kSum, kProduct, kNegation, kAtom };

Precedence precedence(BinaryOp op) {
    switch (op) {
    case BinaryOp::Or:
        return kOr;
    case BinaryOp::And:
        return kAnd;
    case BinaryOp::Add:
    case BinaryOp::Sub:
        return kSum;
    case BinaryOp::Mul:
    case BinaryOp::Div:
    case BinaryOp::Mod:
        return kProduct;
    default:
        return kCompare;
    }
}

const char *spelling(BinaryOp op) {
    static constexpr const char *kSpellings[] = {
        "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or"};
    return kSpellings[static_cast<int>(op)];
}

const char *spelling(MathFn fn) {
    static constexpr const char *kSpellings[] = {"abs", "min", "max",   "sqrt", "exp", "log",   "sin",
                                                 "cos", "tan", "atan2", "tanh", "pow", "floor", "fma"};
    return kSpellings[static_cast<int>(fn)];
}

/// The fewest digits that read back to the same bits, with a point or an exponent so that it stays floating.
std::string floating(double value, Type type) {
    char text[64];
    const auto end = type == Type::F32 ? std::to_chars(text, text + sizeof text, static_cast<float>(value))
                                       : std::to_chars(text, text + sizeof text, value);
    std::string out(text, end.ptr);
    if (std::isfinite(value) && out.find_first_of(".e") == std::string::npos) out += ".0";
    return out;
}

class Printer {
  public:
    explicit Printer(const Stencil &stencil) : stencil_(stencil) {}

    std::string print(const ExprPtr &expr, int least = kIf) const {
        if (!expr) return "none";
        const auto [text, tightness] =
            std::visit([&](const auto &node) { return this->node(node, expr->type); }, expr->node);
        return tightness < least ? "(" + text + ")" : text;
    }

  private:
    using Piece = std::pair<std::string, int>;

    Piece node(const Literal &e, Type type) const {
        if (const auto *b = std::get_if<bool>(&e.value)) return {*b ? "true" : "false", kAtom};
        if (const auto *i = std::get_if<int64_t>(&e.value))
            return {std::to_string(*i), *i < 0 ? kNegation : kAtom};
        const double value = std::get<double>(e.value);
        return {floating(value, type), std::signbit(value) ? kNegation : kAtom};
    }
    Piece node(const ScalarRef &e, Type) const {
        return {stencil_.scalars[static_cast<size_t>(e.scalar)].name, kAtom};
    }
    Piece node(const Coord &e, Type) const { return {stencil_.dims[static_cast<size_t>(e.dim)].name, kAtom}; }
    Piece node(const TimeLevel &, Type) const { return {"t", kAtom}; }
    Piece node(const Sample &e, Type) const {
        return {stencil_.series[static_cast<size_t>(e.series)].name + "[t" +
                    (e.ahead > 0 ? "+" + std::to_string(e.ahead) : "") + "]",
                kAtom};
    }
    Piece node(const Read &e, Type) const {
        std::string where;
        const auto shift = [&](const std::string &name, int by) {
            if (by != 0)
                where += (where.empty() ? "" : ", ") + name + (by > 0 ? "+" : "") + std::to_string(by);
        };
        const Field &field = stencil_.fields[static_cast<size_t>(e.field)];
        if (!field.temp) shift("t", e.time);
        for (size_t d = 0; d < stencil_.dims.size(); ++d)
            shift(stencil_.dims[d].name, e.offset[d]);
        return {where.empty() ? field.name : field.name + "[" + where + "]", kAtom};
    }
    Piece node(const Unary &e, Type) const {
        if (e.op == UnaryOp::Not) return {"not " + print(e.a, kNot), kNot};
        return {"-" + print(e.a, kAtom), kNegation};
    }
    Piece node(const Binary &e, Type) const {
        const int own = precedence(e.op);
        // Left-associative; a comparison takes no comparison on either side.
        const std::string left = print(e.a, own == kCompare ? own + 1 : own);
        return {left + " " + spelling(e.op) + " " + print(e.b, own + 1), own};
    }
    Piece node(const Select &e, Type) const {
        return {"if " + print(e.condition, kOr) + " then " + print(e.a, kOr) + " else " + print(e.b), kIf};
    }
    Piece node(const Call &e, Type) const {
        std::string args;
        for (const ExprPtr &arg : e.args)
            args += (args.empty() ? "" : ", ") + print(arg);
        return {std::string(spelling(e.fn)) + "(" + args + ")", kAtom};
    }
    Piece node(const Cast &e, Type type) const {
        return {std::string(typeName(type)) + "(" + print(e.a) + ")", kAtom};
    }

    const Stencil &stencil_;
};

/// Paths hold neither quotes nor control characters, but they may hold what nobody would see.
std::string quoted(const std::string &path) {
    return '"' + shown(path) + '"';
}

void printScalars(std::ostream &out, const Stencil &s) {
    static constexpr const char *kKinds[] = {"param ", "let ", "scalar ", "monitor "};
    for (const Scalar &scalar : s.scalars) {
        out << kKinds[static_cast<size_t>(scalar.kind)] << scalar.name << " : " << typeName(scalar.type);
        if (scalar.value) out << " = " << toString(s, scalar.value);
        out << (scalar.given ? "  // given" : "") << '\n';
    }
}

void printEdges(std::ostream &out, const Stencil &s, const Field &field) {
    static constexpr const char *kSides[] = {".lo", ".hi"};
    static constexpr const char *kKinds[] = {"none",    "fixed",          "dirichlet", "neumann",
                                             "reflect", "reflect_center", "periodic"};
    for (size_t d = 0; d < s.dims.size(); ++d)
        for (size_t side = 0; side < 2; ++side) {
            const Edge &edge = field.edge[d][side];
            if (edge.kind == EdgeKind::None) continue;
            out << "    edge " << s.dims[d].name << kSides[side] << ": "
                << kKinds[static_cast<size_t>(edge.kind)];
            if (edge.value) out << ' ' << toString(s, edge.value);
            out << '\n';
        }
}

void printFields(std::ostream &out, const Stencil &s) {
    for (const Field &field : s.fields) {
        out << (field.coef   ? "coef "
                : field.temp ? "temp "
                             : "field ")
            << field.name << " : " << elementName(field.type);
        if (!field.coef && !field.temp) out << ", levels " << field.levels;
        out << '\n';
        if (!field.initFile.empty()) out << "    init from " << quoted(field.initFile) << '\n';
        for (size_t k = 0; k < field.init.size(); ++k)
            if (field.init[k])
                out << "    init[t" << (k == 0 ? "" : "-" + std::to_string(k))
                    << "] = " << toString(s, field.init[k]) << '\n';
        printEdges(out, s, field);
    }
}

void printRegion(std::ostream &out, const Stencil &s, const Region &region) {
    const char *joined = " where ";
    for (size_t d = 0; d < s.dims.size(); ++d)
        for (size_t side = 0; side < 2; ++side) {
            if (!region[d][side]) continue;
            out << joined << s.dims[d].name << (side == 0 ? " >= " : " < ") << toString(s, region[d][side]);
            joined = " and ";
        }
}

void printPoints(std::ostream &out, const Stencil &s, const Points &points) {
    if (points.at.empty()) {
        out << " at points " << quoted(points.file);
        return;
    }
    const char *separator = " at (";
    for (const ExprPtr &at : points.at) {
        out << separator << toString(s, at);
        separator = ", ";
    }
    out << ')';
}

void printEvery(std::ostream &out, const Stencil &s, const ExprPtr &every) {
    if (every) out << " every " << toString(s, every);
}

void printStage(std::ostream &out, const Stencil &s, const Stage &stage) {
    static constexpr const char *kKinds[] = {"update ", "inject ", "reduce ", "monitor ", "record "};
    static constexpr const char *kOps[] = {"sum", "min", "max", "mean"};
    out << kKinds[static_cast<size_t>(stage.kind)];
    if (stage.scalar >= 0)
        out << s.scalars[static_cast<size_t>(stage.scalar)].name << " = "
            << kOps[static_cast<size_t>(stage.op)] << '(' << toString(s, stage.value) << ')';
    else
        out << toString(s, std::make_shared<const Expr>(Expr{Type::F64, {}, Read{stage.field, 1, {}}}));
    if (stage.points >= 0) printPoints(out, s, s.points[static_cast<size_t>(stage.points)]);
    if (stage.kind == Stage::Kind::Update) out << " = " << toString(s, stage.value);
    if (stage.kind == Stage::Kind::Inject)
        out << " += " << (stage.value ? toString(s, stage.value) : "signal " + quoted(stage.signal));
    printRegion(out, s, stage.region);
    printEvery(out, s, stage.every);
    if (!stage.path.empty()) out << " to " << quoted(stage.path);
    out << '\n';
}

} // namespace

std::string toString(const Stencil &stencil, const ExprPtr &expr) {
    return Printer(stencil).print(expr);
}

void print(std::ostream &out, const Stencil &s) {
    out << "stencil " << s.name << '\n';
    printScalars(out, s);
    for (const Dim &dim : s.dims)
        out << "dim " << dim.name << " : " << toString(s, dim.extent)
            << (dim.spacing ? ", spacing " + toString(s, dim.spacing) : "") << '\n';
    printFields(out, s);
    for (const Series &series : s.series)
        out << "series " << series.name << " : " << typeName(series.type) << " from " << quoted(series.file) << '\n';
    for (const Stage &stage : s.stages)
        printStage(out, s, stage);
    out << "steps " << toString(s, s.steps) << '\n';
    for (const Output &output : s.outputs) {
        out << "output " << s.fields[static_cast<size_t>(output.field)].name << " to " << quoted(output.path);
        printEvery(out, s, output.every);
        out << '\n';
    }
    for (const Stop &stop : s.stops)
        out << "stop when " << toString(s, stop.condition) << '\n';
    if (!s.stopOnNan) out << "stop on none\n";
}

} // namespace oocc
