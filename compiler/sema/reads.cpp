// Reads of fields: which level and which point may be read from where.
#include "sema/expressions.h"

#include "stencil/printer.h"

namespace oocc {

namespace {

std::string quoted(const std::string &text) {
    return "'" + text + "'";
}

/// The coordinates' sum, whose parity is a point's colour.
std::string sumOfCoordinates(const Stencil &stencil) {
    std::string sum;
    for (const Dim &dim : stencil.dims)
        sum += (sum.empty() ? "" : " + ") + dim.name;
    return stencil.dims.size() > 1 ? "(" + sum + ")" : sum;
}

} // namespace

Operand ExpressionResolver::read(const std::string &name, const Symbol &symbol, const Shift &by,
                                 Range range) {
    using Reads = Place::Reads;
    const int index = symbol.index;
    if (place_.reads == Reads::None) {
        Diagnostic &error = diagnostics_.error(range, quoted(name) + " has a value at every point; " +
                                                          place_.name + " cannot read it");
        if (place_.watched)
            error.withHelp("watch it: monitor change = max(abs(" + name + "[t+1] - " + name + "));");
        return {};
    }
    if (place_.reads == Reads::Initial && !checkInitial(index, range)) return {};
    const Field &field = stencil_.fields[static_cast<size_t>(index)];
    if (field.coef && by.time != 0) {
        diagnostics_.error(range, quoted(field.name) + " is a coefficient; it has no time levels")
            .withHelp("leave the offset in t out");
        return {};
    }
    if (!checkPlace(field, by, range)) return {};
    int time = by.time;
    if (field.temp) {
        if (!checkTemp(index, by, range)) return {};
        time = 1;
    } else if (time == 1 && !checkNext(index, by, range)) {
        return {};
    } else if (place_.reads == Reads::Scalar && !field.coef) {
        time += 1; // gathered when the step before has ended: the present level is then the new one
    }
    return {makeExpr(valueType(field.type), range, Read{index, time, by.offset}), true};
}

/// What is made before the first step is made of coefficients: those above it, if it is one.
bool ExpressionResolver::checkInitial(int index, Range range) {
    const Field &field = stencil_.fields[static_cast<size_t>(index)];
    if (!field.coef) {
        diagnostics_.error(range, quoted(field.name) + " has a value at every point; " + place_.name + " cannot read it")
            .withHelp("it can read coefficients; what two fields are made of can be a function of the coordinates: fn made() = ...;");
        return false;
    }
    if (place_.below < 0 || index < place_.below) return true;
    if (index == place_.below)
        diagnostics_.error(range, "coefficient " + quoted(field.name) + " is made of itself");
    else
        diagnostics_.error(range, quoted(field.name) + " is declared below; a coefficient is made of those that stand above it")
            .withHelp("move its declaration up")
            .note(field.range, "it is declared here");
    return false;
}

/// What injections and scalars may not read.
bool ExpressionResolver::checkPlace(const Field &field, const Shift &by, Range range) {
    using Reads = Place::Reads;
    if (place_.reads == Reads::Scalar && by.time == 1) {
        diagnostics_
            .error(range, quoted(field.name + "[t+1]") +
                              " is not known yet: a scalar is made before the step, of its old values")
            .withHelp("read the present level, " + field.name + "; what a step has given is for a monitor");
        return false;
    }
    if (field.temp && (place_.reads == Reads::Scalar || place_.reads == Reads::Inject)) {
        diagnostics_
            .error(range, quoted(field.name) + " is a temp, scratch of the updates; " + place_.name +
                              " reads fields and coefficients")
            .withHelp("write out what " + quoted(field.name) + " is made of")
            .note(field.range, "it is declared here");
        return false;
    }
    return true;
}

/// f[t+1] may be read once the step has given it a value.
bool ExpressionResolver::checkNext(int index, const Shift &by, Range range) {
    const std::string &name = stencil_.fields[static_cast<size_t>(index)].name;
    const auto site = sites_.find(index);
    if (site == sites_.end()) return false; // never updated, which is an error of its own
    if (place_.updates < 0) return true;    // after all updates
    const UpdateSite &own = sites_.at(place_.updates);
    if (site->second.order < own.order) return true;
    if (site->second.order > own.order) {
        diagnostics_.error(range, quoted(name + "[t+1]") + " is read before its update")
            .withHelp("move the update up, or read the present level: " + name)
            .note(site->second.range, "it is updated here");
        return false;
    }
    const std::string present = toString(stencil_, makeExpr(Type::F64, range, Read{index, 0, by.offset}));
    if (by.offset == Offsets{}) {
        diagnostics_.error(range, "the update of " + quoted(name) + " reads the very value that it gives")
            .withHelp("Jacobi's form reads the present level: " + present);
        return false;
    }
    const std::string black = "if " + sumOfCoordinates(stencil_) + " % 2 == 0 then ";
    const Type type = stencil_.fields[static_cast<size_t>(index)].type;
    diagnostics_
        .error(range, "the update of " + quoted(name) +
                          " reads values that it gives itself at other points (Gauss-Seidel); "
                          "points have no order, so that they can be done in tiles and in parallel")
        .withHelp("Jacobi's form reads the present level: " + present +
                  "\n  the red-black form does one colour after the other, with a temp:"
                  "\n    temp red : " +
                  elementName(type) +
                  ";"
                  "\n    red = " +
                  black + "NEW else " + name + ";  // NEW reads " + present + "\n    " + name +
                  "[t+1] = " + black + "red else NEW;  // here it reads red instead");
    return false;
}

/// A temp may be read once the step has written it.
bool ExpressionResolver::checkTemp(int index, const Shift &by, Range range) {
    const std::string &name = stencil_.fields[static_cast<size_t>(index)].name;
    if (by.timed) {
        diagnostics_.error(range, quoted(name) + " is a temp, scratch of one step; it has no time levels")
            .withHelp("leave t out; what is kept from step to step is a field");
        return false;
    }
    const auto site = sites_.find(index);
    if (site == sites_.end()) return false; // never written, which is an error of its own
    if (place_.updates < 0) return true;    // after all updates
    const UpdateSite &own = sites_.at(place_.updates);
    if (site->second.order < own.order) return true;
    if (site->second.order > own.order) {
        diagnostics_.error(range, quoted(name) + " is read before the step writes it")
            .withHelp("a temp holds nothing from the step before; move its line up")
            .note(site->second.range, "it is written here");
        return false;
    }
    if (by.offset == Offsets{})
        diagnostics_.error(range, "the temp " + quoted(name) + " reads the very value that it is given");
    else
        diagnostics_
            .error(range, "the temp " + quoted(name) +
                              " is made from itself at another point (a recurrence along the grid); "
                              "points have no order, so that they can be done in tiles and in parallel")
            .withHelp("let the steps carry it: make it a field, and read its present level");
    return false;
}

} // namespace oocc
