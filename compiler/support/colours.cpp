#include "support/colours.h"

#include <cstdlib>
#include <unistd.h>

namespace oocc {

namespace {

std::string_view variable(const char *name) {
    const char *value = std::getenv(name);
    return value ? value : "";
}

} // namespace

bool wantsColour(ColourMode mode, int fd) {
    if (mode != ColourMode::Auto) return mode == ColourMode::Always;
    if (!variable("NO_COLOR").empty()) return false; // present and not empty, whatever it says
    const std::string_view force = variable("CLICOLOR_FORCE");
    if (!force.empty() && force != "0") return true;
    if (variable("CLICOLOR") == "0") return false;
    const std::string_view terminal = variable("TERM");
    return !terminal.empty() && terminal != "dumb" && isatty(fd) == 1;
}

} // namespace oocc
