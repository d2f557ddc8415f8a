#include "driver/commands.h"
#include "driver/files.h"

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

int main(int argc, char **argv) {
    try {
        if (const oocc::Command *command = oocc::commandOf(argc, argv)) return command->run(argc - 1, argv + 1);
        return oocc::compileCommand(argc, argv);
    } catch (const std::bad_alloc &) {
        std::fputs("oocc: error: out of memory\n", stderr); // takes none itself
        return oocc::kNoMemory;
    } catch (const std::exception &error) {
        std::cerr << "oocc: internal error: " << error.what()
                  << "\noocc: help: please report this, with the program\n";
        return oocc::kInternalError;
    }
}
