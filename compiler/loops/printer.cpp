// The loops without C's clutter: ranges as [lo, hi), no types, no tables.
#include "loops/loops.h"

#include <ostream>

namespace oocc::loops {

namespace {

const char *symbol(Op op) {
    static const char *const symbols[] = {" or ", " and ", " | ", " & ", " == ", " != ", " < ", " <= ",
                                          " > ",  " >= ",  " + ", " - ", " * ",  " / ",  " % "};
    return symbols[static_cast<int>(op)];
}

std::string show(const E &expr) {
    struct Visitor {
        std::string operator()(const Int &e) { return std::to_string(e.value); }
        std::string operator()(const Real &e) {
            std::string text = std::to_string(e.value);
            return text.substr(0, text.find_last_not_of('0') + 2);
        }
        std::string operator()(const Bool &e) { return e.value ? "true" : "false"; }
        std::string operator()(const Text &e) { return "\"" + e.value + "\""; }
        std::string operator()(const Name &e) { return e.name; }
        std::string operator()(const Unary &e) { return e.op + group(e.a); }
        std::string operator()(const Binary &e) {
            const bool product = e.op == Op::Mul || e.op == Op::Div || e.op == Op::Mod;
            return (product ? group(e.a) : show(e.a)) + symbol(e.op) +
                   (product || e.op == Op::Sub ? group(e.b) : show(e.b));
        }
        std::string operator()(const Cond &e) {
            return "if " + show(e.condition) + " then " + show(e.a) + " else " + show(e.b);
        }
        std::string operator()(const Call &e) {
            std::string text = e.function + "(";
            for (size_t i = 0; i < e.args.size(); ++i)
                text += (i ? ", " : "") + show(e.args[i]);
            return text + ")";
        }
        std::string operator()(const Index &e) { return group(e.base) + "[" + show(e.index) + "]"; }
        std::string operator()(const CastTo &e) {
            return e.type == "void" ? "" : e.type + "(" + show(e.a) + ")";
        }

        static std::string group(const E &e) {
            const bool compound =
                std::holds_alternative<Binary>(e->node) || std::holds_alternative<Cond>(e->node);
            return compound ? "(" + show(e) + ")" : show(e);
        }
    };
    return std::visit(Visitor{}, expr->node);
}

void print(std::ostream &out, const Body &body, int depth);

struct StatementPrinter {
    std::ostream &out;
    int depth;

    std::ostream &line() { return out << std::string(static_cast<size_t>(depth) * 2, ' '); }

    void operator()(const Comment &s) { line() << "# " << s.text << '\n'; }
    void operator()(const Declare &s) { line() << s.name << (s.value ? " = " + show(s.value) : "") << '\n'; }
    void operator()(const Assign &s) { line() << show(s.target) << " := " << show(s.value) << '\n'; }
    void operator()(const Do &s) {
        if (const std::string text = show(s.call); !text.empty()) line() << text << '\n';
    }
    void operator()(const Return &s) { line() << "return" << (s.value ? " " + show(s.value) : "") << '\n'; }
    void operator()(const Continue &) { line() << "continue\n"; }
    void operator()(const For &s) {
        line() << "for " << s.name << " in [" << show(s.lo) << ", " << show(s.hi) << (s.inclusive ? "]" : ")")
               << (s.step ? " by " + show(s.step) : "")
               << (s.pragma.empty() ? "" : "  : " + s.pragma) << '\n';
        print(out, s.body, depth + 1);
    }
    void operator()(const While &s) {
        line() << "while " << show(s.condition) << '\n';
        print(out, s.body, depth + 1);
    }
    void operator()(const If &s) {
        line() << "if " << show(s.condition) << '\n';
        print(out, s.then, depth + 1);
        if (s.otherwise.empty()) return;
        line() << "else\n";
        print(out, s.otherwise, depth + 1);
    }
    void operator()(const Scope &s) {
        if (s.pragma.empty()) return print(out, s.body, depth);
        line() << s.pragma << '\n';
        print(out, s.body, depth + 1);
    }
};

void print(std::ostream &out, const Body &body, int depth) {
    for (const Stmt &stmt : body)
        std::visit(StatementPrinter{out, depth}, stmt.node);
}

void print(std::ostream &out, const std::vector<Function> &functions) {
    for (const Function &function : functions) {
        out << function.name << '(';
        for (size_t i = 0; i < function.params.size(); ++i)
            out << (i ? ", " : "") << function.params[i].name;
        out << ")\n";
        print(out, function.body, 1);
        out << '\n';
    }
}

} // namespace

void print(std::ostream &out, const Module &module) {
    for (const Constant &constant : module.constants)
        out << constant.name << " = " << constant.value << '\n';
    out << '\n';
    print(out, module.derived);
    print(out, module.fields);
    print(out, module.kernels);
    print(out, module.schedule);
}

} // namespace oocc::loops
