// The vocabulary of the C printer: indented lines, braced blocks, comments. Long lines are folded at blanks, which C
// allows anywhere between tokens.
#pragma once

#include <string>

namespace oocc {

class CWriter {
  public:
    void line(const std::string &text); ///< one statement or heading, folded when too long
    void raw(const std::string &text);  ///< as it is, indented
    void blank();
    void open(const std::string &heading);     ///< "for (...)" -> "for (...) {"
    void openBody(const std::string &heading); ///< a function's head, with the brace on a line of its own
    void close(const std::string &tail = "}");
    void reopen() { ++depth_; } ///< after close("} else {")
    void indent(int by) { depth_ += by; }
    void pragma(const std::string &text);  ///< never folded
    void comment(const std::string &text); ///< one line or a block, by length

    const std::string &text() const { return text_; }

  private:
    void commentLine(const std::string &text);
    std::string margin() const { return std::string(static_cast<size_t>(depth_) * 4, ' '); }
    std::string text_;
    int depth_ = 0;
};

/// A C string literal that holds exactly these bytes: everything but plain characters as octal escapes.
std::string quoteC(const std::string &bytes);

/// Text made safe to stand inside a C comment.
std::string commentText(const std::string &text);

} // namespace oocc
