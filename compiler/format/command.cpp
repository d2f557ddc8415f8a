#include "format/command.h"

#include "driver/extras.h"
#include "driver/files.h"
#include "format/format.h"
#include "support/diff.h"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace oocc {

namespace {

struct FormatOptions {
    std::vector<std::string> files;
    bool inPlace = false, check = false, diff = false;
};

int failed(int status, const char *what, const std::string &path) {
    std::cerr << "oocc: error: cannot " << what << " '" << path << "': " << std::strerror(errno) << '\n';
    return status;
}

int read(const std::string &path, std::string &text) {
    if (path != "-") return readFile(path, text);
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
    return std::cin.bad() ? failed(kIoError, "read", "standard input") : 0;
}

/// Under a temporary name beside it and then renamed, so that the file is whole at any time; with the same mode. A link
/// stays one: what it leads to is replaced.
int replace(const std::string &path, const std::string &text) {
    char real[PATH_MAX];
    struct stat status;
    if (!realpath(path.c_str(), real) || stat(real, &status) != 0) return failed(kCannotCreate, "find", path);
    if (!S_ISREG(status.st_mode)) {
        std::cerr << "oocc: error: '" << path << "' is no file that could be replaced; leave out -i\n";
        return kCannotCreate;
    }
    if (access(real, W_OK) != 0) return failed(kCannotCreate, "write", path);
    const std::string temporary = std::string(real) + ".tmp" + std::to_string(getpid());
    const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return failed(kCannotCreate, "create a file beside", path);
    bool written = fchmod(fd, status.st_mode & 07777) == 0;
    for (size_t done = 0; written && done < text.size();) {
        const ssize_t n = write(fd, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR) continue;
        written = n > 0;
        done += written ? static_cast<size_t>(n) : 0;
    }
    if (close(fd) == 0 && written && rename(temporary.c_str(), real) == 0) return 0;
    const int out = failed(errno == ENOSPC || errno == EDQUOT ? kCannotCreate : kIoError, "write", path);
    unlink(temporary.c_str());
    return out;
}

int formatOne(const std::string &path, const FormatOptions &options, bool &differs) {
    std::string text;
    if (const int status = read(path, text)) return status;
    const std::string name = path == "-" ? "<stdin>" : path;
    const Source source(name, std::move(text));
    Diagnostics diagnostics;
    const std::optional<std::string> result = format(source, diagnostics);
    if (!result) {
        diagnostics.print(std::cerr, source);
        return kBadProgram;
    }
    const bool same = *result == source.text();
    differs = differs || !same;
    if (options.diff)
        std::cout << unifiedDiff(name, source.text(), *result);
    else if (options.check)
        std::cout << (same ? "" : name + "\n");
    else if (!options.inPlace)
        std::cout << *result;
    else if (!same)
        return replace(path, *result);
    return std::cout.flush() ? 0 : failed(kIoError, "write", "standard output");
}

std::optional<std::string> wrong(const FormatOptions &options) {
    if (options.files.empty()) return "no program given; usage: oocc fmt [-i] FILE.stn ..., '-' for standard input";
    const bool input = std::ranges::find(options.files, "-") != options.files.end();
    if (options.inPlace && (options.check || options.diff)) return "-i changes files, --check and --diff only look: one of them";
    if (options.inPlace && input) return "-i needs files; standard input is none";
    if (options.files.size() > 1 && !options.inPlace && !options.check && !options.diff)
        return "several programs at a time need -i, --check or --diff";
    return std::nullopt;
}

} // namespace

int formatCommand(int argc, const char *const *argv) {
    constexpr int kUsage = 2, kDiffers = 1;
    FormatOptions options;
    CLI::App app("Lays programs out in the one style that all have; on stdout, if nothing else is asked for.", "oocc fmt");
    app.allow_extras();
    app.add_option("FILES", options.files, "programs; - is standard input");
    app.add_flag("-i,--in-place", options.inPlace, "change the files themselves");
    app.add_flag("--check", options.check, "only name the files that would change; the status is 1 if there are any");
    app.add_flag("--diff", options.diff, "only show what would change");
    app.footer("A program that does not parse is left as it is, and the status is 65.");
    std::string usage;
    try {
        app.parse(argc, argv);
        usage = unknownOption(app, "oocc fmt --help").value_or(wrong(options).value_or(""));
    } catch (const CLI::CallForHelp &) {
        std::cout << app.help();
        return 0;
    } catch (const CLI::ParseError &error) {
        usage = error.what();
    }
    if (!usage.empty()) {
        std::cerr << "oocc: " << usage << '\n';
        return kUsage;
    }
    int status = 0;
    bool differs = false;
    for (const std::string &file : options.files)
        if (const int one = formatOne(file, options, differs); status == 0) status = one;
    return status == 0 && options.check && differs ? kDiffers : status;
}

} // namespace oocc
