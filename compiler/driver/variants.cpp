#include "driver/variants.h"

#include "driver/build_program.h"
#include "driver/files.h"
#include "driver/front.h"
#include "driver/hash.h"
#include "emit/emit.h"
#include "loops/build.h"
#include "sema/evaluate.h"
#include "stencil/contract.h"
#include "variants/default_space.h"
#include "variants/manifest.h"
#include "variants/names.h"
#include "variants/product.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>

namespace oocc {

namespace {

namespace fs = std::filesystem;
using variants::Json;

/// A program after analysis, once for each value of fma.
struct Analysed {
    Stencil stencil;
    Facts facts;
    uint64_t hash;
};

std::vector<std::pair<std::string, std::string>> parametersOf(const std::vector<Define> &defines) {
    std::map<std::string, std::string> last; // of a name that is given several times the last one counts
    for (const Define &define : defines)
        last[define.name] = define.value;
    return {last.begin(), last.end()};
}

/// A folder of our own: new, empty, or with a manifest that an earlier call has left.
int openFolder(const std::string &path, Diagnostics &diagnostics) {
    std::error_code error;
    const fs::path manifest = fs::path(path) / "manifest.json";
    if (fs::exists(path, error) && !fs::is_directory(path, error)) {
        diagnostics.error(kNowhere, "'" + path + "' is not a directory")
            .withHelp("name one with -o, or one that is yet to be made")
            .of("files");
        return kCannotCreate;
    }
    if (fs::is_directory(path, error) && !fs::is_empty(path, error)) {
        std::string text;
        Diagnostics unread;
        if (!fs::exists(manifest, error) || readFile(manifest, text, unread) != 0 ||
            text.find("\"oocc-variants\"") == std::string::npos) {
            diagnostics.error(kNowhere, "'" + path + "' has other things in it than variants")
                .withHelp("name a directory that is empty, or is yet to be made")
                .of("files");
            return kCannotCreate;
        }
    }
    fs::create_directories(fs::path(path) / "c", error);
    if (!error) return 0;
    diagnostics.error(kNowhere, "cannot create '" + path + "/c': " + error.message()).of("files");
    return kCannotCreate;
}

/// Makes variants one by one, and the C of those that share it once.
class Writer {
  public:
    Writer(const Options &options, const Stencil &stencil, Diagnostics &diagnostics)
        : options_(options), stencil_(stencil), diagnostics_(diagnostics), parameters_(parametersOf(options.defines)) {}

    /// Adds what is legal. Variants are listed by their index.
    void add(size_t index, const variants::Settings &settings) {
        const std::optional<std::string> reason = contradiction(settings);
        const size_t *file = reason ? nullptr : fileOf(settings);
        if (!file) {
            if (status_ == 0) leftOut_.push_back({settings, reason ? *reason : reason_});
            return;
        }
        variants::Variant variant{variants::variantName(stencil_.name, parameters_, settings), index, *file, settings};
        const auto [other, isNew] = names_.insert({variant.name, variants_.size()});
        if (!isNew)
            throw std::logic_error("two variants have the name " + variant.name); // 16 bits and equal words: unheard of
        variants_.push_back(std::move(variant));
    }

    int status() const { return status_; }
    size_t variants() const { return variants_.size(); }

    int finish(const Json &space, size_t configurations) {
        std::sort(variants_.begin(), variants_.end(), [](const auto &a, const auto &b) { return a.index < b.index; });
        variants::Manifest manifest{
            stencil_, fileName(options_.input), parameters_, space, files_, variants_, leftOut_, configurations};
        manifest.needed = neededFlags();
        manifest.usual = usualFlags();
        manifest.libraries = linkLibraries();
        const std::vector<Value> scalars = evaluateScalars(stencil_);
        manifest.extents = evaluateExtents(stencil_, scalars);
        manifest.steps = evaluateSteps(stencil_, scalars);
        if (const int status = writeFile(options_.output + "/manifest.json", variants::pretty(toJson(manifest)), diagnostics_))
            return status;
        const auto counted = [](size_t count, const char *what) {
            return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
        };
        std::cout << stencil_.name << ": " << counted(variants_.size(), "variant") << " with "
                  << counted(files_.size(), "C file") << " in " << options_.output;
        if (!leftOut_.empty()) std::cout << "; " << leftOut_.size() << " left out, which no run could do";
        std::cout << '\n' << std::flush;
        return 0;
    }

  private:
    /// Between what is in the C and what is given to the run.
    std::optional<std::string> contradiction(const variants::Settings &settings) const {
        const Knobs knobs = variants::planKnobs(settings);
        const std::vector<std::string> arguments = variants::runArguments(settings);
        const auto has = [&](const char *word) {
            return std::find(arguments.begin(), arguments.end(), word) != arguments.end();
        };
        if (has("sweep") && (knobs.bt > 1 || knobs.ct > 1))
            return "schedule sweep advances one step per pass: bt and ct are 1";
        if (has("--chains") && stencil_.dims.size() == 1) return "chains: a 1-D grid is not cut into tiles";
        return std::nullopt;
    }

    const Analysed &analysed(bool fma) {
        std::optional<Analysed> &found = analysed_[fma];
        if (!found) {
            Stencil stencil = fma ? contracted(stencil_) : stencil_;
            Diagnostics diagnostics; // what there is to say was said of the program as it is
            std::optional<Facts> facts = analyze(stencil, diagnostics);
            if (!facts) throw std::logic_error("the program cannot be analysed once products are contracted");
            const uint64_t hash = hashOf(stencil);
            found = Analysed{std::move(stencil), std::move(*facts), hash};
        }
        return *found;
    }

