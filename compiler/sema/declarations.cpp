// The program's name, parameters, lets, the grid, and what is refused as a whole.
#include "sema/resolver.h"

#include "support/spelling.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace oocc {

/// All names first, so that a use above the declaration can be told from a name that does not exist.
void Resolver::declareAll() {
    using Kind = Symbol::Kind;
    struct Declare {
        Scope &scope;
        void operator()(const ast::Param &s) { scope.declare(s.name, Kind::Scalar); }
        void operator()(const ast::Let &s) { scope.declare(s.name, Kind::Scalar); }
        void operator()(const ast::Coef &s) { scope.declare(s.name, Kind::Field); }
        void operator()(const ast::Field &s) {
            for (const ast::Name &name : s.names)
                scope.declare(name, Kind::Field);
        }
        void operator()(const ast::Temp &s) {
            for (const ast::Name &name : s.names)
                scope.declare(name, Kind::Field);
        }
        void operator()(const ast::Scalar &s) { scope.declare(s.name, Kind::Reduced); }
        void operator()(const ast::Monitor &s) { scope.declare(s.name, Kind::Watched); }
        void operator()(const ast::Series &s) { scope.declare(s.name, Kind::Series); }
        void operator()(const ast::Grid &s) {
            const bool first = scope.dims.empty();
            for (const ast::GridDim &dim : s.dims) {
                scope.declare(dim.name, Kind::Dim);
                if (first) {
                    const auto *extent = dim.extent ? std::get_if<ast::Reference>(&dim.extent->node) : nullptr;
                    scope.dims.push_back(dim.name.text);
                    scope.extents.push_back(extent ? extent->name : "");
                } else if (Symbol *symbol = scope.declaredBy(dim.name)) // a second grid is refused and not resolved
                    symbol->kind = Kind::Broken;
            }
        }
        void operator()(const ast::Fn &s) {
            scope.declare(s.name, Kind::Function);
            if (Symbol *symbol = scope.declaredBy(s.name)) symbol->fn = &s;
        }
        void operator()(const ast::Shape &s) {
            scope.declare(s.name, Kind::Shape);
            if (Symbol *symbol = scope.declaredBy(s.name)) symbol->shape = &s;
        }
        void operator()(const ast::StencilName &) {}
        void operator()(const ast::Init &) {}
        void operator()(const ast::Boundary &) {}
        void operator()(const ast::Step &) {}
        void operator()(const ast::Steps &) {}
        void operator()(const ast::Output &) {}
        void operator()(const ast::Inject &) {}
        void operator()(const ast::Record &) {}
        void operator()(const ast::Stop &) {}
    };
    for (const ast::Statement &statement : program_.statements)
        std::visit(Declare{scope_}, statement.node);
}

void Resolver::name(const ast::StencilName &name, const ast::Statement &) {
    stencil_.name = name.name.text;
    stencil_.nameRange = name.name.range;
}

// -- scalars -----------------------------------------------------------------------

/// A scalar's value may use those above it, so both kinds are done together, in order.
void Resolver::scalars() {
    for (const ast::Statement &statement : program_.statements)
        if (const auto *p = std::get_if<ast::Param>(&statement.node))
            param(*p, statement);
        else if (const auto *l = std::get_if<ast::Let>(&statement.node))
            let(*l, statement);
    checkDefines();
}

void Resolver::param(const ast::Param &param, const ast::Statement &) {
    Symbol *symbol = scope_.declaredBy(param.name);
    const std::optional<Type> type = scalarType(param.type, diagnostics_);
    const auto define = std::find_if(defines_.rbegin(), defines_.rend(),
                                     [&](const Define &d) { return d.name == param.name.text; });
    const bool given = define != defines_.rend();
    ExprPtr value;
    if (param.value) {
        const Operand operand = resolve(*param.value, {"a parameter's default"});
        if (type) value = assign(operand, *type, "'" + param.name.text + "'", diagnostics_, typeName);
    } else if (!given) {
        diagnostics_.error(param.name.range, "parameter '" + param.name.text + "' has no value")
            .withHelp("give it a default, '= ...', or compile with -D " + param.name.text + "=...");
    }
    if (given && type) value = defined(param, *type, *define);
    if (!symbol) return;
    if (!value) {
        symbol->kind = Symbol::Kind::Broken;
        return;
    }
    symbol->index = static_cast<int>(stencil_.scalars.size());
    stencil_.scalars.push_back({Scalar::Kind::Param, param.name.text, *type, value, given, param.name.range});
}

