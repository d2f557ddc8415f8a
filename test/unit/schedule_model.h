// A model of the schedule, by which the tests check the solver: it walks slabs, groups, tiles and waves as the emitted
// program does, but keeps only *which level* every place of every slot holds. A read that finds another level than the
// one it asked for is a broken dependence. Tiles that run at once are interleaved at random, as threads would be.
#pragma once

#include "plan/plan.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>

namespace oocc {

struct ModelRun {
    int64_t nz = 9, ny = 23; ///< planes and rows
    int64_t bt = 5, bz = 2, ct = 3;
    int64_t chains = 2;
    int64_t nx = 7, pieces = 2; ///< cells of a row, and the pieces it is cut into
    int64_t block = 0;          ///< planes of a block of schedule overlap; 0: the grid is advanced as a whole
    int64_t lo = 0, hi = 0;     ///< rows of the column that is to be made; 0 and 0: all
    int64_t missing = 0;        ///< rows by which the halo is too small
    int64_t tiles = 1;          ///< of a chain
};

inline int pick(std::mt19937 &random, int lo, int hi) {
    return std::uniform_int_distribution<int>(lo, hi)(random);
}

inline ExprPtr make(Type type, decltype(Expr::node) node) {
    return std::make_shared<const Expr>(Expr{type, {}, std::move(node)});
}

class Model {
  public:
    Model(const Stencil &stencil, const Facts &facts, const Plan &plan, const ModelRun &run,
          std::mt19937 &random)
        : stencil_(stencil), facts_(facts), plan_(plan), run_(run), random_(random) {
        haloLow_ = run.bt * plan.wedgeLow.step + plan.wedgeMoreLow;
        haloHigh_ = run.bt * plan.wedgeHigh.step + plan.wedgeMoreHigh;
        if (plan.unrolled) {
            head_ = haloLow_;
            tail_ = haloHigh_;
        }
        first_ = {0, 0, 0};
        last_ = {run.ny, 0, 0};
        readHi_ = run.ny;
        if (isColumn()) {
            const auto most = [](const Delays &side) { return *std::ranges::max_element(side.stage); };
            const int64_t halo = (run.bt - 1) * plan.low.step + most(plan.low) - run.missing;
            const int64_t above = (run.bt - 1) * plan.high.step + most(plan.high);
            if (run.lo - halo > 0) first_ = {run.lo - halo, 1, 0};
            if (run.hi + above < run.ny) last_ = {run.hi + above, 0, -1};
            readLo_ = std::max<int64_t>(0, first_.at - plan.moreLow);
            readHi_ = std::min(run.ny, last_.at + plan.moreHigh);
        }
    }

    std::string go() {
        const int64_t width = run_.block > 0 ? run_.block : run_.nz;
        for (int64_t z = 0; z < run_.nz && error_.empty(); z += width) {
            read(z, std::min(z + width, run_.nz));
            advance();
            checkResult();
        }
        return error_;
    }

  private:
    /// What a pass, or a block of it, begins with: the planes that it reads, and nothing else.
    void read(int64_t from, int64_t to) {
        lo_ = head_ + from;
        hi_ = head_ + to;
        begin_ = std::max<int64_t>(0, lo_ - haloLow_);
        end_ = std::min(head_ + run_.nz + tail_, hi_ + haloHigh_);
        held_.clear();
        for (int f = 0; f < static_cast<int>(stencil_.fields.size()); ++f)
            for (int level = 0; level < stencil_.fields[f].levels; ++level)
                forRange(begin_, end_, readLo_, readHi_, [&](int64_t v, int64_t y, int64_t x) {
                    held(f, -level, v, y, x) = version(-level, stencil_.writersOf(f).size());
                });
    }

