#include "driver/commands.h"

#include "completion/completion.h"
#include "doctor/doctor.h"
#include "driver/files.h"
#include "driver/lift.h"
#include "driver/options.h"
#include "driver/pipeline.h"
#include "driver/process.h"
#include "format/command.h"
#include "init/init.h"
#include "lsp/command.h"
#include "study/study.h"
#include "support/spelling.h"

#include <iostream>
#include <new>
#include <string>
#include <unistd.h>
#include <vector>

namespace oocc {

namespace {

int verifyCommand(int argc, const char *const *argv) {
    return becomeBeside("oocc-verify", argc, argv);
}

constexpr Command kCommands[] = {
    {"run", "PROGRAM [OPTIONS] -- ARGUMENTS", "builds the program and runs it with ARGUMENTS",
     compileCommand},
    {"study", "DIR [OPTIONS] [-- ARGUMENTS]", "builds and measures the variants in DIR", studyCommand},
    {"verify", "DIR[,DIR...]", "reads all that a run keeps in its scratch and compares checksums", verifyCommand},
    {"init", "[NAME] [--template KIND] [--cmake]", "makes a folder with a program to begin with",
     initCommand},
    {"completion", "bash|zsh", "prints what a shell completes", completionCommand},
    {"doctor", "[--scratch DIR] [--json]", "checks whether this machine has what programs need",
     doctorCommand},
    {"fmt", "[-i] [--check] [--diff] PROGRAM...", "lays programs out in the one style that all have", formatCommand},
    {"lsp", "", "is a language server, which editors start", lspCommand},
    {"lift", "FILE.c --function NAME [OPTIONS]", "lifts the loops of a C function to a program", liftCommand},
};

/// The command that is meant by what is not the name of a program, which has a dot or is there; or nothing.
std::string misspeltCommand(const std::string &input) {
    if (input.find_first_of("./") != std::string::npos || access(input.c_str(), F_OK) == 0) return "";
    std::vector<std::string> names;
    for (const Command &command : kCommands)
        names.emplace_back(command.name);
    return closest(input, names).value_or("");
}

} // namespace

const Command *commandOf(int argc, const char *const *argv) {
    if (argc < 2) return nullptr;
    for (const Command &command : kCommands)
        if (command.name == argv[1]) return &command;
    return nullptr;
}

std::span<const Command> commands() {
    return kCommands;
}

const char *commandList() {
    static const std::string list = [] {
        std::string text;
        for (const Command &command : kCommands)
            text += "oocc " + std::string(command.name) + ' ' + command.synopsis + "\n    " +
                    command.summary + '\n';
        return text;
    }();
    return list.c_str();
}

int compileCommand(int argc, const char *const *argv) {
    Report report(reportOptions(argc, argv));
    try {
        const std::variant<Options, int> parsed = parseOptions(argc, argv, std::cout, report.outside());
        if (const int *status = std::get_if<int>(&parsed)) return *status == 0 ? 0 : report.finish(*status);
        const Options &options = std::get<Options>(parsed);
        if (const std::string command = misspeltCommand(options.input); !command.empty()) {
            report.outside().error(kNowhere, "there is no command and no file '" + options.input +
                                                 "'; did you mean 'oocc " + command + "'?");
            return report.finish(kUsage);
        }
        return compile(options, report);
    } catch (const std::bad_alloc &) {
        if (report.isText()) throw; // main() says so without taking any
        return report.outOfMemory();
    } catch (const std::exception &error) {
        return report.internalError(error);
    }
}

} // namespace oocc
