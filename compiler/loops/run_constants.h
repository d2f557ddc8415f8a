// What a run computes once: parts of the program's values that parameters and lets alone decide. Rows are many and some have few
// cells, so a function or a division for each of them would be felt.
#pragma once

#include "stencil/stencil.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace oocc::loops {

class RunConstants {
  public:
    struct Constant {
        std::string name; ///< k_1
        ExprPtr value;
    };

    /// Of all values that loops over cells compute. The stencil's expressions are known by their address from then on.
    explicit RunConstants(const Stencil &stencil);

    /// In the order in which the program has them first.
    const std::vector<Constant> &all() const { return all_; }
    /// Null: it is none, or part of one.
    const std::string *nameOf(const ExprPtr &expr) const;

  private:
    /// Of an expression: it is not the same for the whole run; it is, and takes no longer than fetching it; it is, and is worth a name.
    enum class Worth { Varies, Nothing, Naming };

    void find(const ExprPtr &value);
    /// Gives names to the largest parts that are worth them, but not to the whole.
    Worth look(const ExprPtr &expr);
    void name(const ExprPtr &expr);

    const Stencil &stencil_;
    std::vector<Constant> all_;
    std::unordered_map<std::string, size_t> known_; ///< by type and text
    std::unordered_map<const Expr *, size_t> at_;
};

} // namespace oocc::loops
