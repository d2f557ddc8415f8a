#include "driver/build_program.h"

#include "driver/execute.h"
#include "driver/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <unistd.h>

namespace oocc {

namespace {

namespace fs = std::filesystem;

/// A directory of our own, removed with everything in it.
class TemporaryDir {
  public:
    TemporaryDir() {
        const char *base = std::getenv("TMPDIR");
        std::string name = std::string(base && *base ? base : "/tmp") + "/oocc-XXXXXX";
        if (mkdtemp(name.data())) path_ = name;
    }
    ~TemporaryDir() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    TemporaryDir(const TemporaryDir &) = delete;
    TemporaryDir &operator=(const TemporaryDir &) = delete;
    const std::string &path() const { return path_; }

  private:
    std::string path_;
};

/// Where include/oocc/oocc.h and lib/liboocc_runtime.a are: beside the compiler, unless --runtime says otherwise.
std::string runtimeDir(const Options &options) {
    if (!options.runtimeDir.empty()) return options.runtimeDir;
    return fs::path(ownDirectory()).parent_path().string();
}

} // namespace

int buildProgram(const std::string &c, const std::string &output, const Options &options) {
    const std::string runtime = runtimeDir(options);
    const std::string library = runtime + "/lib/liboocc_runtime.a";
    if (!fs::exists(library)) {
        std::cerr << "oocc: error: the runtime is not in '" << runtime << "' (no lib/liboocc_runtime.a)\n"
                  << "oocc: help: give its directory with --runtime DIR\n";
        return kCannotCreate;
    }
    const TemporaryDir dir;
    const std::string source = dir.path() + "/program.c";
    if (dir.path().empty() || writeFile(source, c) != 0) {
        std::cerr << "oocc: error: cannot create a temporary directory: " << std::strerror(errno) << '\n';
        return kCannotCreate;
    }
    std::vector<std::string> command{options.cc,
                                     "-std=c11",
                                     "-O3",
                                     "-march=native",
                                     "-fopenmp",
                                     "-ffp-contract=off",
                                     "-fno-math-errno",
                                     "-fno-trapping-math",
                                     "-I" + runtime + "/include",
                                     source,
                                     library};
    std::istringstream libraries(OOCC_LINK_OPTIONS); // what the runtime was built with
    for (std::string word; libraries >> word;)
        command.push_back(word);
    command.insert(command.end(), {"-o", output});
    const int status = execute(command);
    if (status == 0) return 0;
    if (status == 127) {
        std::cerr << "oocc: error: cannot run the C compiler '" << options.cc << "'\n"
                  << "oocc: help: install one, or name yours with --cc\n";
        return kCannotCreate;
    }
    std::cerr << "oocc: error: the C compiler '" << options.cc << "' failed with status " << status << '\n';
    return kInternalError;
}

int runProgram(const std::string &c, const Options &options) {
    const TemporaryDir dir;
    if (dir.path().empty()) {
        std::cerr << "oocc: error: cannot create a temporary directory: " << std::strerror(errno) << '\n';
        return kCannotCreate;
    }
    std::string name = fileName(options.input);
    if (const size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0) name.resize(dot);
    const std::string program = dir.path() + "/" + name;
    if (const int status = buildProgram(c, program, options)) return status;
    std::vector<std::string> command{program};
    command.insert(command.end(), options.programArgs.begin(), options.programArgs.end());
    return executeRelaying(command); // it stops where it can be resumed
}

} // namespace oocc
