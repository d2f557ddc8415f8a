// A JSON document that knows where its values stand in the text, so that what is wrong with one can be said there.
#pragma once

#include "support/diagnostics.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>

namespace oocc::variants {

using Json = nlohmann::ordered_json;

/// For people to read: what fits a line is on one.
std::string pretty(const Json &json);

class JsonText {
  public:
    /// Reports a syntax error, or a name that an object has twice, and gives nothing.
    static std::optional<JsonText> parse(const Source &source, Diagnostics &diagnostics);

    const Json &root() const { return root_; }

    /// Where the value at a place is, such as "/knobs/0/name"; for an object or array, its bracket. A place that the text has
    /// not stands for the closest one around it.
    Range range(const std::string &place) const;

    /// Bytes [begin, end) of the string at a place, counted as its value is read; all of it when it has escapes.
    Range range(const std::string &place, size_t begin, size_t end) const;

  private:
    Json root_;
    std::map<std::string, Range> ranges_;
    std::string text_;
};

} // namespace oocc::variants
