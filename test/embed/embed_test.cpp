// A stencil that an application drives: runs in pieces, planes that are read and written between them, initial values of the
// application's, several stencils at once. Every schedule and engine gives the same bits.
#include "stencils.h"

#include <cmath>
#include <cstring>
#include <algorithm>

namespace {

template <typename Cell> bool sameBits(const std::vector<Cell> &a, const std::vector<Cell> &b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Cell)) == 0;
}

template <typename S> class EmbedIn : public Embed {};
using Stencils = ::testing::Types<Heat, Wave, Line>;
TYPED_TEST_SUITE(EmbedIn, Stencils);

/// Something different in every cell, small enough for every type.
template <typename S> int fillWithIndex(void *calls, int64_t ago, int64_t first, int64_t count, void *cells) {
    auto *cell = static_cast<typename S::Cell *>(cells);
    for (int64_t i = 0; i < count * S::cells; ++i)
        cell[i] = static_cast<typename S::Cell>((first * S::cells + i) % 97 + 10 * ago);
    *static_cast<int64_t *>(calls) += count;
    return 0;
}

TYPED_TEST(EmbedIn, RunsInPiecesHaveTheBitsOfOneRun) {
    using S = TypeParam;
    std::vector<typename S::Cell> want;
    for (const Way &way : ways()) {
        SCOPED_TRACE(text(way));
        int64_t calls = 0;
        Driven<S> run(way);
        run.ok(S::init(run(), fillWithIndex<S>, &calls));
        if (want.empty()) {
            run.ok(S::run(run(), 9));
            want = run.all();
            EXPECT_FALSE(sameBits(want, std::vector<typename S::Cell>(want.size())));
            continue;
        }
        for (int64_t steps : {3, 1, 0, 5})
            run.ok(S::run(run(), steps));
        EXPECT_EQ(S::level(run()), 9);
        EXPECT_TRUE(sameBits(run.all(), want));
    }
}

TYPED_TEST(EmbedIn, InitialValuesComeFromTheApplication) {
    using S = TypeParam;
    for (const Way &way : ways()) {
        SCOPED_TRACE(text(way));
        int64_t calls = 0, ignored = 0;
        Driven<S> run(way);
        run.ok(S::init(run(), fillWithIndex<S>, &calls));
        std::vector<typename S::Cell> want(S::planes * S::cells);
        fillWithIndex<S>(&ignored, 0, 0, S::planes, want.data());
        EXPECT_TRUE(sameBits(run.all(), want)); // prepares, too
        EXPECT_EQ(calls % S::planes, 0);
        EXPECT_EQ(S::level(run()), 0);
    }
}

TYPED_TEST(EmbedIn, PlanesAreWrittenBetweenRuns) {
    using S = TypeParam;
    std::vector<typename S::Cell> want;
    for (const Way &way : ways()) {
        SCOPED_TRACE(text(way));
        int64_t calls = 0;
        Driven<S> run(way);
        run.ok(S::init(run(), fillWithIndex<S>, &calls));
        run.ok(S::run(run(), 4));
        std::vector<typename S::Cell> part(7 * S::cells), again(7 * S::cells);
        run.ok(S::read(run(), 5, 7, part.data()));
        for (auto &cell : part)
            cell = static_cast<typename S::Cell>(cell / 2 + 1);
        run.ok(S::write(run(), 5, 7, part.data()));
        run.ok(S::read(run(), 5, 7, again.data()));
        EXPECT_TRUE(sameBits(part, again));
        run.ok(S::run(run(), 5));
        if (want.empty()) want = run.all();
        EXPECT_TRUE(sameBits(run.all(), want));
    }
    int64_t calls = 0;
    Driven<S> untouched;
    untouched.ok(S::init(untouched(), fillWithIndex<S>, &calls));
    untouched.ok(S::run(untouched(), 9));
    EXPECT_FALSE(sameBits(untouched.all(), want)); // the writing did something
}

TYPED_TEST(EmbedIn, TheWholeGridWrittenBackChangesNothing) {
    using S = TypeParam;
    std::vector<typename S::Cell> want;
    for (const Way &way : ways()) {
        SCOPED_TRACE(text(way));
        int64_t calls = 0;
        Driven<S> run(way);
        run.ok(S::init(run(), fillWithIndex<S>, &calls));
        run.ok(S::run(run(), 4));
        if (!want.empty()) { // the first is the plain one
            const auto all = run.all();
            run.ok(S::write(run(), 0, S::planes, all.data()));
        }
        run.ok(S::run(run(), 5));
        if (want.empty()) want = run.all();
        EXPECT_TRUE(sameBits(run.all(), want));
    }
}

