#include "variants/names.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>
#include <set>

namespace oocc::variants {

namespace {

constexpr size_t kLongest = 160; // of a name: paths of files have room for 255 bytes

/// A value as a part of a file's name. Flags of the C compiler lose their signs, and the hash tells them apart.
std::string part(const Setting &setting) {
    const std::string name = setting.kind->name;
    if (const int64_t *count = std::get_if<int64_t>(&*setting.value)) return name + std::to_string(*count);
    if (const bool *flag = std::get_if<bool>(&*setting.value)) return name + (*flag ? "_on" : "_off");
    const std::string &text = std::get<std::string>(*setting.value);
    if (setting.kind->spelling == KnobKind::ZxY || setting.kind->spelling == KnobKind::Size) return name + text;
    if (setting.kind->spelling == KnobKind::Word) return name + '_' + text;
    std::string plain;
    for (char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)))
            plain += c;
        else if (!plain.empty() && plain.back() != '_')
            plain += '_';
    return plain;
}

std::string limited(std::string name) {
    if (name.size() > kLongest) name.resize(kLongest);
    return name;
}

} // namespace

std::string digest(std::string_view text) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx",
                  static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
    return digits;
}

std::string variantName(const std::string &program, const std::vector<std::pair<std::string, std::string>> &parameters,
                        const Settings &settings) {
    std::string name = program, all;
    for (const auto &[parameter, value] : parameters)
        all += parameter + '=' + value + '\n';
    for (const KnobKind &kind : knobKinds())
        for (const Setting &setting : settings)
            if (setting.kind == &kind && setting.value) {
                name += '-' + part(setting);
                all += std::string(kind.name) + ' ' + toString(*setting.value) + '\n';
            }
    return limited(name) + '-' + digest(all).substr(0, 4);
}

std::string fileName(const std::string &program, const Plan &plan, bool contracted, std::string_view text) {
    std::string name = program;
    for (auto [knob, value] : {std::pair{"bt", plan.knobs.bt},
                               {"bz", plan.knobs.bz},
                               {"ct", plan.knobs.ct},
                               {"yt", plan.knobs.yt},
                               {"xt", plan.knobs.xt},
                               {"columns", plan.knobs.columns}})
        if (value > 0) name += std::string("-") + knob + std::to_string(value);
    std::set<std::pair<int64_t, int64_t>> jams;
    for (const Jam &jam : plan.jams)
        if (jam.any()) jams.insert({jam.planes, jam.rows});
    for (const auto &[planes, rows] : jams)
        name += "-jam" + std::to_string(planes) + 'x' + std::to_string(rows);
    if (contracted) name += "-fma";
    return limited(name) + '-' + digest(text).substr(0, 6);
}

} // namespace oocc::variants
