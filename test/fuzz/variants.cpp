// A space of variants: JSON that says where it is wrong, its configurations, and what they give.
#include "diagnostics_check.h"
#include "variants/names.h"
#include "variants/product.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    using namespace oocc;
    using namespace oocc::variants;
    const Source source("space.json", std::string(reinterpret_cast<const char *>(data), size));
    Diagnostics diagnostics;
    const auto json = JsonText::parse(source, diagnostics);
    std::optional<Space> space;
    if (json) space = readSpace(*json, "heat", diagnostics);
    if (space) {
        double most = 1; // what takes long is no matter of this: test/broken has it
        for (const Knob &knob : space->knobs)
            most *= static_cast<double>(knob.values.size());
        if (most > 20000) return 0;
    }
    std::optional<std::vector<Choice>> choices;
    if (space) choices = product(*space, *json, diagnostics);
    requireDiagnostics(diagnostics, source, !choices);
    requireDocuments(diagnostics, source, !choices);
    if (!choices) return 0;
    require(!pretty(json->root()).empty(), "a space that prints nothing");
    for (size_t i = 0; i < choices->size() && i < 50; ++i) {
        const Settings settings = settingsOf(*space, (*choices)[i]);
        require(settings.size() == space->knobs.size(), "a setting is missing");
        require(!variantName("heat", {}, settings).empty(), "a variant without a name");
        planKnobs(settings), fmaOf(settings), flagsOf(settings);
        for (const std::string &argument : runArguments(settings))
            require(!argument.empty(), "an argument that is empty");
    }
    if (space->sample) require(shuffled(choices->size(), space->sample->seed).size() == choices->size(), "a sample loses some");
    return 0;
}