/// The value of -D, of the parameter's type.
ExprPtr Resolver::defined(const ast::Param &param, Type type, const Define &define) {
    const std::string &text = define.value;
    const char *end = text.data() + text.size();
    const auto whole = [&](std::from_chars_result result) {
        return result.ec == std::errc() && result.ptr == end;
    };
    std::optional<decltype(Literal::value)> value;
    int64_t integer = 0;
    double real = 0;
    if (type == Type::Bool && (text == "true" || text == "false"))
        value = text == "true";
    else if (type == Type::Int && whole(std::from_chars(text.data(), end, integer)))
        value = integer;
    else if (isFloat(type) && whole(std::from_chars(text.data(), end, real)) && std::isfinite(real)) {
        if (type == Type::F32) real = static_cast<float>(real);
        if (std::isfinite(real)) value = real;
    }
    if (!value) {
        diagnostics_.error(param.name.range, "-D " + define.name + "=" + text + ": '" + define.name +
                                                 "' is " + typeName(type) + ", and '" + text +
                                                 "' is no value of it");
        return nullptr;
    }
    return makeExpr(type, param.name.range, Literal{*value});
}

void Resolver::let(const ast::Let &let, const ast::Statement &) {
    Symbol *symbol = scope_.declaredBy(let.name);
    const Operand value = resolve(*let.value, {"a 'let'"});
    if (!symbol) return;
    if (!value) {
        symbol->kind = Symbol::Kind::Broken;
        return;
    }
    symbol->index = static_cast<int>(stencil_.scalars.size());
    stencil_.scalars.push_back(
        {Scalar::Kind::Let, let.name.text, value.type(), value.expr, false, let.name.range});
}

void Resolver::checkDefines() {
    std::vector<std::string> params;
    for (const ast::Statement &statement : program_.statements)
        if (const auto *p = std::get_if<ast::Param>(&statement.node)) params.push_back(p->name.text);
    for (const Define &define : defines_) {
        if (std::ranges::find(params, define.name) != params.end()) continue;
        const std::string option = "-D " + define.name + "=" + define.value + ": ";
        const Symbol *symbol = scope_.find(define.name);
        if (symbol) {
            diagnostics_.error(kNowhere, option + "'" + define.name + "' is not a parameter")
                .note(symbol->range, "it is declared here");
            continue;
        }
        Diagnostic &error =
            diagnostics_.error(kNowhere, option + "the program has no parameter '" + define.name + "'");
        if (const auto near = closest(define.name, params)) error.withHelp("did you mean '" + *near + "'?");
    }
}

// -- grid -----------------------------------------------------------------------

void Resolver::grid(const ast::Grid &grid, const ast::Statement &) {
    for (size_t d = 0; d < grid.dims.size(); ++d) {
        const ast::GridDim &dim = grid.dims[d];
        Symbol *symbol = scope_.declaredBy(dim.name);
        if (d == kMaxDims) diagnostics_.error(dim.name.range, "a grid has 1 to 4 dimensions");
        ExprPtr spacing;
        if (dim.spacing)
            spacing = assign(resolve(*dim.spacing, {"a spacing"}), Type::F64,
                             "the spacing of '" + dim.name.text + "'", diagnostics_);
        const Operand extent = resolve(*dim.extent, {.name = "an extent", .whole = true});
        if (extent && extent.type() != Type::Int) {
            Diagnostic &error = diagnostics_.error(
                dim.extent->range, std::string("an extent must be int, and this is ") + typeName(extent.type()));
            if (isFloat(extent.type()))
                error.withHelp("an extent is a number of cells; say how large these are with 'spacing': " + dim.name.text +
                               ": 100 spacing 0.5");
        }
        if (!symbol) continue;
        if (d >= kMaxDims) {
            symbol->kind = Symbol::Kind::Broken;
            continue;
        }
        symbol->index = static_cast<int>(stencil_.dims.size());
        stencil_.dims.push_back({dim.name.text, extent.expr, spacing, dim.name.range});
    }
}

} // namespace oocc
