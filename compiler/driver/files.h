// Files and exit statuses of the compiler.
#pragma once

#include <string>

namespace oocc {

enum ExitStatus { kBadProgram = 65, kInternalError = 70, kNoMemory = 71, kCannotCreate = 73, kIoError = 74 };

/// Reads a whole file; otherwise says why not and returns an exit status.
int readFile(const std::string &path, std::string &text);

/// Writes to a temporary name beside and renames, so that a failure leaves the old file whole; an empty path is stdout.
int writeFile(const std::string &path, const std::string &text);

/// The last part of a path.
std::string fileName(const std::string &path);

} // namespace oocc
