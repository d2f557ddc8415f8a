#include "support/rules.h"

namespace oocc {

namespace {

constexpr Rule kRules[] = {
    {"syntax", "The text does not follow the grammar."},
    {"names", "A name is unknown, declared twice or of another kind of thing."},
    {"types", "A type is unknown, or a value is not of the type that its place takes."},
    {"declarations", "A statement that declares something is missing, given twice or contradicts itself."},
    {"sizes", "An extent, a spacing, a place or a number of steps makes no sense with these values."},
    {"expressions", "An operation or a call is not applied to what it takes."},
    {"functions", "A function is called, or made, in a way that functions cannot be."},
    {"shapes", "A shape, or a reduction over one, is not what shapes can be."},
    {"derivatives", "A derivative is not of a kind or an order that there is."},
    {"fields", "A field, a coefficient or its initial value is not what they can be."},
    {"reads", "A field is read where, or at a level at which, it cannot be."},
    {"edges", "What lies beyond the edge of the grid is not said, said twice or impossible."},
    {"updates", "A field is updated, or a temp assigned, in a way that a step does not allow."},
    {"regions", "A region of the grid is not what regions can be."},
    {"points", "An injection or a record is not at points, or not of what points have."},
    {"watches", "A monitor, a scalar, a stop condition or an output is not what they can be."},
    {"file-names", "The name of a data file says no kind that can be read or written."},
    {"variants", "A space of variants is not what spaces can be, or has no variant, or too many."},
    {"integer-division", "A division of whole numbers drops what remains."},
    {"unused-init", "A past level has an initial value, and no update reads it."},
    {"unused-function", "Nothing calls a function."},
    {"unused-scalar", "Nothing uses a scalar."},
    {"unused-state", "No step reads what a field has from the step before."},
    {"usage", "The command line is wrong."},
    {"files", "A file could not be read or written."},
    {"c-compiler", "The C compiler could not be run, or refused what oocc made."},
    {"memory", "There is not enough memory for the program."},
    {"internal", "A mistake of oocc itself."},
};

struct Reporter {
    std::string_view file; ///< below compiler/; a folder ends with '/'
    const char *rule;
};

constexpr Reporter kReporters[] = {
    {"syntax/", "syntax"},
    {"sema/names.cpp", "names"},
    {"sema/scope.cpp", "names"},
    {"sema/types.cpp", "types"},
    {"sema/operand.cpp", "types"},
    {"sema/constants.cpp", "types"},
    {"sema/declarations.cpp", "declarations"},
    {"sema/resolve.cpp", "declarations"},
    {"sema/expressions.cpp", "expressions"},
    {"sema/calls.cpp", "expressions"},
    {"sema/functions.cpp", "functions"},
    {"sema/shapes.cpp", "shapes"},
    {"sema/reductions.cpp", "shapes"},
    {"sema/derivatives.cpp", "derivatives"},
    {"sema/fields.cpp", "fields"},
    {"sema/reads.cpp", "reads"},
    {"sema/offsets.cpp", "reads"},
    {"sema/boundaries.cpp", "edges"},
    {"analysis/missing_edges.cpp", "edges"},
    {"sema/updates.cpp", "updates"},
    {"sema/regions.cpp", "regions"},
    {"sema/points.cpp", "points"},
    {"sema/watches.cpp", "watches"},
    {"sema/files.cpp", "file-names"},
    {"variants/", "variants"},
    {"driver/variants.cpp", "variants"},
    {"driver/options.cpp", "usage"},
    {"driver/commands.cpp", "usage"},
    {"driver/files.cpp", "files"},
    {"driver/build_program.cpp", "c-compiler"},
    {"driver/runtime_place.cpp", "c-compiler"},
    {"driver/report.cpp", "internal"},
    {"lsp/", "internal"},
};

} // namespace

const char *ruleOf(std::string_view reporter) {
    constexpr std::string_view kRoot = "compiler/";
    if (const size_t root = reporter.rfind(kRoot); root != std::string_view::npos)
        reporter.remove_prefix(root + kRoot.size());
    for (const Reporter &row : kReporters)
        if (row.file.ends_with('/') ? reporter.starts_with(row.file) : reporter == row.file) return row.rule;
    return "";
}

const Rule *findRule(std::string_view id) {
    for (const Rule &rule : kRules)
        if (rule.id == id) return &rule;
    return nullptr;
}

} // namespace oocc
