// Sums are long: a stencil of a thousand points is one left-deep chain of '+'. The chain is walked in a loop
// here, and what is deeper than kMaxDepth is refused, so that everybody after us may recurse.
#include "syntax/builder.h"
#include "syntax/tokens.h"

#include <algorithm>

namespace oocc {

namespace {

constexpr int kMaxDepth = 2000;

ast::BinaryOp binaryOp(size_t token) {
    using Parser = grammar::StnParser;
    switch (token) {
    case Parser::OR:
        return ast::BinaryOp::Or;
    case Parser::AND:
        return ast::BinaryOp::And;
    case Parser::EQ:
        return ast::BinaryOp::Eq;
    case Parser::NE:
        return ast::BinaryOp::Ne;
    case Parser::LT:
        return ast::BinaryOp::Lt;
    case Parser::LE:
        return ast::BinaryOp::Le;
    case Parser::GT:
        return ast::BinaryOp::Gt;
    case Parser::GE:
        return ast::BinaryOp::Ge;
    case Parser::PLUS:
        return ast::BinaryOp::Add;
    case Parser::MINUS:
        return ast::BinaryOp::Sub;
    case Parser::STAR:
        return ast::BinaryOp::Mul;
    case Parser::SLASH:
        return ast::BinaryOp::Div;
    case Parser::PERCENT:
        return ast::BinaryOp::Mod;
    default:
        return ast::BinaryOp::Pow;
    }
}

} // namespace

template <typename Node> ast::ExprPtr Builder::make(Range range, Node node, int depth) {
    depth_ = depth;
    return std::make_unique<ast::Expr>(ast::Expr{range, std::move(node)});
}

ast::ExprPtr Builder::expr(Parser::ExprContext &tree) {
    if (auto *c = dynamic_cast<Parser::BinaryContext *>(&tree)) return binary(*c);
    return operand(tree);
}

ast::ExprPtr Builder::binary(Parser::BinaryContext &tree) {
    std::vector<Parser::BinaryContext *> spine{&tree};
    while (auto *left = dynamic_cast<Parser::BinaryContext *>(spine.back()->expr(0)))
        spine.push_back(left);

    ast::ExprPtr out = expr(*spine.back()->expr(0));
    int depth = depth_;
    for (auto it = spine.rbegin(); it != spine.rend(); ++it) {
        Parser::BinaryContext &each = **it;
        ast::ExprPtr right = expr(*each.expr(1));
        depth = std::max(depth, depth_) + 1;
        if (depth > kMaxDepth) {
            diagnostics_
                .error(rangeOf(*each.op), "an expression may be " + std::to_string(kMaxDepth) +
                                              " operations deep, and this is deeper")
                .withHelp("group the terms with parentheses, or name a part of it with 'let'");
            return make(range(tree), ast::Boolean{false}, 1);
        }
        const Range whole{out->range.begin, right->range.end};
        out = make(
            whole,
            ast::Binary{binaryOp(each.op->getType()), rangeOf(*each.op), std::move(out), std::move(right)},
            depth);
    }
    return out;
}

ast::ExprPtr Builder::operand(Parser::ExprContext &tree) {
    const Range whole = range(tree);
    if (auto *c = dynamic_cast<Parser::ParenthesisedContext *>(&tree)) {
        ast::ExprPtr inner = expr(*c->expr());
        inner->range = whole;
        return inner;
    }
    if (dynamic_cast<Parser::IntegerContext *>(&tree)) return make(whole, ast::Integer{slice(whole)}, 1);
    if (dynamic_cast<Parser::RealContext *>(&tree)) return make(whole, ast::Real{slice(whole)}, 1);
    if (auto *c = dynamic_cast<Parser::BooleanContext *>(&tree))
        return make(whole, ast::Boolean{c->TRUE() != nullptr}, 1);
    if (dynamic_cast<Parser::ReferenceContext *>(&tree)) return make(whole, ast::Reference{slice(whole), whole}, 1);
    if (auto *c = dynamic_cast<Parser::IndexContext *>(&tree)) {
        std::vector<ast::ExprPtr> list = indices(*c->indices());
        return make(whole, ast::Index{name(*c->name()), std::move(list)}, depth_ + 1);
    }
    if (auto *c = dynamic_cast<Parser::CallContext *>(&tree)) return call(*c);
    if (auto *c = dynamic_cast<Parser::NegationContext *>(&tree)) {
        ast::ExprPtr a = expr(*c->expr());
        return make(whole, ast::Unary{ast::UnaryOp::Neg, std::move(a)}, depth_ + 1);
    }
    if (auto *c = dynamic_cast<Parser::NotExprContext *>(&tree)) {
        ast::ExprPtr a = expr(*c->expr());
        return make(whole, ast::Unary{ast::UnaryOp::Not, std::move(a)}, depth_ + 1);
    }
    if (auto *c = dynamic_cast<Parser::IfExprContext *>(&tree)) {
        ast::If node;
        int depth = 0;
        for (auto [part, child] : {std::pair{&node.condition, 0}, {&node.a, 1}, {&node.b, 2}}) {
            *part = expr(*c->expr(static_cast<size_t>(child)));
            depth = std::max(depth, depth_);
        }
        return make(whole, std::move(node), depth + 1);
    }
    if (auto *c = dynamic_cast<Parser::ReductionContext *>(&tree)) return reduction(*c);
    auto &member = dynamic_cast<Parser::MemberContext &>(tree);
    return make(whole, ast::Member{name(*member.name(0)), name(*member.name(1))}, 1);
}

ast::ExprPtr Builder::call(Parser::CallContext &tree) {
    ast::Call node{name(*tree.name()), {}, {}};
    int depth = 0;
    for (Parser::ArgumentContext *each : tree.argument()) {
        node.args.push_back(expr(*each->expr()));
        node.labels.push_back(each->COLON() ? std::optional(name(*each->name())) : std::nullopt);
        depth = std::max(depth, depth_);
    }
    return make(range(tree), std::move(node), depth + 1);
}

ast::ExprPtr Builder::shape(Parser::ShapeContext &tree) {
    if (tree.expr()) return expr(*tree.expr());
    ast::PointSet set;
    int depth = 0;
    for (Parser::PointContext *each : tree.pointSet()->point()) {
        std::vector<ast::ExprPtr> &point = set.points.emplace_back();
        set.ranges.push_back(range(*each));
        for (Parser::ExprContext *part : each->expr()) {
            point.push_back(expr(*part));
            depth = std::max(depth, depth_);
        }
    }
    return make(range(tree), std::move(set), depth + 1);
}

ast::ExprPtr Builder::reduction(Parser::ReductionContext &tree) {
    ast::Reduction node{name(*tree.name(0)), name(*tree.name(1)), shape(*tree.shape()), nullptr};
    const int depth = depth_;
    node.body = expr(*tree.expr());
    return make(range(tree), std::move(node), std::max(depth, depth_) + 1);
}

std::vector<ast::ExprPtr> Builder::indices(Parser::IndicesContext &tree) {
    std::vector<ast::ExprPtr> list;
    int depth = 0;
    for (Parser::ExprContext *each : tree.expr()) {
        list.push_back(expr(*each));
        depth = std::max(depth, depth_);
    }
    depth_ = depth;
    return list;
}

} // namespace oocc
