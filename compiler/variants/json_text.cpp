#include "variants/json_text.h"

#include "support/json_depth.h"

namespace oocc::variants {

namespace {

/// Goes through a text that is known to be JSON and notes where every value stands.
class Walker {
  public:
    Walker(std::string_view text, std::map<std::string, Range> &ranges, Diagnostics &diagnostics)
        : text_(text), ranges_(ranges), diagnostics_(diagnostics) {}

    void value(const std::string &place) {
        space();
        const size_t begin = at_;
        const char first = text_[at_];
        if (first == '{' || first == '[') {
            note(place, begin, begin + 1);
            members(place, first == '{');
        } else if (first == '"') {
            string();
            note(place, begin, at_);
        } else {
            at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
            note(place, begin, at_);
        }
    }

  private:
    void note(const std::string &place, size_t begin, size_t end) {
        ranges_.insert({place, {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}});
    }

    void space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

    /// The string's own text, quotes and escapes and all.
    std::string_view string() {
        const size_t begin = at_++;
        while (text_[at_] != '"')
            at_ += text_[at_] == '\\' ? 2 : 1;
        return text_.substr(begin, ++at_ - begin);
    }

    void members(const std::string &place, bool object) {
        ++at_;
        for (size_t index = 0;; ++index) {
            space();
            if (text_[at_] == ']' || text_[at_] == '}') break;
            if (text_[at_] == ',') ++at_;
            space();
            std::string name = std::to_string(index);
            if (object) {
                const size_t begin = at_;
                name = Json::parse(string()).get<std::string>();
                const Range range{static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)};
                const auto [other, isNew] = ranges_.insert({place + "/" + name + "\n", range}); // the name itself
                if (!isNew) {
                    diagnostics_.error(range, "'" + name + "' is given twice").note(other->second, "given here first");
                    name += "\nagain"; // what is in it is no repetition
                }
                space();
                ++at_; // the colon
            }
            value(place + "/" + name);
        }
        ++at_;
    }

    std::string_view text_;
    std::map<std::string, Range> &ranges_;
    Diagnostics &diagnostics_;
    size_t at_ = 0;
};

/// The library's own sentence, without its number and without the position, which stands before the message anyway.
std::string reason(const std::string &what) {
    const size_t colon = what.find(": ");
    const size_t detail = what.find("syntax error");
    return detail != std::string::npos  ? what.substr(detail)
           : colon != std::string::npos ? what.substr(colon + 2)
                                        : what;
}

constexpr size_t kLine = 150;

std::string printed(const Json &json, const std::string &indent);

/// Members one after the other, with `before` in front of each and `after` behind the last.
std::string members(const Json &json, const std::string &before, const std::string &indent, const std::string &after) {
    std::string text;
    for (const auto &[name, value] : json.items())
        text += (text.empty() ? "" : "," + std::string(before.empty() ? " " : "")) + before +
                (json.is_object() ? Json(name).dump() + ": " : "") + printed(value, indent);
    return (json.is_object() ? '{' : '[') + text + after + (json.is_object() ? '}' : ']');
}

std::string printed(const Json &json, const std::string &indent) {
    if (!json.is_structured() || json.empty()) return json.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string line = members(json, "", "", "");
    if (line.size() + indent.size() <= kLine && line.find('\n') == std::string::npos) return line;
    return members(json, '\n' + indent + "  ", indent + "  ", '\n' + indent);
}

} // namespace

std::string pretty(const Json &json) {
    return printed(json, "") + '\n';
}

std::optional<JsonText> JsonText::parse(const Source &source, Diagnostics &diagnostics) {
    JsonText json;
    json.text_ = source.text();
    if (const auto deep = tooDeepJson(json.text_)) {
        const auto at = static_cast<uint32_t>(*deep);
        diagnostics.error({at, at + 1}, "this is nested deeper than " + std::to_string(kMostJsonDepth) + " brackets, which no space is");
        return std::nullopt;
    }
    try {
        json.root_ = Json::parse(json.text_);
    } catch (const Json::parse_error &error) {
        const uint32_t size = static_cast<uint32_t>(json.text_.size());
        const uint32_t at = std::min<uint32_t>(error.byte == 0 ? 0 : static_cast<uint32_t>(error.byte) - 1, size);
        diagnostics.error({at, std::min(at + 1, size)}, "this is not JSON: " + reason(error.what()));
        return std::nullopt;
    } catch (const Json::out_of_range &error) { // of a number, which the message has in quotes
        const std::string what = error.what();
        const size_t first = what.find('\''), last = what.rfind('\'');
        const std::string number = first < last ? what.substr(first + 1, last - first - 1) : "";
        const size_t at = std::min(json.text_.find(number), json.text_.size());
        diagnostics.error({static_cast<uint32_t>(at), static_cast<uint32_t>(std::min(at + number.size(), json.text_.size()))},
                          "this number is too large: " + number);
        return std::nullopt;
    }
    Walker(json.text_, json.ranges_, diagnostics).value("");
    if (diagnostics.hasErrors()) return std::nullopt;
    return json;
}

Range JsonText::range(const std::string &place) const {
    for (std::string around = place;; around.resize(around.rfind('/'))) {
        if (const auto found = ranges_.find(around); found != ranges_.end()) return found->second;
        if (around.empty()) return {0, 0};
    }
}

Range JsonText::range(const std::string &place, size_t begin, size_t end) const {
    const Range whole = range(place);
    const std::string_view text = std::string_view(text_).substr(whole.begin, whole.end - whole.begin);
    if (text.find('\\') != std::string_view::npos) return whole;
    return {whole.begin + 1 + static_cast<uint32_t>(begin), whole.begin + 1 + static_cast<uint32_t>(end)};
}

} // namespace oocc::variants
