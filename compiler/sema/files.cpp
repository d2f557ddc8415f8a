// What programs write, and the names of files.
#include "sema/resolver.h"

#include <algorithm>

namespace oocc {

namespace {

constexpr size_t kMaxFileName = 4095; // PATH_MAX, and what C is sure to take as a string

} // namespace

bool Resolver::checkFileName(const ast::Text &path) {
    const std::string &text = path.value;
    if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }))
        diagnostics_.error(path.range, "a file name has no control characters");
    else if (text.size() > kMaxFileName)
        diagnostics_.error(path.range, "this file name has " + std::to_string(text.size()) + " bytes, and at most " +
                                           std::to_string(kMaxFileName) + " can be opened");
    else if (text.empty())
        diagnostics_.error(path.range, "a file name is missing between the quotes");
    else
        return true;
    return false;
}

/// The file of a field's values.
bool Resolver::checkPath(const ast::Text &path) {
    if (!checkFileName(path)) return false;
    if (path.value.ends_with(".h5"))
        diagnostics_.error(path.range, "'.h5' files are not there yet; this version has .npy and .raw");
    else if (!path.value.ends_with(".npy") && !path.value.ends_with(".raw"))
        diagnostics_.error(path.range, "the kind of this file is unknown; its name ends in .npy or .raw");
    else
        return true;
    return false;
}

bool Resolver::checkNumPy(const ast::Text &path, const std::string &what) {
    if (!checkFileName(path)) return false;
    if (path.value.ends_with(".npy")) return true;
    diagnostics_.error(path.range, what + " is a NumPy file; its name ends in .npy");
    return false;
}

bool Resolver::isNewFile(const ast::Text &path) {
    const auto [at, isNew] = written_.emplace(path.value, path.range);
    if (!isNew)
        diagnostics_.error(path.range, "two outputs to the same file").note(at->second, "the first is here");
    return isNew;
}

/// How often: null when that was not said, or wrong.
ExprPtr Resolver::every(const ast::ExprPtr &every) {
    if (!every) return nullptr;
    const Operand count = resolve(*every, {.name = "'every'", .whole = true});
    if (!count) return nullptr;
    if (count.type() == Type::Int) return count.expr;
    Diagnostic &error = diagnostics_.error(
        every->range, std::string("'every' counts steps and must be int, and this is ") + typeName(count.type()));
    if (isFloat(count.type())) error.withHelp("it is a number of steps and not a time: every 10");
    return nullptr;
}

/// The index of a field that is kept from step to step, or -1 after an error. `refusal` says what others do not:
/// "is not written".
int Resolver::stateField(const ast::Name &name, const std::string &refusal) {
    const int index = fieldIndex(name);
    if (index < 0) return -1;
    const Field &field = stencil_.fields[static_cast<size_t>(index)];
    if (field.coef)
        diagnostics_
            .error(name.range, "'" + field.name + "' is a coefficient; it never changes and " + refusal)
            .note(field.range, "it is declared here");
    else if (field.temp)
        diagnostics_
            .error(name.range, "'" + field.name + "' is a temp, gone when the step has ended; it " + refusal)
            .withHelp("what is kept is a field: " + field.name + "[t+1] = ...")
            .note(field.range, "it is declared here");
    else
        return index;
    return -1;
}

void Resolver::output(const ast::Output &output, const ast::Statement &) {
    const int index = stateField(output.field, "is not written");
    const ExprPtr interval = every(output.every);
    const std::string &path = output.path.value;
    if (!checkPath(output.path)) return;
    const bool perLevel = path.find("{t}") != std::string::npos;
    if (output.every && !perLevel) {
        const size_t dot = path.rfind('.');
        diagnostics_
            .error(output.path.range, "'every' writes a file per level, and they would all have this name")
            .withHelp("'{t}' in the name stands for the level")
            .withFix(output.path.range, "\"" + path.substr(0, dot) + "-{t}" + path.substr(dot) + "\"");
        return;
    }
    if (!output.every && perLevel) {
        diagnostics_
            .error(output.path.range,
                   "'{t}' stands for the level of each file, and this output is written once, at the end")
            .withHelp("write it on the way, too: ... every 100;");
        return;
    }
    if (!isNewFile(output.path) || index < 0 || (output.every && !interval)) return;
    stencil_.outputs.push_back({index, path, output.path.range, interval});
}

} // namespace oocc
