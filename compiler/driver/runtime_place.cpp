#include "driver/runtime_place.h"

#include <filesystem>
#include <string_view>
#include <vector>

namespace oocc {

namespace {

namespace fs = std::filesystem;

constexpr const char *kLibrary = "liboocc_runtime.a";

/// Names that systems have for the folder of libraries: a Debian package has lib/x86_64-linux-gnu.
std::vector<std::string> libraryFolders() {
    std::vector<std::string> folders{"lib"};
    if (std::string_view(OOCC_ARCHITECTURE) != "") folders.push_back("lib/" OOCC_ARCHITECTURE);
    folders.push_back("lib64");
    return folders;
}

/// Pairs of folders, the likeliest first.
std::vector<RuntimePlace> candidates(const std::string &given) {
    std::vector<RuntimePlace> places;
    fs::path prefix = given;
    if (given.empty()) {
        std::error_code error;
        const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
        prefix = bin.parent_path();
        places.push_back({(bin / OOCC_INCLUDEDIR).lexically_normal(), (bin / OOCC_LIBDIR).lexically_normal()});
    }
    for (const std::string &folder : libraryFolders())
        places.push_back({prefix / "include", prefix / folder});
    for (RuntimePlace &place : places)
        place.library = (fs::path(place.library) / kLibrary).string();
    return places;
}

} // namespace

std::optional<RuntimePlace> findRuntime(const std::string &given, Diagnostics &diagnostics) {
    const std::vector<RuntimePlace> places = candidates(given);
    for (const RuntimePlace &place : places) {
        std::error_code ignored;
        if (fs::exists(place.library, ignored) && fs::exists(place.include + "/oocc/oocc.h", ignored)) return place;
    }
    diagnostics
        .error(kNowhere, "the runtime is not in '" + fs::path(places.back().library).parent_path().parent_path().string() +
                             "' (no lib/" + kLibrary + " with include/oocc/oocc.h)")
        .withHelp("give its directory with --runtime DIR");
    return std::nullopt;
}

} // namespace oocc
