#include "driver/lift.h"

#include "driver/process.h"

namespace oocc {

int liftCommand(int argc, const char *const *argv) {
    return becomeBeside("oocc-lift", argc, argv,
                        {"this oocc was built without Clang's libraries, which 'oocc lift' reads C with",
                         "install libclang-19-dev and llvm-19-dev, and build oocc again"});
}

} // namespace oocc
