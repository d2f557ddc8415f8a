#include "lift/typing.h"

#include "lift/understand.h"

#include <algorithm>

namespace oocc::lift {

namespace {

constexpr int kIf = 0, kOr = 1, kAnd = 2, kNot = 3, kCompare = 4, kSum = 5, kProduct = 6, kSign = 7,
              kAtom = 9;

int bindsOf(const std::string &op) {
    if (op == "or") return kOr;
    if (op == "and") return kAnd;
    if (op == "+" || op == "-") return kSum;
    if (op == "*" || op == "/" || op == "%") return kProduct;
    return kCompare;
}

/// Whether oocc computing in `have` gives what the C computes in `want`: ints of scalars are 64 bits wide in oocc, and the C's
/// narrower ones must not overflow anyway.
bool serves(Type have, Type want, bool data) {
    if (have == want) return true;
    return have == Type::Int && want == Type::I32 && !data;
}

const char *spelled(Type t) {
    return t == Type::F32    ? "float"
           : t == Type::F64  ? "double"
           : t == Type::Int  ? "long"
           : t == Type::Bool ? "_Bool"
                             : "int";
}

} // namespace

/// Without the conversions that oocc makes by itself where the operand meets one of type `to`.
NodePtr Printer::stripped(const NodePtr &n, Type to) const {
    if (n->kind != Node::Convert || n->type != to) return n;
    const Type from = n->args[0]->type;
    if (from == Type::Bool) return n;
    if (isInteger(from)) return n->args[0];
    return to == Type::F32
               ? n->args[0]
               : n; // f64 scalars become f32 where they meet f32 data; `unify` looks whether they do
}

Printer::Text Printer::unify(Text &a, Text &b, Type want, const NodePtr &at) {
    Type common = a.type; // as sema's commonType
    if (a.type == b.type)
        common = a.type;
    else if (isFloat(a.type) != isFloat(b.type))
        common = isFloat(a.type) ? a.type : b.type;
    else if (a.data != b.data)
        common = a.data ? a.type : b.type;
    else if (!isFloat(a.type))
        common = Type::Int;
    else if (a.plain != b.plain)
        common = a.plain ? b.type : a.type;
    else
        common = Type::F64;
    Text result;
    result.type = common;
    result.data = (a.data && a.type == common) || (b.data && b.type == common);
    if (serves(common, want, result.data)) return result;
    if (want == Type::F64)
        refuse(at->range, "the C computes this in double, and oocc computes what is float in float",
               "make constants float ('0.5f') and scalars too ('(float)a'), or the arrays double");
    refuse(at->range,
           std::string("the C computes this in ") + spelled(want) + ", and oocc would in " + typeName(common),
           "give the operands one type");
}

Printer::Text Printer::read(const Node &n) const {
    const Array &array = kernel_.arrays[static_cast<size_t>(n.array)];
    Text t;
    t.type = valueType(array.type);
    t.data = true;
    t.binds = kAtom;
    std::string where;
    const auto comma = [&] { return where.empty() ? "" : ", "; };
    const auto temp = plan_.temps.find({n.array, n.version});
    int shown = n.array;
    if (temp != plan_.temps.end())
        t.text = names_.versions.at({n.array, n.version});
    else {
        if (n.version > 0) {
            shown = plan_.owner[static_cast<size_t>(n.array)];
            where = "t+1";
        }
        t.text = names_.arrays.at(shown);
    }
    for (size_t d = 0; d < n.offset.size(); ++d)
        if (n.offset[d] != 0)
            where += comma() + plan_.dims[d] + (n.offset[d] > 0 ? "+" : "-") +
                     std::to_string(std::abs(n.offset[d]));
    if (!where.empty()) t.text += '[' + where + ']';
    return t;
}

Printer::Text Printer::convert(const NodePtr &n, Type to) {
    const NodePtr &inner = n->args[0];
    Text t = print(inner);
    if (inner->type == Type::Bool) {
        t.text = "if " + t.text + " then 1 else 0";
        t.binds = kIf, t.type = Type::Int, t.plain = true, t.data = false;
        if (!isFloat(to)) return t;
    }
    if (isInteger(t.type) && isInteger(to)) {
        if (t.data && to != t.type)
            refuse(n->range, "an integer of an array is made wider here",
                   "make the array long, or the arithmetic int");
        return t;
    }
    if (isInteger(t.type) && to == Type::F64) {
        Text product{"1.0 * " + in(t, kProduct + 1), kProduct, Type::F64, false, false};
        return product;
    }
    if (t.plain && isFloat(t.type) && isFloat(to))
        return t; // it takes the type of what it meets, which is looked at there
    if (isFloat(t.type) && !isFloat(to))
        refuse(
            n->range,
            "a floating value becomes an integer by cutting its fraction off; oocc does not round by itself",
            "use a condition: 'a > 0.5 ? 1 : 0'");
    if (t.type == Type::F32 && to == Type::F64)
        refuse(n->range, "float becomes double here, and oocc computes what is float in float",
               "make constants float ('0.5f') and scalars too ('(float)a'), or the arrays double");
    refuse(n->range,
           std::string("a conversion to ") + spelled(to) +
               " in the midst of an expression has no counterpart in oocc",
           "give the operands one type");
}

Printer::Text Printer::operate(const NodePtr &n) {
    const int binds = bindsOf(n->text);
    Text result;
    if (binds == kAnd || binds == kOr) {
        result.text = in(print(n->args[0]), binds) + ' ' + n->text + ' ' + in(print(n->args[1]), binds + 1);
        result.type = Type::Bool;
        result.binds = binds;
        return result;
    }
    if (n->text == "&" || n->text == "xor")
        refuse(n->range, "operations on bits have no counterpart in oocc",
               n->text == "&" ? "the remainder by a power of two is written '%'" : "");
    const Type want = n->args[0]->type; // both operands have it: the C has converted them
    NodePtr x = stripped(n->args[0], want), y = stripped(n->args[1], want);
    Text a = print(x), b = print(y);
    // Both sides converted, such as (double)i / (double)n: one of them has to say so.
    if (isFloat(want) && isInteger(a.type) && isInteger(b.type)) a = convert(n->args[0], want);
    result = unify(a, b, want, n);
    if (binds == kCompare) {
        result.type = Type::Bool;
        result.data = false;
    }
    const bool negative = b.binds == kSign;
    result.text = in(a, binds == kCompare ? binds + 1 : binds) + ' ' + n->text + ' ' +
                  (negative ? '(' + b.text + ')' : in(b, binds + 1));
    result.binds = binds;
    return result;
}

Printer::Text Printer::print(const NodePtr &n) {
    Text t;
    t.type = n->type;
    t.binds = kAtom;
    switch (n->kind) {
    case Node::Number:
        t.text = n->text;
        t.plain = true;
        t.type = isFloat(n->type) ? Type::F64 : Type::Int;
        if (!t.text.empty() && t.text[0] == '-') t.binds = kSign;
        return t;
    case Node::Scalar: {
        t.text = names_.symbols.at(n->symbol);
        if (isInteger(n->type)) t.type = Type::Int;
        return t;
    }
    case Node::Step:
        t.type = Type::Int;
        t.text = "t";
        if (n->integer == 0) return t;
        t.text += (n->integer > 0 ? " + " : " - ") + std::to_string(std::abs(n->integer));
        t.binds = kSum;
        return t;
    case Node::Read:
        return read(*n);
    case Node::Series:
        t.text = names_.arrays.at(n->array) + "[t" +
                 (n->integer > 0 ? "+" + std::to_string(n->integer) : "") + "]";
        return t;
    case Node::Negate: {
        t = print(n->args[0]);
        t.plain = false;
        t.text = '-' + (t.binds == kSign ? '(' + t.text + ')' : in(t, kSign));
        t.binds = kSign;
        return t;
    }
    case Node::Not:
        t.text = "not " + in(print(n->args[0]), kNot);
        t.binds = kNot;
        t.type = Type::Bool;
        return t;
    case Node::Operate:
        return operate(n);
    case Node::Choose: {
        NodePtr x = stripped(n->args[1], n->type), y = stripped(n->args[2], n->type);
        Text a = print(x), b = print(y);
        if (n->type != Type::Bool) {
            if (isFloat(n->type) && isInteger(a.type) && isInteger(b.type)) a = convert(n->args[1], n->type);
            if (a.plain && b.plain) // nothing is computed: a number of either type
                t.type = isFloat(a.type) ? a.type : b.type;
            else
                t = unify(a, b, n->type, n);
        }
        t.text = "if " + print(n->args[0]).text + " then " + a.text + " else " + b.text;
        t.binds = kIf;
        return t;
    }
    case Node::Call: {
        std::vector<Text> args;
        for (const NodePtr &a : n->args) {
            args.push_back(print(stripped(a, n->type)));
            if (isInteger(args.back().type) && isFloat(n->type) && n->type == Type::F32)
                args.back() = convert(a, n->type);
        }
        Text &first = args[0];
        if (args.size() == 2)
            t = unify(first, args[1], n->type, n);
        else {
            t.data = first.data;
            if (isFloat(first.type) || !isFloat(n->type))
                t.type = first.type;
            else
                t.data = false;
        }
        if (args.size() == 1 && !serves(t.type, n->type, t.data))
            refuse(n->range,
                   std::string("the C computes this in ") + spelled(n->type) + ", and oocc would in " +
                       typeName(t.type),
                   n->type == Type::F64 ? "use the function for float: '" + n->text + "f'"
                                        : "give its argument that type");
        t.text = n->text + '(' + first.text + (args.size() == 2 ? ", " + args[1].text : "") + ')';
        t.binds = kAtom;
        return t;
    }
    case Node::Convert:
        return convert(n, n->type);
    }
    return t;
}

std::string Printer::assigned(const NodePtr &n, Type to) {
    const NodePtr value =
        n->kind == Node::Convert && n->type == to && n->args[0]->type != Type::Bool ? n->args[0] : n;
    const Text t = print(value);
    if (to == Type::Bool) {
        if (t.type != Type::Bool) refuse(n->range, "a number is stored into a _Bool");
        return t.text;
    }
    if (t.type == Type::Bool) return "if " + t.text + " then 1 else 0";
    if (isFloat(t.type) && !isFloat(to))
        refuse(n->range,
               "a floating value is stored into an integer array, which cuts its fraction off; oocc does not "
               "round by itself",
               "use a condition: 'a > 0.5 ? 1 : 0'");
    // A value that the C computes in the array's own type, and oocc in another: plain numbers and scalars alone.
    if (isFloat(to) && isFloat(t.type) && t.type != value->type && !t.plain)
        refuse(n->range,
               std::string("the C computes this in ") + spelled(value->type) + ", and oocc would in " +
                   typeName(t.type),
               "give the operands one type");
    return t.text;
}

std::string Printer::scalar(const NodePtr &n, Type to) {
    const Text t = print(n->kind == Node::Convert && n->type == to ? n->args[0] : n);
    if (to == Type::F64 && isInteger(t.type)) return "1.0 * " + in(t, kProduct + 1);
    return t.text;
}

std::string Printer::condition(const NodePtr &n) {
    return print(n).text;
}

std::string Printer::integer(const Poly &p) {
    std::string text;
    // Terms with symbols first, the highest degree before the others.
    std::vector<std::pair<Poly::Monomial, int64_t>> terms(p.terms().begin(), p.terms().end());
    std::ranges::stable_sort(terms,
                             [](const auto &a, const auto &b) { return a.first.size() > b.first.size(); });
    for (const auto &[monomial, factor] : terms) {
        const int64_t size = std::abs(factor);
        std::string term = monomial.empty() || size != 1 ? std::to_string(size) : "";
        for (int s : monomial) {
            const lift::Symbol &symbol = kernel_.symbols[static_cast<size_t>(s)];
            const std::string name = symbol.kind == lift::Symbol::Opaque
                                         ? in(print(symbol.value), kProduct + 1)
                                         : names_.symbols.at(s);
            term += (term.empty() ? "" : "*") + name;
        }
        if (text.empty())
            text = factor < 0 ? "-" + term : term;
        else
            text += (factor < 0 ? " - " : " + ") + term;
    }
    return text.empty() ? "0" : text;
}

} // namespace oocc::lift
