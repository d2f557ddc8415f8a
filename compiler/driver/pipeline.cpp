// The compiler as a table of contents: every stage in order, and where --emit stops.
#include "driver/pipeline.h"

#include "analysis/facts.h"
#include "ast/printer.h"
#include "driver/build_program.h"
#include "driver/files.h"
#include "driver/hash.h"
#include "driver/timings.h"
#include "emit/emit.h"
#include "loops/build.h"
#include "plan/plan.h"
#include "sema/resolve.h"
#include "stencil/contract.h"
#include "stencil/printer.h"
#include "stencil/verifier.h"
#include "syntax/parse.h"

#include <iostream>
#include <sstream>

namespace oocc {

namespace {

/// The text that was asked for; nothing when a diagnostic was an error.
std::optional<std::string> translate(const Source &source, const Options &options, Diagnostics &diagnostics,
                                     Timings &timings) {
    std::ostringstream out;

    const auto program = timings.measure("parse", [&] { return parse(source, diagnostics); });
    if (!program) return std::nullopt;
    if (options.emit == Options::Ast) return print(out, *program), out.str();

    auto stencil =
        timings.measure("resolve", [&] { return resolve(*program, options.defines, diagnostics); });
    if (!stencil) return std::nullopt;
    if (options.fma) stencil = contracted(std::move(*stencil));
    verify(*stencil);
    if (options.emit == Options::Stencil) return print(out, *stencil), out.str();

    const auto facts = timings.measure("analyse", [&] { return analyze(*stencil, diagnostics); });
    if (!facts) return std::nullopt;
    if (options.emit == Options::Facts) return print(out, *stencil, *facts), out.str();

    const Knobs knobs{options.bt, options.bz, options.ct, options.yt, options.xt,
                      options.columns, options.jamPlanes, options.jamRows};
    const Plan plan = timings.measure("plan", [&] { return makePlan(*stencil, *facts, knobs); });
    verify(*stencil, *facts, plan);
    if (options.emit == Options::Plan) return print(out, *stencil, plan), out.str();

    const loops::Module module = timings.measure("loops", [&] {
        return loops::build(*stencil, *facts, plan, fileName(source.path()), hashOf(*stencil));
    });
    loops::verify(module);
    if (options.emit == Options::Loops) return print(out, module), out.str();

    timings.measure("emit", [&] { emitC(out, module); });
    return out.str();
}

} // namespace

int compile(const Options &options) {
    std::string text;
    if (const int status = readFile(options.input, text)) return status;
    return compileText(options, std::move(text));
}

int compileText(const Options &options, std::string text) {
    Timings timings;
    const Source source(options.input, std::move(text));
    Diagnostics diagnostics;
    const std::optional<std::string> result = translate(source, options, diagnostics, timings);
    diagnostics.print(std::cerr, source);
    if (!result) return kBadProgram;
    int status = 0;
    if (options.command == Options::Run)
        status = runProgram(*result, options);
    else if (options.emit == Options::Exe)
        status = timings.measure("cc", [&] { return buildProgram(*result, options.output, options); });
    else
        status = writeFile(options.output, *result);
    if (options.timings) timings.print(std::cerr);
    return status;
}

} // namespace oocc
