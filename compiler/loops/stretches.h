// Loops over the cells of a row, in stretches where something happens between them: what is needed soon is fetched ahead, or a
// processor is asked whether all quotients were exact (oocc/quotients.h).
#pragma once

#include "loops/loops.h"

#include <string>
#include <vector>

namespace oocc::loops {

/// Over cells [lo, hi) of a row, each at `index`.
struct CellLoop {
    E lo, hi;
    std::string index;
    std::string pragma; ///< of the innermost loop
    int64_t rows;       ///< that it writes at once
    bool fetches;       ///< what is needed soon
    bool few; ///< rows that memory bounds, which fetch before each stretch: a processor drops what it is asked for all at once. More have
              ///< no registers left for that, and fetch before the row
};

/// A row that is written where the loop has read what is replaced: the cells of a stretch are kept, for a second loop to read.
struct Replaced {
    std::string type, row, kept;
};

/// The names of where the parts of a row begin and end that is cut.
inline constexpr const char *kPartBegin = "begin";
inline constexpr const char *kPartEnd = "end";

/// Over the parts [begin, end) of a row of `cells` that begins with cell `first` and is cut at these cells.
Body overParts(const std::vector<E> &cuts, Body part);

Body overCells(const CellLoop &loop, Body body);

/// With quotients made of the inverses of these names; and divided where that was not exact. `stage` is what tells this loop from others.
Body overQuotients(const CellLoop &loop, int stage, const std::vector<std::string> &inverses, const std::vector<Replaced> &replaced, Body byInverse,
                   Body divided);

} // namespace oocc::loops
