// `oocc study DIR`: measures variants. It is written in Python (study/), which is found beside the compiler.
#pragma once

namespace oocc {

int studyCommand(int argc, const char *const *argv);

} // namespace oocc
