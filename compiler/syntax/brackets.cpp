// Brackets are balanced before the parser runs. A parser that meets a missing '}' learns of it far below, at
// something that is innocent; seen from the tokens alone, the place is plain: a statement's keyword at the
// start of a line. For the same reason it is decided here which of these keywords are only names. And how
// deep a recursive parser will go is known here before it goes there.
#include "syntax/tokens.h"

#include "StnLexer.h"
#include "syntax/keywords.h"

#include <algorithm>

namespace oocc {

using antlr4::Token;
using grammar::StnLexer;

namespace {

constexpr int kMaxNesting = 256;

/// An open bracket, and how many operators in it nest what follows them. `ifs` and `nots` reach to the end of
/// the bracket or of the term, `sums` over shapes to the end of a product, `run` is a chain such as - - - x or x^y^z.
struct Open {
    Token *token;
    int ifs = 0, nots = 0, sums = 0, run = 0;
    int depth() const { return 1 + ifs + nots + sums + run; }
};

size_t closerOf(size_t opener) {
    switch (opener) {
    case StnLexer::LPAREN:
        return StnLexer::RPAREN;
    case StnLexer::LBRACKET:
        return StnLexer::RBRACKET;
    default:
        return StnLexer::RBRACE;
    }
}

const char *spell(size_t type) {
    switch (type) {
    case StnLexer::LPAREN:
        return "'('";
    case StnLexer::RPAREN:
        return "')'";
    case StnLexer::LBRACKET:
        return "'['";
    case StnLexer::RBRACKET:
        return "']'";
    case StnLexer::LBRACE:
        return "'{'";
    default:
        return "'}'";
    }
}

class Balancer {
  public:
    Balancer(Tokens &tokens, const Source &source, Diagnostics &diagnostics)
        : in_(tokens), source_(source), diagnostics_(diagnostics) {}

    bool run() {
        for (index_ = 0; index_ < in_.size(); ++index_)
            if (!take() || tooMany(diagnostics_)) return false;
        in_ = std::move(out_);
        return true;
    }

  private:
    bool take() {
        Token &token = *in_[index_];
        switch (token.getType()) {
        case StnLexer::LPAREN:
        case StnLexer::LBRACKET:
        case StnLexer::LBRACE:
            open_.push_back({&token});
            break;
        case StnLexer::RPAREN:
        case StnLexer::RBRACKET:
        case StnLexer::RBRACE:
            if (!close(token)) return true; // dropped
            break;
        case StnLexer::SEMICOLON:
            closeUntil(StnLexer::LBRACE, token);
            statement_ = {nullptr};
            break;
        case Token::EOF:
            closeAll(token);
            break;
        default:
            if (startsStatement() && inWholeBlock()) {
                dropStatement(token);
                return true;
            }
            if (startsStatement())
                closeAll(token);
            else if (isStatementKeyword(token.getType()) && !afterStatement())
                static_cast<antlr4::CommonToken &>(token).setType(StnLexer::NAME);
            countOperator(token);
        }
        out_.push_back(std::move(in_[index_]));
        return !tooDeep(*out_.back());
    }

    Open &top() { return open_.empty() ? statement_ : open_.back(); }
    Open &outside() { return open_.size() < 2 ? statement_ : open_[open_.size() - 2]; }

    /// False when the token closes nothing and is to be dropped.
    bool close(Token &token) {
        size_t match = open_.size();
        while (match > 0 && closerOf(open_[match - 1].token->getType()) != token.getType())
            --match;
        if (match == 0 && !open_.empty() && open_.back().token->getType() != StnLexer::LBRACE) {
            const size_t opener = open_.back().token->getType();
            diagnostics_
                .error(rangeOf(token), std::string("expected ") + spell(closerOf(opener)) + ", found " +
                                           spell(token.getType()))
                .note(rangeOf(*open_.back().token), std::string("to close this ") + spell(opener));
            static_cast<antlr4::CommonToken &>(token).setType(closerOf(opener));
            open_.pop_back();
            return true;
        }
        if (match == 0) {
            diagnostics_.error(rangeOf(token), std::string(spell(token.getType())) + " closes nothing");
            return false;
        }
        while (open_.size() > match)
            closeMissing(token);
        open_.pop_back();
        if (token.getType() == StnLexer::RBRACE) statement_ = {nullptr};
        return true;
    }

    void closeUntil(size_t opener, Token &before) {
        while (!open_.empty() && open_.back().token->getType() != opener)
            closeMissing(before);
        top().ifs = top().nots = top().sums = top().run = 0;
    }

    void closeAll(Token &before) {
        while (!open_.empty())
            closeMissing(before);
    }

    /// Reports the innermost open bracket as not closed, and closes it in front of `before`.
    void closeMissing(Token &before) {
        Token &opener = *open_.back().token;
        const size_t closer = closerOf(opener.getType());
        const bool end = before.getType() == Token::EOF;
        const std::string what =
            end ? "the end of the file" : "'" + std::string(source_.slice(rangeOf(before))) + "'";
        // The end of a file is an empty line as a rule; its last word says more.
        const uint32_t last = rangeOf(*out_.back()).end;
        diagnostics_
            .error(end ? Range{last, last} : rangeOf(before),
                   std::string("expected ") + spell(closer) + " before " + what)
            .note(rangeOf(opener), std::string("this ") + spell(opener.getType()) + " is not closed");

        auto token = std::make_unique<antlr4::CommonToken>(closer);
        token->setStartIndex(last);
        token->setStopIndex(last - 1);
        token->setLine(out_.back()->getLine());
        out_.push_back(std::move(token));
        open_.pop_back();
    }

