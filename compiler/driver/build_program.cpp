#include "driver/build_program.h"

#include "driver/files.h"
#include "driver/runtime_place.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
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

} // namespace

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
    const auto add = [&](const char *words) {
        std::istringstream stream(words);
        for (std::string word; stream >> word;)
            command.push_back(word);
    };
    add(OOCC_PROGRAM_FLAGS);
    command.insert(command.end(), {"-I" + runtime->include, source, runtime->library});
    add(OOCC_LINK_OPTIONS); // what the runtime was built with
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
    // The program handles an interrupt itself (it stops where it can be resumed); we wait for it.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    return execute(command);
}

} // namespace oocc
