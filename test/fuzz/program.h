// A program's text through the whole compiler: every stage and its verifier.
#pragma once

#include "analysis/facts.h"
#include "ast/printer.h"
#include "diagnostics_check.h"
#include "driver/hash.h"
#include "emit/emit.h"
#include "loops/build.h"
#include "plan/plan.h"
#include "sema/resolve.h"
#include "stencil/contract.h"
#include "stencil/printer.h"
#include "stencil/verifier.h"
#include "syntax/parse.h"

using namespace oocc; // of targets alone

/// What the text's hash chooses: the C must not depend on more than these.
struct Way {
    bool fma, library;
    Knobs knobs;
};

inline Way wayOf(std::string_view text) {
    const uint64_t hash = hashOf(text);
    Way way{hash % 4 == 1, hash % 8 == 2, {}};
    if (hash % 16 >= 12) way.knobs.jamPlanes = way.knobs.jamRows = 1;
    return way;
}

/// The C, or nothing; `parsed` tells which of the stages refused the text. `print`: the stages between are printed, too,
/// and diagnostics as documents.
inline std::optional<std::string> compiled(const Source &source, const Way &way, bool print, bool *parsed) {
    Diagnostics diagnostics;
    std::ostringstream out;
    const auto program = parse(source, diagnostics);
    *parsed = program.has_value();
    if (program && print) ast::print(out, *program);
    std::optional<Stencil> stencil;
    if (program) stencil = resolve(*program, {}, diagnostics);
    if (stencil && way.fma) stencil = contracted(std::move(*stencil));
    if (stencil) verify(*stencil);
    if (stencil && print) oocc::print(out, *stencil);
    std::optional<Facts> facts;
    if (stencil) facts = analyze(*stencil, diagnostics);
    requireDiagnostics(diagnostics, source, !facts);
    if (print) requireDocuments(diagnostics, source, !facts);
    if (!facts) return std::nullopt;
    const Plan plan = makePlan(*stencil, *facts, way.knobs);
    verify(*stencil, *facts, plan);
    if (print) oocc::print(out, *stencil, *facts), oocc::print(out, *stencil, plan);
    const loops::Module module = loops::build(*stencil, *facts, plan, source.path(), hashOf(*stencil),
                                              way.library ? loops::Form::Library : loops::Form::Program);
    loops::verify(module);
    if (print) loops::print(out, module);
    require(!print || !out.str().empty(), "stages that print nothing");
    std::ostringstream c;
    if (way.library) emitHeader(c, module.interface);
    emitC(c, module);
    return c.str();
}
