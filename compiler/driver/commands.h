// What `oocc WORD ...` does besides compiling: a table, one line for each command.
#pragma once

#include <span>
#include <string_view>

namespace oocc {

struct Command {
    std::string_view name;
    const char *synopsis; ///< after "oocc NAME"
    const char *summary;  ///< half a line, for --help
    /// Gets the words from the command's name on, as main() gets its own; returns the exit status.
    int (*run)(int argc, const char *const *argv);
};

/// The command that the first word names; null: the words are those of a compilation.
const Command *commandOf(int argc, const char *const *argv);

std::span<const Command> commands();

/// One line for every command, for --help.
const char *commandList();

/// `oocc PROGRAM.stn ...`: no command at all.
int compileCommand(int argc, const char *const *argv);

} // namespace oocc
