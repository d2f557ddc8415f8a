// A program's text through the whole compiler, all stages printed and diagnostics as documents; twice to the same C; and through the
// formatter, which keeps the C and changes nothing a second time.
#include "format/format.h"
#include "program.h"

namespace {

void format(const Source &source, bool parsed, const Way &way, const std::optional<std::string> &c) {
    Diagnostics diagnostics;
    const std::optional<std::string> once = oocc::format(source, diagnostics);
    require(once.has_value() || !parsed, "what parses is not formatted");
    requireDiagnostics(diagnostics, source, !once);
    requireDocuments(diagnostics, source, !once);
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
