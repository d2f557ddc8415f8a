#include "variants/manifest.h"

#include <algorithm>
#include <cstdio>

namespace oocc::variants {

namespace {

Json knobsJson(const Settings &settings) {
    Json knobs = Json::object();
    for (const Setting &setting : settings)
        knobs[setting.kind->name] = toJson(setting.value);
    return knobs;
}

std::string hexadecimal(uint64_t hash) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    return digits;
}

/// Paths without repetition, in the program's order.
class Paths {
  public:
    void add(const std::string &path) {
        if (!path.empty() && std::find(list_.begin(), list_.end(), path) == list_.end()) list_.push_back(path);
    }
    Json json() const { return list_; }

  private:
    std::vector<std::string> list_;
};

/// Files that a run reads and writes: whoever runs variants must have the ones, and room for the others.
Json filesOf(const Stencil &stencil) {
    Paths inputs, outputs;
    for (const Field &field : stencil.fields)
        inputs.add(field.initFile);
    for (const Points &points : stencil.points)
        inputs.add(points.file);
    for (const Stage &stage : stencil.stages) {
        inputs.add(stage.signal);
        outputs.add(stage.path);
    }
    for (const Output &output : stencil.outputs)
        outputs.add(output.path);
    return {{"inputs", inputs.json()}, {"outputs", outputs.json()}};
}

Json programJson(const Manifest &manifest) {
    Json dims = Json::array(), parameters = Json::object();
    for (const Dim &dim : manifest.stencil.dims)
        dims.push_back(dim.name);
    for (const auto &[name, value] : manifest.parameters)
        parameters[name] = value;
    Json program{
        {"name", manifest.stencil.name}, {"source", manifest.source}, {"parameters", parameters}, {"dims", dims}};
    program["extent"] = manifest.extents;
    program["steps"] = manifest.steps;
    program.update(filesOf(manifest.stencil));
    return program;
}

} // namespace

Json toJson(const Manifest &manifest) {
    Json json;
    json["format"] = "oocc-variants";
    json["version"] = 1;
    json["oocc"] = OOCC_VERSION;
    json["program"] = programJson(manifest);
    json["build"] = {{"flags", manifest.needed}, {"cflags", manifest.usual}, {"libraries", manifest.libraries}};
    json["configurations"] = manifest.configurations;
    json["files"] = Json::array();
    for (const File &file : manifest.files)
        json["files"].push_back({{"file", file.name},
                                 {"xxh3", file.digest},
                                 {"bytes", file.bytes},
                                 {"program_hash", hexadecimal(file.program)}});
    json["variants"] = Json::array();
    for (const Variant &variant : manifest.variants) {
        const File &file = manifest.files[variant.file];
        const auto flags = flagsOf(variant.settings);
        json["variants"].push_back({{"name", variant.name},
                                    {"file", file.name},
                                    {"xxh3", file.digest},
                                    {"cflags", flags ? *flags : manifest.usual},
                                    {"arguments", runArguments(variant.settings)},
                                    {"knobs", knobsJson(variant.settings)}});
    }
    json["left_out"] = Json::array();
    for (const LeftOut &each : manifest.leftOut)
        json["left_out"].push_back({{"knobs", knobsJson(each.settings)}, {"reason", each.reason}});
    json["space"] = manifest.space;
    return json;
}

} // namespace oocc::variants
