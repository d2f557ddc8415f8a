// Myers' algorithm, O(ND). Where the texts differ in more than kMostEdits lines, all between the first and the last is one
// change.
#include "support/diff.h"

#include <algorithm>

namespace oocc {

namespace {

constexpr int kMostEdits = 2000;
using Lines = std::vector<std::string_view>;

/// The pairs (line of from, line of to) that stay, in order, of the parts from `head` on without the `tail` last ones.
bool common(const Lines &from, const Lines &to, size_t head, size_t tail, std::vector<std::pair<size_t, size_t>> &kept) {
    const auto n = static_cast<int>(from.size() - head - tail), m = static_cast<int>(to.size() - head - tail);
    const auto same = [&](int x, int y) {
        return from[head + static_cast<size_t>(x)] == to[head + static_cast<size_t>(y)];
    };
    const int most = std::min(n + m, kMostEdits);
    std::vector<std::vector<int>> furthest; // x by diagonal -d..d, after d edits
    for (int d = 0; d <= most; ++d) {
        std::vector<int> row(static_cast<size_t>(2 * d + 1));
        for (int k = -d; k <= d; k += 2) {
            const auto before = [&](int diagonal) { return furthest.back()[static_cast<size_t>(diagonal + d - 1)]; };
            int x = 0;
            if (d > 0) x = k == -d || (k != d && before(k - 1) < before(k + 1)) ? before(k + 1) : before(k - 1) + 1;
            while (x < n && x - k < m && x - k >= 0 && same(x, x - k))
                ++x;
            row[static_cast<size_t>(k + d)] = x;
            if (x < n || x - k < m) continue;
            furthest.push_back(row);
            int y = m; // back along the way
            x = n;
            for (int e = d; e > 0; --e) {
                const int diagonal = x - y;
                const auto &last = furthest[static_cast<size_t>(e - 1)];
                const auto at = [&](int which) { return last[static_cast<size_t>(which + e - 1)]; };
                const bool down = diagonal == -e || (diagonal != e && at(diagonal - 1) < at(diagonal + 1));
                const int from_ = down ? diagonal + 1 : diagonal - 1;
                const int startX = at(from_), startY = startX - from_;
                const int middleX = down ? startX : startX + 1;
                for (; x > middleX; --x, --y)
                    kept.emplace_back(x - 1, y - 1);
                x = startX;
                y = startY;
            }
            for (; x > 0 && y > 0; --x, --y)
                kept.emplace_back(x - 1, y - 1);
            std::ranges::reverse(kept);
            return true;
        }
        furthest.push_back(std::move(row));
    }
    return false;
}

} // namespace

Lines linesOf(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        const size_t size = end == std::string_view::npos ? text.size() : end + 1;
        lines.push_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return lines;
}

std::vector<Change> changes(const Lines &from, const Lines &to) {
    size_t head = 0, tail = 0;
    const size_t least = std::min(from.size(), to.size());
    while (head < least && from[head] == to[head])
        ++head;
    while (tail < least - head && from[from.size() - 1 - tail] == to[to.size() - 1 - tail])
        ++tail;
    std::vector<std::pair<size_t, size_t>> kept;
    if (!common(from, to, head, tail, kept)) kept.clear();
    kept.emplace_back(from.size() - head - tail, to.size() - head - tail);
    std::vector<Change> out;
    size_t x = 0, y = 0;
    for (const auto &[i, j] : kept) {
        if (i > x || j > y) out.push_back({head + x, head + i, head + y, head + j});
        x = i + 1;
        y = j + 1;
    }
    return out;
}

std::string unifiedDiff(const std::string &name, std::string_view from, std::string_view to) {
    constexpr size_t kContext = 3;
    const Lines a = linesOf(from), b = linesOf(to);
    const std::vector<Change> all = changes(a, b);
    if (all.empty()) return "";
    std::string out = "--- " + name + "\n+++ " + name + "\n";
    const auto put = [&](char sign, std::string_view line) {
        out += sign + std::string(line);
        if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
    };
    const auto range = [](size_t begin, size_t size) {
        return std::to_string(size == 0 ? begin : begin + 1) + (size == 1 ? "" : "," + std::to_string(size));
    };
    for (size_t i = 0; i < all.size();) {
        size_t last = i;
        while (last + 1 < all.size() && all[last + 1].begin - all[last].end <= 2 * kContext)
            ++last;
        const size_t before = std::min(kContext, all[i].begin);
        const size_t after = std::min(kContext, a.size() - all[last].end);
        out += "@@ -" + range(all[i].begin - before, all[last].end + after - all[i].begin + before) + " +" +
               range(all[i].newBegin - before, all[last].newEnd + after - all[i].newBegin + before) + " @@\n";
        size_t x = all[i].begin - before;
        for (; i <= last; ++i) {
            for (; x < all[i].begin; ++x)
                put(' ', a[x]);
            for (; x < all[i].end; ++x)
                put('-', a[x]);
            for (size_t y = all[i].newBegin; y < all[i].newEnd; ++y)
                put('+', b[y]);
        }
        for (size_t k = 0; k < after; ++k)
            put(' ', a[x++]);
    }
    return out;
}

} // namespace oocc
