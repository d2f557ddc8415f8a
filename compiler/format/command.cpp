#include "format/command.h"

#include "driver/command_line.h"
#include "driver/files.h"
#include "format/format.h"
#include "support/diff.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <iterator>

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
        return writeFile(path, *result);
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
    constexpr int kDiffers = 1;
    FormatOptions options;
    CLI::App app("Lays programs out in the one style that all have; on stdout, if nothing else is asked for.", "oocc fmt");
    app.add_option("FILES", options.files, "programs; - is standard input");
    app.add_flag("-i,--in-place", options.inPlace, "change the files themselves");
    app.add_flag("--check", options.check, "only name the files that would change; the status is 1 if there are any");
    app.add_flag("--diff", options.diff, "only show what would change");
    app.footer("A program that does not parse is left as it is, and the status is 65.");
    if (const auto status = parseCommandLine(app, argc, argv)) return *status;
    if (const auto usage = wrong(options)) return usageError(*usage);
    int status = 0;
    bool differs = false;
    for (const std::string &file : options.files)
        if (const int one = formatOne(file, options, differs); status == 0) status = one;
    return status == 0 && options.check && differs ? kDiffers : status;
}

} // namespace oocc
