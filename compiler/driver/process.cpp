#include "driver/process.h"

#include "driver/files.h"
#include "support/display.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <sys/wait.h>
#include <unistd.h>

namespace oocc {

namespace fs = std::filesystem;

TemporaryDir::TemporaryDir() {
    const char *base = std::getenv("TMPDIR");
    std::string name = std::string(base && *base ? base : "/tmp") + "/oocc-XXXXXX";
    if (mkdtemp(name.data())) path_ = name;
}

TemporaryDir::~TemporaryDir() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

namespace {

constexpr int kRelayed[] = {SIGINT, SIGTERM, SIGHUP};

volatile pid_t relayTo = 0;

extern "C" void relay(int number) {
    if (relayTo > 0) kill(relayTo, number);
}

std::vector<char *> wordsOf(const std::vector<std::string> &command) {
    std::vector<char *> argv;
    for (const std::string &word : command)
        argv.push_back(const_cast<char *>(word.c_str()));
    argv.push_back(nullptr);
    return argv;
}

/// Starts the command; -1 when there can be no process for it. `mask`: what the child blocks; `output`: where it writes to.
pid_t start(const std::vector<std::string> &command, const sigset_t *mask, int output) {
    const std::vector<char *> argv = wordsOf(command);
    const pid_t child = fork();
    if (child == 0) {
        if (mask) sigprocmask(SIG_SETMASK, mask, nullptr);
        if (output >= 0 && (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)) _exit(kNotStarted);
        execvp(argv[0], argv.data());
        _exit(kNotStarted);
    }
    return child;
}

int waitFor(pid_t child) {
    int status = 0;
    if (child < 0) return kNotStarted;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

int execute(const std::vector<std::string> &command, std::string *output) {
    int ends[2] = {-1, -1};
    if (output && pipe2(ends, O_CLOEXEC) != 0) return kNotStarted;
    const pid_t child = start(command, nullptr, ends[1]);
    if (output) {
        close(ends[1]);
        char buffer[1 << 14];
        ssize_t n = 0;
        while (child > 0 && ((n = read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR)))
            if (n > 0) output->append(buffer, static_cast<size_t>(n));
        close(ends[0]);
    }
    return waitFor(child);
}

int executeRelaying(const std::vector<std::string> &command) {
    // A signal that comes before the child is known waits until it is.
    sigset_t relayed, before;
    sigemptyset(&relayed);
    for (const int number : kRelayed)
        sigaddset(&relayed, number);
    sigprocmask(SIG_BLOCK, &relayed, &before);
    const pid_t child = start(command, &before, -1);
    relayTo = child;
    for (const int number : kRelayed) {
        struct sigaction old = {}, action = {};
        action.sa_handler = relay;
        sigaction(number, nullptr, &old);
        if (old.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return waitFor(child);
}

int become(const std::vector<std::string> &command, const Absence &absence) {
    execvp(command[0].c_str(), wordsOf(command).data());
    const std::string program = shownShort(command[0]);
    if (errno == ENOENT)
        std::cerr << "oocc: error: " << absence.what << " (there is no '" << program << "')\noocc: help: " << absence.help << '\n';
    else
        std::cerr << "oocc: error: cannot run '" << program << "': " << std::strerror(errno) << '\n';
    return kCannotCreate;
}

int becomeBeside(const std::string &name, int argc, const char *const *argv, const Absence &absence) {
    std::vector<std::string> command{(fs::path(ownPath()).parent_path() / name).string()};
    command.insert(command.end(), argv + 1, argv + argc);
    return become(command, absence);
}

std::string ownPath() {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    return error ? "" : self.string();
}

} // namespace oocc
