#include "support/json_depth.h"

namespace oocc {

std::optional<size_t> tooDeepJson(std::string_view text) {
    size_t depth = 0;
    bool inString = false;
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (inString && c == '\\')
            ++at;
        else if (c == '"')
            inString = !inString;
        else if (!inString && (c == '[' || c == '{') && ++depth > kMostJsonDepth)
            return at;
        else if (!inString && (c == ']' || c == '}') && depth > 0)
            --depth;
    }
    return std::nullopt;
}

} // namespace oocc