// A pass that is shorter than planned may need a larger window, as it begins and ends in other slots.
TYPED_TEST(EmbedIn, CallsNeedNotBeAsLongAsPlanned) {
    using S = TypeParam;
    std::vector<typename S::Cell> want;
    for (const Way &way : {ways()[0], Way{{"schedule", "stream"}, {"engine", "memory"}, {"bt", "4"}, {"bz", "5"}},
                           Way{{"schedule", "stream"}, {"engine", "memory"}, {"bt", "5"}, {"bz", "4"}}}) {
        SCOPED_TRACE(text(way));
        int64_t calls = 0;
        Driven<S> run(way);
        run.ok(S::option(run(), "steps", "20"));
        run.ok(S::init(run(), fillWithIndex<S>, &calls));
        for (int64_t steps : {1, 4, 3, 2})
            run.ok(S::run(run(), steps));
        if (want.empty()) want = run.all();
        EXPECT_TRUE(sameBits(run.all(), want));
    }
}

struct Stopper {
    int after, calls = 0;
    double most = 0;
};

int stopLater(void *data, const char *phase, double fraction) {
    auto *stopper = static_cast<Stopper *>(data);
    EXPECT_GE(fraction, 0);
    EXPECT_LE(fraction, 1);
    stopper->most = std::fmax(stopper->most, fraction);
    return std::strncmp(phase, "pass", 4) == 0 && ++stopper->calls == stopper->after;
}

TEST_F(Embed, ProgressStopsARunThatGoesOn) {
    std::vector<double> want;
    for (const Way &way : ways()) {
        SCOPED_TRACE(text(way));
        Driven<Heat> run(way);
        Stopper stopper{want.empty() ? 0 : 2};
        heat3d_on_progress(run(), stopLater, &stopper);
        int status = OOCC_OK, stops = 0;
        while (heat3d_level(run()) < 12 && stops < 100) {
            status = heat3d_run(run(), 12 - heat3d_level(run()));
            if (status == OOCC_OK) break;
            run.fails(status, OOCC_STOPPED, "stopped at level");
            ++stops;
        }
        run.ok(heat3d_run(run(), 12 - heat3d_level(run())));
        EXPECT_GT(stopper.calls, 0);
        EXPECT_LE(stops, 1);
        if (want.empty()) want = run.all();
        EXPECT_TRUE(sameBits(run.all(), want));
    }
}

TEST_F(Embed, TwoStencilsAreOpenAtOnce) {
    for (const Way &way : ways()) {
        SCOPED_TRACE(text(way));
        std::vector<double> heatAlone;
        std::vector<float> waveAlone;
        int64_t calls = 0;
        {
            Driven<Heat> heat(way);
            heat.ok(heat3d_run(heat(), 6));
            heatAlone = heat.all();
        }
        {
            Driven<Wave> wave(way);
            wave.ok(wave2d_init_p(wave(), fillWithIndex<Wave>, &calls));
            wave.ok(wave2d_run(wave(), 6));
            waveAlone = wave.all();
        }
        Driven<Heat> heat(way);
        Driven<Wave> wave(way);
        wave.ok(wave2d_init_p(wave(), fillWithIndex<Wave>, &calls));
        for (int i = 0; i < 3; ++i) {
            heat.ok(heat3d_run(heat(), 2));
            wave.ok(wave2d_run(wave(), 2));
        }
        EXPECT_TRUE(sameBits(heat.all(), heatAlone));
        EXPECT_TRUE(sameBits(wave.all(), waveAlone));
    }
}

TEST_F(Embed, WhatIsMadeFromACoefficientFollowsTheApplications) {
    for (const Way &way : ways()) {
        SCOPED_TRACE(text(way));
        int64_t calls = 0, ignored = 0;
        Driven<Line> run(way);
        run.ok(line_init_w(run(), fillWithIndex<Line>, &calls));
        std::vector<int64_t> want(Line::planes);
        fillWithIndex<Line>(&ignored, 0, 0, Line::planes, want.data());
        for (int64_t x = 0; x < Line::planes; ++x)
            want[static_cast<size_t>(x)] -= x;
        EXPECT_TRUE(sameBits(run.all(), want));
        EXPECT_EQ(calls, Line::planes);
    }
}

TEST_F(Embed, ParametersAreTheProgramsAgainAfterDestroy) {
    int64_t extent[3];
    {
        Driven<Heat> run;
        run.ok(heat3d_set_n(run(), 11));
        run.ok(heat3d_set_alpha(run(), 0.1));
        run.ok(heat3d_extent(run(), extent));
        EXPECT_EQ(extent[0], 11);
        EXPECT_EQ(extent[1], 14);
        EXPECT_EQ(extent[2], 16);
        run.ok(heat3d_run(run(), 2));
    }
    Driven<Heat> run;
    run.ok(heat3d_extent(run(), extent));
    EXPECT_EQ(extent[0], 20);
}

