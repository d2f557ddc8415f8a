// An engine for tests that takes the place of "memory" in a program which includes this: requests are complete late and in
// any order, or all at once within submit(). It ends the process when two transfers that are under way at once meet in
// memory and one of them is a read, and when something is read into a place that could not be written.
#pragma once

#include "runtime_c.h"

#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <unistd.h>
#include <vector>

namespace late {

constexpr int transfersMeet = 97, readAfterFailure = 96;

// Set before a run is begun: what comes at random; every request at once, in the thread that submits it; the write
// that fails, counted from the first one (-1: none).
inline unsigned seed = 0;
inline bool atOnce = false;
inline int64_t failing = -1;

struct Engine {
    std::mutex lock;
    std::condition_variable more;
    std::vector<io_request *> underWay; // the first `taken` are being moved
    size_t taken = 0;
    std::vector<io_request> failed;
    int64_t writes = 0;
    bool stopping = false;
    std::mt19937 random{seed};
    std::vector<std::thread> threads;
};

inline bool meet(const io_request &a, const io_request &b) {
    for (int64_t i = 0; i < a.bytes; i += a.piece_bytes)
        for (int64_t j = 0; j < b.bytes; j += b.piece_bytes) {
            const char *p = a.data + i / a.piece_bytes * a.stride_bytes,
                       *q = b.data + j / b.piece_bytes * b.stride_bytes;
            if (p < q + b.piece_bytes && q < p + a.piece_bytes) return true;
        }
    return false;
}

[[noreturn]] inline void give(int status, const char *what) {
    std::fprintf(stderr, "late engine: %s\n", what);
    std::fflush(nullptr);
    _exit(status);
}

inline void check(const Engine &e, const io_request &request) {
    for (const io_request *other : e.underWay)
        if (!(request.write && other->write) && meet(request, *other))
            give(transfersMeet, request.write  ? "written from where something is being read"
                                : other->write ? "read into what is being written"
                                               : "read where something is being read");
    for (const io_request &other : e.failed)
        if (!request.write && meet(request, other))
            give(readAfterFailure, "read into what could not be written");
}

// Moves one request; e.lock is held, and let go meanwhile.
inline void moveOne(engine *of, Engine &e, std::unique_lock<std::mutex> &held, io_request *request) {
    const bool fails = request->write && e.writes++ == failing;
    const auto wait = std::chrono::microseconds(atOnce ? 0 : e.random() % (request->write ? 300 : 100));
    if (fails) e.failed.push_back(*request);
    held.unlock();
    if (wait.count()) std::this_thread::sleep_for(wait);
    for (int64_t at = 0, bytes; at < request->bytes && !fails; at += bytes) {
        char *data = io_request_at(request, at, &bytes), *stored = request->file->map + request->offset + at;
        std::memcpy(request->write ? stored : data, request->write ? data : stored, size_t(bytes));
    }
    held.lock();
    for (size_t i = 0; i < e.underWay.size(); i++)
        if (e.underWay[i] == request) {
            if (i < e.taken) e.underWay[i] = e.underWay[--e.taken], i = e.taken;
            e.underWay[i] = e.underWay.back();
            e.underWay.pop_back();
            break;
        }
    held.unlock();
    request->done = fails ? 0 : request->bytes;
    io_request_end(of, request, fails ? EIO : 0);
    held.lock();
}

// Reads are taken rather than writes: whatever is read too early is read before it has been written.
inline io_request *takeAny(Engine &e) {
    size_t best = e.taken + e.random() % (e.underWay.size() - e.taken);
    for (int tries = 0; tries < 3 && e.underWay[best]->write; tries++)
        best = e.taken + e.random() % (e.underWay.size() - e.taken);
    std::swap(e.underWay[best], e.underWay[e.taken]);
    return e.underWay[e.taken++];
}

inline void work(engine *of) {
    Engine &e = *static_cast<Engine *>(of->state);
    std::unique_lock<std::mutex> held(e.lock);
    for (;;) {
        e.more.wait(held, [&] { return e.stopping || e.taken < e.underWay.size(); });
        if (e.taken == e.underWay.size()) return;
        moveOne(of, e, held, takeAny(e));
    }
}

inline int open(engine *of) {
    auto *e = new Engine;
    of->state = e;
    for (int i = 0; i < 3 && !atOnce; i++)
        e->threads.emplace_back(work, of);
    return 0;
}

inline void submit(engine *of, io_batch *batch) {
    Engine &e = *static_cast<Engine *>(of->state);
    std::unique_lock<std::mutex> held(e.lock);
    std::vector<io_request *> all; // the batch may be over, and used again, when the last one has ended
    for (int64_t i = 0; i < batch->count; i++)
        all.push_back(&batch->request[i]);
    for (io_request *request : all) {
        check(e, *request);
        e.underWay.push_back(request);
    }
    for (size_t i = 0; i < all.size() && atOnce; i++)
        moveOne(of, e, held, all[i]);
    e.more.notify_all();
}

inline void close(engine *of) {
    auto *e = static_cast<Engine *>(of->state);
    {
        const std::lock_guard<std::mutex> held(e->lock);
        e->stopping = true;
        e->more.notify_all();
    }
    for (std::thread &thread : e->threads)
        thread.join();
    delete e;
}

inline int attach(engine *, io_file *file) {
    file->map = static_cast<char *>(std::calloc(size_t(file->bytes), 1));
    return file->map ? 0 : OOCC_NO_MEMORY;
}

} // namespace late

extern "C" {
const engine_ops engine_memory = {"memory",
                                  false,
                                  [](const char *) -> const char * { return nullptr; },
                                  late::open,
                                  late::attach,
                                  nullptr,
                                  nullptr,
                                  late::submit,
                                  [](engine *, io_file *) { return 0; },
                                  [](engine *, io_file *file) { std::free(file->map); },
                                  late::close};
}
