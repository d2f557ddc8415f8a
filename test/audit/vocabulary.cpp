#include "vocabulary.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Regex.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace audit {

namespace {

std::string alternatives(const std::set<std::string, std::less<>> &patterns) {
    std::string all;
    for (const std::string &pattern : patterns)
        all += (all.empty() ? "" : "|") + pattern;
    return "(" + all + ")";
}

} // namespace

Vocabulary::Vocabulary(const std::string &path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read '" + path + "'");
    std::string heading;
    bool whole = false; // a line is one entry: patterns hold blanks
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        if (line.front() == '[' && line.back() == ']') {
            heading = line.substr(1, line.find(']') - 1);
            whole =
                heading == "pragmas" || heading == "prefixes" || heading == "includes" || heading == "made";
            lists_[heading];
            continue;
        }
        std::istringstream words(line);
        if (whole)
            lists_[heading].insert(line);
        else
            for (std::string word; words >> word;)
                lists_[heading].insert(word);
    }
    for (const char *needed : {"keywords", "includes", "pragmas", "macros", "attributes", "library", "texts", "names",
                               "made", "prefixes", "nodes"})
        if (lists_[needed].empty()) throw std::runtime_error("'" + path + "' has no list [" + needed + "]");
    prefixes_ = alternatives(lists_["prefixes"]);
    named_ = std::make_unique<llvm::Regex>("^(" + alternatives(lists_["made"]) + "|" + prefixes_ +
                                           "[A-Za-z_][A-Za-z0-9_]*)$");
    pragma_ = std::make_unique<llvm::Regex>("^" + alternatives(lists_["pragmas"]) + "$");
    std::string error;
    for (const llvm::Regex *regex : {named_.get(), pragma_.get()})
        if (!regex->isValid(error)) throw std::runtime_error("'" + path + "': " + error);
}

Vocabulary::~Vocabulary() = default;

bool Vocabulary::has(const std::string &heading, std::string_view word) const {
    return lists_.at(heading).count(word) > 0;
}

bool Vocabulary::mayName(std::string_view identifier) const {
    for (const char *list : {"names", "macros", "library"})
        if (has(list, identifier)) return true;
    return named_->match({identifier.data(), identifier.size()});
}

bool Vocabulary::mayPragma(std::string_view text) const {
    return pragma_->match({text.data(), text.size()});
}

} // namespace audit
