#include "emit/writer.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace oocc {

namespace {

constexpr size_t kWidth = 110;

/// Splits at blanks that are not inside string literals.
std::vector<std::string> words(const std::string &text) {
    std::vector<std::string> list(1);
    bool quoted = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"' && (i == 0 || text[i - 1] != '\\'))
            quoted = !quoted;
        if (c == ' ' && !quoted)
            list.emplace_back();
        else
            list.back() += c;
    }
    return list;
}

} // namespace

void CWriter::raw(const std::string &text) { text_ += text.empty() ? "\n" : margin() + text + "\n"; }
void CWriter::blank() {
    if (text_.size() >= 2 && text_.compare(text_.size() - 2, 2, "\n\n") != 0)
        text_ += "\n";
}

void CWriter::line(const std::string &text) {
    std::string current = margin();
    const std::string continued = margin() + "    ";
    bool first = true;
    for (const std::string &word : words(text)) {
        if (!first && current.size() + 1 + word.size() > kWidth) {
            text_ += current + "\n";
            current = continued + word;
        } else {
            current += (first ? "" : " ") + word;
        }
        first = false;
    }
    text_ += current + "\n";
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

void CWriter::pragma(const std::string &text) { raw("#pragma " + text); }

void CWriter::comment(const std::string &text) {
    const std::string safe = commentText(text);
    if (safe.find('\n') == std::string::npos && safe.size() + margin().size() + 6 <= kWidth) {
        raw("/* " + safe + " */");
        return;
    }
    raw("/*");
    std::string current;
    const auto flush = [&] {
        raw(current.empty() ? " *" : " * " + current);
        current.clear();
    };
    size_t start = 0;
    while (start <= safe.size()) {
        const size_t end = std::min(safe.find('\n', start), safe.size());
        std::string indent;
        for (size_t i = start; i < end && safe[i] == ' '; ++i)
            indent += ' ';
        for (const std::string &word : words(safe.substr(start, end - start))) {
            if (current.size() > indent.size() && current.size() + 1 + word.size() + margin().size() + 3 > kWidth) {
                flush();
                current = indent + "    " + word;
            } else {
                current += (current.empty() || current.find_first_not_of(' ') == std::string::npos ? "" : " ") + word;
                if (word.empty())
                    current += ' ';
            }
        }
        flush();
        start = end + 1;
    }
    raw(" */");
}

std::string quoteC(const std::string &bytes) {
    std::string out = "\"";
    for (unsigned char c : bytes) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
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
