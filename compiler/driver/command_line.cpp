#include "driver/command_line.h"

#include "driver/files.h"
#include "support/display.h"
#include "support/spelling.h"

#include <algorithm>
#include <iostream>

namespace oocc {

std::string didYouMean(const std::string &word, const std::vector<std::string> &candidates) {
    const auto near = closest(word, candidates);
    return near ? "; did you mean '" + *near + "'?" : "";
}

std::optional<std::string> noneOf(const std::string &option, const std::string &word,
                                  const std::vector<std::string> &words) {
    std::string list;
    for (const std::string &candidate : words) {
        if (word == candidate) return std::nullopt;
        list += (list.empty() ? "" : ", ") + candidate;
    }
    const std::string hint = didYouMean(word, words);
    return option + " cannot be '" + word + "'" + (hint.empty() ? "; it is one of " + list : hint);
}

std::optional<std::string> extraWord(const CLI::App &app, const std::string &help, const std::string &others) {
    const std::vector<std::string> extras = app.remaining();
    if (extras.empty()) return std::nullopt;
    const std::string &first = extras.front();
    if (!first.starts_with('-'))
        return "'" + first + "' is one word too many; '" + help + "' says what is taken";
    std::vector<std::string> names;
    for (const CLI::Option *option : app.get_options())
        for (const std::string &name : option->get_lnames())
            names.push_back("--" + name);
    const std::string word = first.substr(0, first.find('='));
    const std::string hint = didYouMean(word, names);
    return "unknown option '" + word + "'" + (hint.empty() ? "; '" + help + "' lists them" + others : hint);
}

std::optional<int> parseCommandLine(CLI::App &app, int argc, const char *const *argv) {
    app.set_help_flag("-h,--help", "print this and exit");
    app.allow_extras();
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    std::reverse(words.begin(), words.end()); // as CLI11 wants them
    try {
        app.parse(words);
    } catch (const CLI::CallForHelp &) {
        std::cout << app.help();
        return 0;
    } catch (const CLI::ParseError &error) {
        return usageError(error.what());
    }
    if (const auto extra = extraWord(app, app.get_name() + " --help")) return usageError(*extra);
    return std::nullopt;
}

int usageError(const std::string &message) {
    std::cerr << "oocc: " << shownShort(message) << '\n';
    return kUsage;
}

} // namespace oocc
