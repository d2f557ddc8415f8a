#include "ast/printer.h"

#include "support/display.h"

#include <ostream>

namespace oocc::ast {

const char *spelling(UnaryOp op) {
    return op == UnaryOp::Neg ? "-" : "not";
}

const char *spelling(BinaryOp op) {
    switch (op) {
    case BinaryOp::Or:
        return "or";
    case BinaryOp::And:
        return "and";
    case BinaryOp::Eq:
        return "==";
    case BinaryOp::Ne:
        return "!=";
    case BinaryOp::Lt:
        return "<";
    case BinaryOp::Le:
        return "<=";
    case BinaryOp::Gt:
        return ">";
    case BinaryOp::Ge:
        return ">=";
    case BinaryOp::Add:
        return "+";
    case BinaryOp::Sub:
        return "-";
    case BinaryOp::Mul:
        return "*";
    case BinaryOp::Div:
        return "/";
    case BinaryOp::Mod:
        return "%";
    case BinaryOp::Pow:
        return "^";
    }
    return "";
}

namespace {

class Printer {
  public:
    explicit Printer(std::ostream &out) : out_(out) {}

    void line(const std::string &text, Range range) {
        out_ << std::string(2 * static_cast<size_t>(depth_), ' ') << text << "  @" << range.begin << ".."
             << range.end << '\n';
    }
    template <typename Body> void nested(Body body) {
        ++depth_;
        body();
        --depth_;
    }

    void expr(const ExprPtr &e) {
        if (e) std::visit([&](const auto &node) { print(node, e->range); }, e->node);
    }
    void statement(const Statement &s) {
        std::visit([&](const auto &node) { print(node, s.range); }, s.node);
    }

  private:
    // Expressions
    void print(const Integer &e, Range at) { line("integer " + e.digits, at); }
    void print(const Real &e, Range at) { line("real " + e.text, at); }
    void print(const Boolean &e, Range at) { line(e.value ? "true" : "false", at); }
    void print(const Reference &e, Range at) { line("name " + e.name, at); }
    void print(const Index &e, Range at) {
        line("index " + e.name.text, at);
        children(e.indices);
    }
    void print(const Call &e, Range at) {
        line("call " + e.function.text, at);
        nested([&] {
            for (size_t i = 0; i < e.args.size(); ++i)
                argument(e.args[i], e.labels[i]);
        });
    }
    void argument(const ExprPtr &value, const std::optional<Name> &label) {
        if (!label) return expr(value);
        line(label->text + ":", label->range);
        nested([&] { expr(value); });
    }
    void print(const Member &e, Range at) { line("member " + e.object.text + "." + e.member.text, at); }
    void print(const PointSet &e, Range at) {
        line("points", at);
        nested([&] {
            for (size_t i = 0; i < e.points.size(); ++i) {
                line("point", e.ranges[i]);
                children(e.points[i]);
            }
        });
    }
    void print(const Reduction &e, Range at) {
        line(e.op.text + " over " + e.variable.text, at);
        nested([&] {
            expr(e.shape);
            expr(e.body);
        });
    }
    void print(const Unary &e, Range at) {
        line(spelling(e.op), at);
        nested([&] { expr(e.a); });
    }
    void print(const Binary &e, Range at) {
        line(spelling(e.op), at);
        nested([&] {
            expr(e.a);
            expr(e.b);
        });
    }
    void print(const If &e, Range at) {
        line("if", at);
        nested([&] {
            expr(e.condition);
            expr(e.a);
            expr(e.b);
        });
    }

