// `oocc lsp`.
#pragma once

namespace oocc {

int lspCommand(int argc, const char *const *argv);

} // namespace oocc
