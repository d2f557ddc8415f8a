#include "lsp/command.h"

#include "driver/extras.h"
#include "lsp/server.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <iostream>
#include <unistd.h>

namespace oocc {

int lspCommand(int argc, const char *const *argv) {
    constexpr int kUsage = 2;
    CLI::App app("A language server for .stn programs, which editors start: it talks to them on stdin and stdout.", "oocc lsp");
    bool stdio = false;
    app.allow_extras();
    app.add_flag("--stdio", stdio, "what it does anyway; some editors say so");
    std::string usage;
    try {
        app.parse(argc, argv);
        usage = unknownOption(app, "oocc lsp --help").value_or("");
    } catch (const CLI::CallForHelp &) {
        std::cout << app.help();
        return 0;
    } catch (const CLI::ParseError &error) {
        usage = error.what();
    }
    if (!usage.empty()) {
        std::cerr << "oocc: " << usage << '\n';
        return kUsage;
    }
    std::signal(SIGPIPE, SIG_IGN); // a client that is gone is noticed by writing
    lsp::Connection connection(STDIN_FILENO, STDOUT_FILENO);
    return lsp::Server(connection).run();
}

} // namespace oocc
