// A program's text and positions in it. Positions are byte offsets; lines and columns are worked out only
// when printed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace oocc {

/// Bytes [begin, end) of the source text.
struct Range {
    uint32_t begin = 0;
    uint32_t end = 0;
};

/// The range of what has no place in the text, such as an option of the command line.
constexpr Range kNowhere{UINT32_MAX, UINT32_MAX};

/// One line and column, both counted from 1; the column counts characters (UTF-8 code points), as editors do.
struct Position {
    uint32_t line = 1;
    uint32_t column = 1;
};

/// The text of one file, kept for as long as diagnostics may point into it; less than 4 GiB.
class Source {
  public:
    Source(std::string path, std::string text);

    const std::string &path() const { return path_; }
    std::string_view text() const { return text_; }
    std::string_view slice(Range range) const;
    Position position(uint32_t offset) const;
    /// The line that holds `offset`, without its line end.
    std::string_view lineAt(uint32_t offset) const;
    /// The offset at which the line that holds `offset` starts.
    uint32_t lineStart(uint32_t offset) const;

  private:
    std::string path_;
    std::string text_;
    std::vector<uint32_t> lineStarts_;
};

} // namespace oocc
