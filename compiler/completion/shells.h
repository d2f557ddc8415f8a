// The scripts for shells.
#pragma once

#include "completion/help_text.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace oocc::completion {

/// The words of one command. "compile" is oocc without a command, "program" a generated program.
struct Words {
    std::string name, summary;
    Help help;
};

void printBash(std::ostream &out, const std::vector<Words> &commands);
void printZsh(std::ostream &out, const std::vector<Words> &commands);

/// What an argument or a positional is completed with.
enum class Kind { Nothing, Files, Programs, Folders, Parameters, Values };
Kind kindOf(const Word &word);

/// Whether the first word of a command line may be this name.
bool isCommand(const Words &words);

} // namespace oocc::completion
