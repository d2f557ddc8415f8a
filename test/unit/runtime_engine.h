// An engine on a file of its own, for the tests of engines.
#pragma once

#include "runtime_c.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

constexpr int64_t kBlock = 4096;

struct Pages {
    explicit Pages(int64_t bytes)
        : data(static_cast<char *>(std::aligned_alloc(kBlock, size_t((bytes + kBlock - 1) / kBlock * kBlock)))) {}
    ~Pages() { std::free(data); }
    Pages(const Pages &) = delete;
    Pages &operator=(const Pages &) = delete;
    char *data;
};

inline const engine_ops *engineNamed(const std::string &name) {
    for (const engine_ops *ops :
         {&engine_uring, &engine_aio, &engine_threads, &engine_mmap, &engine_memory, &engine_swap})
        if (name == ops->name) return ops;
    return nullptr;
}

class OnEngine : public testing::TestWithParam<const char *> {
  protected:
    void SetUp() override {
        char name[] = "./oocc-engine-XXXXXX";
        directory = mkdtemp(name);
        if (const char *why = engineNamed(GetParam())->probe(directory.c_str())) GTEST_SKIP() << why;
        ASSERT_EQ(engine_open(GetParam(), depth(), &engine), 0);
        io_batch_init(&batch);
    }
    void TearDown() override {
        if (engine) {
            io_batch_free(&batch);
            if (file.attached) engine->ops->detach(engine, &file);
            if (file.fd >= 0) close(file.fd);
            engine_close(engine);
        }
        std::filesystem::remove_all(directory);
    }
    virtual int depth() const { return 0; }
    void openFile(int64_t bytes) {
        file.name = "data";
        file.fd = -1;
        file.bytes = bytes;
        if (engine->ops->durable) {
            file.fd = open((directory + "/data").c_str(), O_RDWR | O_CREAT, 0600);
            ASSERT_GE(file.fd, 0);
            ASSERT_EQ(ftruncate(file.fd, bytes), 0);
        }
        ASSERT_EQ(engine->ops->attach(engine, &file), 0);
        file.attached = true;
    }
    int move(bool write, char *data, int64_t bytes, int64_t offset) {
        const int status = io_batch_add(&batch, &file, write, data, bytes, offset);
        if (status) return status;
        io_batch_submit(engine, &batch);
        return io_batch_wait(&batch);
    }

    std::string directory;
    struct engine *engine = nullptr;
    struct io_file file{};
    struct io_batch batch{};
};
