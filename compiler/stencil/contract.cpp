#include "stencil/contract.h"

#include <unordered_map>

namespace oocc {

namespace {

class Contraction {
  public:
    ExprPtr of(const ExprPtr &expr) {
        if (!expr) return expr;
        if (const auto known = done_.find(expr.get()); known != done_.end()) return known->second;
        const ExprPtr result =
            std::visit([&](const auto &node) { return this->node(node, expr); }, expr->node);
        done_.emplace(expr.get(), result);
        return result;
    }

  private:
    static ExprPtr make(const Expr &like, decltype(Expr::node) node) {
        return std::make_shared<const Expr>(Expr{like.type, like.range, std::move(node)});
    }
    static const Binary *product(const ExprPtr &expr) {
        const Binary *binary = std::get_if<Binary>(&expr->node);
        return binary && binary->op == BinaryOp::Mul ? binary : nullptr;
    }
    static ExprPtr negative(const ExprPtr &expr) { return make(*expr, Unary{UnaryOp::Neg, expr}); }
    static ExprPtr fma(const Expr &like, ExprPtr a, ExprPtr b, ExprPtr c) {
        return make(like, Call{MathFn::Fma, {std::move(a), std::move(b), std::move(c)}});
    }

    template <typename Leaf> ExprPtr node(const Leaf &, const ExprPtr &expr) { return expr; }
    ExprPtr node(const Unary &e, const ExprPtr &expr) { return make(*expr, Unary{e.op, of(e.a)}); }
    ExprPtr node(const Binary &e, const ExprPtr &expr) {
        const ExprPtr a = of(e.a), b = of(e.b);
        const bool add = e.op == BinaryOp::Add, subtract = e.op == BinaryOp::Sub;
        if (isFloat(expr->type) && (add || subtract)) {
            if (const Binary *p = product(a)) return fma(*expr, p->a, p->b, subtract ? negative(b) : b);
            if (const Binary *p = product(b)) return fma(*expr, subtract ? negative(p->a) : p->a, p->b, a);
        }
        return make(*expr, Binary{e.op, a, b});
    }
    ExprPtr node(const Select &e, const ExprPtr &expr) {
        return make(*expr, Select{of(e.condition), of(e.a), of(e.b)});
    }
    ExprPtr node(const Call &e, const ExprPtr &expr) {
        std::vector<ExprPtr> args;
        for (const ExprPtr &arg : e.args)
            args.push_back(of(arg));
        return make(*expr, Call{e.fn, std::move(args)});
    }
    ExprPtr node(const Cast &e, const ExprPtr &expr) { return make(*expr, Cast{of(e.a)}); }

    std::unordered_map<const Expr *, ExprPtr> done_; ///< expressions may be shared
};

} // namespace

Stencil contracted(Stencil stencil) {
    const std::vector<Stage> kept =
        stencil.stages; // holds the expressions that the contraction knows by address
    Contraction contraction;
    for (Stage &stage : stencil.stages)
        stage.value = contraction.of(stage.value);
    return stencil;
}

} // namespace oocc
