#include "loops/stretches.h"

#include "loops/dsl.h"

#include <iterator>

namespace oocc::loops {

namespace {

const E kFrom = var("from"), kTo = var("to");

Stmt fetch(const CellLoop &loop, E stretches) {
    return run(call("oocc_fetch", {var("ahead"), lit(loop.rows) * std::move(stretches)}));
}

Stmt fetchRow(const CellLoop &loop) {
    return fetch(loop, call("oocc_stretches", {loop.hi - loop.lo}));
}

Stmt ofStretch(const CellLoop &over, Body body) {
    return loop(over.index, kFrom, kTo, std::move(body), over.pragma);
}

/// Cells [from, to) are one stretch.
Body inStretches(const CellLoop &over, Body stretch) {
    const E size = var("OOCC_STRETCH");
    Body all, body;
    if (over.fetches && over.few) body.push_back(fetch(over, lit(1)));
    if (over.fetches && !over.few) all.push_back(fetchRow(over));
    body.push_back(declare("const int64_t", "to", minOf(kFrom + size, over.hi)));
    body.insert(body.end(), std::make_move_iterator(stretch.begin()), std::make_move_iterator(stretch.end()));
    all.push_back(loopBy(size, "from", over.lo, over.hi, std::move(body)));
    return all;
}

Stmt copy(E to, E from, const std::string &type) {
    return run(call("memcpy", {std::move(to), std::move(from), cast("size_t", kTo - kFrom) * call("sizeof", {var(type)})}));
}

} // namespace

Body overParts(const std::vector<E> &cuts, Body part) {
    const E begin = var(kPartBegin), cells = var("cells");
    Body body;
    for (const E &cut : cuts) {
        const E end = call("oocc_cut", {var("first"), begin, body.empty() ? cells : var(kPartEnd), cut});
        body.push_back(body.empty() ? declare(cuts.size() > 1 ? "int64_t" : "const int64_t", kPartEnd, end) : assign(var(kPartEnd), end));
    }
    body.insert(body.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    body.push_back(assign(begin, var(kPartEnd)));
    return {declare("int64_t", kPartBegin, lit(0)), {While{begin < cells, std::move(body)}}};
}

Body overCells(const CellLoop &over, Body body) {
    if (over.fetches && over.few) return inStretches(over, {ofStretch(over, std::move(body))});
    Body all;
    if (over.fetches) all.push_back(fetchRow(over));
    all.push_back(loop(over.index, over.lo, over.hi, std::move(body), over.pragma));
    return all;
}

Body overQuotients(const CellLoop &over, int stage, const std::vector<std::string> &inverses, const std::vector<Replaced> &replaced, Body byInverse,
                   Body divided) {
    Body stretch, again;
    for (const Replaced &each : replaced) {
        const E row = var(each.row) + kFrom;
        stretch.push_back(declare(each.type, each.kept + "[OOCC_STRETCH]", nullptr));
        stretch.push_back(copy(var(each.kept), row, each.type));
        again.push_back(copy(row, var(each.kept), each.type));
    }
    E all;
    for (const std::string &name : inverses) {
        const E is = binary(Op::Gt, var(name), lit(0));
        all = all ? std::move(all) && is : is;
    }
    stretch.push_back(declare("const bool", "tried", call("oocc_try_inverses", {lit(stage), all})));
    stretch.push_back(when(var("tried"), {ofStretch(over, std::move(byInverse))}));
    again.push_back(ofStretch(over, std::move(divided)));
    stretch.push_back(when(notE(var("tried")) || call("oocc_inexact", {lit(stage)}), std::move(again)));
    return inStretches(over, std::move(stretch));
}

} // namespace oocc::loops
