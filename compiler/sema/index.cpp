#include "sema/index.h"

#include <algorithm>
#include <map>

namespace oocc {

namespace {

constexpr Range kEverywhere{0, UINT32_MAX};

class Indexer {
  public:
    Index run(const ast::Program &program) {
        for (const ast::Statement &statement : program.statements) {
            statement_ = statement.range;
            std::visit([&](const auto &node) { declare(node); }, statement.node);
        }
        for (const ast::Statement &statement : program.statements) {
            statement_ = statement.range;
            std::visit([&](const auto &node) { use(node); }, statement.node);
        }
        std::ranges::stable_sort(out_.uses, {}, [](const NameUse &use) { return use.range.begin; });
        return std::move(out_);
    }

  private:
    using Kind = Declared::Kind;
    using Locals = std::map<std::string, size_t>;

    size_t add(const ast::Name &name, Kind kind, Range scope) {
        out_.declarations.push_back({kind, name.text, name.range, statement_, scope});
        out_.uses.push_back({name.range, out_.declarations.size() - 1});
        return out_.declarations.size() - 1;
    }
    /// The first one of a name counts.
    void global(const ast::Name &name, Kind kind) { globals_.emplace(name.text, add(name, kind, kEverywhere)); }

    // -- declarations ------------------------------------------------------------------------------

    template <typename Node> void declare(const Node &) {}
    void declare(const ast::StencilName &s) { add(s.name, Kind::Stencil, {0, 0}); }
    void declare(const ast::Param &s) { global(s.name, Kind::Param); }
    void declare(const ast::Let &s) { global(s.name, Kind::Let); }
    void declare(const ast::Coef &s) { global(s.name, Kind::Coef); }
    void declare(const ast::Scalar &s) { global(s.name, Kind::Scalar); }
    void declare(const ast::Monitor &s) { global(s.name, Kind::Monitor); }
    void declare(const ast::Series &s) { global(s.name, Kind::Series); }
    void declare(const ast::Fn &s) { global(s.name, Kind::Function); }
    void declare(const ast::Shape &s) { global(s.name, Kind::Shape); }
    void declare(const ast::Field &s) {
        for (const ast::Name &name : s.names)
            global(name, Kind::Field);
    }
    void declare(const ast::Temp &s) {
        for (const ast::Name &name : s.names)
            global(name, Kind::Temp);
    }
    void declare(const ast::Grid &s) {
        for (const ast::GridDim &dim : s.dims) {
            global(dim.name, Kind::Dim);
            dims_.push_back(dim.name.text);
        }
    }

    // -- uses in statements -----------------------------------------------------------------------------

    void use(const ast::StencilName &) {}
    void use(const ast::Field &) {}
    void use(const ast::Temp &) {}
    void use(const ast::Series &) {}
    void use(const ast::Param &s) { expr(s.value); }
    void use(const ast::Let &s) { expr(s.value); }
    void use(const ast::Coef &s) { expr(s.value); }
    void use(const ast::Steps &s) { expr(s.count); }
    void use(const ast::Grid &s) {
        for (const ast::GridDim &dim : s.dims) {
            expr(dim.extent);
            expr(dim.spacing);
        }
    }
    void use(const ast::Init &s) {
        name(s.field);
        for (const ast::ExprPtr &index : s.indices)
            expr(index);
        expr(s.value);
    }
    void use(const ast::Boundary &s) {
        for (const ast::Name &field : s.fields)
            name(field);
        if (s.all) expr(s.all->value);
        for (const ast::FaceEdge &each : s.faces) {
            for (const ast::Face &face : each.faces)
                name(face.dim);
            expr(each.edge.value);
        }
    }
    void use(const ast::Step &s) {
        for (const ast::Update &update : s.updates) {
            name(update.target);
            if (update.indices)
                for (const ast::ExprPtr &index : *update.indices)
                    expr(index);
            expr(update.value);
            expr(update.where);
        }
    }
    void use(const ast::Output &s) {
        name(s.field);
        expr(s.every);
    }
    void place(const ast::Place &s) {
        for (const ast::ExprPtr &at : s.at)
            expr(at);
    }
    void use(const ast::Inject &s) {
        name(s.field);
        place(s.place);
        expr(s.value);
    }
    void use(const ast::Record &s) {
        name(s.field);
        place(s.place);
        expr(s.every);
    }
    void use(const ast::Scalar &s) {
        expr(s.value);
        expr(s.where);
    }
    void use(const ast::Monitor &s) {
        expr(s.value);
        expr(s.where);
        expr(s.every);
    }
    void use(const ast::Stop &s) { expr(s.condition); }
    void use(const ast::Fn &s) {
        for (const ast::Name &param : s.params)
            locals_[param.text] = add(param, Kind::Argument, statement_);
        expr(s.body);
        locals_.clear();
    }
    void use(const ast::Shape &s) {
        expr(s.points);
        parts_ = true; // dz, dy, dx stand for parts of the offset
        expr(s.where);
        parts_ = false;
    }

