// The checks of oocc doctor: each looks at one thing and says what it found, and what to do about it.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace oocc::doctor {

struct Check {
    /// Warn: works, but not as well as it could. Skip: not tried, for what it needs has failed.
    enum Result { Ok, Warn, Fail, Skip };

    std::string name; ///< an id for programs
    Result result = Ok;
    std::string text; ///< what was found
    std::string fix;  ///< what to do; empty: nothing
};

using Checks = std::vector<Check>;

const char *nameOf(Check::Result result);

struct Toolchain {
    std::string cc, runtime; ///< as --cc and --runtime have them
};

/// The C compiler: that it is there, makes programs that run, knows OpenMP and this processor. False: nothing that needs
/// it can be tried.
bool checkCompiler(const Toolchain &toolchain, Checks &checks);

/// Builds a small program with the runtime, as oocc builds any, and lets it tell what it finds (docs/formats/machine.md); null,
/// and a failed check, when it cannot.
nlohmann::json askRuntime(const Toolchain &toolchain, const std::string &scratch, Checks &checks);

/// What the runtime has found, judged: cores and threads, memory, the scratch, the engines.
void checkMachine(const nlohmann::json &found, Checks &checks);
void checkScratch(const nlohmann::json &found, Checks &checks);

/// What the system allows and how it is set up; `root` comes before /proc and /sys, for tests.
void checkSystem(const std::string &root, Checks &checks);

/// What oocc itself was built with.
void checkBuild(Checks &checks);

/// "1.5 GiB".
std::string bytes(double count);

} // namespace oocc::doctor
