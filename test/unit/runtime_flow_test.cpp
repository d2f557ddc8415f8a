// The order of chains and borders: every item once, and never at work on rows that an item which is not done still needs.
#include "runtime_c.h"

#include <atomic>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <unistd.h>

namespace {

struct Slab {
    oocc_program program{};
    oocc_run run{};
    oocc_pass pass{};
    oocc_flow *flow = nullptr;

    Slab(int64_t rows, int64_t chains, int64_t bt, int64_t ct, int threads, oocc_tiling tiling,
         bool innerLo = false, bool innerHi = false, bool leans = false) {
        program.ndim = 3;
        program.tiled = true;
        program.tiling = tiling;
        run.program = &program;
        run.grid.extent[1] = rows;
        run.plan.threads = threads;
        pass.first_step = 1;
        pass.bt = bt;
        pass.ct = ct;
        pass.chains = chains;
        pass.outer_lo = leans ? bt * (tiling.slope_hi + 1) : 0; // what it leans over
        pass.outer_hi = pass.outer_lo + rows;
        pass.leans = leans;
        pass.inner_lo = innerLo;
        pass.inner_hi = innerHi;
        pass.run = &run;
        pass.flow = flow = flow_open(&run, &pass);
    }
    ~Slab() { flow_close(flow); }
    Slab(const Slab &) = delete;

