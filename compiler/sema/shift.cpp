#include "sema/shift.h"

#include "sema/operand.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace oocc {

namespace {

class Shifter {
  public:
    Shifter(const Offsets &by, int &furthest) : by_(by), furthest_(furthest) {}

    ExprPtr operator()(const ExprPtr &e) {
        const auto [at, isNew] = done_.emplace(e.get(), nullptr);
        if (isNew) at->second = std::visit([&](const auto &node) { return this->node(node, e); }, e->node);
        return at->second;
    }

  private:
    ExprPtr node(const Literal &, const ExprPtr &e) { return e; }
    ExprPtr node(const ScalarRef &, const ExprPtr &e) { return e; }
    ExprPtr node(const TimeLevel &, const ExprPtr &e) { return e; }
    ExprPtr node(const Sample &, const ExprPtr &e) { return e; }
    ExprPtr node(const Coord &n, const ExprPtr &e) {
        const int by = by_[static_cast<size_t>(n.dim)];
        if (by == 0) return e;
        const ExprPtr distance = makeExpr(Type::Int, e->range, Literal{int64_t{std::abs(by)}});
        return makeExpr(Type::Int, e->range, Binary{by > 0 ? BinaryOp::Add : BinaryOp::Sub, e, distance});
    }
    ExprPtr node(const Read &n, const ExprPtr &e) {
        Read read = n;
        for (size_t d = 0; d < kMaxDims; ++d) {
            read.offset[d] += by_[d];
            furthest_ = std::max(furthest_, std::abs(read.offset[d]));
        }
        return makeExpr(e->type, e->range, read);
    }
    ExprPtr node(const Unary &n, const ExprPtr &e) {
        return makeExpr(e->type, e->range, Unary{n.op, (*this)(n.a)});
    }
    ExprPtr node(const Binary &n, const ExprPtr &e) {
        ExprPtr a = (*this)(n.a), b = (*this)(n.b);
        return makeExpr(e->type, e->range, Binary{n.op, std::move(a), std::move(b)});
    }
    ExprPtr node(const Select &n, const ExprPtr &e) {
        ExprPtr condition = (*this)(n.condition), a = (*this)(n.a), b = (*this)(n.b);
        return makeExpr(e->type, e->range, Select{std::move(condition), std::move(a), std::move(b)});
    }
    ExprPtr node(const Call &n, const ExprPtr &e) {
        std::vector<ExprPtr> args;
        for (const ExprPtr &arg : n.args)
            args.push_back((*this)(arg));
        return makeExpr(e->type, e->range, Call{n.fn, std::move(args)});
    }
    ExprPtr node(const Cast &n, const ExprPtr &e) { return makeExpr(e->type, e->range, Cast{(*this)(n.a)}); }

    const Offsets &by_;
    int &furthest_;
    std::map<const Expr *, ExprPtr> done_;
};

} // namespace

ExprPtr shifted(const ExprPtr &expr, const Offsets &by, int &furthest) {
    return Shifter(by, furthest)(expr);
}

bool varies(const ExprPtr &expr) {
    bool found = false;
    walk(expr, [&](const Expr &e) {
        found = found || std::holds_alternative<Read>(e.node) || std::holds_alternative<Coord>(e.node);
    });
    return found;
}

} // namespace oocc
