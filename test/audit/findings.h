// What an audit finds: places at which a file breaks a rule.
#pragma once

#include <set>
#include <string>
#include <tuple>

namespace audit {

struct Finding {
    unsigned line, column;
    std::string rule, text;
    bool operator<(const Finding &other) const {
        return std::tie(line, column, rule, text) <
               std::tie(other.line, other.column, other.rule, other.text);
    }
};

/// In the file's order, each one once: the syntax tree is walked in more than one way.
using Findings = std::set<Finding>;

} // namespace audit
