#include "driver/commands.h"
#include "driver/files.h"
#include "support/display.h"

#include <exception>
#include <new>
#include <iostream>

int main(int argc, char **argv) {
    try {
        if (const oocc::Command *command = oocc::commandOf(argc, argv)) return command->run(argc - 1, argv + 1);
        return oocc::compileCommand(argc, argv);
    } catch (const std::bad_alloc &) {
        std::cerr << "oocc: error: out of memory\n";
        return oocc::kNoMemory;
    } catch (const std::exception &error) {
        std::cerr << "oocc: internal error: " << oocc::shownShort(error.what())
                  << "\noocc: help: please report this, with the program\n";
        return oocc::kInternalError;
    }
}
