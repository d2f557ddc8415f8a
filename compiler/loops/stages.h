// Stages: the updates of a group, or one reduction, on one plane (3-D: some of its rows; 2-D: some of its cells; 1-D: a block). Rims and
// regions are peeled here, so that the row kernels never ask where they are.
#pragma once

#include "loops/kernels.h"

namespace oocc::loops {

/// A short name that no other stage has: u, watch_r, inject_p_3.
std::string stageId(const Context &context, int stage);
/// The function of the stage or of its group: plane_u, cells_u or block_u; plane_3_rho_to_f8.
std::string stageName(const Context &context, int stage);
/// "Stage 3, u", or "Stages 3 to 5, u, v and w".
std::string stagesText(const Context &context, const std::vector<int> &stages);
/// True when cells that the stage leaves out keep the field's value by a copy; where there is one slot, they do by themselves.
bool copiesKept(const Context &context, int stage, int field);
/// Its parameters: p, s, the plane, where the plane is cut: [lo, hi) along the tiled dimension, [left, right) of rows; and,
/// where planes have many rows, what to fetch ahead meanwhile.
std::vector<Param> stageParams(const Context &context);
/// Puts the declaration of the plane of the grid in front, where the schedule counts unrolled ones and the body uses it.
void declarePlane(const Context &context, Body &body);
/// `out`, or out_u where the loop writes several fields.
std::string targetName(const Context &context, const Kernel &kernel, const std::string &what, int field);
/// Declares `out`, where the loop writes in a plane (1-D: a block), and `old`, where that plane's cells that are left out have
/// their values.
void declareTargets(const Context &context, const Kernel &kernel, Body &body);
/// True when reductions and records are due after every step.
bool alwaysDue(const Stage &stage);
/// `if (!oocc_due(p, s, every)) return;`, unless it always is.
void returnUnlessDue(const Context &context, int stage, Body &body);
/// Refreshes the cells beyond both ends of a row of the field of which cells [lo, hi) were written at step s.
/// `shift`: of the row from the one that the coordinates stand for.
Stmt callGhosts(const Context &context, int field, E row, E lo, E hi, const Offsets &shift = {});
/// Puts such calls behind a body. Where tiles cut rows that close to a ring, the seam between the last and the first tile
/// makes them, unless there is one chain, which is both.
void addGhosts(const Context &context, Body &body, Body ghosts);

/// The function of a group of updates or of a reduction.
Function buildStage(const Context &context, const Kernel &kernel);

/// Scratch rows the stage needs for rows beyond the grid.
int edgeRowsOf(const Context &context, const Kernel &kernel);

} // namespace oocc::loops
