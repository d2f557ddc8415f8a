#include "doctor/doctor.h"

#include "doctor/checks.h"
#include "driver/command_line.h"
#include "driver/files.h"
#include "support/colours.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace oocc {

namespace doctor {

const char *nameOf(Check::Result result) {
    constexpr const char *kNames[] = {"ok", "warn", "fail", "skip"};
    return kNames[result];
}

std::string bytes(double count) {
    constexpr const char *kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    while (count >= 1024 && unit + 1 < std::size(kUnits))
        count /= 1024, ++unit;
    char text[32];
    std::snprintf(text, sizeof text, unit > 0 ? "%.1f %s" : "%.0f %s", count, kUnits[unit]);
    return text;
}

namespace {

/// The first line, for a line of the table.
std::string coloured(Check::Result result, Colours colours) {
    const std::string name = nameOf(result);
    const std::string padded = name + std::string(4 - name.size(), ' ');
    switch (result) {
    case Check::Ok:
        return colours.good(padded);
    case Check::Warn:
        return colours.warning(padded);
    case Check::Fail:
        return colours.error(padded);
    case Check::Skip:
        break;
    }
    return padded;
}

void printTable(std::ostream &out, const Checks &checks, Colours colours) {
    size_t width = 0;
    int counts[4] = {0, 0, 0, 0};
    for (const Check &check : checks)
        width = std::max(width, check.name.size());
    for (const Check &check : checks) {
        ++counts[check.result];
        out << coloured(check.result, colours) << "  " << check.name
            << std::string(width - check.name.size() + 2, ' ') << check.text << '\n';
        if (!check.fix.empty()) out << std::string(6 + width + 2, ' ') << "fix: " << check.fix << '\n';
    }
    out << counts[Check::Ok] << " ok, " << counts[Check::Warn] << " to look at, " << counts[Check::Fail]
        << " failed";
    if (counts[Check::Skip] > 0) out << ", " << counts[Check::Skip] << " not tried";
    out << '\n';
}

void printJson(std::ostream &out, const Checks &checks, const nlohmann::json &found, int status) {
    using Json = nlohmann::ordered_json;
    Json list = Json::array();
    for (const Check &check : checks)
        list.push_back({{"name", check.name},
                        {"result", nameOf(check.result)},
                        {"text", check.text},
                        {"fix", check.fix.empty() ? Json(nullptr) : Json(check.fix)}});
    const Json document{{"format", "oocc-doctor"},   {"version", 1},
                        {"oocc", OOCC_VERSION},      {"status", status},
                        {"checks", std::move(list)}, {"machine", found}};
    out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

} // namespace

} // namespace doctor

int doctorCommand(int argc, const char *const *argv) {
    using namespace doctor;
    constexpr int kSomethingFailed = 1;
    CLI::App app("Checks whether this machine has what programs need, and says what to do where it has not.\n"
                 "Ends with 0 when nothing fails, with 1 when something does.",
                 "oocc doctor");
    Toolchain toolchain{"cc", ""};
    std::string scratch = ".", colour = "auto";
    bool json = false;
    app.add_option("--scratch", scratch,
                   "where programs are to keep what does not fit: a folder or a device, or several; default: this folder")
        ->type_name("DIR,...");
    app.add_option("--cc", toolchain.cc, "the C compiler that builds programs")
        ->type_name("CC")
        ->capture_default_str();
    app.add_option("--runtime", toolchain.runtime, "where include/ and lib/ of the runtime are")
        ->type_name("DIR");
    app.add_flag("--json", json, "print JSON");
    app.add_option("--color", colour, "colours: auto (on a terminal), always or never")->type_name("WHEN");
    if (const auto status = parseCommandLine(app, argc, argv)) return *status;
    if (const auto refusal = noneOf("--color", colour, {"auto", "always", "never"}))
        return usageError(*refusal);

    Checks checks;
    nlohmann::json found;
    if (checkCompiler(toolchain, checks))
        found = askRuntime(toolchain, scratch, checks);
    else
        checks.push_back({"runtime", Check::Skip, "not tried: it takes a C compiler to make a program", ""});
    if (found.is_null()) {
        checks.push_back(
            {"scratch", Check::Skip, "not tried: a program's runtime tells what works there", ""});
    } else {
        checkMachine(found, checks);
        checkScratch(found, checks);
    }
    checkSystem("", checks);
    checkBuild(checks);

    const bool failed =
        std::ranges::any_of(checks, [](const Check &check) { return check.result == Check::Fail; });
    const int status = failed ? kSomethingFailed : 0;
    const ColourMode mode = colour == "always"  ? ColourMode::Always
                            : colour == "never" ? ColourMode::Never
                                                : ColourMode::Auto;
    if (json)
        printJson(std::cout, checks, found, status);
    else
        printTable(std::cout, checks, Colours(wantsColour(mode, STDOUT_FILENO)));
    std::cout << std::flush;
    if (std::cout) return status;
    std::cerr << "oocc: error: cannot write to standard output\n";
    return kIoError;
}

} // namespace oocc
