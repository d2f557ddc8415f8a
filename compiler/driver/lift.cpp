#include "driver/lift.h"

#include "driver/files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

namespace oocc {

int liftCommand(int argc, const char *const *argv) {
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::string program = (error ? std::filesystem::path(".") : self.parent_path()) / "oocc-lift";
    std::vector<char *> words{const_cast<char *>(program.c_str())};
    for (int i = 1; i < argc; ++i)
        words.push_back(const_cast<char *>(argv[i]));
    words.push_back(nullptr);
    execv(program.c_str(), words.data());
    if (errno == ENOENT) {
        std::cerr << "oocc: error: this oocc was built without Clang's libraries, which 'oocc lift' reads C "
                     "with (there is no '"
                  << program << "')\n"
                  << "oocc: help: install libclang-19-dev and llvm-19-dev, and build oocc again\n";
        return kInternalError;
    }
    std::cerr << "oocc: error: cannot start '" << program << "': " << std::strerror(errno) << '\n';
    return kInternalError;
}

} // namespace oocc
