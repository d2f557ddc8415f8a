// In which order requests are taken that have been queued: reads and writes by turns, each in the order of its coming.
#include "runtime_c.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
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

} // namespace
