#include "study/study.h"

#include "driver/files.h"
#include "driver/process.h"
#include "support/display.h"

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace oocc {

int studyCommand(int argc, const char *const *argv) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path prefix = fs::path(ownPath()).parent_path().parent_path();
    const fs::path scripts = prefix / "share" / "oocc" / "study";
    if (!fs::exists(scripts / "__main__.py", error)) {
        std::cerr << "oocc: error: the scripts of 'oocc study' are not in '" << shownShort(scripts.string()) << "'\n"
                  << "oocc: help: they are installed with oocc; install it anew\n";
        return kCannotCreate;
    }
    // What the user says of the runtime comes later, and counts. -B: nothing is written beside the scripts.
    std::vector<std::string> words{"python3", "-B", scripts.string(), "--runtime", prefix.string()};
    words.insert(words.end(), argv + 1, argv + argc);
    return become(words, {"'oocc study' is a Python program", "install Python (Debian: python3)"});
}

} // namespace oocc
