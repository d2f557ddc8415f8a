// What programs and command lines hold, as a terminal may be given it: a control character there is an order, a
// bidirectional mark turns the rest of the line around, and neither is what a message is about.
#pragma once

#include <string>
#include <string_view>

namespace oocc {

/// The text with control characters and bytes that are no UTF-8 as \x1b, and invisible characters (bidirectional marks,
/// characters of no width) as <U+202E>. Control characters in `kept` stay.
std::string shown(std::string_view text, std::string_view kept = "");

/// The same, cut in the middle when it is longer than a message should be.
std::string shownShort(std::string_view text, std::string_view kept = "");

} // namespace oocc
