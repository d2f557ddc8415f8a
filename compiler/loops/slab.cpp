#include "loops/slab.h"

#include "loops/ahead.h"
#include "loops/stages.h"
#include "loops/tile.h"

#include <algorithm>

namespace oocc::loops {

namespace {

int64_t most(const std::vector<int64_t> &shift) {
    return *std::max_element(shift.begin(), shift.end());
}

/// Rows that one loop of the step takes at once, at most.
int64_t jamRows(const Context &context) {
    int64_t rows = 1;
    for (const Jam &jam : context.plan.jams)
        rows = std::max(rows, jam.rows);
    return rows;
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
