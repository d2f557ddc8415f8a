#include "completion/help_text.h"

#include <cctype>
#include <sstream>
#include <string_view>

namespace oocc::completion {

namespace {

/// A list at the beginning of the text: at least two words, the last one after "or".
std::vector<std::string> listAt(std::string_view text) {
    std::vector<std::string> words;
    for (bool last = false;;) {
        size_t length = 0;
        while (length < text.size() &&
               (std::islower(static_cast<unsigned char>(text[length])) ||
                (length > 0 && std::isdigit(static_cast<unsigned char>(text[length])))))
            ++length;
        if (length == 0) return {};
        words.emplace_back(text.substr(0, length));
        text.remove_prefix(length);
        if (text.starts_with(" (")) { // a remark on this word
            const size_t end = text.find(')');
            if (end == std::string_view::npos) return {};
            text.remove_prefix(end + 1);
        }
        if (last) return text.empty() || text.find_first_of(".,;") == 0 ? words : std::vector<std::string>();
        last = text.starts_with(" or ");
        if (!last && !text.starts_with(", ")) return {};
        text.remove_prefix(last ? 4 : 2);
    }
}

/// "  -o,--output FILE ...  where to write", without the blanks before it.
Word readWord(const std::string &left, const std::string &text) {
    Word word;
    std::istringstream parts(left);
    std::string names;
    parts >> names >> word.argument;
    if (word.argument != "NAME=VALUE")
        word.argument = word.argument.substr(0, word.argument.find('=')); // a default
    std::istringstream list(names);
    for (std::string name; std::getline(list, name, ',');)
        word.names.push_back(name);
    word.text = text;
    if (!word.argument.empty()) word.values = valuesIn(text);
    return word;
}

} // namespace

std::vector<std::string> valuesIn(const std::string &text) {
    for (size_t at = 0;; at += 2) {
        std::vector<std::string> words = listAt(std::string_view(text).substr(at));
        if (!words.empty()) return words;
        at = text.find(": ", at);
        if (at == std::string::npos) return {};
    }
}

Help readHelp(const std::string &text) {
    constexpr const char *kFurther =
        "          "; // what is too long for one line goes on, further to the right
    std::vector<std::string> lines;
    std::istringstream input(text);
    for (std::string line; std::getline(input, line);)
        if (line.starts_with(kFurther) && !lines.empty())
            lines.back() += (lines.back().find("  ", 2) == std::string::npos ? "  " : " ") + line.substr(std::min(line.find_first_not_of(' '), line.size()));
        else
            lines.push_back(line);

    Help help;
    bool positionals = false;
    for (const std::string &line : lines) {
        const bool described = line.starts_with("  ") && line.size() > 2 && line[2] != ' ';
        if (!described) positionals = line == "Positionals:";
        if (!described || (line[2] != '-' && !positionals)) continue;
        const size_t gap = std::min(line.find("  ", 2), line.size());
        const std::string right = line.substr(std::min(line.find_first_not_of(' ', gap), line.size()));
        (positionals ? help.positionals : help.options).push_back(readWord(line.substr(2, gap - 2), right));
    }
    return help;
}

} // namespace oocc::completion
