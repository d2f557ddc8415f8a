#include "analysis/accesses.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace oocc {

namespace {

/// Who makes the value that is read, and who takes its place.
void findWriters(const std::vector<int> &writers, Access &access) {
    if (writers.empty()) return;
    access.maker = writers.back();
    access.overwriter = writers.front();
    if (access.time < 1) return;
    access.maker = writers.front();
    for (int writer : writers) {
        if (writer < access.stage) access.maker = writer;
        if (writer <= access.stage || access.sameStep) continue;
        access.overwriter = writer;
        access.sameStep = true;
    }
}

} // namespace

std::vector<Access> collectAccesses(const Stencil &stencil) {
    std::vector<Access> accesses;
    std::vector<std::vector<int>> writersOf(stencil.fields.size());
    for (size_t k = 0; k < stencil.stages.size(); ++k)
        if (stencil.stages[k].writes()) writersOf[stencil.stages[k].field].push_back(static_cast<int>(k));
    for (int stage = 0; stage < static_cast<int>(stencil.stages.size()); ++stage) {
        std::set<std::tuple<int, int, Offsets>> seen;
        const auto add = [&](const Read &read, Range range) {
            if (!seen.insert({read.field, read.time, read.offset}).second) return;
            Access access{stage, read.field, read.time, read.offset, range};
            findWriters(writersOf[read.field], access);
            accesses.push_back(access);
        };
        const Stage &s = stencil.stages[stage];
        walk(s.value, [&](const Expr &expr) {
            if (const Read *read = std::get_if<Read>(&expr.node)) add(*read, expr.range);
        });
        if (s.kind == Stage::Kind::Inject) add({s.field, 1, {}}, s.range);
        // Cells that the update leaves out keep their value, and what was injected into it.
        const bool keeps = s.kind == Stage::Kind::Update && !stencil.fields[s.field].temp;
        if (keeps && writersOf[s.field].size() > 1) add({s.field, 0, {}}, s.range);
    }
    return accesses;
}

std::span<const Access> accessesOf(const std::vector<Access> &accesses, int first, int last) {
    return {std::ranges::lower_bound(accesses, first, {}, &Access::stage), std::ranges::upper_bound(accesses, last, {}, &Access::stage)};
}

std::vector<int64_t> offsetsAlong(const Stencil &stencil, const Access &access, int dim) {
    const int64_t offset = access.offset[dim];
    if (offset == 0) return {0};
    const int64_t sign = offset < 0 ? 1 : -1, reach = offset < 0 ? -offset : offset;
    switch (stencil.fields[access.field].edge[dim][offset < 0 ? 0 : 1].kind) {
    case EdgeKind::Neumann:
        return {offset, 0};
    case EdgeKind::Reflect:
        return {offset, sign * (reach - 1)};
    case EdgeKind::ReflectCentre:
        return {offset, sign * reach};
    default:
        return {offset};
    }
}

} // namespace oocc
