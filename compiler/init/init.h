// oocc init: a folder with a program that runs, to begin with.
#pragma once

namespace oocc {

int initCommand(int argc, const char *const *argv);

} // namespace oocc
