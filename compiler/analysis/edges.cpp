#include "analysis/edges.h"

#include "analysis/linear.h"
#include "stencil/printer.h"

#include <algorithm>
#include <map>
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

/// A face of the grid, and how far from it a read would have to stay.
struct Face {
    size_t dim;
    int side;
    int64_t distance;
};

/// Those at which reads of a field, by one stage, lack the same thing.
struct Faces {
    const Access *access = nullptr; // the first of them
    std::vector<Face> at;
    bool several = false; // reads, in different places of the program
};

/// "this read of 'u' leaves", "reads of 'u' leave".
std::string readOf(const Faces &faces, const std::string &what, const std::string &verb, const std::string &ending) {
    return (faces.several ? "reads of " + what + " " + verb : "this read of " + what + " " + verb + ending) + " ";
}

/// "z.lo, z.hi and x.lo".
std::string namesOf(const Stencil &stencil, const Faces &faces) {
    std::string out;
    for (size_t i = 0; i < faces.at.size(); ++i) {
        const auto &[dim, side, distance] = faces.at[i];
        out += (i == 0 ? "" : i + 1 == faces.at.size() ? " and " : ", ") + stencil.dims[dim].name + (side == 0 ? ".lo" : ".hi");
    }
    return out;
}

/// What gives all of these faces one edge: "x: periodic; y.lo: periodic;".
std::string edgesOf(const Stencil &stencil, const Faces &faces, const std::string &edge) {
    std::string out;
    for (size_t dim = 0; dim < stencil.dims.size(); ++dim) {
        const auto has = [&](int side) {
            return std::ranges::any_of(faces.at, [&](const Face &f) { return f.dim == dim && f.side == side; });
        };
        const std::string part = has(0) && has(1) ? "" : has(0) ? ".lo" : ".hi";
        if (has(0) || has(1)) out += (out.empty() ? "" : " ") + stencil.dims[dim].name + part + ": " + edge + ';';
    }
    return out;
}

/// The statement that does so for a field that has no edge there.
std::string boundaryOf(const Stencil &stencil, const std::string &field, const Faces &faces, const std::string &edge) {
    return "'boundary " + field +
           (faces.at.size() == 2 * stencil.dims.size() ? " = " + edge + ";'" : " { " + edgesOf(stencil, faces, edge) + " }'");
}

/// A ring that is cut at one face is no ring: what wraps around there does so at the opposite one, too.
std::string ringOf(const Stencil &stencil, const std::string &field, Faces faces) {
    for (const Face face : std::vector(faces.at))
        if (std::ranges::none_of(faces.at, [&](const Face &f) { return f.dim == face.dim && f.side != face.side; }))
            faces.at.push_back({face.dim, 1 - face.side, face.distance});
    return boundaryOf(stencil, field, faces, "periodic");
}

/// What the stage updates, or null: monitors and points update nothing that an edge could keep from them.
const Field *updatedBy(const Stencil &stencil, const Stage &stage) {
    return stage.kind == Stage::Kind::Update ? &stencil.fields[stage.field] : nullptr;
}

/// How to stay away from these faces: "where x >= 1 and x < n - 1".
std::string where(const Stencil &stencil, const Faces &faces) {
    std::string out;
    for (const auto &[dim, side, distance] : faces.at) {
        const std::string &name = stencil.dims[dim].name, by = std::to_string(distance);
        out += (out.empty() ? "where " : " and ") + name +
               (side == 0 ? " >= " + by : " < " + toString(stencil, stencil.dims[dim].extent) + " - " + by);
    }
    return out;
}

void reportUndeclared(const Stencil &stencil, const Faces &faces, Diagnostics &diagnostics) {
    const Access &access = *faces.access;
    const Field &read = stencil.fields[access.field];
    const Field *updated = updatedBy(stencil, stencil.stages[access.stage]);
    const auto &[dim, side, distance] = faces.at.front();
    std::string help = "declare what lies there: " + boundaryOf(stencil, read.name, faces, "dirichlet 0");
    if (updated == &read)
        help += ", or 'boundary " + read.name + " = fixed;' to keep the rim as it starts";
    else if (updated && !updated->temp && updated->edge[dim][side].kind == EdgeKind::None)
        help += ", or " + boundaryOf(stencil, updated->name, faces, "fixed") + " to leave the rim of '" + updated->name +
                "' as it starts";
    else if (!updated)
        help += ", or keep away from it: '" + where(stencil, faces) + "'";
    diagnostics
        .error(access.range, readOf(faces, "'" + read.name + "'", "leave", "s") + "the grid at " + namesOf(stencil, faces) + ", where '" +
                                 read.name + "' has no boundary")
        .withHelp(help);
}

