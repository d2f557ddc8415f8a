// The whole: names, fields, edges, scalars, outputs. verify_stages.cpp has the stages, verify_expressions.cpp what
// may stand where in an expression.
#include "stencil/verifier.h"

#include "stencil/verify_parts.h"

#include <algorithm>
#include <stdexcept>

namespace oocc {

namespace verifying {

void check(bool holds, const std::string &invariant) {
    if (!holds) throw std::logic_error("stencil: broken invariant: " + invariant);
}

void checkIndex(int i, size_t size, const std::string &what) {
    check(i >= 0 && static_cast<size_t>(i) < size, what + " is in range");
}

} // namespace verifying

namespace {

using namespace verifying;

/// How many levels the reads of a field need. A scalar is gathered once the step before has ended.
int levelsRead(const Stencil &s, int field) {
    int levels = 1;
    for (const Stage &stage : s.stages)
        walk(stage.value, [&](const Expr &e) {
            const auto *read = std::get_if<Read>(&e.node);
            if (read && read->field == field)
                levels = std::max(levels, (stage.kind == Stage::Kind::Reduce ? 2 : 1) - read->time);
        });
    return levels;
}

void verifyInit(const Stencil &s, int field) {
    const Field &f = s.fields[static_cast<size_t>(field)];
    const int coefs = f.coef ? field : static_cast<int>(s.fields.size());
    check(f.init.size() <= static_cast<size_t>(f.levels), f.name + ": no more initial values than levels");
    check(f.init.empty() || f.init[0] || !f.initFile.empty() ||
              std::none_of(f.init.begin(), f.init.end(), [](auto &e) { return e != nullptr; }),
          f.name + ": an initial value of a past level needs one of level 0");
    check(f.init.empty() || !f.init[0] || f.initFile.empty(), f.name + ": a file or an expression, not both");
    for (const ExprPtr &init : f.init)
        if (init)
            verifyValue(s, init, valueType(f.type), {.name = "initial value of " + f.name, .coords = true, .coefs = coefs});
}

void verifyEdges(const Stencil &s, const Field &f) {
    for (size_t d = 0; d < kMaxDims; ++d) {
        const auto &[lo, hi] = f.edge[d];
        check((lo.kind == EdgeKind::Periodic) == (hi.kind == EdgeKind::Periodic),
              f.name + ": a dimension is periodic at both faces");
        for (const Edge &edge : f.edge[d]) {
            check(edge.kind == EdgeKind::None || d < s.dims.size(), f.name + ": edges within the dimensions");
            check((edge.kind == EdgeKind::Dirichlet) == (edge.value != nullptr),
                  f.name + ": Dirichlet edges have a value");
            check(edge.kind != EdgeKind::Fixed || !f.temp, f.name + ": a temp has no fixed edge");
            if (edge.value)
                verifyValue(s, edge.value, valueType(f.type),
                            {.name = "edge of " + f.name, .coords = true, .time = true});
        }
    }
}

void verifyField(const Stencil &s, int i) {
    const Field &f = s.fields[static_cast<size_t>(i)];
    const auto updates = std::count_if(s.stages.begin(), s.stages.end(), [&](const Stage &k) {
        return k.kind == Stage::Kind::Update && k.field == i;
    });
    check(updates == (f.coef ? 0 : 1), f.name + ": one update per field, none per coefficient");
    check(!f.coef || !f.temp, f.name + ": a coefficient or a temp, not both");
    if (f.temp) {
        check(f.levels == 0, f.name + ": a temp carries no levels");
        check(f.initFile.empty(), f.name + ": a temp has no initial values");
    } else {
        check(f.levels == (f.coef ? 1 : levelsRead(s, i)),
              f.name + ": levels is 1 + the furthest past level read");
    }
    verifyInit(s, i);
    verifyEdges(s, f);
}

void verifyScalar(const Stencil &s, int i) {
    const Scalar &scalar = s.scalars[static_cast<size_t>(i)];
    const std::string name = "scalar " + scalar.name;
    const auto givers = std::count_if(s.stages.begin(), s.stages.end(), [&](const Stage &k) {
        return k.scalar == i && (k.kind == Stage::Kind::Reduce || k.kind == Stage::Kind::Monitor);
    });
    if (scalar.kind == Scalar::Kind::Param || scalar.kind == Scalar::Kind::Let) {
        check(givers == 0, name + ": its value is its own");
        verifyValue(s, scalar.value, scalar.type, {.name = name, .scalars = i});
    } else {
        check(givers == 1 && !scalar.value, name + ": one stage gives its value");
        check(scalar.type == Type::F64, name + ": a reduction is f64");
    }
}

void verifyOutputs(const Stencil &s) {
    for (const Output &output : s.outputs) {
        checkIndex(output.field, s.fields.size(), "an output's field");
        const Field &f = s.fields[static_cast<size_t>(output.field)];
        check(!f.coef && !f.temp, "an output's field is kept from step to step");
        check(!output.path.empty(), "an output has a path");
        check((output.path.find("{t}") != std::string::npos) == (output.every != nullptr),
              "an output's path has the level when there are several");
        if (output.every) verifyValue(s, output.every, Type::Int, {.name = "output's every"});
    }
}

} // namespace

void verify(const Stencil &s) {
    check(!s.name.empty(), "a stencil has a name");
    check(!s.dims.empty() && s.dims.size() <= kMaxDims, "a grid has 1 to 4 dimensions");
    check(!s.stages.empty(), "a stencil has a stage");
    for (size_t i = 0; i < s.scalars.size(); ++i)
        verifyScalar(s, static_cast<int>(i));
    for (const Dim &dim : s.dims) {
        verifyValue(s, dim.extent, Type::Int, {.name = "extent of " + dim.name});
        if (dim.spacing) verifyValue(s, dim.spacing, Type::F64, {.name = "spacing of " + dim.name});
    }
    for (size_t i = 0; i < s.fields.size(); ++i)
        verifyField(s, static_cast<int>(i));
    verifyStages(s);
    verifyValue(s, s.steps, Type::Int, {.name = "steps"});
    verifyOutputs(s);
    for (const Stop &stop : s.stops)
        verifyValue(s, stop.condition, Type::Bool, {.name = "stop condition", .watched = true});
}

} // namespace oocc
