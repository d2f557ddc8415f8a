#include "loops/row_values.h"

#include "loops/expressions.h"

namespace oocc::loops {

Body fillRow(const Context &context, int field, const std::string &what, const ExprPtr &value, E lo, E hi, E target,
             std::function<E(const Read &)> read) {
    Translator translator(context, std::move(read));
    translator.what = what + context.fieldName(field);
    translator.invariantOf = context.x();
    translator.nameCommon({value});
    const E e = context.stored(field, translator.translate(value));
    Body body = translator.takeHoisted(), cell = translator.takeCommon();
    cell.push_back(assign(target, e));
    body.push_back(loop(context.coordName(context.x()), lo, hi, std::move(cell)));
    return body;
}

std::vector<E> coordinates(const Context &context) {
    std::vector<E> coords;
    for (int dim = 0; dim < context.ndim(); ++dim)
        coords.push_back(var(context.coordName(dim)));
    return coords;
}

Body overRows(const Context &context, Body body) {
    for (int dim = context.x() - 1; dim >= 1; --dim)
        body = {loop(context.coordName(dim), lit(0), context.extent(dim), body)};
    return body;
}

} // namespace oocc::loops
