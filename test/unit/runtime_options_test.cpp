#include "runtime_test_program.h"

#include <gtest/gtest.h>

namespace {

struct Parsed {
    int status;
    bool stop = false;
    options values{};
    std::string out, err;
};

Parsed parse(const TestProgram &test, std::vector<std::string> words) {
    words.insert(words.begin(), "heat");
    std::vector<char *> argv;
    for (std::string &word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    Parsed result{};
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    result.status = options_parse(&test.program, static_cast<int>(words.size()), argv.data(), &result.values,
                                  &result.stop);
    result.out = testing::internal::GetCapturedStdout();
    result.err = testing::internal::GetCapturedStderr();
    return result;
}

void expectUsage(const Parsed &parsed, const std::string &text) {
    EXPECT_EQ(parsed.status, OOCC_USAGE);
    EXPECT_NE(parsed.err.find(text), std::string::npos) << parsed.err;
}

TEST(Options, AreDefaultsWhenNothingIsGiven) {
    const Parsed p = parse(TestProgram{}, {});
    EXPECT_EQ(p.status, 0);
    EXPECT_EQ(p.values.steps, -1);
    EXPECT_STREQ(p.values.engine, "auto");
    EXPECT_EQ(p.values.schedule, SCHEDULE_AUTO);
    EXPECT_EQ(p.values.memory_bytes, 0);
    EXPECT_EQ(p.values.scratch, nullptr);
}

TEST(Options, AreAllUnderstood) {
    const Parsed p = parse(TestProgram{}, {"--steps",    "7",          "--memory=1.5G",
                                           "--threads",  "3",          "--engine",
                                           "mmap",       "--schedule", "stream",
                                           "--bt",       "8",          "--bz",
                                           "4",          "--ct",       "2",
                                           "--yt",       "64",         "--plan",
                                           "--json",     "--keep",     "--resume",
                                           "--progress", "off",        "--commit-every",
                                           "2.5",        "--io-depth", "17",
                                           "--io-request=256K"});
    ASSERT_EQ(p.status, 0) << p.err;
    EXPECT_EQ(p.values.steps, 7);
    EXPECT_EQ(p.values.memory_bytes, int64_t{3} << 29);
    EXPECT_EQ(p.values.threads, 3);
    EXPECT_STREQ(p.values.engine, "mmap");
    EXPECT_EQ(p.values.schedule, SCHEDULE_STREAM);
    EXPECT_EQ(p.values.bt, 8);
    EXPECT_EQ(p.values.bz, 4);
    EXPECT_EQ(p.values.ct, 2);
    EXPECT_EQ(p.values.io_depth, 17);
    EXPECT_EQ(p.values.io_request_bytes, 256 << 10);
    EXPECT_EQ(p.values.yt, 64);
    EXPECT_TRUE(p.values.plan_only && p.values.json && p.values.keep && p.values.resume);
    EXPECT_EQ(p.values.progress, PROGRESS_OFF);
    EXPECT_EQ(p.values.commit_every, 2.5);
}

TEST(Options, RequestsAreWholeBlocksAndTheirDepthIsBounded) {
    EXPECT_EQ(parse(TestProgram{}, {}).values.io_depth, 0);
    EXPECT_EQ(parse(TestProgram{}, {}).values.io_request_bytes, IO_REQUEST_BYTES);
    for (const char *size : {"5000", "0", "1K", "2G", "many"})
        expectUsage(parse(TestProgram{}, {"--io-request", size}), "is not a multiple of 4096 bytes from 4K to 1G");
    for (const char *depth : {"0", "257", "-3", "deep"})
        expectUsage(parse(TestProgram{}, {"--io-depth", depth}), "is not a whole number from 1 to 256");
}

TEST(Options, SetParametersOfEveryType) {
    TestProgram test;
    ASSERT_EQ(
        parse(test, {"-D", "n=9223372036854775807", "-Dalpha=0.1", "-D", "h=1e-300", "-D", "flag=false"})
            .status,
        0);
    EXPECT_EQ(test.n, INT64_MAX);
    EXPECT_EQ(test.alpha, 0.1F);
    EXPECT_EQ(test.h, 1e-300);
    EXPECT_FALSE(test.flag);
}

TEST(Options, RefuseValuesThatDoNotFitTheType) {
    TestProgram test;
    for (const char *text : {"n=9223372036854775808", "n=1.5", "n=", "n=1e3", "n= 1", "alpha=1e60", "alpha=x",
                             "h=1e999", "h=nan", "h=inf", "flag=yes", "flag=1"})
        expectUsage(parse(test, {"-D", text}), "is not a");
    EXPECT_EQ(test.n, 100);
}

TEST(Options, RefuseAnotherValueForAConstantParameter) {
    TestProgram test;
    EXPECT_EQ(parse(test, {"-D", "count=7"}).status, 0);
    expectUsage(parse(test, {"-D", "count=8"}), "fixed when the program was compiled");
    EXPECT_EQ(test.fixedCount, 7);
}

TEST(Options, SuggestTheParameterThatWasMeant) {
    expectUsage(parse(TestProgram{}, {"-D", "alhpa=1"}), "did you mean '-D alpha'?");
    expectUsage(parse(TestProgram{}, {"-D", "zzzzzz=1"}), "--help lists the parameters");
    expectUsage(parse(TestProgram{}, {"-D", "n"}), "gives no value");
}

TEST(Options, SuggestTheOptionThatWasMeant) {
    expectUsage(parse(TestProgram{}, {"--memroy", "4G"}), "did you mean '--memory'?");
    expectUsage(parse(TestProgram{}, {"--comit-every=3"}), "did you mean '--commit-every'?");
    expectUsage(parse(TestProgram{}, {"--engine", "mmpa"}), "did you mean 'mmap'?");
    expectUsage(parse(TestProgram{}, {"--schedule", "diamond"}),
                "one of auto, sweep, stream, resident, overlap");
    expectUsage(parse(TestProgram{}, {"-x"}), "no option '-x'");
    expectUsage(parse(TestProgram{}, {"-memory", "4G"}), "did you mean '--memory'?");
    expectUsage(parse(TestProgram{}, {"--bz=2", "-memory"}), "no option '-memory'");
    for (const char *word : {"--alpha", "--alpha=3", "-alpha", "-n", "--param", "--set=alpha=3"})
        expectUsage(parse(TestProgram{}, {word, "3"}), "parameters are given as -D name=value");
}

TEST(Options, RefuseValuesOutOfRange) {
    expectUsage(parse(TestProgram{}, {"--memory", "lots"}), "--memory: 'lots' is not a size");
    expectUsage(parse(TestProgram{}, {"--memory", "0"}), "is not a size");
    expectUsage(parse(TestProgram{}, {"--steps", "-1"}), "at least 0");
    expectUsage(parse(TestProgram{}, {"--bt", "0"}), "at least 1");
    expectUsage(parse(TestProgram{}, {"--threads", "0"}), "from 1 to 4096");
    expectUsage(parse(TestProgram{}, {"--commit-every", "-1"}), "not a number of seconds");
    expectUsage(parse(TestProgram{}, {"--report", ""}), "path is empty");
    expectUsage(parse(TestProgram{}, {"--steps"}), "needs a value");
    expectUsage(parse(TestProgram{}, {"--plan=3"}), "takes no value");
}

TEST(Options, RefuseContradictions) {
    expectUsage(parse(TestProgram{}, {"--json"}), "--json goes with --plan");
    expectUsage(parse(TestProgram{}, {"--resume", "--restart"}), "contradict");
    expectUsage(parse(TestProgram{}, {"n=3"}), "unexpected argument 'n=3'");
}

TEST(Options, HelpListsOptionsAndParameters) {
    const Parsed p = parse(TestProgram{}, {"--help"});
    EXPECT_EQ(p.status, 0);
    EXPECT_TRUE(p.stop);
    for (const char *text : {"--memory SIZE", "--commit-every SECONDS", "n : int", "alpha : f32", "0.5",
                             "(fixed when compiled)", "Exit status"})
        EXPECT_NE(p.out.find(text), std::string::npos) << text;
}

TEST(Options, VersionStops) {
    const Parsed p = parse(TestProgram{}, {"--version"});
    EXPECT_TRUE(p.stop);
    EXPECT_NE(p.out.find("oocc runtime"), std::string::npos);
}

} // namespace
