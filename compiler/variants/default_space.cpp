#include "variants/default_space.h"

#include "variants/knobs.h"

#include <algorithm>

namespace oocc::variants {

namespace {

constexpr int64_t kSample = 200;   // configurations, where there are more
constexpr int64_t kLongRow = 2048; // cells: cutting it into pieces may pay
constexpr int64_t kManyRows = 256; // a plane may be cut into columns
constexpr int64_t kMostPlanes = 3; // a slab is at most so small a part of the grid

/// Doubling from `least` on, up to `most`; at least one.
Json doubling(int64_t least, int64_t largest, int64_t most) {
    Json values = Json::array({std::min(least, std::max<int64_t>(most, 1))});
    for (int64_t value = least * 2; value <= std::min(largest, most); value *= 2)
        values.push_back(value);
    return values;
}

Json knob(const char *name, Json values, const char *comment) {
    Json made;
    made["name"] = name;
    made["type"] = typeName(*knobKind(name));
    made["default"] = values[values.size() / 2];
    made["values"] = std::move(values);
    made["comment"] = comment;
    return made;
}

bool jamHelps(const Stencil &stencil, const Facts &facts) {
    Knobs knobs;
    knobs.jamPlanes = knobs.jamRows = 2;
    const Plan plan = makePlan(stencil, facts, knobs);
    return std::any_of(plan.jams.begin(), plan.jams.end(), [](const Jam &jam) { return jam.any(); });
}

bool watches(const Stencil &stencil) {
    return std::any_of(stencil.stages.begin(), stencil.stages.end(), [](const Stage &stage) {
        return stage.kind == Stage::Kind::Reduce || stage.kind == Stage::Kind::Monitor;
    });
}

} // namespace

Json defaultSpace(const Stencil &stencil, const Facts &facts, const std::vector<int64_t> &extents, int64_t steps) {
    const size_t ndim = extents.size();
    const Plan plan = makePlan(stencil, facts, {});
    Json knobs = Json::array(), constraints = Json::array();
    const bool deep = facts.feeding < 0;
    if (deep) {
        knobs.push_back(knob("bt", doubling(2, 32, steps), "steps per pass over the grid"));
        knobs.push_back(knob("ct", doubling(1, 8, steps), "steps done while data is in cache"));
        constraints = {"ct <= bt", "bt % ct == 0"};
    }
    const int64_t planes = extents[0] / kMostPlanes;
    if (ndim > 1) knobs.push_back(knob("bz", doubling(1, 16, planes), "planes by which the window moves"));
    if (ndim == 2) knobs.push_back(knob("yt", doubling(256, 4096, extents[1]), "cells of a tile"));
    if (ndim == 3) knobs.push_back(knob("yt", doubling(8, 128, extents[1]), "rows of a tile"));
    if (ndim == 4) knobs.push_back(knob("yt", doubling(1, 16, extents[1]), "layers of a tile"));
    if (ndim == 3 && !plan.piece.stage.empty() && extents[2] >= kLongRow)
        knobs.push_back(knob("xt", {"auto", extents[2] / 4, extents[2] / 2}, "cells of a piece of a row"));
    if (ndim > 2 && !plan.ring && !watches(stencil) && extents[1] >= kManyRows)
        knobs.push_back(knob("columns", {"auto", 2, 4}, "columns that a plane is cut into"));
    if (jamHelps(stencil, facts))
        knobs.push_back(ndim == 2 ? knob("jam", {"1x1", "2x1", "3x1"}, "rows that one loop computes at once")
                                  : knob("jam", {"1x1", "1x2", "2x2"}, "planes and rows that one loop computes at once"));
    knobs.push_back(knob("layout", {"dense", "padded"}, "rows and planes kept out of each other's cache sets, or not"));
    knobs.push_back(knob("prefetch", {"off", "on"}, "whether tiles fetch planes ahead into cache"));

    Json space;
    space["format"] = "oocc-space";
    space["version"] = 1;
    space["program"] = stencil.name;
    space["knobs"] = knobs;
    space["constraints"] = constraints;
    int64_t all = 1;
    for (const Json &each : knobs)
        all *= static_cast<int64_t>(each["values"].size());
    if (all > kSample) space["sample"] = {{"count", kSample}, {"seed", 1}};
    return space;
}

} // namespace oocc::variants
