// What the commands' command lines have in common: words, suggestions, exit statuses.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace oocc {

/// "; did you mean 'X'?", or nothing.
std::string didYouMean(const std::string &word, const std::vector<std::string> &candidates);

/// Why the word is none of those, with the nearest one or all of them; nothing when it is.
std::optional<std::string> noneOf(const std::string &option, const std::string &word,
                                  const std::vector<std::string> &words);

/// What CLI11 could not place, as a usage error: a misspelt option, or a word too many; nothing when all was placed. `others`: where
/// options that are not this command's may belong, after "'HELP' lists them".
std::optional<std::string> extraWord(const CLI::App &app, const std::string &help, const std::string &others = "");

/// Parses the words of a command (the first one is its name). An exit status when nothing more is to be done: 0 after
/// --help, 2 after a usage error, which has been printed.
std::optional<int> parseCommandLine(CLI::App &app, int argc, const char *const *argv);

/// Prints a usage error; returns 2.
int usageError(const std::string &message);

} // namespace oocc
