#include "sema/resolver.h"

#include <algorithm>

namespace oocc {

void Resolver::boundary(const ast::Boundary &boundary, const ast::Statement &) {
    for (const ast::Name &name : boundary.fields) {
        const int index = fieldIndex(name);
        // An edge is resolved for each field, since it takes the field's type; repeated errors are printed
        // once.
        const Type type = index < 0 ? Type::F64 : stencil_.fields[static_cast<size_t>(index)].type;
        std::vector<std::optional<Edge>> edges;
        if (boundary.all) edges.push_back(edge(*boundary.all, type));
        for (const ast::FaceEdge &each : boundary.faces)
            edges.push_back(edge(each.edge, type));
        if (index < 0) continue;
        Field &field = stencil_.fields[static_cast<size_t>(index)];
        if (boundary.all && edges[0])
            for (size_t d = 0; d < stencil_.dims.size(); ++d)
                for (const size_t side : {0U, 1U})
                    setEdge(field, d, side, *edges[0]);
        for (size_t i = 0; i < boundary.faces.size(); ++i)
            if (edges[i]) face(field, boundary.faces[i], *edges[i]);
    }
}

void Resolver::face(Field &field, const ast::FaceEdge &face, const Edge &edge) {
    const Symbol *symbol = scope_.find(face.dim.text);
    if (symbol && symbol->kind == Symbol::Kind::Broken) return;
    if (!symbol || symbol->kind != Symbol::Kind::Dim) {
        suggestName(
            diagnostics_.error(face.dim.range, "'" + face.dim.text + "' is not a dimension of the grid"),
            face.dim, scope_.names({Symbol::Kind::Dim}));
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
    static constexpr const char *kLater[] = {"periodic", "neumann", "reflect", "reflect_center"};
    const std::string &kind = value.kind.text;
    Operand operand;
    if (value.value) operand = resolve(*value.value, {"an edge's value", true, true});
    if (std::ranges::find(kLater, kind) != std::end(kLater)) {
        diagnostics_.error(value.kind.range,
                           "'" + kind +
                               "' edges are not there yet; this version has 'fixed' and 'dirichlet'");
        return std::nullopt;
    }
    if (kind == "fixed") {
        if (value.value) {
            diagnostics_.error(value.value->range, "'fixed' takes no value; the rim keeps its initial values")
                .withHelp("for a value outside the grid write 'dirichlet'");
            return std::nullopt;
        }
        return Edge{EdgeKind::Fixed, nullptr, value.kind.range};
    }
    if (kind == "dirichlet") {
        if (!value.value) {
            diagnostics_
                .error(value.kind.range, "'dirichlet' needs the value that reads outside the grid see")
                .withHelp("for example: dirichlet 0");
            return std::nullopt;
        }
        const ExprPtr converted = assign(operand, type, "the field", diagnostics_);
        if (!converted) return std::nullopt;
        return Edge{EdgeKind::Dirichlet, converted, value.kind.range};
    }
    suggestName(diagnostics_.error(value.kind.range, "there is no edge '" + kind +
                                                         "'; this version has 'fixed' and 'dirichlet'"),
                value.kind, {"fixed", "dirichlet", "periodic", "neumann", "reflect", "reflect_center"});
    return std::nullopt;
}

} // namespace oocc
