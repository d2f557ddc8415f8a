// Starting other programs: by their words, never through a shell.
#pragma once

#include <string>
#include <vector>

namespace oocc {

/// Runs a command; 127 when it cannot be started, 128 + signal when it was killed.
int execute(const std::vector<std::string> &command);

/// The same of a program that handles interrupts itself: they are passed on to it, and we wait for it.
int executeRelaying(const std::vector<std::string> &command);

/// Where oocc itself lies: the directory of its executable; "." when that cannot be found out.
std::string ownDirectory();

/// Becomes the program `name` that lies beside oocc, with the words from argv[1] on. Returns only when that fails, with
/// the exit status after the error was printed.
int becomeBeside(const std::string &name, int argc, const char *const *argv);

} // namespace oocc
