#include "analysis/facts.h"
#include "analysis/limits.h"

#include <ostream>

namespace oocc {

namespace {

void printStage(std::ostream &out, const Stencil &stencil, const Facts &facts, size_t k) {
    const StageFacts &stage = facts.stages[k];
    out << "stage " << k << ": " << stageText(stencil, static_cast<int>(k)) << "\n  reads";
    bool any = false;
    for (const Access &access : facts.accesses)
        if (access.stage == static_cast<int>(k)) {
            out << ' ' << accessText(stencil, access);
            any = true;
        }
    out << (any ? "\n  reach" : " nothing\n  reach");
    for (size_t dim = 0; dim < stencil.dims.size(); ++dim)
        out << ' ' << stencil.dims[dim].name << " -" << stage.reach[dim][0] << "/+" << stage.reach[dim][1];
    out << "\n  rim  ";
    for (size_t dim = 0; dim < stencil.dims.size(); ++dim)
        out << ' ' << stencil.dims[dim].name << ' ' << stage.rim[dim][0] << '/' << stage.rim[dim][1];
    out << "\n  flops " << stage.flops << '\n';
}

void printDelays(std::ostream &out, const char *title, const char *unit, const Delays &delays) {
    out << title << ": " << delays.step << ' ' << unit << " a step; stages";
    for (int64_t delay : delays.stage)
        out << ' ' << delay;
    out << '\n';
}

} // namespace

void print(std::ostream &out, const Stencil &stencil, const Facts &facts) {
    out << "facts of " << stencil.name << '\n';
    for (size_t k = 0; k < stencil.stages.size(); ++k)
        printStage(out, stencil, facts, k);
    for (size_t f = 0; f < stencil.fields.size(); ++f) {
        const Field &field = stencil.fields[f];
        out << (field.coef   ? "coef "
                : field.temp ? "temp "
                             : "field ")
            << field.name << ": " << elementName(field.type) << ", levels " << field.levels << ", slots "
            << facts.schedule.slots[f] << ", delay " << facts.fields[f].delay << ", keep "
            << facts.fields[f].keep << ", ghosts " << facts.fields[f].ghostLo << '/'
            << facts.fields[f].ghostHi << (facts.fields[f].local ? ", in registers" : "") << '\n';
    }
    const std::vector<int> &group = facts.schedule.group;
    for (size_t k = 1; k < group.size(); ++k) {
        if (group[k] == static_cast<int>(k)) continue;
        const bool ends = k + 1 == group.size() || group[k + 1] != group[k];
        if (ends) out << "one loop: stages " << group[k] << " to " << k << '\n';
    }
    const bool lines = stencil.dims.size() == 1;
    printDelays(out, "wave", lines ? "blocks" : "planes", facts.schedule.wave);
    if (facts.schedule.tiled) {
        const char *unit = stencil.dims.size() == 2 ? "cells" : "rows";
        printDelays(out, "tile, low side", unit, facts.schedule.low);
        printDelays(out, "tile, high side", unit, facts.schedule.high);
    }
    if (!facts.schedule.piece.stage.empty())
        printDelays(out, "pieces of rows", "cells", facts.schedule.piece);
    for (const std::string &limit : limitsOf(stencil, facts))
        out << "limit: " << limit << '\n';
    out << "per cell: " << facts.flopsPerCell << " flops a step, state " << facts.stateBytesPerCell
        << " bytes, coefficients " << facts.coefBytesPerCell << " bytes\n";
}

} // namespace oocc
