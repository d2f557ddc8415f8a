// Which row loops compute several rows at once. Wide stencils are bound by their loads: two rows of two planes load a cell
// of 27 points 12 times instead of 27, and one of 7 points 5 times; and what two of them add alike is added once. Planes are
// taken at once by taking the wave's positions in pairs, of each pair stage after stage. That is legal whatever the program:
// what a stage reads is made, and what it overwrites is read, at positions that are no later, by stages that come earlier.
#include "plan/plan.h"

#include <set>
#include <tuple>

namespace oocc {

namespace {

/// What a jam must save of the loads to be worth a longer loop, and of how many rows it may be: the addresses of more no longer
/// stay in registers. The wave equation of eighth order has 32 in two planes, and gains a tenth; two rows have as many, and lose.
constexpr double kWorth = 0.86;
constexpr Jam kTwo{2, 1}, kThree{3, 1}, kRows{1, 2}, kBoth{2, 2};
size_t mostRows(const Jam &jam, bool flat) {
    if (flat) return jam == kThree ? 12 : 24; // planes are rows; three at once are a tenth faster than two, unless they are many
    return jam == kTwo ? 36 : 24;
}

using Place = std::tuple<int, int, Offsets>;

/// The places that a stage reads for the cells of all rows at once, from the first one's on; of rows, not of cells, where
/// the row dimension is left out.
std::set<Place> placesOf(const Facts &facts, int stage, const Jam &jam, int leftOut) {
    std::set<Place> places;
    for (int plane = 0; plane < jam.planes; ++plane)
        for (int row = 0; row < jam.rows; ++row)
            for (const Access &access : accessesOf(facts.accesses, stage, stage)) {
                Offsets offset = access.offset;
                if (jam.planes > 1) offset[0] += plane;
                if (jam.rows > 1) offset[1] += row;
                if (leftOut >= 0) offset[leftOut] = 0;
                places.insert({access.field, access.time, offset});
            }
    return places;
}

double loadsPerCell(const Facts &facts, int stage, const Jam &jam) {
    return static_cast<double>(placesOf(facts, stage, jam, -1).size()) / static_cast<double>(jam.planes * jam.rows);
}

/// Loads are not what rows of functions wait for.
bool isWorth(const Facts &facts, int stage, const Jam &jam, int row, bool flat) {
    if (facts.stages[stage].flopsInCalls > 0) return false;
    const size_t rows = placesOf(facts, stage, jam, row).size() + static_cast<size_t>(jam.planes * jam.rows);
    return rows <= mostRows(jam, flat) && loadsPerCell(facts, stage, jam) <= kWorth * loadsPerCell(facts, stage, {});
}

/// One update of two or three dimensions that overwrites nothing but what it reads at the point.
bool allowsRows(const Stencil &stencil, const Facts &facts, const Plan &plan, const std::vector<int> &group) {
    const int k = group.front();
    const size_t ndim = stencil.dims.size(); // of four, no jam is faster: a star has too many rows (docs/speed.md)
    if (ndim < 2 || ndim > 3 || group.size() > 1 || stencil.stages[k].kind != Stage::Kind::Update) return false;
    for (const Access &access : accessesOf(facts.accesses, k, k)) {
        const bool own = access.field == stencil.stages[k].field;
        if (own && (access.time - 1) % plan.fields[access.field].slots == 0 && !access.atPoint()) return false;
    }
    return true;
}

} // namespace

std::vector<Jam> chooseJams(const Stencil &stencil, const Facts &facts, const Plan &plan) {
    std::vector<Jam> jams;
    for (const std::vector<int> &group : plan.groups) {
        Jam jam;
        if (allowsRows(stencil, facts, plan, group)) {
            const bool asked = plan.knobs.jamPlanes > 0;
            if (asked) jam = {plan.knobs.jamPlanes, plan.knobs.jamRows};
            const bool flat = stencil.dims.size() == 2; // planes are rows
            if (flat) jam.rows = 1;
            for (const Jam &each : flat ? std::vector{kTwo, kThree} : std::vector{kTwo, kRows, kBoth})
                if (!asked && isWorth(facts, group.front(), each, plan.row, flat)) jam = each;
        }
        jams.push_back(jam);
    }
    return jams;
}

} // namespace oocc
