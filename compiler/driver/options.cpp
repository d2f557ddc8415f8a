#include "driver/options.h"

#include "driver/command_line.h"
#include "driver/commands.h"
#include "driver/files.h"
#include "driver/report.h"

#include <charconv>
#include <ostream>
#include <string_view>

namespace oocc {

namespace {

constexpr std::pair<const char *, Options::Emit> kEmits[] = {
    {"ast", Options::Ast},   {"stencil", Options::Stencil}, {"facts", Options::Facts},
    {"plan", Options::Plan}, {"loops", Options::Loops},     {"c", Options::C},
    {"library", Options::Library}, {"header", Options::Header}, {"exe", Options::Exe},
};

struct UsageError {
    std::string message;
};

/// Refuses what is none of the words.
void oneOf(const std::string &option, const std::string &text, const std::vector<std::string> &words) {
    if (const auto refusal = noneOf(option, text, words)) throw UsageError{*refusal};
}

Options::Emit parseEmit(const std::string &text) {
    std::vector<std::string> names;
    for (const auto &[name, emit] : kEmits) {
        if (text == name) return emit;
        names.emplace_back(name);
    }
    oneOf("--emit", text, names); // always throws
    return Options::C;
}

int64_t parseBlock(const char *option, const std::string &text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1)
        throw UsageError{std::string(option) + " takes a whole number from 1 on, not '" + text + "'"};
    return value;
}

/// "2x4": planes and rows.
std::pair<int64_t, int64_t> parseJam(const std::string &text) {
    constexpr int64_t kMost = 8;
    const size_t times = text.find('x');
    const std::string planes = text.substr(0, times), rows = times == std::string::npos ? "" : text.substr(times + 1);
    const auto part = [&](const std::string &digits) {
        int64_t value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc() || end != digits.data() + digits.size() || value < 1 || value > kMost)
            throw UsageError{"--jam takes planes and rows from 1 to 8, like 2x2 (1x1: none), not '" + text + "'"};
        return value;
    };
    return {part(planes), part(rows)};
}

Define parseDefine(const std::string &text) {
    const size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
        throw UsageError{"-D takes name=value, not '" + text + "'"};
    return {text.substr(0, equals), text.substr(equals + 1)};
}

void refuseExtras(const CLI::App &app, bool isRun) {
    const std::vector<std::string> extras = app.remaining();
    if (extras.empty()) return;
    const std::string &first = extras.front();
    if (!first.starts_with('-')) throw UsageError{"one program at a time; '" + first + "' is one too many"};
    if (first == "--set" || first == "--param") throw UsageError{"unknown option '" + first + "'; parameters are set with -D NAME=VALUE"};
    throw UsageError{*extraWord(app, app.get_name() + " --help", isRun ? ", and the program's own stand behind '--'" : "")};
}

/// -MD, -MF and -MT are words, as C compilers have them; to CLI11 they would be -M and a letter. What follows at once is the
/// value. They get long names on the way in, which nobody has to know.
constexpr std::pair<std::string_view, const char *> kRuleWords[] = {
    {"-MD", "--dependencies"}, {"-MF", "--dependency-file"}, {"-MT", "--dependency-target"}};

void renameRuleWords(std::vector<std::string> &words) {
    for (std::string &word : words)
        for (const auto &[spelt, name] : kRuleWords) {
            if (!word.starts_with(spelt)) continue;
            const std::string value = word.substr(spelt.size());
            if (!value.empty() && spelt == "-MD") continue;
            word = name + (value.empty() ? "" : '=' + value);
            break;
        }
}

DependencyRule parseRule(const CLI::App &app, const Options &options) {
    DependencyRule rule = options.rule;
    const bool only = app.count("-M") > 0, beside = app.count("--dependencies") > 0;
    if (only && beside) throw UsageError{"-M prints the rule instead of the output, -MD as well: give one of them"};
    rule.kind = only ? DependencyRule::Only : beside ? DependencyRule::Beside : DependencyRule::None;
    if (rule.kind == DependencyRule::None && (!rule.file.empty() || !rule.target.empty()))
        throw UsageError{"-MF and -MT go with -M or -MD"};
    if (rule.kind != DependencyRule::None && options.command == Options::Run)
        throw UsageError{"'oocc run' keeps nothing that could depend on anything; -M and -MD go without 'run'"};
    if (beside && options.output.empty() && (rule.file.empty() || rule.target.empty()))
        throw UsageError{"-MD writes beside the output and needs -o FILE, or -MF FILE and -MT TARGET"};
    if (only && options.output.empty() && rule.target.empty())
        throw UsageError{"-M needs to know what depends: -o FILE or -MT TARGET"};
    return rule;
}

