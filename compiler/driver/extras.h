// What a command's options do not know.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace oocc {

/// "unknown option '--chekc'; did you mean '--check'?", or nothing when all words were understood. `help` lists them.
std::optional<std::string> unknownOption(const CLI::App &app, const std::string &help);

} // namespace oocc
