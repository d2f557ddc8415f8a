#include "stencil/printer.h"

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
    static constexpr const char *kSpellings[] = {"abs", "min", "max",   "sqrt", "exp", "log",  "sin",
                                                 "cos", "tan", "atan2", "tanh", "pow", "floor"};
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
    Piece node(const Read &e, Type) const {
        std::string where;
        const auto shift = [&](const std::string &name, int by) {
            if (by != 0)
                where += (where.empty() ? "" : ", ") + name + (by > 0 ? "+" : "") + std::to_string(by);
        };
        shift("t", e.time);
        for (size_t d = 0; d < stencil_.dims.size(); ++d)
            shift(stencil_.dims[d].name, e.offset[d]);
        const std::string &name = stencil_.fields[static_cast<size_t>(e.field)].name;
        return {where.empty() ? name : name + "[" + where + "]", kAtom};
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

/// Paths are printed as they are; they hold neither quotes nor control characters.
std::string quoted(const std::string &path) {
    return '"' + path + '"';
}

void printScalars(std::ostream &out, const Stencil &s) {
    for (const Scalar &scalar : s.scalars)
        out << (scalar.kind == Scalar::Kind::Param ? "param " : "let ") << scalar.name << " : "
            << typeName(scalar.type) << " = " << toString(s, scalar.value)
            << (scalar.given ? "  // given" : "") << '\n';
}

void printEdges(std::ostream &out, const Stencil &s, const Field &field) {
    static constexpr const char *kSides[] = {".lo", ".hi"};
    for (size_t d = 0; d < s.dims.size(); ++d)
        for (size_t side = 0; side < 2; ++side) {
            const Edge &edge = field.edge[d][side];
            if (edge.kind == EdgeKind::None) continue;
            out << "    edge " << s.dims[d].name << kSides[side] << ": ";
            if (edge.kind == EdgeKind::Fixed)
                out << "fixed\n";
            else
                out << "dirichlet " << toString(s, edge.value) << '\n';
        }
}

void printFields(std::ostream &out, const Stencil &s) {
    for (const Field &field : s.fields) {
        out << (field.coef ? "coef " : "field ") << field.name << " : " << typeName(field.type);
        if (!field.coef) out << ", levels " << field.levels;
        out << '\n';
        if (!field.initFile.empty()) out << "    init from " << quoted(field.initFile) << '\n';
        for (size_t k = 0; k < field.init.size(); ++k)
            if (field.init[k])
                out << "    init[t" << (k == 0 ? "" : "-" + std::to_string(k))
                    << "] = " << toString(s, field.init[k]) << '\n';
        printEdges(out, s, field);
    }
}

} // namespace

std::string toString(const Stencil &stencil, const ExprPtr &expr) {
    return Printer(stencil).print(expr);
}

void print(std::ostream &out, const Stencil &s) {
    out << "stencil " << s.name << '\n';
    printScalars(out, s);
    for (const Dim &dim : s.dims)
        out << "dim " << dim.name << " : " << toString(s, dim.extent) << '\n';
    printFields(out, s);
    for (const Stage &stage : s.stages)
        out << "update " << s.fields[static_cast<size_t>(stage.field)].name
            << "[t+1] = " << toString(s, stage.value) << '\n';
    out << "steps " << toString(s, s.steps) << '\n';
    for (const Output &output : s.outputs)
        out << "output " << s.fields[static_cast<size_t>(output.field)].name << " to " << quoted(output.path)
            << '\n';
}

} // namespace oocc