    int64_t rows() const { return run.grid.extent[1]; }
    int64_t groups() const { return (pass.bt - 1) / pass.ct + 1; }
    int64_t border(int64_t group, int64_t j) const {
        const row_range rows = pass_rows(&program, &pass, oocc_group_lo(&pass, group));
        return oocc_chain_lo(&pass, rows.lo, rows.hi, j);
    }
    /// Rows that an item writes, [first, second); it reads up to `reach` beyond.
    std::pair<int64_t, int64_t> written(const oocc_item &item) const {
        const oocc_tiling &t = program.tiling;
        const int64_t most = pass.ct - 1, b = border(item.group, item.chain);
        if (!item.border && item.chain == 0 && pass.leans) return {b - most * t.slope_hi - t.shift_hi, border(item.group, 1)};
        if (!item.border) return {b, border(item.group, item.chain + 1)};
        return {b - most * t.slope_hi - t.shift_hi, b + most * t.slope_lo + t.shift_lo};
    }
    bool writes(const oocc_item &item, int64_t from, int64_t to) const {
        const auto [lo, hi] = written(item);
        for (int64_t turn : {-rows(), int64_t{0}, rows()})
            if ((turn == 0 || program.tiling.ring) && lo < to + turn && from + turn < hi) return true;
        return false;
    }
    /// One writes what the other reads or writes.
    bool meet(const oocc_item &a, const oocc_item &b) const {
        const auto [aLo, aHi] = written(a);
        const auto [bLo, bHi] = written(b);
        const int64_t reach = program.tiling.reach;
        for (int64_t turn : {-rows(), int64_t{0}, rows()})
            if ((turn == 0 || program.tiling.ring) && aLo < bHi + turn + reach && bLo + turn < aHi + reach) return true;
        return false;
    }
};

int64_t found_early = 0;

// All items of a slab, by every thread, with pauses at random: each notes that it is done before it asks for the next.
void play(Slab &slab, int threads, unsigned seed) {
    const int64_t n = slab.pass.chains, kinds = 2 * n, groups = slab.groups();
    std::vector<std::atomic<int>> state(size_t(groups * kinds)); // 1: at work, 2: done
    const auto index = [&](const oocc_item &i) { return size_t(i.group * kinds + i.chain * 2 + i.border); };
    std::atomic<int64_t> items{0};
    std::atomic<bool> good{true};
    oocc_share_out(&slab.pass);
    std::atomic<int64_t> early{0}; // times that rows were known to be finished while others were not
    // Rows that have been through all steps: nothing that writes them is left, in any group.
    const auto ask = [&](int64_t lo, int64_t hi) {
        if (!flow_has_finished(slab.flow, lo, hi)) return;
        int64_t done = 0;
        for (int64_t g = 0; g < groups; g++)
            for (int64_t k = 0; k < kinds; k++) {
                const oocc_item item = {g, k / 2, k % 2 == 1};
                const bool exists = !item.border || (n > 1 && (item.chain > 0 || slab.program.tiling.ring));
                const bool is_done = !exists || state[index(item)] == 2;
                done += is_done;
                if (!is_done && slab.writes(item, lo, hi)) good = false;
            }
        early += done < groups * kinds;
    };
    const auto work = [&](int thread) {
        std::mt19937 random(seed + unsigned(thread));
        oocc_item item = oocc_no_item();
        while (oocc_next_item(&slab.pass, &item)) {
            if (state[index(item)].exchange(1) != 0) good = false; // handed out twice
            items++;
            for (int64_t g = 0; g < groups; g++)
                for (int64_t k = 0; k < kinds; k++) {
                    const oocc_item other = {g, k / 2, k % 2 == 1};
                    const bool exists = !other.border || (n > 1 && (other.chain > 0 || slab.program.tiling.ring));
                    const bool before = g < item.group || (g == item.group && item.border && !other.border);
                    if (exists && before && slab.meet(item, other) && state[index(other)] != 2) good = false;
                }
            if (random() % 4 == 0) usleep(random() % 200);
            const int64_t lo = int64_t(random() % unsigned(slab.rows()));
            ask(lo, std::min(slab.rows(), lo + 1 + int64_t(random() % 8)));
            state[index(item)] = 2;
        }
    };
    std::vector<std::thread> team;
    for (int i = 0; i < threads; i++)
        team.emplace_back(work, i);
    for (std::thread &thread : team)
        thread.join();
    const int64_t borders = n == 1 ? 0 : slab.program.tiling.ring ? n : n - 1;
    EXPECT_EQ(items, groups * (n + borders));
    EXPECT_TRUE(flow_has_finished(slab.flow, 0, INT64_MAX));
    found_early += early;
    EXPECT_TRUE(good) << n << " chains of " << slab.rows() << " rows, bt " << slab.pass.bt << ", ct " << slab.pass.ct
                      << ", slopes " << slab.program.tiling.slope_lo << " and " << slab.program.tiling.slope_hi
                      << ", reach " << slab.program.tiling.reach << ", ring " << slab.program.tiling.ring << ", inner sides " << slab.pass.inner_lo
                      << slab.pass.inner_hi << ", leans " << slab.pass.leans;
}

TEST(Flow, NoItemStartsBeforeWhatItNeedsIsDone) {
    std::mt19937 random(1);
    const auto draw = [&](int lo, int hi) { return lo + int(random() % unsigned(hi - lo + 1)); };
    for (int trial = 0; trial < 150; trial++) {
        oocc_tiling t{};
        t.slope_lo = draw(0, 3);
        t.slope_hi = draw(0, 3);
        t.shift_lo = draw(0, 2);
        t.shift_hi = draw(0, 2);
        t.reach = draw(0, 4);
        t.ring = draw(0, 2) == 0;
        const int threads = draw(1, 6), ct = draw(1, 5), bt = draw(1, 5) * ct - draw(0, ct - 1), chains = draw(1, 12);
        const int64_t least = t.shift_lo + t.shift_hi + (ct - 1) * (t.slope_lo + t.slope_hi) + t.reach + 1;
        const int low = t.ring ? 0 : draw(0, 2);
        const bool innerLo = low == 1, leans = low == 2, innerHi = !t.ring && draw(0, 1);
        const int64_t lost = (bt - 1) * (innerLo * t.slope_lo + (innerHi && !leans) * t.slope_hi);
        Slab slab(lost + chains * (least + draw(0, 6)) + draw(0, chains - 1), chains, bt, ct, threads, t, innerLo, innerHi, leans);
        ASSERT_NE(slab.flow, nullptr);
        play(slab, threads, unsigned(trial));
        if (HasFailure()) return;
    }
    EXPECT_GT(found_early, 10);
}

TEST(Flow, ManyGroupsNeedNoMoreMemoryThanTwo) {
    Slab slab(100, 4, int64_t{1} << 40, 1, 4, {1, 1, 0, 0, 1, 0, 0, 1, false, false, false});
    ASSERT_NE(slab.flow, nullptr);
    oocc_share_out(&slab.pass);
    oocc_item item = oocc_no_item();
    for (int i = 0; i < 7000; i++)
        ASSERT_TRUE(oocc_next_item(&slab.pass, &item));
    EXPECT_NEAR(double(item.group), 1000, 2); // seven items a group
}

} // namespace
