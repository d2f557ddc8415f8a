#include "lsp/context.h"

#include "lsp/lore.h"

#include <algorithm>
#include <set>

namespace oocc::lsp {

const std::string &Context::previous(size_t back) const {
    static const std::string none;
    return words.size() < back ? none : words[words.size() - back];
}

bool Context::has(const std::string &word) const {
    return std::ranges::find(words, word) != words.end();
}

bool Context::wantsOperand() const {
    static const std::set<std::string> before{"=",  "+=", "(",  "[",  ",",    "+",    "-",     "*",     "/",    "%",  "^",
                                              "==", "!=", "<",  "<=", ">",    ">=",   "and",   "or",    "not",  "if", "then",
                                              "else", "where", "every", "when", "in", "steps", "spacing", "dirichlet", ":"};
    return before.contains(previous());
}

namespace {

class Reader {
  public:
    explicit Reader(const Known &known) : known_(known) {}

    void take(const Word &word) {
        const std::string text(known_.source.slice(word.range));
        if (begins(word, text)) {
            out = {};
            out.keyword = text;
        }
        const bool fresh = out.words.empty() && out.keyword.empty();
        if (fresh && out.block.empty()) out.keyword = text;
        if (text == "(" || text == "[" || text == "{") {
            const bool block = text == "{" && out.brackets.empty() && (out.keyword == "step" || out.keyword == "boundary");
            if (block) return open(text);
            out.brackets.push_back({text[0], out.previous(), word.range.begin});
        } else if (text == ")" || text == "]" || text == "}") {
            if (text == "}" && !out.block.empty() && out.brackets.empty()) {
                out = {};
                return;
            }
            if (!out.brackets.empty()) out.brackets.pop_back();
        } else if (text == ";") {
            const std::string block = out.block;
            out = {};
            out.block = block;
            return;
        } else if (text == "," && !out.brackets.empty()) {
            ++out.brackets.back().commas;
        }
        endSums(text);
        names(text);
        out.openIfs += text == "if";
        if (text == "then") {
            --out.openIfs;
            ++out.openThens;
        }
        out.openThens -= text == "else";
        out.words.push_back(text);
        last_ = word.range.end;
    }

    Context out;

  private:
    /// A statement's keyword that is the first word of its line, as the parser has it.
    bool begins(const Word &word, const std::string &text) const {
        if (word.kind != Word::Kind::Keyword || !loreOf(text, Lore::Kind::Statement)) return false;
        const bool newLine = known_.source.slice({last_, word.range.begin}).find('\n') != std::string_view::npos;
        return newLine && !out.words.empty() && !out.wantsOperand();
    }

    void open(const std::string &) {
        const std::string block = out.keyword;
        out = {};
        out.block = block;
    }

    void names(const std::string &text) {
        const bool declares = out.keyword == "fn" && !out.has("=") && out.brackets.size() == 1;
        if (declares && text != "," && text != "(" && text != ")") out.parameters.push_back(text);
        if (text == "in" && !out.brackets.empty() && out.previous(2) == "(")
            out.offsets.push_back({out.previous(), out.brackets.size() - 1});
    }

    /// A sum over a shape takes in one product, and no more than the brackets around it.
    void endSums(const std::string &text) {
        static const std::set<std::string> ends{"+", "-", ",", "<", "<=", ">", ">=", "==", "!=", "and", "or", "then", "else", "where"};
        const size_t depth = out.brackets.size();
        const bool after = ends.contains(text) && !out.wantsOperand();
        std::erase_if(out.offsets, [&](const Context::Offset &o) { return depth < o.depth || (after && depth == o.depth); });
    }

    const Known &known_;
    uint32_t last_ = 0;
};

} // namespace

Context contextAt(const Known &known, uint32_t offset) {
    Reader reader(known);
    Range prefix{offset, offset};
    for (const Word &word : known.words) {
        if (word.kind == Word::Kind::End || word.range.begin >= offset) break;
        const std::string_view text = known.source.slice(word.range);
        const bool inside = offset < word.range.end;
        const bool line = text.starts_with("//") && offset == word.range.end;
        const bool openString = word.kind == Word::Kind::String && (text.size() < 2 || !text.ends_with('"'));
        if ((word.kind == Word::Kind::Comment && (inside || line)) || (word.kind == Word::Kind::String && (inside || openString))) {
            reader.out.silent = true;
            break;
        }
        if (word.kind == Word::Kind::Comment) continue;
        if (word.kind == Word::Kind::Number && offset <= word.range.end) {
            reader.out.silent = true; // a number has no names in it
            break;
        }
        const bool name = word.kind == Word::Kind::Name || word.kind == Word::Kind::Keyword;
        if (name && offset <= word.range.end) {
            prefix = word.range;
            break;
        }
        reader.take(word);
    }
    reader.out.prefix = prefix;
    return std::move(reader.out);
}

} // namespace oocc::lsp
