#include "analysis/edges.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace oocc {

std::vector<Rims> computeRims(const Stencil &stencil, const std::vector<Access> &accesses) {
    std::vector<Rims> rims(stencil.stages.size(), Rims{});
    for (const Access &access : accesses) {
        const Field &updated = stencil.fields[stencil.stages[access.stage].field];
        for (size_t dim = 0; dim < stencil.dims.size(); ++dim)
            for (int side : {0, 1})
                if (updated.edge[dim][side].kind == EdgeKind::Fixed) {
                    int64_t &rim = rims[access.stage][dim][side];
                    rim = std::max(rim, reachTowards(access.offset[dim], side));
                }
    }
    return rims;
}

namespace {

std::string faceName(const Stencil &stencil, size_t dim, int side) {
    return stencil.dims[dim].name + (side == 0 ? ".lo" : ".hi");
}

void report(const Stencil &stencil, const Access &access, size_t dim, int side, Diagnostics &diagnostics) {
    const Field &read = stencil.fields[access.field];
    const Field &updated = stencil.fields[stencil.stages[access.stage].field];
    const std::string face = faceName(stencil, dim, side);
    const Edge &edge = read.edge[dim][side];
    const bool sameField = access.field == stencil.stages[access.stage].field;
    if (edge.kind == EdgeKind::None) {
        std::string help =
            "declare what lies there: 'boundary " + read.name + " { " + face + ": dirichlet 0; }'";
        if (sameField)
            help += ", or 'boundary " + read.name + " = fixed;' to keep the rim as it starts";
        else if (updated.edge[dim][side].kind == EdgeKind::None)
            help += ", or 'boundary " + updated.name + " { " + face + ": fixed; }' to leave the rim of '" +
                    updated.name + "' as it starts";
        diagnostics
            .error(access.range, "this read of '" + read.name + "' leaves the grid at " + face + ", where '" +
                                     read.name + "' has no boundary")
            .withHelp(help);
        return;
    }
    diagnostics
        .error(access.range, "this read of '" + read.name + "' leaves the grid at " + face + ", where '" +
                                 read.name + "' is fixed and so has no value outside")
        .note(edge.range, "'" + read.name + "' is fixed here, but '" + updated.name +
                              "', which is updated from it, is not")
        .withHelp("make '" + updated.name + "' fixed at " + face + " too, or give '" + read.name +
                  "' a value there: '" + face + ": dirichlet 0;'");
}

} // namespace

void checkEdges(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims,
                Diagnostics &diagnostics) {
    std::set<std::tuple<int, int, size_t, int>> reported; // once per stage, field and face
    for (const Access &access : accesses)
        for (size_t dim = 0; dim < stencil.dims.size(); ++dim)
            for (int side : {0, 1}) {
                const bool stays = reachTowards(access.offset[dim], side) <= rims[access.stage][dim][side];
                const bool hasValue =
                    stencil.fields[access.field].edge[dim][side].kind == EdgeKind::Dirichlet;
                if (stays || hasValue || !reported.insert({access.stage, access.field, dim, side}).second)
                    continue;
                report(stencil, access, dim, side, diagnostics);
            }
}

} // namespace oocc
