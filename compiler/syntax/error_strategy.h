// Private to syntax/: what the parser says about an error, and where it goes on.
#pragma once

#include "support/diagnostics.h"

#include <antlr4-runtime.h>

#include <set>

namespace oocc {

/// One error per statement: the message is in the user's terms, and parsing goes on behind the statement.
/// Only a missing
/// ';' at the end of a line is taken as written.
class ErrorStrategy : public antlr4::DefaultErrorStrategy {
  public:
    ErrorStrategy(const Source &source, Diagnostics &diagnostics)
        : source_(source), diagnostics_(diagnostics) {}

    void sync(antlr4::Parser *parser) override;
    void reportError(antlr4::Parser *parser, const antlr4::RecognitionException &error) override;
    void recover(antlr4::Parser *parser, std::exception_ptr error) override;
    antlr4::Token *recoverInline(antlr4::Parser *parser) override;

  private:
    void report(antlr4::Parser &parser, antlr4::Token &found, const antlr4::misc::IntervalSet &expected);
    bool hasError(antlr4::Parser &parser, const antlr4::Token &found);
    bool reportMissingEnd(antlr4::Parser &parser);
    void reportUnknownStatement(antlr4::Parser &parser, antlr4::Token &found);
    void skipStatement(antlr4::Parser &parser);

    const Source &source_;
    Diagnostics &diagnostics_;
    std::vector<std::unique_ptr<antlr4::Token>> inserted_;
    std::set<uint32_t> begins_; ///< where the diagnostics before number looked_ begin
    size_t looked_ = 0;
};

} // namespace oocc
