#include "syntax/keywords.h"

#include "StnLexer.h"

#include <algorithm>

namespace oocc {

using grammar::StnLexer;

namespace {

struct Keyword {
    size_t type;
    const char *spelling;
};

constexpr Keyword kStatements[] = {
    {StnLexer::STENCIL, "stencil"}, {StnLexer::PARAM, "param"},       {StnLexer::LET, "let"},
    {StnLexer::GRID, "grid"},       {StnLexer::FIELD, "field"},       {StnLexer::COEF, "coef"},
    {StnLexer::INIT, "init"},       {StnLexer::BOUNDARY, "boundary"}, {StnLexer::STEP, "step"},
    {StnLexer::STEPS, "steps"},     {StnLexer::OUTPUT, "output"},     {StnLexer::TEMP, "temp"},
    {StnLexer::FN, "fn"},           {StnLexer::SHAPE, "shape"},       {StnLexer::SCALAR, "scalar"},
    {StnLexer::INJECT, "inject"},   {StnLexer::RECORD, "record"},     {StnLexer::MONITOR, "monitor"},
    {StnLexer::STOP, "stop"},
};

} // namespace

bool isWord(size_t tokenType) {
    return tokenType == StnLexer::NAME || (tokenType >= StnLexer::FROM && tokenType <= StnLexer::SPACING);
}

bool isStatementKeyword(size_t tokenType) {
    return std::ranges::any_of(kStatements, [&](const Keyword &k) { return k.type == tokenType; });
}

const std::vector<std::string> &statementKeywords() {
    static const std::vector<std::string> words = [] {
        std::vector<std::string> list;
        for (const Keyword &k : kStatements)
            list.emplace_back(k.spelling);
        return list;
    }();
    return words;
}

} // namespace oocc
