#include "loops/kernels.h"

#include "analysis/invariance.h"
#include "loops/cell_reads.h"
#include "loops/decisions.h"
#include "loops/expressions.h"
#include "loops/gather_loops.h"
#include "loops/stretches.h"
#include "stencil/printer.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace oocc::loops {

namespace {

void append(Body &body, Body more) {
    std::move(more.begin(), more.end(), std::back_inserter(body));
}

std::string opName(ReduceOp op) {
    static constexpr const char *kNames[] = {"sum", "min", "max", "mean"};
    return kNames[static_cast<int>(op)];
}

class KernelBuilder {
  public:
    KernelBuilder(const Context &context, const std::vector<int> &stages, const Jam &jam)
        : context_(context), cells_(context, kernel_.rows, names_), translator_(context, [this](const Read &read) { return readOf(read); }),
          update_(context.stencil.stages[stages.front()].kind == Stage::Kind::Update),
          // The rows of an update begin with the first cell that it computes, in 1-D all begin with the block; x = first + i.
          index_(update_ || context.ndim() == 1 ? "i" : context.coordName(context.x())) {
        kernel_.stages = stages;
        for (int plane = 0; plane < jam.planes; ++plane)
            for (int row = 0; row < jam.rows; ++row) {
                Offsets &shift = rows_.emplace_back();
                shift[0] = plane;
                if (row > 0) shift[context.x() - 1] += row;
            }
        kernel_.jam = jam;
        translator_.invariantOf = context.x();
        if (stages.size() > 1)
            for (int k : stages)
                cells_.reserve(localName(stage(k).field));
        for (int k : stages)
            if (update_ && !isLocal(k)) {
                kernel_.written.push_back(stage(k).field);
                forEachRow([&] {
                    outs_[{stage(k).field, shift_}] = names_.take(context.rowName(stage(k).field, 1, shift_));
                });
            }
        if (!update_) names_.take("g");
    }

    Kernel build() {
        const Body loop = loopsOf(values());
        kernel_.takesTime = translator_.usesTime;
        kernel_.coords = translator_.usesCoord;
        declareFunction();
        Body &body = kernel_.function.body;
        body = translator_.takeHoisted();
        body.insert(body.end(), loop.begin(), loop.end());
        return std::move(kernel_);
    }

  private:
    const Stage &stage(int k) const { return context_.stencil.stages[k]; }
    bool isLocal(int k) const { return context_.plan.fields[stage(k).field].local; }
    std::string localName(int field) const { return "v_" + context_.fieldName(field); }

    /// With shift_ at each of the rows that are written.
    template <typename Visit> void forEachRow(Visit visit) {
        for (const Offsets &row : rows_) {
            shift_ = row;
            visit();
        }
        shift_ = {};
    }

    /// A value that this loop has just computed, the place that it will write, or a row.
    E readOf(const Read &read) {
        if (made_.count(read.field) && read.time == 1) return var(localName(read.field));
        const auto out = outs_.find({read.field, shift_});
        if (out != outs_.end() && context_.inPlace(read, context_.stencil.stageOf(read.field))) {
            inPlace_.insert(out->first);
            return at(var(out->second), var(index_));
        }
        Read shifted = read;
        for (int dim = 0; dim < context_.x(); ++dim)
            shifted.offset[dim] += shift_[dim];
        return cells_.cell(shifted, index_, kernel_.jam.any());
    }

    bool takesFirst() const { return index_ == "i" && translator_.usesCoord.count(context_.x()); }

    /// Where x is not the index itself, its value.
    Body coordinate() const {
        if (!takesFirst()) return {};
        return {declare("const int64_t", context_.coordName(context_.x()), var("first") + var("i"))};
    }

    CellLoop cellLoop(bool vectorisable) const {
        const bool few = outs_.size() + kernel_.rows.size() <= kFewRows;
        return {decisions_.begin(), decisions_.end(),          index_, vectorisable ? "omp simd" : "",
                kernel_.jam.planes * kernel_.jam.rows, context_.fetchesAhead(), few};
    }

    std::vector<Replaced> replaced() {
        std::vector<Replaced> all;
        for (const auto &out : inPlace_)
            all.push_back({context_.cType(out.first), outs_[out], "kept_" + outs_[out]});
        return all;
    }

    std::vector<ExprPtr> values() const {
        std::vector<ExprPtr> all;
        for (int k : kernel_.stages)
            all.push_back(stage(k).value);
        return all;
    }

