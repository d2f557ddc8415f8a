// A program depends on its text alone. The files that it names (initial values, points, signals) are read when it runs: what
// oocc makes is the same whatever is in them, and they need not be there yet.
#include "driver/dependencies.h"

#include "driver/files.h"

namespace oocc {

namespace {

/// GNU make's rules for names in a rule: a blank or # takes a backslash, and backslashes right before it are doubled;
/// $ is doubled. So do C compilers, and ninja and CMake read it so. A name with a line break cannot be written at all.
std::string escaped(const std::string &name) {
    std::string out;
    size_t backslashes = 0;
    for (char c : name) {
        if (c == ' ' || c == '\t' || c == '#') out += std::string((c == '#' ? 0 : backslashes) + 1, '\\');
        if (c == '$') out += '$';
        backslashes = c == '\\' ? backslashes + 1 : 0;
        out += c;
    }
    return out;
}

/// The name with .d in place of its ending.
std::string besideName(const std::string &output) {
    const size_t slash = output.rfind('/'), dot = output.rfind('.');
    const size_t first = slash == std::string::npos ? 0 : slash + 1;
    return (dot == std::string::npos || dot <= first ? output : output.substr(0, dot)) + ".d";
}

} // namespace

std::string ruleText(const std::string &target, const std::string &prerequisite) {
    return escaped(target) + ": " + escaped(prerequisite) + '\n';
}

int writeRule(const Options &options, Diagnostics &diagnostics) {
    const DependencyRule &rule = options.rule;
    std::string file = rule.file;
    if (file.empty() && rule.kind == DependencyRule::Beside) file = besideName(options.output);
    return writeFile(file, ruleText(rule.target.empty() ? options.output : rule.target, options.input), diagnostics);
}

} // namespace oocc
