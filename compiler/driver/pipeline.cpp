// The compiler as a table of contents: every stage in order, and where --emit stops.
#include "driver/pipeline.h"

#include "analysis/facts.h"
#include "ast/printer.h"
#include "driver/build_program.h"
#include "driver/dependencies.h"
#include "driver/files.h"
#include "driver/hash.h"
#include "driver/timings.h"
#include "driver/variants.h"
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
        const bool library = options.emit == Options::Library || options.emit == Options::Header;
        return loops::build(*stencil, *facts, plan, fileName(source.path()), hashOf(*stencil),
                            library ? loops::Form::Library : loops::Form::Program);
    });
    loops::verify(module);
    if (options.emit == Options::Loops) return print(out, module), out.str();

    timings.measure("emit", [&] {
        if (options.emit == Options::Header)
            emitHeader(out, module.interface);
        else
            emitC(out, module);
    });
    return out.str();
}

} // namespace

int compile(const Options &options, Report &report) {
    if (!options.variants.empty()) return report.finish(writeVariants(options, report));
    if (options.space) return report.finish(writeSpace(options, report));
    std::string text;
    if (const int status = readFile(options.input, text, report.outside())) return report.finish(status);
    if (options.rule.kind == DependencyRule::Only) return report.finish(writeRule(options, report.outside()));
    return compileText(options, std::move(text), report);
}

int compileText(const Options &options, std::string text, Report &report) {
    Timings timings;
    const Source &source = report.setSource(Source(options.input, std::move(text)));
    const std::optional<std::string> result = translate(source, options, report.program(), timings);
    if (!result) return report.finish(kBadProgram);
    report.flush();
    if (options.timings) report.setTimes(timings.list()); // `run` finishes the report before the program begins
    int status = 0;
    if (options.command == Options::Run)
        status = runProgram(*result, options, report);
    else if (options.emit == Options::Exe)
        status = timings.measure("cc", [&] { return buildProgram(*result, options.output, options, report); });
    else
        status = writeFile(options.output, *result, report.outside());
    if (status == 0 && options.rule.kind == DependencyRule::Beside) status = writeRule(options, report.outside());
    if (options.timings && report.isText()) timings.print(std::cerr);
    if (options.timings) report.setTimes(timings.list());
    return report.finish(status);
}

} // namespace oocc
