#include "driver/commands.h"
#include "driver/files.h"
#include "support/display.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>

namespace {

int outOfMemory() {
    std::fputs("oocc: error: out of memory\n", stderr); // takes none itself
    return oocc::kNoMemory;
}

/// Libraries have places that no exception may leave.
[[noreturn]] void onTerminate() {
    try {
        if (std::current_exception()) std::rethrow_exception(std::current_exception());
    } catch (const std::bad_alloc &) {
        std::_Exit(outOfMemory());
    } catch (...) {
    }
    std::fputs("oocc: internal error: it cannot go on\noocc: help: please report this, with the program\n", stderr);
    std::_Exit(oocc::kInternalError);
}

} // namespace

int main(int argc, char **argv) {
    std::set_terminate(onTerminate);
    try {
        if (const oocc::Command *command = oocc::commandOf(argc, argv)) return command->run(argc - 1, argv + 1);
        return oocc::compileCommand(argc, argv);
    } catch (const std::bad_alloc &) {
        return outOfMemory();
    } catch (const std::exception &error) {
        std::cerr << "oocc: internal error: " << oocc::shownShort(error.what())
                  << "\noocc: help: please report this, with the program\n";
        return oocc::kInternalError;
    }
}
