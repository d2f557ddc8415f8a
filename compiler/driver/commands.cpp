#include "driver/commands.h"

#include "driver/lift.h"
#include "driver/options.h"
#include "driver/pipeline.h"

#include <iostream>
#include <string>

namespace oocc {

namespace {

constexpr Command kCommands[] = {
    {"run", "PROGRAM [OPTIONS] -- ARGUMENTS", "builds the program and runs it with ARGUMENTS", compileCommand},
    {"lift", "FILE.c --function NAME [OPTIONS]", "lifts the loops of a C function to a program", liftCommand},
};

} // namespace

const Command *commandOf(int argc, const char *const *argv) {
    if (argc < 2) return nullptr;
    for (const Command &command : kCommands)
        if (command.name == argv[1]) return &command;
    return nullptr;
}

const char *commandList() {
    static const std::string list = [] {
        std::string text;
        for (const Command &command : kCommands)
            text += "oocc " + std::string(command.name) + ' ' + command.synopsis + "\n    " + command.summary + '\n';
        return text;
    }();
    return list.c_str();
}

int compileCommand(int argc, const char *const *argv) {
    const std::variant<Options, int> parsed = parseOptions(argc, argv, std::cout, std::cerr);
    if (const int *status = std::get_if<int>(&parsed)) return *status;
    return compile(std::get<Options>(parsed));
}

} // namespace oocc
