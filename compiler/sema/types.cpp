#include "sema/elsewhere.h"
#include "sema/resolver.h"

#include "support/spelling.h"

#include <algorithm>

namespace oocc {

namespace {

struct Alias {
    const char *name;
    const char *ours;
    const char *element = nullptr; ///< where fields spell it differently
};

/// What other languages call our types.
constexpr Alias kAliases[] = {
    {"float", "f32"},          {"single", "f32"},     {"float32", "f32"},      {"double", "f64"},
    {"real", "f64"},           {"float64", "f64"},    {"boolean", "bool"},     {"logical", "bool"},
    {"integer", "int", "i32"}, {"int", "int", "i64"}, {"int32", "int", "i32"}, {"int64", "int", "i64"},
    {"long", "int", "i64"},    {"byte", "int", "u8"}, {"uint8", "int", "u8"},  {"i32", "int", "i32"},
    {"i64", "int", "i64"},     {"u8", "int", "u8"},
};

constexpr const char *kCompound[] = {"complex", "complex64", "complex128", "vector", "vec2", "vec3"};

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
    const bool fields = std::ranges::find(candidates, "u8") != candidates.end();
    for (const Alias &alias : kAliases)
        if (near && *near == alias.name) near = fields && alias.element ? alias.element : alias.ours;
    if (contains(kCompound, name.text))
        error.withHelp("a field has one number in every cell: each component, or real and imaginary part, is a field of its own");
    else if (near && std::ranges::find(candidates, *near) != candidates.end())
        error.withHelp("did you mean '" + *near + "'?").withFix(name.range, *near);
}

} // namespace

bool namesType(const std::string &name) {
    return typeNamed(name) || std::ranges::find(kAliases, name, &Alias::name) != std::end(kAliases);
}

std::optional<Type> scalarType(const ast::Name &name, Diagnostics &diagnostics) {
    if (const std::optional<Type> type = typeNamed(name.text)) return type;
    refuse(name, "a parameter is int, f64, f32 or bool", {"int", "f64", "f32", "bool"}, diagnostics);
    return std::nullopt;
}

std::optional<Type> fieldType(const ast::Name &name, Diagnostics &diagnostics) {
    std::vector<std::string> names;
    for (const Type type : {Type::F32, Type::F64, Type::I32, Type::Int, Type::U8, Type::Bool}) {
        if (name.text == elementName(type)) return type;
        names.emplace_back(elementName(type));
    }
    refuse(name, "a field is f32, f64, i32, i64, u8 or bool", names, diagnostics);
    return std::nullopt;
}

} // namespace oocc
