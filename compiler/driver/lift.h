// `oocc lift`: starts oocc-lift, which is linked with Clang's libraries; oocc itself starts without them.
#pragma once

namespace oocc {

/// Does not return where oocc-lift could be started; otherwise says why not and returns an exit status.
int liftCommand(int argc, const char *const *argv);

} // namespace oocc
