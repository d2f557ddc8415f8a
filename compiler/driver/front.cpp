#include "driver/front.h"

#include "analysis/facts.h"
#include "driver/files.h"
#include "stencil/verifier.h"
#include "syntax/parse.h"

namespace oocc {

int readStencil(const Options &options, Report &report, std::optional<Stencil> &stencil) {
    std::string text;
    if (const int status = readFile(options.input, text, report.outside())) return status;
    const Source &source = report.setSource(Source(options.input, std::move(text)));
    Diagnostics &diagnostics = report.program();
    if (const auto program = parse(source, diagnostics)) stencil = resolve(*program, options.defines, diagnostics);
    if (stencil) verify(*stencil);
    const bool good = stencil && analyze(*stencil, diagnostics);
    report.flush();
    return good ? 0 : kBadProgram;
}

} // namespace oocc
