#include "driver/files.h"
#include "driver/options.h"
#include "driver/pipeline.h"

#include <iostream>

int main(int argc, char **argv) {
    const std::variant<oocc::Options, int> parsed = oocc::parseOptions(argc, argv, std::cout, std::cerr);
    if (const int *status = std::get_if<int>(&parsed)) return *status;
    try {
        return oocc::compile(std::get<oocc::Options>(parsed));
    } catch (const std::exception &error) {
        std::cerr << "oocc: internal error: " << error.what()
                  << "\noocc: help: please report this, with the program\n";
        return oocc::kInternalError;
    }
}
