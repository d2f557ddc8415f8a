#include "analysis/missing_edges.h"

#include "stencil/printer.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace oocc {

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

/// What most would want beyond a face: of a material what the last cell has, since 0 may be no density.
std::string usualEdge(const Field &field) {
    return field.coef ? "neumann" : "dirichlet 0";
}

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
    std::string help = "declare what lies there: " + boundaryOf(stencil, read.name, faces, usualEdge(read));
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

/// Temps that lack a boundary at the face, and that the maker's value is made from, beyond it, whatever temps lie between.
void addUnwrapped(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims, int maker, const Face &face,
                  std::vector<std::string> &names) {
    for (const Access &access : accesses) {
        const Field &read = stencil.fields[access.field];
        if (access.stage != maker || !hasOwnRim(read, face.dim, face.side) ||
            distanceNeeded(stencil, rims, access, face.dim, face.side) == 0)
            continue;
        if (rims[access.maker][face.dim][face.side] > 0)
            addUnwrapped(stencil, accesses, rims, access.maker, face, names);
        else if (std::ranges::find(names, read.name) == names.end())
            names.push_back(read.name);
    }
}

/// How what a temp is made from wraps around as the field that reads it does; empty when that would not help.
std::string wrapAround(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims, const Faces &faces,
                       const std::string &temp, const std::string &updated) {
    std::vector<std::string> names;
    const int maker = faces.access->maker;
    for (const Face &face : faces.at) {
        if (rims[maker][face.dim][face.side] == 0 || madeFromNothing(stencil, accesses, rims, maker, face)) return "";
        addUnwrapped(stencil, accesses, rims, maker, face, names);
    }
    std::string list;
    for (const std::string &name : names)
        list += (list.empty() ? "" : ", ") + name;
    return "let what '" + temp + "' is made from wrap around as '" + updated + "' does: " + ringOf(stencil, list, faces);
}

std::string remedyForTempRim(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims, const Faces &faces) {
    const Field &read = stencil.fields[faces.access->field];
    const Field *updated = updatedBy(stencil, stencil.stages[faces.access->stage]);
    const Face &face = faces.at.front();
    const int64_t rim = rims[faces.access->maker][face.dim][face.side];
    if (updated && updated->edge[face.dim][face.side].kind == EdgeKind::Periodic) {
        if (rim == 0) return "let '" + read.name + "' wrap around as '" + updated->name + "' does: " + ringOf(stencil, read.name, faces);
        if (std::string help = wrapAround(stencil, accesses, rims, faces, read.name, updated->name); !help.empty()) return help;
    }
    std::string help;
    if (updated && !updated->temp)
        help = "make '" + updated->name + "' fixed at " + namesOf(stencil, faces) + ", or ";
    else if (!updated)
        help = "keep away from it: '" + where(stencil, faces) + "', or ";
    const Field *source = rim > 0 ? madeFromNothing(stencil, accesses, rims, faces.access->maker, face) : &read;
    help += !source           ? "give what '" + read.name + "' is made from a value there"
            : source == &read ? "give '" + read.name + "' a value there: "
                              : "give '" + source->name + "', which '" + read.name + "' is made from, a value there: ";
    if (source) help += boundaryOf(stencil, source->name, faces, usualEdge(*source));
    return help;
}

void reportTempRim(const Stencil &stencil, const std::vector<Access> &accesses, const std::vector<Rims> &rims, const Faces &faces,
                   Diagnostics &diagnostics) {
    const Access &access = *faces.access;
    const Field &read = stencil.fields[access.field];
    const Face &face = faces.at.front();
    const int64_t rim = rims[access.maker][face.dim][face.side];
    const std::string there = faces.at.size() == 1 ? "that face" : "these faces";
    diagnostics
        .error(access.range,
               readOf(faces, "temp '" + read.name + "'", "can meet", "") + "cells at " + namesOf(stencil, faces) + " that are not made")
        .note(stencil.stages[access.maker].range,
              rim > 0 ? "'" + read.name + "' is made " + std::to_string(rim) + (rim == 1 ? " cell" : " cells") + " away from " +
                            there + ", as far as its own reads reach"
                      : "'" + read.name + "' has no boundary there")
        .withHelp(remedyForTempRim(stencil, accesses, rims, faces));
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
                  "' a value there: '" + edgesOf(stencil, faces, usualEdge(read)) + "'");
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
                const bool matters = kind == EdgeKind::None || kind == EdgeKind::Periodic; // to the remedy
                Faces &faces = found[{access.stage, access.field, lack, rim, matters ? kind : EdgeKind::Dirichlet}];
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
