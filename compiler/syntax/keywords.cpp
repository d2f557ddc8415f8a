#include "syntax/keywords.h"

#include "StnLexer.h"

#include <algorithm>

namespace oocc {

using grammar::StnLexer;

namespace {

struct Keyword {
    size_t type;
    const char *spelling;
    const char *example; ///< of the statement
};

constexpr Keyword kStatements[] = {
    {StnLexer::STENCIL, "stencil", "stencil heat;"},
    {StnLexer::PARAM, "param", "param n : int = 512;"},
    {StnLexer::LET, "let", "let dt = 0.1 * h;"},
    {StnLexer::GRID, "grid", "grid (z: n, y: n, x: 2*n spacing 0.01);"},
    {StnLexer::FIELD, "field", "field u, v : f64;"},
    {StnLexer::COEF, "coef", "coef c : f32 from \"c.npy\";"},
    {StnLexer::INIT, "init", "init u = 0.5; or init u from \"u.npy\";"},
    {StnLexer::BOUNDARY, "boundary", "boundary u = fixed; or boundary u { z.lo: dirichlet 1; z.hi: neumann; y: periodic; }"},
    {StnLexer::STEP, "step", "step { u[t+1] = u[x-1] + u[x+1]; }"},
    {StnLexer::STEPS, "steps", "steps 100;"},
    {StnLexer::OUTPUT, "output", "output u to \"u-{t}.npy\" every 10;"},
    {StnLexer::TEMP, "temp", "temp flux : f64;"},
    {StnLexer::FN, "fn", "fn square(a) = a * a;"},
    {StnLexer::SHAPE, "shape", "shape near = star(1); or shape near = {(0, 1), (0, -1)};"},
    {StnLexer::SCALAR, "scalar", "scalar total = sum(u);"},
    {StnLexer::INJECT, "inject", "inject u at (8, 8, 8) += 0.1;"},
    {StnLexer::RECORD, "record", "record u at (8, 8, 8) every 2 to \"u.npy\";"},
    {StnLexer::MONITOR, "monitor", "monitor change = max(abs(u[t+1] - u)) every 10;"},
    {StnLexer::SERIES, "series", "series drive : f64 from \"drive.npy\";"},
    {StnLexer::STOP, "stop", "stop when change < 1e-6; or stop on none;"},
};

} // namespace

bool isWord(size_t tokenType) {
    return tokenType == StnLexer::NAME || (tokenType >= StnLexer::FROM && tokenType <= StnLexer::SPACING);
}

bool isStatementKeyword(size_t tokenType) {
    return std::ranges::any_of(kStatements, [&](const Keyword &k) { return k.type == tokenType; });
}

const char *statementExample(size_t tokenType) {
    const auto found = std::ranges::find(kStatements, tokenType, &Keyword::type);
    return found == std::end(kStatements) ? nullptr : found->example;
}

const char *statementElsewhere(const std::string &word) {
    struct Habit {
        const char *word;
        size_t type;
    };
    static constexpr Habit habits[] = {
        {"def", StnLexer::FN},        {"define", StnLexer::FN},      {"func", StnLexer::FN},     {"fun", StnLexer::FN},
        {"function", StnLexer::FN},   {"macro", StnLexer::FN},       {"const", StnLexer::LET},   {"constant", StnLexer::LET},
        {"var", StnLexer::LET},       {"option", StnLexer::PARAM},   {"array", StnLexer::FIELD}, {"double", StnLexer::FIELD},
        {"float", StnLexer::FIELD},   {"real", StnLexer::FIELD},     {"domain", StnLexer::GRID}, {"initial", StnLexer::INIT},
        {"bc", StnLexer::BOUNDARY},   {"update", StnLexer::STEP},    {"loop", StnLexer::STEP},   {"iterate", StnLexer::STEPS},
        {"for", StnLexer::STEPS},     {"while", StnLexer::STEPS},    {"do", StnLexer::STEPS},    {"repeat", StnLexer::STEPS},
        {"save", StnLexer::OUTPUT},   {"write", StnLexer::OUTPUT},   {"print", StnLexer::MONITOR},
        {"source", StnLexer::INJECT}, {"receiver", StnLexer::RECORD}, {"program", StnLexer::STENCIL}, {"module", StnLexer::STENCIL},
    };
    const auto found = std::ranges::find(habits, word, &Habit::word);
    return found == std::end(habits) ? nullptr : statementExample(found->type);
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

std::string keywordSpelling(size_t tokenType) {
    antlr4::ANTLRInputStream nothing;
    const std::string quoted(StnLexer(&nothing).getVocabulary().getLiteralName(tokenType));
    return quoted.substr(1, quoted.size() - 2);
}

const std::vector<std::string> &clauseKeywords() {
    static const std::vector<std::string> words = [] {
        std::vector<std::string> list;
        for (size_t type = StnLexer::FROM; type <= StnLexer::SPACING; ++type)
            list.push_back(keywordSpelling(type));
        return list;
    }();
    return words;
}

} // namespace oocc
