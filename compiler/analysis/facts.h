// Everything the analysis knows of a program, read-only: the object behind --emit=facts.
#pragma once

#include "analysis/accesses.h"
#include "analysis/delays.h"
#include "analysis/edges.h"
#include "support/diagnostics.h"

#include <iosfwd>
#include <optional>

namespace oocc {

struct StageFacts {
    std::array<std::array<int64_t, 2>, kMaxDims> reach{}; ///< cells read towards the low and the high faces
    Rims rim{};       ///< cells at the faces that the stage leaves as they are
    double flops = 0; ///< floating-point operations per cell
    double flopsInCalls = 0; ///< additions that calls take as long as, besides
};

struct FieldFacts {
    int64_t ghostLo = 0, ghostHi = 0; ///< cells kept beyond both ends of a row
    bool readBeyondRows =
        false;          ///< some stage reads rows beyond faces other than x's that have a Dirichlet value
    bool read = false;  ///< by anything in a step
    bool local = false; ///< a temp that lives in registers: it has no place in the window
    int64_t delay = 0;  ///< planes: see oocc_field.delay_planes
    int64_t made = 0;   ///< planes: see oocc_field.made_planes
    int64_t keep = 0;   ///< planes: see oocc_field.keep_planes
};

struct Facts {
    std::vector<Access> accesses;
    std::vector<StageFacts> stages;
    std::vector<FieldFacts> fields;
    Schedule schedule;
    Delays piece; ///< pieces of rows as they are cut: of whole cache lines where that is possible
    double flopsPerCell = 0;
    double flopsInCallsPerCell = 0;
    std::array<int64_t, kMaxDims> leastExtent{}; ///< cells that edges ask for, per dimension
    int64_t wedgeMoreLow = 0, wedgeMoreHigh = 0; ///< planes of the wedge besides bt times its slope
    int feeding = -1;                            ///< a stage that reduces what the next step uses, or -1
    int64_t stateBytesPerCell = 0;               ///< of all levels that are stored
    int64_t coefBytesPerCell = 0;
};

/// Nothing when a diagnostic was an error.
std::optional<Facts> analyze(const Stencil &stencil, Diagnostics &diagnostics);

void print(std::ostream &out, const Stencil &stencil, const Facts &facts);

} // namespace oocc
