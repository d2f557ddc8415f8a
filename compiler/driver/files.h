// Files and exit statuses of the compiler.
#pragma once

#include "support/diagnostics.h"

#include <string>

namespace oocc {

enum ExitStatus { kUsage = 2, kBadProgram = 65, kInternalError = 70, kNoMemory = 71, kCannotCreate = 73, kIoError = 74 };

/// Reads a whole file; otherwise reports why not and returns an exit status.
int readFile(const std::string &path, std::string &text, Diagnostics &diagnostics);
/// The same, reporting on stderr.
int readFile(const std::string &path, std::string &text);

/// Creates a file that must not be there yet; kCannotCreate, and nothing reported, when it is.
int createFile(const std::string &path, const std::string &text, Diagnostics &diagnostics);

/// Writes to a temporary name beside and renames, so that a failure leaves the old file whole; an empty path and "-" are
/// stdout. A file that is there keeps its mode, and a link stays one: what it leads to is replaced.
int writeFile(const std::string &path, const std::string &text, Diagnostics &diagnostics);
int writeFile(const std::string &path, const std::string &text);

/// The last part of a path.
std::string fileName(const std::string &path);

} // namespace oocc