/// What a temp is made from that has no value beyond the face; null when it is a temp, too, and lacks one for that reason.
const Field *madeFromNothing(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims, int maker,
                             const Face &face) {
    for (const Access &access : accesses) {
        const Field &read = stencil.fields[access.field];
        if (access.stage == maker && !hasOwnRim(read, face.dim, face.side) &&
            distanceNeeded(stencil, rims, access, face.dim, face.side) > 0)
            return &read;
    }
    return nullptr;
}

void reportTempRim(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims, const Faces &faces,
                   Diagnostics &diagnostics) {
    const Access &access = *faces.access;
    const Field &read = stencil.fields[access.field];
    const Field *updated = updatedBy(stencil, stencil.stages[access.stage]);
    const auto &[dim, side, distance] = faces.at.front();
    const int64_t rim = rims[access.maker][dim][side];
    const bool ring = updated && updated->edge[dim][side].kind == EdgeKind::Periodic;
    std::string help;
    if (ring && rim == 0)
        help = "let '" + read.name + "' wrap around as '" + updated->name + "' does: " + ringOf(stencil, read.name, faces);
    else if (updated && !updated->temp)
        help = "make '" + updated->name + "' fixed at " + namesOf(stencil, faces) + ", or ";
    else if (!updated)
        help = "keep away from it: '" + where(stencil, faces) + "', or ";
    if (!ring || rim > 0) {
        const Field *source = rim > 0 ? madeFromNothing(stencil, accesses, rims, access.maker, faces.at.front()) : &read;
        help += !source           ? "give what '" + read.name + "' is made from a value there"
                : source == &read ? "give '" + read.name + "' a value there: "
                                  : "give '" + source->name + "', which '" + read.name + "' is made from, a value there: ";
        if (source) help += boundaryOf(stencil, source->name, faces, "dirichlet 0");
    }
    const std::string there = faces.at.size() == 1 ? "that face" : "these faces";
    diagnostics
        .error(access.range,
               readOf(faces, "temp '" + read.name + "'", "can meet", "") + "cells at " + namesOf(stencil, faces) + " that are not made")
        .note(stencil.stages[access.maker].range,
              rim > 0 ? "'" + read.name + "' is made " + std::to_string(rim) + (rim == 1 ? " cell" : " cells") + " away from " +
                            there + ", as far as its own reads reach"
                      : "'" + read.name + "' has no boundary there")
        .withHelp(help);
}

void reportFixed(const Stencil &stencil, const Faces &faces, Diagnostics &diagnostics) {
    const Access &access = *faces.access;
    const Field &read = stencil.fields[access.field];
    const Field *updated = updatedBy(stencil, stencil.stages[access.stage]);
    const auto &[dim, side, distance] = faces.at.front();
    Diagnostic &error = diagnostics.error(access.range, readOf(faces, "'" + read.name + "'", "leave", "s") + "the grid at " +
                                                            namesOf(stencil, faces) + ", where '" + read.name +
                                                            "' is fixed and so has no value outside");
    if (!updated) {
        error.withHelp("keep away from the face: '" + where(stencil, faces) + "'");
        return;
    }
    error
        .note(read.edge[dim][side].range, "'" + read.name + "' is fixed here, but '" + updated->name +
                                              "', which is updated from it, is not")
        .withHelp("make '" + updated->name + "' fixed at " + namesOf(stencil, faces) + " too, or give '" + read.name +
                  "' a value there: '" + edgesOf(stencil, faces, "dirichlet 0") + "'");
}

} // namespace

void checkEdges(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims,
                Diagnostics &diagnostics) {
    enum Lack { TempRim, Undeclared, FixedRim };
    std::set<std::tuple<int, int, size_t, int>> reported; // once per stage, field and face
    // By what is told of them: one mistake, a boundary that is not there, is one error, however many reads meet it.
    std::map<std::tuple<int, int, Lack, int64_t, EdgeKind>, Faces> found;
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
                const Lack lack = hasOwnRim(read, dim, side)                         ? TempRim
                                  : read.edge[dim][side].kind == EdgeKind::None ? Undeclared
                                                                                : FixedRim;
                const int64_t rim = lack == TempRim ? rims[access.maker][dim][side] : 0;
                const Field *updated = updatedBy(stencil, stage);
                const EdgeKind kind = updated ? updated->edge[dim][side].kind : EdgeKind::None;
                Faces &faces = found[{access.stage, access.field, lack, rim, kind}];
                if (faces.at.empty()) faces.access = &access;
                faces.several |= access.range.begin != faces.access->range.begin;
                faces.at.push_back({dim, side, needed});
            }
    for (auto &[key, faces] : found) {
        std::ranges::sort(faces.at, {}, [](const Face &face) { return std::pair(face.dim, face.side); });
        switch (std::get<Lack>(key)) {
        case TempRim:
            reportTempRim(stencil, accesses, rims, faces, diagnostics);
            break;
        case Undeclared:
            reportUndeclared(stencil, faces, diagnostics);
            break;
        case FixedRim:
            reportFixed(stencil, faces, diagnostics);
            break;
        }
    }
}

} // namespace oocc
