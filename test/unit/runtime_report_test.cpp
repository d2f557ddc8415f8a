#include "runtime_test_program.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <unistd.h>

extern "C" {
#include "support/json.h"
}

namespace {

std::string written(const std::function<void(FILE *)> &write) {
    char *text = nullptr;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    write(out);
    fclose(out);
    const std::string result(text, length);
    free(text);
    return result;
}

TEST(Json, EscapesText) {
    EXPECT_EQ(written([](FILE *out) {
                  json j;
                  json_begin(&j, out);
                  json_string(&j, nullptr, "a\"b\\c\n\x01\xff\xc3\xa4");
              }),
              "\"a\\\"b\\\\c\\n\\u0001\\ufffd\xc3\xa4\"");
}

TEST(Json, WritesNumbersThatReadBackTheSame) {
    EXPECT_EQ(written([](FILE *out) {
                  json j;
                  json_begin(&j, out);
                  json_open(&j, nullptr, '[');
                  json_double(&j, nullptr, 0.1);
                  json_double(&j, nullptr, 1.0 / 3);
                  json_double(&j, nullptr, 1.0 / 0.0);
                  json_int(&j, nullptr, INT64_MIN);
                  json_bool(&j, nullptr, true);
                  json_string(&j, nullptr, nullptr);
                  json_close(&j, ']');
              }),
              "[\n  0.1,\n  0.3333333333333333,\n  null,\n  -9223372036854775808,\n  true,\n  null\n]\n");
}

TEST(Json, NestsObjects) {
    EXPECT_EQ(written([](FILE *out) {
                  json j;
                  json_begin(&j, out);
                  json_open(&j, nullptr, '{');
                  json_open(&j, "a", '{');
                  json_close(&j, '}');
                  json_hash(&j, "h", 255);
                  json_close(&j, '}');
              }),
              "{\n  \"a\": {},\n  \"h\": \"00000000000000ff\"\n}\n");
}

class Report : public testing::Test {
  protected:
    TestProgram test;
    plan p{};
    stats s{};
    void SetUp() override {
        ASSERT_EQ(test.layOut({64, 64, 64}), 0);
        test.options_.schedule = SCHEDULE_STREAM;
        ASSERT_EQ(plan_make(&test.program, &test.options_, &test.host, &test.grid, 10, &p), 0);
        s.steps_done = 10;
        s.passes_done = 1;
        s.pass_seconds = 2;
        s.read_bytes = s.write_bytes = 3 << 20;
        s.read_wait_seconds = 0.5;
        s.result_hash = 0xabcdef;
    }
};

TEST_F(Report, TableShowsTheFigures) {
    const std::string text =
        written([&](FILE *out) { report_print(out, &test.program, &test.grid, &p, &s); });
    for (const char *part :
         {"64 x 64 x 64", "stream on engine", "10 in 1 pass", "3.0 MiB", "1.200 bytes per cell and step",
          "25.0% of the time for reads", "0000000000abcdef", "GLUP/s"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST_F(Report, TellsTheFirstPassApart) {
    const std::string one = written([&](FILE *out) { report_print(out, &test.program, &test.grid, &p, &s); });
    EXPECT_EQ(one.find("first pass"), std::string::npos) << one;
    s.steps_done = 100000; /* of 64³ cells, in 2 s */
    s.passes_done = 2;
    s.first_pass = {.steps = 20000, .seconds = 1, .wait_seconds = 0.5, .commit_seconds = 0.125};
    const std::string two = written([&](FILE *out) { report_print(out, &test.program, &test.grid, &p, &s); });
    EXPECT_NE(two.find("13.11 GLUP/s (first pass 5.243, later 20.97)"), std::string::npos) << two;
}

TEST_F(Report, SaysWhatBecameOfTilesThatChanged) {
    const auto says = [&](const char *what) {
        return written([&](FILE *out) { report_print(out, &test.program, &test.grid, &p, &s); }).find(what) != std::string::npos;
    };
    for (const bool planned : {true, false})
        for (const bool fetch : {true, false}) {
            SCOPED_TRACE(testing::Message() << "planned " << planned << ", in the end " << fetch);
            p.fetch = planned;
            s.adapted = {true, 5, p.ct + 1, p.tiles, p.yt, fetch, 1.25};
            EXPECT_EQ(says("the processor does"), planned && !fetch);
            EXPECT_EQ(says("fetch planes ahead after all"), !planned && fetch);
            EXPECT_TRUE(says("1.25 times as fast"));
            s.adapted.gain = 1;
            EXPECT_FALSE(says("times as fast") || says("after all") || says("the processor does"));
        }
}

TEST_F(Report, IsWrittenWholeOrNotAtAll) {
    s.pass_seconds = 2;
    s.commit_seconds = 0.5;
    s.steps_done = 100;
    s.first_pass = {.steps = 50, .seconds = 1, .wait_seconds = 0.5, .commit_seconds = 0.125};
    const auto dir = std::filesystem::temp_directory_path() / ("oocc-report-" + std::to_string(getpid()));
    std::filesystem::create_directories(dir);
    const std::string path = dir / "r.json";
    ASSERT_EQ(report_write(path.c_str(), &test.program, &test.grid, &p, &test.host, &s), 0);
    std::ifstream in(path);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    for (const char *part :
         {"\"format\": \"oocc-report\"", "\"version\": 1", "\"result_hash\": \"0000000000abcdef\"",
          "\"commit_share\": 0.25,", "\"commit_share\": 0.125", "\"commit_share\": 0.375", "\"hash\": \"0123456789abcdef\"", "\"schedule\": \"stream\"", "\"alpha\": 0.5"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir), {}), 1);
    testing::internal::CaptureStderr();
    EXPECT_EQ(report_write((dir / "no/r.json").c_str(), &test.program, &test.grid, &p, &test.host, &s),
              OOCC_NO_SPACE);
    testing::internal::GetCapturedStderr();
    std::filesystem::remove_all(dir);
}

TEST_F(Report, PlanTableShowsTheArithmetic) {
    const std::string text =
        written([&](FILE *out) { plan_print(out, &test.program, &test.grid, &p, &test.host); });
    for (const char *part : {"= 262,144 cells", "budget", "window", "planes of", "passes", "nominal", "why"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST_F(Report, PlanJsonSaysTheFormat) {
    const std::string text =
        written([&](FILE *out) { plan_print_json(out, &test.program, &test.grid, &p, &test.host); });
    EXPECT_EQ(text.rfind("{\n  \"format\": \"oocc-plan\",\n  \"version\": 1,\n", 0), 0U);
}

TEST(Progress, PrintsTheLastLineAndNothingWhenOff) {
    const stats s{};
    testing::internal::CaptureStderr();
    progress_begin(PROGRESS_ON, "heat");
    progress_update("pass 1/2", 0.25, &s, 1000);
    progress_update("pass 2/2", 1.0, &s, 1000);
    progress_end();
    progress_end();
    std::string text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(text, "heat: pass 1/2  25%, ETA --\nheat: pass 2/2 100%, ETA 0:00\n");
    testing::internal::CaptureStderr();
    progress_begin(PROGRESS_OFF, "heat");
    progress_update("pass 1/2", 0.25, &s, 1000);
    progress_end();
    text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(text, "");
}

} // namespace
