#include "analysis/edges.h"

#include "analysis/linear.h"
#include "stencil/printer.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace oocc {

namespace {

bool givesValue(EdgeKind kind) {
    return kind == EdgeKind::Dirichlet || movesReads(kind);
}

/// A temp without an edge is not made near a face where its own reads are not defined.
bool hasOwnRim(const Field &field, size_t dim, int side) {
    return field.temp && field.edge[dim][side].kind == EdgeKind::None;
}

/// How far a stage must keep away from a face so that the access finds a value; 0 when any point is near enough.
int64_t distanceNeeded(const Stencil &stencil, const std::vector<Rims> &rims, const Access &access,
                       size_t dim, int side) {
    const Field &read = stencil.fields[access.field];
    const int64_t towards = side == 0 ? -access.offset[dim] : access.offset[dim];
    if (hasOwnRim(read, dim, side)) return std::max<int64_t>(0, towards + rims[access.maker][dim][side]);
    return givesValue(read.edge[dim][side].kind) ? 0 : std::max<int64_t>(0, towards);
}

} // namespace

std::vector<Rims> computeRims(const Stencil &stencil, const std::vector<Access> &accesses) {
    std::vector<Rims> rims(stencil.stages.size(), Rims{});
    for (const Access &access :
         accesses) { // in order of stage, so that the rims of temps that are read are known
        const Stage &stage = stencil.stages[access.stage];
        if (stage.kind != Stage::Kind::Update) continue;
        const Field &updated = stencil.fields[stage.field];
        for (size_t dim = 0; dim < stencil.dims.size(); ++dim)
            for (int side : {0, 1}) {
                int64_t &rim = rims[access.stage][dim][side];
                if (updated.edge[dim][side].kind == EdgeKind::Fixed)
                    rim = std::max({rim, reachTowards(access.offset[dim], side),
                                    distanceNeeded(stencil, rims, access, dim, side)});
                else if (hasOwnRim(updated, dim, side))
                    rim = std::max(rim, distanceNeeded(stencil, rims, access, dim, side));
            }
    }
    return rims;
}

int64_t regionMargin(const Stencil &stencil, const Stage &stage, size_t dim, int side) {
    const ExprPtr &bound = stage.region[dim][side];
    if (!bound) return 0;
    return std::max<int64_t>(0, side == 0 ? surelyAtLeast(stencil, bound, nullptr)
                                          : surelyAtLeast(stencil, stencil.dims[dim].extent, bound));
}

int64_t leastExtent(const Stencil &stencil, const std::vector<Access> &accesses,
                    const std::vector<Rims> &rims, size_t dim) {
    int64_t least = 1;
    for (const Access &access : accesses)
        for (int side : {0, 1}) {
            const int64_t reach = reachTowards(access.offset[dim], side);
            const Field &read = stencil.fields[access.field];
            const EdgeKind kind = read.edge[dim][side].kind;
            if (reach == 0 || !movesReads(kind)) continue;
            // So many cells at this face may stand for one beyond it.
            const int64_t cells = kind == EdgeKind::Neumann         ? 1
                                  : kind == EdgeKind::ReflectCentre ? reach + 1
                                                                    : reach;
            const bool otherRim = hasOwnRim(read, dim, 1 - side);
            least = std::max(least, cells + (otherRim ? rims[access.maker][dim][1 - side] : 0));
        }
    return least;
}