TEST_F(Embed, MonitorsHaveTheirLastValue) {
    for (const Way &way : ways()) {
        SCOPED_TRACE(text(way));
        Driven<Heat> run(way);
        run.ok(heat3d_prepare(run()));
        EXPECT_TRUE(std::isnan(heat3d_monitor_peak(run())));
        run.ok(heat3d_run(run(), 4));
        const auto all = run.all();
        EXPECT_EQ(heat3d_monitor_peak(run()), *std::max_element(all.begin(), all.end()));
    }
}

TEST_F(Embed, AStopConditionEndsARunThatCanGoOn) {
    for (const Way &way : ways()) {
        SCOPED_TRACE(text(way));
        Driven<Heat> run(way);
        run.ok(heat3d_set_limit(run(), 0.2));
        run.ok(heat3d_run(run(), 10));
        EXPECT_EQ(heat3d_level(run()), 2); // the first that is looked at
        ASSERT_NE(heat3d_stop_reason(run()), nullptr);
        EXPECT_STREQ(heat3d_stop_reason(run()), "peak > limit");
        run.ok(heat3d_run(run(), 1));
        EXPECT_EQ(heat3d_level(run()), 3);
        EXPECT_EQ(heat3d_stop_reason(run()), nullptr);
    }
}

TEST_F(Embed, ScalarsSeeWhatTheApplicationHasWritten) {
    for (const Way &way : ways()) {
        SCOPED_TRACE(text(way));
        if (way.size() > 3) continue; // with bt: a pass is one step here
        Driven<Damped> run(way);
        run.ok(damped_run(run(), 2));
        EXPECT_EQ(run.all().back(), 1);
        std::vector<double> row(Damped::cells, 8);
        run.ok(damped_write_u(run(), 3, 1, row.data()));
        run.ok(damped_run(run(), 1));
        EXPECT_EQ(damped_monitor_most(run()), 1); // after the step: 8 has become 1
        EXPECT_EQ(run.all().back(), 0.125);
    }
}

TEST_F(Embed, EarlierLevelsAreReadAndWritten) {
    for (const Way &way : ways()) {
        SCOPED_TRACE(text(way));
        int64_t calls = 0;
        Driven<Wave> run(way);
        run.ok(wave2d_init_p(run(), fillWithIndex<Wave>, &calls));
        run.ok(wave2d_run(run(), 3));
        const auto third = run.all();
        run.ok(wave2d_run(run(), 1));
        std::vector<float> before(third.size());
        run.ok(wave2d_read_p(run(), 1, 0, Wave::planes, before.data()));
        EXPECT_TRUE(sameBits(before, third));
        before[123] = 7;
        run.ok(wave2d_write_p(run(), 1, 0, Wave::planes, before.data()));
        const auto present = run.all();
        run.ok(wave2d_read_p(run(), 1, 0, Wave::planes, before.data()));
        EXPECT_EQ(before[123], 7);
        EXPECT_FALSE(sameBits(before, present));
    }
}

TEST_F(Embed, FinishWritesWhatTheProgramWrites) {
    uint64_t first = 0;
    for (const Way &way : ways()) {
        SCOPED_TRACE(text(way));
        Driven<Heat> run(way);
        run.ok(heat3d_set_often(run(), 4));
        run.ok(heat3d_run(run(), 3));
        EXPECT_FALSE(std::filesystem::exists("heat3d-4.npy"));
        run.ok(heat3d_run(run(), 3));
        EXPECT_TRUE(std::filesystem::exists("heat3d-4.npy"));
        EXPECT_FALSE(std::filesystem::exists("heat3d.npy"));
        uint64_t hash = 0;
        run.ok(heat3d_finish(run(), &hash));
        EXPECT_TRUE(std::filesystem::exists("heat3d.npy"));
        if (!first) first = hash;
        EXPECT_EQ(hash, first);
        std::filesystem::remove("heat3d-4.npy");
        std::filesystem::remove("heat3d.npy");
    }
}

TEST_F(Embed, RecordsGrowWithTheRuns) {
    for (const Way &way : ways()) {
        SCOPED_TRACE(text(way));
        int64_t calls = 0;
        Driven<Wave> run(way);
        run.ok(wave2d_init_p(run(), fillWithIndex<Wave>, &calls));
        float at = 0;
        std::vector<float> plane(Wave::cells);
        for (int i = 0; i < 12; ++i)
            run.ok(wave2d_run(run(), 1));
        run.ok(wave2d_read_p(run(), 0, 4, 1, plane.data()));
        run.ok(wave2d_finish(run(), nullptr));
        ASSERT_EQ(std::filesystem::file_size("wave2d-traces.npy"), 128 + 12 * sizeof(float));
        std::FILE *file = std::fopen("wave2d-traces.npy", "rb");
        std::fseek(file, 128 + 11 * sizeof(float), SEEK_SET);
        ASSERT_EQ(std::fread(&at, sizeof at, 1, file), 1U);
        std::fclose(file);
        EXPECT_EQ(at, plane[5]);
        std::filesystem::remove("wave2d-traces.npy");
    }
}

} // namespace
