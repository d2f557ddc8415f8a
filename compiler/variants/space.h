// A space of variants: knobs and their values, what they must meet, which of them to take (docs/formats/variants.md).
#pragma once

#include "variants/json_text.h"
#include "variants/knobs.h"

namespace oocc::variants {

struct Knob {
    const KnobKind *kind;
    std::vector<std::optional<Value>> values; ///< null: left to the program
    std::optional<Expression> when; ///< of the knobs before it: where it does not hold, the knob is left to the program
};

struct Sample {
    uint64_t count = 0, seed = 0;
};

struct Constraint {
    std::string text;
    Expression expression;
    std::string place; ///< in the JSON, for messages
};

struct Space {
    std::vector<Knob> knobs;
    std::vector<Constraint> constraints;
    uint64_t limit = 1000; ///< variants, when no sample is taken
    std::optional<Sample> sample;
};

/// Reports everything that is wrong, and then gives nothing. `program` is what the space must be of, when it says so.
std::optional<Space> readSpace(const JsonText &json, const std::string &program, Diagnostics &diagnostics);

} // namespace oocc::variants
