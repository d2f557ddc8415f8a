// The grammar, each line binding closer than the one before:
//     or      and { "or" and }
//     and     not { "and" not }
//     not     { "not" } compare
//     compare sum { ("==" | "!=" | "<" | "<=" | ">" | ">=") sum }
//     sum     product { ("+" | "-") product }
//     product sign { ("*" | "/" | "//" | "%") sign }
//     sign    { "-" } atom
//     atom    number | 'word' | "True" | "False" | KNOB | ("min" | "max") "(" or { "," or } ")" | "(" or ")"
#include "variants/expression_parser.h"

#include "support/spelling.h"

#include <charconv>
#include <cmath>

namespace oocc::variants {

namespace {

using Op = Expression::Op;
using Node = Expression::Node;

constexpr int kMaxDepth = 100; // of brackets and signs: the parser calls itself
constexpr std::string_view kWords[] = {"or", "and", "not", "True", "False", "min", "max"};

bool isWordChar(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

class Parser {
  public:
    Parser(std::string_view text, const std::vector<std::string> &knobs) : text_(text), knobs_(knobs) { next(); }

    Node whole() {
        if (token_.empty()) fail("the expression is empty", "write a condition, like ct <= bt");
        Node node = parseOr();
        if (!token_.empty()) fail("'" + std::string(token_) + "' is not expected here", spelledOtherwise());
        return node;
    }

  private:
    [[noreturn]] void fail(std::string message, std::string help = "") const {
        throw ExpressionError{begin_, begin_ + token_.size(), std::move(message), std::move(help)};
    }

    /// What people write who come from C, or from mathematics.
    std::string spelledOtherwise() const {
        if (token_ == "&" || token_ == "&&") return "write: and";
        if (token_ == "|" || token_ == "||") return "write: or";
        if (token_ == "=") return "write: ==";
        if (token_ == "!") return "write: not";
        return "";
    }

    /// Moves token_ to the next word, number, string or sign; empty at the end.
    void next() {
        last_ = begin_ + token_.size();
        begin_ = text_.find_first_not_of(" \t\n", last_);
        if (begin_ == std::string_view::npos) begin_ = text_.size();
        size_t end = begin_;
        if (end < text_.size() && isWordChar(text_[end])) {
            const bool number = std::isdigit(static_cast<unsigned char>(text_[end]));
            while (end < text_.size() && (isWordChar(text_[end]) || (number && text_[end] == '.')))
                ++end;
        } else if (end < text_.size() && (text_[end] == '\'' || text_[end] == '"')) {
            const size_t close = text_.find(text_[end], end + 1);
            token_ = text_.substr(begin_);
            if (close == std::string_view::npos) fail("the quote is not closed");
            end = close + 1;
        } else if (end < text_.size()) {
            const std::string_view two = text_.substr(end, 2);
            end += two == "==" || two == "!=" || two == "<=" || two == ">=" || two == "//" || two == "&&" || two == "||"
                       ? 2
                       : 1;
        }
        token_ = text_.substr(begin_, end - begin_);
    }

    bool take(std::string_view what) {
        if (token_ != what) return false;
        next();
        return true;
    }

    Node make(Op op, size_t begin, std::vector<Node> parts) const {
        Node node;
        node.op = op;
        node.parts = std::move(parts);
        node.begin = begin;
        node.end = last_;
        return node;
    }

    template <typename Part> Node chain(Op op, std::string_view word, Part part) {
        const size_t begin = begin_;
        std::vector<Node> parts{part()};
        while (take(word))
            parts.push_back(part());
        return parts.size() == 1 ? std::move(parts[0]) : make(op, begin, std::move(parts));
    }

    Node parseOr() {
        return chain(Op::Or, "or", [&] { return parseAnd(); });
    }
    Node parseAnd() {
        return chain(Op::And, "and", [&] { return parseNot(); });
    }

    Node parseNot() {
        const size_t begin = begin_;
        if (token_ != "not") return parseCompare();
        const Deeper deeper(*this);
        next();
        std::vector<Node> parts{parseNot()};
        return make(Op::Not, begin, std::move(parts));
    }

    Node parseCompare() {
        const size_t begin = begin_;
        std::vector<Node> parts{parseSum()};
        std::vector<std::string> how;
        while (token_ == "==" || token_ == "!=" || token_ == "<" || token_ == "<=" || token_ == ">" || token_ == ">=") {
            how.emplace_back(token_);
            next();
            parts.push_back(parseSum());
        }
        if (how.empty()) return std::move(parts[0]);
        Node node = make(Op::Compare, begin, std::move(parts));
        node.how = std::move(how);
        return node;
    }

    Node parseSum() {
        const size_t begin = begin_;
        Node node = parseProduct();
        while (token_ == "+" || token_ == "-") {
            const Op op = token_ == "+" ? Op::Add : Op::Sub;
            next();
            std::vector<Node> parts{std::move(node)};
            parts.push_back(parseProduct());
            node = make(op, begin, std::move(parts));
        }
        return node;
    }

    Node parseProduct() {
        const size_t begin = begin_;
        Node node = parseSign();
        while (token_ == "*" || token_ == "/" || token_ == "//" || token_ == "%") {
            const Op op = token_ == "*" ? Op::Mul : token_ == "/" ? Op::Div : token_ == "//" ? Op::FloorDiv : Op::Mod;
            next();
            std::vector<Node> parts{std::move(node)};
            parts.push_back(parseSign());
            node = make(op, begin, std::move(parts));
        }
        return node;
    }

    Node parseSign() {
        const size_t begin = begin_;
        if (token_ != "-") return parseAtom();
        const Deeper deeper(*this);
        next();
        std::vector<Node> parts{parseSign()};
        return make(Op::Neg, begin, std::move(parts));
    }

    Node parseAtom() {
        const size_t begin = begin_;
        if (token_.empty()) fail("the expression ends where a value is wanted");
        if (std::isdigit(static_cast<unsigned char>(token_[0]))) return constant(numberOf(token_));
        if (token_[0] == '\'' || token_[0] == '"') return constant(std::string(token_.substr(1, token_.size() - 2)));
        if (token_ == "True" || token_ == "False") return constant(token_ == "True");
        if (token_ == "min" || token_ == "max") {
            const Op op = token_ == "min" ? Op::Min : Op::Max;
            next();
            if (token_ != "(") fail("'(' is wanted after min and max");
            std::vector<Node> parts = bracket(true);
            return make(op, begin, std::move(parts));
        }
        if (token_ == "(") {
            std::vector<Node> parts = bracket(false);
            return std::move(parts[0]);
        }
        if (!isWordChar(token_[0])) fail("'" + std::string(token_) + "' is not expected here", spelledOtherwise());
        for (size_t knob = 0; knob < knobs_.size(); ++knob)
            if (token_ == knobs_[knob]) {
                Node node = constant(Value());
                node.op = Op::Knob;
                node.knob = knob;
                return node;
            }
        unknown();
    }

    [[noreturn]] void unknown() const {
        std::vector<std::string> names = knobs_;
        for (std::string_view word : kWords)
            names.emplace_back(word);
        const auto near = closest(token_, names);
        fail("the space has no knob '" + std::string(token_) + "'",
             near ? "did you mean " + *near + "?" : "its knobs are " + joined(knobs_));
    }

    /// '(' , one or several expressions, ')'.
    std::vector<Node> bracket(bool several) {
        const Deeper deeper(*this);
        next();
        std::vector<Node> parts{parseOr()};
        while (several && take(","))
            parts.push_back(parseOr());
        if (token_ != ")")
            fail(token_.empty() ? "a ')' is missing" : "')' is wanted, not '" + std::string(token_) + "'");
        next();
        return parts;
    }

    Node constant(Value value) {
        const size_t begin = begin_;
        next();
        Node node = make(Op::Constant, begin, {});
        node.value = std::move(value);
        return node;
    }

    Value numberOf(std::string_view text) const {
        int64_t whole = 0;
        const char *const first = text.data(), *const last = first + text.size();
        if (const auto [end, error] = std::from_chars(first, last, whole); error == std::errc() && end == last)
            return whole;
        double value = 0;
        const auto [end, error] = std::from_chars(first, last, value);
        if (error != std::errc() || end != last || !std::isfinite(value))
            fail("'" + std::string(text) + "' is not a number");
        return value;
    }

    struct Deeper {
        explicit Deeper(Parser &parser) : parser_(parser) {
            if (++parser.depth_ > kMaxDepth) parser.fail("the expression is nested too deeply");
        }
        ~Deeper() { --parser_.depth_; }
        Deeper(const Deeper &) = delete;
        Deeper &operator=(const Deeper &) = delete;
        Parser &parser_;
    };

    std::string_view text_, token_;
    const std::vector<std::string> &knobs_;
    size_t begin_ = 0, last_ = 0; ///< of the token; where the one before it ended
    int depth_ = 0;
};

} // namespace

Node parseExpression(std::string_view text, const std::vector<std::string> &knobs) {
    return Parser(text, knobs).whole();
}

} // namespace oocc::variants
