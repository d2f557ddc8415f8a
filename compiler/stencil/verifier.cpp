#include "stencil/verifier.h"

#include <algorithm>
#include <stdexcept>

namespace oocc {

namespace {

/// What may stand in an expression at one place.
struct Place {
    std::string name;
    int scalars = 0; ///< those with a smaller index
    bool coords = false;
    bool time = false;
    int stage = -1; ///< the stage whose value it is, or -1: no reads
};

class Verifier {
  public:
    explicit Verifier(const Stencil &stencil) : s_(stencil) {}

    void run() {
        check(!s_.name.empty(), "a stencil has a name");
        check(!s_.dims.empty() && s_.dims.size() <= kMaxDims, "a grid has 1 to 4 dimensions");
        check(!s_.stages.empty(), "a stencil has a stage");
        for (size_t i = 0; i < s_.scalars.size(); ++i)
            value(s_.scalars[i].value, s_.scalars[i].type,
                  {"scalar " + s_.scalars[i].name, static_cast<int>(i)});
        const int all = static_cast<int>(s_.scalars.size());
        for (const Dim &dim : s_.dims)
            value(dim.extent, Type::Int, {"extent of " + dim.name, all});
        for (size_t i = 0; i < s_.fields.size(); ++i)
            field(static_cast<int>(i));
        for (size_t k = 0; k < s_.stages.size(); ++k) {
            const Stage &stage = s_.stages[k];
            index(stage.field, s_.fields.size(), "a stage's field");
            const Field &target = s_.fields[static_cast<size_t>(stage.field)];
            value(stage.value, target.type,
                  {"update of " + target.name, all, true, true, static_cast<int>(k)});
        }
        value(s_.steps, Type::Int, {"steps", all});
        for (const Output &output : s_.outputs) {
            index(output.field, s_.fields.size(), "an output's field");
            check(!output.path.empty(), "an output has a path");
        }
    }

  private:
    void field(int i) {
        const Field &f = s_.fields[static_cast<size_t>(i)];
        const int all = static_cast<int>(s_.scalars.size());
        check(isFloat(f.type), f.name + ": a field is f32 or f64");
        const auto written =
            std::count_if(s_.stages.begin(), s_.stages.end(), [&](const Stage &k) { return k.field == i; });
        check(written == (f.coef ? 0 : 1), f.name + ": one stage per field, none per coefficient");

        int levels = 1;
        for (const Stage &stage : s_.stages)
            walk(stage.value, [&](const Expr &e) {
                if (const auto *read = std::get_if<Read>(&e.node); read && read->field == i)
                    levels = std::max(levels, 1 - read->time);
            });
        check(f.levels == levels, f.name + ": levels is 1 + the furthest past level read");
        check(f.init.size() <= static_cast<size_t>(f.levels),
              f.name + ": no more initial values than levels");
        check(f.init.empty() || f.init[0] || !f.initFile.empty() ||
                  std::none_of(f.init.begin(), f.init.end(), [](auto &e) { return e != nullptr; }),
              f.name + ": an initial value of a past level needs one of level 0");
        check(f.init.empty() || !f.init[0] || f.initFile.empty(),
              f.name + ": a file or an expression, not both");
        for (const ExprPtr &init : f.init)
            if (init) value(init, f.type, {"initial value of " + f.name, all, true});

        for (size_t d = 0; d < kMaxDims; ++d)
            for (const Edge &edge : f.edge[d]) {
                check(edge.kind == EdgeKind::None || d < s_.dims.size(),
                      f.name + ": edges within the dimensions");
                check((edge.kind == EdgeKind::Dirichlet) == (edge.value != nullptr),
                      f.name + ": Dirichlet edges have a value");
                if (edge.value) value(edge.value, f.type, {"edge of " + f.name, all, true, true});
            }
    }

    void value(const ExprPtr &e, Type type, const Place &place) {
        check(e != nullptr, place.name + ": an expression is missing");
        expr(e, place);
        check(e->type == type, place.name + ": it is " + typeName(type) + ", its value " + typeName(e->type));
    }

    void expr(const ExprPtr &e, const Place &place) {
        check(e != nullptr, place.name + ": an expression is missing");
        std::visit([&](const auto &node) { this->node(node, *e, place); }, e->node);
    }

