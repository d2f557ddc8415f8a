#include "loops/tables.h"

#include "analysis/invariance.h"
#include "loops/expressions.h"
#include "loops/fields.h"
#include "loops/initial_values.h"
#include "loops/observers.h"
#include "loops/regions.h"
#include "stencil/printer.h"

#include <algorithm>

namespace oocc::loops {

namespace {

E real(double value) {
    return std::make_shared<const Expr>(Expr{Real{value, false}});
}
E boolean(bool value) {
    return std::make_shared<const Expr>(Expr{Bool{value}});
}

std::string typeId(Type type) {
    switch (type) {
    case Type::Bool:
        return "OOCC_BOOL";
    case Type::U8:
        return "OOCC_U8";
    case Type::I32:
        return "OOCC_I32";
    case Type::Int:
        return "OOCC_INT";
    case Type::F32:
        return "OOCC_F32";
    case Type::F64:
        return "OOCC_F64";
    }
    return "";
}

/// (const int[]){FIELD_a, FIELD_b}
E fieldList(const Context &context, const std::vector<int> &fields) {
    std::string list;
    for (const int field : fields)
        list += (list.empty() ? "FIELD_" : ", FIELD_") + context.fieldName(field);
    return var("(const int[]){" + list + "}");
}

bool isParam(const Scalar &scalar) {
    return scalar.kind == Scalar::Kind::Param;
}

/// The default is an expression: setup() computes it, unless the command line gave the parameter a value.
bool follows(const Scalar &scalar) {
    return isParam(scalar) && !std::holds_alternative<Literal>(scalar.value->node);
}

/// As a comment on what has this value.
std::string definition(const Context &context, const ExprPtr &value) {
    constexpr size_t kMostOfADefinition = 80;
    return shortened(toString(context.stencil, value), kMostOfADefinition);
}

std::string givenName(const Scalar &scalar) {
    return "given_" + scalar.name;
}

Table paramTable(const Context &context) {
    Table table{"Parameters: set with -D before anything is computed.",
                "static const struct oocc_param",
                "params",
                {},
                false};
    for (size_t i = 0; i < context.stencil.scalars.size(); ++i) {
        const Scalar &scalar = context.stencil.scalars[i];
        if (!isParam(scalar)) continue;
        table.rows.push_back({{"name", text(scalar.name)},
                              {"type", var(typeId(scalar.type))},
                              {"value", addressOf(context.scalarGlobal(static_cast<int>(i)))},
                              {"constant", boolean(scalar.given)}});
        if (follows(scalar))
            table.rows.back().emplace_back("given", addressOf(var("param." + givenName(scalar))));
    }
    return table;
}

Table fieldTable(const Context &context) {
    Table table{"Fields: how many levels are kept, when planes are needed, and who makes their first values.",
                "static const struct oocc_field",
                "fields",
                {},
                false};
    for (int index : context.storedFields()) {
        const Field &field = context.stencil.fields[index];
        const FieldStorage &storage = context.plan.fields[index];
        Table::Row row{{"name", text(field.name)},
                       {"type", var(typeId(field.type))},
                       {"coef", boolean(field.coef)},
                       {"levels", lit(storage.levels)},
                       {"slots", lit(storage.slots)},
                       {"delay_planes", lit(storage.delay)},
                       {"keep_planes", lit(storage.keep)},
                       {"made_planes", lit(storage.made)},
                       {"ghost_lo_cells", lit(storage.ghostLo)},
                       {"ghost_hi_cells", lit(storage.ghostHi)},
                       {"first_cell", lit(storage.firstCell)}};
        if (context.plan.leans && !field.coef)
            row.insert(row.end(), {{"lean_rows", lit(storage.leanRows)}, {"lean_shift", lit(storage.leanShift)}});
        if (!field.initFile.empty()) row.emplace_back("path", text(field.initFile));
        const std::vector<int> sources = fillSources(context, index);
        if (needsFill(context, index)) row.emplace_back(sources.empty() ? "fill" : "fill_from", var(fillName(context, index)));
        if (!sources.empty())
            row.insert(row.end(), {{"source", fieldList(context, sources)}, {"sources", lit(static_cast<int64_t>(sources.size()))}});
        if (field.coef && !context.facts.fields[index].read) row.emplace_back("unread", boolean(true));
        if (needsGhosts(context, index)) row.emplace_back("ghosts", var(ghostsName(context, index)));
        table.rows.push_back(row);
    }
    return table;
}

Table outputTable(const Context &context) {
    Table table{"Outputs, written on the way or when the last step is done.",
                "static const struct oocc_output",
                "outputs",
                {},
                false};
    for (size_t i = 0; i < context.stencil.outputs.size(); ++i) {
        const Output &output = context.stencil.outputs[i];
        table.rows.push_back({{"field", context.fieldId(output.field)}, {"path", text(output.path)}});
        if (const E every = outputEvery(context, static_cast<int>(i)))
            table.rows.back().emplace_back("every", every);
    }
    return table;
}

Table::Row tilingRow(const Context &context) {
    const Plan &plan = context.plan;
    const auto most = [](const std::vector<int64_t> &shifts) {
        return lit(*std::max_element(shifts.begin(), shifts.end()));
    };
    return {{"tiling.slope_lo", lit(plan.low.step)},
            {"tiling.slope_hi", lit(plan.high.step)},
            {"tiling.shift_lo", most(plan.low.stage)},
            {"tiling.shift_hi", most(plan.high.stage)},
            {"tiling.reach", lit(plan.tileReach)},
            {"tiling.more_lo", lit(plan.moreLow)},
            {"tiling.more_hi", lit(plan.moreHigh)},
            {"tiling.piece_slope", lit(plan.piece.step)},
            {"tiling.whole_rows", boolean(!context.pieces())},
            {"tiling.ring", boolean(plan.ring)},
            {"tiling.leans", boolean(plan.leans)}};
}

Table programTable(const Context &context, const std::string &source, uint64_t hash, int edgeRows,
                   const std::vector<Table> &tables, Form form) {
    const Plan &plan = context.plan;
    Table::Row row{{"abi", var("OOCC_ABI")},
                   {"name", text(context.stencil.name)},
                   {"source", text(source)},
                   {"hash", call("UINT64_C", {var(std::to_string(hash))}) + var("OOCC_FUNCTIONS")},
                   {"ndim", lit(context.ndim())},
                   {"dim", var("dims")},
                   {"setup", var("setup")},
                   {"use_grid", var("use_grid")},
                   {"fields", lit(static_cast<int64_t>(context.storedFields().size()))},
                   {"field", var("fields")}};
    for (const Table &table : tables) {
        const int64_t count = static_cast<int64_t>(table.rows.size());
        if (table.name == "params" && count > 0)
            row.insert(row.end(), {{"params", lit(count)}, {"param", var("params")}});
        if (table.name == "outputs" && count > 0)
            row.insert(row.end(), {{"outputs", lit(count)}, {"output", var("outputs")}});
    }
    row.insert(row.end(), {{"stages", lit(static_cast<int64_t>(plan.groups.size()))},
                           {"step_delay", var("STEP_DELAY")},
                           {"delay_min", lit(plan.delayMin)},
                           {"delay_max", lit(plan.delayMax)},
                           {"block_min_cells", lit(plan.blockMin)},
                           {"share_least", lit(plan.shareLeast)},
                           {"tiled", boolean(plan.tiled >= 0)}});
    if (plan.tiled >= 0)
        for (const auto &entry : tilingRow(context))
            row.push_back(entry);
    row.insert(row.end(), {{"wedge.periodic", boolean(context.unrolled())},
                           {"wedge.slope_lo", var("WEDGE_LO")},
                           {"wedge.slope_hi", var("WEDGE_HI")},
                           {"wedge.more_lo", lit(plan.wedgeMoreLow)},
                           {"wedge.more_hi", lit(plan.wedgeMoreHigh)}});
    for (int dim = 0; dim < context.ndim(); ++dim)
        if (plan.leastExtent[dim] > 1)
            row.emplace_back("min_extent[" + std::to_string(dim) + "]", lit(plan.leastExtent[dim]));
    for (const auto &entry : observerRow(context))
        row.push_back(entry);
    row.insert(row.end(), {{"edge_rows", lit(edgeRows)},
                           {"flops_per_cell", real(context.facts.flopsPerCell + context.facts.flopsInCallsPerCell)},
                           {"bt", lit(plan.knobs.bt)},
                           {"bz", lit(plan.knobs.bz)},
                           {"ct", lit(plan.knobs.ct)},
                           {"yt", lit(plan.knobs.yt)},
                           {"xt", lit(plan.knobs.xt)},
                           {"columns", lit(plan.knobs.columns)}});
    if (planesDiffer(context.stencil)) row.emplace_back("planes_differ", boolean(true));
    if (form == Form::Library) row.emplace_back("embedded", boolean(true));
    row.emplace_back("pass", var("pass"));
    return {
        "The program as the runtime sees it.", "static const struct oocc_program", "program", {row}, true};
}

} // namespace

std::vector<Variables> buildVariables(const Context &context) {
    Variables param{"Parameters, with their defaults.", "param", {}};
    Variables let{"Named values that follow from the parameters; setup() computes them.", "let", {}};
    for (size_t i = 0; i < context.stencil.scalars.size(); ++i) {
        const Scalar &scalar = context.stencil.scalars[i];
        const std::string name = context.scalarLocal(static_cast<int>(i));
        Translator translator(context);
        if (follows(scalar)) {
            param.members.push_back(
                {cTypeOf(scalar.type), name, nullptr, definition(context, scalar.value)});
            param.members.push_back({"bool", givenName(scalar), nullptr, ""});
        } else if (isParam(scalar)) {
            param.members.push_back({cTypeOf(scalar.type), name, translator.translate(scalar.value), ""});
        } else if (scalar.kind == Scalar::Kind::Let) {
            let.members.push_back({cTypeOf(scalar.type), name, nullptr, definition(context, scalar.value)});
        }
    }
    Variables constant{"What rows need of parameters and lets and would compute anew each time; setup() computes it.", "constant", {}};
    for (const RunConstants::Constant &c : context.constants.all())
        constant.members.push_back({cTypeOf(c.value->type), c.name, nullptr, definition(context, c.value)});
    Variables size{"The grid's extents, and the elements from one row of a field to the next.", "size", {}};
    for (int dim = 0; dim < context.ndim(); ++dim)
        size.members.push_back({"int64_t", context.extentName(dim), nullptr, ""});
    if (context.ndim() > 2)
        for (int f : context.storedFields())
            size.members.push_back({"int64_t", "row_" + context.fieldName(f), nullptr, ""});
    std::vector<Variables> all{param, let, constant, size, buildBounds(context)};
    for (const Variables &variables : buildObserverVariables(context))
        all.push_back(variables);
    std::erase_if(all, [](const Variables &variables) { return variables.members.empty(); });
    return all;
}

std::vector<Function> buildSetup(const Context &context) {
    const auto value = [&](const ExprPtr &expr, const std::string &what) {
        Translator translator(context);
        translator.checked = true;
        translator.what = what;
        return translator.translate(expr);
    };
    Function setup;
    setup.comment =
        "What follows from the parameters: named values, the grid's extents, the number of steps.";
    setup.returns = "void";
    setup.name = "setup";
    setup.params = {{"int64_t", "extent[OOCC_MAX_DIMS]"}, {"int64_t *", "steps"}};
    for (size_t i = 0; i < context.stencil.scalars.size(); ++i) {
        const Scalar &scalar = context.stencil.scalars[i];
        const E target = context.scalarGlobal(static_cast<int>(i));
        const std::string what = (isParam(scalar) ? "param " : "let ") + scalar.name;
        if (follows(scalar))
            setup.body.push_back(
                when(notE(var("param." + givenName(scalar))), {assign(target, value(scalar.value, what))}));
        else if (scalar.kind == Scalar::Kind::Let)
            setup.body.push_back(assign(target, value(scalar.value, what)));
    }
    for (const RunConstants::Constant &constant : context.constants.all())
        setup.body.push_back(assign(context.constantGlobal(constant.name), Translator(context).compute(constant.value)));
    for (int dim = 0; dim < context.ndim(); ++dim)
        setup.body.push_back(
            assign(at(var("extent"), lit(dim)),
                   value(context.stencil.dims[dim].extent, "the extent of " + context.dimName(dim))));
    setup.body.push_back(assign(var("*steps"), value(context.stencil.steps, "the number of steps")));

    for (const Stmt &stmt : fillObservers(context))
        setup.body.push_back(stmt);

    Function use;
    use.comment = "Told by the runtime once it has laid out the grid.";
    use.returns = "void";
    use.name = "use_grid";
    use.params = {{"const struct oocc_grid *", "g"}};
    use.body.push_back(assign(var("grid"), var("g")));
    for (int dim = 0; dim < context.ndim(); ++dim)
        use.body.push_back(assign(context.extent(dim), at(var("g->extent"), lit(dim))));
    for (const Stmt &stmt : fillBounds(context))
        use.body.push_back(stmt);
    if (context.ndim() > 2)
        for (int f : context.storedFields())
            use.body.push_back(
                assign(context.stride(f), var("g->layout[FIELD_" + context.fieldName(f) + "].row_elements")));
    std::vector<Function> functions{setup, use};
    for (const Function &stop : buildStop(context))
        functions.push_back(stop);
    return functions;
}

std::vector<Table> buildTables(const Context &context, const std::string &source, uint64_t hash,
                               int edgeRows, Form form) {
    std::vector<Table> tables;
    for (Table &table : std::vector<Table>{paramTable(context), fieldTable(context), outputTable(context)})
        if (!table.rows.empty()) tables.push_back(table);
    tables.push_back(programTable(context, source, hash, edgeRows, tables, form));
    return tables;
}

} // namespace oocc::loops
