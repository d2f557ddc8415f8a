// A model of the schedule, by which the tests check the solver: it walks slabs, groups, tiles and waves as the emitted
// program does, but keeps only *which level* every place of every slot holds. A read that finds another level than the
// one it asked for is a broken dependence. Tiles that run at once are interleaved at random, as threads would be.
#include "plan/plan.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>

namespace oocc {

namespace {

struct ModelRun {
    int64_t nz = 9, ny = 23; ///< planes and rows
    int64_t bt = 5, bz = 2, ct = 3;
    int64_t tiles = 2;
    int64_t nx = 7, pieces = 2; ///< cells of a row, and the pieces it is cut into
    int64_t block = 0;          ///< planes of a block of schedule overlap; 0: the grid is advanced as a whole
    int64_t lo = 0, hi = 0;     ///< rows of the column that is to be made; 0 and 0: all
    int64_t share = 0;          ///< of its halo, rows that its tiles share
    int64_t missing = 0;        ///< rows by which the halo is too small
};

int pick(std::mt19937 &random, int lo, int hi) {
    return std::uniform_int_distribution<int>(lo, hi)(random);
}

ExprPtr make(Type type, decltype(Expr::node) node) {
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
        tilesHi_ = run.ny;
        readHi_ = run.ny;
        if (isColumn()) {
            const auto most = [](const Delays &side) { return *std::ranges::max_element(side.stage); };
            const int64_t halo = (run.bt - 1) * plan.low.step + most(plan.low) - run.missing;
            const int64_t above = (run.bt - 1) * plan.high.step + most(plan.high);
            if (run.lo - halo > 0) first_ = {run.lo - halo, 1, 0};
            if (run.hi + above < run.ny) last_ = {run.hi + above, 0, -1};
            tilesLo_ = first_.lam ? std::max(first_.at, run.lo - run.share) : 0;
            tilesHi_ = last_.rho ? std::min(last_.at, run.hi + run.share) : run.ny;
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
        int64_t piece, next; ///< piece of the rows and wave position to do next
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
    int64_t border(int64_t j) const { return tilesLo_ + j * (tilesHi_ - tilesLo_) / run_.tiles; }
    /// The outer sides of the first and of the last tile: those of a column move on throughout the pass.
    Side outer(Side side, int64_t first) const {
        return {side.at + side.lam * (first - 1) * plan_.low.step + side.rho * (first - 1) * plan_.high.step,
                side.lam, side.rho};
    }

    void group(int64_t lo, int64_t hi, int64_t first, int64_t last) {
        std::vector<Tile> tiles, borders;
        const bool ring = plan_.ring && run_.tiles > 1;
        for (int64_t j = 0; j < run_.tiles; ++j)
            tiles.push_back({j == 0 && !ring ? outer(first_, first) : Side{border(j), 1, 0},
                             j == run_.tiles - 1 && !ring ? outer(last_, first) : Side{border(j + 1), 0, -1},
                             0, lo});
        for (int64_t j = ring ? 0 : 1; j < run_.tiles; ++j)
            borders.push_back({{border(j), 0, -1}, {border(j), 1, 0}, 0, lo});
        interleave(tiles, lo, hi, first, last);
        interleave(borders, lo, hi, first, last);
    }

    /// Advances a random tile by one wave position until all are through, as threads of different speed would.
    void interleave(std::vector<Tile> &tiles, int64_t lo, int64_t hi, int64_t first, int64_t last) {
        while (!tiles.empty() && error_.empty()) {
            const size_t i = static_cast<size_t>(pick(random_, 0, static_cast<int>(tiles.size()) - 1));
            Tile &tile = tiles[i];
            position(tile, tile.next++, first, last);
            if (tile.next < hi) continue;
            tile.next = lo;
            if (++tile.piece == run_.pieces) tiles.erase(tiles.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }

    void position(const Tile &tile, int64_t w, int64_t first, int64_t last) {
        for (int64_t s = first; s <= last; ++s)
            for (const std::vector<int> &together : plan_.groups) {
                const int k = together.front(); // the others lag alike
                const int64_t z = w - s * plan_.wave.step - plan_.wave.stage[k];
                const int64_t lam = (s - first) * plan_.low.step + plan_.low.stage[k];
                const int64_t rho = (s - first) * plan_.high.step + plan_.high.stage[k];
                if (z < planesBegin(s, k) || z >= planesEnd(s, k)) continue;
                for (int64_t y = tile.lo.at + tile.lo.lam * lam + tile.lo.rho * rho;
                     y < tile.hi.at + tile.hi.lam * lam + tile.hi.rho * rho; ++y)
                    for (int64_t x = pieceStart(tile.piece, s - first, k);
                         x < pieceStart(tile.piece + 1, s - first, k); ++x)
                        for (int each : together)
                            compute(s, each, z, y < 0 ? y + run_.ny : y, x);
            }
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
    int64_t tilesLo_ = 0, tilesHi_ = 0, readLo_ = 0, readHi_ = 0;
    std::string error_;
};

struct Analysed {
    Stencil stencil;
    Facts facts;
    Plan plan;
};

Analysed analysed(Stencil stencil) {
    Diagnostics diagnostics;
    const std::optional<Facts> facts = analyze(stencil, diagnostics);
    EXPECT_TRUE(facts.has_value());
    Plan plan = makePlan(stencil, *facts, {});
    return {std::move(stencil), *facts, std::move(plan)};
}

/// The narrowest tile that the plan allows for groups of `ct` steps.
int64_t narrowestTile(const Plan &plan, int64_t ct) {
    const auto most = [](const std::vector<int64_t> &list) {
        return *std::max_element(list.begin(), list.end());
    };
    return (ct - 1) * (plan.low.step + plan.high.step) + most(plan.low.stage) + most(plan.high.stage) +
           plan.tileReach + 1;
}

ModelRun randomRun(const Analysed &a, std::mt19937 &random) {
    const Plan &plan = a.plan;
    ModelRun run;
    run.bt = pick(random, 1, 6);
    run.bz = pick(random, 1, 5);
    run.ct = pick(random, 1, static_cast<int>(run.bt));
    run.nz = plan.leastExtent[0] + pick(random, 0, 7);
    run.tiles = pick(random, 1, 3);
    run.ny = run.tiles * narrowestTile(plan, run.ct) + pick(random, 0, 5);
    run.ny = std::max(run.ny, plan.leastExtent[1]);
    run.nx = plan.leastExtent[2] + pick(random, 0, 8);
    if (plan.piece.stage.empty()) {
        run.pieces = 1;
        return run;
    }
    run.pieces = pick(random, 1, static_cast<int>(std::min<int64_t>(3, run.nx)));
    return run;
}

/// Some rows in the middle or at an end of a grid that has many, as a column of their own.
ModelRun randomColumn(const Analysed &a, std::mt19937 &random) {
    ModelRun run = randomRun(a, random);
    const int64_t least = narrowestTile(a.plan, run.ct);
    const int64_t rows = std::max(run.ny, narrowestTile(a.plan, 1)), far = 4 * least;
    run.lo = pick(random, 0, static_cast<int>(far));
    run.hi = run.lo + rows;
    run.ny = run.hi + pick(random, 0, static_cast<int>(far));
    run.share = pick(random, 0, static_cast<int>(std::max<int64_t>(0, rows / run.tiles - least)));
    return run;
}

/// Reads as (field, time, z, y); a stage per field.
Stencil stencilOf(const std::vector<std::vector<std::array<int, 5>>> &stages) {
    Stencil stencil;
    stencil.name = "made";
    for (const char *name : {"z", "y", "x"})
        stencil.dims.push_back({name, make(Type::Int, Literal{int64_t{8}}), nullptr, {}});
    for (size_t f = 0; f < stages.size(); ++f) {
        Field field;
        field.name = std::string(1, static_cast<char>('a' + f));
        field.type = Type::F64;
        for (auto &dim : field.edge)
            for (Edge &edge : dim)
                edge = {EdgeKind::Dirichlet, make(Type::F64, Literal{0.0}), {}};
        stencil.fields.push_back(field);
    }
    for (size_t k = 0; k < stages.size(); ++k) {
        ExprPtr sum = make(Type::F64, Literal{0.0});
        for (const auto &[field, time, z, y, x] : stages[k]) {
            sum =
                make(Type::F64, Binary{BinaryOp::Add, sum, make(Type::F64, Read{field, time, {z, y, x, 0}})});
            stencil.fields[field].levels = std::max(stencil.fields[field].levels, 1 - std::min(time, 0));
        }
        Stage stage;
        stage.field = static_cast<int>(k);
        stage.value = sum;
        stencil.stages.push_back(stage);
    }
    stencil.steps = make(Type::Int, Literal{int64_t{1}});
    return stencil;
}

/// Empty when every read found its level and every point was computed once; otherwise what went wrong first.
std::string runModel(const Analysed &a, const ModelRun &run, std::mt19937 &random) {
    return Model(a.stencil, a.facts, a.plan, run, random).go();
}

/// Up to three stages and fields with reads at random offsets and times, on a grid whose edges all have values.
Stencil randomStencil(std::mt19937 &random) {
    const int stages = pick(random, 1, 3);
    std::vector<std::vector<std::array<int, 5>>> list(static_cast<size_t>(stages));
    for (int k = 0; k < stages; ++k)
        for (int i = pick(random, 1, 4); i > 0; --i) {
            const int field = pick(random, 0, stages - 1);
            const int time = pick(random, -1, field < k ? 1 : 0);
            const int reach = pick(random, 0, 2);
            list[static_cast<size_t>(k)].push_back({field, time, pick(random, -reach, reach),
                                                    pick(random, -reach, reach),
                                                    pick(random, -reach, reach)});
        }
    return stencilOf(list);
}

} // namespace

TEST(Schedule, KeepsEveryDependenceOfRandomStencils) {
    std::mt19937 random(1);
    for (int i = 0; i < 400; ++i) {
        const Analysed a = analysed(randomStencil(random));
        EXPECT_NO_THROW(verify(a.stencil, a.facts, a.plan));
        const ModelRun run = randomRun(a, random);
        ASSERT_EQ("", runModel(a, run, random)) << "stencil " << i;
    }
}

TEST(Schedule, ColumnHasAllItsRowsAndTheirHalo) {
    std::mt19937 random(2);
    for (int i = 0; i < 400; ++i) {
        const Analysed a = analysed(randomStencil(random));
        ASSERT_EQ("", runModel(a, randomColumn(a, random), random)) << "stencil " << i;
    }
}

TEST(Schedule, HaloOneRowTooSmallIsNoticed) {
    std::mt19937 random(3);
    int noticed = 0, inside = 0;
    for (int i = 0; i < 100; ++i) {
        const Analysed a = analysed(randomStencil(random));
        ModelRun run = randomColumn(a, random);
        run.missing = 1;
        if (run.lo <= (run.bt - 1) * a.plan.low.step + *std::ranges::max_element(a.plan.low.stage)) continue;
        ++inside;
        noticed += !runModel(a, run, random).empty();
    }
    EXPECT_GT(inside, 30);
    EXPECT_EQ(noticed, inside) << "the first row of the column is always missing";
}

/// Edges of every kind, points that inject into some field at the end of the step, a monitor, and temps.
Stencil wholeLanguage(std::mt19937 &random) {
    Stencil stencil = randomStencil(random);
    for (int dim = 0; dim < 3; ++dim) {
        const bool periodic = pick(random, 0, 2) == 0;
        for (Field &field : stencil.fields)
            for (int side : {0, 1}) {
                Edge &edge = field.edge[dim][side];
                static constexpr EdgeKind kKinds[] = {EdgeKind::Dirichlet, EdgeKind::Neumann,
                                                      EdgeKind::Reflect, EdgeKind::ReflectCentre};
                edge.kind = kKinds[pick(random, 0, 3)];
                if (side == 1 && field.edge[dim][0].kind == EdgeKind::Periodic)
                    edge.kind = EdgeKind::Periodic;
                if (side == 0 && periodic && pick(random, 0, 3) > 0) edge.kind = EdgeKind::Periodic;
                if (side == 1 && field.edge[dim][0].kind != EdgeKind::Periodic &&
                    edge.kind == EdgeKind::Periodic)
                    edge.kind = EdgeKind::Neumann;
            }
    }
    const auto add = [&](Stage::Kind kind, int field) {
        Stage stage;
        stage.kind = kind;
        stage.field = field;
        const int reach = kind == Stage::Kind::Monitor ? 2 : 0;
        const auto offset = [&] { return pick(random, -reach, reach); };
        stage.value = make(Type::F64, Read{pick(random, 0, static_cast<int>(stencil.fields.size()) - 1),
                                           pick(random, 0, 1),
                                           {offset(), offset(), offset(), 0}});
        stencil.stages.push_back(stage);
    };
    const int last = static_cast<int>(stencil.fields.size()) - 1;
    for (int i = pick(random, 0, 2); i > 0; --i)
        add(Stage::Kind::Inject, pick(random, 0, last));
    if (pick(random, 0, 1)) add(Stage::Kind::Monitor, -1);
    return stencil;
}

TEST(Schedule, KeepsEveryDependenceOfTheWholeLanguage) {
    std::mt19937 random(5);
    for (int i = 0; i < 600; ++i) {
        const Analysed a = analysed(wholeLanguage(random));
        EXPECT_NO_THROW(verify(a.stencil, a.facts, a.plan));
        const ModelRun run = randomRun(a, random);
        ASSERT_EQ("", runModel(a, run, random)) << "stencil " << i;
    }
}

TEST(Schedule, ColumnsOfTheWholeLanguageHaveAllTheirRows) {
    std::mt19937 random(8);
    int columns = 0;
    for (int i = 0; i < 400; ++i) {
        const Analysed a = analysed(wholeLanguage(random));
        if (a.plan.ring) continue;
        ++columns;
        ASSERT_EQ("", runModel(a, randomColumn(a, random), random)) << "stencil " << i;
    }
    EXPECT_GT(columns, 100);
}

TEST(Schedule, BlocksOfColumnsHaveAllTheirCells) {
    std::mt19937 random(12);
    for (int i = 0; i < 300; ++i) {
        const Analysed a = analysed(wholeLanguage(random));
        if (a.plan.ring) continue;
        ModelRun run = randomColumn(a, random);
        run.block = pick(random, 1, static_cast<int>(run.nz));
        run.bz = 1000;
        ASSERT_EQ("", runModel(a, run, random)) << "stencil " << i;
    }
}

TEST(Schedule, OneRowTooFewReadForAColumnIsCaught) {
    std::mt19937 random(9);
    int caught = 0, damaged = 0;
    for (int i = 0; i < 200; ++i) {
        Analysed a = analysed(randomStencil(random));
        ModelRun run = randomColumn(a, random);
        if (a.plan.moreLow == 0 || run.lo <= run.bt * a.plan.low.step + narrowestTile(a.plan, 1)) continue;
        --a.plan.moreLow;
        ++damaged;
        EXPECT_THROW(verify(a.stencil, a.facts, a.plan), std::logic_error) << "stencil " << i;
        caught += !runModel(a, run, random).empty();
    }
    EXPECT_GT(damaged, 30);
    EXPECT_GT(caught, damaged * 3 / 4) << "not where that read leaves the grid along another dimension everywhere";
}

TEST(Schedule, AWedgeOnePlaneTooSmallIsCaught) {
    std::mt19937 random(6);
    int caught = 0, damaged = 0;
    for (int i = 0; i < 400; ++i) {
        Analysed a = analysed(wholeLanguage(random));
        if (!a.plan.unrolled || a.plan.wedgeLow.step == 0) continue;
        --a.plan.wedgeLow.step;
        ++damaged;
        EXPECT_THROW(verify(a.stencil, a.facts, a.plan), std::logic_error) << "stencil " << i;
        ModelRun run = randomRun(a, random);
        run.bt = 6;
        run.ct = std::min<int64_t>(run.ct, 6);
        caught += !runModel(a, run, random).empty();
    }
    EXPECT_GT(damaged, 50);
    EXPECT_GT(caught, damaged * 9 / 10);
}

TEST(Schedule, BlocksKeepEveryDependenceOfTheWholeLanguage) {
    std::mt19937 random(7);
    for (int i = 0; i < 400; ++i) {
        const Analysed a = analysed(wholeLanguage(random));
        ModelRun run = randomRun(a, random);
        run.block = pick(random, 1, static_cast<int>(run.nz));
        run.bz = 1000; // one slab takes the wave through the block
        ASSERT_EQ("", runModel(a, run, random)) << "stencil " << i;
    }
}

/// Programs whose halos are as wide as they must be, to the plane: reads as far as 1 and 3 planes, two levels, fields that
/// are updated one after the other.
std::vector<Stencil> exactHalos() {
    return {stencilOf({{{0, 0, -1, 0, 0}, {0, 0, 1, 0, 0}}}),
            stencilOf({{{0, 0, -3, 1, 0}, {0, 0, 2, 0, 1}}}),
            stencilOf({{{0, 0, -4, 0, 0}, {0, 0, 4, 0, 0}, {0, -1, 0, 0, 0}}}),
            stencilOf({{{0, 0, -1, 0, 0}, {0, 0, 1, 0, 0}, {1, 0, -2, 0, 0}, {1, 0, 2, 0, 0}}, {{0, 1, 0, 0, 0}}})};
}

void expectNarrowHalosAreCaught(void (*damage)(Plan &)) {
    std::mt19937 random(8);
    int number = 0;
    for (Stencil &stencil : exactHalos()) {
        Analysed a = analysed(std::move(stencil));
        ModelRun run{40, 0, 3, 1000, 1, 1};
        run.ny = narrowestTile(a.plan, 1);
        run.pieces = 1;
        run.block = 15;
        EXPECT_EQ("", runModel(a, run, random)) << number;
        damage(a.plan);
        EXPECT_NE("", runModel(a, run, random)) << number;
        ++number;
    }
}

TEST(Schedule, AHaloOnePlanePerStepTooSmallIsCaughtAtEitherEnd) {
    expectNarrowHalosAreCaught([](Plan &plan) { --plan.wedgeLow.step; });
    expectNarrowHalosAreCaught([](Plan &plan) { --plan.wedgeHigh.step; });
}

TEST(Schedule, AHaloOnePlaneTooSmallIsCaughtAtEitherEnd) {
    expectNarrowHalosAreCaught([](Plan &plan) { --plan.wedgeMoreLow; });
    expectNarrowHalosAreCaught([](Plan &plan) { --plan.wedgeMoreHigh; });
}

TEST(Schedule, ADelayOnePlaneTooSmallIsCaughtByTheModelAndByTheLegalityCheck) {
    std::mt19937 random(2);
    int caught = 0, damaged = 0;
    for (int i = 0; i < 200; ++i) {
        Analysed a = analysed(randomStencil(random));
        if (a.plan.wave.step == 0) continue;
        --a.plan.wave.step;
        ++damaged;
        EXPECT_THROW(verify(a.stencil, a.facts, a.plan), std::logic_error) << "stencil " << i;
        ModelRun run = randomRun(a, random);
        run.bt = 6;
        run.ct = 6;
        run.nz = 8;
        run.ny = run.tiles * narrowestTile(a.plan, run.ct);
        caught += !runModel(a, run, random).empty();
    }
    EXPECT_GT(damaged, 100);
    EXPECT_GT(caught, damaged * 9 / 10);
}

TEST(Schedule, ATileSlopeOneRowTooSmallIsCaught) {
    std::mt19937 random(3);
    int caught = 0, damaged = 0;
    for (int i = 0; i < 200; ++i) {
        Analysed a = analysed(randomStencil(random));
        if (a.plan.low.step == 0) continue;
        --a.plan.low.step;
        ++damaged;
        EXPECT_THROW(verify(a.stencil, a.facts, a.plan), std::logic_error) << "stencil " << i;
        ModelRun run{8, 0, 6, 4, 6, 3};
        run.ny = run.tiles * (narrowestTile(a.plan, run.ct) + run.ct);
        caught += !runModel(a, run, random).empty();
    }
    EXPECT_GT(damaged, 100);
    EXPECT_GT(caught, damaged * 9 / 10);
}

TEST(Schedule, APieceShiftOneCellTooSmallIsCaught) {
    std::mt19937 random(4);
    int caught = 0, damaged = 0;
    for (int i = 0; i < 200; ++i) {
        Analysed a = analysed(randomStencil(random));
        if (a.plan.piece.step == 0) continue;
        --a.plan.piece.step;
        ++damaged;
        EXPECT_THROW(verify(a.stencil, a.facts, a.plan), std::logic_error) << "stencil " << i;
        ModelRun run{8, 0, 6, 4, 6, 1};
        run.ny = 5;
        run.nx = 30;
        caught += !runModel(a, run, random).empty();
    }
    EXPECT_GT(damaged, 100);
    EXPECT_GT(caught, damaged * 9 / 10);
}

TEST(Schedule, StagesThatShareALoopWithoutLeaveAreCaught) {
    std::mt19937 random(7);
    int caught = 0, damaged = 0, fused = 0;
    for (int i = 0; i < 400; ++i) {
        Analysed a = analysed(randomStencil(random));
        for (const std::vector<int> &together : a.plan.groups)
            fused += static_cast<int>(together.size()) - 1;
        if (a.plan.groups.size() == 1) continue;
        const std::vector<int> second = a.plan.groups[1];
        a.plan.groups.erase(a.plan.groups.begin() + 1);
        a.plan.groups[0].insert(a.plan.groups[0].end(), second.begin(), second.end());
        ++damaged;
        EXPECT_THROW(verify(a.stencil, a.facts, a.plan), std::logic_error) << "stencil " << i;
        caught += !runModel(a, randomRun(a, random), random).empty();
    }
    EXPECT_GT(fused, 50);
    EXPECT_GT(damaged, 100);
    EXPECT_GT(caught, damaged / 2);
}

TEST(Schedule, JacobiOfReachRHasTwoSlotsAndLagsByR) {
    for (int r : {1, 2, 4}) {
        const Analysed a = analysed(stencilOf({{{0, 0, -r, 0}, {0, 0, r, 0}, {0, 0, 0, -r}, {0, 0, 0, r}}}));
        EXPECT_EQ(2, a.plan.fields[0].slots);
        EXPECT_EQ(r, a.plan.wave.step);
        EXPECT_EQ(r, a.plan.low.step);
        EXPECT_EQ(r, a.plan.high.step);
    }
}

TEST(Schedule, TheWaveEquationOfReachRHasTwoSlotsAndLagsByR) {
    const Analysed a =
        analysed(stencilOf({{{0, 0, -4, 0}, {0, 0, 4, 0}, {0, 0, 0, -4}, {0, 0, 0, 4}, {0, -1, 0, 0}}}));
    EXPECT_EQ(2, a.plan.fields[0].slots);
    EXPECT_EQ(2, a.plan.fields[0].levels);
    EXPECT_EQ(4, a.plan.wave.step);
}

TEST(Schedule, YeeAdvancesInPlaceWithDelaysZeroAndOne) {
    // E reads H at -1; H reads the new E at +1.
    const Analysed a = analysed(stencilOf({{{0, 0, 0, 0}, {1, 0, -1, 0}, {1, 0, 0, -1}, {1, 0, 0, 0}},
                                           {{1, 0, 0, 0}, {0, 1, 1, 0}, {0, 1, 0, 1}, {0, 1, 0, 0}}}));
    EXPECT_EQ(1, a.plan.fields[0].slots);
    EXPECT_EQ(1, a.plan.fields[1].slots);
    EXPECT_EQ(1, a.plan.wave.step);
    EXPECT_EQ((std::vector<int64_t>{0, 1}), a.plan.wave.stage);
}

TEST(Schedule, AFieldOverwrittenBeforeALaterStageReadsItsOldValueKeepsTwoLevels) {
    const Analysed a = analysed(stencilOf({{{0, 0, 0, 0}}, {{0, 0, 0, 0}}}));
    EXPECT_EQ(2, a.plan.fields[0].slots);
    EXPECT_EQ(1, a.plan.fields[1].slots);
}

} // namespace oocc
