#include "sema/elsewhere.h"
#include "sema/resolver.h"

#include <algorithm>

namespace oocc {

namespace {

struct Kind {
    const char *name;
    EdgeKind kind;
    const char *meaning; ///< of those that take no value
};

constexpr Kind kEdges[] = {
    {"fixed", EdgeKind::Fixed, "the rim keeps its initial values"},
    {"dirichlet", EdgeKind::Dirichlet, nullptr},
    {"neumann", EdgeKind::Neumann, "reads outside the grid see the nearest cell"},
    {"reflect", EdgeKind::Reflect, "reads outside the grid see the mirror image"},
    {"reflect_center", EdgeKind::ReflectCentre, "reads outside the grid see the mirror image"},
    {"periodic", EdgeKind::Periodic, "the grid wraps around"},
};

constexpr Elsewhere kEdgesElsewhere[] = {
    {"zero", "dirichlet 0"}, {"constant", "dirichlet 0"}, {"value", "dirichlet 0"},
    {"noflux", "neumann"},   {"no_flux", "neumann"},      {"zero_gradient", "neumann"},
    {"outflow", "neumann"},  {"open", "neumann"},         {"nearest", "neumann"},
    {"wrap", "periodic"},    {"cyclic", "periodic"},      {"circular", "periodic"},
    {"mirror", "reflect"},   {"symmetric", "reflect"},    {"none", "fixed"},
    {"frozen", "fixed"},
};

/// There is none from which nothing comes back.
constexpr const char *kAbsorbing[] = {"pml", "cpml",    "upml", "absorbing",     "abc",         "sponge",
                                      "mur", "damping", "nonreflecting", "transparent", "radiation"};

std::string facesOf(const std::vector<std::string> &dims) {
    std::string out = "the faces are ";
    for (const std::string &dim : dims)
        out += (&dim == &dims.front() ? "" : ", ") + dim + ".lo and " + dim + ".hi";
    return out + "; both of " + dims.front() + " are " + dims.front();
}

} // namespace

void Resolver::boundary(const ast::Boundary &boundary, const ast::Statement &) {
    for (const ast::Name &name : boundary.fields) {
        const int index = fieldIndex(name);
        const bool temp = index >= 0 && stencil_.fields[static_cast<size_t>(index)].temp;
        // An edge is resolved for each field, since it takes the field's type; repeated errors are printed
        // once.
        const Type type = index < 0 ? Type::F64 : stencil_.fields[static_cast<size_t>(index)].type;
        std::vector<std::optional<Edge>> edges;
        if (boundary.all) edges.push_back(edge(*boundary.all, type));
        for (const ast::FaceEdge &each : boundary.faces)
            edges.push_back(edge(each.edge, type));
        for (const std::optional<Edge> &each : edges)
            if (temp && each && each->kind == EdgeKind::Fixed)
                diagnostics_
                    .error(each->range,
                           "'" + name.text + "' is a temp; it has no initial values that a rim could keep")
                    .withHelp("without a boundary a temp exists where its own reads do; what reads it stays "
                              "inside");
        if (index < 0) continue;
        Field &field = stencil_.fields[static_cast<size_t>(index)];
        if (boundary.all && edges[0])
            for (size_t d = 0; d < stencil_.dims.size(); ++d)
                for (const size_t side : {0U, 1U})
                    setEdge(field, d, side, *edges[0]);
        for (size_t i = 0; i < boundary.faces.size(); ++i)
            if (edges[i])
                for (const ast::Face &each : boundary.faces[i].faces)
                    face(field, each, *edges[i]);
    }
}

void Resolver::face(Field &field, const ast::Face &face, const Edge &edge) {
    const Symbol *symbol = scope_.find(face.dim.text);
    if (symbol && symbol->kind == Symbol::Kind::Broken) return;
    if (!symbol || symbol->kind != Symbol::Kind::Dim) {
        Diagnostic &error = diagnostics_.error(face.dim.range, "'" + face.dim.text + "' is not a dimension of the grid");
        suggestName(error, face.dim, scope_.names({Symbol::Kind::Dim}));
        if (!error.help && !scope_.dims.empty()) error.withHelp(facesOf(scope_.dims));
        return;
    }
    const bool lo = !face.side || face.side->text == "lo", hi = !face.side || face.side->text == "hi";
    if (!lo && !hi) {
        diagnostics_.error(face.side->range, "the faces of '" + face.dim.text + "' are '" + face.dim.text +
                                                 ".lo' and '" + face.dim.text + ".hi'");
        return;
    }
    Edge here = edge;
    here.range = face.side ? Range{face.dim.range.begin, face.side->range.end} : face.dim.range;
    if (lo) setEdge(field, static_cast<size_t>(symbol->index), 0, here);
    if (hi) setEdge(field, static_cast<size_t>(symbol->index), 1, here);
}

void Resolver::setEdge(Field &field, size_t dim, size_t side, const Edge &edge) {
    Edge &here = field.edge[dim][side];
    if (here.kind == EdgeKind::None) {
        here = edge;
        return;
    }
    diagnostics_
        .error(edge.range, "the " + std::string(side == 0 ? "low" : "high") + " face of '" +
                               stencil_.dims[dim].name + "' of '" + field.name + "' is given twice")
        .note(here.range, "first given here");
}

std::optional<Edge> Resolver::edge(const ast::EdgeValue &value, Type type) {
    const std::string &kind = value.kind.text;
    Operand operand;
    if (value.value) operand = resolve(*value.value, {"an edge's value", true, true});
    const auto *known = std::ranges::find_if(kEdges, [&](const Kind &each) { return kind == each.name; });
    if (known == std::end(kEdges)) {
        std::vector<std::string> names;
        std::string list;
        for (const Kind &each : kEdges) {
            list += (names.empty()                           ? ""
                     : names.size() + 1 == std::size(kEdges) ? " and "
                                                             : ", ") +
                    std::string(each.name);
            names.emplace_back(each.name);
        }
        Diagnostic &error = diagnostics_.error(value.kind.range, "there is no edge '" + kind + "'; there are " + list);
        if (const char *const instead = meaningOf(kind, kEdgesElsewhere))
            error.withHelp("write '" + std::string(instead) + "'").withFix(value.kind.range, instead);
        else if (contains(kAbsorbing, kind))
            error.withHelp("a layer at the faces does that, in which the step damps: divide what it makes by (1 + loss), a coef that grows "
                           "towards the face");
        else
            suggestName(error, value.kind, names);
        return std::nullopt;
    }
    if (known->kind != EdgeKind::Dirichlet) {
        if (!value.value) return Edge{known->kind, nullptr, value.kind.range};
        diagnostics_.error(value.value->range, "'" + kind + "' takes no value; " + known->meaning)
            .withHelp("for a value outside the grid write 'dirichlet'");
        return std::nullopt;
    }
    if (!value.value) {
        diagnostics_.error(value.kind.range, "'dirichlet' needs the value that reads outside the grid see")
            .withHelp("for example: dirichlet 0");
        return std::nullopt;
    }
    const ExprPtr converted = assign(operand, type, "the field", diagnostics_);
    if (!converted) return std::nullopt;
    return Edge{EdgeKind::Dirichlet, converted, value.kind.range};
}

/// A grid that wraps around does so at both ends.
void Resolver::checkPeriodic() {
    for (const Field &field : stencil_.fields)
        for (size_t d = 0; d < stencil_.dims.size(); ++d) {
            const auto &[lo, hi] = field.edge[d];
            if ((lo.kind == EdgeKind::Periodic) == (hi.kind == EdgeKind::Periodic)) continue;
            const bool low = lo.kind == EdgeKind::Periodic;
            const std::string &dim = stencil_.dims[d].name;
            diagnostics_
                .error((low ? lo : hi).range, "a periodic grid wraps around at both faces, and '" +
                                                  field.name + "' is periodic at the " +
                                                  (low ? "low" : "high") + " face of '" + dim + "' only")
                .withHelp("name the dimension: " + dim + ": periodic;");
        }
}

} // namespace oocc