    void advance() {
        const int64_t from = begin_ + plan_.wave.step + plan_.delayMin;
        const int64_t to = end_ + run_.bt * plan_.wave.step + plan_.delayMax;
        computed_ = 0;
        for (int64_t lo = from; lo < to && error_.empty(); lo += run_.bz)
            for (int64_t s = 1; s <= run_.bt; s += run_.ct)
                group(lo, std::min(lo + run_.bz, to), s, std::min(s + run_.ct - 1, run_.bt));
        int64_t points = 0;
        for (int64_t s = 1; s <= run_.bt; ++s)
            for (int k = 0; k < static_cast<int>(stencil_.stages.size()); ++k)
                points += (planesEnd(s, k) - planesBegin(s, k)) * run_.ny * run_.nx;
        if (!isColumn() && error_.empty() && computed_ != points)
            error_ = "computed " + std::to_string(computed_) + " points of " + std::to_string(points);
    }

    /// What leaves memory: all stored levels of the planes that the pass, or the block, is for.
    void checkResult() {
        for (int f = 0; f < static_cast<int>(stencil_.fields.size()); ++f)
            for (int level = 0; level < stencil_.fields[f].levels; ++level) {
                const std::vector<int> writers = stencil_.writersOf(f);
                const int64_t made = writers.empty() ? 0 : run_.bt - level;
                const int64_t rows = isColumn() ? run_.hi : run_.ny;
                forRange(lo_, hi_, run_.lo, rows, [&](int64_t v, int64_t y, int64_t x) {
                    if (held(f, made, v, y, x) != version(made, writers.size()) && error_.empty())
                        error_ = "level " + std::to_string(made) + " of plane " + std::to_string(v - head_) +
                                 " row " + std::to_string(y) + " is not there in the end";
                });
            }
    }

    template <typename Visit>
    void forRange(int64_t from, int64_t to, int64_t rowsFrom, int64_t rowsTo, Visit visit) const {
        for (int64_t v = from; v < to; ++v)
            for (int64_t y = rowsFrom; y < rowsTo; ++y)
                for (int64_t x = 0; x < run_.nx; ++x)
                    visit(v, y, x);
    }

    struct Side {
        int64_t at, lam, rho;
    };

    bool isColumn() const { return run_.hi > 0; }

    struct Tile {
        Side lo, hi;
    };

    /// What one thread does: tiles one after the other, or a border, which is one tile.
    struct Chain {
        std::vector<Tile> tiles;
        size_t tile = 0;
        int64_t piece = 0, next; ///< of that tile, piece of the rows and wave position to do next
    };

    /// The planes that a stage computes at a step: more than are asked for where a later step needs them.
    int64_t planesBegin(int64_t s, int k) const {
        if (!stencil_.stages[k].writes()) return lo_;
        return std::max(begin_, lo_ - (run_.bt - s) * plan_.wedgeLow.step - plan_.wedgeLow.stage[k]);
    }
    int64_t planesEnd(int64_t s, int k) const {
        if (!stencil_.stages[k].writes()) return hi_;
        return std::min(end_, hi_ + (run_.bt - s) * plan_.wedgeHigh.step + plan_.wedgeHigh.stage[k]);
    }

    /// What a place holds: the level, and how many of the field's writers have been at it. A place that was never
    /// written holds 0, which is no version.
    static int64_t version(int64_t level, size_t writers) {
        return 1000 + level * 8 + static_cast<int64_t>(writers);
    }

    /// Where a read of a dimension ends: the index that stands for it, or -1 beyond a face with a value.
    int64_t standsFor(int field, int dim, int64_t i, int64_t n) const {
        if (i >= 0 && i < n) return i;
        switch (stencil_.fields[field].edge[dim][i < 0 ? 0 : 1].kind) {
        case EdgeKind::Neumann:
            return i < 0 ? 0 : n - 1;
        case EdgeKind::Reflect:
            return i < 0 ? -1 - i : 2 * n - 1 - i;
        case EdgeKind::ReflectCentre:
            return i < 0 ? -i : 2 * n - 2 - i;
        case EdgeKind::Periodic:
            return i < 0 ? i + n : i - n;
        default:
            return -1;
        }
    }

    int64_t &held(int field, int64_t level, int64_t z, int64_t y, int64_t x) {
        const int64_t slots = plan_.fields[field].slots;
        return held_[{field, (level % slots + slots) % slots, z, y, x}];
    }
    /// The outer sides of the first and of the last tile: those of a column move on throughout the pass.
    Side outer(Side side, int64_t first) const {
        return {side.at + side.lam * (first - 1) * plan_.low.step + side.rho * (first - 1) * plan_.high.step,
                side.lam, side.rho};
    }

