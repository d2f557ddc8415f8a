#include "stencil/stencil.h"

namespace oocc {

const char *typeName(Type type) {
    switch (type) {
    case Type::Bool:
        return "bool";
    case Type::U8:
        return "u8";
    case Type::I32:
        return "i32";
    case Type::Int:
        return "int";
    case Type::F32:
        return "f32";
    case Type::F64:
        return "f64";
    }
    return "";
}

const char *elementName(Type type) {
    return type == Type::Int ? "i64" : typeName(type);
}

bool isFloat(Type type) {
    return type == Type::F32 || type == Type::F64;
}

bool isInteger(Type type) {
    return type == Type::U8 || type == Type::I32 || type == Type::Int;
}

int64_t typeBytes(Type type) {
    switch (type) {
    case Type::Bool:
    case Type::U8:
        return 1;
    case Type::I32:
    case Type::F32:
        return 4;
    case Type::Int:
    case Type::F64:
        return 8;
    }
    return 0;
}

Type valueType(Type element) {
    return element == Type::U8 ? Type::I32 : element;
}

bool movesReads(EdgeKind kind) {
    return kind >= EdgeKind::Neumann;
}

int Stencil::stageOf(int field) const {
    for (size_t k = 0; k < stages.size(); ++k)
        if (stages[k].kind == Stage::Kind::Update && stages[k].field == field) return static_cast<int>(k);
    return -1;
}

std::vector<int> Stencil::writersOf(int field) const {
    std::vector<int> writers;
    for (size_t k = 0; k < stages.size(); ++k)
        if (stages[k].writes() && stages[k].field == field) writers.push_back(static_cast<int>(k));
    return writers;
}

} // namespace oocc
