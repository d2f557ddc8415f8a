// Where the runtime that programs are built with is.
#pragma once

#include "support/diagnostics.h"

#include <optional>
#include <string>

namespace oocc {

struct RuntimePlace {
    std::string include; ///< the folder of oocc/oocc.h
    std::string library; ///< liboocc_runtime.a
};

/// In `given` (--runtime DIR), or where it was built or installed with this compiler when that is empty. Reports where it was
/// looked for when it is not there.
std::optional<RuntimePlace> findRuntime(const std::string &given, Diagnostics &diagnostics);

} // namespace oocc
