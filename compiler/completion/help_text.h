// Options as --help describes them: of oocc, of its commands and of generated programs, so that no list of them is kept twice.
#pragma once

#include <string>
#include <vector>

namespace oocc::completion {

struct Word {
    std::vector<std::string> names;  ///< "-o", "--output"; of a positional, its name
    std::string argument;            ///< "FILE"; empty: a switch
    std::string text;                ///< what it does
    std::vector<std::string> values; ///< where the text lists them: "...: a, b or c"
};

struct Help {
    std::vector<Word> options, positionals;
};

/// Lines that begin with two blanks and an option, and those of a paragraph "Positionals:".
Help readHelp(const std::string &text);

/// "where to stop: ast, c (the default) or exe" has ast, c and exe; a text without such a list has none.
std::vector<std::string> valuesIn(const std::string &text);

} // namespace oocc::completion
