#include "variants/space.h"

#include "support/spelling.h"

#include <algorithm>

namespace oocc::variants {

namespace {

constexpr size_t kMostValues = 10000; // of one knob

/// Reports what is wrong with a document, place by place, and goes on.
class Reader {
  public:
    Reader(const JsonText &json, Diagnostics &diagnostics) : json_(json), diagnostics_(diagnostics) {}

    std::optional<Space> read(const std::string &program) {
        const Json &root = json_.root();
        if (!root.is_object()) {
            error("", "a space is an object")
                .withHelp(R"(begin with { "format": "oocc-space", "version": 1, "knobs": [...] })");
            return std::nullopt;
        }
        checkNames(
            "", root,
            {"format", "version", "program", "comment", "knobs", "conditions", "constraints", "limit", "sample"});
        if (root.value("format", Json()) != "oocc-space" || root.value("version", Json()) != 1)
            error(root.contains("format") && root["format"] == "oocc-space" ? "/version" : "/format",
                  "this is not a space of variants that oocc knows")
                .withHelp(R"(it says "format": "oocc-space" and "version": 1)");
        if (root.contains("program") && root["program"] != program)
            error("/program", "the space is of another program, not of " + program)
                .withHelp("leave out \"program\", or name " + program);
        readKnobs(root);
        if (space_.knobs.empty()) return std::nullopt; // the names are not known: nothing else can be checked
        if (root.contains("conditions")) readConditions(root["conditions"]);
        if (root.contains("constraints")) readConstraints(root["constraints"]);
        if (root.contains("limit")) space_.limit = count("/limit", root["limit"], 1);
        if (root.contains("sample")) readSample(root["sample"]);
        return diagnostics_.hasErrors() ? std::nullopt : std::optional(std::move(space_));
    }

  private:
    Diagnostic &error(const std::string &place, std::string message) {
        return diagnostics_.error(json_.range(place), std::move(message));
    }

    bool checkNames(const std::string &place, const Json &object, const std::vector<std::string> &known) {
        bool good = true;
        for (const auto &[name, value] : object.items())
            if (std::find(known.begin(), known.end(), name) == known.end()) {
                const auto near = closest(name, known);
                error(place + "/" + name + "\n", "there is no member '" + name + "' here")
                    .withHelp(near ? "did you mean '" + *near + "'?" : "there are " + joined(known));
                good = false;
            }
        return good;
    }

    uint64_t count(const std::string &place, const Json &json, uint64_t least) {
        if (json.is_number_unsigned() && json.get<uint64_t>() >= least) return json.get<uint64_t>();
        error(place, "a whole number from " + std::to_string(least) + " on is wanted, not " + json.dump());
        return least;
    }

    void readKnobs(const Json &root) {
        if (!root.contains("knobs") || !root["knobs"].is_array() || root["knobs"].empty()) {
            error("/knobs", "a space has knobs")
                .withHelp(
                    R"(write "knobs": [{"name": "bt", "values": [4, 8]}]; 'oocc PROGRAM.stn --space' makes a space to begin with)");
            return;
        }
        for (size_t k = 0; k < root["knobs"].size(); ++k)
            readKnob("/knobs/" + std::to_string(k), root["knobs"][k]);
        if (diagnostics_.hasErrors()) space_.knobs.clear();
    }

    void readKnob(const std::string &place, const Json &json) {
        if (!json.is_object() || !json.contains("name") || !json["name"].is_string()) {
            error(place, "a knob is an object with a name").withHelp(R"(like {"name": "bt", "values": [4, 8]})");
            return;
        }
        checkNames(place, json, {"name", "type", "values", "default", "comment"});
        const std::string name = json["name"];
        const KnobKind *kind = knobKind(name);
        if (!kind) {
            std::vector<std::string> known;
            for (const KnobKind &each : knobKinds())
                known.emplace_back(each.name);
            const auto near = closest(name, known);
            error(place + "/name", "there is no knob '" + name + "'")
                .withHelp(near ? "did you mean '" + *near + "'?" : "there are " + joined(known));
            return;
        }
        if (std::any_of(space_.knobs.begin(), space_.knobs.end(),
                        [&](const Knob &other) { return other.kind == kind; }))
            error(place + "/name", "the space has knob '" + name + "' already");
        if (json.contains("type") && json["type"] != typeName(*kind))
            error(place + "/type", "the type of " + name + " is \"" + typeName(*kind) + "\"");
        space_.knobs.push_back({kind, {}, std::nullopt});
        names_.push_back(name);
        readValues(place, json, space_.knobs.back());
    }

