// Texts are changed word by word: most changes of bytes end in the lexer, and what is behind it would never be seen. Half of the
// changes are libFuzzer's own all the same.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace {

using Words = std::vector<std::string>;

/// Names and numbers, strings, comments, blanks, and signs one by one: every byte belongs to one of them.
Words wordsOf(std::string_view text) {
    Words out;
    const auto run = [&](size_t from, auto &&belongs) {
        size_t end = from + 1;
        while (end < text.size() && belongs(static_cast<unsigned char>(text[end])))
            ++end;
        return end;
    };
    for (size_t at = 0; at < text.size();) {
        const auto c = static_cast<unsigned char>(text[at]);
        size_t end = at + 1;
        if (std::isalnum(c) || c == '_' || c == '.')
            end = run(at, [](unsigned char d) { return std::isalnum(d) || d == '_' || d == '.'; });
        else if (std::isspace(c))
            end = run(at, [](unsigned char d) { return std::isspace(d) != 0; });
        else if (c == '"')
            end = std::min(text.size(), run(at, [](unsigned char d) { return d != '"' && d != '\n'; }) + 1);
        else if (text.substr(at).starts_with("//"))
            end = run(at, [](unsigned char d) { return d != '\n'; });
        out.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return out;
}

bool isBlank(const std::string &word) { return std::isspace(static_cast<unsigned char>(word[0])) != 0; }

const char *const kNumbers[] = {"0", "1", "2", "3", "-1", "7", "63", "255", "256", "2147483647", "2147483648", "4294967296",
                                "9007199254740993", "9223372036854775807", "0.5", "1e308", "5e-324", "1e-3", "16777217"};

class Mutation {
  public:
    Mutation(Words &words, unsigned seed) : words_(words), random_(seed) {}

    void one() {
        switch (below(8)) {
        case 0: // a word in the place of another one
            words_[any()] = words_[any()];
            break;
        case 1:
            std::swap(words_[any()], words_[any()]);
            break;
        case 2:
            words_.erase(words_.begin() + static_cast<long>(any()));
            break;
        case 3: // once more
            words_.insert(words_.begin() + static_cast<long>(any()), words_[any()]);
            break;
        case 4:
            words_[any()] = kNumbers[below(std::size(kNumbers))];
            break;
        case 5:
            copy();
            break;
        case 6:
            nest();
            break;
        default:
            drop();
        }
    }

  private:
    size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

    /// A word that is no blank, as a rule.
    size_t any() {
        size_t at = below(words_.size());
        for (int tries = 0; tries < 8 && isBlank(words_[at]); ++tries)
            at = below(words_.size());
        return at;
    }

    /// From behind the end of a statement to the end of one.
    std::pair<size_t, size_t> statement() {
        const auto ends = [](const std::string &word) { return word == ";" || word == "}" || word == "{"; };
        size_t first = below(words_.size()), end = first;
        while (first > 0 && !ends(words_[first - 1]))
            --first;
        while (end < words_.size() && !ends(words_[end]))
            ++end;
        return {first, std::min(end + 1, words_.size())};
    }

    void copy() {
        const auto [first, end] = statement();
        const Words taken(words_.begin() + static_cast<long>(first), words_.begin() + static_cast<long>(end));
        const size_t at = statement().first;
        words_.insert(words_.begin() + static_cast<long>(at), taken.begin(), taken.end());
    }

    void drop() {
        const auto [first, end] = statement();
        words_.erase(words_.begin() + static_cast<long>(first), words_.begin() + static_cast<long>(end));
    }

    void nest() {
        static const char *const kAround[][2] = {{"(", ")"},       {"-", ""},         {"sqrt(", ")"}, {"", " + 1"},
                                                 {"(if x > 1 then ", " else 2)"},     {"", "[x-1]"},  {"min(", ", 2)"},
                                                 {"", " * 2"},     {"", "^2"},        {"", " where x > 1"}};
        const auto &around = kAround[below(std::size(kAround))];
        std::string &word = words_[any()];
        word = around[0] + word + around[1];
    }

    Words &words_;
    std::minstd_rand random_;
};

size_t put(const Words &words, uint8_t *data, size_t most) {
    std::string text;
    for (const std::string &word : words)
        text += word;
    const size_t size = std::min(text.size(), most);
    if (size > 0) std::memcpy(data, text.data(), size);
    return size;
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    if (size == 0 || seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
    Words words = wordsOf({reinterpret_cast<const char *>(data), size});
    Mutation mutation(words, seed);
    for (unsigned i = 0; i < 1 + seed / 2 % 4 && !words.empty(); ++i)
        mutation.one();
    return put(words, data, most);
}

/// Statements of both, in turn.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t aSize, const uint8_t *b, size_t bSize, uint8_t *out, size_t most,
                                            unsigned seed) {
    std::minstd_rand random(seed);
    Words mixed;
    for (const auto &[data, size] : {std::pair{a, aSize}, std::pair{b, bSize}}) {
        bool taken = random() % 2 == 0;
        for (const std::string &word : wordsOf({reinterpret_cast<const char *>(data), size})) {
            if (taken) mixed.push_back(word);
            if (word == ";" || word == ",") taken = random() % 3 != 0;
        }
    }
    return put(mixed, out, most);
}
