#include "driver/extras.h"

#include "support/spelling.h"

namespace oocc {

std::optional<std::string> unknownOption(const CLI::App &app, const std::string &help) {
    const std::vector<std::string> extras = app.remaining();
    if (extras.empty()) return std::nullopt;
    std::vector<std::string> names;
    for (const CLI::Option *option : app.get_options())
        for (const std::string &name : option->get_lnames())
            names.push_back("--" + name);
    const std::string word = extras.front().substr(0, extras.front().find('='));
    const auto near = closest(word, names);
    return "unknown option '" + word + "'; " + (near ? "did you mean '" + *near + "'?" : "'" + help + "' lists them");
}

} // namespace oocc
