#include "stencil/verify_parts.h"

#include <algorithm>

namespace oocc::verifying {

namespace {

class ExpressionVerifier {
  public:
    explicit ExpressionVerifier(const Stencil &stencil) : s_(stencil) {}

    void value(const ExprPtr &e, Type type, const Place &place) {
        check(e != nullptr, place.name + ": an expression is missing");
        expr(e, place);
        check(e->type == type, place.name + ": it is " + typeName(type) + ", its value " + typeName(e->type));
    }

  private:
    void expr(const ExprPtr &e, const Place &place) {
        check(e != nullptr, place.name + ": an expression is missing");
        check(e->type != Type::U8, place.name + ": u8 is a type of elements only");
        std::visit([&](const auto &node) { this->node(node, *e, place); }, e->node);
    }

    void node(const Literal &n, const Expr &e, const Place &place) {
        const size_t held = e.type == Type::Bool ? 0 : isInteger(e.type) ? 1 : 2;
        check(n.value.index() == held, place.name + ": a literal holds what its type says");
        if (e.type == Type::I32) {
            const int64_t value = std::get<int64_t>(n.value);
            check(value == static_cast<int32_t>(value), place.name + ": a literal of type i32 fits it");
        }
        if (e.type == Type::F32)
            check(static_cast<double>(static_cast<float>(std::get<double>(n.value))) ==
                      std::get<double>(n.value),
                  place.name + ": a literal of type f32 is rounded to it");
    }
    void node(const ScalarRef &n, const Expr &e, const Place &place) {
        checkIndex(n.scalar, std::min(s_.scalars.size(), static_cast<size_t>(place.scalars)),
                   place.name + ": a scalar's index");
        const Scalar &scalar = s_.scalars[static_cast<size_t>(n.scalar)];
        check(e.type == scalar.type, place.name + ": a scalar's type");
        const Stage::Kind *stage = stageAt(place);
        check(scalar.kind != Scalar::Kind::Reduced ||
                  (stage && (*stage == Stage::Kind::Update || *stage == Stage::Kind::Inject ||
                             *stage == Stage::Kind::Monitor)),
              place.name + ": no scalar of the state here");
        check(scalar.kind != Scalar::Kind::Watched || place.watched,
              place.name + ": no monitor's value here");
    }
    void node(const Coord &n, const Expr &e, const Place &place) {
        check(place.coords, place.name + ": no coordinates here");
        checkIndex(n.dim, s_.dims.size(), place.name + ": a coordinate's dimension");
        check(e.type == Type::Int, place.name + ": a coordinate is int");
    }
    void node(const TimeLevel &, const Expr &e, const Place &place) {
        check(place.time, place.name + ": no t here");
        check(e.type == Type::Int, place.name + ": t is int");
    }
    void node(const Sample &n, const Expr &e, const Place &place) {
        const Stage::Kind *stage = stageAt(place);
        check(stage && (*stage == Stage::Kind::Update || *stage == Stage::Kind::Inject || *stage == Stage::Kind::Monitor),
              place.name + ": no series here");
        checkIndex(n.series, s_.series.size(), place.name + ": a series' index");
        check(e.type == s_.series[static_cast<size_t>(n.series)].type, place.name + ": a sample has its series' type");
        check(n.ahead >= 0, place.name + ": no sample before the first");
    }
    void node(const Read &n, const Expr &e, const Place &place) {
        const Stage::Kind *stage = stageAt(place);
        checkIndex(n.field, s_.fields.size(), place.name + ": a read's field");
        const Field &f = s_.fields[static_cast<size_t>(n.field)];
        check(stage || (f.coef && n.field < place.coefs && n.offset == Offsets{}), place.name + ": no such reads here");
        check(e.type == valueType(f.type), place.name + ": a read has its field's type");
        check(!f.coef || n.time == 0, place.name + ": coefficients are read at time 0");
        if (!stage) return;
        check(!f.temp || n.time == 1, place.name + ": temps are read at time 1");
        check(n.time <= 1, place.name + ": no read beyond t+1");
        check(n.time < 1 || s_.stageOf(n.field) < place.stage,
              place.name + ": " + f.name + (f.temp ? "" : "[t+1]") + " is read after its update");
        check(*stage != Stage::Kind::Inject || (n.time >= 0 && n.offset == Offsets{}),
              place.name + ": an injection reads its own cell");
        check(!f.temp || (*stage != Stage::Kind::Inject && *stage != Stage::Kind::Reduce),
              place.name + ": no temp here");
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
                      (n.op != BinaryOp::Mod || isInteger(operands)),
                  place.name + ": arithmetic keeps its operands' type; '%' is for integers");
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
        const size_t count = n.fn == MathFn::Fma ? 3 : two ? 2 : 1;
        check(n.args.size() == count, place.name + ": a function's number of arguments");
        for (const ExprPtr &arg : n.args) {
            expr(arg, place);
            check(arg->type == e.type, place.name + ": a function's arguments have its type");
        }
        check(isFloat(e.type) || (onInts && isInteger(e.type)), place.name + ": a function's type");
    }
    void node(const Cast &n, const Expr &e, const Place &place) {
        expr(n.a, place);
        const Type from = n.a->type;
        check(e.type != Type::Bool && from != Type::Bool && from != e.type &&
                  (isFloat(e.type) || isInteger(from)),
              place.name + ": a cast changes a number's type, and no floating number to an integer");
    }

    /// The kind of the stage whose value the expression is; null: of none.
    const Stage::Kind *stageAt(const Place &place) const {
        return place.stage < 0 ? nullptr : &s_.stages[static_cast<size_t>(place.stage)].kind;
    }

    const Stencil &s_;
};

} // namespace

void verifyValue(const Stencil &stencil, const ExprPtr &value, Type type, const Place &place) {
    ExpressionVerifier(stencil).value(value, type, place);
}

} // namespace oocc::verifying
