// What diagnostics are about, as ids for programs that read them. An id stays what it is once it is published.
#pragma once

#include <string_view>

namespace oocc {

struct Rule {
    const char *id;
    const char *summary; ///< one sentence
};

/// The rule of what is reported in a source file of the compiler: "" when that file is not in the table (a test sees to it
/// that every file that reports is).
const char *ruleOf(std::string_view reporter);

/// The rule with an id; null when there is none.
const Rule *findRule(std::string_view id);

} // namespace oocc
