// What the words of the language mean, in a sentence each: docs/language.md in the small.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oocc::lsp {

struct Lore {
    enum class Kind { Statement, Clause, Operator, Function, Reduction, ShapeKind, Type, EdgeKind, Constant };
    Kind kind;
    std::string_view word;
    std::string_view signature; ///< how it is written; with its parameters in the order of the parentheses
    std::string_view meaning;
};

const std::vector<Lore> &lore();

/// What a word means in this role; null when it has none.
const Lore *loreOf(std::string_view word, Lore::Kind kind);
/// The function, reduction or shape of this name.
const Lore *callable(std::string_view word);
/// A keyword or a sign.
const Lore *loreOfKeyword(std::string_view word);

} // namespace oocc::lsp
