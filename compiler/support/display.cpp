#include "support/display.h"

#include <cstdint>
#include <cstdio>

namespace oocc {

namespace {

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

struct Character {
    uint32_t code;
    size_t bytes; ///< 0: this is no UTF-8
};

/// The character that the text begins with. Overlong forms and surrogates are none.
Character first(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80) return {lead, 1};
    const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {0, 0};
    uint32_t code = lead & (0x7Fu >> bytes);
    for (size_t i = 1; i < bytes; ++i) {
        if (!continues(text[i])) return {0, 0};
        code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
    }
    constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    return code < kLeast[bytes] || code > 0x10FFFF || surrogate ? Character{0, 0} : Character{code, bytes};
}

/// Characters that are not seen themselves and change how what is around them is seen.
bool invisible(uint32_t code) {
    constexpr uint32_t kRanges[][2] = {
        {0x80, 0x9F},     {0xAD, 0xAD},     {0x34F, 0x34F},   {0x61C, 0x61C},
        {0x115F, 0x1160}, {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x200B, 0x200F},
        {0x2028, 0x202E}, {0x2060, 0x206F}, {0x3164, 0x3164}, {0xFE00, 0xFE0F},
        {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE0FFF}};
    for (const auto &[low, high] : kRanges)
        if (code >= low && code <= high) return true;
    return false;
}

} // namespace

std::string shown(std::string_view text, std::string_view kept) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const Character c = first(text.substr(at));
        char escaped[16];
        if (c.bytes == 0 ||
            ((c.code < 0x20 || c.code == 0x7F) && kept.find(text[at]) == std::string_view::npos))
            std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(text[at]));
        else if (invisible(c.code))
            std::snprintf(escaped, sizeof escaped, "<U+%04X>", static_cast<unsigned>(c.code));
        else
            escaped[0] = '\0';
        const size_t bytes = c.bytes == 0 ? 1 : c.bytes;
        out += escaped[0] ? std::string(escaped) : std::string(text.substr(at, bytes));
        at += bytes;
    }
    return out;
}

std::string shownShort(std::string_view text, std::string_view kept) {
    constexpr size_t kMost = 2000, kEnd = 200;
    if (text.size() <= kMost) return shown(text, kept);
    size_t head = kMost - kEnd, tail = text.size() - kEnd;
    while (head > 0 && continues(text[head])) // no character is cut in two
        --head;
    while (tail < text.size() && continues(text[tail]))
        ++tail;
    return shown(text.substr(0, head), kept) + " ... " + shown(text.substr(tail), kept);
}

} // namespace oocc
