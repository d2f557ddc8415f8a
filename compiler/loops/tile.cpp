#include "loops/tile.h"

#include "loops/ahead.h"
#include "loops/fields.h"
#include "loops/jam.h"
#include "loops/stages.h"

#include <algorithm>

namespace oocc::loops {

namespace {

bool watches(const Context &context, int stage) {
    return !context.stencil.stages[stage].writes();
}

} // namespace

Body atWave(const Context &context, int k, int64_t planes, const std::string &w, E end, Body body) {
    const Plan &plan = context.plan;
    const E z = var(context.waveName()), left = var("p->bt") - var("s");
    E lo = var("p->lo"), hi = var("p->hi");
    if (!watches(context, k)) {
        lo = maxOf(var("p->first"), lo - (left * var("WEDGE_LO") + lit(plan.wedgeLow.stage[k])));
        hi = minOf(var("p->end"), hi + left * var("WEDGE_HI") + lit(plan.wedgeHigh.stage[k]));
    }
    // The pass before the first step only evaluates what that step uses.
    const bool fromStepOne =
        context.facts.feeding >= 0 && context.stencil.stages[k].kind != Stage::Kind::Reduce;
    const auto inStep = [&](E there) { return fromStepOne ? lit(0) < var("s") && there : there; };
    const E position = var(w) - var("s") * var("STEP_DELAY") - lit(plan.wave.stage[k]);
    if (planes > 1) {
        const E behind = minOf(var(w) + lit(planes), std::move(end)) - var("s") * var("STEP_DELAY") - lit(plan.wave.stage[k]);
        return {declare("const int64_t", context.waveName(), maxOf(position, lo)),
                declare("const int64_t", "planes", minOf(behind, hi) - z),
                when(inStep(lit(0) < var("planes")), std::move(body))};
    }
    return {declare("const int64_t", context.waveName(), position),
            when(inStep(z >= lo && z < hi), std::move(body))};
}

std::vector<Param> groupParams() {
    return {{kPass, "p"}, {"int64_t", "w_lo"}, {"int64_t", "w_hi"}, {"int64_t", "s_lo"}, {"int64_t", "s_hi"}};
}

Body clipWave(const Context &context) {
    return {declare("const int64_t", "from",
                    maxOf(var("w_lo"),
                          var("p->first") + var("s_lo") * var("STEP_DELAY") + lit(context.plan.delayMin))),
            declare("const int64_t", "to",
                    minOf(var("w_hi"),
                          var("p->end") + var("s_hi") * var("STEP_DELAY") + lit(context.plan.delayMax)))};
}

namespace {

/// Group `g`, the stages of one loop, on the part of their plane between the two sides of the tile, and on their piece of the rows.
Body callStage(const Context &context, size_t g, int64_t positions) {
    const Plan &plan = context.plan;
    const std::vector<int> &stages = plan.groups[g];
    const Jam &jam = plan.jams[g];
    const int k = stages.front();
    const E lam = var("lam") + lit(plan.low.stage[k]), rho = var("rho") + lit(plan.high.stage[k]);
    const E low = var("low"), high = var("high"), n = context.extent(plan.tiled);
    Body body{declare("const int64_t", "low", call("side_at", {var("lo"), lam, rho})),
              declare("const int64_t", "high", call("side_at", {var("hi"), lam, rho}))};
    for (const Stmt &fetch : fetchForStep(context, g, positions))
        body.push_back(fetch);
    const auto part = [&](E from, E to) {
        std::vector<E> args{var("p"), var("s"), var(context.waveName())};
        if (jam.planes > 1) args.push_back(var("planes"));
        args.insert(args.end(), {from, to});
        if (context.pieces()) {
            const E lag = var("lag") + lit(plan.piece.stage[k]), n = context.extent(context.x());
            args.push_back(call("oocc_piece_lo", {var("p"), var("piece"), lag, n}));
            args.push_back(call("oocc_piece_lo", {var("p"), var("piece") + lit(1), lag, n}));
        }
        if (context.fetchesAhead()) args.push_back(addressOf(var("ahead")));
        return run(call(jam.any() ? jamName(context, k) : stageName(context, k), args));
    };
    if (!context.ring()) {
        body.push_back(part(low, high));
        return body;
    }
    // The seam between the last tile and the first reaches back over the end of the ring.
    Body seam{part(n + low, n), part(lit(0), high)};
    for (int each : stages) {
        const Stage &stage = context.stencil.stages[each];
        if (context.ndim() != 2 || !stage.writes() || !needsGhosts(context, stage.field)) continue;
        const E at = var(jam.planes > 1 ? "plane" : context.waveName());
        const E z = context.unrolled() ? call("oocc_plane_of", {var("p"), at}) : at;
        const E plane = call("oocc_plane", {var("p"), context.fieldId(stage.field), var("s"), at});
        const Stmt ghosts = run(call(ghostsName(context, stage.field), {plane, z, var("p->t0") + var("s")}));
        const E first = var(context.waveName());
        seam.push_back(jam.planes > 1 ? loop("plane", first, first + var("planes"), {ghosts}) : ghosts);
    }
    body.push_back(when(var("seam"), seam, {part(low, high)}));
    return body;
}

} // namespace

Function buildTile(const Context &context) {
    const bool pieces = !context.plan.piece.stage.empty();
    const std::string unit = context.ndim() == 2 ? "cells" : "rows";
    Function function;
    function.comment =
        "One tile, or the border between two: the wave over the slab, all steps of the group at every "
        "position.\nIts " +
        unit +
        " at step s reach from lo to hi; each side moves by `lam` times the low slope and `rho` times "
        "the high slope for every step of the group that has gone by.";
    if (context.fetchesAhead())
        function.comment += "\nFetched ahead, for the next position: of planes that it meets first, rows [first, last), which nobody has worked on, or, "
                            "where this is the last one, those of the tile that follows, up to row `next`. For the next step: the rows beyond the sides "
                            "that others have made, `below` and `above` of them, and at the first position the planes that the slab before has made.";
    if (pieces)
        function.comment +=
            "\nLong rows are taken in pieces, from left to right, so that a piece of all planes at work "
            "stays in cache; pieces shift to the left as steps go by.";
    function.returns = "void";
    function.name = "tile";
    function.params = groupParams();
    function.params.insert(function.params.end(), {{"struct side", "lo"}, {"struct side", "hi"}});
    if (context.fetchesAhead()) function.params.push_back({"int64_t", "next"});
    const E gone = var("s") - var("s_lo");
    Body steps{declare("const int64_t", "lam", gone * var("SLOPE_LO")),
               declare("const int64_t", "rho", gone * var("SLOPE_HI"))};
    if (pieces) steps.push_back(declare("const int64_t", "lag", gone * var("PIECE_SLOPE")));
    int64_t positions = 1;
    for (const Jam &jam : context.plan.jams)
        positions = std::max(positions, jam.planes);
    for (size_t g = 0; g < context.plan.groups.size(); ++g) {
        const std::vector<int> &stages = context.plan.groups[g];
        const Jam &jam = context.plan.jams[g];
        // Fewer planes at once than others: the last ones end where those of the others do, before what is not made yet.
        const bool each = jam.planes < positions;
        const E end = each ? minOf(var("w") + lit(positions), var("to")) : var("to");
        const Body stage =
            atWave(context, stages.front(), jam.planes, each ? "at" : "w", end, callStage(context, g, positions));
        if (each)
            steps.push_back(loopBy(lit(jam.planes), "at", var("w"), end, stage));
        else if (context.plan.groups.size() > 1)
            steps.push_back(scope("", stage));
        else
            steps.insert(steps.end(), stage.begin(), stage.end());
    }
    Body position = fetchForPosition(context, positions);
    position.push_back(loopTo("s", var("s_lo"), var("s_hi"), steps));
    const Stmt wave = positions > 1 ? loopBy(lit(positions), "w", var("from"), var("to"), position)
                                    : loop("w", var("from"), var("to"), position);
    function.body = clipWave(context);
    for (const Stmt &declared : declareAhead(context, positions))
        function.body.push_back(declared);
    if (context.ring())
        function.body.push_back(
            declare("const bool", "seam", var("lo.at") == lit(0) && var("lo.rho") < lit(0)));
    function.body.push_back(pieces ? loop("piece", lit(0), var("p->pieces"), {wave}) : wave);
    return function;
}

} // namespace oocc::loops
