#include "analysis/edges.h"

#include "analysis/linear.h"

#include <algorithm>

namespace oocc {

namespace {

bool givesValue(EdgeKind kind) {
    return kind == EdgeKind::Dirichlet || movesReads(kind);
}

} // namespace

bool hasOwnRim(const Field &field, size_t dim, int side) {
    return field.temp && field.edge[dim][side].kind == EdgeKind::None;
}

int64_t distanceNeeded(const Stencil &stencil, const std::vector<Rims> &rims, const Access &access,
                       size_t dim, int side) {
    const Field &read = stencil.fields[access.field];
    const int64_t towards = side == 0 ? -access.offset[dim] : access.offset[dim];
    if (hasOwnRim(read, dim, side)) return std::max<int64_t>(0, towards + rims[access.maker][dim][side]);
    return givesValue(read.edge[dim][side].kind) ? 0 : std::max<int64_t>(0, towards);
}

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

} // namespace oocc
