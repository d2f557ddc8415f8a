// Read by hand and not by a compiler's lexer: what a lexer has already understood (a spliced line, a trigraph) is what must not be
// there at all. The emitter's C is simple enough that its words can be told apart in a page.
#include "rules.h"

#include <algorithm>
#include <cctype>

namespace audit {

namespace {

bool isWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

class Reader {
  public:
    Reader(std::string_view text, const Vocabulary &vocabulary, Findings *findings)
        : text_(text), vocabulary_(vocabulary), findings_(findings) {}

    std::vector<std::string> read() {
        bytes();
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (text_.substr(at_, 2) == "/*")
                comment();
            else if (c == '"')
                literal();
            else if (c == '#')
                directive();
            else if (isWord(c))
                word();
            else {
                if (std::string_view(" \n()[]{}<>=+-*/%&|!?:;,.").find(c) == std::string_view::npos ||
                    text_.substr(at_, 2) == "//" || text_.substr(at_, 2) == "##")
                    find(at_, "token", "the emitter has no '" + std::string(1, c) + "'");
                depth_ += c == '{' ? 1 : c == '}' ? -1 : 0;
                if (c == '}' && depth_ == 0) identifiers_.emplace_back("}");
                ++at_;
            }
        }
        return std::move(identifiers_);
    }

  private:
    void find(size_t at, const char *rule, std::string what) {
        if (!findings_) return;
        const auto before = text_.substr(0, at);
        const auto line = static_cast<unsigned>(std::count(before.begin(), before.end(), '\n') + 1);
        const size_t start = before.rfind('\n') + 1; // npos + 1 is 0
        findings_->insert({line, static_cast<unsigned>(at - start + 1), rule, std::move(what)});
    }

    void bytes() {
        for (size_t i = 0; i < text_.size(); ++i)
            if (text_[i] != '\n' && (text_[i] < 32 || text_[i] > 126))
                find(i, "bytes",
                     "byte " + std::to_string(static_cast<unsigned char>(text_[i])) +
                         " is not printable ASCII");
        for (size_t i = text_.find("??"); i != std::string_view::npos; i = text_.find("??", i + 1))
            find(i, "trigraph", "two question marks begin a trigraph");
        for (size_t i = text_.find("\\\n"); i != std::string_view::npos; i = text_.find("\\\n", i + 1))
            find(i, "splice", "a backslash joins this line with the next");
    }

    void comment() {
        const size_t end = std::min(text_.find("*/", at_ + 2), text_.size() - 2);
        const std::string_view inside = text_.substr(at_ + 2, end - at_ - 2);
        if (text_.substr(end).substr(0, 2) != "*/") find(at_, "comment", "it is not closed");
        for (const char *bad : {"/*", "\\", "?"})
            if (const size_t i = inside.find(bad); i != std::string_view::npos)
                find(at_ + 2 + i, "comment", std::string("it holds '") + bad + "'");
        at_ = end + 2;
    }

    /// Plain characters and octal escapes of three digits, which nothing that follows can make longer.
    void literal() {
        const size_t start = at_++;
        for (; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_) {
            if (text_[at_] == '?') find(at_, "literal", "a question mark stands for itself");
            if (text_[at_] != '\\') continue;
            const auto digits = text_.substr(at_ + 1, 3);
            const bool octal =
                digits.size() == 3 && digits.find_first_not_of("01234567") == std::string_view::npos;
            if (!octal) find(at_, "literal", "an escape is not three octal digits");
            at_ += octal ? 3 : 1;
        }
        if (at_ >= text_.size() || text_[at_] != '"') find(start, "literal", "it is not closed on its line");
        if (start > 0 && isWord(text_[start - 1])) find(start, "literal", "it has a prefix");
        ++at_;
    }

    /// A line of its own, from its first column on or indented; the preprocessor's audit says whether it is allowed.
    void directive() {
        const size_t start = text_.rfind('\n', at_) + 1;
        if (text_.substr(start, at_ - start).find_first_not_of(' ') != std::string_view::npos)
            find(at_, "directive", "'#' stands inside a line");
        const size_t end = std::min(text_.find('\n', at_), text_.size());
        const std::string_view line = text_.substr(at_, end - at_);
        if (!line.starts_with("#include <") && !line.starts_with("#pragma "))
            find(at_, "directive",
                 "'" + std::string(line.substr(0, line.find(' '))) + "' is none of the emitter's");
        if (line.starts_with("#pragma ") && !vocabulary_.mayPragma(line.substr(8)))
            find(at_, "pragma", "'" + std::string(line) + "' is none of the emitter's");
        at_ = end;
    }

    void word() {
        const size_t start = at_;
        if (std::isdigit(static_cast<unsigned char>(text_[at_]))) {
            number();
            return;
        }
        while (at_ < text_.size() && isWord(text_[at_]))
            ++at_;
        const std::string name(text_.substr(start, at_ - start));
        if (vocabulary_.has("keywords", name)) return;
        if (!vocabulary_.mayName(name))
            find(start, "name", "'" + name + "' is neither the emitter's nor behind a prefix of its own");
        identifiers_.push_back(name);
    }

    /// Decimal, with a point, an exponent and an f.
    void number() {
        const size_t start = at_;
        while (at_ < text_.size() && (isWord(text_[at_]) || text_[at_] == '.' ||
                                      ((text_[at_] == '-' || text_[at_] == '+') && text_[at_ - 1] == 'e')))
            ++at_;
        const std::string_view digits = text_.substr(start, at_ - start);
        if (digits.find_first_not_of("0123456789.e+-f") != std::string_view::npos ||
            (digits.size() > 1 && digits[0] == '0' && digits.find_first_of(".e") == std::string_view::npos))
            find(start, "number", "'" + std::string(digits) + "' is not how the emitter writes numbers");
    }

    std::string_view text_;
    const Vocabulary &vocabulary_;
    Findings *findings_;
    size_t at_ = 0;
    int depth_ = 0;
    std::vector<std::string> identifiers_;
};

} // namespace

void auditTokens(std::string_view text, const Vocabulary &vocabulary, Findings &findings) {
    Reader(text, vocabulary, &findings).read();
}

std::vector<std::string> identifiersOf(std::string_view text, const Vocabulary &vocabulary) {
    return Reader(text, vocabulary, nullptr).read();
}

} // namespace audit
