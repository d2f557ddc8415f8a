// The knobs that a space may have: what their values look like, and what they turn.
#pragma once

#include "plan/plan.h"
#include "variants/expression.h"

#include <nlohmann/json.hpp>

namespace oocc::variants {

/// How the value is spelled, and where it takes effect.
struct KnobKind {
    enum Spelling { Count, Size, Word, ZxY, Flag, Flags };
    enum Effect { InC, WhenBuilt, WhenRun };

    const char *name;
    Spelling spelling;
    Effect effect;
    const char *option;              ///< WhenRun: of the generated program
    std::vector<const char *> words; ///< Word
};

/// In the order in which names have them.
const std::vector<KnobKind> &knobKinds();

/// Null: there is none of this name.
const KnobKind *knobKind(const std::string &name);

/// "int", "size", "bool" or "string": for whoever reads the space.
const char *typeName(const KnobKind &kind);

/// The value as expressions have it; throws std::string, what is wanted instead, when the knob cannot have it. "auto" leaves
/// the choice to the program: nothing.
std::optional<Value> knobValue(const KnobKind &kind, const nlohmann::ordered_json &json);

/// What a knob is set to; null: left to the program.
struct Setting {
    const KnobKind *kind;
    std::optional<Value> value;
};

/// One configuration: a setting for every knob of the space, in the space's order.
using Settings = std::vector<Setting>;

nlohmann::ordered_json toJson(const std::optional<Value> &value);

/// Of the knobs in the C: what the plan is made with, and whether products are contracted.
Knobs planKnobs(const Settings &settings);
bool fmaOf(const Settings &settings);

/// The options of the generated program that the settings give.
std::vector<std::string> runArguments(const Settings &settings);

/// Flags of the C compiler, split at blanks; nothing: the usual ones.
std::optional<std::vector<std::string>> flagsOf(const Settings &settings);

} // namespace oocc::variants