    // Statements
    void print(const StencilName &s, Range at) { line("stencil " + s.name.text, at); }
    void print(const Param &s, Range at) {
        line("param " + s.name.text + " : " + s.type.text, at);
        nested([&] { expr(s.value); });
    }
    void print(const Let &s, Range at) {
        line("let " + s.name.text, at);
        nested([&] { expr(s.value); });
    }
    void print(const Grid &s, Range at) {
        line("grid", at);
        nested([&] {
            for (const GridDim &dim : s.dims) {
                line("dim " + dim.name.text, dim.name.range);
                nested([&] {
                    expr(dim.extent);
                    if (dim.spacing) line("spacing", dim.spacing->range);
                    nested([&] { expr(dim.spacing); });
                });
            }
        });
    }
    void print(const Field &s, Range at) { line("field" + joined(s.names) + " : " + s.type.text, at); }
    void print(const Coef &s, Range at) {
        line("coef " + s.name.text + " : " + s.type.text + from(s.file), at);
        nested([&] { expr(s.value); });
    }
    void print(const Init &s, Range at) {
        line("init " + s.field.text + from(s.file), at);
        nested([&] {
            for (const ExprPtr &index : s.indices) {
                line("at", index->range);
                nested([&] { expr(index); });
            }
            expr(s.value);
        });
    }
    void print(const Boundary &s, Range at) {
        line("boundary" + joined(s.fields), at);
        nested([&] {
            if (s.all) edge("all", *s.all, s.all->kind.range);
            for (const FaceEdge &each : s.faces) {
                std::string faces;
                for (const Face &face : each.faces)
                    faces += (faces.empty() ? "" : ", ") + face.dim.text + (face.side ? "." + face.side->text : "");
                edge(faces, each.edge, each.faces[0].dim.range);
            }
        });
    }
    void edge(const std::string &face, const EdgeValue &value, Range at) {
        line(face + ": " + value.kind.text, at);
        nested([&] { expr(value.value); });
    }
    void print(const Step &s, Range at) {
        line("step", at);
        nested([&] {
            for (const Update &update : s.updates) {
                line("update " + update.target.text, update.range);
                nested([&] {
                    if (update.indices)
                        for (const ExprPtr &index : *update.indices) {
                            line("at", index->range);
                            nested([&] { expr(index); });
                        }
                    expr(update.value);
                    part("where", update.where);
                });
            }
        });
    }
    void print(const Steps &s, Range at) {
        line("steps", at);
        nested([&] { expr(s.count); });
    }
    void print(const Output &s, Range at) {
        line("output " + s.field.text + " to" + quoted(s.path), at);
        nested([&] { part("every", s.every); });
    }
    void print(const Temp &s, Range at) { line("temp" + joined(s.names) + " : " + s.type.text, at); }
    void place(const Place &place) {
        line("at" + (place.file ? " points" + quoted(*place.file) : ""), place.range);
        children(place.at);
    }
    void print(const Inject &s, Range at) {
        line("inject " + s.field.text, at);
        nested([&] {
            place(s.place);
            if (s.signal) line("signal" + quoted(*s.signal), s.signal->range);
            expr(s.value);
        });
    }
    void print(const Record &s, Range at) {
        line("record " + s.field.text + " to" + quoted(s.path), at);
        nested([&] {
            place(s.place);
            part("every", s.every);
        });
    }
    void print(const Series &s, Range at) {
        line("series " + s.name.text + " : " + s.type.text + " from" + quoted(s.file), at);
    }
    void print(const Scalar &s, Range at) {
        line("scalar " + s.name.text, at);
        nested([&] {
            expr(s.value);
            part("where", s.where);
        });
    }
    void print(const Monitor &s, Range at) {
        line("monitor " + s.name.text, at);
        nested([&] {
            expr(s.value);
            part("where", s.where);
            part("every", s.every);
        });
    }
    void print(const Stop &s, Range at) {
        line(s.on ? "stop on " + s.on->text : "stop when", at);
        nested([&] { expr(s.condition); });
    }

    /// An expression behind a keyword of its statement, when there is one.
    void part(const char *keyword, const ExprPtr &e) {
        if (!e) return;
        line(keyword, e->range);
        nested([&] { expr(e); });
    }

    void print(const Fn &s, Range at) {
        line("fn " + s.name.text + " of" + joined(s.params), at);
        nested([&] { expr(s.body); });
    }
    void print(const Shape &s, Range at) {
        line("shape " + s.name.text, at);
        nested([&] {
            expr(s.points);
            if (s.where) line("where", s.where->range);
            nested([&] { expr(s.where); });
        });
    }

    void children(const std::vector<ExprPtr> &list) {
        nested([&] {
            for (const ExprPtr &e : list)
                expr(e);
        });
    }
    static std::string joined(const std::vector<Name> &names) {
        std::string out;
        for (const Name &name : names)
            out += (out.empty() ? " " : ", ") + name.text;
        return out;
    }
    static std::string quoted(const Text &text) { return " \"" + shown(text.value) + '"'; }
    static std::string from(const std::optional<Text> &file) {
        return file ? " from" + quoted(*file) : "";
    }

    std::ostream &out_;
    int depth_ = 0;
};

} // namespace

void print(std::ostream &out, const Program &program) {
    Printer printer(out);
    for (const Statement &statement : program.statements)
        printer.statement(statement);
}

} // namespace oocc::ast
