#include "driver/build_program.h"

#include "driver/files.h"
#include "driver/process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sstream>

namespace oocc {

namespace fs = std::filesystem;

namespace {

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

std::string runtimeDir(const Options &options) {
    if (!options.runtimeDir.empty()) return options.runtimeDir;
    const std::string self = ownPath();
    return self.empty() ? "." : fs::path(self).parent_path().parent_path().string();
}

const std::vector<std::string> &compilerFlags() {
    static const std::vector<std::string> flags{
        "-std=c11",          "-O3", "-march=native", "-fopenmp", "-ffp-contract=off", "-fno-math-errno",
        "-fno-trapping-math"};
    return flags;
}

int buildProgram(const std::string &c, const std::string &output, const Options &options, Report &report) {
    const std::string runtime = runtimeDir(options);
    const std::string library = runtime + "/lib/liboocc_runtime.a";
    if (!fs::exists(library)) {
        report.outside()
            .error(kNowhere, "the runtime is not in '" + runtime + "' (no lib/liboocc_runtime.a)")
            .withHelp("give its directory with --runtime DIR");
        return kCannotCreate;
    }
    const TemporaryDir dir;
    if (dir.path().empty()) return noDirectory(report);
    const std::string source = dir.path() + "/program.c";
    if (const int status = writeFile(source, c, report.outside())) return status;
    std::vector<std::string> command{options.cc};
    command.insert(command.end(), compilerFlags().begin(), compilerFlags().end());
    command.insert(command.end(), {"-I" + runtime + "/include", source, library});
    std::istringstream libraries(OOCC_LINK_OPTIONS); // what the runtime was built with
    for (std::string word; libraries >> word;)
        command.push_back(word);
    command.insert(command.end(), {"-o", output});
    return runCompiler(command, report);
}

int runProgram(const std::string &c, const Options &options, Report &report) {
    const TemporaryDir dir;
    if (dir.path().empty()) return noDirectory(report);
    std::string name = fileName(options.input);
    if (const size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0) name.resize(dot);
    const std::string program = dir.path() + "/" + name;
    if (const int status = buildProgram(c, program, options, report)) return status;
    if (const int status = report.finish(0)) return status;
    std::vector<std::string> command{program};
    command.insert(command.end(), options.programArgs.begin(), options.programArgs.end());
    // The program handles an interrupt itself (it stops where it can be resumed); we wait for it.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    return execute(command);
}

} // namespace oocc
