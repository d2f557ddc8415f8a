// Calls: C's mathematics, and functions whose body is there.
#include "lift/walker.h"

#include <algorithm>

namespace oocc::lift {

using namespace clang;
using clang::Expr; // and not that of the stencil

namespace {

struct Function {
    const char *c, *oocc;
    bool exact; ///< has the same bits in every library
};

constexpr Function kFunctions[] = {
    {"sqrt", "sqrt", true}, {"fabs", "abs", true},  {"abs", "abs", true},  {"labs", "abs", true}, {"floor", "floor", true},
    {"exp", "exp", false},  {"log", "log", false},  {"sin", "sin", false}, {"cos", "cos", false}, {"tan", "tan", false},
    {"tanh", "tanh", false}, {"atan2", "atan2", false}, {"pow", "pow", false}};

bool returns(const Stmt *s) {
    bool found = false;
    each(s, [&](const Stmt *part) { found = found || isa<ReturnStmt>(part); });
    return found;
}

} // namespace

NodePtr Walker::call(const CallExpr *e) {
    const SourceRange where = e->getSourceRange();
    const FunctionDecl *f = e->getDirectCallee();
    if (!f) refuse(where, "a function is called through a pointer", "call it by its name");
    const FunctionDecl *definition = nullptr;
    if (f->hasBody(definition)) return inlined(e, definition, false);
    std::string name = nameOf(f);
    if (name.starts_with("__builtin_")) name = name.substr(10);
    std::string base = name;
    if (name.size() > 1 && name.back() == 'f' && e->getType()->isSpecificBuiltinType(BuiltinType::Float))
        base.pop_back();
    const auto *known = std::ranges::find_if(kFunctions, [&](const Function &k) { return base == k.c; });
    if (base == "fmin" || base == "fmax")
        refuse(where,
               "'" + name + "' passes over nan, and oocc's " + (base == "fmin" ? "min" : "max") + " does not",
               std::string("write the condition: a ") + (base == "fmin" ? "<" : ">") + " b ? a : b");
    if (known == std::end(kFunctions))
        throw Refusal{where,
                      "'" + name + "' is called, and its body is not here",
                      "put its definition into the file (static inline), or write it out",
                      {{f->getSourceRange(), "it is declared here"}}};
    if (!known->exact) kernel_.functions.insert(known->oocc);
    Node n{Node::Call, type(e->getType(), where), where, known->oocc};
    for (const Expr *argument : e->arguments())
        n.args.push_back(number(value(argument)));
    if (base == "pow")
        refuse(where, "'pow' may be a product in oocc, whose last bit differs from C's",
               "write the product, or sqrt, exp and log");
    return make(std::move(n));
}

/// A function's value at a call, or what it does to arrays.
NodePtr Walker::inlined(const CallExpr *e, const FunctionDecl *f, bool asStatement) {
    const SourceRange where = e->getSourceRange();
    if (std::ranges::count(calls_, f)) refuse(where, "'" + nameOf(f) + "' calls itself");
    if (f->isVariadic() || e->getNumArgs() != f->getNumParams())
        refuse(where, "the number of arguments varies");
    std::vector<Value> values;
    for (unsigned i = 0; i < e->getNumArgs(); ++i) {
        const ParmVarDecl *p = f->getParamDecl(i);
        Value v;
        if (p->getType()->isPointerType()) {
            v.array = pointer(e->getArg(i));
            if (v.array < 0)
                refuse(e->getArg(i)->getSourceRange(), "this argument does not name an array",
                       "functions that set variables through pointers have side effects; return the value "
                       "instead");
        } else
            v.scalar = convert(number(value(e->getArg(i))), type(p->getType(), where), where);
        values.push_back(std::move(v));
    }
    for (unsigned i = 0; i < e->getNumArgs(); ++i)
        environment_[f->getParamDecl(i)] = values[i];
    for (unsigned i = 0; i < e->getNumArgs(); ++i) // its parameter may say what the sizes are
        if (values[i].array >= 0)
            if (Array &a = kernel_.arrays[static_cast<size_t>(values[i].array)];
                a.extents.empty() && !a.series)
                extents(a, f->getParamDecl(i)->getOriginalType(), f->getParamDecl(i));
    calls_.push_back(f);
    NodePtr result;
    if (asStatement) {
        std::vector<const Stmt *> body;
        if (const auto *c = dyn_cast<CompoundStmt>(f->getBody())) body.assign(c->body_begin(), c->body_end());
        for (const Stmt *s : body)
            if (!isa<ReturnStmt>(s) || s != body.back()) statement(s);
    } else {
        ++pure_;
        result = convert(run({f->getBody()}, where), type(f->getReturnType(), where), where);
        --pure_;
    }
    calls_.pop_back();
    return result;
}

/// What these statements return.
NodePtr Walker::run(std::vector<const Stmt *> rest, SourceRange where) {
    while (!rest.empty()) {
        const Stmt *s = rest.front();
        rest.erase(rest.begin());
        if (const auto *c = dyn_cast<CompoundStmt>(s))
            rest.insert(rest.begin(), c->body_begin(), c->body_end());
        else if (const auto *r = dyn_cast<ReturnStmt>(s)) {
            if (!r->getRetValue()) refuse(where, "this call has no value");
            return number(value(r->getRetValue()));
        } else if (const auto *i = dyn_cast<IfStmt>(s); i && returns(i)) {
            NodePtr condition = truth(value(i->getCond()));
            const auto branch = [&](const Stmt *taken) {
                const Environment before = environment_;
                std::vector<const Stmt *> body = rest;
                if (taken) body.insert(body.begin(), taken);
                NodePtr result = run(std::move(body), where);
                environment_ = before;
                return result;
            };
            const Type t = type(calls_.back()->getReturnType(), where);
            if (const auto holds = known(condition)) return convert(branch(*holds ? i->getThen() : i->getElse()), t, where);
            NodePtr a = branch(i->getThen()), b = branch(i->getElse());
            a = convert(a, t, where), b = convert(b, t, where);
            return make({Node::Choose, t, i->getSourceRange(), {}, 0, -1, -1, {condition, a, b}});
        } else
            statement(s);
    }
    refuse(where, "'" + nameOf(calls_.back()) + "' may end without a value");
}

void Walker::callStatement(const CallExpr *e) {
    const SourceRange where = e->getSourceRange();
    const FunctionDecl *f = e->getDirectCallee();
    const FunctionDecl *definition = nullptr;
    if (!f) refuse(where, "a function is called through a pointer", "call it by its name");
    if (f->hasBody(definition)) {
        if (!f->getReturnType()->isVoidType())
            refuse(where, "the value of '" + nameOf(f) + "' is not used",
                   "a function that is called for its stores returns void");
        if (!guards_.empty() || pure_ > 0)
            refuse(where, "a function that stores is called under a condition");
        inlined(e, definition, true);
        return;
    }
    if (nameOf(f) == "free" && !stepping_) return;
    const bool copy = nameOf(f) == "memcpy" || nameOf(f) == "memmove" || nameOf(f) == "memset";
    throw Refusal{where,
                  copy ? "'" + nameOf(f) + "' copies bytes"
                       : "'" + nameOf(f) + "' is called, which has effects that are not known here",
                  copy ? "write the loop over the cells"
                       : "leave it out, or put its definition into the file",
                  {{f->getSourceRange(), "it is declared here"}}};
}

} // namespace oocc::lift