namespace {

std::string faceName(const Stencil &stencil, size_t dim, int side) {
    return stencil.dims[dim].name + (side == 0 ? ".lo" : ".hi");
}

/// What the stage updates, or null: monitors and points update nothing that an edge could keep from them.
const Field *updatedBy(const Stencil &stencil, const Stage &stage) {
    return stage.kind == Stage::Kind::Update ? &stencil.fields[stage.field] : nullptr;
}

std::string where(const Stencil &stencil, size_t dim, int side, int64_t distance) {
    const std::string &name = stencil.dims[dim].name;
    return side == 0 ? "where " + name + " >= " + std::to_string(distance)
                     : "where " + name + " < " + toString(stencil, stencil.dims[dim].extent) + " - " +
                           std::to_string(distance);
}

void reportUndeclared(const Stencil &stencil, const Access &access, size_t dim, int side, int64_t distance,
                      Diagnostics &diagnostics) {
    const Field &read = stencil.fields[access.field];
    const Field *updated = updatedBy(stencil, stencil.stages[access.stage]);
    const std::string face = faceName(stencil, dim, side);
    std::string help = "declare what lies there: 'boundary " + read.name + " { " + face + ": dirichlet 0; }'";
    if (updated == &read)
        help += ", or 'boundary " + read.name + " = fixed;' to keep the rim as it starts";
    else if (updated && !updated->temp && updated->edge[dim][side].kind == EdgeKind::None)
        help += ", or 'boundary " + updated->name + " { " + face + ": fixed; }' to leave the rim of '" +
                updated->name + "' as it starts";
    else if (!updated)
        help += ", or keep away from it: '" + where(stencil, dim, side, distance) + "'";
    diagnostics
        .error(access.range, "this read of '" + read.name + "' leaves the grid at " + face + ", where '" +
                                 read.name + "' has no boundary")
        .withHelp(help);
}

void reportTempRim(const Stencil &stencil, const std::vector<Rims> &rims, const Access &access, size_t dim,
                   int side, int64_t distance, Diagnostics &diagnostics) {
    const Field &read = stencil.fields[access.field];
    const Field *updated = updatedBy(stencil, stencil.stages[access.stage]);
    const std::string face = faceName(stencil, dim, side);
    const int64_t rim = rims[access.maker][dim][side];
    std::string help;
    if (updated && !updated->temp)
        help = "make '" + updated->name + "' fixed at " + face + ", or ";
    else if (!updated)
        help = "keep away from it: '" + where(stencil, dim, side, distance) + "', or ";
    help += rim > 0 ? "give what '" + read.name + "' is made from a value there"
                    : "give '" + read.name + "' a value there: 'boundary " + read.name + " { " + face +
                          ": dirichlet 0; }'";
    diagnostics
        .error(access.range,
               "this read of temp '" + read.name + "' can meet cells at " + face + " that are not made")
        .note(stencil.stages[access.maker].range,
              rim > 0
                  ? "'" + read.name + "' is made " + std::to_string(rim) + (rim == 1 ? " cell" : " cells") +
                        " away from that face, as far as its own reads reach"
                  : "'" + read.name + "' has no boundary there")
        .withHelp(help);
}

void reportFixed(const Stencil &stencil, const Access &access, size_t dim, int side, int64_t distance,
                 Diagnostics &diagnostics) {
    const Field &read = stencil.fields[access.field];
    const Field *updated = updatedBy(stencil, stencil.stages[access.stage]);
    const std::string face = faceName(stencil, dim, side);
    Diagnostic &error = diagnostics.error(
        access.range, "this read of '" + read.name + "' leaves the grid at " + face + ", where '" +
                          read.name + "' is fixed and so has no value outside");
    if (!updated) {
        error.withHelp("keep away from the face: '" + where(stencil, dim, side, distance) + "'");
        return;
    }
    error
        .note(read.edge[dim][side].range, "'" + read.name + "' is fixed here, but '" + updated->name +
                                              "', which is updated from it, is not")
        .withHelp("make '" + updated->name + "' fixed at " + face + " too, or give '" + read.name +
                  "' a value there: '" + face + ": dirichlet 0;'");
}

} // namespace

void checkEdges(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims,
                Diagnostics &diagnostics) {
    std::set<std::tuple<int, int, size_t, int>> reported; // once per stage, field and face
    for (const Access &access : accesses)
        for (size_t dim = 0; dim < stencil.dims.size(); ++dim)
            for (int side : {0, 1}) {
                const Stage &stage = stencil.stages[access.stage];
                const int64_t needed = distanceNeeded(stencil, rims, access, dim, side);
                const int64_t kept =
                    std::max(rims[access.stage][dim][side], regionMargin(stencil, stage, dim, side));
                if (needed <= kept || !reported.insert({access.stage, access.field, dim, side}).second)
                    continue;
                const Field &read = stencil.fields[access.field];
                if (hasOwnRim(read, dim, side))
                    reportTempRim(stencil, rims, access, dim, side, needed, diagnostics);
                else if (read.edge[dim][side].kind == EdgeKind::None)
                    reportUndeclared(stencil, access, dim, side, needed, diagnostics);
                else
                    reportFixed(stencil, access, dim, side, needed, diagnostics);
            }
}

} // namespace oocc
