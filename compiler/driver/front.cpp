#include "driver/front.h"

#include "analysis/facts.h"
#include "driver/files.h"
#include "stencil/verifier.h"
#include "syntax/parse.h"

#include <iostream>

namespace oocc {

int readStencil(const Options &options, std::optional<Stencil> &stencil) {
    std::string text;
    if (const int status = readFile(options.input, text)) return status;
    const Source source(options.input, std::move(text));
    Diagnostics diagnostics;
    if (const auto program = parse(source, diagnostics)) stencil = resolve(*program, options.defines, diagnostics);
    if (stencil) verify(*stencil);
    const bool good = stencil && analyze(*stencil, diagnostics);
    diagnostics.print(std::cerr, source);
    return good ? 0 : kBadProgram;
}

} // namespace oocc
