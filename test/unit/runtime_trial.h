// Runs a program that is written by hand, as the compiler would emit it, in a child process and a directory of
// its own.
#pragma once

#include "runtime_c.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace trial {

// What a test wants to happen inside a pass: a signal after some slab of the pass that starts at or after a
// level, and that slab to take some time.
inline int64_t signalLevel = -1, signalSlab = 0, slabMicroseconds = 0;
inline int signalNumber = 0;
inline void endSlab(const oocc_pass *p, int64_t slab) {
    if (signalNumber && p->t0 >= signalLevel && slab == signalSlab) {
        usleep(static_cast<useconds_t>(slabMicroseconds));
        raise(signalNumber);
    }
}

// Whether step s has to make a plane: one that is asked for, or that a later step needs for those; `low` and `high` say how
// many planes of them the stage makes besides the slopes.
inline bool makes(const oocc_pass *p, int64_t s, int64_t plane, const oocc_wedge &wedge, int64_t low = 0, int64_t high = 0) {
    const int64_t left = p->bt - s;
    return plane >= oocc_max(p->first, p->lo - left * wedge.slope_lo - low) &&
           plane < oocc_min(p->end, p->hi + left * wedge.slope_hi + high);
}

// The pass as generated code has it; group(p, lo, hi, first, last) does steps [first, last] of wave positions
// [lo, hi).
template <typename Group> int pass(oocc_pass *p, Group &&group) {
    int status = oocc_read_ahead(p, 0);
    for (int64_t i = 0; i < p->slabs && !status; i++) {
        if ((status = oocc_read_ahead(p, i + 1)) || (status = oocc_wait_for(p, i))) break;
        for (int64_t s = 1; s <= p->bt; s += p->ct)
            group(p, oocc_slab_lo(p, i), oocc_slab_hi(p, i), s, oocc_min(s + p->ct - 1, p->bt));
        endSlab(p, i);
        status = oocc_write_back(p, i);
    }
    const int finished = oocc_finish(p);
    return status ? status : finished;
}

inline std::string readFile(const std::filesystem::path &path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// Engines that keep files and work here: some need a file system that takes direct I/O, or what a container may hide.
inline std::vector<std::string> engines() {
    std::vector<std::string> names;
    for (const engine_ops *ops : {&engine_uring, &engine_aio, &engine_threads, &engine_mmap})
        if (!ops->probe(".")) names.push_back(ops->name);
    return names;
}
inline bool works(const std::string &options) {
    for (const engine_ops *ops : {&engine_uring, &engine_aio})
        if (options.find(ops->name) != std::string::npos) return !ops->probe(".");
    return true;
}

// The numbers of a member of the report, as often as it occurs: first in the plan, then as measured.
inline std::vector<int64_t> numbersOf(const std::string &report, const std::string &member) {
    std::vector<int64_t> numbers;
    const std::string key = "\"" + member + "\": ";
    for (size_t at = report.find(key); at != std::string::npos; at = report.find(key, at + 1))
        numbers.push_back(std::stoll(report.substr(at + key.size())));
    return numbers;
}

template <typename T> bool holds(const std::string &file, const std::vector<T> &want) {
    return file.size() == want.size() * sizeof(T) && !std::memcmp(file.data(), want.data(), file.size());
}

// A directory of its own for each test; removed when the test is over.
class Trial {
  public:
    explicit Trial(const oocc_program &program) : program(program) {
        char name[] = "./oocc-trial-XXXXXX";
        directory = std::filesystem::absolute(mkdtemp(name));
    }
    ~Trial() { std::filesystem::remove_all(directory); }
    Trial(const Trial &) = delete;
    Trial &operator=(const Trial &) = delete;

    // Runs the program in a child process; its exit status, or 128 + the signal that killed it.
    int operator()(const std::string &options) {
        std::istringstream words(options);
        std::vector<std::string> args = {program.name, "--progress", "off", "--threads", "2"};
        for (std::string word; words >> word;)
            args.push_back(word);
        const pid_t child = fork();
        if (child == 0) {
            std::vector<char *> argv;
            for (std::string &arg : args)
                argv.push_back(arg.data());
            argv.push_back(nullptr);
            if (chdir(directory.c_str()) || !freopen("out", "w", stdout) || !freopen("err", "w", stderr))
                _exit(99);
            setenv("OOCC_CACHE", "cache", 1); // of this directory: every test begins with nothing
            const int status = oocc_main(&program, int(args.size()), argv.data());
            fflush(nullptr);
            _exit(status);
        }
        int status = 0;
        waitpid(child, &status, 0);
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }

    std::string errors() const { return readFile(directory / "err"); }
    std::string output(const char *name) const { return readFile(directory / name); }
    std::filesystem::path scratch() const { return directory / (std::string(program.name) + ".scratch"); }

    std::filesystem::path directory;

  private:
    const oocc_program &program;
};

} // namespace trial
