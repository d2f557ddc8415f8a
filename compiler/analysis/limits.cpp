#include "analysis/limits.h"

#include <algorithm>
#include <set>

namespace oocc {

std::string accessText(const Stencil &stencil, const Access &access) {
    std::string shift;
    const auto append = [&](const std::string &name, int by) {
        if (by != 0) shift += (shift.empty() ? "" : ", ") + name + (by > 0 ? "+" : "") + std::to_string(by);
    };
    if (!stencil.fields[access.field].temp) append("t", access.time);
    for (size_t dim = 0; dim < stencil.dims.size(); ++dim)
        append(stencil.dims[dim].name, access.offset[dim]);
    return stencil.fields[access.field].name + (shift.empty() ? "" : "[" + shift + "]");
}

std::string stageText(const Stencil &stencil, int stage) {
    const Stage &s = stencil.stages[stage];
    switch (s.kind) {
    case Stage::Kind::Update:
        return "update of " + stencil.fields[s.field].name;
    case Stage::Kind::Inject:
        return "injection into " + stencil.fields[s.field].name;
    case Stage::Kind::Record:
        return "record of " + stencil.fields[s.field].name;
    case Stage::Kind::Reduce:
        return "scalar " + stencil.scalars[s.scalar].name;
    case Stage::Kind::Monitor:
        return "monitor " + stencil.scalars[s.scalar].name;
    }
    return "";
}

namespace {

/// The reads that no smaller number than `delays.step` would keep in order.
std::string because(const Stencil &stencil, const Facts &facts, const std::vector<Constraint> &constraints,
                    const Delays &delays) {
    const std::vector<size_t> cycle =
        whatRulesOut(static_cast<int>(stencil.stages.size()), constraints, delays.step - 1);
    std::string text;
    std::set<std::string> said;
    for (size_t i : cycle) {
        const Constraint &c = constraints[i];
        const Access &access = facts.accesses[c.access];
        const std::string line =
            "the " + stageText(stencil, access.stage) + " reads " + accessText(stencil, access) +
            (c.anti ? ", which must not be overwritten before" : ", which must be there");
        if (said.insert(line).second) text += (text.empty() ? "" : "; ") + line;
    }
    return text;
}

std::string amount(int64_t count, const std::string &unit) {
    return std::to_string(count) + " " + unit + (count == 1 ? "" : "s");
}

std::string lag(const Stencil &stencil, const Facts &facts, const char *what, const std::string &unit,
                const std::vector<Constraint> &constraints, const Delays &delays) {
    if (delays.step == 0) return std::string(what) + ": steps follow each other on the same " + unit;
    return std::string(what) + ": " + amount(delays.step, unit) + " a step, since " +
           because(stencil, facts, constraints, delays);
}

} // namespace

std::vector<std::string> limitsOf(const Stencil &stencil, const Facts &facts) {
    const Schedule &schedule = facts.schedule;
    std::vector<std::string> limits;
    if (facts.feeding >= 0)
        limits.push_back("no temporal blocking: the " + stageText(stencil, facts.feeding) +
                         " needs the whole grid before the next step may begin, so a pass is one step");
    limits.push_back(lag(stencil, facts, "lag in the window", stencil.dims.size() == 1 ? "block" : "plane",
                         waveConstraints(stencil, facts.accesses, schedule.slots), schedule.wave));
    if (const int tiled = tiledDim(stencil); tiled >= 0)
        for (int direction : {-1, 1})
            limits.push_back(lag(stencil, facts,
                                 direction < 0 ? "slope of a tile's low side" : "slope of a tile's high side",
                                 stencil.dims.size() == 2 ? "cell" : "row",
                                 constraintsAlong(stencil, tiled, direction, facts.accesses, schedule.slots),
                                 direction < 0 ? schedule.low : schedule.high));
    if (isPeriodic(stencil, 0))
        limits.push_back(stencil.dims[0].name + " is periodic: a pass of bt steps reads bt*" +
                         std::to_string(schedule.wedgeLow.step + schedule.wedgeHigh.step) +
                         " planes more than the grid has, and computes half of them again");
    limits.insert(limits.end(), schedule.reasons.begin(), schedule.reasons.end());
    return limits;
}

} // namespace oocc
