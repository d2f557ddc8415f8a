// oocc-lift: what `oocc lift` starts. A program of its own, so that oocc itself starts without Clang's libraries.
#include "driver/command_line.h"
#include "driver/files.h"
#include "driver/options.h"
#include "driver/pipeline.h"
#include "driver/report.h"
#include "lift/lift.h"
#include "support/display.h"

#include <algorithm>
#include <exception>
#include <iostream>

namespace {

struct UsageError {
    std::string message;
};

struct Arguments {
    oocc::lift::Request request;
    std::string output;
};

/// "A,B": two names.
std::pair<std::string, std::string> pair(const std::string &text) {
    const size_t comma = text.find(',');
    if (comma == 0 || comma == std::string::npos || comma + 1 == text.size() ||
        text.find(',', comma + 1) != std::string::npos)
        throw UsageError{"--swap takes two arrays, like A,B, and not '" + text + "'"};
    return {text.substr(0, comma), text.substr(comma + 1)};
}

Arguments parse(int argc, const char *const *argv, CLI::App &app) {
    Arguments arguments;
    oocc::lift::Request &request = arguments.request;
    std::vector<std::string> defines, swaps;
    app.allow_extras();
    app.add_option("FILE", request.input, "the C file");
    app.add_option("--function", request.function, "the function with the loops")->type_name("NAME");
    app.add_option("-o,--output", arguments.output,
                   "where to write: a program, or C when the name ends in .c; without it, stdout")
        ->type_name("FILE");
    app.add_option("-D,--define", defines, "a parameter's default in the program")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false)
        ->take_all();
    app.add_option("-p", request.database,
                   "where compile_commands.json is, which says how the file is compiled")
        ->type_name("DIR");
    app.add_option("--results", request.results,
                   "the arrays that matter when all is done; without it, all that are not local")
        ->type_name("A,B")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--swap", swaps, "the caller swaps these two arrays after every call")
        ->type_name("A,B")
        ->allow_extra_args(false)
        ->take_all();
    app.add_flag("--same-rims", request.sameRims,
                 "arrays that are swapped begin with the same values in the cells that no loop stores");
    app.add_flag("--assume-noalias", request.assumeNoAlias,
                 "no two of the function's pointers name the same memory");
    app.footer("What follows -- is for Clang: oocc lift kernel.c --function step -- -I include -DN=512");

    std::vector<std::string> own(argv + std::min(argc, 1), argv + argc);
    const auto dashes = std::ranges::find(own, "--");
    if (dashes != own.end()) {
        request.flags.assign(dashes + 1, own.end());
        own.erase(dashes, own.end());
    }
    std::ranges::reverse(own);
    app.parse(own);
    if (const auto extra = oocc::extraWord(app, "oocc lift --help")) throw UsageError{*extra};
    if (request.input.empty() || request.function.empty())
        throw UsageError{"usage: oocc lift FILE.c --function NAME [-o FILE.stn|FILE.c] [-D NAME=VALUE] [-p "
                         "DIR | -- FLAGS]"};
    if (!request.database.empty() && !request.flags.empty())
        throw UsageError{"either -p DIR or flags after '--': both say how the file is compiled"};
    for (const std::string &text : defines) {
        const size_t equals = text.find('=');
        if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
            throw UsageError{"-D takes name=value, not '" + text + "'"};
        request.defaults[text.substr(0, equals)] = text.substr(equals + 1);
    }
    for (const std::string &text : swaps)
        request.swaps.push_back(pair(text));
    return arguments;
}

int run(const Arguments &arguments) {
    const oocc::lift::Outcome outcome = oocc::lift::lift(arguments.request);
    if (!outcome.text) return outcome.status;
    const std::string &output = arguments.output;
    if (!output.ends_with(".c")) return oocc::writeFile(output, *outcome.text);
    oocc::Options options; // the compiler itself sees to it that the program is sound
    options.input = output.substr(0, output.size() - 2) + ".stn";
    options.output = output;
    oocc::Report report({});
    return oocc::compileText(options, *outcome.text, report);
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app("Lifts the loops of a C function to a stencil program.", "oocc lift");
    try {
        return run(parse(argc, argv, app));
    } catch (const CLI::CallForHelp &) {
        std::cout << app.help();
        return 0;
    } catch (const CLI::ParseError &error) {
        std::cerr << "oocc lift: " << oocc::shownShort(error.what()) << '\n';
    } catch (const UsageError &error) {
        std::cerr << "oocc lift: " << oocc::shownShort(error.message) << '\n';
    } catch (const std::exception &error) {
        std::cerr << "oocc lift: internal error: " << error.what()
                  << "\noocc lift: help: please report this, with the file\n";
        return oocc::kInternalError;
    }
    return oocc::kUsage;
}
