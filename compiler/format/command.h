// `oocc fmt`.
#pragma once

namespace oocc {

int formatCommand(int argc, const char *const *argv);

} // namespace oocc
