#include "loops/interface.h"

#include "stencil/printer.h"

namespace oocc::loops {

Interface buildInterface(const Context &context, const std::string &source) {
    const Stencil &stencil = context.stencil;
    Interface interface;
    interface.stencil = stencil.name;
    interface.source = source;
    interface.steps = toString(stencil, stencil.steps);
    for (const Dim &dim : stencil.dims)
        interface.dims.push_back(dim.name);
    for (const Scalar &scalar : stencil.scalars)
        if (scalar.kind == Scalar::Kind::Param)
            interface.params.push_back(
                {scalar.name, cTypeOf(scalar.type), toString(stencil, scalar.value), scalar.given});
    for (int f : context.storedFields()) {
        const Field &field = stencil.fields[f];
        if (!field.temp)
            interface.fields.push_back({field.name, cTypeOf(field.type), "FIELD_" + field.name, elementName(field.type),
                                        field.coef, context.plan.fields[f].levels});
    }
    for (const Stage &stage : stencil.stages)
        if (stage.scalar >= 0)
            interface.watches.push_back({stencil.scalars[stage.scalar].name, "WATCH_" + stencil.scalars[stage.scalar].name,
                                         stage.kind == Stage::Kind::Reduce});
    return interface;
}

} // namespace oocc::loops
