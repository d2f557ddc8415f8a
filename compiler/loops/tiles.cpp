#include "loops/tiles.h"

#include "loops/stages.h"

namespace oocc::loops {

namespace {

const char *const kPass = "const struct oocc_pass *";

/// `const int64_t z = w - s*STEP_DELAY - delay; if it is a plane of the grid: body`.
Stmt atWave(const Context &context, const std::string &plane, int64_t delay, Body body, bool blocks) {
    const E z = var(plane);
    const E n = blocks ? var("grid->planes") : context.extent(0);
    return scope("", {declare("const int64_t", plane, var("w") - var("s") * var("STEP_DELAY") - lit(delay)),
                      when(z >= lit(0) && z < n, std::move(body))});
}

std::vector<Param> groupParams() {
    return {{kPass, "p"}, {"int64_t", "w_lo"}, {"int64_t", "w_hi"}, {"int64_t", "s_lo"}, {"int64_t", "s_hi"}};
}

/// Positions at which no step of the group has a plane left to do are skipped: whole-grid slabs have many.
Body clipWave(const Context &context, bool blocks) {
    const E n = blocks ? var("grid->planes") : context.extent(0);
    return {declare("const int64_t", "from",
                    maxOf(var("w_lo"), var("s_lo") * var("STEP_DELAY") + lit(context.plan.delayMin))),
            declare("const int64_t", "to",
                    minOf(var("w_hi"), n + var("s_hi") * var("STEP_DELAY") + lit(context.plan.delayMax)))};
}

/// What stage k is called with: its rows (2-D: cells) between the two sides of the tile, and its piece of them.
std::vector<E> tileArguments(const Context &context, int k) {
    const Plan &plan = context.plan;
    const E lam = var("lam") + lit(plan.low.stage[k]), rho = var("rho") + lit(plan.high.stage[k]);
    std::vector<E> args{var("p"), var("s"), var(context.coordName(0)), call("side_at", {var("lo"), lam, rho}),
                        call("side_at", {var("hi"), lam, rho})};
    if (plan.piece.stage.empty()) return args;
    const E lag = var("lag") + lit(plan.piece.stage[k]), n = context.extent(context.x());
    args.push_back(call("oocc_piece_lo", {var("p"), var("piece"), lag, n}));
    args.push_back(call("oocc_piece_lo", {var("p"), var("piece") + lit(1), lag, n}));
    return args;
}

Function buildTile(const Context &context) {
    const bool pieces = !context.plan.piece.stage.empty();
    const std::string unit = context.ndim() == 3 ? "rows" : "cells";
    Function function;
    function.comment =
        "One tile, or the border between two: the wave over the slab, all steps of the group at every "
        "position.\nIts " +
        unit +
        " at step s reach from lo to hi; each side moves by `lam` times the low slope and `rho` times "
        "the high slope for every step of the group that has gone by.";
    if (pieces)
        function.comment +=
            "\nLong rows are taken in pieces, from left to right, so that a piece of all planes at work "
            "stays in cache; pieces shift to the left as steps go by.";
    function.returns = "void";
    function.name = "tile";
    function.params = groupParams();
    function.params.insert(function.params.end(), {{"struct side", "lo"}, {"struct side", "hi"}});
    const E gone = var("s") - var("s_lo");
    Body steps{declare("const int64_t", "lam", gone * var("SLOPE_LO")),
               declare("const int64_t", "rho", gone * var("SLOPE_HI"))};
    if (pieces) steps.push_back(declare("const int64_t", "lag", gone * var("PIECE_SLOPE")));
    for (int k = 0; k < static_cast<int>(context.stencil.stages.size()); ++k)
        steps.push_back(atWave(context, context.coordName(0), context.plan.wave.stage[k],
                               {run(call(stageName(context, k), tileArguments(context, k)))}, false));
    const Stmt wave = loop("w", var("from"), var("to"), {loopTo("s", var("s_lo"), var("s_hi"), steps)});
    function.body = clipWave(context, false);
    function.body.push_back(pieces ? loop("piece", lit(0), var("p->pieces"), {wave}) : wave);
    return function;
}

Function buildTiledGroup(const Context &context) {
    const E n = context.extent(context.plan.tiled);
    const auto border = [&](E j) { return call("oocc_tile_lo", {var("p"), j, n}); };
    const auto side = [&](E where, int64_t lam, int64_t rho) {
        return call("make_side", {where, lit(lam), lit(rho)});
    };
    const E first = var("j") == lit(0), last = var("j") == var("p->tiles") - lit(1);
    const auto tile = [&](E lo, E hi) {
        return run(call("tile", {var("p"), var("w_lo"), var("w_hi"), var("s_lo"), var("s_hi"), lo, hi}));
    };
    Function function;
    function.comment =
        "Steps [s_lo, s_hi] of the wave positions [w_lo, w_hi), in two phases. Tiles shrink from both sides "
        "as steps\n"
        "go by, except at the grid's edge, and so need nothing of each other; the borders between them then\n"
        "grow by what was left out. Nothing is computed twice and nothing is copied.";
    function.returns = "void";
    function.name = "group";
    function.params = groupParams();
    Body phases{
        comment("Phase 1: every tile at once."),
        loop("j", lit(0), var("p->tiles"),
             {declare("const struct side", "lo", side(border(var("j")), 1, 0)),
              declare("const struct side", "hi", side(border(var("j") + lit(1)), 0, -1)),
              tile(cond(first, side(lit(0), 0, 0), var("lo")), cond(last, side(n, 0, 0), var("hi")))},
             "omp for schedule(dynamic)"),
        comment("Phase 2, after the barrier: every border at once."),
        loop("j", lit(1), var("p->tiles"),
             {declare("const int64_t", "border", border(var("j"))),
              tile(side(var("border"), 0, -1), side(var("border"), 1, 0))},
             "omp for schedule(dynamic)"),
    };
    function.body = {scope("omp parallel", phases)};
    return function;
}

Function buildBlockGroup(const Context &context) {
    Function function;
    function.comment =
        "Steps [s_lo, s_hi] of the wave positions [w_lo, w_hi): step by step, the slab's blocks shared out.";
    function.returns = "void";
    function.name = "group";
    function.params = groupParams();
    Body stages;
    for (int k = 0; k < static_cast<int>(context.stencil.stages.size()); ++k)
        stages.push_back(
            loop("w", var("from"), var("to"),
                 {atWave(context, "block", context.plan.wave.stage[k],
                         {run(call(stageName(context, k), {var("p"), var("s"), var("block")}))}, true)},
                 "omp for schedule(static)"));
    function.body = clipWave(context, true);
    function.body.push_back(scope("omp parallel", {loopTo("s", var("s_lo"), var("s_hi"), stages)}));
    return function;
}

} // namespace

std::vector<Constant> buildScheduleConstants(const Context &context) {
    const std::string unit = context.ndim() == 1 ? "blocks" : "planes";
    std::vector<Constant> constants{
        {"STEP_DELAY", context.plan.wave.step, unit + " by which a step lags behind the one before"}};
    if (context.plan.tiled >= 0) {
        const std::string rows = context.ndim() == 3 ? "rows" : "cells";
        constants.push_back(
            {"SLOPE_LO", context.plan.low.step, rows + " a tile loses at its low side with every step"});
        constants.push_back({"SLOPE_HI", context.plan.high.step, "and at its high side"});
    }
    if (!context.plan.piece.stage.empty())
        constants.push_back(
            {"PIECE_SLOPE", context.plan.piece.step, "cells a piece of a row shifts with every step"});
    return constants;
}

std::vector<Function> buildGroup(const Context &context) {
    if (context.plan.tiled < 0) return {buildBlockGroup(context)};
    return {buildTile(context), buildTiledGroup(context)};
}

} // namespace oocc::loops
