#include "driver/process.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
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

int execute(const std::vector<std::string> &command, std::string *output) {
    std::vector<char *> argv;
    for (const std::string &word : command)
        argv.push_back(const_cast<char *>(word.c_str()));
    argv.push_back(nullptr);
    int ends[2] = {-1, -1};
    if (output && pipe2(ends, O_CLOEXEC) != 0) return kNotStarted;
    const pid_t child = fork();
    if (child == 0) {
        if (output && (dup2(ends[1], STDOUT_FILENO) < 0 || dup2(ends[1], STDERR_FILENO) < 0))
            _exit(kNotStarted);
        execvp(argv[0], argv.data());
        _exit(kNotStarted);
    }
    if (output) {
        close(ends[1]);
        char buffer[1 << 14];
        ssize_t n = 0;
        while (child > 0 && ((n = read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR)))
            if (n > 0) output->append(buffer, static_cast<size_t>(n));
        close(ends[0]);
    }
    if (child < 0) return kNotStarted;
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string ownPath() {
    std::error_code error;
    const fs::path self = fs::read_symlink("/proc/self/exe", error);
    return error ? "" : self.string();
}

} // namespace oocc