    /// The tiles of a chain lean: between them both sides go with the high slope. The first one must not vanish.
    std::vector<Tile> tilesOf(Side lo, Side hi, int64_t steps) const {
        const int64_t lost = (steps - 1) * plan_.high.step + *std::ranges::max_element(plan_.high.stage) +
                             lo.lam * ((steps - 1) * plan_.low.step + *std::ranges::max_element(plan_.low.stage));
        const int64_t least = plan_.tileReach + 1, from = lo.at + lost + least;
        const int64_t count = std::max<int64_t>(1, std::min(run_.tiles, 1 + (hi.at - from) / least));
        std::vector<Tile> tiles;
        for (int64_t j = 1; j < count; ++j) {
            const Side next{from + (hi.at - from - least) * (j - 1) / count, 0, -1};
            tiles.push_back({lo, next});
            lo = next;
        }
        tiles.push_back({lo, hi});
        return tiles;
    }

    void group(int64_t lo, int64_t hi, int64_t first, int64_t last) {
        std::vector<Chain> chains, borders;
        const bool ring = plan_.ring && run_.chains > 1;
        const Side begin = outer(first_, first), end = outer(last_, first);
        const auto border = [&](int64_t j) { return begin.at + j * (end.at - begin.at) / run_.chains; };
        for (int64_t j = 0; j < run_.chains; ++j) {
            const Side low = j == 0 && !ring ? begin : Side{border(j), 1, 0};
            const Side high = j == run_.chains - 1 && !ring ? end : Side{border(j + 1), 0, -1};
            const bool whole = plan_.ring && !ring; // its low side reads its high side
            chains.push_back({whole ? std::vector{Tile{low, high}} : tilesOf(low, high, last - first + 1), 0, 0, lo});
        }
        for (int64_t j = ring ? 0 : 1; j < run_.chains; ++j)
            borders.push_back({std::vector{Tile{{border(j), 0, -1}, {border(j), 1, 0}}}, 0, 0, lo});
        interleave(chains, lo, hi, first, last);
        interleave(borders, lo, hi, first, last);
    }

    /// Advances random chains until all are through, as threads of different speed would: in turns of a position, of a few, or
    /// one after the other, as when a thread is late.
    void interleave(std::vector<Chain> &chains, int64_t lo, int64_t hi, int64_t first, int64_t last) {
        static constexpr int kTurns[] = {1, 5, 1 << 20};
        const int turn = kTurns[pick(random_, 0, 2)];
        while (!chains.empty() && error_.empty()) {
            const auto chain = chains.begin() + pick(random_, 0, static_cast<int>(chains.size()) - 1);
            bool more = true;
            for (int i = pick(random_, 1, turn); more && i > 0 && error_.empty(); --i)
                more = goOn(*chain, lo, hi, first, last);
            if (!more) chains.erase(chain);
        }
    }

    /// Does the next wave position of a chain, or as many as are taken at once; whether there is more to do.
    bool goOn(Chain &chain, int64_t lo, int64_t hi, int64_t first, int64_t last) {
        int64_t jammed = 1;
        for (const Jam &jam : plan_.jams)
            jammed = std::max(jammed, jam.planes);
        positions(chain, std::min(chain.next + jammed, hi), first, last);
        chain.next += jammed;
        if (chain.next < hi) return true;
        chain.next = lo;
        if (++chain.piece < run_.pieces) return true;
        chain.piece = 0;
        return ++chain.tile < chain.tiles.size();
    }

    /// Up to position `end`: one, or several of which the planes are taken at once.
    void positions(const Chain &chain, int64_t end, int64_t first, int64_t last) {
        for (int64_t s = first; s <= last; ++s)
            for (const std::vector<int> &together : plan_.groups)
                for (int64_t w = chain.next; w < end; ++w)
                    stage(chain.tiles[chain.tile], chain.piece, w, s, first, together);
    }

