#include "support/spelling.h"

#include <algorithm>

namespace oocc {

namespace {

/// Optimal string alignment: Levenshtein's distance in which swapping two neighbours is one edit too.
size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i)
        d[i][0] = i;
    for (size_t j = 0; j <= b.size(); ++j)
        d[0][j] = j;
    for (size_t i = 1; i <= a.size(); ++i)
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t replace = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replace});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

} // namespace

std::optional<std::string> closest(std::string_view word, const std::vector<std::string> &candidates) {
    constexpr size_t kLongestWord = 64; // beyond it nobody misspells, and the table is quadratic
    if (word.size() > kLongestWord) return std::nullopt;
    std::optional<std::string> best;
    size_t bestDistance = std::max<size_t>(word.size(), 3) / 3 + 1;
    for (const std::string &candidate : candidates) {
        // One edit turns any one-letter name into any other: such a guess helps nobody.
        if (candidate.size() > kLongestWord || (candidate.size() < 2 && word.size() < 2)) continue;
        const size_t longer = std::max(candidate.size(), word.size()), shorter = std::min(candidate.size(), word.size());
        if (longer - shorter >= bestDistance) continue;
        const size_t distance = editDistance(word, candidate);
        if (distance < bestDistance && distance < candidate.size()) {
            best = candidate;
            bestDistance = distance;
        }
    }
    return best;
}

std::string joined(const std::vector<std::string> &words) {
    std::string out;
    for (const std::string &word : words)
        out += (out.empty() ? "" : ", ") + word;
    return out;
}

} // namespace oocc
