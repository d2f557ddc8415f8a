// The solver's schedules against the model of schedule_model.h: random stencils keep every dependence, and a number that is
// one too small is caught.
//
//     OOCC_STENCILS=50 schedule_test       50 times as many stencils, the first of which are those of every run of the tests
//     OOCC_SEED=7 schedule_test            others
#include "promises.h"
#include "schedule_model.h"

#include <gtest/gtest.h>

namespace oocc {

namespace {

using test::fromEnvironment, test::leavePromise;

struct Analysed {
    Stencil stencil;
    Facts facts;
    Plan plan;
};

Analysed analysed(Stencil stencil) {
    Diagnostics diagnostics;
    const std::optional<Facts> facts = analyze(stencil, diagnostics);
    EXPECT_TRUE(facts.has_value());
    Knobs knobs; // several planes and rows at once wherever that is allowed
    knobs.jamPlanes = 3;
    knobs.jamRows = 2;
    Plan plan = makePlan(stencil, *facts, knobs);
    return {std::move(stencil), *facts, std::move(plan)};
}

/// The narrowest chain that the plan allows for groups of `ct` steps.
int64_t narrowestChain(const Plan &plan, int64_t ct) {
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
    run.chains = pick(random, 1, 3);
    run.tiles = pick(random, 1, 4);
    run.ny = run.chains * narrowestChain(plan, run.ct) + pick(random, 0, 5);
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
    const int64_t least = narrowestChain(a.plan, run.ct);
    const int64_t rows = std::max(run.ny, narrowestChain(a.plan, 1)), far = 4 * least;
    run.lo = pick(random, 0, static_cast<int>(far));
    run.hi = run.lo + rows;
    run.ny = run.hi + pick(random, 0, static_cast<int>(far));
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

/// Stencils that are to keep every dependence: how many, and those of the environment's seed. What came of them is left where
/// test/reliability.py adds it up.
class Tried {
  public:
    explicit Tried(unsigned seed, int stencils)
        : stencils(stencils * fromEnvironment("OOCC_STENCILS", 1)),
          random(seed + 1000U * static_cast<unsigned>(fromEnvironment("OOCC_SEED", 0))) {}

    ~Tried() { leavePromise("schedule", "no schedule breaks a dependence", tried_, failed_); }

    Tried(const Tried &) = delete;
    Tried &operator=(const Tried &) = delete;

    /// What the model says of a run.
    std::string run(const Analysed &a, const ModelRun &run) {
        ++tried_;
        std::string wrong = runModel(a, run, random);
        failed_ += !wrong.empty();
        return wrong;
    }

    const int stencils;
    std::mt19937 random;

  private:
    int tried_ = 0, failed_ = 0;
};

} // namespace

TEST(Schedule, KeepsEveryDependenceOfRandomStencils) {
    Tried tried(1, 400);
    std::mt19937 &random = tried.random;
    for (int i = 0; i < tried.stencils; ++i) {
        Analysed a = analysed(randomStencil(random));
        EXPECT_NO_THROW(verify(a.stencil, a.facts, a.plan));
        ModelRun run = randomRun(a, random);
        if (i % 4 == 0) run.nx += 40; // pieces of whole lines shift so far that of short rows nothing is left
        ASSERT_EQ("", tried.run(a, run)) << "stencil " << i;
        a.plan.piece = a.facts.schedule.piece; // as little as they can
        EXPECT_NO_THROW(verify(a.stencil, a.facts, a.plan));
        ASSERT_EQ("", tried.run(a, randomRun(a, random))) << "stencil " << i << ", as little as pieces can shift";
    }
}

/// Of the run's stages every one begins where its vectors do in a whole row: there a cache line begins, too.
TEST(Schedule, PiecesAreWholeLines) {
    std::mt19937 random(21);
    int lines = 0, tight = 0;
    for (int i = 0; i < 400; ++i) {
        const Analysed a = analysed(randomStencil(random));
        if (a.plan.piece.stage.empty()) continue;
        bool whole = a.plan.piece.step % 8 == 0;
        for (size_t k = 0; k < a.stencil.stages.size(); ++k)
            whole = whole && (a.plan.piece.stage[k] + a.facts.stages[k].rim[2][0]) % 8 == 0;
        ++(whole ? lines : tight);
    }
    EXPECT_GT(lines, 10 * tight);
}

TEST(Schedule, ColumnHasAllItsRowsAndTheirHalo) {
    Tried tried(2, 400);
    std::mt19937 &random = tried.random;
    for (int i = 0; i < tried.stencils; ++i) {
        const Analysed a = analysed(randomStencil(random));
        ASSERT_EQ("", tried.run(a, randomColumn(a, random))) << "stencil " << i;
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
    Tried tried(5, 600);
    std::mt19937 &random = tried.random;
    for (int i = 0; i < tried.stencils; ++i) {
        const Analysed a = analysed(wholeLanguage(random));
        EXPECT_NO_THROW(verify(a.stencil, a.facts, a.plan));
        const ModelRun run = randomRun(a, random);
        ASSERT_EQ("", tried.run(a, run)) << "stencil " << i;
    }
}

TEST(Schedule, ColumnsOfTheWholeLanguageHaveAllTheirRows) {
    Tried tried(8, 400);
    std::mt19937 &random = tried.random;
    int columns = 0;
    for (int i = 0; i < tried.stencils; ++i) {
        const Analysed a = analysed(wholeLanguage(random));
        if (a.plan.ring) continue;
        ++columns;
        ASSERT_EQ("", tried.run(a, randomColumn(a, random))) << "stencil " << i;
    }
    EXPECT_GT(columns, 100);
}

TEST(Schedule, BlocksOfColumnsHaveAllTheirCells) {
    Tried tried(12, 300);
    std::mt19937 &random = tried.random;
    for (int i = 0; i < tried.stencils; ++i) {
        const Analysed a = analysed(wholeLanguage(random));
        if (a.plan.ring) continue;
        ModelRun run = randomColumn(a, random);
        run.block = pick(random, 1, static_cast<int>(run.nz));
        run.bz = 1000;
        ASSERT_EQ("", tried.run(a, run)) << "stencil " << i;
    }
}

TEST(Schedule, OneRowTooFewReadForAColumnIsCaught) {
    std::mt19937 random(9);
    int caught = 0, damaged = 0;
    for (int i = 0; i < 200; ++i) {
        Analysed a = analysed(randomStencil(random));
        ModelRun run = randomColumn(a, random);
        if (a.plan.moreLow == 0 || run.lo <= run.bt * a.plan.low.step + narrowestChain(a.plan, 1)) continue;
        --a.plan.moreLow;
        ++damaged;
        EXPECT_THROW(verify(a.stencil, a.facts, a.plan), std::logic_error) << "stencil " << i;
        caught += !runModel(a, run, random).empty();
    }
    EXPECT_GT(damaged, 30);
    EXPECT_GT(caught, damaged * 3 / 5) << "not where that read leaves the grid along another dimension everywhere";
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
    Tried tried(7, 400);
    std::mt19937 &random = tried.random;
    for (int i = 0; i < tried.stencils; ++i) {
        const Analysed a = analysed(wholeLanguage(random));
        ModelRun run = randomRun(a, random);
        run.block = pick(random, 1, static_cast<int>(run.nz));
        run.bz = 1000; // one slab takes the wave through the block
        ASSERT_EQ("", tried.run(a, run)) << "stencil " << i;
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
        run.ny = narrowestChain(a.plan, 1);
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
        run.ny = run.chains * narrowestChain(a.plan, run.ct);
        caught += !runModel(a, run, random).empty();
    }
    EXPECT_GT(damaged, 100);
    EXPECT_GT(caught, damaged * 9 / 10);
}

/// `number` is one too small, in random stencils where it is any: the legality check and the model must notice.
void expectDamageIsCaught(unsigned seed, int64_t &(*number)(Plan &), ModelRun (*runOf)(const Plan &)) {
    std::mt19937 random(seed);
    int caught = 0, damaged = 0;
    for (int i = 0; i < 200; ++i) {
        Analysed a = analysed(randomStencil(random));
        a.plan.piece = a.facts.schedule.piece;
        if (number(a.plan) == 0) continue;
        --number(a.plan);
        ++damaged;
        EXPECT_THROW(verify(a.stencil, a.facts, a.plan), std::logic_error) << "stencil " << i;
        caught += !runModel(a, runOf(a.plan), random).empty();
    }
    EXPECT_GT(damaged, 100);
    EXPECT_GT(caught, damaged * 9 / 10);
}

int64_t &lowSlope(Plan &plan) { return plan.low.step; }
int64_t &highSlope(Plan &plan) { return plan.high.step; }
int64_t &pieceSlope(Plan &plan) { return plan.piece.step; }

TEST(Schedule, ASlopeOfAChainOneRowTooSmallIsCaught) {
    expectDamageIsCaught(3, lowSlope, [](const Plan &plan) {
        ModelRun run{8, 0, 6, 4, 6, 3};
        run.ny = run.chains * (narrowestChain(plan, run.ct) + run.ct);
        return run;
    });
}

TEST(Schedule, TilesThatLeanOneRowTooLittleAreCaught) {
    expectDamageIsCaught(13, highSlope, [](const Plan &plan) {
        ModelRun run{8, 0, 6, 4, 6, 1};
        run.tiles = 4;
        run.ny = narrowestChain(plan, run.ct) + 8 * run.ct;
        return run;
    });
}

TEST(Schedule, APieceShiftOneCellTooSmallIsCaught) {
    expectDamageIsCaught(4, pieceSlope, [](const Plan &) {
        ModelRun run{8, 0, 6, 4, 6, 1};
        run.ny = 5;
        run.nx = 30;
        return run;
    });
}

TEST(Schedule, StagesThatShareALoopWithoutLeaveAreCaught) {
    std::mt19937 random(7);
    int caught = 0, damaged = 0, fused = 0;
    for (int i = 0; i < 400; ++i) {
        Analysed a = analysed(randomStencil(random));
        a.plan.piece = a.facts.schedule.piece;
        for (const std::vector<int> &together : a.plan.groups)
            fused += static_cast<int>(together.size()) - 1;
        if (a.plan.groups.size() == 1) continue;
        const std::vector<int> second = a.plan.groups[1];
        a.plan.groups.erase(a.plan.groups.begin() + 1);
        a.plan.groups[0].insert(a.plan.groups[0].end(), second.begin(), second.end());
        a.plan.jams.assign(a.plan.groups.size(), {});
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