    void readValues(const std::string &place, const Json &json, Knob &knob) {
        if (!json.contains("values") || !json["values"].is_array() || json["values"].empty()) {
            error(place + "/values", "knob '" + std::string(knob.kind->name) + "' has no values")
                .withHelp(R"(write "values": [...], with at least one)");
            return;
        }
        const Json &values = json["values"];
        if (values.size() > kMostValues) {
            error(place + "/values", "a knob has at most " + std::to_string(kMostValues) + " values");
            return;
        }
        for (size_t i = 0; i < values.size(); ++i) {
            const std::string at = place + "/values/" + std::to_string(i);
            try {
                const std::optional<Value> value = knobValue(*knob.kind, values[i]);
                if (std::find(knob.values.begin(), knob.values.end(), value) != knob.values.end())
                    error(at, "the value " + values[i].dump() + " is given twice");
                knob.values.push_back(value);
            } catch (const std::string &message) {
                error(at, message);
            }
        }
        if (json.contains("default") && std::find(values.begin(), values.end(), json["default"]) == values.end())
            error(place + "/default", "the default is none of the values");
    }

    std::optional<Expression> expression(const std::string &place, const Json &json,
                                         const std::vector<std::string> &names) {
        if (!json.is_string()) {
            error(place, "an expression is a string, like \"ct <= bt\"");
            return std::nullopt;
        }
        const std::string text = json;
        try {
            return Expression(text, names);
        } catch (const ExpressionError &wrong) {
            Diagnostic &diagnostic = diagnostics_.error(json_.range(place, wrong.begin, wrong.end), wrong.message);
            if (!wrong.help.empty()) diagnostic.withHelp(wrong.help);
            return std::nullopt;
        }
    }

    void readConditions(const Json &json) {
        if (!json.is_array()) {
            error("/conditions", "conditions are an array").withHelp(R"(like [{"knob": "yt", "when": "ct > 1"}])");
            return;
        }
        for (size_t i = 0; i < json.size(); ++i) {
            const std::string place = "/conditions/" + std::to_string(i);
            const Json &one = json[i];
            if (!one.is_object() || !one.contains("knob") || !one.contains("when")) {
                error(place, "a condition has a knob, and when it counts")
                    .withHelp(R"(like {"knob": "yt", "when": "ct > 1"})");
                continue;
            }
            checkNames(place, one, {"knob", "when", "comment"});
            const std::string wanted = one["knob"].is_string() ? one["knob"].get<std::string>() : "";
            const auto name = std::find(names_.begin(), names_.end(), wanted);
            if (name == names_.end()) {
                error(place + "/knob", "the space has no knob " + one["knob"].dump());
                continue;
            }
            readWhen(place + "/when", one["when"], static_cast<size_t>(name - names_.begin()));
        }
    }

    void readWhen(const std::string &place, const Json &json, size_t index) {
        Knob &knob = space_.knobs[index];
        if (knob.when)
            error(place, "knob '" + names_[index] + "' has a condition already").withHelp("join them with 'and'");
        knob.when = expression(place, json, names_);
        if (!knob.when) return;
        for (size_t use : knob.when->uses())
            if (use >= index)
                error(place, "the condition of '" + names_[index] + "' depends on '" + names_[use] +
                                 "', which does not come before it")
                    .withHelp("list the knob '" + names_[use] + "' first");
    }

    void readConstraints(const Json &json) {
        if (!json.is_array()) {
            error("/constraints", "constraints are an array").withHelp(R"(like ["ct <= bt", "bt % ct == 0"])");
            return;
        }
        for (size_t i = 0; i < json.size(); ++i) {
            const std::string place = "/constraints/" + std::to_string(i);
            if (auto found = expression(place, json[i], names_))
                space_.constraints.push_back({json[i], std::move(*found), place});
        }
    }

    void readSample(const Json &json) {
        if (!json.is_object() || !json.contains("count")) {
            error("/sample", "a sample has a count").withHelp(R"(like {"count": 100, "seed": 1})");
            return;
        }
        checkNames("/sample", json, {"count", "seed"});
        space_.sample = Sample{count("/sample/count", json["count"], 1),
                               json.contains("seed") ? count("/sample/seed", json["seed"], 0) : 0};
    }

    const JsonText &json_;
    Diagnostics &diagnostics_;
    Space space_;
    std::vector<std::string> names_;
};

} // namespace

std::optional<Space> readSpace(const JsonText &json, const std::string &program, Diagnostics &diagnostics) {
    return Reader(json, diagnostics).read(program);
}

} // namespace oocc::variants