/// Takes the command from the front and the program's arguments from behind `--`; the rest, in the reverse order
/// CLI11 wants.
std::vector<std::string> split(int argc, const char *const *argv, Options &options) {
    std::vector<std::string> own(argv + std::min(argc, 1), argv + argc);
    if (argc > 0 && std::string_view(argv[0]) == "run") options.command = Options::Run;
    const auto dashes = std::find(own.begin(), own.end(), "--");
    if (dashes != own.end()) {
        if (options.command != Options::Run)
            throw UsageError{"arguments after '--' go to the program, and only 'oocc run' runs it"};
        options.programArgs.assign(dashes + 1, own.end());
        own.erase(dashes, own.end());
    }
    renameRuleWords(own);
    std::reverse(own.begin(), own.end());
    return own;
}

/// A space has its knobs, and what is made of it is C.
void checkVariants(const CLI::App &app, const Options &options) {
    if (options.variants.empty() && !options.space) return;
    const std::string name = options.space ? "--space" : "--variants";
    if (options.space && !options.variants.empty())
        throw UsageError{"--space writes a space and --variants reads one; give one of them"};
    if (options.command == Options::Run) throw UsageError{"'oocc run' does not take " + name};
    for (const char *other : {"--emit", "--bt", "--bz", "--ct", "--yt", "--xt", "--columns", "--jam", "--fma"})
        if (app.count(other) > 0)
            throw UsageError{name + " does not go with " + other +
                             (std::string(other) == "--emit" ? "" : "; make it a knob of the space, with one value")};
    if (!options.space && options.output.empty()) throw UsageError{"--variants needs -o DIR"};
}

