// Which element of which array an expression names.
#include "lift/walker.h"

namespace oocc::lift {

using namespace clang;
using clang::Expr; // and not that of the stencil

/// `(t + k) % M`, `(t + k) & (M-1)`, `1 - t % 2`, `t % 2 == 0` ...: M, and the slot at step 0.
std::optional<std::pair<int, int>> Walker::slot(const NodePtr &n) {
    const auto number = [](const NodePtr &a) -> std::optional<int64_t> {
        if (a->kind == Node::Number && isInteger(a->type)) return a->integer;
        return std::nullopt;
    };
    if (n->kind == Node::Convert || n->kind == Node::Scalar) {
        if (n->kind == Node::Convert) return slot(n->args[0]);
        return std::nullopt;
    }
    if (n->kind == Node::Not) {
        const auto inner = slot(n->args[0]);
        return inner && inner->first == 2 ? std::optional(std::pair(2, 1 - inner->second)) : std::nullopt;
    }
    if (n->kind != Node::Operate || n->args.size() != 2) return std::nullopt;
    const NodePtr &a = n->args[0], &b = n->args[1];
    if (n->text == "%" || n->text == "&") {
        const auto m = number(b);
        if (!m || kernel_.time < 0) return std::nullopt;
        const int64_t slots = n->text == "%" ? *m : *m + 1;
        if (slots < 2 || slots > 8 || (n->text == "&" && (slots & (slots - 1)) != 0)) return std::nullopt;
        const auto ahead = (poly(a) - Poly::of(kernel_.time)).constant();
        if (!ahead) return std::nullopt;
        return std::pair(static_cast<int>(slots), static_cast<int>(((*ahead % slots) + slots) % slots));
    }
    const bool aIsNumber = number(a).has_value();
    const auto k = aIsNumber ? number(a) : number(b);
    const auto inner = slot(aIsNumber ? b : a);
    if (!k || !inner || inner->first != 2) return std::nullopt;
    if (n->text == "-" && aIsNumber && *k == 1) return std::pair(2, 1 - inner->second);
    if (n->text == "xor" && *k == 1) return std::pair(2, 1 - inner->second);
    if ((n->text == "==" || n->text == "!=") && (*k == 0 || *k == 1))
        return std::pair(2, (n->text == "==") == (*k == 1) ? inner->second : 1 - inner->second);
    return std::nullopt;
}

/// The array that holds one slot of an array by time.
int Walker::slotted(int array, int slots, int slot) {
    const auto [at, isNew] = slots_.try_emplace({array, slots}, -1);
    if (isNew) {
        at->second = static_cast<int>(kernel_.arrays.size());
        for (int i = 0; i < slots; ++i) {
            Array part = kernel_.arrays[static_cast<size_t>(array)];
            part.name += std::to_string(i);
            if (!part.extents.empty()) part.extents.erase(part.extents.begin());
            part.outermostKnown = true;
            part.slots = slots;
            part.slot = i;
            kernel_.arrays.push_back(std::move(part));
        }
    }
    return at->second + slot;
}

Walker::Element Walker::element(const Expr *e) {
    const SourceRange where = e->getSourceRange();
    std::vector<const Expr *> indices;
    const Expr *base = e->IgnoreParens();
    while (true) {
        if (const auto *s = dyn_cast<ArraySubscriptExpr>(base)) {
            indices.insert(indices.begin(), s->getIdx());
            base = s->getBase()->IgnoreParenImpCasts();
        } else if (const auto *u = dyn_cast<UnaryOperator>(base);
                   u && u->getOpcode() == UO_Deref && indices.empty()) {
            const Expr *inside = u->getSubExpr()->IgnoreParenImpCasts();
            const auto *sum = dyn_cast<BinaryOperator>(inside);
            if (!sum || sum->getOpcode() != BO_Add)
                refuse(where, "this pointer walks over an array",
                       "write the index out: a[i], a[i*n + j] or a[i][j]");
            const bool pointerFirst = sum->getLHS()->getType()->isPointerType();
            indices.push_back(pointerFirst ? sum->getRHS() : sum->getLHS());
            base = (pointerFirst ? sum->getLHS() : sum->getRHS())->IgnoreParenImpCasts();
        } else
            break;
    }
    const auto *reference = dyn_cast<DeclRefExpr>(base);
    const auto *v = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (!v)
        refuse(where,
               isa<MemberExpr>(base) ? "an array that is a member of a struct"
                                     : "this is not an element of an array by its name",
               "pass the array as a parameter of its own, and index it by its name");
    Element result;
    if (!environment_.count(v) && v->hasGlobalStorage()) {
        const auto *list = dyn_cast_or_null<InitListExpr>(v->getAnyInitializer());
        if (list && v->getType().isConstQualified())
            environment_[v].table = list;
        else if (list && context_.getBaseElementType(v->getType()).isConstQualified())
            environment_[v].table = list;
        else {
            const int index = array(v, v->getType(), nameOf(v));
            environment_[v].array = index;
        }
    }
    const auto add = [&](const NodePtr &n) {
        const auto at = place(n, result.beyond);
        if (!at) refuseIndex(n);
        result.index.push_back(*at);
    };
    const Value &known = environment_[v];
    if (!known.unknown.empty()) refuse(base->getSourceRange(), "'" + nameOf(v) + "' " + known.unknown);
    for (const Expr *i : indices)
        if (i == indices.front() && known.array >= 0) {
            NodePtr first = number(value(i));
            if (const auto s = slot(first); s && stepping_) {
                result.array = slotted(known.array, s->first, s->second);
                continue;
            }
            add(first);
        } else
            add(number(value(i)));
    if (known.table) {
        result.table = known.table;
        return result;
    }
    if (result.array < 0) result.array = known.array;
    if (result.array < 0) refuse(base->getSourceRange(), "'" + nameOf(v) + "' is no array here");
    Array &a = kernel_.arrays[static_cast<size_t>(result.array)];
    if (result.index.empty()) refuse(where, "the whole array '" + a.name + "' where an element belongs");
    const auto isTime = [&](int s) { return s == kernel_.time; };
    for (const Poly &i : result.index) {
        if (!i.has(isTime)) continue;
        const auto ahead = (i - Poly::of(kernel_.time)).constant();
        if (result.index.size() > 1 || !ahead)
            refuse(where, "'" + a.name + "' is indexed by the number of the step",
                   "what is kept of every step is an output ('output f to \"f-{t}.npy\" every 1'); of two or "
                   "three levels that take "
                   "turns, write the index as (t+1)%2");
        if (*ahead < 0) refuse(where, "'" + a.name + "' is read at a step before the first");
        a.series = true;
        result.series = true;
        result.ahead = *ahead;
    }
    const size_t rank = a.extents.size();
    if (!result.series && rank > 0 && result.index.size() != rank)
        refuse(where, "'" + a.name + "' has " + std::to_string(rank) + " dimensions, and this is " +
                          std::to_string(result.index.size()) + " of them");
    if (rank == 0 && result.index.size() != 1)
        refuse(where, "'" + a.name + "' is an array of pointers, whose rows may lie anywhere",
               "make it an array ('double a[n][n]') or one block ('a[i*n + j]')");
    return result;
}

int Walker::pointer(const Expr *e) {
    const Expr *inside = e->IgnoreParenImpCasts();
    while (const auto *c = dyn_cast<CStyleCastExpr>(inside))
        inside = c->getSubExpr()->IgnoreParenImpCasts();
    if (const auto *u = dyn_cast<UnaryOperator>(inside); u && u->getOpcode() == UO_AddrOf)
        if (const auto *s = dyn_cast<ArraySubscriptExpr>(u->getSubExpr()->IgnoreParens()))
            if (const auto *zero = dyn_cast<IntegerLiteral>(s->getIdx()->IgnoreParenImpCasts());
                zero && zero->getValue() == 0)
                return pointer(s->getBase());
    if (const auto *s = dyn_cast<ArraySubscriptExpr>(inside)) { // u[t%2], an array of two
        const int whole = pointer(s->getBase());
        const auto at = slot(number(value(s->getIdx())));
        if (whole >= 0 && at && stepping_) return slotted(whole, at->first, at->second);
        refuse(e->getSourceRange(), "a part of an array is passed on",
               "pass the whole array, and the index beside it");
    }
    if (const auto *r = dyn_cast<DeclRefExpr>(inside))
        if (const auto *v = dyn_cast<VarDecl>(r->getDecl())) {
            if (const auto at = environment_.find(v); at != environment_.end()) {
                if (!at->second.unknown.empty())
                    refuse(e->getSourceRange(), "'" + nameOf(v) + "' " + at->second.unknown);
                return at->second.array;
            }
            if (v->hasGlobalStorage()) return environment_[v].array = array(v, v->getType(), nameOf(v));
        }
    if (const auto *b = dyn_cast<BinaryOperator>(inside); b && b->isAdditiveOp())
        refuse(e->getSourceRange(), "this pointer walks over an array",
               "pass the whole array, and add to the index instead");
    return -1;
}

} // namespace oocc::lift
