// Expressions: what they compute, conversions included.
#include "lift/walker.h"

#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>
#include <llvm/ADT/SmallString.h>

#include <charconv>
#include <cmath>

namespace oocc::lift {

using namespace clang;
using clang::Expr; // and not that of the stencil

void Walker::refuse(SourceRange at, std::string message, std::string help) const {
    throw Refusal{at, std::move(message), std::move(help), {}};
}

int Walker::symbol(lift::Symbol s) {
    kernel_.symbols.push_back(std::move(s));
    return static_cast<int>(kernel_.symbols.size()) - 1;
}

oocc::Type Walker::type(QualType t, SourceRange where) {
    const auto *builtin = t.getCanonicalType()->getAs<BuiltinType>();
    switch (builtin ? builtin->getKind() : BuiltinType::Void) {
    case BuiltinType::Bool:
        return Type::Bool;
    case BuiltinType::UChar:
        return Type::U8;
    case BuiltinType::Int:
    case BuiltinType::UInt:
        return Type::I32;
    case BuiltinType::Long:
    case BuiltinType::LongLong:
    case BuiltinType::ULong:
    case BuiltinType::ULongLong:
        return Type::Int;
    case BuiltinType::Float:
        return Type::F32;
    case BuiltinType::Double:
        return Type::F64;
    default:
        break;
    }
    refuse(where, "'" + t.getAsString() + "' has no counterpart in oocc",
           "elements and scalars are float, double, int, long, unsigned char or _Bool");
}

NodePtr Walker::number(NodePtr n) {
    return n->type == Type::Bool ? convert(n, Type::I32, n->range) : n;
}

NodePtr Walker::truth(NodePtr n) {
    if (n->type == Type::Bool) return n;
    if (n->kind == Node::Convert && n->args[0]->type == Type::Bool) return n->args[0];
    NodePtr zero = make({Node::Number, n->type, n->range, "0", 0});
    return operation("!=", Type::Bool, n, zero, n->range);
}

NodePtr Walker::convert(NodePtr n, Type to, SourceRange where) {
    if (n->type == to) return n;
    if (to == Type::Bool) return truth(n);
    if (n->kind == Node::Number && isInteger(n->type) && isInteger(to)) { // a plain number is what it is
        Node same = *n;
        same.type = to;
        return make(same);
    }
    return make({Node::Convert, to, where, {}, 0, -1, -1, {n}});
}

/// A number; under its macro's name, where that is all that the macro stands for.
NodePtr Walker::literal(const Expr *e, std::string text, int64_t integer) {
    const Type t = type(e->getType(), e->getSourceRange());
    const SourceLocation at = e->getBeginLoc();
    const SourceManager &sources = context_.getSourceManager();
    if (wishes_.macroNames && at.isMacroID() && sources.isMacroBodyExpansion(at)) {
        const std::string name = Lexer::getImmediateMacroName(at, sources, context_.getLangOpts()).str();
        const MacroInfo *macro = preprocessor_.getMacroInfo(preprocessor_.getIdentifierInfo(name));
        if (macro && macro->isObjectLike()) {
            unsigned numbers = 0, others = 0;
            for (const Token &token : macro->tokens())
                if (token.is(tok::numeric_constant))
                    ++numbers;
                else if (!token.isOneOf(tok::l_paren, tok::r_paren))
                    ++others;
            if (numbers == 1 && others == 0) {
                auto [found, isNew] = macros_.try_emplace(name, -1);
                if (isNew)
                    found->second = symbol({lift::Symbol::Parameter, name, t,
                                            make({Node::Number, t, e->getSourceRange(), text, integer}),
                                            "#define " + name, sources.getExpansionLoc(at)});
                return make({Node::Scalar, t, e->getSourceRange(), {}, 0, found->second});
            }
        }
    }
    return make({Node::Number, t, e->getSourceRange(), std::move(text), integer});
}

namespace {

/// The shortest decimal number that is this one, with a point.
std::string spelled(const llvm::APFloat &value, bool isFloat) {
    char text[64];
    const auto [end, error] = isFloat ? std::to_chars(text, text + sizeof text, value.convertToFloat())
                                      : std::to_chars(text, text + sizeof text, value.convertToDouble());
    std::string result(text, end);
    if (result.find_first_of(".e") == std::string::npos) result += ".0";
    return result;
}

/// A sign is an operator.
NodePtr floatNumber(float value, SourceRange where) {
    const bool negative = std::signbit(value);
    Node number{Node::Number, Type::F32, where};
    number.text = spelled(llvm::APFloat(negative ? -value : value), true);
    NodePtr n = make(std::move(number));
    if (!negative) return n;
    Node sign{Node::Negate, Type::F32, where};
    sign.args.push_back(n);
    return make(std::move(sign));
}

const char *spelled(BinaryOperatorKind op) {
    switch (op) {
    case BO_Add:
        return "+";
    case BO_Sub:
        return "-";
    case BO_Mul:
        return "*";
    case BO_Div:
        return "/";
    case BO_Rem:
        return "%";
    case BO_LT:
        return "<";
    case BO_GT:
        return ">";
    case BO_LE:
        return "<=";
    case BO_GE:
        return ">=";
    case BO_EQ:
        return "==";
    case BO_NE:
        return "!=";
    case BO_LAnd:
        return "and";
    case BO_LOr:
        return "or";
    case BO_And:
        return "&";
    case BO_Xor:
        return "xor";
    default:
        return nullptr;
    }
}

} // namespace

NodePtr Walker::value(const Expr *e) {
    const SourceRange where = e->getSourceRange();
    if (const auto *p = dyn_cast<ParenExpr>(e)) return value(p->getSubExpr());
    if (const auto *c = dyn_cast<ConstantExpr>(e)) return value(c->getSubExpr());
    if (const auto *l = dyn_cast<IntegerLiteral>(e)) {
        if (l->getValue().getActiveBits() > 63) refuse(where, "this number is too large for a 64-bit int");
        const auto integer = static_cast<int64_t>(l->getValue().getZExtValue());
        return literal(e, std::to_string(integer), integer);
    }
    if (const auto *l = dyn_cast<FloatingLiteral>(e))
        return literal(e, spelled(l->getValue(), type(e->getType(), where) == Type::F32), 0);
    if (const auto *c = dyn_cast<CastExpr>(e)) {
        switch (c->getCastKind()) {
        case CK_LValueToRValue:
            return load(c->getSubExpr());
        case CK_NoOp:
            return value(c->getSubExpr());
        case CK_IntegralCast:
        case CK_FloatingCast:
        case CK_IntegralToFloating:
        case CK_FloatingToIntegral:
        case CK_IntegralToBoolean:
        case CK_FloatingToBoolean:
            return convert(value(c->getSubExpr()), type(c->getType(), where), where);
        default:
            refuse(where, "this conversion has no counterpart in oocc");
        }
    }
    if (const auto *u = dyn_cast<UnaryOperator>(e)) {
        if (u->getOpcode() == UO_Plus) return number(value(u->getSubExpr()));
        if (u->getOpcode() == UO_Minus) {
            NodePtr a = number(value(u->getSubExpr()));
            return make({Node::Negate, a->type, where, {}, 0, -1, -1, {a}});
        }
        if (u->getOpcode() == UO_LNot) return inverted(truth(value(u->getSubExpr())));
        refuse(where,
               "'" + UnaryOperator::getOpcodeStr(u->getOpcode()).str() +
                   "' inside an expression has no counterpart",
               u->isIncrementDecrementOp() ? "make it a statement of its own" : "");
    }
    if (const auto *b = dyn_cast<BinaryOperator>(e)) {
        const char *op = spelled(b->getOpcode());
        if (!op)
            refuse(where, "'" + b->getOpcodeStr().str() + "' inside an expression has no counterpart",
                   b->isAssignmentOp() ? "make it a statement of its own" : "");
        NodePtr l = value(b->getLHS());
        if (b->isLogicalOp()) {
            l = truth(l);
            const auto holds = known(l);
            if (holds && (*holds != 0) == (b->getOpcode() == BO_LOr)) return l; // the other is not looked at
            return logical(op, l, truth(value(b->getRHS())), where);
        }
        NodePtr r = value(b->getRHS());
        l = number(l), r = number(r);
        if (b->isComparisonOp()) return operation(op, Type::Bool, l, r, where);
        NodePtr n = operation(op, type(b->getType(), where), l, r, where);
        // Of numbers of `float` alone oocc would compute in double: there is no other way to write one.
        const auto single = knownFloat(n);
        return single && std::isfinite(*single) ? floatNumber(*single, where) : n;
    }
    if (const auto *c = dyn_cast<ConditionalOperator>(e)) {
        NodePtr condition = truth(value(c->getCond()));
        if (const auto holds = known(condition))
            return convert(number(value(*holds ? c->getTrueExpr() : c->getFalseExpr())), type(c->getType(), where), where);
        NodePtr a = value(c->getTrueExpr()), b = value(c->getFalseExpr());
        if (a->type != b->type) a = number(a), b = number(b);
        return make({Node::Choose, a->type, where, {}, 0, -1, -1, {condition, a, b}});
    }
    if (const auto *c = dyn_cast<CallExpr>(e)) return call(c);
    if (const auto *r = dyn_cast<DeclRefExpr>(e))
        if (const auto *constant = dyn_cast<EnumConstantDecl>(r->getDecl())) {
            const int64_t integer = constant->getInitVal().getExtValue();
            return make({Node::Number, Type::I32, where, std::to_string(integer), integer});
        }
    refuse(where, "this expression has no counterpart in oocc",
           "a step is made of arithmetic, conditions and reads of arrays");
}

NodePtr Walker::load(const Expr *e) {
    e = e->IgnoreParens();
    if (const auto *r = dyn_cast<DeclRefExpr>(e))
        if (const auto *v = dyn_cast<VarDecl>(r->getDecl())) return variable(v, e);
    if (isa<MemberExpr>(e))
        refuse(e->getSourceRange(), "a member of a struct is read",
               "make it a parameter of the function, or a global constant");
    const Element at = element(e);
    const SourceRange where = e->getSourceRange();
    if (at.table) { // of a constant array: the number itself
        const Expr *entry = at.table;
        for (const Poly &i : at.index) {
            const auto *list = dyn_cast<InitListExpr>(entry);
            const std::optional<int64_t> n = i.constant();
            if (!n)
                refuse(where,
                       "this element of a table is not known before the run: its index is not a number",
                       "make the table an array as large as the grid, and a parameter");
            if (!list || *n < 0 || *n >= static_cast<int64_t>(list->getNumInits()))
                refuse(where, "this element of the table has no value");
            entry = list->getInit(static_cast<unsigned>(*n));
        }
        return value(entry);
    }
    const Array &a = kernel_.arrays[static_cast<size_t>(at.array)];
    if (at.series) return make({Node::Series, a.type, where, {}, at.ahead, -1, at.array});
    Node read{Node::Read, a.type, where, {}, 0, -1, at.array};
    read.index = at.index;
    read.loops = loops_;
    read.beyond = at.beyond;
    read.order = order();
    NodePtr n = make(std::move(read));
    return n;
}

NodePtr Walker::variable(const VarDecl *v, const Expr *e) {
    const SourceRange where = e->getSourceRange();
    const auto found = environment_.find(v);
    if (found != environment_.end()) {
        if (!found->second.unknown.empty()) refuse(where, "'" + nameOf(v) + "' " + found->second.unknown);
        if (found->second.scalar) return found->second.scalar;
        refuse(where, "a pointer is used as a number");
    }
    if (!v->hasGlobalStorage()) refuse(where, "'" + nameOf(v) + "' has no value here");
    const Type t = type(v->getType(), where);
    NodePtr initial;
    const Expr *init = v->getAnyInitializer();
    if (init && !init->isValueDependent()) initial = value(init);
    const int s = symbol({lift::Symbol::Parameter, nameOf(v), t, initial,
                          v->getType().isConstQualified() ? "constant of the file" : "variable of the file",
                          v->getLocation()});
    NodePtr n = make({Node::Scalar, t, where, {}, 0, s});
    environment_[v].scalar = n;
    return n;
}

Poly Walker::poly(const NodePtr &n) {
    if (auto p = polynomial(kernel_, n)) return *p;
    refuseIndex(n);
}

void Walker::refuseIndex(const NodePtr &n) const {
    refuse(n->range,
           isInteger(n->type)
               ? "this index or bound is not affine: it is no sum of loop variables, parameters and numbers"
               : "this index or bound is not a whole number",
           "oocc reads cells at constant distances; what depends on data is a condition or a factor");
}

} // namespace oocc::lift
