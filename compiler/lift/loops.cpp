// Loops over cells.
#include "lift/walker.h"

namespace oocc::lift {

using namespace clang;
using clang::Expr; // and not that of the stencil

Walker::Header Walker::header(const ForStmt *s) {
    Header h;
    const SourceRange where(s->getBeginLoc(), s->getRParenLoc());
    const Expr *start = nullptr;
    if (const auto *d = dyn_cast_or_null<DeclStmt>(s->getInit()); d && d->isSingleDecl()) {
        h.variable = dyn_cast<VarDecl>(d->getSingleDecl());
        start = h.variable ? h.variable->getInit() : nullptr;
    } else if (const auto *b = dyn_cast_or_null<BinaryOperator>(s->getInit());
               b && b->getOpcode() == BO_Assign) {
        h.variable = setBy(b);
        start = b->getRHS();
    }
    const char *const form = "loops are written 'for (i = 1; i < n - 1; i++)', over one variable at a time";
    if (!h.variable || !start || !h.variable->getType()->isIntegerType())
        refuse(where, "this loop has no variable that counts", form);

    // The step, 1 or -1.
    int64_t by = 0;
    if (const auto *u = dyn_cast_or_null<UnaryOperator>(s->getInc()); u && u->isIncrementDecrementOp())
        by = u->isIncrementOp() ? 1 : -1;
    else if (const auto *c = dyn_cast_or_null<BinaryOperator>(s->getInc()); c && c->isAssignmentOp()) {
        const Expr *added = c->getRHS()->IgnoreParenImpCasts();
        int sign = c->getOpcode() == BO_SubAssign ? -1 : c->getOpcode() == BO_AddAssign ? 1 : 0;
        if (const auto *sum = dyn_cast<BinaryOperator>(added);
            sum && c->getOpcode() == BO_Assign && sum->isAdditiveOp()) {
            const auto *r = dyn_cast<DeclRefExpr>(sum->getLHS()->IgnoreParenImpCasts());
            if (r && r->getDecl() == h.variable) {
                sign = sum->getOpcode() == BO_Add ? 1 : -1;
                added = sum->getRHS()->IgnoreParenImpCasts();
            }
        }
        if (sign != 0) by = sign * index(added).constant().value_or(0);
    }
    if (!s->getInc() || setBy(s->getInc()) != h.variable || by == 0)
        refuse(where, "this loop does not count its variable up or down by a number", form);
    if (by != 1 && by != -1)
        refuse(s->getInc()->getSourceRange(),
               "this loop leaves cells out: it counts by " + std::to_string(by),
               "go over all cells, with a condition: 'if ((i + j) % 2 == 0) a[i][j] = ...'");
    h.direction = static_cast<int>(by);
    each(s->getBody(), [&](const Stmt *inside) {
        if (setBy(inside) == h.variable)
            refuse(inside->getSourceRange(), "the variable of a loop is changed in it");
    });

    const auto *c = dyn_cast_or_null<BinaryOperator>(s->getCond());
    const auto isVariable = [&](const Expr *e) {
        const auto *r = dyn_cast<DeclRefExpr>(e->IgnoreParenImpCasts());
        return r && r->getDecl() == h.variable;
    };
    if (!c || !c->isComparisonOp() || (!isVariable(c->getLHS()) && !isVariable(c->getRHS())))
        refuse(where, "this loop does not end where its variable meets a bound", form);
    const bool swapped = !isVariable(c->getLHS());
    BinaryOperatorKind op = c->getOpcode();
    if (swapped) op = BinaryOperator::reverseComparisonOp(op);
    const Poly first = index(start), bound = index(swapped ? c->getLHS() : c->getRHS());
    const bool up = by > 0;
    if (up && (op == BO_LT || op == BO_NE))
        h.high = bound;
    else if (up && op == BO_LE)
        h.high = bound + 1;
    else if (!up && (op == BO_GT || op == BO_NE))
        h.low = bound + 1;
    else if (!up && op == BO_GE)
        h.low = bound;
    else
        refuse(c->getSourceRange(), "this loop ends at once or never");
    (up ? h.low : h.high) = up ? first : first + 1;
    return h;
}

/// Whether the variable says which cell is stored: it stands in the index of a store, other than as t%2.
bool Walker::isStoredBy(const Stmt *body, const VarDecl *variable, int depth) {
    bool found = false;
    const std::function<void(const Stmt *)> target = [&](const Stmt *s) {
        if (!s) return;
        const auto *b = dyn_cast<BinaryOperator>(s);
        if (b && (b->getOpcode() == BO_Rem || b->getOpcode() == BO_And)) return;
        const auto *r = dyn_cast<DeclRefExpr>(s);
        found = found || (r && r->getDecl() == variable);
        for (const Stmt *child : s->children())
            target(child);
    };
    each(body, [&](const Stmt *s) {
        if (const auto *b = dyn_cast<BinaryOperator>(s); b && b->isAssignmentOp() && !setBy(b))
            target(b->getLHS());
        const auto *c = dyn_cast<CallExpr>(s);
        const FunctionDecl *f = c ? c->getDirectCallee() : nullptr;
        const FunctionDecl *definition = nullptr;
        if (!f || depth > 8 || !f->hasBody(definition)) return;
        for (unsigned i = 0; i < c->getNumArgs() && i < definition->getNumParams(); ++i) {
            bool passed = false;
            each(c->getArg(i), [&](const Stmt *part) {
                const auto *r = dyn_cast<DeclRefExpr>(part);
                passed = passed || (r && r->getDecl() == variable);
            });
            found = found ||
                    (passed && isStoredBy(definition->getBody(), definition->getParamDecl(i), depth + 1));
        }
    });
    return found;
}

void Walker::unroll(const ForStmt *s, const Header &h) {
    const int64_t low = *h.low.constant(), high = *h.high.constant();
    constexpr int64_t kMost = 4096;
    for (int64_t k = 0; k < high - low; ++k) {
        if (++unrolled_ > kMost) refuse(s->getBeginLoc(), "this inner loop is too long to be written out");
        const int64_t i = h.direction > 0 ? low + k : high - 1 - k;
        environment_[h.variable] = {
            make({Node::Number, Type::I32, s->getSourceRange(), std::to_string(i), i}), -1, nullptr, {}};
        body(s->getBody());
    }
    environment_.erase(h.variable);
}

void Walker::loop(const ForStmt *s) {
    const Header h = header(s);
    const SourceRange where(s->getBeginLoc(), s->getRParenLoc());
    for (const Poly *bound : {&h.low, &h.high}) {
        if (bound->has([&](int x) { return kernel_.isLoop(x); }))
            refuse(where, "this loop's bounds depend on another loop: its cells are not a box",
                   "go over the box, with a condition: 'if (j <= i) a[i][j] = ...'; write tiled loops "
                   "without their tiles");
        if (bound->has([&](int x) { return x == kernel_.time; }))
            refuse(where, "this loop's bounds change from step to step",
                   "go over all cells, with a condition on t");
    }
    if (h.low.constant() && h.high.constant() && !isStoredBy(s->getBody(), h.variable)) return unroll(s, h);

    const Value outside = environment_.count(h.variable) ? environment_[h.variable] : Value{};
    const Type t = type(h.variable->getType(), where);
    const int id =
        symbol({lift::Symbol::Loop, nameOf(h.variable), t, nullptr, "", h.variable->getLocation()});
    kernel_.loops.push_back({id, h.low, h.high, h.direction, where});
    forget(s->getBody(), "is carried from one cell to the next (a sum or a recurrence over the grid)");
    environment_[h.variable] = {make({Node::Scalar, t, where, {}, 0, id}), -1, nullptr, {}};
    loops_.push_back(id);
    body(s->getBody());
    loops_.pop_back();
    forget(s->getBody(), "is what the last cell of a loop left in it");
    environment_[h.variable] = outside;
    environment_[h.variable].scalar = nullptr;
    environment_[h.variable].unknown = "is what a loop left in it";
}

} // namespace oocc::lift