Options parse(int argc, const char *const *argv, CLI::App &app) {
    Options options;
    std::string emit;
    std::string bt, bz, ct, yt, xt, columns, jam;
    std::vector<std::string> defines;
    std::string diagnostics, diagnosticsFile, colour;
    const bool isRun = argc > 0 && std::string_view(argv[0]) == "run";
    if (isRun) {
        app.name("oocc run");
        app.description("Builds a program and runs it; what follows -- goes to the program ('-- --help' lists its options).");
    }
    app.set_version_flag("--version", "oocc " OOCC_VERSION, "print the version and exit");
    app.set_help_flag("-h,--help", "print this and exit");
    app.allow_extras();
    app.add_option("PROGRAM", options.input, "the .stn file");

    const char *group = "Compiling";
    app.add_option("-o,--output", options.output, "where to write; without it or for -, stdout")->type_name("FILE")->group(group);
    app.add_option("-D,--define", defines, "set a parameter, as a constant of the generated program")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false)
        ->take_all()
        ->group(group);
    app.add_option("--emit", emit, "where to stop: ast, stencil, facts, plan, loops, c (the default), exe, library or header")
        ->type_name("STAGE")
        ->group(group);
    app.add_flag("--fma", options.fma, "round products that are added once, as fma")->group(group);
    app.add_option("--cc", options.cc, "the C compiler that builds programs")
        ->type_name("CC")
        ->capture_default_str()
        ->group(group);
    app.add_option("--runtime", options.runtimeDir, "where include/ and lib/ of the runtime are")
        ->type_name("DIR")
        ->group(group);

    group = "Studies";
    app.add_option("--variants", options.variants, "write every variant of a space into the directory -o")
        ->type_name("SPACE.json")
        ->group(group);
    app.add_flag("--space", options.space, "write a space for --variants to begin with")->group(group);

    group = "Dependencies";
    bool ruleOnly = false, ruleBeside = false; // counted by parseRule()
    app.add_flag("-M", ruleOnly, "print what the output depends on, as a rule for make, and write nothing else")
        ->group(group);
    app.add_flag("--dependencies", ruleBeside, "(-MD) write that rule beside the output")->group(group);
    app.add_option("--dependency-file", options.rule.file, "(-MF) where to write the rule")
        ->type_name("FILE")
        ->group(group);
    app.add_option("--dependency-target", options.rule.target, "(-MT) the rule's target instead of the output")
        ->type_name("TARGET")
        ->group(group);

    group = "Schedule, otherwise chosen when the program runs";
    app.add_option("--bt", bt, "steps per pass over the grid")->type_name("N")->group(group);
    app.add_option("--bz", bz, "planes by which the window moves")->type_name("N")->group(group);
    app.add_option("--ct", ct, "steps done while data is in cache")->type_name("N")->group(group);
    app.add_option("--yt", yt, "rows of a tile")->type_name("N")->group(group);
    app.add_option("--xt", xt, "cells of a piece of a row")->type_name("N")->group(group);
    app.add_option("--columns", columns, "columns that a plane is cut into")->type_name("N")->group(group);
    app.add_option("--jam", jam, "planes and rows that one loop computes at once, like 2x2; 1x1 is none")
        ->type_name("ZxY")
        ->group(group);

    group = "Messages";
    app.add_option("--diagnostics", diagnostics, "how to write messages: text (the default), json or sarif")
        ->type_name("FORMAT")
        ->group(group);
    app.add_option("--diagnostics-file", diagnosticsFile, "where to write them; without it, stderr")
        ->type_name("FILE")
        ->group(group);
    app.add_option("--color", colour, "colours in text: auto (on a terminal), always or never")
        ->type_name("WHEN")
        ->group(group);
    app.add_flag("--time", options.timings, "print what each stage took, on stderr")->group(group);
    if (isRun)
        for (const char *name : {"-o", "--emit"})
            app.get_option(name)->group(""); // not in its help: they are refused below, with the reason
    else
        app.footer(std::string("Commands, each with a --help of its own:\n") + commandList());

    app.parse(split(argc, argv, options));
    refuseExtras(app, isRun);

    if (options.output == "-") options.output.clear(); // stdout, as without -o
    if (app.count("--emit") > 0) options.emit = parseEmit(emit);
    for (auto [name, text, value] : {std::tuple{"--bt", &bt, &options.bt},
                                     {"--bz", &bz, &options.bz},
                                     {"--ct", &ct, &options.ct},
                                     {"--yt", &yt, &options.yt},
                                     {"--xt", &xt, &options.xt},
                                     {"--columns", &columns, &options.columns}})
        if (app.count(name) > 0) *value = parseBlock(name, *text);
    if (app.count("--jam") > 0) std::tie(options.jamPlanes, options.jamRows) = parseJam(jam);
    if (app.count("--diagnostics") > 0) oneOf("--diagnostics", diagnostics, {"text", "json", "sarif"});
    if (app.count("--color") > 0) oneOf("--color", colour, {"auto", "always", "never"});
    if (app.count("--diagnostics-file") > 0 && (diagnosticsFile.empty() || isSameFile(diagnosticsFile, options.output) ||
                                                 isSameFile(diagnosticsFile, options.input)))
        throw UsageError{"--diagnostics-file needs a file of its own"};
    for (const std::string &define : defines)
        options.defines.push_back(parseDefine(define));

    if (options.input.empty()) throw UsageError{"no program given; usage: oocc PROGRAM.stn -o FILE.c"};
    if (options.command == Options::Run && app.count("--emit") + app.count("--output") > 0)
        throw UsageError{
            "'oocc run' takes neither --emit nor -o; it builds the program, runs it and keeps nothing"};
    checkVariants(app, options);
    options.rule = parseRule(app, options);
    if (options.emit == Options::Exe && options.output.empty() && options.rule.kind != DependencyRule::Only)
        throw UsageError{"--emit=exe needs -o FILE"};
    return options;
}

} // namespace

std::variant<Options, int> parseOptions(int argc, const char *const *argv, std::ostream &out,
                                        Diagnostics &diagnostics) {
    CLI::App app("Compiles stencil programs on grids larger than memory to C.", "oocc");
    try {
        return parse(argc, argv, app);
    } catch (const CLI::CallForHelp &) {
        out << app.help();
        return 0;
    } catch (const CLI::CallForVersion &version) {
        out << version.what() << '\n';
        return 0;
    } catch (const CLI::ParseError &error) {
        diagnostics.error(kNowhere, error.what());
    } catch (const UsageError &error) {
        diagnostics.error(kNowhere, error.message);
    }
    return kUsage;
}

} // namespace oocc
