#include "loops/tiles.h"

#include "loops/ahead.h"
#include "loops/fields.h"
#include "loops/jam.h"
#include "loops/stages.h"

#include <algorithm>

namespace oocc::loops {

namespace {

int64_t most(const std::vector<int64_t> &shift) {
    return *std::max_element(shift.begin(), shift.end());
}

const char *const kPass = "const struct oocc_pass *";

bool watches(const Context &context, int stage) {
    return !context.stencil.stages[stage].writes();
}

/// `const int64_t z = w - s*STEP_DELAY - delay; if the step has to make it: body`. That is a plane of the pass's range, or
/// of the step's part of the wedge beyond it, which the pass's steps to come read; what looks at every plane once stays in
/// the range. The wedge ends where the planes do: a whole grid that is not periodic has none.
/// `w` is the position; of jammed planes it is that of the first of them, and `planes` says how many there are before `end`.
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

/// Rows that one loop of the step takes at once, at most.
int64_t jamRows(const Context &context) {
    int64_t rows = 1;
    for (const Jam &jam : context.plan.jams)
        rows = std::max(rows, jam.rows);
    return rows;
}

std::vector<Param> groupParams() {
    return {{kPass, "p"}, {"int64_t", "w_lo"}, {"int64_t", "w_hi"}, {"int64_t", "s_lo"}, {"int64_t", "s_hi"}};
}

/// Positions at which no step of the group has a plane left to do are skipped: whole-grid slabs have many.
Body clipWave(const Context &context) {
    return {declare("const int64_t", "from",
                    maxOf(var("w_lo"),
                          var("p->first") + var("s_lo") * var("STEP_DELAY") + lit(context.plan.delayMin))),
            declare("const int64_t", "to",
                    minOf(var("w_hi"),
                          var("p->end") + var("s_hi") * var("STEP_DELAY") + lit(context.plan.delayMax)))};
}

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

/// Whether planes are stored in several bands, whose checksums are made as soon as the rows are.
bool seals(const Context &context) {
    return context.ndim() > 2 && !context.ring();
}

/// A tile's slopes are those of a chain's high side, so that chains and their tiles are legal for the same reason.
Function buildChain(const Context &context) {
    const E j = var("j"), tiles = var("tiles"), least = var("TILE_LEAST"), gone = var("s_hi") - var("s_lo");
    const auto begins = [&](E which) {
        return call("oocc_tile_lo", {var("lo.at"), var("hi.at"), tiles, var("lost"), least, var("TILE_JAM"), std::move(which)});
    };
    const auto leaning = [&](E which) { return call("make_side", {begins(std::move(which)), lit(0), lit(-1)}); };
    Body each{declare("const struct side", "low", cond(j == lit(0), var("lo"), leaning(j))),
              declare("const struct side", "high", cond(j == tiles - lit(1), var("hi"), leaning(j + lit(1))))};
    std::vector<E> args{var("p"), var("w_lo"), var("w_hi"), var("s_lo"), var("s_hi"), var("low"), var("high")};
    if (context.fetchesAhead()) {
        each.push_back(declare("const int64_t", "next", cond(j < tiles - lit(2), begins(j + lit(2)), var("hi.at"))));
        args.push_back(var("next"));
    }
    each.push_back(run(call("tile", args)));
    Function function;
    function.comment = "The tiles of a chain, one after the other. They lean: both sides of one move to the low side as steps go by, so that it "
                       "needs nothing of the next one. `lost`: what the first one has less when the group ends.";
    function.returns = "void";
    function.name = "chain";
    function.params = groupParams();
    function.params.insert(function.params.end(), {{"struct side", "lo"}, {"struct side", "hi"}, {"int64_t", "wanted"}});
    function.body = {
        declare("const int64_t", "lost", (lit(1) + var("lo.rho")) * (gone * var("SLOPE_HI") + var("SHIFT_HI")) +
                                             var("lo.lam") * (gone * var("SLOPE_LO") + var("SHIFT_LO"))),
        declare("const int64_t", "tiles", call("oocc_tiles_in", {var("lo.at"), var("hi.at"), var("lost"), least, var("wanted")}))};
    if (seals(context)) {
        const E byLow = gone * var("SLOPE_LO"), byHigh = gone * var("SLOPE_HI");
        const E end = call("side_at", {var("high"), byLow, byHigh + var("SHIFT_HI")});
        function.comment += "\n`done`: the first row that the group has made and that has no checksum yet.";
        function.body.push_back(declare("int64_t", "done", call("side_at", {var("lo"), byLow + var("SHIFT_LO"), byHigh})));
        each.push_back(assign(var("done"), call("oocc_rows_done", {var("p"), var("s_hi"), var("done"), end})));
    }
    function.body.push_back(loop("j", lit(0), tiles, each));
    return function;
}

std::vector<Param> slabParams() {
    return {{kPass, "p"}, {"int64_t", "w_lo"}, {"int64_t", "w_hi"}};
}

Function buildTiledSlab(const Context &context) {
    const E j = var("item.chain");
    const auto chainLo = [&](E which) {
        return call("oocc_chain_lo", {var("p"), var("first.at"), var("last.at"), which});
    };
    const auto side = [&](E where, int64_t lam, int64_t rho) {
        return call("make_side", {where, lit(lam), lit(rho)});
    };
    const auto work = [&](const char *what, const std::vector<E> &on) {
        std::vector<E> args{var("p"), var("w_lo"), var("w_hi"), var("s_lo"), var("s_hi")};
        args.insert(args.end(), on.begin(), on.end());
        return run(call(what, args));
    };
    const bool ring = context.ring();
    const E alone = var("p->chains") == lit(1);
    const E isFirst = ring ? alone : j == lit(0);
    const E isLast = ring ? alone : j == var("p->chains") - lit(1);
    Function function;
    function.comment =
        "All steps of the wave positions [w_lo, w_hi), group by group, in two phases: chains of tiles shrink from both "
        "sides as steps go by, except at the grid's edge, and so need nothing of each other; the borders between "
        "them then grow by what was left out. Nothing is copied, and nothing computed twice but the halo of a "
        "column. A border waits for the two chains beside it only, and a chain of the next group for the borders "
        "around it.";
    if (ring)
        function.comment +=
            "\nThe dimension is periodic: several chains form a ring, and border 0 is its seam.";
    function.returns = "void";
    function.name = "slab";
    function.params = slabParams();
    // Around a ring that is not cut, the first tile needs the last one.
    const E tiles = call("oocc_tiles_of", {var("p"), j}), wanted = ring ? cond(alone, lit(1), tiles) : tiles;
    std::vector<E> border{side(var("lo"), 0, -1), side(var("lo"), 1, 0)};
    if (context.fetchesAhead()) border.push_back(var("lo")); // no tile follows
    const Body items{
        declare("const int64_t", "s_lo", call("oocc_group_lo", {var("p"), var("item.group")})),
        declare("const int64_t", "s_hi", call("oocc_group_hi", {var("p"), var("item.group")})),
        declare("const struct side", "first", call("first_side", {var("p"), var("s_lo")})),
        declare("const struct side", "last", call("last_side", {var("p"), var("s_lo")})),
        declare("const int64_t", "lo", chainLo(j)),
        declare("const int64_t", "hi", chainLo(j + lit(1))),
        when(var("item.border"), {work("tile", border)},
             {work("chain", {cond(isFirst, var("first"), side(var("lo"), 1, 0)),
                             cond(isLast, var("last"), side(var("hi"), 0, -1)), wanted})}),
    };
    function.body = {
        run(call("oocc_share_out", {var("p")})),
        scope("omp parallel", {declare("struct oocc_item", "item", call("oocc_no_item", {})),
                               {While{call("oocc_next_item", {var("p"), addressOf(var("item"))}), items}}})};
    return function;
}

Function buildBlockSlab(const Context &context) {
    Function function;
    function.comment = "All steps of the wave positions [w_lo, w_hi), in shares: who takes one goes through all steps with it, behind the share "
                       "below. What a stage reads is its share's own or was made there, by stages before.";
    function.returns = "void";
    function.name = "slab";
    function.params = slabParams();
    const E share = addressOf(var("share"));
    Body stages;
    for (const std::vector<int> &together : context.plan.groups) {
        const int k = together.front();
        stages.push_back(run(call("oocc_follow", {var("p"), share})));
        stages.push_back(loop("w", var("share.lo"), var("share.hi"),
                              atWave(context, k, 1, "w", var("share.hi"),
                                     {run(call(stageName(context, k), {var("p"), var("s"), var(context.waveName())}))})));
    }
    function.body = {declare("const int64_t", "s_lo", var("p->first_step")),
                     declare("const int64_t", "s_hi", var("p->bt"))};
    for (const Stmt &bound : clipWave(context))
        function.body.push_back(bound);
    function.body.push_back(run(call("oocc_share_positions", {var("p"), var("from"), var("to")})));
    function.body.push_back(scope("omp parallel", {declare("struct oocc_share", "share", call("oocc_no_share", {})),
                                                   {While{call("oocc_next_share", {var("p"), share}), {loopTo("s", var("s_lo"), var("s_hi"), stages)}}}}));
    return function;
}

} // namespace

std::vector<Constant> buildScheduleConstants(const Context &context) {
    const std::string unit = context.ndim() == 1 ? "blocks" : "planes";
    std::vector<Constant> constants{
        {"STEP_DELAY", context.plan.wave.step, unit + " by which a step lags behind the one before"}};
    if (context.plan.tiled >= 0) {
        const std::string rows = context.ndim() == 2 ? "cells" : "rows";
        constants.push_back(
            {"SLOPE_LO", context.plan.low.step, rows + " a tile loses at its low side with every step"});
        constants.push_back({"SLOPE_HI", context.plan.high.step, "and at its high side"});
        constants.push_back({"SHIFT_LO", most(context.plan.low.stage), "by which its low side differs between the updates of a step, at most"});
        constants.push_back({"SHIFT_HI", most(context.plan.high.stage), "and its high side"});
        constants.push_back({"TILE_LEAST", context.plan.tileReach + 1, rows + " that a tile has at least"});
        constants.push_back({"TILE_JAM", jamRows(context), rows + " that one loop takes at once, at most: tiles are whole multiples of it"});
        if (context.fetchesAhead()) {
            constants.push_back({"BESIDE_LO", rowsBeside(context, -1), rows + " below a tile that its next step reads"});
            constants.push_back({"BESIDE_HI", rowsBeside(context, 1), "and above it"});
        }
    }
    if (!context.plan.piece.stage.empty())
        constants.push_back(
            {"PIECE_SLOPE", context.plan.piece.step, "cells a piece of a row shifts with every step"});
    constants.push_back({"WEDGE_LO", context.plan.wedgeLow.step,
                         unit + " below those that a step makes that it needs of the one before"});
    constants.push_back({"WEDGE_HI", context.plan.wedgeHigh.step, "and above them"});
    return constants;
}

std::vector<Function> buildSlab(const Context &context) {
    if (context.plan.tiled < 0) return {buildBlockSlab(context)};
    return {buildTile(context), buildChain(context), buildTiledSlab(context)};
}

} // namespace oocc::loops
