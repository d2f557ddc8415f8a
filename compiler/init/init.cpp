#include "init/init.h"

#include "driver/command_line.h"
#include "driver/files.h"
#include "init_files.h"
#include "sema/resolve.h"
#include "support/diagnostics_print.h"
#include "syntax/parse.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace oocc {

namespace {

using Files = std::vector<std::pair<std::string, std::string>>; ///< paths and texts

/// The kinds of programs: every template that is one.
std::vector<std::string> kinds() {
    std::vector<std::string> list;
    for (const auto &file : kInitFiles)
        if (const std::string_view name = file.name; name.ends_with(".stn"))
            list.emplace_back(name.substr(0, name.size() - 4));
    return list;
}

std::string filled(std::string_view file, const std::string &name) {
    constexpr std::string_view kPlace = "{{name}}";
    const auto found =
        std::ranges::find(kInitFiles, file, [](const auto &row) { return std::string_view(row.name); });
    if (found == std::end(kInitFiles)) throw std::logic_error("there is no template " + std::string(file));
    std::string text = found->text;
    for (size_t at = 0; (at = text.find(kPlace, at)) != std::string::npos; at += name.size())
        text.replace(at, kPlace.size(), name);
    return text;
}

/// Whether a program may have this name: the language decides. Nothing when it may.
std::string refusalOfName(const std::string &name, const std::string &program) {
    const auto isWordCharacter = [](unsigned char c) { return c < 0x80 && (std::isalnum(c) || c == '_'); };
    const std::string what = "'" + name + "' cannot be the name of a program";
    if (name.empty() || !std::ranges::all_of(name, isWordCharacter) ||
        std::isdigit(static_cast<unsigned char>(name[0])))
        return what + ": names are letters, digits and '_', and do not begin with a digit";
    const Source source(name + ".stn", program);
    Diagnostics diagnostics;
    if (const auto tree = parse(source, diagnostics)) resolve(*tree, {}, diagnostics);
    if (!diagnostics.hasErrors()) return "";
    return what + ": " + diagnostics.inOrder().front()->message;
}

/// Targets that CMake, or the tools that it writes files for, have already.
bool isTargetOfCMake(const std::string &name) {
    constexpr std::string_view kTargets[] = {"all",
                                             "clean",
                                             "depend",
                                             "edit_cache",
                                             "help",
                                             "install",
                                             "list_install_components",
                                             "package",
                                             "package_source",
                                             "rebuild_cache",
                                             "test"};
    return std::ranges::find(kTargets, name) != std::end(kTargets);
}

int inTheWay(const std::string &path) {
    std::cerr << "oocc: error: '" << path << "' is in the way\n"
              << "oocc: help: choose another name, or move it away; nothing has been changed\n";
    return kCannotCreate;
}

/// Makes all of the files or none of them.
int make(const std::string &folder, const Files &files) {
    struct stat status;
    const bool isThere = lstat(folder.c_str(), &status) == 0;
    if (isThere && stat(folder.c_str(), &status) == 0 && !S_ISDIR(status.st_mode)) return inTheWay(folder);
    for (const auto &[path, text] : files)
        if (lstat(path.c_str(), &status) == 0) return inTheWay(path);
    if (!isThere && mkdir(folder.c_str(), 0777) != 0) {
        std::cerr << "oocc: error: cannot create '" << folder << "': " << std::strerror(errno) << '\n';
        return kCannotCreate;
    }
    for (size_t i = 0; i < files.size(); ++i) {
        Diagnostics diagnostics;
        const int failed = createFile(files[i].first, files[i].second, diagnostics);
        if (failed == 0) continue;
        if (diagnostics.hasErrors())
            printText(std::cerr, diagnostics, Colours(wantsColour(ColourMode::Auto, STDERR_FILENO)));
        else
            inTheWay(files[i].first); // since we looked
        while (i-- > 0)
            unlink(files[i].first.c_str());
        if (!isThere) rmdir(folder.c_str());
        return failed;
    }
    return 0;
}

} // namespace

int initCommand(int argc, const char *const *argv) {
    CLI::App app("Makes a folder with a program that runs at once, a README.md and a .gitignore. Never "
                 "overwrites anything.",
                 "oocc init");
    std::string list;
    for (const std::string &kind : kinds())
        list += (list.empty() ? "" : kind == kinds().back() ? " or " : ", ") + kind;
    std::string name, kind = "heat";
    bool cmake = false;
    app.add_option("NAME", name, "of the folder and of the program; without it, the kind's");
    app.add_option("--template", kind, "the kind of program: " + list)
        ->type_name("KIND")
        ->capture_default_str();
    app.add_flag("--cmake", cmake, "make a CMakeLists.txt, too");
    if (const auto status = parseCommandLine(app, argc, argv)) return *status;
    if (const auto refusal = noneOf("--template", kind, kinds())) return usageError(*refusal);
    if (app.count("NAME") == 0) name = kind;

    const std::string program = filled(kind + ".stn", name);
    if (const std::string refusal = refusalOfName(name, program); !refusal.empty())
        return usageError(refusal);
    if (cmake && isTargetOfCMake(name))
        return usageError("'" + name + "' is a target of CMake's own; choose another name");
    const std::string readme = filled("README.md.in", name) + (cmake ? filled("README.cmake.in", name) : "");
    Files files{{name + '/' + name + ".stn", program},
                {name + "/README.md", readme},
                {name + "/.gitignore", filled("gitignore.in", name)}};
    if (cmake) files.emplace_back(name + "/CMakeLists.txt", filled("CMakeLists.txt.in", name));
    if (const int status = make(name, files)) return status;
    for (const auto &[path, text] : files)
        std::cout << "made " << path << '\n';
    std::cout << "now: cd " << name << " && oocc run " << name << ".stn\n" << std::flush;
    return std::cout ? 0 : static_cast<int>(kIoError);
}

} // namespace oocc
