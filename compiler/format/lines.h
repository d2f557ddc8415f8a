// Private to format/: the lines of a program before what stands below each other is aligned.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace oocc {

struct Line {
    enum class Kind {
        Code,
        Brace,    ///< ends in { or is }
        Comment,  ///< a line of its own
        Continued ///< a comment below one that stands behind code, in the same column
    };
    Kind kind = Kind::Code;
    bool blankBefore = false;
    int indent = 0;
    /// Code that is aligned with the lines around it where they are of the same class: cells[1], cells[2], ... begin
    /// in one column each.
    std::string alignment;          ///< the class; empty: none
    std::vector<std::string> cells; ///< a single one may have several lines, and then begins with its indentation
    std::string comment;            ///< behind the code
};

/// The text.
std::string aligned(const std::vector<Line> &lines);

} // namespace oocc
