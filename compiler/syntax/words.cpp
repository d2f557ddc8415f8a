#include "syntax/words.h"

#include "syntax/keywords.h"
#include "syntax/parsing.h"
#include "syntax/tokens.h"

#include <algorithm>
#include <cctype>

namespace oocc {

using grammar::StnLexer;
using grammar::StnParser;

namespace {

Word::Kind kindOf(size_t type) {
    if (type == antlr4::Token::EOF) return Word::Kind::End;
    if (type >= StnLexer::IF && type <= StnLexer::SPACING) return Word::Kind::Keyword;
    if (type == StnLexer::NAME) return Word::Kind::Name;
    if (type == StnLexer::INTEGER || type == StnLexer::REAL) return Word::Kind::Number;
    return type == StnLexer::STRING ? Word::Kind::String : Word::Kind::Sign;
}

int newLinesIn(std::string_view text) {
    return static_cast<int>(std::ranges::count(text, '\n'));
}

/// Every word with what is before it.
std::vector<PlacedWord> place(Parsing &parsing, const Source &source) {
    std::vector<PlacedWord> out;
    const std::vector<Range> &comments = parsing.comments();
    size_t next = 0;
    uint32_t last = 0;
    for (antlr4::Token *token : parsing.tokens().getTokens()) {
        const bool end = token->getType() == antlr4::Token::EOF;
        const auto size = static_cast<uint32_t>(source.text().size());
        PlacedWord word{end ? Range{size, size} : rangeOf(*token), {}, 0};
        for (; next < comments.size() && comments[next].begin < word.range.begin; ++next) {
            word.comments.push_back({comments[next], newLinesIn(source.slice({last, comments[next].begin}))});
            last = comments[next].end;
        }
        word.newLines = newLinesIn(source.slice({last, word.range.begin}));
        last = word.range.end;
        out.push_back(std::move(word));
    }
    return out;
}

Piece::Kind kindOf(antlr4::ParserRuleContext &tree) {
    using Kind = Piece::Kind;
    if (dynamic_cast<StnParser::ParenthesisedContext *>(&tree)) return Kind::Parentheses;
    if (dynamic_cast<StnParser::CallContext *>(&tree)) return Kind::Call;
    if (dynamic_cast<StnParser::IndexContext *>(&tree)) return Kind::Index;
    if (dynamic_cast<StnParser::MemberContext *>(&tree)) return Kind::Member;
    if (dynamic_cast<StnParser::NegationContext *>(&tree)) return Kind::Negation;
    if (dynamic_cast<StnParser::NotExprContext *>(&tree)) return Kind::Not;
    if (dynamic_cast<StnParser::ReductionContext *>(&tree)) return Kind::Reduction;
    if (dynamic_cast<StnParser::IfExprContext *>(&tree)) return Kind::If;
    switch (tree.getRuleIndex()) {
    case StnParser::RuleProgram:
        return Kind::Program;
    case StnParser::RuleStatement:
        return Kind::Statement;
    case StnParser::RuleBlock:
        return Kind::Block;
    case StnParser::RuleUpdate:
        return Kind::Update;
    case StnParser::RuleFaceList:
        return Kind::FaceList;
    case StnParser::RuleFaceEdge:
        return Kind::Face;
    case StnParser::RuleFace:
        return Kind::Member;
    case StnParser::RuleEdge:
        return Kind::Edge;
    case StnParser::RuleGridDim:
        return Kind::GridDim;
    case StnParser::RuleNames:
    case StnParser::RuleFaceNames:
        return Kind::Names;
    case StnParser::RuleIndices:
        return Kind::Indices;
    case StnParser::RulePlace:
        return Kind::Place;
    case StnParser::RulePointSet:
        return Kind::PointSet;
    case StnParser::RulePoint:
        return Kind::Point;
    case StnParser::RuleArgument:
        return Kind::Argument;
    default:
        return Kind::Binary;
    }
}

Piece pieceOf(antlr4::tree::ParseTree &tree) {
    if (auto *leaf = dynamic_cast<antlr4::tree::TerminalNode *>(&tree))
        return {Piece::Kind::Word, leaf->getSymbol()->getTokenIndex(), {}};
    auto &rule = dynamic_cast<antlr4::ParserRuleContext &>(tree);
    Piece out{kindOf(rule), 0, {}};
    const bool lists = out.kind == Piece::Kind::Program;
    if (rule.children.size() == 1 && !lists) return pieceOf(*rule.children[0]);
    for (antlr4::tree::ParseTree *child : rule.children)
        out.parts.push_back(pieceOf(*child));
    return out;
}

} // namespace

std::vector<Word> words(const Source &source) {
    antlr4::ANTLRInputStream input(oneCharacterPerByte(source));
    StnLexer lexer(&input);
    lexer.removeErrorListeners();
    Diagnostics ignored;
    std::vector<Range> comments;
    const Tokens tokens = tokenize(lexer, source, ignored, comments);
    std::vector<Word> out;
    size_t next = 0;
    for (const auto &token : tokens) {
        Word word{kindOf(token->getType()), rangeOf(*token)};
        const auto size = static_cast<uint32_t>(source.text().size());
        if (word.kind == Word::Kind::End) word.range = {size, size};
        for (; next < comments.size() && comments[next].begin <= word.range.begin; ++next)
            out.push_back({Word::Kind::Comment, comments[next]});
        out.push_back(word);
    }
    return out;
}

std::optional<Pieces> pieces(const Source &source, Diagnostics &diagnostics) {
    Parsing parsing(source, diagnostics);
    if (!parsing.program(source, diagnostics)) return std::nullopt;
    return Pieces{place(parsing, source), pieceOf(*parsing.tree())};
}

const std::vector<KeywordInfo> &keywordList() {
    static const std::vector<KeywordInfo> list = [] {
        std::vector<KeywordInfo> out;
        for (size_t type = StnLexer::IF; type <= StnLexer::SPACING; ++type) {
            const char *const example = statementExample(type);
            out.push_back({keywordSpelling(type), example ? example : "", type <= StnLexer::FALSE});
        }
        return out;
    }();
    return list;
}

bool canBeName(const std::string &text) {
    const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; };
    const auto part = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
    if (text.empty() || !letter(text[0]) || !std::ranges::all_of(text, part)) return false;
    return std::ranges::none_of(keywordList(), [&](const KeywordInfo &k) { return k.reserved && k.word == text; });
}

} // namespace oocc
