// Numbers below the least normal one: who computes with them as 0, and when a run says that there are many.
#include "runtime_c.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace {

constexpr float kTiny = std::numeric_limits<float>::min();

float halfOf(float a) {
    const volatile float of = a;
    return of * 0.5F;
}

TEST(Subnormal, IsZeroBetweenEnterAndLeave) {
    if (!subnormal_can_be_zero()) GTEST_SKIP() << "this processor cannot take subnormal numbers as 0";
    oocc_run run{};
    oocc_pass pass{};
    pass.run = &run;
    subnormal_enter(&pass);
    EXPECT_GT(halfOf(kTiny), 0) << "nobody has asked for it";
    subnormal_leave(&pass);
    run.options.subnormals_zero = true;
    subnormal_enter(&pass);
    const float result = halfOf(kTiny), operand = halfOf(kTiny / 4);
    subnormal_leave(&pass);
    EXPECT_EQ(result, 0);
    EXPECT_EQ(operand, 0);
    EXPECT_GT(halfOf(kTiny), 0) << "what comes after is as it was before";
}

/// What is said at the end of a pass in which some cells of two thousand are subnormal.
std::string said(int64_t subnormal, double seconds, bool zero, double *share = nullptr) {
    std::vector<float> cells(2000, 1);
    for (int64_t i = 0; i < subnormal; i++)
        cells[static_cast<size_t>(i)] = i % 2 == 0 ? 1e-40F : -1e-45F;
    oocc_run run{};
    run.options.subnormals_zero = zero;
    run.stats.compute_seconds = seconds;
    testing::internal::CaptureStderr();
    for (int pass = 0; pass < 2; pass++) {
        subnormal_count(&run, OOCC_F32, reinterpret_cast<const char *>(cells.data()), static_cast<int64_t>(cells.size()));
        subnormal_tell(&run);
    }
    if (share) *share = run.stats.subnormal_share;
    return testing::internal::GetCapturedStderr();
}

TEST(Subnormal, IsSaidOnceWhereThereAreMany) {
    if (!subnormal_can_be_zero()) GTEST_SKIP() << "this processor cannot take subnormal numbers as 0";
    const std::string text = said(100, 2, false);
    EXPECT_NE(text.find("5% of the cells"), std::string::npos) << text;
    EXPECT_NE(text.find("--subnormals zero"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), text.size() - 1) << "once: " << text;
}

TEST(Subnormal, IsNotSaidWhereItMattersLittle) {
    EXPECT_EQ(said(1, 2, false), "");
    EXPECT_EQ(said(100, 0.5, false), "");
    EXPECT_EQ(said(100, 2, true), "");
}

TEST(Subnormal, IsCounted) {
    double share = 0;
    said(100, 0, false, &share);
    EXPECT_DOUBLE_EQ(share, 0.05);
    const std::vector<double> cells = {0, -0.0, 1, std::numeric_limits<double>::min(), -std::numeric_limits<double>::min() / 2,
                                       std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::infinity(),
                                       std::numeric_limits<double>::quiet_NaN()};
    oocc_run run{};
    subnormal_count(&run, OOCC_F64, reinterpret_cast<const char *>(cells.data()), static_cast<int64_t>(cells.size()));
    EXPECT_EQ(run.subnormal.found, 2);
    EXPECT_EQ(run.subnormal.cells, 8);
}

} // namespace
