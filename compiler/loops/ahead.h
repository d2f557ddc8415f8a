// What a tile fetches into cache while it computes: planes for its next position, and rows for its next step. See oocc/ahead.h.
#pragma once

#include "loops/context.h"

namespace oocc::loops {

/// BESIDE_LO and BESIDE_HI: rows beyond a tile's side (-1 low, 1 high) that its next step reads of what others have made.
int64_t rowsBeside(const Context &context, int side);

/// Before a tile's wave of so many positions at once: what is the same at all of them. Empty, as all of these, where nothing is fetched.
Body declareAhead(const Context &context, int64_t positions);

/// At a position of the wave: declares `ahead`, with the planes of the next position.
Body fetchForPosition(const Context &context, int64_t positions);

/// In a step, before group `g` is computed: with the rows that the group's next step reads and nobody has just made.
Body fetchForStep(const Context &context, size_t g, int64_t positions);

} // namespace oocc::loops
