#include "analysis/accesses.h"

#include <set>
#include <tuple>

namespace oocc {

std::vector<Access> collectAccesses(const Stencil &stencil) {
    std::vector<Access> accesses;
    for (int stage = 0; stage < static_cast<int>(stencil.stages.size()); ++stage) {
        std::set<std::tuple<int, int, Offsets>> seen;
        walk(stencil.stages[stage].value, [&](const Expr &expr) {
            const Read *read = std::get_if<Read>(&expr.node);
            if (!read || !seen.insert({read->field, read->time, read->offset}).second) return;
            accesses.push_back(
                {stage, read->field, stencil.stageOf(read->field), read->time, read->offset, expr.range});
        });
    }
    return accesses;
}

} // namespace oocc
