// Positions are bytes everywhere in oocc, and ANTLR counts code points. So ANTLR is given one character per
// byte, with every byte past ASCII replaced by DEL: outside comments and strings it is an error anyway, and
// the text of a string is taken from the source.
#include "syntax/tokens.h"

#include <cstdio>
#include <optional>
#include <set>

namespace oocc {

using grammar::StnLexer;

namespace {

std::string quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text)
        if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7F) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
            out += escaped;
        } else {
            out += c;
        }
    return out + "'";
}

/// What a user of another language may have meant by a character.
const char *remedyFor(std::string_view text) {
    switch (text.front()) {
    case '&':
        return "write 'and'";
    case '|':
        return "write 'or'; the absolute value is abs(...)";
    case '!':
        return "write 'not'";
    case '?':
        return "write 'if ... then ... else ...'";
    case '@':
        return "a neighbour's value is named by its offsets: u[y-1, x+1]";
    case '#':
        return "comments start with //";
    case '\'':
        return "strings take double quotes";
    default:
        return nullptr;
    }
}

void reportBadToken(const antlr4::Token &token, const Source &source, Diagnostics &diagnostics) {
    const Range range = rangeOf(token);
    const std::string_view text = source.slice(range);
    switch (token.getType()) {
    case StnLexer::OPEN_STRING:
        diagnostics.error(range, "this string is not closed")
            .withHelp("a string ends with '\"' on the same line");
        break;
    case StnLexer::OPEN_COMMENT:
        diagnostics.error(range, "this comment is not closed").withHelp("it ends with */");
        break;
    case StnLexer::BAD_NAME: {
        const size_t letter = text.find_first_not_of("0123456789.");
        diagnostics.error(range, quoted(text) + " is neither a number nor a name")
            .withHelp("names start with a letter; a product is written " +
                      std::string(text.substr(0, letter)) + "*" + std::string(text.substr(letter)));
        break;
    }
    default: {
        Diagnostic &error = diagnostics.error(range, "unexpected character " + quoted(text));
        if (static_cast<unsigned char>(text.front()) >= 0x80)
            error.withHelp(
                "names and operators are ASCII; other characters may stand in comments and strings");
        else if (const char *remedy = remedyFor(text))
            error.withHelp(remedy);
    }
    }
}

/// Where the first one is that stands outside comments, in which anything may. No program has one there, and a file of another
/// kind has.
std::optional<uint32_t> zeroByte(StnLexer &lexer, const Source &source) {
    if (source.text().find('\0') == std::string_view::npos) return std::nullopt;
    std::optional<uint32_t> found;
    for (auto token = lexer.nextToken(); !found && token->getType() != antlr4::Token::EOF; token = lexer.nextToken()) {
        if (token->getType() == StnLexer::OPEN_COMMENT) break; // all the rest is part of it
        if (token->getType() == StnLexer::COMMENT) continue;
        const Range range = rangeOf(*token);
        if (const size_t at = source.slice(range).find('\0'); at != std::string_view::npos) found = range.begin + static_cast<uint32_t>(at);
    }
    lexer.reset(); // and its text with it
    return found;
}

const char *remedyForNoText(std::string_view text) {
    using namespace std::string_view_literals;
    if (text.substr(0, 4) == "\x7f" "ELF"sv) return "it is a compiled program; oocc takes a program's text, as in oocc heat.stn";
    if (const auto mark = text.substr(0, 2); mark == "\xff\xfe"sv || mark == "\xfe\xff"sv) return "it is in UTF-16; save it as UTF-8";
    return "a program is written in ASCII, with UTF-8 in comments and strings";
}

/// Names go into the C as identifiers and as texts, whose length C limits.
void checkLength(const antlr4::Token &token, const Source &source, std::set<std::string_view> &told,
                 Diagnostics &diagnostics) {
    constexpr size_t kMaxName = 255;
    const Range range = rangeOf(token);
    if (token.getType() != StnLexer::NAME || range.end - range.begin <= kMaxName) return;
    if (told.insert(source.slice(range)).second)
        diagnostics.error(range, "this name has " + std::to_string(range.end - range.begin) + " characters, and at most " +
                                     std::to_string(kMaxName) + " are allowed");
}

} // namespace

Range rangeOf(const antlr4::Token &first, const antlr4::Token &last) {
    const auto begin = static_cast<uint32_t>(first.getStartIndex());
    const auto end = static_cast<uint32_t>(last.getStopIndex() + 1);
    return {begin, std::max(begin, end)};
}

Range rangeOf(const antlr4::Token &token) {
    return rangeOf(token, token);
}

bool reportNoText(StnLexer &lexer, const Source &source, Diagnostics &diagnostics) {
    if (source.text().size() > kMostBytes) {
        constexpr auto at = static_cast<uint32_t>(kMostBytes);
        diagnostics.error({at, at + 1}, "a program may have 16 MiB, and this has more")
            .withHelp("values of cells come from files: coef NAME : TYPE from \"FILE.npy\"");
    } else if (const std::optional<uint32_t> at = zeroByte(lexer, source)) {
        diagnostics.error({*at, *at + 1}, "this is no text: it has a zero byte").withHelp(remedyForNoText(source.text()));
        lexer.getInputStream()->seek(source.text().size());
    } else {
        return false;
    }
    return true;
}

std::string oneCharacterPerByte(const Source &source) {
    if (source.text().size() > kMostBytes) return "";
    std::string ascii(source.text());
    for (char &c : ascii)
        if (static_cast<unsigned char>(c) >= 0x7F) c = 0x7F;
    return ascii;
}

Tokens tokenize(StnLexer &lexer, const Source &source, Diagnostics &diagnostics, std::vector<Range> &comments) {
    Tokens tokens;
    std::set<std::string_view> tooLong;
    for (;;) {
        std::unique_ptr<antlr4::Token> token = lexer.nextToken();
        switch (token->getType()) {
        case StnLexer::COMMENT:
            comments.push_back(rangeOf(*token));
            continue;
        case StnLexer::OPEN_STRING:
        case StnLexer::BAD_NAME:
        case StnLexer::BAD_CHARACTER:
        case StnLexer::OPEN_COMMENT:
            reportBadToken(*token, source, diagnostics);
            break;
        default:
            checkLength(*token, source, tooLong, diagnostics);
            tokens.push_back(std::move(token));
            if (tokens.back()->getType() == antlr4::Token::EOF) return tokens;
            if (tokens.size() <= kMostWords) continue;
            diagnostics
                .error(rangeOf(*tokens.back()), "a program may have " + std::to_string(kMostWords) + " words and signs, and this has more")
                .withHelp("values of cells come from files: coef NAME : TYPE from \"FILE.npy\"");
            lexer.getInputStream()->seek(source.text().size());
            continue;
        }
        if (tooMany(diagnostics)) lexer.getInputStream()->seek(source.text().size());
        // Everything after an open comment is part of it.
        if (token->getType() == StnLexer::OPEN_COMMENT) {
            lexer.getInputStream()->seek(source.text().size());
            comments.push_back({rangeOf(*token).begin, static_cast<uint32_t>(source.text().size())});
        }
        // Something stands here, if not what was meant: it is an operand for the parser, which then says no
        // more.
        if (token->getType() == StnLexer::OPEN_STRING || token->getType() == StnLexer::BAD_NAME) {
            auto common =
                std::unique_ptr<antlr4::CommonToken>(static_cast<antlr4::CommonToken *>(token.release()));
            common->setType(common->getType() == StnLexer::BAD_NAME ? StnLexer::NAME : StnLexer::STRING);
            tokens.push_back(std::move(common));
        }
    }
}

} // namespace oocc
