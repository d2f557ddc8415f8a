// The C compiler and the runtime: made to work in small steps, so that the first one that fails names the cause.
#include "doctor/checks.h"

#include "driver/build_program.h"
#include "driver/files.h"
#include "driver/pipeline.h"
#include "driver/process.h"
#include "driver/runtime_place.h"

#include <algorithm>
#include <fstream>

namespace oocc::doctor {

namespace {

std::string firstLine(const std::string &text) {
    return text.substr(0, text.find('\n'));
}

/// The line of a compiler's output that says what is wrong.
std::string complaint(const std::string &said) {
    for (size_t begin = 0; begin < said.size();) {
        const size_t end = std::min(said.find('\n', begin), said.size());
        const std::string line = said.substr(begin, end - begin);
        if (line.find("error") != std::string::npos || line.find("cannot find") != std::string::npos)
            return line;
        begin = end + 1;
    }
    return firstLine(said);
}

/// Compiles a program of one file with these flags and runs it; what went wrong, or nothing.
std::string tryProgram(const Toolchain &toolchain, const TemporaryDir &dir, const std::string &text,
                       const std::vector<std::string> &flags) {
    const std::string source = dir.path() + "/try.c", program = dir.path() + "/try";
    std::ofstream(source) << text;
    std::vector<std::string> command{toolchain.cc};
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(), {source, "-o", program});
    std::string said;
    if (const int status = execute(command, &said))
        return said.empty() ? "it ends with status " + std::to_string(status) : complaint(said);
    if (const int status = execute({program}, &said))
        return "the program that it makes ends with status " + std::to_string(status);
    return "";
}

constexpr const char *kPlain = "#include <stdio.h>\nint main(void) { return printf(\"ok\\n\") != 3; }\n";
constexpr const char *kParallel = "#include <omp.h>\n"
                                  "int main(void) {\n"
                                  "    int sum = 0;\n"
                                  "#pragma omp parallel for reduction(+ : sum)\n"
                                  "    for (int i = 0; i < 1000; i++) sum += i;\n"
                                  "    return sum != 499500 || omp_get_max_threads() < 1;\n"
                                  "}\n";

} // namespace

bool checkCompiler(const Toolchain &toolchain, Checks &checks) {
    const std::string cc = "'" + toolchain.cc + "'";
    const TemporaryDir dir;
    if (dir.path().empty()) {
        checks.push_back({"temporary", Check::Fail, "no directory can be made for temporary files",
                          "let TMPDIR name one that can be written"});
        return false;
    }
    std::string version;
    if (execute({toolchain.cc, "--version"}, &version) == kNotStarted) {
        checks.push_back({"c-compiler", Check::Fail, cc + " cannot be run",
                          "install a C compiler (Debian: build-essential), or name yours with --cc"});
        return false;
    }
    std::string wrong = tryProgram(toolchain, dir, kPlain, {});
    if (!wrong.empty()) {
        checks.push_back({"c-compiler", Check::Fail, cc + " makes no programs: " + wrong,
                          "install the C library's headers (Debian: build-essential), or name another "
                          "compiler with --cc"});
        return false;
    }
    checks.push_back({"c-compiler", Check::Ok, firstLine(version), ""});
    wrong = tryProgram(toolchain, dir, kParallel, {"-fopenmp"});
    if (wrong.empty())
        checks.push_back({"openmp", Check::Ok, "programs with -fopenmp run", ""});
    else
        checks.push_back({"openmp", Check::Fail, "-fopenmp: " + wrong,
                          "install OpenMP for this compiler (Debian: gcc has it; for clang, libomp-dev)"});
    const bool parallel = wrong.empty();
    wrong = tryProgram(toolchain, dir, kPlain, {"-march=native"});
    if (wrong.empty())
        checks.push_back({"native", Check::Ok, "programs with -march=native run", ""});
    else
        checks.push_back({"native", Check::Fail, "-march=native: " + wrong,
                          "name a compiler that knows this processor with --cc"});
    return parallel && wrong.empty();
}

nlohmann::json askRuntime(const Toolchain &toolchain, const std::string &scratch, Checks &checks) {
    constexpr const char *kProgram = "stencil doctor;\n"
                                     "grid (z: 8, y: 8, x: 8);\n"
                                     "field u : f64;\n"
                                     "boundary u = fixed;\n"
                                     "step { u[t+1] = u + 0.1 * laplace(u); }\n"
                                     "steps 1;\n";
    const auto fail = [&](const std::string &text, const std::string &fix) {
        checks.push_back({"runtime", Check::Fail, text, fix});
        return nlohmann::json();
    };
    const TemporaryDir dir;
    if (dir.path().empty())
        return fail("no directory can be made for temporary files", "let TMPDIR name one");
    Options options;
    options.input = dir.path() + "/doctor.stn";
    options.output = dir.path() + "/doctor";
    options.emit = Options::Exe;
    options.cc = toolchain.cc;
    options.runtimeDir = toolchain.runtime;
    std::ofstream(options.input) << kProgram;
    Report report(
        {ReportOptions::Json, dir.path() + "/report.json", ColourMode::Never}); // kept off the terminal
    Diagnostics ignored; // it is missed below, too
    const std::optional<RuntimePlace> runtime = findRuntime(toolchain.runtime, ignored);
    const std::string place = runtime ? runtime->library : toolchain.runtime;
    if (compile(options, report) != 0) {
        std::string text = "no program can be made with the runtime" + (place.empty() ? "" : " '" + place + "'"), fix;
        for (const Diagnostic &d : report.outside().all()) {
            text += ": " + d.message;
            for (const Note &note : d.notes)
                text += ": " + complaint(note.message);
            if (d.help) fix = *d.help;
        }
        return fail(
            text,
            fix.empty()
                ? "install what the runtime links with (Debian: libaio-dev, libblkid-dev, liburing-dev),\n"
                  "or give the directory of this oocc's own runtime with --runtime"
                : fix);
    }
    std::string said;
    const int status = execute({options.output, "--machine", "--scratch", scratch}, &said);
    if (status != 0)
        return fail("a program ends with status " + std::to_string(status) + ": " + firstLine(said),
                    status == kUsage
                        ? "give --scratch the name of a folder or a device, or several with commas between"
                        : "give the directory of this oocc's own runtime with --runtime");
    // Libraries may have something to say on stderr first: of variables of the environment that they do not understand.
    const size_t begin = said.starts_with('{') ? 0 : said.find("\n{") + 1;
    if (begin > 0) {
        std::string before = said.substr(0, begin - 1);
        std::ranges::replace(before, '\n', ' ');
        checks.push_back({"messages", Check::Warn, "programs begin with: " + before, "set right, or unset, what they speak of"});
    }
    nlohmann::json found = nlohmann::json::parse(said.substr(begin), nullptr, false);
    if (!found.is_object() || found.value("format", "") != "oocc-machine")
        return fail("a program does not tell what it finds: " + firstLine(said),
                    "give the runtime of this oocc with --runtime");
    const std::string version = found.value("runtime", "");
    if (version != OOCC_VERSION)
        return fail("the runtime '" + place + "' is version " + version + ", and oocc is " OOCC_VERSION,
                    "give the directory of this oocc's own runtime with --runtime");
    checks.push_back(
        {"runtime", Check::Ok,
         "version " + version + ", ABI " + std::to_string(found.value("abi", 0)) + ", in '" + place + "'",
         ""});
    return found;
}

} // namespace oocc::doctor
