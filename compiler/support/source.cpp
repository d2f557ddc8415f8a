#include "support/source.h"

#include <algorithm>

namespace oocc {

Source::Source(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {
    lineStarts_.push_back(0);
    for (size_t i = 0; i < text_.size(); ++i)
        if (text_[i] == '\n') lineStarts_.push_back(static_cast<uint32_t>(i + 1));
}

std::string_view Source::slice(Range range) const {
    const size_t begin = std::min<size_t>(range.begin, text_.size());
    const size_t end = std::clamp<size_t>(range.end, begin, text_.size());
    return std::string_view(text_).substr(begin, end - begin);
}

uint32_t Source::lineStart(uint32_t offset) const {
    return *std::prev(std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset));
}

std::string_view Source::lineAt(uint32_t offset) const {
    const uint32_t start = lineStart(offset);
    std::string_view line = std::string_view(text_).substr(start);
    line = line.substr(0, line.find('\n'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

Position Source::position(uint32_t offset) const {
    offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
    const auto next = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset);
    Position position;
    position.line = static_cast<uint32_t>(next - lineStarts_.begin());
    for (uint32_t i = *std::prev(next); i < offset; ++i)
        if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80) // not a continuation byte of UTF-8
            ++position.column;
    return position;
}

} // namespace oocc
