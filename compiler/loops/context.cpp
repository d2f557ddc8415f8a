#include "loops/context.h"

#include "loops/stages.h"

namespace oocc::loops {

std::string UniqueNames::take(const std::string &wanted) {
    std::string name = wanted;
    for (int i = 2; !taken_.insert(name).second; ++i)
        name = wanted + "_" + std::to_string(i);
    return name;
}

PlaneNames::PlaneNames(const Context &context) : context_(context) {
    const int stages = static_cast<int>(context.stencil.stages.size());
    bool alike = false; // only then is a function's name looked for among groups, which takes long in large programs
    for (int stage = 0; stage < stages && !alike; ++stage)
        alike = stageId(context, stage).rfind("of_", 0) == 0;
    std::set<std::string> functions; // stages of a group share one
    for (int stage = 0; stage < stages && alike; ++stage)
        functions.insert(stageName(context, stage));
    for (const std::string &function : functions)
        names_.take(function);
}

std::pair<std::string, bool> PlaneNames::take(int field, int time, int distance) {
    const auto [place, isNew] = known_.insert({{field, time, distance}, ""});
    if (isNew) place->second = names_.take("plane_of_" + context_.rowName(field, time, {distance}));
    return {place->second, isNew};
}

std::string cTypeOf(Type type) {
    switch (type) {
    case Type::Bool:
        return "bool";
    case Type::U8:
        return "uint8_t";
    case Type::I32:
        return "int32_t";
    case Type::Int:
        return "int64_t";
    case Type::F32:
        return "float";
    case Type::F64:
        return "double";
    }
    return "";
}

std::vector<int> Context::storedFields() const {
    std::vector<int> stored;
    for (int f = 0; f < static_cast<int>(stencil.fields.size()); ++f)
        if (!plan.fields[f].local) stored.push_back(f);
    return stored;
}

std::string Context::cType(int field) const {
    const Type type = stencil.fields[field].type;
    return type == Type::Bool ? "uint8_t" : cTypeOf(type); // gcc makes no vectors of loops that read a C bool
}

E Context::fieldId(int field) const {
    return var("FIELD_" + fieldName(field));
}

std::string Context::scalarLocal(int scalar) const {
    const Scalar &s = stencil.scalars[scalar];
    switch (s.kind) {
    case Scalar::Kind::Param:
        return "p_" + s.name;
    case Scalar::Kind::Let:
        return "l_" + s.name;
    default:
        return "w_" + s.name;
    }
}

E Context::scalarGlobal(int scalar) const {
    const Scalar::Kind kind = stencil.scalars[scalar].kind;
    const char *const home = kind == Scalar::Kind::Param ? "param."
                             : kind == Scalar::Kind::Let ? "let."
                                                         : "watched.";
    return var(home + scalarLocal(scalar));
}

E Context::constantGlobal(const std::string &name) const {
    return var("constant." + name);
}

std::string Context::coordName(int dim) const {
    return "i_" + dimName(dim);
}
std::string Context::extentName(int dim) const {
    return "n_" + dimName(dim);
}
E Context::extent(int dim) const {
    return var("size." + extentName(dim));
}
E Context::stride(int field) const {
    return var("size.row_" + fieldName(field));
}

std::string Context::planeName() const {
    return ndim() == 1 ? "block" : coordName(0);
}
std::string Context::waveName() const {
    return unrolled() ? "v" : planeName();
}
E Context::rowOffset(int field, const std::vector<E> &coords) const {
    E row = coords[1];
    for (int dim = 2; dim < x(); ++dim)
        row = row * extent(dim) + coords[dim];
    return row * stride(field);
}

E Context::stored(int field, E value) const {
    return stencil.fields[field].type == Type::U8 ? cast("uint8_t", value) : value;
}

E Context::movedTo(int field, int dim, int side, E coord) const {
    const E n = extent(dim);
    switch (stencil.fields[field].edge[dim][side].kind) {
    case EdgeKind::Neumann:
        return side == 0 ? call("oocc_nearest_lo", {coord}) : call("oocc_nearest_hi", {coord, n});
    case EdgeKind::Reflect:
        return side == 0 ? call("oocc_mirror_lo", {coord}) : call("oocc_mirror_hi", {coord, n});
    case EdgeKind::ReflectCentre:
        return side == 0 ? call("oocc_centre_lo", {coord}) : call("oocc_centre_hi", {coord, n});
    case EdgeKind::Periodic:
        return call("oocc_wrap", {coord, n});
    default:
        return nullptr;
    }
}

std::string shiftName(const std::string &dim, int by) {
    return by == 0 ? "" : "_" + dim + (by < 0 ? "m" : "p") + std::to_string(by < 0 ? -by : by);
}

std::string Context::shiftSuffix(const Offsets &offset) const {
    std::string suffix;
    for (int dim = 0; dim < x(); ++dim)
        suffix += shiftName(dimName(dim), offset[dim]);
    return suffix.empty() ? "" : "_" + suffix;
}

std::string Context::rowName(int field, int time, const Offsets &offset) const {
    const std::string shift = shiftSuffix(offset), level = shiftName("t", time);
    return "f_" + fieldName(field) + (level.empty() ? shift : "_" + level + (shift.empty() ? "" : shift.substr(1)));
}

bool Context::inPlace(const Read &read, int stage) const {
    return stencil.stages[stage].kind == Stage::Kind::Update && stencil.stages[stage].field == read.field &&
           read.time + plan.fields[read.field].slots - 1 == 0 && read.offset == Offsets{};
}

} // namespace oocc::loops
