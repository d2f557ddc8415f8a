#include "emit/writer.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace oocc {

namespace {

constexpr size_t kWidth = 110;

/// Where a line may be folded: at blanks outside string literals, each with how closely it binds what it would part: by the
/// brackets around it, then by the operator before it.
struct Fold {
    size_t at;
    int binds;
};

/// The operators after which a line may be folded, from loose to close; those of a group are alike. Comparisons end like an
/// assignment, which is looser.
constexpr int kGroups = 8;
int bindingOf(const std::string &text, size_t at) {
    static const char *const groups[kGroups] = {";", ",", "=", "?:", "|&", "<>", "+-", "*/%"};
    const bool compares = text[at] == '=' && at > 0 && std::string("=<>!").find(text[at - 1]) != std::string::npos;
    const char op = compares ? '<' : text[at];
    for (int group = 0; group < kGroups; ++group)
        if (std::string(groups[group]).find(op) != std::string::npos) return group;
    return -1;
}

std::vector<Fold> foldsOf(const std::string &text) {
    std::vector<Fold> folds;
    bool quoted = false;
    int depth = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
        if (quoted) continue;
        depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
        // Types stay with their names: in a list, only the blanks after commas and operators are good places.
        const int binding = c == ' ' && i > 0 ? bindingOf(text, i - 1) : -1;
        if (binding >= 0) folds.push_back({i, depth * kGroups + binding});
    }
    return folds;
}

/// The best place to end a line that begins at `start`: the loosest of the last half, or else the last that fits, or the first that
/// does not.
size_t foldAt(const std::vector<Fold> &folds, size_t start, size_t room) {
    const Fold *best = nullptr;
    for (const Fold &fold : folds) {
        if (fold.at <= start) continue;
        if (fold.at > start + room) return best ? best->at : fold.at;
        if (!best || fold.at < start + room / 2 || fold.binds <= best->binds ||
            best->at < start + room / 2)
            best = &fold;
    }
    return best ? best->at : std::string::npos;
}

std::vector<std::string> words(const std::string &text) {
    std::vector<std::string> list(1);
    for (char c : text) {
        if (c == ' ')
            list.emplace_back();
        else
            list.back() += c;
    }
    return list;
}

} // namespace

void CWriter::raw(const std::string &text) {
    text_ += text.empty() ? "\n" : margin() + text + "\n";
}
void CWriter::blank() {
    if (text_.size() >= 2 && text_.compare(text_.size() - 2, 2, "\n\n") != 0) text_ += "\n";
}

void CWriter::line(const std::string &text) {
    const std::vector<Fold> folds = foldsOf(text);
    std::string indent = margin();
    size_t start = 0;
    while (text.size() - start + indent.size() > kWidth) {
        const size_t end = foldAt(folds, start, kWidth - indent.size());
        if (end == std::string::npos) break;
        text_ += indent + text.substr(start, end - start) + "\n";
        start = end + 1;
        indent = margin() + std::string(8, ' ');
    }
    text_ += indent + text.substr(start) + "\n";
}

void CWriter::open(const std::string &heading) {
    line(heading.empty() ? "{" : heading + " {");
    ++depth_;
}

void CWriter::openBody(const std::string &heading) {
    line(heading);
    raw("{");
    ++depth_;
}

void CWriter::close(const std::string &tail) {
    --depth_;
    raw(tail);
}

void CWriter::pragma(const std::string &text) {
    raw("#pragma " + text);
}

void CWriter::comment(const std::string &text) {
    const std::string safe = commentText(text);
    if (safe.find('\n') == std::string::npos && safe.size() + margin().size() + 6 <= kWidth) {
        raw("/* " + safe + " */");
        return;
    }
    raw("/*");
    size_t start = 0;
    while (start <= safe.size()) {
        const size_t end = std::min(safe.find('\n', start), safe.size());
        commentLine(safe.substr(start, end - start));
        start = end + 1;
    }
    raw(" */");
}

/// One paragraph of a block comment; one that is indented, as formulas are, goes on a little further in.
void CWriter::commentLine(const std::string &text) {
    const size_t indent = std::min(text.find_first_not_of(' '), text.size());
    std::string current = std::string(indent, ' ');
    bool empty = true;
    for (const std::string &word : words(text.substr(indent))) {
        if (!empty && margin().size() + 3 + current.size() + 1 + word.size() > kWidth) {
            raw(" * " + current);
            current = std::string(indent ? indent + 4 : 0, ' ') + word;
        } else {
            current += (empty ? "" : " ") + word;
        }
        empty = false;
    }
    raw(text.empty() ? " *" : " * " + current);
}

std::string quoteC(const std::string &bytes) {
    std::string out = "\"";
    for (unsigned char c : bytes) {
        const bool plain =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
            (c != 0 && std::string(" _-./:,+()[]{}=*<>").find(static_cast<char>(c)) != std::string::npos);
        if (plain) {
            out += static_cast<char>(c);
        } else {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\%03o", c);
            out += escaped;
        }
    }
    return out + "\"";
}

std::string commentText(const std::string &text) {
    std::string out;
    for (unsigned char c : text) {
        if ((c < 32 && c != '\n') || c > 126 || c == '\\' || c == '?')
            out += '_';
        else if (!out.empty() && ((c == '/' && out.back() == '*') || (c == '*' && out.back() == '/')))
            (out += ' ') += static_cast<char>(c);
        else
            out += static_cast<char>(c);
    }
    return out;
}

} // namespace oocc