    void stage(const Tile &tile, int64_t piece, int64_t w, int64_t s, int64_t first, const std::vector<int> &together) {
        const int k = together.front(); // the others lag alike
        const int64_t z = w - s * plan_.wave.step - plan_.wave.stage[k];
        const int64_t lam = (s - first) * plan_.low.step + plan_.low.stage[k];
        const int64_t rho = (s - first) * plan_.high.step + plan_.high.stage[k];
        if (z < planesBegin(s, k) || z >= planesEnd(s, k)) return;
        for (int64_t y = tile.lo.at + tile.lo.lam * lam + tile.lo.rho * rho;
             y < tile.hi.at + tile.hi.lam * lam + tile.hi.rho * rho; ++y)
            for (int64_t x = pieceStart(piece, s - first, k);
                 x < pieceStart(piece + 1, s - first, k); ++x)
                for (int each : together)
                    compute(s, each, z, y < 0 ? y + run_.ny : y, x);
    }

    int64_t pieceStart(int64_t piece, int64_t gone, int k) const {
        if (plan_.piece.stage.empty()) return piece == 0 ? 0 : run_.nx;
        const int64_t lag = gone * plan_.piece.step + plan_.piece.stage[k];
        if (piece == 0 || piece == run_.pieces) return piece == 0 ? 0 : run_.nx;
        return std::max<int64_t>(0, run_.nx / run_.pieces * piece - lag);
    }

    void compute(int64_t s, int k, int64_t v, int64_t y, int64_t x) {
        const int64_t z = ((v - head_) % run_.nz + run_.nz) % run_.nz;
        for (const Access &access : facts_.accesses) {
            if (access.stage != k) continue;
            const int f = access.field;
            const bool onward = stencil_.fields[f].edge[0][0].kind == EdgeKind::Periodic;
            const int64_t rz = onward ? z + access.offset[0] : standsFor(f, 0, z + access.offset[0], run_.nz);
            const int64_t ry = standsFor(f, 1, y + access.offset[1], run_.ny);
            const int64_t rx = standsFor(f, 2, x + access.offset[2], run_.nx);
            if ((!onward && rz < 0) || ry < 0 || rx < 0) continue;
            const int64_t level = s - 1 + access.time;
            const auto writers = stencil_.writersOf(f);
            const size_t seen = static_cast<size_t>(
                std::ranges::count_if(writers, [&](int w) { return level < s || w < k; }));
            const int64_t wanted = version(level, seen), found = held(f, level, v - z + rz, ry, rx);
            if (found != wanted && error_.empty())
                error_ = "stage " + std::to_string(k) + " of step " + std::to_string(s) + " at z " +
                         std::to_string(v - head_) + " y " + std::to_string(y) + " x " + std::to_string(x) +
                         " finds version " + std::to_string(found) + ", not " + std::to_string(wanted);
        }
        ++computed_;
        const Stage &stage = stencil_.stages[k];
        if (!stage.writes()) return;
        int64_t &place = held(stage.field, s, v, y, x);
        const auto writers = stencil_.writersOf(stage.field);
        const auto own = static_cast<size_t>(std::ranges::find(writers, k) - writers.begin());
        if (own > 0 && place != version(s, own) && error_.empty())
            error_ = "a point is injected into too early";
        if (place == version(s, own + 1) && error_.empty()) error_ = "a point is computed twice";
        place = version(s, own + 1);
    }

    const Stencil &stencil_;
    const Facts &facts_;
    const Plan &plan_;
    const ModelRun &run_;
    std::mt19937 &random_;
    std::map<std::array<int64_t, 5>, int64_t> held_;
    int64_t computed_ = 0;
    int64_t head_ = 0, tail_ = 0;                   ///< unrolled beyond both ends of a periodic grid
    int64_t haloLow_ = 0, haloHigh_ = 0;            ///< what a range of planes needs around it
    int64_t lo_ = 0, hi_ = 0, begin_ = 0, end_ = 0; ///< the range, and what there is of its halo
    Side first_{}, last_{};                         ///< where a column begins and ends in step 1
    int64_t readLo_ = 0, readHi_ = 0;
    std::string error_;
};

} // namespace oocc
