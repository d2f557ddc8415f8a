// oocc completion: what shells complete, made from the same help that people read.
#pragma once

namespace oocc {

int completionCommand(int argc, const char *const *argv);

} // namespace oocc
