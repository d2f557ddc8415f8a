#include "driver/build_program.h"

#include "driver/files.h"
#include "driver/process.h"
#include "driver/runtime_place.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <sstream>

namespace oocc {

namespace fs = std::filesystem;

namespace {

/// A path as an argument that no C compiler takes for an option (-x) or for a file of options (@x).
std::string asArgument(const std::string &path) {
    return path.starts_with('-') || path.starts_with('@') ? "./" + path : path;
}

std::vector<std::string> words(const char *text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

int noDirectory(Report &report) {
    report.outside()
        .error(kNowhere, std::string("cannot create a temporary directory: ") + std::strerror(errno))
        .of("files");
    return kCannotCreate;
}

int runCompiler(const std::vector<std::string> &command, Report &report) {
    std::string said;
    const int status =
        execute(command, report.isText() ? nullptr : &said); // a document is not to be interrupted
    if (status == 0) return 0;
    if (status == kNotStarted) {
        report.outside()
            .error(kNowhere, "cannot run the C compiler '" + command[0] + "'")
            .withHelp("install one, or name yours with --cc");
        return kCannotCreate;
    }
    Diagnostic &error = report.outside().error(
        kNowhere, "the C compiler '" + command[0] + "' failed with status " + std::to_string(status));
    if (!said.empty()) error.note(kNowhere, said);
    return kInternalError;
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

int buildProgram(const std::string &c, const std::string &output, const Options &options, Report &report) {
    const std::optional<RuntimePlace> runtime = findRuntime(options.runtimeDir, report.outside());
    if (!runtime) return kCannotCreate;
    const TemporaryDir dir;
    if (dir.path().empty()) return noDirectory(report);
    const std::string source = dir.path() + "/program.c";
    if (const int status = writeFile(source, c, report.outside())) return status;
    std::vector<std::string> command{options.cc};
    for (const std::vector<std::string> &words :
         {usualFlags(), neededFlags(), {"-I" + runtime->include, asArgument(source), asArgument(runtime->library)},
          linkLibraries(), {"-o", asArgument(output)}})
        command.insert(command.end(), words.begin(), words.end());
    return runCompiler(command, report);
}

int runProgram(const std::string &c, const Options &options, Report &report) {
    const TemporaryDir dir;
    if (dir.path().empty()) return noDirectory(report);
    std::string name = fileName(options.input);
    if (const size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0) name.resize(dot);
    if (name == "." || name == "..") name = "program"; // of "..stn" and "...stn"
    const std::string program = dir.path() + "/" + name;
    if (const int status = buildProgram(c, program, options, report)) return status;
    if (const int status = report.finish(0)) return status;
    std::vector<std::string> command{program};
    command.insert(command.end(), options.programArgs.begin(), options.programArgs.end());
    return executeRelaying(command); // it stops where it can be resumed
}

} // namespace oocc