    /// The index of the file with the C of these knobs; null when they are not legal (and reason_ says why), or it cannot be written.
    const size_t *fileOf(const variants::Settings &settings) {
        const Knobs knobs = variants::planKnobs(settings);
        const bool fma = variants::fmaOf(settings);
        const auto key = std::tuple{knobs.bt,      knobs.bz,        knobs.ct,      knobs.yt, knobs.xt,
                                    knobs.columns, knobs.jamPlanes, knobs.jamRows, fma};
        const auto made = fileOfKnobs_.find(key);
        if (made != fileOfKnobs_.end())
            return reason_ = made->second.second, made->second.first ? &*made->second.first : nullptr;
        auto &[index, reason] = fileOfKnobs_[key];
        const Analysed &program = analysed(fma);
        const Plan plan = makePlan(program.stencil, program.facts, knobs);
        if (auto refused = refusal(program.stencil, program.facts, plan)) {
            reason_ = reason = *refused;
            return nullptr;
        }
        index = write(program, plan);
        return index ? &*index : nullptr;
    }

    std::optional<size_t> write(const Analysed &program, const Plan &plan) {
        const loops::Module module =
            loops::build(program.stencil, program.facts, plan, fileName(options_.input), program.hash);
        loops::verify(module);
        std::ostringstream out;
        emitC(out, module);
        const std::string text = out.str(), digest = variants::digest(text);
        const auto [same, isNew] = fileOfText_.insert({digest, files_.size()});
        if (!isNew) return same->second;
        const std::string name =
            "c/" + variants::fileName(stencil_.name, plan, program.hash != analysed(false).hash, text) + ".c";
        status_ = writeFile(options_.output + '/' + name, text, diagnostics_);
        if (status_ != 0) return std::nullopt;
        files_.push_back({name, digest, text.size(), program.hash});
        return files_.size() - 1;
    }

    using Key = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, bool>;

    const Options &options_;
    const Stencil &stencil_;
    Diagnostics &diagnostics_; // of files
    const std::vector<std::pair<std::string, std::string>> parameters_;
    std::optional<Analysed> analysed_[2];
    std::map<Key, std::pair<std::optional<size_t>, std::string>> fileOfKnobs_; ///< or why there is none
    std::map<std::string, size_t> fileOfText_, names_;
    std::vector<variants::File> files_;
    std::vector<variants::Variant> variants_;
    std::vector<variants::LeftOut> leftOut_;
    std::string reason_;
    int status_ = 0;
};

/// Those that are legal, all or as many as the sample wants, in the order of the product.
int writeChosen(const Options &options, Report &report, const Stencil &stencil, const variants::Space &space,
                const Json &json, const std::vector<variants::Choice> &choices) {
    Writer writer(options, stencil, report.outside());
    const std::vector<size_t> drawn =
        space.sample ? variants::shuffled(choices.size(), space.sample->seed) : std::vector<size_t>();
    for (size_t i = 0; i < choices.size() && !(space.sample && writer.variants() == space.sample->count); ++i) {
        const size_t index = space.sample ? drawn[i] : i;
        writer.add(index, settingsOf(space, choices[index]));
        if (writer.status() != 0) return writer.status();
    }
    return writer.finish(json, choices.size());
}

} // namespace

int writeVariants(const Options &options, Report &report) {
    std::optional<Stencil> stencil;
    if (const int status = readStencil(options, report, stencil)) return status;

    std::string text;
    if (const int status = readFile(options.variants, text, report.outside())) return status;
    const Source &source = report.setSource(Source(options.variants, std::move(text)));
    Diagnostics &diagnostics = report.program();
    const auto json = variants::JsonText::parse(source, diagnostics);
    if (!json) return kBadProgram;
    const auto space = variants::readSpace(*json, stencil->name, diagnostics);
    if (!space) return kBadProgram;
    const auto choices = variants::product(*space, *json, diagnostics);
    if (!choices) return kBadProgram;
    const std::string count = std::to_string(choices->size());
    if (choices->empty())
        diagnostics.error(json->range("/constraints"), "no configuration meets all constraints");
    else if (!space->sample && choices->size() > space->limit)
        diagnostics
            .error(json->range(json->root().contains("limit") ? "/limit" : "/knobs"),
                   "the space has " + count + " configurations, more than " + std::to_string(space->limit))
            .withHelp("write \"limit\": " + count + " if all are wanted, or \"sample\": {\"count\": " +
                      std::to_string(space->limit) + ", \"seed\": 1}");
    if (diagnostics.hasErrors()) return kBadProgram;
    if (const int status = openFolder(options.output, report.outside())) return status;
    return writeChosen(options, report, *stencil, *space, json->root(), *choices);
}

int writeSpace(const Options &options, Report &report) {
    std::optional<Stencil> stencil;
    if (const int status = readStencil(options, report, stencil)) return status;
    Diagnostics diagnostics;
    const std::optional<Facts> facts = analyze(*stencil, diagnostics);
    if (!facts) throw std::logic_error("what could be analysed a moment ago cannot be");
    const std::vector<Value> scalars = evaluateScalars(*stencil);
    const Json space =
        variants::defaultSpace(*stencil, *facts, evaluateExtents(*stencil, scalars), evaluateSteps(*stencil, scalars));
    return writeFile(options.output, variants::pretty(space), report.outside());
}

} // namespace oocc
