// Private to lsp/: where in a program a place is, told from the words before it. The tree does not help: what is being
// written is what it lacks.
#pragma once

#include "lsp/document.h"

#include <string>
#include <vector>

namespace oocc::lsp {

struct Bracket {
    char open;          ///< ( [ {
    std::string caller; ///< the word before it
    uint32_t at;
    int commas = 0;     ///< in it, so far
};

struct Context {
    bool silent = false;                 ///< in a comment or a string
    Range prefix{};                      ///< the word that is being written; empty: none
    std::string keyword;                 ///< of the statement; empty: one begins here
    std::string block;                   ///< step or boundary, inside of its braces
    std::vector<std::string> words;      ///< of the statement, the update or the face up to here, without the prefix
    std::vector<Bracket> brackets;       ///< that are open in it
    std::vector<std::string> parameters; ///< of the function that it declares
    struct Offset {
        std::string name;
        size_t depth; ///< brackets around the sum
    };
    std::vector<Offset> offsets;         ///< of sums that it is in
    int openIfs = 0;                     ///< that have no `then` yet
    int openThens = 0;                   ///< that have no `else` yet

    const std::string &previous(size_t back = 1) const;
    bool has(const std::string &word) const;
    /// Whether an operand may stand here, or else an operator.
    bool wantsOperand() const;
};

Context contextAt(const Known &known, uint32_t offset);

} // namespace oocc::lsp
