// Plans of a TestProgram, and what was said about them.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "runtime_test_program.h"

constexpr int64_t MiB = 1 << 20, GiB = 1 << 30;

struct Planned {
    int status;
    plan p{};
    std::string err;
};

inline Planned make(TestProgram &test, int64_t steps) {
    Planned result{};
    testing::internal::CaptureStderr();
    result.status = plan_make(&test.program, &test.options_, &test.host, &test.grid, steps, &result.p);
    result.err = testing::internal::GetCapturedStderr();
    return result;
}

inline void expectFits(const TestProgram &test, const plan &p) {
    EXPECT_LE(p.fixed_bytes + p.window_bytes, p.budget_bytes);
    EXPECT_EQ(p.window_bytes,
              window_bytes(&test.program, &test.grid, p.bt, p.bz, p.cut, p.read_ahead, p.write_behind,
                           plan_window(&p)));
    EXPECT_GE(p.ct, 1);
    EXPECT_LE(p.ct, p.bt);
    EXPECT_EQ(p.passes, (p.steps + p.bt - 1) / p.bt);
}
