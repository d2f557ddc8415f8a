#include "loops/gather_loops.h"

namespace oocc::loops {

namespace {

/// Sums are gathered exactly: the values of some cells at a time, and then all of those at once.
Body sumLoop(const Stage &, const std::string &index, const Body &before, E value, bool vectorisable) {
    const E lo = var("lo"), hi = var("hi"), from = var("from"), to = var("to"), most = var("OOCC_SUM_CELLS");
    Body inner = before;
    inner.push_back(assign(at(var("value"), var(index) - from), value));
    const E parts = binary(Op::Div, hi - lo + (most - lit(1)), most);
    return {loop("part", lit(0), parts,
                 {declare("const int64_t", "from", lo + var("part") * most),
                  declare("const int64_t", "to", minOf(hi, from + most)),
                  declare("double", "value[OOCC_SUM_CELLS]", nullptr),
                  loop(index, from, to, inner, vectorisable ? "omp simd" : ""),
                  run(call("oocc_gather_sums", {var("g"), var("value"), to - from}))})};
}

/// Extrema as those of integers in the same order: only these have a vector form in every compiler. Nans apart.
Body extremeLoop(const Stage &stage, const std::string &index, const Body &before, E value,
                 bool vectorisable) {
    const bool most = stage.op == ReduceOp::Max;
    const E best = var("best"), each = var("each"), key = var("key"), nans = var("nans");
    const E isNan = binary(Op::Ne, each, each);
    const std::string op = most ? "max" : "min";
    Body inner = before;
    inner.push_back(declare("const double", "each", value));
    inner.push_back(
        declare("const int64_t", "key",
                cond(isNan, var(most ? "INT64_MIN" : "INT64_MAX"), call("oocc_order_key", {each}))));
    inner.push_back(assign(nans, nans + isNan));
    inner.push_back(assign(best, cond(most ? best < key : key < best, key, best)));
    return {declare("int64_t", "best", call("oocc_order_key", {var("g->extreme")})),
            declare("int64_t", "nans", lit(0)),
            loop(index, var("lo"), var("hi"), inner,
                 vectorisable ? "omp simd reduction(" + op + " : best) reduction(+ : nans)" : ""),
            assign(var("g->extreme"), call("oocc_of_order_key", {best})),
            when(lit(0) < nans, {assign(var("g->special"), var("NAN"))})};
}

} // namespace

Body gatherLoop(const Stage &stage, const std::string &index, const Body &before, E value, bool vectorisable) {
    const bool sum = stage.op == ReduceOp::Sum || stage.op == ReduceOp::Mean;
    Body body = (sum ? sumLoop : extremeLoop)(stage, index, before, value, vectorisable);
    body.push_back(assign(var("g->count"), var("g->count") + (var("hi") - var("lo"))));
    return body;
}

} // namespace oocc::loops
