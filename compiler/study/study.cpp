#include "study/study.h"

#include "driver/files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

namespace oocc {

int studyCommand(int argc, const char *const *argv) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path prefix = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
    const fs::path scripts = prefix / "share" / "oocc" / "study";
    if (error || !fs::exists(scripts / "__main__.py")) {
        std::cerr << "oocc: error: the scripts of 'oocc study' are not in '" << scripts.string() << "'\n"
                  << "oocc: help: they are installed with oocc; install it anew\n";
        return kCannotCreate;
    }
    // What the user says of the runtime comes later, and counts. -B: nothing is written beside the scripts.
    std::vector<std::string> words{"python3", "-B", scripts.string(), "--runtime", prefix.string()};
    words.insert(words.end(), argv + 1, argv + argc);
    std::vector<char *> command;
    for (std::string &word : words)
        command.push_back(word.data());
    command.push_back(nullptr);
    execvp(command[0], command.data());
    std::cerr << "oocc: error: cannot run python3: " << std::strerror(errno)
              << "\noocc: help: install it (Debian: python3)\n";
    return kCannotCreate;
}

} // namespace oocc
