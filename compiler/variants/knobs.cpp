#include "variants/knobs.h"

#include "support/spelling.h"

#include <charconv>
#include <sstream>

namespace oocc::variants {

namespace {

constexpr int64_t kMostJam = 8;

std::optional<int64_t> whole(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// "2x4"
std::optional<std::pair<int64_t, int64_t>> planesAndRows(const std::string &text) {
    const size_t times = text.find('x');
    if (times == std::string::npos) return std::nullopt;
    const auto planes = whole(text.substr(0, times)), rows = whole(text.substr(times + 1));
    if (!planes || !rows || *planes < 1 || *rows < 1 || *planes > kMostJam || *rows > kMostJam) return std::nullopt;
    if (text != std::to_string(*planes) + "x" + std::to_string(*rows)) return std::nullopt; // one spelling, one name
    return std::pair{*planes, *rows};
}

bool isSize(const std::string &text) {
    const size_t digits = text.find_first_not_of("0123456789");
    const auto number = whole(text.substr(0, digits));
    if (!number || *number < 1) return false;
    const std::string unit = digits == std::string::npos ? "" : text.substr(digits);
    return unit.empty() || unit == "K" || unit == "M" || unit == "G" || unit == "T";
}

bool isFlags(const std::string &text) {
    for (unsigned char c : text)
        if (c < 0x20 || c > 0x7e) return false;
    return text.find_first_not_of(' ') != std::string::npos;
}

std::string wordsOf(const KnobKind &kind) {
    std::string list = "\"auto\"";
    for (const char *word : kind.words)
        list += std::string(", \"") + word + '"';
    return list;
}

std::string wanted(const KnobKind &kind) {
    switch (kind.spelling) {
    case KnobKind::Count:
        return "a whole number from 1 on, or \"auto\"";
    case KnobKind::Size:
        return "a size, like \"512K\", \"64M\" or \"4G\", or \"auto\"";
    case KnobKind::Word:
        return "one of " + wordsOf(kind);
    case KnobKind::ZxY:
        return "planes and rows from 1 to 8, like \"2x2\" (\"1x1\": none), or \"auto\"";
    case KnobKind::Flag:
        return "true or false";
    case KnobKind::Flags:
        return "flags of the C compiler, like \"-O3 -march=native\", or \"auto\"";
    }
    return "";
}

bool fits(const KnobKind &kind, const std::string &text) {
    switch (kind.spelling) {
    case KnobKind::Size:
        return isSize(text);
    case KnobKind::Word:
        return std::any_of(kind.words.begin(), kind.words.end(), [&](const char *word) { return text == word; });
    case KnobKind::ZxY:
        return planesAndRows(text).has_value();
    case KnobKind::Flags:
        return isFlags(text);
    default:
        return false;
    }
}

const std::optional<Value> *find(const Settings &settings, const char *name) {
    for (const Setting &setting : settings)
        if (setting.value && setting.kind == knobKind(name)) return &setting.value;
    return nullptr;
}

} // namespace

const std::vector<KnobKind> &knobKinds() {
    using K = KnobKind;
    static const std::vector<KnobKind> kinds{
        {"bt", K::Count, K::InC, nullptr, {}},
        {"bz", K::Count, K::InC, nullptr, {}},
        {"ct", K::Count, K::InC, nullptr, {}},
        {"yt", K::Count, K::InC, nullptr, {}},
        {"xt", K::Count, K::InC, nullptr, {}},
        {"columns", K::Count, K::InC, nullptr, {}},
        {"jam", K::ZxY, K::InC, nullptr, {}},
        {"fma", K::Flag, K::InC, nullptr, {}},
        {"cflags", K::Flags, K::WhenBuilt, nullptr, {}},
        {"layout", K::Word, K::WhenRun, "--layout", {"padded", "dense"}},
        {"schedule", K::Word, K::WhenRun, "--schedule", {"stream", "overlap", "sweep", "resident"}},
        {"engine", K::Word, K::WhenRun, "--engine", {"uring", "aio", "threads", "mmap", "memory", "swap"}},
        {"io_request", K::Size, K::WhenRun, "--io-request", {}},
        {"io_depth", K::Count, K::WhenRun, "--io-depth", {}},
        {"chains", K::Count, K::WhenRun, "--chains", {}},
        {"column_sides", K::Word, K::WhenRun, "--column-sides", {"halo", "lean"}},
        {"prefetch", K::Word, K::WhenRun, "--prefetch", {"on", "off"}},
        {"barriers", K::Word, K::WhenRun, "--barriers", {"on", "off"}},
        {"adapt", K::Word, K::WhenRun, "--adapt", {"on", "off"}},
        {"bind", K::Word, K::WhenRun, "--bind", {"on", "off"}},
        {"threads", K::Count, K::WhenRun, "--threads", {}},
        {"memory", K::Size, K::WhenRun, "--memory", {}},
    };
    return kinds;
}

const KnobKind *knobKind(const std::string &name) {
    for (const KnobKind &kind : knobKinds())
        if (name == kind.name) return &kind;
    return nullptr;
}

const char *typeName(const KnobKind &kind) {
    switch (kind.spelling) {
    case KnobKind::Count:
        return "int";
    case KnobKind::Size:
        return "size";
    case KnobKind::Flag:
        return "bool";
    default:
        return "string";
    }
}

std::optional<Value> knobValue(const KnobKind &kind, const nlohmann::ordered_json &json) {
    if (kind.spelling == KnobKind::Flag) {
        if (json.is_boolean()) return json.get<bool>();
    } else if (json == "auto") {
        return std::nullopt;
    } else if (kind.spelling == KnobKind::Count) {
        // What does not fit 63 bits is kept as an unsigned number by the JSON library.
        if (json.is_number_integer() && (!json.is_number_unsigned() || json.get<uint64_t>() <= INT64_MAX) &&
            json.get<int64_t>() >= 1)
            return json.get<int64_t>();
    } else if (json.is_string() && fits(kind, json.get<std::string>())) {
        return json.get<std::string>();
    }
    throw std::string(kind.name) + " cannot be " + json.dump() + "; it is " + wanted(kind);
}

nlohmann::ordered_json toJson(const std::optional<Value> &value) {
    if (!value) return "auto";
    return std::visit([](const auto &held) { return nlohmann::ordered_json(held); }, *value);
}

Knobs planKnobs(const Settings &settings) {
    Knobs knobs;
    for (auto [name, member] : {std::pair{"bt", &Knobs::bt},
                                {"bz", &Knobs::bz},
                                {"ct", &Knobs::ct},
                                {"yt", &Knobs::yt},
                                {"xt", &Knobs::xt},
                                {"columns", &Knobs::columns}})
        if (const auto *value = find(settings, name)) knobs.*member = std::get<int64_t>(**value);
    if (const auto *value = find(settings, "jam"))
        std::tie(knobs.jamPlanes, knobs.jamRows) = *planesAndRows(std::get<std::string>(**value));
    return knobs;
}

bool fmaOf(const Settings &settings) {
    const auto *value = find(settings, "fma");
    return value && std::get<bool>(**value);
}

std::vector<std::string> runArguments(const Settings &settings) {
    std::vector<std::string> arguments;
    for (const KnobKind &kind : knobKinds()) {
        const auto *value = kind.effect == KnobKind::WhenRun ? find(settings, kind.name) : nullptr;
        if (!value) continue;
        const std::string *word = std::get_if<std::string>(&**value);
        arguments.insert(arguments.end(), {kind.option, word ? *word : std::to_string(std::get<int64_t>(**value))});
    }
    return arguments;
}

std::optional<std::vector<std::string>> flagsOf(const Settings &settings) {
    const auto *value = find(settings, "cflags");
    if (!value) return std::nullopt;
    std::istringstream text(std::get<std::string>(**value));
    std::vector<std::string> flags;
    for (std::string flag; text >> flag;)
        flags.push_back(flag);
    return flags;
}

} // namespace oocc::variants
