// A program's text through the whole compiler: every stage and its verifier, twice to the same C, and through the formatter, which
// keeps the C and changes nothing a second time.
#include "analysis/facts.h"
#include "ast/printer.h"
#include "diagnostics_check.h"
#include "driver/hash.h"
#include "emit/emit.h"
#include "format/format.h"
#include "loops/build.h"
#include "plan/plan.h"
#include "sema/resolve.h"
#include "stencil/contract.h"
#include "stencil/printer.h"
#include "stencil/verifier.h"
#include "syntax/parse.h"

namespace {

using namespace oocc;

/// What the text's hash chooses: the C must not depend on more than these.
struct Way {
    bool fma, library;
    Knobs knobs;
};

Way wayOf(std::string_view text) {
    const uint64_t hash = hashOf(text);
    Way way{hash % 4 == 1, hash % 8 == 2, {}};
    if (hash % 16 >= 12) way.knobs.jamPlanes = way.knobs.jamRows = 1;
    return way;
}

/// The C, or nothing; `parsed` tells which of the stages refused the text. `print`: the stages between are printed, too.
std::optional<std::string> compiled(const Source &source, const Way &way, bool print, bool *parsed) {
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

void format(const Source &source, bool parsed, const Way &way, const std::optional<std::string> &c) {
    Diagnostics diagnostics;
    const std::optional<std::string> once = oocc::format(source, diagnostics);
    require(once.has_value() || !parsed, "what parses is not formatted");
    requireDiagnostics(diagnostics, source, !once);
    if (!once) return;
    const Source formatted(source.path(), *once);
    Diagnostics again;
    const std::optional<std::string> twice = oocc::format(formatted, again);
    require(twice == once, "formatting a second time changes it:\n" + *once + "\n-- to --\n" + twice.value_or("(nothing)"));
    bool ignored = false;
    require(compiled(formatted, way, false, &ignored) == c, "formatted, it is another program:\n" + *once);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string text(reinterpret_cast<const char *>(data), size);
    const Source source("program.stn", text);
    const Way way = wayOf(text);
    bool parsed = false;
    const std::optional<std::string> c = compiled(source, way, true, &parsed);
    if (c) require(compiled(source, way, false, &parsed) == c, "the same text gives other C the second time");
    format(source, parsed, way, c);
    return 0;
}
