// A command line, one word per line, and the plan that it asks for: refused in words, or a plan whose numbers hold.
#include "runtime.h"

#include <vector>

namespace {

void makePlan(TestProgram &test) {
    // What setup() of a program would do; its sizes are checked before the grid is laid out.
    const int64_t extent[] = {test.n, test.n, test.n, 0};
    for (int d = 0; d < 3; ++d)
        if (extent[d] < 1) return;
    const Messages messages;
    if (!messages.check(test.layOut({extent, extent + 3}))) return;
    struct plan made {};
    const int64_t steps = test.options_.steps >= 0 ? test.options_.steps : 10;
    if (!messages.check(plan_make(&test.program, &test.options_, &test.host, &test.grid, steps, &made))) return;
    require(made.bt >= 0 && made.threads >= 1 && made.steps == steps, "a plan of nothing");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const bool quiet = std::freopen("/dev/null", "w", stdout) != nullptr; // --help
    require(quiet, "no /dev/null");
    std::vector<std::string> words{"heat"};
    const std::string text(reinterpret_cast<const char *>(data), size);
    for (size_t at = 0; at < text.size() && words.size() < 64;) {
        const size_t end = std::min(text.find('\n', at), text.size());
        words.push_back(text.substr(at, end - at).c_str());
        at = end + 1;
    }
    std::vector<char *> argv;
    for (std::string &word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    TestProgram test;
    bool stop = false;
    bool good = false;
    {
        const Messages messages;
        good = messages.check(options_parse(&test.program, static_cast<int>(words.size()), argv.data(), &test.options_, &stop));
    }
    if (!good || stop) return 0;
    if (test.options_.scratch == nullptr) test.options_.scratch = ".";
    makePlan(test);
    return 0;
}
