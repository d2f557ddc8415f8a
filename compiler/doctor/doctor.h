// oocc doctor: whether this machine has what programs need, and what to do where it has not.
#pragma once

namespace oocc {

int doctorCommand(int argc, const char *const *argv);

} // namespace oocc
