#include "lsp/text.h"

#include <algorithm>

namespace oocc::lsp {

namespace {

bool continues(char c) {
    return (c & 0xC0) == 0x80;
}

/// How many units of UTF-16 the character has that begins with this byte: two beyond the first plane.
int unitsOf(char first) {
    return (first & 0xF8) == 0xF0 ? 2 : 1;
}

} // namespace

Text::Text(std::string text, Encoding encoding) : text_(std::move(text)), encoding_(encoding) {
    findLines();
}

void Text::findLines() {
    starts_ = {0};
    for (size_t i = 0; i < text_.size(); ++i) {
        const bool crlf = text_[i] == '\r' && i + 1 < text_.size() && text_[i + 1] == '\n';
        if (text_[i] == '\n' || (text_[i] == '\r' && !crlf)) starts_.push_back(static_cast<uint32_t>(i + 1));
    }
}

uint32_t Text::endOf(size_t line) const {
    uint32_t end = line + 1 < starts_.size() ? starts_[line + 1] : static_cast<uint32_t>(text_.size());
    while (end > starts_[line] && (text_[end - 1] == '\n' || text_[end - 1] == '\r'))
        --end;
    return end;
}

uint32_t Text::offset(const json &position) const {
    const auto line = position.at("line").get<uint64_t>();
    auto left = position.at("character").get<uint64_t>();
    if (line >= starts_.size()) return static_cast<uint32_t>(text_.size());
    uint32_t at = starts_[line];
    const uint32_t end = endOf(line);
    while (at < end && left > 0) {
        const uint64_t units = encoding_ == Encoding::Utf8 ? 1 : static_cast<uint64_t>(unitsOf(text_[at]));
        left -= std::min(left, units);
        ++at;
        if (encoding_ == Encoding::Utf16)
            while (at < end && continues(text_[at]))
                ++at;
    }
    while (at > starts_[line] && at < text_.size() && continues(text_[at])) // inside of a character: its begin
        --at;
    return at;
}

json Text::position(uint32_t offset) const {
    offset = std::min(offset, static_cast<uint32_t>(text_.size()));
    const auto next = std::ranges::upper_bound(starts_, offset);
    const auto line = static_cast<size_t>(next - starts_.begin()) - 1;
    offset = std::min(offset, std::max(endOf(line), starts_[line]));
    uint64_t character = 0;
    for (uint32_t i = starts_[line]; i < offset; ++i)
        if (encoding_ == Encoding::Utf8)
            ++character;
        else if (!continues(text_[i]))
            character += static_cast<uint64_t>(unitsOf(text_[i]));
    return {{"line", line}, {"character", character}};
}

json Text::range(Range range) const {
    if (range.begin == kNowhere.begin) range = {0, 0};
    return {{"start", position(range.begin)}, {"end", position(std::max(range.begin, range.end))}};
}

Range Text::range(const json &range) const {
    const uint32_t begin = offset(range.at("start")), end = offset(range.at("end"));
    return {std::min(begin, end), std::max(begin, end)};
}

void Text::replace(Range range, const std::string &by) {
    text_.replace(range.begin, range.end - range.begin, by);
    findLines();
}

} // namespace oocc::lsp
