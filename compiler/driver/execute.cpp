#include "driver/execute.h"

#include "driver/files.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <sys/wait.h>
#include <unistd.h>

namespace oocc {

namespace {

constexpr int kRelayed[] = {SIGINT, SIGTERM, SIGHUP};

volatile pid_t relayTo = 0;

extern "C" void relay(int number) {
    if (relayTo > 0) kill(relayTo, number);
}

std::vector<char *> words(const std::vector<std::string> &command) {
    std::vector<char *> argv;
    for (const std::string &word : command)
        argv.push_back(const_cast<char *>(word.c_str()));
    argv.push_back(nullptr);
    return argv;
}

int waitFor(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Starts the command; -1 when there can be no process for it. `mask`: what the child blocks.
pid_t start(const std::vector<std::string> &command, const sigset_t *mask) {
    const std::vector<char *> argv = words(command);
    const pid_t child = fork();
    if (child == 0) {
        if (mask) sigprocmask(SIG_SETMASK, mask, nullptr);
        execvp(argv[0], argv.data());
        _exit(127);
    }
    return child;
}

} // namespace

int execute(const std::vector<std::string> &command) {
    const pid_t child = start(command, nullptr);
    return child < 0 ? 127 : waitFor(child);
}

int executeRelaying(const std::vector<std::string> &command) {
    // A signal that comes before the child is known waits until it is.
    sigset_t relayed, before;
    sigemptyset(&relayed);
    for (const int number : kRelayed)
        sigaddset(&relayed, number);
    sigprocmask(SIG_BLOCK, &relayed, &before);
    const pid_t child = start(command, &before);
    relayTo = child;
    for (const int number : kRelayed) {
        struct sigaction old = {}, action = {};
        action.sa_handler = relay;
        sigaction(number, nullptr, &old);
        if (old.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return child < 0 ? 127 : waitFor(child);
}

std::string ownDirectory() {
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? "." : self.parent_path().string();
}

int becomeBeside(const std::string &name, int argc, const char *const *argv) {
    const std::string path = ownDirectory() + '/' + name;
    std::vector<std::string> command{path};
    for (int i = 1; i < argc; i++)
        command.emplace_back(argv[i]);
    execv(path.c_str(), words(command).data());
    std::cerr << "oocc: error: cannot run '" << path << "': " << std::strerror(errno) << '\n'
              << "oocc: help: it is installed beside oocc; install oocc again\n";
    return kCannotCreate;
}

} // namespace oocc
