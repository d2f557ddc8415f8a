// A document's text as the protocol speaks of it: lines, and characters that are counted in UTF-16 or UTF-8 units.
#pragma once

#include "support/source.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace oocc::lsp {

using nlohmann::json;

enum class Encoding { Utf8, Utf16 };

class Text {
  public:
    Text(std::string text, Encoding encoding);

    const std::string &str() const { return text_; }
    /// Positions past the end of a line or of the text mean that end.
    uint32_t offset(const json &position) const;
    json position(uint32_t offset) const;
    json range(Range range) const;
    Range range(const json &range) const;
    /// Replaces a range.
    void replace(Range range, const std::string &by);
    size_t lines() const { return starts_.size(); }

  private:
    void findLines();
    /// The offset at which the line ends, without its line end.
    uint32_t endOf(size_t line) const;

    std::string text_;
    Encoding encoding_;
    std::vector<uint32_t> starts_; ///< of lines, which end in \n, \r\n or \r
};

} // namespace oocc::lsp
