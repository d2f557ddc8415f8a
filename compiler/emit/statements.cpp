#include "emit/statements.h"

#include "emit/expressions.h"

namespace oocc {

namespace {

using namespace loops;

/// "double *restrict" and "u" stand close together after a star, apart otherwise.
std::string declaration(const std::string &type, const std::string &name) {
    return type + (type.back() == '*' ? "" : " ") + name;
}

void writeBody(CWriter &out, const Body &body);

struct StatementWriter {
    CWriter &out;

    void operator()(const Comment &s) { out.comment(s.text); }
    void operator()(const Declare &s) {
        out.line(declaration(s.type, s.name) + (s.value ? " = " + toC(s.value) : "") + ";");
    }
    void operator()(const Assign &s) { out.line(toC(s.target) + " = " + toC(s.value) + ";"); }
    void operator()(const Do &s) { out.line(toC(s.call) + ";"); }
    void operator()(const Return &s) { out.line(s.value ? "return " + toC(s.value) + ";" : "return;"); }
    void operator()(const Continue &) { out.line("continue;"); }
    void operator()(const For &s) {
        if (!s.pragma.empty()) out.pragma(s.pragma);
        const std::string head = "for (int64_t " + s.name + " = " + toC(s.lo) + "; " + s.name +
                                 (s.inclusive ? " <= " : " < ") + toC(s.hi) + "; " + s.name +
                                 (s.step ? " += " + toC(s.step) + ")" : "++)");
        writeGoverned(head, s.body);
    }
    void operator()(const While &s) { writeGoverned("while (" + toC(s.condition) + ")", s.body); }
    void operator()(const If &s) {
        writeGoverned("if (" + toC(s.condition) + ")", s.then, !s.otherwise.empty());
        if (s.otherwise.empty()) return;
        const If *chained = s.otherwise.size() == 1 ? std::get_if<If>(&s.otherwise[0].node) : nullptr;
        if (!chained) {
            out.close("} else {");
            out.reopen();
            writeBody(out, s.otherwise);
            out.close();
            return;
        }
        const If *link = chained;
        while (link) {
            out.close("} else if (" + toC(link->condition) + ") {");
            out.reopen();
            writeBody(out, link->then);
            const If *next =
                link->otherwise.size() == 1 ? std::get_if<If>(&link->otherwise[0].node) : nullptr;
            if (!next && !link->otherwise.empty()) {
                out.close("} else {");
                out.reopen();
                writeBody(out, link->otherwise);
            }
            link = next;
        }
        out.close();
    }
    void operator()(const Scope &s) {
        if (!s.pragma.empty()) out.pragma(s.pragma);
        out.open("");
        writeBody(out, s.body);
        out.close();
    }

    /// A single plain statement goes without braces; `chain` leaves the block open for an else.
    void writeGoverned(const std::string &head, const Body &body, bool chain = false) {
        const bool simple =
            body.size() == 1 && !chain &&
            (std::holds_alternative<Assign>(body[0].node) || std::holds_alternative<Do>(body[0].node) ||
             std::holds_alternative<Return>(body[0].node) || std::holds_alternative<Continue>(body[0].node));
        if (simple) {
            out.line(head);
            out.indent(+1);
            writeBody(out, body);
            out.indent(-1);
            return;
        }
        out.open(head);
        writeBody(out, body);
        if (!chain) out.close();
    }
};

void writeBody(CWriter &out, const Body &body) {
    for (const Stmt &stmt : body)
        std::visit(StatementWriter{out}, stmt.node);
}

} // namespace

void writeFunction(CWriter &out, const Function &function) {
    out.blank();
    out.comment(function.comment);
    std::string head = function.wide       ? "static OOCC_WIDE "
                       : function.inlined  ? "static inline "
                       : function.choosing ? "static OOCC_CHOOSING "
                       : function.apart    ? "static OOCC_APART "
                                           : "static ";
    head += declaration(function.returns, function.name) + "(";
    for (size_t i = 0; i < function.params.size(); ++i)
        head += (i ? ", " : "") + declaration(function.params[i].type, function.params[i].name);
    out.openBody(head + (function.params.empty() ? "void)" : ")"));
    writeBody(out, function.body);
    out.close();
}

void writeVariables(CWriter &out, const Variables &variables) {
    out.blank();
    out.comment(variables.comment);
    out.open("static struct");
    bool initialised = false;
    for (const Variables::Member &member : variables.members) {
        const std::string note = member.comment.empty() ? "" : " /* " + commentText(member.comment) + " */";
        out.raw(declaration(member.type, member.name) + ";" + note);
        initialised |= member.value != nullptr;
    }
    if (!initialised) {
        out.close("} " + variables.name + ";");
        return;
    }
    out.close("} " + variables.name + " = {");
    out.indent(+1);
    for (const Variables::Member &member : variables.members)
        if (member.value) out.line("." + member.name + " = " + toC(member.value) + ",");
    out.indent(-1);
    out.raw("};");
}

void writeTable(CWriter &out, const Table &table) {
    out.blank();
    out.comment(table.comment);
    out.open(table.type + " " + table.name + (table.single ? " =" : "[] ="));
    for (const Table::Row &row : table.rows) {
        const bool plain = row.size() == 1 && row[0].first.empty(); // an array of values
        if (!table.single && !plain) out.open("");
        for (const auto &[member, value] : row)
            out.line((plain ? "" : "." + member + " = ") + toC(value) + ",");
        if (!table.single && !plain) out.close("},");
    }
    out.close("};");
}

void writeConstants(CWriter &out, const std::vector<Constant> &constants) {
    out.open("enum");
    for (const Constant &constant : constants)
        out.raw(constant.name + " = " + std::to_string(constant.value) + "," +
                (constant.comment.empty() ? "" : " /* " + commentText(constant.comment) + " */"));
    out.close("};");
}

} // namespace oocc
