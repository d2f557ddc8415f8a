// In which order requests are taken that have been queued: reads and writes by turns, each in the order of its coming. How many threads
// take them, and where these may run.
#include "runtime_c.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <gtest/gtest.h>
#include <mutex>
#include <sched.h>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

// One thread, which is kept at its first request until everything else is queued.
struct Queued {
    engine owner{};
    std::mutex gate;
    std::string order; // r or w for each request that was taken
    std::vector<const io_request *> taken;
    workers *threads;

    Queued() {
        owner.state = this;
        gate.lock();
        threads = workers_start(1, false, &owner, [](engine *e, io_request *request) {
            auto *self = static_cast<Queued *>(e->state);
            const std::lock_guard<std::mutex> hold(self->gate);
            self->order += request->write ? 'w' : 'r';
            self->taken.push_back(request);
        });
    }
    void submit(std::vector<io_request> &requests, bool write) {
        for (io_request &request : requests)
            request.write = write;
        io_batch batch{};
        batch.request = requests.data();
        batch.count = int64_t(requests.size());
        workers_submit(threads, &batch);
    }
    void finish() {
        gate.unlock();
        workers_stop(threads);
    }
};

TEST(Workers, TakeReadsAndWritesByTurns) {
    Queued queued;
    std::vector<io_request> first(1), reads(6), writes(6);
    queued.submit(first, false);
    queued.submit(reads, false);
    queued.submit(writes, true);
    queued.finish();
    ASSERT_EQ(queued.order.size(), 13u);
    // Neither direction gets far ahead: by one, and by one more for what is at the gate, which may have been taken first.
    for (size_t i = 1, read = 0, written = 0; i < queued.order.size(); i++) {
        (queued.order[i] == 'r' ? read : written)++;
        EXPECT_LE(read, written + 2) << queued.order;
        EXPECT_LE(written, read + 2) << queued.order;
    }
}

TEST(Workers, TakeFewWritesEvenlyAmongManyReads) {
    Queued queued;
    std::vector<io_request> first(1), reads(24), writes(4);
    queued.submit(first, true);
    queued.submit(reads, false);
    queued.submit(writes, true);
    queued.finish();
    ASSERT_EQ(queued.order.size(), 29u);
    for (size_t i = 1; i + 7 <= queued.order.size(); i += 7) {
        const std::string part = queued.order.substr(i, 7);
        EXPECT_GE(std::count(part.begin(), part.end(), 'r'), 5) << queued.order;
        EXPECT_NE(part.find('w'), std::string::npos) << queued.order;
    }
}

TEST(Workers, KeepTheOrderOfEachDirection) {
    Queued queued;
    std::vector<io_request> reads(9), writes(5), more(3), again(1);
    queued.submit(reads, false);
    queued.submit(writes, true);
    queued.submit(more, false);
    again[0].write = true;
    workers_push(queued.threads, &again[0]);
    queued.finish();
    std::vector<const io_request *> read, written, wantRead, wantWritten;
    for (const io_request *request : queued.taken)
        (request->write ? written : read).push_back(request);
    for (const auto *requests : {&reads, &more})
        for (const io_request &request : *requests)
            wantRead.push_back(&request);
    for (const auto *requests : {&writes, &again})
        for (const io_request &request : *requests)
            wantWritten.push_back(&request);
    EXPECT_EQ(read, wantRead);
    EXPECT_EQ(written, wantWritten);
}

// Up to six threads, which keep their requests until they may go on.
struct Kept {
    engine owner{};
    std::mutex lock;
    std::condition_variable changed;
    int at = 0;                     // requests that somebody has
    bool open = false;              // whoever has one goes on
    std::set<std::thread::id> seen; // who has had one
    std::vector<cpu_set_t> places;  // where they may run
    workers *threads;

    Kept() {
        owner.state = this;
        threads = workers_start(6, false, &owner, [](engine *e, io_request *) {
            auto *self = static_cast<Kept *>(e->state);
            std::unique_lock<std::mutex> hold(self->lock);
            self->seen.insert(std::this_thread::get_id());
            sched_getaffinity(0, sizeof(cpu_set_t), &self->places.emplace_back());
            self->at++;
            self->changed.notify_all();
            self->changed.wait(hold, [&] { return self->open; });
            self->at--;
            self->changed.notify_all();
        });
    }
    void submit(std::vector<io_request> &requests) {
        io_batch batch{};
        batch.request = requests.data();
        batch.count = int64_t(requests.size());
        workers_submit(threads, &batch);
    }
    bool reaches(int count) {
        std::unique_lock<std::mutex> hold(lock);
        return changed.wait_for(hold, std::chrono::seconds(20), [&] { return at == count; });
    }
    // They go on until so many requests have been taken and done.
    bool finishes(size_t count) {
        std::unique_lock<std::mutex> hold(lock);
        open = true;
        changed.notify_all();
        return changed.wait_for(hold, std::chrono::seconds(20), [&] { return places.size() == count && at == 0; });
    }
};

TEST(Workers, AreAsManyAsHaveRequestsAtOnce) {
    Kept kept;
    std::vector<io_request> three(3), five(5), one(1);
    kept.submit(three);
    EXPECT_TRUE(kept.reaches(3)); // nobody waits for somebody else's
    kept.submit(five);
    EXPECT_TRUE(kept.reaches(6)); // and two are left for whoever is done first
    EXPECT_TRUE(kept.finishes(8));
    workers_push(kept.threads, &one[0]); // those who wait are called again
    EXPECT_TRUE(kept.finishes(9));
    workers_stop(kept.threads);
    EXPECT_EQ(kept.seen.size(), 6u);
}

TEST(Workers, AreNoMoreThanHaveRequestsAtOnce) {
    Kept kept;
    std::vector<io_request> one(1);
    for (size_t i = 1; i <= 20; i++) {
        workers_push(kept.threads, &one[0]);
        ASSERT_TRUE(kept.finishes(i));
        std::this_thread::sleep_for(std::chrono::milliseconds(5)); // until it waits, as a rule
    }
    workers_stop(kept.threads);
    EXPECT_LE(kept.seen.size(), 3u);
}

TEST(Workers, RunWhereverTheOneMayWhoStartedThem) {
    cpu_set_t all, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "there is one CPU";
    Kept kept;
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
    std::thread([&] { // as those that compute are bound
        ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
        std::vector<io_request> four(4);
        kept.submit(four);
        EXPECT_TRUE(kept.reaches(4));
        EXPECT_TRUE(kept.finishes(4));
    }).join();
    workers_stop(kept.threads);
    ASSERT_EQ(kept.places.size(), 4u);
    for (const cpu_set_t &place : kept.places)
        EXPECT_TRUE(CPU_EQUAL(&place, &all));
}

} // namespace
