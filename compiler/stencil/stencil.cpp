#include "stencil/stencil.h"

namespace oocc {

const char *typeName(Type type) {
    switch (type) {
    case Type::Bool:
        return "bool";
    case Type::Int:
        return "int";
    case Type::F32:
        return "f32";
    case Type::F64:
        return "f64";
    }
    return "";
}

bool isFloat(Type type) {
    return type == Type::F32 || type == Type::F64;
}

int64_t typeBytes(Type type) {
    switch (type) {
    case Type::Bool:
        return 1;
    case Type::F32:
        return 4;
    case Type::Int:
    case Type::F64:
        return 8;
    }
    return 0;
}

int Stencil::stageOf(int field) const {
    for (size_t k = 0; k < stages.size(); ++k)
        if (stages[k].field == field) return static_cast<int>(k);
    return -1;
}

} // namespace oocc
