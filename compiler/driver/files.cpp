#include "driver/files.h"

#include "support/diagnostics_print.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <sys/stat.h>
#include <unistd.h>

namespace oocc {

namespace {

int failed(int status, const std::string &what, const std::string &path, Diagnostics &diagnostics) {
    diagnostics.error(kNowhere, "cannot " + what + " '" + path + "': " + std::strerror(errno));
    return status;
}

/// Does what reports, and prints the report.
template <typename Call> int onStderr(Call &&call) {
    Diagnostics diagnostics;
    const int status = call(diagnostics);
    printText(std::cerr, diagnostics, Colours(wantsColour(ColourMode::Auto, STDERR_FILENO)));
    return status;
}

constexpr size_t kMaxProgramBytes = size_t{64} << 20; // positions are 32-bit

bool writeAll(int fd, const std::string &text) {
    for (size_t done = 0; done < text.size();) {
        const ssize_t n = write(fd, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += static_cast<size_t>(n);
    }
    return true;
}

} // namespace

int readFile(const std::string &path, std::string &text, Diagnostics &diagnostics) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return failed(kBadProgram, "read", path, diagnostics);
    char buffer[1 << 16];
    ssize_t n = 0;
    while (text.size() <= kMaxProgramBytes &&
           ((n = read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0) text.append(buffer, static_cast<size_t>(n));
    const int error = errno;
    close(fd);
    errno = error;
    if (n < 0) return failed(kBadProgram, "read", path, diagnostics);
    if (text.size() > kMaxProgramBytes) {
        diagnostics.error(kNowhere, "'" + path + "' is larger than 64 MiB, which no program is");
        return kBadProgram;
    }
    return 0;
}

int createFile(const std::string &path, const std::string &text, Diagnostics &diagnostics) {
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno == EEXIST ? static_cast<int>(kCannotCreate)
                               : failed(kCannotCreate, "create", path, diagnostics);
    const bool written = writeAll(fd, text);
    if (close(fd) == 0 && written) return 0;
    const int status = failed(kIoError, "write", path, diagnostics);
    unlink(path.c_str());
    return status;
}

int writeFile(const std::string &path, const std::string &text, Diagnostics &diagnostics) {
    if (path.empty() || path == "-") {
        std::cout << text << std::flush;
        return std::cout ? 0 : failed(kIoError, "write", "standard output", diagnostics);
    }
    struct stat status;
    if (stat(path.c_str(), &status) == 0 &&
        !S_ISREG(status.st_mode)) { // a device or a pipe cannot be renamed over
        const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
        const bool written = fd >= 0 && writeAll(fd, text);
        if (fd >= 0) close(fd);
        return written ? 0 : failed(kCannotCreate, "write", path, diagnostics);
    }
    char real[PATH_MAX]; // of a link, what it leads to
    const bool isThere = realpath(path.c_str(), real) && stat(real, &status) == 0;
    const std::string place = isThere ? real : path, temporary = place + ".tmp" + std::to_string(getpid());
    if (isThere && access(real, W_OK) != 0) return failed(kCannotCreate, "write", path, diagnostics);
    const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) return failed(kCannotCreate, isThere ? "create a file beside" : "create", path, diagnostics);
    const bool written = (!isThere || fchmod(fd, status.st_mode & 07777) == 0) && writeAll(fd, text);
    if (close(fd) == 0 && written && rename(temporary.c_str(), place.c_str()) == 0) return 0;
    const bool full = errno == ENOSPC || errno == EDQUOT;
    const int failure = failed(full ? kCannotCreate : kIoError, "write", path, diagnostics);
    unlink(temporary.c_str());
    return failure;
}

int readFile(const std::string &path, std::string &text) {
    return onStderr([&](Diagnostics &diagnostics) { return readFile(path, text, diagnostics); });
}

int writeFile(const std::string &path, const std::string &text) {
    return onStderr([&](Diagnostics &diagnostics) { return writeFile(path, text, diagnostics); });
}

std::string fileName(const std::string &path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

} // namespace oocc
