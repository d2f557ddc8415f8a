#include "plan/plan.h"

#include <ostream>

namespace oocc {

namespace {

void printDelays(std::ostream &out, const char *name, const Delays &delays) {
    out << "  " << name << ": step " << delays.step << ", stages [";
    for (size_t k = 0; k < delays.stage.size(); ++k)
        out << (k ? ", " : "") << delays.stage[k];
    out << "]\n";
}

void printKnob(std::ostream &out, const char *name, int64_t value) {
    out << ' ' << name << ' ';
    if (value == 0)
        out << "auto";
    else
        out << value;
}

} // namespace

void print(std::ostream &out, const Stencil &stencil, const Plan &plan) {
    out << "plan of " << stencil.name << "\n  streamed: " << stencil.dims[plan.streamed].name;
    if (plan.tiled >= 0) out << ", tiled: " << stencil.dims[plan.tiled].name;
    out << ", rows along: " << stencil.dims[plan.row].name << '\n';
    printDelays(out, "wave", plan.wave);
    if (plan.tiled >= 0) {
        printDelays(out, "low side", plan.low);
        printDelays(out, "high side", plan.high);
        out << "  columns read " << plan.moreLow << " rows below and " << plan.moreHigh << " above what step 1 makes\n";
        if (plan.leans) {
            out << "  columns may lean; rows that each is given of the one before:";
            for (size_t f = 0; f < plan.fields.size(); ++f)
                if (!stencil.fields[f].coef && !plan.fields[f].local) out << ' ' << stencil.fields[f].name << ' ' << plan.fields[f].leanRows;
            out << '\n';
        }
    }
    if (!plan.piece.stage.empty()) printDelays(out, "pieces of rows", plan.piece);
    if (plan.ring) out << "  tiles form a ring: " << stencil.dims[plan.tiled].name << " is periodic\n";
    if (plan.unrolled) out << "  planes are unrolled: " << stencil.dims[plan.streamed].name << " is periodic\n";
    printDelays(out, "wedge at the low end", plan.wedgeLow);
    printDelays(out, "wedge at the high end", plan.wedgeHigh);
    for (size_t g = 0; g < plan.groups.size(); ++g)
        if (plan.jams[g].any())
            out << "  stage " << plan.groups[g].front() << ": " << plan.jams[g].planes << " planes by " << plan.jams[g].rows
                << " rows at once\n";
    for (const std::vector<int> &group : plan.groups)
        if (group.size() > 1) out << "  one loop: stages " << group.front() << " to " << group.back() << '\n';
    for (size_t f = 0; f < plan.fields.size(); ++f) {
        const FieldStorage &field = plan.fields[f];
        if (field.local) {
            out << "  " << stencil.fields[f].name << " lives in registers\n";
            continue;
        }
        out << "  window of " << stencil.fields[f].name << ": slots " << field.slots << ", each of bt*"
            << plan.wave.step << " + bz + " << field.keep - field.delay
            << " planes and the planes in flight; stored levels " << field.levels << ", ghost cells "
            << field.ghostLo << '/' << field.ghostHi << '\n';
    }
    out << "  knobs:";
    printKnob(out, "bt", plan.knobs.bt);
    printKnob(out, "bz", plan.knobs.bz);
    printKnob(out, "ct", plan.knobs.ct);
    printKnob(out, "yt", plan.knobs.yt);
    printKnob(out, "xt", plan.knobs.xt);
    printKnob(out, "columns", plan.knobs.columns);
    out << " jam ";
    if (plan.knobs.jamPlanes == 0)
        out << "auto";
    else
        out << plan.knobs.jamPlanes << 'x' << plan.knobs.jamRows;
    out << '\n';
}

} // namespace oocc
