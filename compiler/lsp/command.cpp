#include "lsp/command.h"

#include "driver/command_line.h"
#include "lsp/server.h"

#include <csignal>
#include <unistd.h>

namespace oocc {

int lspCommand(int argc, const char *const *argv) {
    CLI::App app("A language server for .stn programs, which editors start: it talks to them on stdin and stdout.", "oocc lsp");
    bool stdio = false;
    app.add_flag("--stdio", stdio, "what it does anyway; some editors say so");
    if (const auto status = parseCommandLine(app, argc, argv)) return *status;
    std::signal(SIGPIPE, SIG_IGN); // a client that is gone is noticed by writing
    lsp::Connection connection(STDIN_FILENO, STDOUT_FILENO);
    return lsp::Server(connection).run();
}

} // namespace oocc
