// Shapes: sets of offsets. box(r) is every offset of at most r along each dimension; star(r) is those along one
// dimension only, and the centre. Their points are in lexicographic order of (dz, dy, dx), a set's as written; in which order a
// sum takes its terms is in sum_order.h.
#include "sema/resolver.h"

#include <algorithm>
#include <utility>

namespace oocc {

namespace {

constexpr int64_t kMaxPoints = 100000;
constexpr const char *kShapes = "shapes are box(1), star(1), {(0, 1), (0, -1)}, and names that 'shape' declares";

std::vector<Offsets> box(int radius, size_t dims) {
    std::vector<Offsets> out;
    Offsets at{};
    std::fill_n(at.begin(), dims, -radius);
    for (bool more = true; more;) {
        out.push_back(at);
        more = false;
        for (size_t d = dims; d-- > 0 && !more;) { // as an odometer
            more = ++at[d] <= radius;
            if (!more) at[d] = -radius;
        }
    }
    return out;
}

std::vector<Offsets> star(int radius, size_t dims) {
    std::vector<Offsets> out{{}};
    for (size_t d = 0; d < dims; ++d)
        for (int by = -radius; by <= radius; ++by)
            if (by != 0) out.emplace_back()[d] = by;
    std::ranges::sort(out);
    return out;
}

} // namespace

std::optional<std::vector<Offsets>> ExpressionResolver::points(const ast::Expr &shape) {
    if (const auto *set = std::get_if<ast::PointSet>(&shape.node)) return explicitSet(*set);
    if (const auto *call = std::get_if<ast::Call>(&shape.node)) return regular(*call, shape.range);
    const auto *name = std::get_if<ast::Reference>(&shape.node);
    const Symbol *symbol = name && !local(name->name) ? scope_.find(name->name) : nullptr;
    if (symbol && symbol->kind == Symbol::Kind::Broken) return std::nullopt;
    if (symbol && symbol->kind == Symbol::Kind::Shape) return points(*symbol->shape);
    if (name && !symbol && !local(name->name))
        suggestName(diagnostics_.error(shape.range, "there is no shape '" + name->name + "'"),
                    {name->name, shape.range}, scope_.names({Symbol::Kind::Shape}));
    else
        diagnostics_.error(shape.range, name ? "'" + name->name + "' is not a shape" : "this is not a shape")
            .withHelp(kShapes);
    return std::nullopt;
}

std::optional<std::vector<Offsets>> ExpressionResolver::points(const ast::Shape &shape) {
    const auto *name = std::get_if<ast::Reference>(&shape.points->node);
    const Symbol *base = name ? scope_.find(name->name) : nullptr;
    if (base && base->kind == Symbol::Kind::Shape && base->range.begin >= shape.name.range.begin) {
        diagnostics_.error(shape.points->range, "'" + name->name + "' has no points yet at this place")
            .note(base->range, "it is declared here; a shape may use what stands above it");
        return std::nullopt;
    }
    const Locals outer = std::exchange(locals_, {});
    const Place place = std::exchange(place_, Place{"a shape"});
    std::optional<std::vector<Offsets>> all;
    if (enter(shape.points->range)) all = points(*shape.points);
    --depth_;
    if (all && shape.where) {
        std::vector<Offsets> kept;
        for (const Offsets &offset : *all) {
            const std::optional<bool> inside = holds(*shape.where, offset);
            if (!inside) {
                all.reset();
                break;
            }
            if (*inside) kept.push_back(offset);
        }
        if (all) all = std::move(kept);
    }
    locals_ = outer;
    place_ = place;
    if (all && all->empty()) {
        diagnostics_.error(shape.name.range, "shape '" + shape.name.text + "' has no points");
        return std::nullopt;
    }
    return all;
}

/// A shape's condition, in which dx is the offset along x.
std::optional<bool> ExpressionResolver::holds(const ast::Expr &condition, const Offsets &offset) {
    locals_.clear();
    for (size_t d = 0; d < scope_.dims.size() && d < kMaxDims; ++d)
        locals_["d" + scope_.dims[d]].value.expr =
            makeExpr(Type::Int, condition.range, Literal{int64_t{offset[d]}});
    const Operand operand = child(condition);
    if (!operand) return std::nullopt;
    if (operand.type() != Type::Bool) {
        diagnostics_.error(condition.range, std::string("a shape's condition must be bool, and this is ") +
                                                typeName(operand.type()));
        return std::nullopt;
    }
    const std::optional<Value> value = constant(operand, condition, "a shape's condition");
    return value ? std::optional(std::get<bool>(*value)) : std::nullopt;
}

std::optional<std::vector<Offsets>> ExpressionResolver::regular(const ast::Call &e, Range range) {
    const std::string &kind = e.function.text;
    if (kind != "box" && kind != "star") {
        Diagnostic &error = diagnostics_.error(e.function.range, "there is no shape '" + kind + "(...)'");
        suggestName(error, e.function, {"box", "star"});
        if (!error.help) error.withHelp(kShapes);
        return std::nullopt;
    }
    if (refuseLabels(e)) return std::nullopt;
    if (e.args.size() != 1) {
        diagnostics_.error(e.function.range, "'" + kind + "' takes 1 argument, its radius, not " +
                                                 std::to_string(e.args.size()));
        return std::nullopt;
    }
    const std::optional<int64_t> radius = constantInteger(*e.args[0], "a shape's radius");
    if (!radius) return std::nullopt;
    const size_t dims = std::min<size_t>(scope_.dims.size(), kMaxDims);
    if (*radius < 0 || *radius > kMaxOffset) {
        diagnostics_.error(range, "a shape's radius is from 0 to " + std::to_string(kMaxOffset));
        return std::nullopt;
    }
    const int r = static_cast<int>(*radius);
    if (kind == "star") return star(r, dims);
    int64_t count = 1;
    for (size_t d = 0; d < dims; ++d)
        count *= 2 * r + 1;
    if (count > kMaxPoints) {
        diagnostics_.error(range, "this box has " + std::to_string(count) + " points; a shape has at most " +
                                      std::to_string(kMaxPoints));
        return std::nullopt;
    }
    return box(r, dims);
}

std::optional<std::vector<Offsets>> ExpressionResolver::explicitSet(const ast::PointSet &e) {
    std::vector<Offsets> out;
    bool fine = true;
    for (size_t i = 0; i < e.points.size(); ++i) {
        const std::vector<ast::ExprPtr> &parts = e.points[i];
        if (parts.size() != scope_.dims.size() || parts.size() > kMaxDims) {
            diagnostics_.error(e.ranges[i], "the grid has " + std::to_string(scope_.dims.size()) +
                                                " dimensions, and this point has " +
                                                std::to_string(parts.size()));
            fine = false;
            continue;
        }
        Offsets &offset = out.emplace_back();
        for (size_t d = 0; d < parts.size(); ++d) {
            const std::optional<int64_t> by = constantInteger(*parts[d], "an offset");
            const bool inRange = by && *by >= -kMaxOffset && *by <= kMaxOffset;
            if (by && !inRange)
                diagnostics_.error(parts[d]->range, "an offset is at most " + std::to_string(kMaxOffset));
            if (inRange) offset[d] = static_cast<int>(*by);
            fine = fine && inRange;
        }
        if (fine && std::ranges::count(out, offset) > 1) {
            diagnostics_.error(e.ranges[i], "this point occurs twice in the shape");
            fine = false;
        }
    }
    return fine ? std::optional(out) : std::nullopt;
}

void Resolver::shape(const ast::Shape &shape, const ast::Statement &) {
    Symbol *symbol = scope_.declaredBy(shape.name);
    const auto points = ExpressionResolver(stencil_, scope_, updates_, diagnostics_).points(shape);
    if (symbol && !points) symbol->kind = Symbol::Kind::Broken;
}

} // namespace oocc
