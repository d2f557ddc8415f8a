// A function as a whole: its parameters, its loop over time, which array is which after a step.
#include "lift/walker.h"

#include <clang/AST/TypeLoc.h>

#include <algorithm>
#include <numeric>

namespace oocc::lift {

using namespace clang;
using clang::Expr; // and not that of the stencil

namespace {

/// The sizes of an array as they are written, so that macros keep their names; fewer where a typedef hides them.
std::vector<const Expr *> writtenSizes(const VarDecl *v) {
    std::vector<const Expr *> sizes;
    if (!v->getTypeSourceInfo()) return sizes;
    TypeLoc at = v->getTypeSourceInfo()->getTypeLoc();
    while (at) {
        at = at.getUnqualifiedLoc();
        if (const auto adjusted = at.getAs<AdjustedTypeLoc>())
            at = adjusted.getOriginalLoc();
        else if (const auto parens = at.getAs<ParenTypeLoc>())
            at = parens.getInnerLoc();
        else if (const auto pointer = at.getAs<PointerTypeLoc>())
            at = pointer.getPointeeLoc();
        else if (const auto level = at.getAs<ArrayTypeLoc>()) {
            sizes.push_back(level.getSizeExpr());
            at = level.getElementLoc();
        } else
            break;
    }
    return sizes;
}

} // namespace

/// The sizes that an array's type gives. Of a parameter, or a pointer to rows, the first is not part of the type.
void Walker::extents(Array &a, QualType t, const VarDecl *v) {
    const std::vector<const Expr *> written = writtenSizes(v);
    if (const auto *p = t->getAs<PointerType>(); p && !isa<DecayedType>(t)) {
        t = p->getPointeeType();
        if (!t->isArrayType()) return;
        a.extents.emplace_back(0);
        a.outermostKnown = false;
    }
    size_t levels = 0;
    for (const ArrayType *level = context_.getAsArrayType(t); level;
         level = context_.getAsArrayType(level->getElementType()))
        ++levels;
    size_t i = 0;
    for (const ArrayType *level = context_.getAsArrayType(t); level;
         level = context_.getAsArrayType(level->getElementType()), ++i) {
        const Expr *size = written.size() == levels ? written[i] : nullptr;
        const auto *fixed = dyn_cast<ConstantArrayType>(level);
        if (const auto *v = dyn_cast<VariableArrayType>(level)) size = v->getSizeExpr();
        if (size && (!fixed || wishes_.macroNames))
            a.extents.push_back(index(size));
        else if (fixed)
            a.extents.emplace_back(static_cast<int64_t>(fixed->getSize().getZExtValue()));
        else {
            a.outermostKnown = false;
            a.extents.emplace_back(0);
        }
    }
    if (a.extents.size() == 1 && !a.outermostKnown) a.extents.clear(); // double a[]: flat
}

int Walker::array(const VarDecl *v, QualType t, const std::string &name) {
    Array a;
    a.name = name;
    a.where = v->getSourceRange();
    const auto *p = dyn_cast<ParmVarDecl>(v);
    const QualType original = p ? p->getOriginalType() : t;
    a.declaredAsArray = original->isArrayType();
    a.restricted = t.isRestrictQualified();
    QualType element = original;
    while (true)
        if (const auto *level = context_.getAsArrayType(element))
            element = level->getElementType();
        else if (element->isPointerType())
            element = element->getPointeeType();
        else
            break;
    a.type = type(element, a.where);
    if (element->isUnsignedIntegerType() && a.type != Type::U8 && a.type != Type::Bool)
        refuse(a.where, "elements of type '" + element.getAsString() + "' have no counterpart in oocc",
               "use int or long");
    extents(a, original, v);
    kernel_.arrays.push_back(std::move(a));
    return static_cast<int>(kernel_.arrays.size()) - 1;
}

void Walker::parameter(const ParmVarDecl *p) {
    const QualType t = p->getType();
    if (t->isPointerType()) {
        environment_[p].array = array(p, t, nameOf(p));
        outer_.push_back(p);
        return;
    }
    if (t->isRecordType()) {
        environment_[p].unknown = "is a struct; make its members parameters of their own";
        return;
    }
    const Type own = type(t, p->getSourceRange());
    const int s = symbol({lift::Symbol::Parameter, nameOf(p), own, nullptr, "", p->getLocation()});
    environment_[p].scalar = make({Node::Scalar, own, p->getSourceRange(), {}, 0, s});
}

/// What the pointers name when a step has ended says which array takes which one's place.
void Walker::rotate(const Environment &before, const std::vector<const Stmt *> &body) {
    std::vector<int> &after = kernel_.after;
    after.assign(kernel_.arrays.size(), -1);
    std::set<const VarDecl *> used;
    for (const Stmt *s : body)
        each(s, [&](const Stmt *part) {
            if (const auto *r = dyn_cast<DeclRefExpr>(part))
                if (const auto *v = dyn_cast<VarDecl>(r->getDecl())) used.insert(v);
        });
    for (const VarDecl *v : outer_) {
        const auto old = before.find(v);
        if (!used.count(v) || old == before.end() || old->second.array < 0) continue;
        const int a = old->second.array, b = environment_[v].array;
        int &now = after[static_cast<size_t>(a)];
        if (now >= 0 && now != b)
            refuse(v->getSourceRange(),
                   "'" + nameOf(v) +
                       "' and another pointer name the same array before a step, and different ones after it",
                   "use one name for each array in the loop over time");
        now = b;
    }
    for (const auto &[key, first] : slots_)
        for (int i = 0; i < key.second; ++i)
            after[static_cast<size_t>(first + i)] = first + (i + 1) % key.second;
    for (size_t a = 0; a < after.size(); ++a)
        if (after[a] < 0) after[a] = static_cast<int>(a);
    swap();
    std::vector<int> sorted = after;
    std::ranges::sort(sorted);
    for (size_t a = 0; a < sorted.size(); ++a)
        if (sorted[a] != static_cast<int>(a)) {
            const auto twice = std::ranges::adjacent_find(sorted);
            const Array &both = kernel_.arrays[static_cast<size_t>(twice == sorted.end() ? 0 : *twice)];
            refuse(both.where,
                   "after a step two pointers name '" + both.name + "', and one array has no name any more",
                   "swap pointers through a third: tmp = a; a = b; b = tmp;");
        }
}

/// --swap A,B: the caller swaps them after each call.
void Walker::swap() {
    const auto find = [&](const std::string &name) {
        for (size_t a = 0; a < kernel_.arrays.size(); ++a)
            if (kernel_.arrays[a].name == name) return a;
        throw Refusal{{},
                      "there is no array '" + name + "' that the function uses, to be swapped",
                      "--swap takes two arrays of the function",
                      {}};
    };
    for (const auto &[a, b] : wishes_.swaps)
        std::swap(kernel_.after[find(a)], kernel_.after[find(b)]);
}

/// Of two names for one array, a store through one would change what the other reads.
void Walker::checkAliases() {
    const std::vector<Array> &arrays = kernel_.arrays;
    bool noted = false;
    for (size_t a = 0; a < arrays.size(); ++a)
        for (size_t b = a + 1; b < arrays.size(); ++b) {
            const Array &x = arrays[a], &y = arrays[b];
            if (x.where.getBegin() == y.where.getBegin() || x.local || y.local ||
                (x.readOnly && y.readOnly) || x.type != y.type)
                continue;
            if (x.restricted || y.restricted) continue;
            if (x.declaredAsArray &&
                y.declaredAsArray) { // the C promises it no more than of pointers, but means it
                if (!noted)
                    kernel_.notes.push_back("assumed: arrays that are declared as arrays are different ones");
                noted = true;
                continue;
            }
            if (wishes_.assumeNoAlias) {
                if (!noted)
                    kernel_.notes.push_back(
                        "assumed: no two of the function's pointers name the same memory (--assume-noalias)");
                noted = true;
                continue;
            }
            const Array &written = x.readOnly ? y : x, &other = x.readOnly ? x : y;
            throw Refusal{written.where,
                          "'" + written.name + "' and '" + other.name +
                              "' may be the same memory: what is stored into '" + written.name +
                              "' could change what is read of '" + other.name + "'",
                          "declare them restrict ('" +
                              std::string(typeName(written.type) == std::string("f32") ? "float" : "double") +
                              " *restrict " + written.name +
                              "') or as arrays, or promise it with --assume-noalias",
                          {{other.where, "'" + other.name + "' is declared here"}}};
        }
}

void Walker::overTime(const ForStmt *s) {
    const Header h = header(s);
    const SourceRange where(s->getBeginLoc(), s->getRParenLoc());
    const auto first = h.low.constant();
    if (!first || h.direction < 0)
        refuse(where, "the loop over time begins at no fixed number, or counts down",
               "write it 'for (t = 0; t < T; t++)'");
    kernel_.firstStep = *first;
    kernel_.steps = h.high - h.low;
    const Type t = type(h.variable->getType(), where);
    kernel_.time =
        symbol({lift::Symbol::Time, nameOf(h.variable), t, nullptr, "", h.variable->getLocation()});
    forget(s->getBody(), "is carried from one step to the next");
    environment_[h.variable] = {make({Node::Step, t, where, {}, *first}), -1, nullptr, {}};
    stepping_ = true;
    const Environment before = environment_;
    statement(s->getBody());
    stepping_ = false;
    rotate(before, {s->getBody()});
    forget(s->getBody(), "is what the last step left in it");
}

Kernel Walker::walk(const FunctionDecl &function) {
    const SourceManager &sources = context_.getSourceManager();
    kernel_.name = function.getNameAsString();
    kernel_.file = sources.getFilename(sources.getExpansionLoc(function.getLocation())).str();
    kernel_.line = sources.getExpansionLineNumber(function.getLocation());
    for (const ParmVarDecl *p : function.parameters())
        parameter(p);
    std::vector<const Stmt *> body;
    const std::function<void(const Stmt *)> flatten = [&](const Stmt *s) {
        if (const auto *c = dyn_cast<CompoundStmt>(s))
            for (const Stmt *part : c->body())
                flatten(part);
        else
            body.push_back(s);
    };
    flatten(function.getBody());
    const auto isOverTime = [&](const Stmt *s) {
        const auto *f = dyn_cast<ForStmt>(s);
        if (!f) return false;
        const VarDecl *v = f->getInc() ? setBy(f->getInc()) : nullptr;
        return v && !isStoredBy(f->getBody(), v);
    };
    const auto first = std::ranges::find_if(body, isOverTime);
    if (first != body.end()) {
        for (auto s = body.begin(); s != first; ++s)
            statement(*s);
        overTime(cast<ForStmt>(*first));
        for (auto s = first + 1; s != body.end(); ++s) {
            if (isOverTime(*s))
                throw Refusal{(*s)->getBeginLoc(),
                              "a second loop over time",
                              "lift functions with one; make two of this one",
                              {{(*first)->getBeginLoc(), "this is the first"}}};
            const auto *r = dyn_cast<ReturnStmt>(*s);
            if (r && (!r->getRetValue() || r->getRetValue()->isIntegerConstantExpr(context_))) continue;
            statement(*s);
        }
    } else { // the function is one step
        auto s = body.begin();
        for (; s != body.end() && isa<DeclStmt>(*s); ++s)
            statement(*s);
        stepping_ = true;
        const Environment before = environment_;
        const std::vector<const Stmt *> rest(s, body.end());
        for (const Stmt *part : rest)
            if (!isa<ReturnStmt>(part) || part != rest.back()) statement(part);
        rotate(before, rest);
        kernel_.steps = 1;
        if (!wishes_.swaps.empty()) // the caller's loop, whose number of steps is not here
            kernel_.steps =
                Poly::of(symbol({lift::Symbol::Parameter, "steps", Type::Int, nullptr, "calls", {}}));
    }
    if (kernel_.stores.empty())
        refuse(function.getLocation(), "'" + kernel_.name + "' stores into no array in its loops",
               "name the function that has the loops over cells, with --function");
    checkAliases();
    if (wishes_.sameRims) {
        kernel_.sameRims = true;
        kernel_.notes.push_back(
            "assumed: arrays that are swapped begin alike in the cells that no loop stores (--same-rims)");
    }
    for (const auto &[key, index] : slots_)
        for (int i = 0; i < key.second; ++i)
            kernel_.notes.push_back(kernel_.arrays[static_cast<size_t>(index + i)].name + " is " +
                                    kernel_.arrays[static_cast<size_t>(key.first)].name + "[" +
                                    (i ? "(t + " + std::to_string(i) + ")" : "t") + " % " +
                                    std::to_string(key.second) + "], t steps after the first");
    return std::move(kernel_);
}

} // namespace oocc::lift
