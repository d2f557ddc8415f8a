// Conditions on knobs, such as "ct <= bt and bt % ct == 0". They are a part of Python's expressions and mean what they mean
// there, so that whoever reads a space elsewhere can evaluate them as they are; what Python would only find out later
// ("jam < 3") is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace oocc::variants {

using Value = std::variant<bool, int64_t, double, std::string>;

/// As people write it: True, 3, 1.5, 'word'.
std::string toString(const Value &value);

/// What is wrong with an expression, and where: bytes [begin, end) of its text.
struct ExpressionError {
    size_t begin = 0, end = 0;
    std::string message;
    std::string help; ///< empty: none
};

class Expression {
  public:
    /// Names are those of `knobs`. Throws ExpressionError.
    Expression(std::string_view text, const std::vector<std::string> &knobs);

    /// Indices of the knobs it refers to, without repetition, in order.
    const std::vector<size_t> &uses() const { return uses_; }

    /// Whether it is true; nothing when it refers to a knob that has no value. Throws ExpressionError where Python would raise
    /// an exception, and when it is no condition.
    std::optional<bool> holds(const std::vector<std::optional<Value>> &knobs) const;

    enum class Op { Constant, Knob, Or, And, Not, Compare, Add, Sub, Mul, Div, FloorDiv, Mod, Neg, Min, Max };
    struct Node {
        Op op = Op::Constant;
        Value value{};                ///< Constant
        size_t knob = 0;              ///< Knob
        std::vector<std::string> how; ///< Compare: one operator between each two parts: a < b <= c
        std::vector<Node> parts;
        size_t begin = 0, end = 0;
    };

  private:
    Node root_;
    std::vector<size_t> uses_;
};

} // namespace oocc::variants