    // -- uses in expressions --------------------------------------------------------------------------------

    void name(const ast::Name &name) {
        const auto local = locals_.find(name.text);
        const auto global = globals_.find(name.text);
        if (local != locals_.end())
            out_.uses.push_back({name.range, local->second});
        else if (global != globals_.end())
            out_.uses.push_back({name.range, global->second});
    }
    /// `dx`: its `x` is a dimension. False when it is no part of an offset.
    bool part(const ast::Name &part) {
        if (part.text.size() < 2 || part.text[0] != 'd' || std::ranges::find(dims_, part.text.substr(1)) == dims_.end())
            return false;
        const auto global = globals_.find(part.text.substr(1));
        out_.uses.push_back({{part.range.begin + 1, part.range.end}, global->second});
        return true;
    }

    void expr(const ast::ExprPtr &e) {
        if (e) std::visit([&](const auto &node) { in(node, e->range); }, e->node);
    }
    void in(const ast::Integer &, Range) {}
    void in(const ast::Real &, Range) {}
    void in(const ast::Boolean &, Range) {}
    void in(const ast::Reference &e, Range) {
        const ast::Name inner{e.name, e.range};
        if (!parts_ || !part(inner)) name(inner);
    }
    void in(const ast::Index &e, Range) {
        name(e.name);
        for (const ast::ExprPtr &index : e.indices)
            expr(index);
    }
    void in(const ast::Call &e, Range) {
        if (!isBuiltin(e.function.text))
            if (const auto at = globals_.find(e.function.text); at != globals_.end())
                out_.uses.push_back({e.function.range, at->second});
        for (const ast::ExprPtr &arg : e.args)
            expr(arg);
    }
    void in(const ast::Member &e, Range) {
        name(e.object);
        part(e.member);
    }
    void in(const ast::PointSet &e, Range) {
        for (const auto &point : e.points)
            for (const ast::ExprPtr &each : point)
                expr(each);
    }
    void in(const ast::Reduction &e, Range range) {
        expr(e.shape);
        const Locals outer = locals_;
        locals_[e.variable.text] = add(e.variable, Kind::Offset, range);
        expr(e.body);
        locals_ = outer;
    }
    void in(const ast::Unary &e, Range) { expr(e.a); }
    void in(const ast::Binary &e, Range) {
        expr(e.a);
        expr(e.b);
    }
    void in(const ast::If &e, Range) {
        expr(e.condition);
        expr(e.a);
        expr(e.b);
    }

    Index out_;
    Range statement_{};
    std::map<std::string, size_t> globals_;
    Locals locals_;
    std::vector<std::string> dims_;
    bool parts_ = false;
};

} // namespace

const NameUse *Index::at(uint32_t offset) const {
    for (const NameUse &use : uses)
        if (use.range.begin <= offset && offset <= use.range.end) return &use;
    return nullptr;
}

std::vector<const Declared *> Index::visibleAt(uint32_t offset) const {
    std::vector<const Declared *> out;
    for (auto at = declarations.rbegin(); at != declarations.rend(); ++at)
        if (at->scope.begin <= offset && offset <= at->scope.end) out.push_back(&*at);
    std::ranges::stable_sort(out, {}, [](const Declared *d) { return d->scope.end - d->scope.begin; });
    return out;
}

Index indexNames(const ast::Program &program) {
    return Indexer().run(program);
}

} // namespace oocc
