#include "variants/product.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace oocc::variants {

namespace {

class Enumeration {
  public:
    Enumeration(const Space &space, const JsonText &json, Diagnostics &diagnostics)
        : space_(space), json_(json), diagnostics_(diagnostics), due_(space.knobs.size()), values_(space.knobs.size()) {
        chosen_.reserve(space.knobs.size());
        // A constraint is looked at as soon as the last of its knobs is set, so that it cuts off all that would follow.
        for (size_t c = 0; c < space.constraints.size(); ++c) {
            const std::vector<size_t> &uses = space.constraints[c].expression.uses();
            due_[uses.empty() ? 0 : uses.back()].push_back(c);
        }
    }

    std::optional<std::vector<Choice>> run() {
        from(0);
        return failed_ ? std::nullopt : std::optional(std::move(found_));
    }

  private:
    void from(size_t knob) {
        if (failed_) return;
        if (knob == space_.knobs.size()) {
            if (found_.size() == kMostConfigurations) return tooMany();
            found_.push_back(chosen_);
            return;
        }
        const Knob &each = space_.knobs[knob];
        if (each.when && !holds(*each.when, conditionOf(knob), false)) {
            choose(knob, -1);
            return;
        }
        for (size_t value = 0; value < each.values.size() && !failed_; ++value)
            choose(knob, static_cast<int>(value));
    }

    void choose(size_t knob, int value) {
        if (++steps_ > 20 * kMostConfigurations) return tooMany();
        values_[knob] = value < 0 ? std::nullopt : space_.knobs[knob].values[static_cast<size_t>(value)];
        chosen_.push_back(value);
        bool good = true;
        for (size_t c : due_[knob])
            good = good && holds(space_.constraints[c].expression, space_.constraints[c].place, true);
        if (good) from(knob + 1);
        chosen_.pop_back();
        values_[knob].reset();
    }

    /// What refers to a knob without a value is met when it is a constraint, and not when it is a condition.
    bool holds(const Expression &expression, const std::string &place, bool otherwise) {
        try {
            return expression.holds(values_).value_or(otherwise);
        } catch (const ExpressionError &wrong) {
            std::string with;
            for (size_t use : expression.uses())
                with += (with.empty() ? "" : ", ") + std::string(space_.knobs[use].kind->name) + " " +
                        toString(*values_[use]);
            diagnostics_.error(json_.range(place, wrong.begin, wrong.end),
                               wrong.message + (with.empty() ? "" : ", with " + with));
            failed_ = true;
            return false;
        }
    }

    /// Where the condition of a knob stands in the JSON.
    std::string conditionOf(size_t knob) const {
        const Json &conditions = json_.root()["conditions"];
        for (size_t i = 0; i < conditions.size(); ++i)
            if (conditions[i]["knob"] == space_.knobs[knob].kind->name)
                return "/conditions/" + std::to_string(i) + "/when";
        return "/conditions";
    }

    void tooMany() {
        diagnostics_
            .error(json_.range("/knobs"), "the space has more than " + std::to_string(kMostConfigurations) +
                                              " configurations, and they are gone through one by one")
            .withHelp("leave out values, or add constraints of the first knobs");
        failed_ = true;
    }

    const Space &space_;
    const JsonText &json_;
    Diagnostics &diagnostics_;
    std::vector<std::vector<size_t>> due_; ///< by knob: the constraints that can be evaluated once it is set
    std::vector<std::optional<Value>> values_;
    Choice chosen_;
    std::vector<Choice> found_;
    uint64_t steps_ = 0;
    bool failed_ = false;
};

/// Below `bound`, every number equally likely: what would make some likelier is drawn again.
uint64_t below(std::mt19937_64 &random, uint64_t bound) {
    const uint64_t rest = (UINT64_MAX % bound + 1) % bound;
    uint64_t drawn = random();
    while (rest != 0 && drawn > UINT64_MAX - rest)
        drawn = random();
    return drawn % bound;
}

} // namespace

std::optional<std::vector<Choice>> product(const Space &space, const JsonText &json, Diagnostics &diagnostics) {
    return Enumeration(space, json, diagnostics).run();
}

Settings settingsOf(const Space &space, const Choice &chosen) {
    Settings settings;
    for (size_t k = 0; k < space.knobs.size(); ++k)
        settings.push_back({space.knobs[k].kind,
                            chosen[k] < 0 ? std::nullopt : space.knobs[k].values[static_cast<size_t>(chosen[k])]});
    return settings;
}

std::vector<size_t> shuffled(size_t count, uint64_t seed) {
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    std::mt19937_64 random(seed);
    for (size_t i = 0; i + 1 < count; ++i)
        std::swap(order[i], order[i + below(random, count - i)]);
    return order;
}

} // namespace oocc::variants