    /// What a row decides as a whole, or a part of it, is decided before the loop: there is one for each case, and one for rows that differ.
    Body loopsOf(const std::vector<ExprPtr> &values) {
        const int x = context_.x();
        const std::optional<Decision> decision = firstDecision(context_.stencil, values, x, {kernel_.jam.any(), update_});
        const int more = !decision ? 0 : Decisions::mayDiffer(*decision, rows_) ? 2 : 1;
        if (!decision || loops_ + more > kMostLoops) return loopOf(values);
        loops_ += more;
        translator_.what = purpose(kernel_.stages.front());
        Decisions::Tests tests = decisions_.of(*decision, rows_);
        const auto loops = [&](bool is) { return loopsOf(decided(values, decision->condition, is, x)); };
        Body yes = loops(true), no = loops(false), mixed = tests.none ? loopOf(values) : Body{};
        return decisions_.decide(std::move(tests), std::move(yes), std::move(no), std::move(mixed));
    }

    /// One loop; or two, where there are quotients that can be made of inverses.
    Body loopOf(const std::vector<ExprPtr> &values) {
        const bool vectorisable = std::ranges::all_of(values, [&](const ExprPtr &value) { return isVectorisable(value, context_.x()); });
        if (!update_) return named(values, vectorisable, [&] { return gather(values.front(), vectorisable); });
        const auto cells = [&] {
            return named(values, vectorisable, [&] { return kernel_.jam.any() ? jammed(values.front()) : updates(values); });
        };
        translator_.byInverse = std::ranges::any_of(values, [&](const ExprPtr &value) { return dividesAlike(value, context_.x()); });
        Body body = cells();
        if (!std::exchange(translator_.byInverse, false)) return overCells(cellLoop(vectorisable), std::move(body));
        inverts_ = true;
        Body divided = cells();
        return overQuotients(cellLoop(vectorisable), kernel_.stages.front(), translator_.takeInverses(), replaced(), std::move(body), std::move(divided));
    }

    /// What one loop loads and has names for is its own.
    template <typename Make> Body named(const std::vector<ExprPtr> &values, bool vectorisable, Make make) {
        translator_.nameCommon(values);
        cells_.begin(vectorisable ? translator_.chosenReads() : std::vector<Read>{});
        made_.clear();
        std::set<int> coords = std::exchange(translator_.usesCoord, {});
        Body cells = make();
        translator_.usesCoord.merge(coords);
        return cells;
    }

    /// `out[i] = value`. Several updates first compute all values, in order, and then store them: what they share is
    /// loaded and computed once.
    Body updates(const std::vector<ExprPtr> &all) {
        Body values, stores;
        for (size_t i = 0; i < all.size(); ++i) {
            const int k = kernel_.stages[i], field = stage(k).field;
            translator_.what = purpose(k);
            E value = context_.stored(field, translator_.translate(all[i]));
            append(values, cells_.takeLoads());
            append(values, translator_.takeCommon());
            if (kernel_.stages.size() > 1) {
                values.push_back(declare("const " + context_.cType(field), localName(field), value));
                made_.insert(field);
                value = var(localName(field));
            }
            if (!isLocal(k)) stores.push_back(assign(at(var(outs_[{field, {}}]), var(index_)), value));
        }
        Body inner = coordinate();
        append(inner, std::move(values));
        append(inner, std::move(stores));
        return inner;
    }

    /// Row after row: what it is the first to read is loaded, then it is computed and stored.
    Body jammed(const ExprPtr &value) {
        const int field = stage(kernel_.stages.front()).field;
        Body rows;
        translator_.what = purpose(kernel_.stages.front());
        forEachRow([&] {
            translator_.shift = shift_;
            translator_.nameCommon({value});
            const E e = context_.stored(field, translator_.translate(value));
            append(rows, cells_.takeLoads());
            append(rows, translator_.takeCommon());
            rows.push_back(assign(at(var(outs_[{field, shift_}]), var(index_)), e));
        });
        Body inner = coordinate();
        append(inner, std::move(rows));
        return inner;
    }

    Body gather(const ExprPtr &gathered, bool vectorisable) {
        translator_.what = purpose(kernel_.stages.front());
        const E value = translator_.translate(gathered);
        Body before = coordinate();
        append(before, cells_.takeLoads());
        append(before, translator_.takeCommon());
        return gatherLoop(stage(kernel_.stages.front()), index_, before, value, vectorisable);
    }