    void node(const Literal &n, const Expr &e, const Place &place) {
        const size_t held = e.type == Type::Bool ? 0 : isInteger(e.type) ? 1 : 2;
        check(n.value.index() == held, place.name + ": a literal holds what its type says");
        if (e.type == Type::F32)
            check(static_cast<double>(static_cast<float>(std::get<double>(n.value))) ==
                      std::get<double>(n.value),
                  place.name + ": a literal of type f32 is rounded to it");
    }
    void node(const ScalarRef &n, const Expr &e, const Place &place) {
        index(n.scalar, static_cast<size_t>(place.scalars), place.name + ": a scalar's index");
        check(e.type == s_.scalars[static_cast<size_t>(n.scalar)].type, place.name + ": a scalar's type");
    }
    void node(const Coord &n, const Expr &e, const Place &place) {
        check(place.coords, place.name + ": no coordinates here");
        index(n.dim, s_.dims.size(), place.name + ": a coordinate's dimension");
        check(e.type == Type::Int, place.name + ": a coordinate is int");
    }
    void node(const TimeLevel &, const Expr &e, const Place &place) {
        check(place.time, place.name + ": no t here");
        check(e.type == Type::Int, place.name + ": t is int");
    }
    void node(const Read &n, const Expr &e, const Place &place) {
        check(place.stage >= 0, place.name + ": no reads here");
        index(n.field, s_.fields.size(), place.name + ": a read's field");
        const Field &f = s_.fields[static_cast<size_t>(n.field)];
        check(e.type == f.type, place.name + ": a read has its field's type");
        check(!f.coef || n.time == 0, place.name + ": coefficients are read at time 0");
        check(n.time <= 1, place.name + ": no read beyond t+1");
        check(n.time < 1 || s_.stageOf(n.field) < place.stage,
              place.name + ": " + f.name + "[t+1] is read after its update");
        for (size_t d = s_.dims.size(); d < kMaxDims; ++d)
            check(n.offset[d] == 0, place.name + ": offsets within the dimensions");
    }
    void node(const Unary &n, const Expr &e, const Place &place) {
        expr(n.a, place);
        check(n.a->type == e.type, place.name + ": an operand's type");
        check((n.op == UnaryOp::Not) == (e.type == Type::Bool),
              place.name + ": 'not' is for bool, '-' for numbers");
    }
    void node(const Binary &n, const Expr &e, const Place &place) {
        expr(n.a, place);
        expr(n.b, place);
        check(n.a->type == n.b->type, place.name + ": operands of one type");
        const Type operands = n.a->type;
        if (n.op == BinaryOp::And || n.op == BinaryOp::Or)
            check(operands == Type::Bool && e.type == Type::Bool,
                  place.name + ": 'and' and 'or' are for bool");
        else if (n.op >= BinaryOp::Eq && n.op <= BinaryOp::Ge)
            check(e.type == Type::Bool && (operands != Type::Bool || n.op <= BinaryOp::Ne),
                  place.name + ": a comparison gives bool, and bool is not ordered");
        else
            check(operands == e.type && operands != Type::Bool &&
                      (n.op != BinaryOp::Mod || operands == Type::Int),
                  place.name + ": arithmetic keeps its operands' type; '%' is for int");
    }
    void node(const Select &n, const Expr &e, const Place &place) {
        expr(n.condition, place);
        expr(n.a, place);
        expr(n.b, place);
        check(n.condition->type == Type::Bool, place.name + ": a condition is bool");
        check(n.a->type == e.type && n.b->type == e.type, place.name + ": both branches of one type");
    }
    void node(const Call &n, const Expr &e, const Place &place) {
        const bool two =
            n.fn == MathFn::Min || n.fn == MathFn::Max || n.fn == MathFn::Atan2 || n.fn == MathFn::Pow;
        const bool onInts = n.fn == MathFn::Abs || n.fn == MathFn::Min || n.fn == MathFn::Max;
        check(n.args.size() == (two ? 2U : 1U), place.name + ": a function's number of arguments");
        for (const ExprPtr &arg : n.args) {
            expr(arg, place);
            check(arg->type == e.type, place.name + ": a function's arguments have its type");
        }
        check(isFloat(e.type) || (onInts && e.type == Type::Int), place.name + ": a function's type");
    }
    void node(const Cast &n, const Expr &e, const Place &place) {
        expr(n.a, place);
        check(isFloat(e.type) && n.a->type != Type::Bool && n.a->type != e.type,
              place.name + ": a cast changes a number to f32 or f64");
    }

    static void index(int i, size_t size, const std::string &what) {
        check(i >= 0 && static_cast<size_t>(i) < size, what + " is in range");
    }
    static void check(bool holds, const std::string &invariant) {
        if (!holds) throw std::logic_error("stencil: broken invariant: " + invariant);
    }

    const Stencil &s_;
};

} // namespace

void verify(const Stencil &stencil) {
    Verifier(stencil).run();
}

} // namespace oocc
