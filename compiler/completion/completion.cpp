#include "completion/completion.h"

#include "completion/shells.h"
#include "driver/command_line.h"
#include "driver/commands.h"
#include "driver/files.h"
#include "driver/process.h"
#include "program_help.h"
#include "syntax/parse.h"

#include <iostream>
#include <stdexcept>

namespace oocc {

namespace completion {

Kind kindOf(const Word &word) {
    if (!word.values.empty()) return Kind::Values;
    const bool option = !word.names.empty() && word.names.front().starts_with('-');
    const std::string &what = option ? word.argument : word.names.front();
    if (option && word.argument.empty()) return Kind::Nothing;
    if (what == "NAME=VALUE") return Kind::Parameters;
    if (what.starts_with("DIR")) return Kind::Folders;
    if (what.starts_with("FILE"))
        return word.text.find(".stn") == std::string::npos ? Kind::Files : Kind::Programs;
    if (option) return Kind::Nothing;
    return word.text.find(".stn") == std::string::npos ? Kind::Nothing : Kind::Programs;
}

bool isCommand(const Words &words) {
    return words.name != "compile" && words.name != "program";
}

namespace {

Help helpOf(const std::vector<std::string> &words) {
    std::vector<std::string> command{ownPath()};
    command.insert(command.end(), words.begin(), words.end());
    command.push_back("--help");
    std::string text;
    const int status = execute(command, &text);
    if (status == kInternalError && !words.empty()) return {}; // oocc lift, where there is no Clang
    if (status != 0)
        throw std::runtime_error("'" + (words.empty() ? "oocc" : "oocc " + words[0]) + " --help' fails");
    return readHelp(text);
}

std::vector<Words> everything() {
    std::vector<Words> all{{"compile", "", helpOf({})}, {"program", "", readHelp(kProgramHelp)}};
    for (const Command &command : commands())
        all.push_back({std::string(command.name), command.summary, helpOf({std::string(command.name)})});
    return all;
}

/// The parameters of a program, a line each; of one that is not finished, none.
int printParameters(const std::string &path) {
    Diagnostics diagnostics;
    std::string text;
    if (const int status = readFile(path, text)) return status;
    const Source source(path, std::move(text));
    const auto program = parse(source, diagnostics);
    if (!program) return 0;
    for (const ast::Statement &statement : program->statements)
        if (const auto *param = std::get_if<ast::Param>(&statement.node))
            std::cout << param->name.text << '\n';
    return 0;
}

} // namespace

} // namespace completion

int completionCommand(int argc, const char *const *argv) {
    using namespace completion;
    CLI::App app(
        "Prints what a shell completes: commands, options, their values, programs and their parameters.\n"
        "Where oocc is installed, shells find it by themselves; otherwise: source <(oocc completion bash)",
        "oocc completion");
    std::string shell, params;
    app.add_option("SHELL", shell, "the shell: bash or zsh");
    app.add_option("--params", params, "print the names of the parameters of a program, a .stn file, instead")
        ->type_name("FILE");
    if (const auto status = parseCommandLine(app, argc, argv)) return *status;
    if (!params.empty()) return printParameters(params);
    if (shell.empty()) return usageError("which shell? oocc completion bash, or oocc completion zsh");
    if (const auto refusal = noneOf("the shell", shell, {"bash", "zsh"})) return usageError(*refusal);
    (shell == "bash" ? printBash : printZsh)(std::cout, everything());
    std::cout << std::flush;
    return std::cout ? 0 : static_cast<int>(kIoError);
}

} // namespace oocc