    std::string nameOf(int k) const {
        return update_ ? context_.fieldName(stage(k).field) : context_.stencil.scalars[stage(k).scalar].name;
    }
    std::string purpose(int k) const { return (update_ ? "the update of " : "the value of ") + nameOf(k); }
    std::string comment() const {
        std::string text;
        for (int k : kernel_.stages) {
            const std::string value = shortened(toString(context_.stencil, stage(k).value), kMostOfAComment);
            text += text.empty() ? "" : "\n";
            text += update_ ? nameOf(k) + (isLocal(k) ? " = " : "[t+1] = ") + value
                            : "Gathers " + nameOf(k) + " = " + opName(stage(k).op) + "(" + value + ").";
        }
        if (kernel_.jam.any())
            text += "\nOf several rows at once: what they share is loaded once. Not `restrict`: then gcc would load it "
                    "again.";
        if (const std::string decided = decisions_.comment(); !decided.empty()) text += "\n" + decided;
        if (inverts_)
            text += "\nQuotients by what is the same for a whole row are made of its inverse, to the same bits; stretches where that was not "
                    "exact are computed again, and divided.";
        if (!inPlace_.empty()) text += "\nIn place: the old value and the new one share a slot.";
        return text;
    }

    void declareFunction() {
        Function &function = kernel_.function;
        const int x = context_.x();
        function.comment = comment();
        (update_ ? function.apart : function.inlined) = true;
        function.choosing = update_ && std::ranges::any_of(kernel_.stages, [&](int k) { return choosesAlong(stage(k).value, x); });
        function.wide = cells_.beside() > kManyNeighbours;
        function.returns = "void";
        const bool alone = !kernel_.jam.any();
        const std::string pointer = alone ? " *restrict" : " *";
        function.name =
            (!alone ? "rows_" : update_ ? "row_" : "gather_") +
            (kernel_.stages.size() > 1 ? groupId(context_, kernel_.stages) : nameOf(kernel_.stages.front()));
        for (int field : kernel_.written)
            forEachRow([&] { function.params.push_back({context_.cType(field) + pointer, outs_[{field, shift_}]}); });
        if (!update_) function.params.push_back({"struct oocc_gather *restrict", "g"});
        for (const RowRead &row : kernel_.rows)
            function.params.push_back({"const " + context_.cType(row.field) + pointer, row.name});
        if (kernel_.takesTime) function.params.push_back({"int64_t", "t"});
        for (int dim : kernel_.coords)
            if (dim != x) function.params.push_back({"int64_t", context_.coordName(dim)});
        if (takesFirst()) function.params.push_back({"int64_t", "first"});
        if (update_) {
            function.params.push_back({"int64_t", "cells"});
            if (context_.fetchesAhead()) function.params.push_back({"struct oocc_ahead *", "ahead"});
            return;
        }
        function.params.push_back({"int64_t", "lo"});
        function.params.push_back({"int64_t", "hi"});
    }

    const Context &context_;
    UniqueNames names_;
    Kernel kernel_;
    CellReads cells_;
    Translator translator_;
    bool update_;
    std::string index_;
    Decisions decisions_{translator_, names_};
    std::vector<Offsets> rows_; ///< that are written, from the first one; those of the first plane first
    Offsets shift_{}; ///< of the row that is computed, from the first one
    std::map<std::pair<int, Offsets>, std::string> outs_; ///< names of the rows that are written, by field and shift
    std::set<int> made_;              ///< fields whose new values are at hand
    std::set<std::pair<int, Offsets>> inPlace_; ///< of these, where the old value and the new one share a slot
    int loops_ = 1; ///< for what rows decide
    bool inverts_ = false; ///< some quotients are made of inverses
};

} // namespace

std::string groupId(const Context &context, const std::vector<int> &stages) {
    const auto name = [&](int k) { return context.fieldName(context.stencil.stages[k].field); };
    return std::to_string(stages.front()) + "_" + name(stages.front()) + "_to_" + name(stages.back());
}

Kernel buildKernel(const Context &context, const std::vector<int> &stages) {
    return KernelBuilder(context, stages, {}).build();
}

Kernel buildKernel(const Context &context, int stage, const Jam &jam) {
    return KernelBuilder(context, {stage}, jam).build();
}

} // namespace oocc::loops
