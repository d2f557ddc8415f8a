// Statements: what they change.
#include "lift/walker.h"

namespace oocc::lift {

using namespace clang;
using clang::Expr; // and not that of the stencil

void each(const Stmt *s, const std::function<void(const Stmt *)> &visit) {
    if (!s) return;
    visit(s);
    for (const Stmt *child : s->children())
        each(child, visit);
}

const VarDecl *setBy(const Stmt *s) {
    const Expr *target = nullptr;
    if (const auto *b = dyn_cast<BinaryOperator>(s); b && b->isAssignmentOp()) target = b->getLHS();
    if (const auto *u = dyn_cast<UnaryOperator>(s); u && u->isIncrementDecrementOp())
        target = u->getSubExpr();
    const auto *r = target ? dyn_cast<DeclRefExpr>(target->IgnoreParens()) : nullptr;
    return r ? dyn_cast<VarDecl>(r->getDecl()) : nullptr;
}

/// What the body sets is unknown where the body begins again, and where it has ended.
void Walker::forget(const Stmt *body, const std::string &why) {
    each(body, [&](const Stmt *s) {
        const VarDecl *v = setBy(s);
        if (!v) return;
        const auto at = environment_.find(v);
        if (at != environment_.end() && at->second.array < 0) at->second = {nullptr, -1, nullptr, why};
    });
}

void Walker::statement(const Stmt *s) {
    if (!s || isa<NullStmt>(s)) return;
    if (const auto *c = dyn_cast<CompoundStmt>(s)) {
        for (const Stmt *part : c->body())
            statement(part);
        return;
    }
    if (const auto *d = dyn_cast<DeclStmt>(s)) {
        for (const Decl *each : d->decls())
            if (const auto *v = dyn_cast<VarDecl>(each)) declare(v);
        return;
    }
    if (const auto *f = dyn_cast<ForStmt>(s)) return loop(f);
    if (const auto *i = dyn_cast<IfStmt>(s)) return choose(i);
    if (const auto *a = dyn_cast<AttributedStmt>(s)) return statement(a->getSubStmt());
    if (const auto *e = dyn_cast<Expr>(s)) {
        e = e->IgnoreParens();
        if (const auto *c = dyn_cast<CastExpr>(e); c && c->getCastKind() == CK_ToVoid) return;
        if (const auto *b = dyn_cast<BinaryOperator>(e)) {
            if (b->isAssignmentOp()) return assign(b);
            if (b->getOpcode() == BO_Comma) return statement(b->getLHS()), statement(b->getRHS());
        }
        if (const auto *u = dyn_cast<UnaryOperator>(e); u && u->isIncrementDecrementOp()) return step(u);
        if (const auto *c = dyn_cast<CallExpr>(e)) return callStatement(c);
        refuse(s->getSourceRange(), "this statement computes a value that nothing uses", "leave it out");
    }
    if (isa<WhileStmt, DoStmt>(s))
        refuse(s->getBeginLoc(), "a loop that is no 'for' with bounds known before it begins",
               "a fixed number of steps is written 'for (t = 0; t < T; t++)'; until something has become "
               "small, lift the 'for' and add a "
               "monitor and 'stop when' to the program");
    if (isa<BreakStmt, ContinueStmt, GotoStmt, LabelStmt, SwitchStmt>(s))
        refuse(s->getBeginLoc(), "control that leaves the order of the loops",
               "a step happens at every cell: write a condition, 'if (...) a[i] = ...'; a step that ends the "
               "run early is a monitor and "
               "'stop when' in the program");
    if (isa<ReturnStmt>(s)) refuse(s->getSourceRange(), "the function returns in the midst of its loops");
    refuse(s->getSourceRange(), "this statement has no counterpart in oocc");
}

void Walker::declare(const VarDecl *v) {
    const SourceRange where = v->getSourceRange();
    const QualType t = v->getType();
    if (v->isStaticLocal() && !t.isConstQualified() && !t->isArrayType())
        refuse(where, "'" + nameOf(v) + "' keeps its value from call to call", "make it a parameter");
    if (t->isArrayType()) {
        const auto *list = dyn_cast_or_null<InitListExpr>(v->getInit());
        if (list) {
            environment_[v].table = list;
            return;
        }
        if (!loops_.empty())
            refuse(where, "an array of its own for every cell", "write its elements as scalars");
        const int index = array(v, t, nameOf(v));
        kernel_.arrays[static_cast<size_t>(index)].local = !v->isStaticLocal();
        environment_[v].array = index;
        if (!stepping_) outer_.push_back(v);
        return;
    }
    if (t->isPointerType()) {
        const Expr *init = v->getInit();
        if (!init) {
            environment_[v] = {nullptr, -1, nullptr, "is a pointer that points nowhere yet"};
            return;
        }
        const Expr *inside = init->IgnoreParenCasts();
        if (const auto *c = dyn_cast<CallExpr>(inside)) {
            const FunctionDecl *f = c->getDirectCallee();
            const std::string called = f ? nameOf(f) : "";
            if (called != "malloc" && called != "calloc" && called != "aligned_alloc")
                refuse(init->getSourceRange(),
                       "an array from a function that is not malloc, calloc or aligned_alloc");
            const int index = array(v, t, nameOf(v));
            Array &a = kernel_.arrays[static_cast<size_t>(index)];
            a.local = a.restricted = true;
            a.filled = called == "calloc";
            environment_[v].array = index;
        } else {
            const int index = pointer(init);
            if (index < 0) refuse(init->getSourceRange(), "this pointer does not name an array");
            environment_[v].array = index;
            Array &a = kernel_.arrays[static_cast<size_t>(index)];
            if (a.extents.empty()) extents(a, t, v);
        }
        if (!stepping_) outer_.push_back(v);
        return;
    }
    if (!v->getInit()) {
        environment_[v] = {nullptr, -1, nullptr, "has no value yet"};
        return;
    }
    set(v, number(value(v->getInit())));
}

/// A scalar's new value. Before the loop over time it is a value of the whole run, under its name.
void Walker::set(const VarDecl *v, NodePtr value) {
    const Type t = type(v->getType(), v->getSourceRange());
    value = convert(value, t, value->range);
    if (!stepping_ && t != Type::Bool && calls_.empty()) {
        const int s = symbol({lift::Symbol::Value, nameOf(v), t, value, "", v->getLocation()});
        value = make({Node::Scalar, t, value->range, {}, 0, s});
    }
    environment_[v] = {std::move(value), -1, nullptr, {}};
}

void Walker::step(const UnaryOperator *e) {
    const VarDecl *v = setBy(e);
    if (!v || v->getType()->isPointerType())
        refuse(e->getSourceRange(),
               v ? "this pointer walks over an array" : "an element of an array is counted up in place",
               v ? "write the index out: a[i], a[i*n + j] or a[i][j]" : "write a[i] += 1");
    NodePtr now = variable(v, e->getSubExpr());
    set(v, operation(e->isIncrementOp() ? "+" : "-", now->type, now,
                     make({Node::Number, now->type, e->getSourceRange(), "1", 1}), e->getSourceRange()));
}

void Walker::assign(const BinaryOperator *e) {
    const Expr *left = e->getLHS()->IgnoreParens();
    const SourceRange where = e->getSourceRange();
    const VarDecl *v = setBy(e);
    if (left->getType()->isPointerType()) {
        if (!v || e->getOpcode() != BO_Assign)
            refuse(where, "this pointer walks over an array",
                   "write the index out: a[i], a[i*n + j] or a[i][j]");
        if (!loops_.empty() || !guards_.empty())
            refuse(where, "a pointer changes from cell to cell", "swap pointers between the loops");
        const int index = pointer(e->getRHS());
        if (index < 0) refuse(e->getRHS()->getSourceRange(), "this pointer does not name an array");
        if (v->hasGlobalStorage())
            refuse(where, "the pointer '" + nameOf(v) + "' of the file is set", "make it a parameter");
        environment_[v] = {nullptr, index, nullptr, {}};
        return;
    }
    NodePtr right = number(value(e->getRHS()));
    if (const auto *c = dyn_cast<CompoundAssignOperator>(e)) {
        const Type in = type(c->getComputationLHSType(), where);
        NodePtr old = convert(number(load(left)), in, left->getSourceRange());
        std::string op =
            BinaryOperator::getOpcodeStr(BinaryOperator::getOpForCompoundAssignment(c->getOpcode())).str();
        if (op.size() != 1 || std::string("+-*/%").find(op) == std::string::npos)
            refuse(where, "'" + e->getOpcodeStr().str() + "' has no counterpart in oocc");
        right = operation(op, type(c->getComputationResultType(), where), old, right, where);
    }
    if (v) {
        if (v->hasGlobalStorage() && !v->isStaticLocal())
            refuse(where, "the variable '" + nameOf(v) + "' of the file is set", "make it a local variable");
        set(v, right);
        return;
    }
    store(left, right, where);
}

void Walker::store(const Expr *target, NodePtr value, SourceRange where) {
    if (isa<MemberExpr>(target))
        refuse(where, "a member of a struct is set", "make it a local variable or an array of its own");
    if (pure_ > 0)
        refuse(where,
               "'" + nameOf(calls_.back()) +
                   "' is called for its value and stores into an array as well (a side effect)",
               "return the value alone, and store it where the function is called");
    if (!stepping_)
        refuse(where, "a store before the loop over time",
               "initial values come from files ('init'): fill arrays in another function");
    const Element at = element(target);
    if (at.table) refuse(where, "an element of a table of numbers is set");
    Array &a = kernel_.arrays[static_cast<size_t>(at.array)];
    if (!at.beyond.empty())
        refuse(where, "'" + a.name + "' is stored at a cell that an edge decides on", "store at the variables of the loops, and read beyond the faces");
    if (at.series)
        refuse(where, "'" + a.name + "' gets one value per step",
               "what is kept of every step is a monitor or a record");
    a.readOnly = false;
    Store s;
    s.array = at.array;
    s.index = at.index;
    s.loops = loops_;
    s.value = convert(std::move(value), a.type, where);
    s.guards = guards_;
    s.branches = branches_;
    s.order = order();
    s.where = where;
    kernel_.stores.push_back(std::move(s));
}

namespace {

/// What is done before `continue`, when that is how the branch ends.
std::optional<ArrayRef<Stmt *>> beforeContinue(const Stmt *branch) {
    if (isa<ContinueStmt>(branch)) return ArrayRef<Stmt *>();
    const auto *c = dyn_cast<CompoundStmt>(branch);
    if (!c || c->body_empty() || !isa<ContinueStmt>(c->body_back())) return std::nullopt;
    return ArrayRef<Stmt *>(const_cast<CompoundStmt *>(c)->body_begin(), c->size() - 1);
}

} // namespace

/// What a loop does at a cell, or for an offset: after `if (...) continue;` what is left is for the others.
void Walker::body(const Stmt *s) {
    auto *c = const_cast<CompoundStmt *>(dyn_cast<CompoundStmt>(s));
    c ? body(ArrayRef<Stmt *>(c->body_begin(), c->size())) : statement(s);
}

void Walker::body(ArrayRef<Stmt *> parts) {
    for (; !parts.empty(); parts = parts.drop_front()) {
        const auto *i = dyn_cast<IfStmt>(parts.front());
        const auto before = i && !i->getElse() ? beforeContinue(i->getThen()) : std::nullopt;
        if (!before) {
            statement(parts.front());
            continue;
        }
        return choose(i, [&] { body(*before); }, [&] { body(parts.drop_front()); });
    }
}

void Walker::choose(const IfStmt *s) {
    choose(s, [&] { statement(s->getThen()); }, [&] { statement(s->getElse()); });
}

/// Both branches, one after the other; what they set is chosen by the condition. The one that is taken, where that is known.
void Walker::choose(const IfStmt *s, const std::function<void()> &yes, const std::function<void()> &no) {
    NodePtr condition = truth(value(s->getCond()));
    if (const auto holds = known(condition)) return *holds ? yes() : no();
    const Environment before = environment_;
    guards_.push_back(condition);
    branches_.push_back(++ifs_);
    yes();
    Environment then = std::move(environment_);
    environment_ = before;
    guards_.back() = inverted(condition);
    branches_.back() = -branches_.back();
    no();
    guards_.pop_back();
    branches_.pop_back();
    for (auto &[v, old] : before) {
        Value &a = then[v], &b = environment_[v];
        if (a.array != b.array)
            refuse(s->getSourceRange(), "a pointer depends on a condition",
                   "write the loops twice, or t%2 as an index");
        if (a.scalar == b.scalar) continue;
        if (!a.scalar || !b.scalar)
            b = {nullptr, -1, nullptr, "has a value in one branch of the 'if' only"};
        else
            b.scalar = make({Node::Choose,
                             a.scalar->type,
                             s->getSourceRange(),
                             {},
                             0,
                             -1,
                             -1,
                             {condition, a.scalar, b.scalar}});
    }
}

} // namespace oocc::lift
