#include "driver/build_program.h"

#include "driver/files.h"
#include "driver/runtime_place.h"
#include "support/display.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <sstream>
#include <sys/wait.h>
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

/// A path as an argument that no C compiler takes for an option (-x) or for a file of options (@x).
std::string asArgument(const std::string &path) {
    return path.starts_with('-') || path.starts_with('@') ? "./" + path : path;
}

/// Runs a command without a shell; 127 when it cannot be started, 128 + signal when it was killed.
int execute(const std::vector<std::string> &command) {
    std::vector<char *> argv;
    for (const std::string &word : command)
        argv.push_back(const_cast<char *>(word.c_str()));
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child < 0) return 127;
    if (child == 0) {
        execvp(argv[0], argv.data());
        _exit(127);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<std::string> words(const char *text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

} // namespace

std::vector<std::string> usualFlags() {
    return words(OOCC_USUAL_FLAGS);
}

std::vector<std::string> neededFlags() {
    return words(OOCC_NEEDED_FLAGS);
}

std::vector<std::string> linkLibraries() {
    return words(OOCC_LINK_OPTIONS); // what the runtime was built with
}

int buildProgram(const std::string &c, const std::string &output, const Options &options) {
    const std::optional<RuntimePlace> runtime = findRuntime(options.runtimeDir);
    if (!runtime) return kCannotCreate;
    const TemporaryDir dir;
    const std::string source = dir.path() + "/program.c";
    if (dir.path().empty() || writeFile(source, c) != 0) {
        std::cerr << "oocc: error: cannot create a temporary directory: " << std::strerror(errno) << '\n';
        return kCannotCreate;
    }
    std::vector<std::string> command{options.cc};
    for (const std::vector<std::string> &words :
         {usualFlags(), neededFlags(), {"-I" + runtime->include, asArgument(source), asArgument(runtime->library)},
          linkLibraries(), {"-o", asArgument(output)}})
        command.insert(command.end(), words.begin(), words.end());
    const int status = execute(command);
    if (status == 0) return 0;
    if (status == 127) {
        std::cerr << "oocc: error: cannot run the C compiler '" << shownShort(options.cc) << "'\n"
                  << "oocc: help: install one, or name yours with --cc\n";
        return kCannotCreate;
    }
    std::cerr << "oocc: error: the C compiler '" << shownShort(options.cc) << "' failed with status " << status << '\n';
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
    if (name == "." || name == "..") name = "program"; // of "..stn" and "...stn"
    const std::string program = dir.path() + "/" + name;
    if (const int status = buildProgram(c, program, options)) return status;
    std::vector<std::string> command{program};
    command.insert(command.end(), options.programArgs.begin(), options.programArgs.end());
    // The program handles an interrupt itself (it stops where it can be resumed); we wait for it.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    return execute(command);
}

} // namespace oocc
