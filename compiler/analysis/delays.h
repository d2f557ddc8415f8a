// How many levels of every field are kept, and by how much stages lag: what makes temporal blocking legal.
//
// For every read (stage k reads field g, written by stage kg, at time tau and offset o along the dimension in question)
//
//     flow: the value is there      d[k]  - d[kg] + (1 - tau) * step          >=  o
//     anti: it is not overwritten   d[kg] - d[k]  + (tau + slots - 1) * step  >= -o
//
// (where a point is injected into a field, two stages write it: the value is there when the last one that the reader may see
// is done, and it is overwritten by the next one, which may come in the same step)
//
// with o the offset along the streamed dimension for the wave, and along the tiled one for the high side of a tile (for
// the low side its mirror image -o). Slots start at the fewest levels that are alive and grow while nothing is feasible.
#pragma once

#include "analysis/accesses.h"
#include "analysis/solver.h"

#include <optional>
#include <string>
#include <vector>

namespace oocc {

struct Schedule {
    std::vector<int> slots; ///< per field: levels kept at once; 1 for a coefficient
    std::vector<int> group; ///< per stage: the first stage of those that one loop computes together with it
    Delays wave;            ///< in planes (1-D: blocks)
    bool tiled = false;     ///< false for 1-D grids
    Delays low, high;       ///< rows (2-D: cells) by which a tile's sides shrink
    Delays piece;           ///< cells by which a piece of a row shifts to the left at least; empty unless rows are cut
    /// So that the planes of a range are right after bt steps, step s computes (bt-s)*step + stage[k] planes more at its
    /// low and at its high end: where the streamed dimension is periodic the range is the grid, under schedule overlap a
    /// block of it.
    Delays wedgeLow, wedgeHigh;
    int64_t tileReach = 0; ///< the furthest read along the tiled dimension
    std::vector<std::string>
        reasons; ///< why a field keeps more levels than are alive, or a step lags, in words
};

inline constexpr int kMaxSlots = 16; ///< OOCC_MAX_SLOTS of the runtime's window

Schedule computeSchedule(const Stencil &stencil, const std::vector<Access> &accesses);

/// Of one plane of the window, per cell; what a level of depth costs are so many planes as a step lags by.
int64_t planeBytes(const Stencil &stencil, const std::vector<int> &slots);
/// Why a field has more slots than levels that are alive, for Schedule::reasons.
std::string keepsMore(const Stencil &stencil, int field, int levels, int alive, const std::string &why);

/// Every stage a loop of its own.
std::vector<int> eachAlone(const Stencil &stencil);

/// The schedule for these slots in which all stages of a group have the same delays; nothing where there is none.
std::optional<Schedule> scheduleGroups(const Stencil &stencil, const std::vector<Access> &accesses,
                                       const std::vector<int> &slots, const std::vector<int> &group);

/// True when some field is periodic along the dimension.
bool isPeriodic(const Stencil &stencil, int dim);

/// The dimension tiles cut: z of (w, z, y, x), y of (z, y, x), x of (y, x); -1 for 1-D.
int tiledDim(const Stencil &stencil);

/// The dimension along which long rows are cut into pieces that one thread takes from left to right: x of (z, y, x);
/// -1 where the tiles cut rows already, in 1-D and 4-D, and where x is periodic: the first piece would need the last.
int pieceDim(const Stencil &stencil);

/// The offsets of an access along the streamed dimension in planes: one number, or in 1-D the blocks it may touch.
std::vector<int64_t> streamedOffsets(const Stencil &stencil, const Access &access);

/// The same along rows that are cut into pieces, in cells. Ghost cells are written together with the row's first and last
/// cells, so a read of one counts as a read of those.
std::vector<int64_t> pieceOffsets(const Stencil &stencil, const Access &access);

/// What is computed in one loop lags alike.
void addEqual(std::vector<Constraint> &list, const std::vector<int> &group);

/// All flow and anti constraints along the streamed dimension, for the given slots.
std::vector<Constraint> waveConstraints(const Stencil &stencil, const std::vector<Access> &accesses,
                                        const std::vector<int> &slots);
/// The same along another dimension: direction +1 for the high side of a tile and for pieces of rows, -1 for the low
/// side of a tile.
std::vector<Constraint> constraintsAlong(const Stencil &stencil, int dim, int direction,
                                         const std::vector<Access> &accesses, const std::vector<int> &slots);
/// Which planes beyond the low (direction -1) or high end of a range must be computed so that those in it can be: flow only.
std::vector<Constraint> wedgeConstraints(const Stencil &stencil, const std::vector<Access> &accesses,
                                         int direction);

} // namespace oocc
