#include "sema/resolver.h"

#include "support/spelling.h"

#include <algorithm>

namespace oocc {

namespace {

struct Alias {
    const char *name;
    const char *ours;
};

/// What other languages call our types.
constexpr Alias kAliases[] = {
    {"float", "f32"},   {"single", "f32"},  {"float32", "f32"}, {"double", "f64"},   {"real", "f64"},
    {"float64", "f64"}, {"integer", "int"}, {"long", "int"},    {"boolean", "bool"}, {"logical", "bool"},
};

std::optional<Type> typeNamed(const std::string &name) {
    for (const Type type : {Type::Bool, Type::Int, Type::F32, Type::F64})
        if (name == typeName(type)) return type;
    return std::nullopt;
}

void refuse(const ast::Name &name, const std::string &list, const std::vector<std::string> &candidates,
            Diagnostics &diagnostics) {
    Diagnostic &error = diagnostics.error(name.range, "there is no type '" + name.text + "'; " + list);
    std::vector<std::string> words = candidates;
    for (const Alias &alias : kAliases)
        words.emplace_back(alias.name);
    std::optional<std::string> near = closest(name.text, words);
    for (const Alias &alias : kAliases)
        if (near && *near == alias.name) near = alias.ours;
    if (near && std::ranges::find(candidates, *near) != candidates.end())
        error.withHelp("did you mean '" + *near + "'?").withFix(name.range, *near);
}

} // namespace

std::optional<Type> scalarType(const ast::Name &name, Diagnostics &diagnostics) {
    if (const std::optional<Type> type = typeNamed(name.text)) return type;
    refuse(name, "a parameter is int, f64, f32 or bool", {"int", "f64", "f32", "bool"}, diagnostics);
    return std::nullopt;
}

std::optional<Type> fieldType(const ast::Name &name, Diagnostics &diagnostics) {
    static constexpr const char *kLater[] = {"i32", "i64", "u8", "bool", "f16", "bf16"};
    if (std::ranges::find(kLater, name.text) != std::end(kLater)) {
        diagnostics.error(name.range,
                          "fields of '" + name.text + "' are not there yet; this version has f32 and f64");
        return std::nullopt;
    }
    const std::optional<Type> type = typeNamed(name.text);
    if (type && isFloat(*type)) return type;
    if (type)
        diagnostics.error(name.range, "a field cannot be '" + name.text + "'; it is f32 or f64");
    else
        refuse(name, "a field is f32 or f64", {"f32", "f64"}, diagnostics);
    return std::nullopt;
}

} // namespace oocc