    /// A statement's keyword, first on its line, and not a name in front of an update, a face or an operator.
    bool startsStatement() const {
        const Token &token = *in_[index_];
        if (!isStatementKeyword(token.getType()) ||
            (!out_.empty() && out_.back()->getLine() == token.getLine()))
            return false;
        const size_t next = in_[index_ + 1]->getType();
        if (token.getType() == StnLexer::STEP && next == StnLexer::LBRACE) return true;
        const bool bracket = token.getType() == StnLexer::GRID || token.getType() == StnLexer::STEPS;
        return isWord(next) || isStatementKeyword(next) || next == StnLexer::INTEGER ||
               (bracket && next == StnLexer::LPAREN);
    }

    /// Inside a block that is closed further down: the '}' is there, and a statement is where it cannot be.
    bool inWholeBlock() {
        if (open_.size() != 1 || open_[0].token->getType() != StnLexer::LBRACE) return false;
        if (lowest_.empty()) measureBlocks();
        return lowest_[index_] < before_[index_];
    }

    /// Once for all: a text whose blocks are all left open asks at every statement.
    void measureBlocks() {
        before_.assign(in_.size() + 1, 0);
        for (size_t i = index_; i < in_.size(); ++i) // those before were taken
            before_[i + 1] = before_[i] + (in_[i]->getType() == StnLexer::LBRACE) - (in_[i]->getType() == StnLexer::RBRACE);
        lowest_ = before_;
        for (size_t i = in_.size(); i > 0; --i)
            lowest_[i - 1] = std::min(lowest_[i - 1], lowest_[i]);
    }

    void dropStatement(const Token &keyword) {
        const bool value = keyword.getType() == StnLexer::LET || keyword.getType() == StnLexer::TEMP;
        diagnostics_
            .error(rangeOf(keyword), "'" + std::string(source_.slice(rangeOf(keyword))) + "' cannot stand inside of '{ }'")
            .withHelp(value ? "a value of every cell is declared before the step, 'temp NAME : TYPE;', and computed in it, 'NAME = ...;'"
                            : "it is a statement of its own, before the block or after its '}'")
            .note(rangeOf(*open_[0].token), "the block begins here");
        const auto ends = [](size_t type) { return type == StnLexer::SEMICOLON || type == StnLexer::RBRACE || type == Token::EOF; };
        while (!ends(in_[index_ + 1]->getType()))
            ++index_;
        if (in_[index_ + 1]->getType() == StnLexer::SEMICOLON) ++index_;
    }

    /// Only a statement can follow.
    bool afterStatement() const {
        if (out_.empty()) return true;
        const size_t previous = out_.back()->getType();
        return open_.empty() && (previous == StnLexer::SEMICOLON || previous == StnLexer::RBRACE);
    }

    void countOperator(const Token &token) {
        Open &here = top();
        const bool operand = !out_.empty() && endsOperand(out_.back()->getType());
        switch (token.getType()) {
        case StnLexer::IF:
            ++here.ifs;
            break;
        case StnLexer::NOT:
            ++here.nots;
            break;
        case StnLexer::CARET:
            ++here.run;
            break;
        case StnLexer::MINUS:
            here.run = operand ? 0 : here.run + 1;
            if (operand) here.sums = 0;
            break;
        case StnLexer::IN:
            if (operand && !open_.empty())
                ++outside().sums; // sum(o in s) is a prefix of what follows the ')'
            break;
        case StnLexer::COMMA:
            here.ifs = here.nots = here.sums = here.run = 0;
            break;
        case StnLexer::AND:
        case StnLexer::OR:
            here.nots = here.sums = here.run = 0;
            break;
        case StnLexer::PLUS:
            here.sums = here.run = 0;
            break;
        case StnLexer::STAR:
        case StnLexer::SLASH:
        case StnLexer::PERCENT:
            here.run = 0;
            break;
        default:
            break;
        }
    }

    /// Whether a '-' after it subtracts.
    static bool endsOperand(size_t type) {
        return type == StnLexer::RPAREN || type == StnLexer::RBRACKET || type == StnLexer::INTEGER ||
               type == StnLexer::REAL || type == StnLexer::TRUE || type == StnLexer::FALSE || isWord(type);
    }

    bool tooDeep(const Token &token) {
        int depth = statement_.depth() - 1;
        for (const Open &open : open_)
            depth += open.depth();
        if (depth <= kMaxNesting) return false;
        diagnostics_
            .error(rangeOf(token),
                   "expressions may be nested " + std::to_string(kMaxNesting) + " deep, and this is deeper")
            .withHelp("name a part of it with 'let'");
        return true;
    }

    Tokens &in_;
    Tokens out_;
    const Source &source_;
    Diagnostics &diagnostics_;
    size_t index_ = 0;
    std::vector<int> before_; ///< of each token: blocks opened less blocks closed before it
    std::vector<int> lowest_; ///< the least of before_ from there on
    std::vector<Open> open_;
    Open statement_{nullptr}; ///< operators outside any bracket
};

} // namespace

bool balance(Tokens &tokens, const Source &source, Diagnostics &diagnostics) {
    return Balancer(tokens, source, diagnostics).run();
}

} // namespace oocc
