#include "loops/observers.h"

#include "loops/expressions.h"
#include "loops/stages.h"
#include "stencil/printer.h"

namespace oocc::loops {

namespace {

template <typename Visit> void eachStage(const Context &context, Visit &&visit) {
    for (int k = 0; k < static_cast<int>(context.stencil.stages.size()); ++k)
        visit(k, context.stencil.stages[k]);
}

bool isWatch(const Stage &stage) {
    return stage.scalar >= 0;
}

E boolean(bool value) {
    return std::make_shared<const Expr>(Expr{Bool{value}});
}

std::string outputName(int output) {
    return "output_" + std::to_string(output);
}
std::string placeName(size_t points) {
    return "points_" + std::to_string(points);
}

constexpr size_t kMostOfAMessage = 1000; // C is sure to take strings of 4,095 characters

E setupValue(const Context &context, const ExprPtr &expr, const std::string &what) {
    Translator translator(context);
    translator.checked = true;
    translator.what = what;
    return translator.translate(expr);
}

/// Everything that happens every so many steps, with the expression that says how many.
template <typename Visit> void eachEvery(const Context &context, Visit &&visit) {
    eachStage(context, [&](int k, const Stage &stage) {
        if (!alwaysDue(stage)) visit(stageId(context, k), stage.every);
    });
    for (size_t i = 0; i < context.stencil.outputs.size(); ++i)
        if (const ExprPtr &every = context.stencil.outputs[i].every)
            visit(outputName(static_cast<int>(i)), every);
}

Table pointsTable(const Context &context) {
    Table table{"Points; the runtime reads them and sorts the cells that they touch.",
                "static struct oocc_points",
                "points",
                {},
                false};
    for (size_t i = 0; i < context.stencil.points.size(); ++i) {
        const Points &points = context.stencil.points[i];
        table.rows.push_back({points.at.empty()
                                  ? std::pair<std::string, E>{"path", text(points.file)}
                                  : std::pair<std::string, E>{"at", var("place." + placeName(i))}});
    }
    return table;
}

Table signalTable(const Context &context) {
    Table table{context.stencil.series.empty() ? "Signals that are injected."
                                               : "Signals that are injected, and series (points -1).",
                "static struct oocc_signal", "signals", {}, false};
    eachStage(context, [&](int, const Stage &stage) {
        if (!stage.signal.empty())
            table.rows.push_back({{"path", text(stage.signal)}, {"points", lit(stage.points)}});
    });
    for (const Series &series : context.stencil.series)
        table.rows.push_back({{"path", text(series.file)}, {"points", lit(-1)}});
    return table;
}

void addEvery(const Context &context, int stage, Table::Row &row) {
    if (!alwaysDue(context.stencil.stages[stage]))
        row.emplace_back("every", addressOf(var("every." + stageId(context, stage))));
}

Table recordTable(const Context &context) {
    Table table{"Fields that are recorded at points.", "static struct oocc_record", "records", {}, false};
    eachStage(context, [&](int k, const Stage &stage) {
        if (stage.kind != Stage::Kind::Record) return;
        table.rows.push_back({{"path", text(stage.path)},
                              {"field", context.fieldId(stage.field)},
                              {"points", lit(stage.points)}});
        addEvery(context, k, table.rows.back());
    });
    return table;
}

Table watchTable(const Context &context) {
    static constexpr const char *kOps[] = {"OOCC_SUM", "OOCC_MIN", "OOCC_MAX", "OOCC_MEAN"};
    Table table{"Reductions over the grid.", "static const struct oocc_watch", "watches", {}, false};
    eachStage(context, [&](int k, const Stage &stage) {
        if (!isWatch(stage)) return;
        table.rows.push_back({{"name", text(context.stencil.scalars[stage.scalar].name)},
                              {"op", var(kOps[static_cast<int>(stage.op)])},
                              {"value", addressOf(context.scalarGlobal(stage.scalar))},
                              {"feeds", boolean(stage.kind == Stage::Kind::Reduce)}});
        addEvery(context, k, table.rows.back());
    });
    return table;
}

} // namespace

std::vector<Constant> buildObserverConstants(const Context &context) {
    std::vector<Constant> constants;
    int64_t watches = 0, records = 0, signals = 0;
    eachStage(context, [&](int k, const Stage &stage) {
        if (isWatch(stage))
            constants.push_back({"WATCH_" + context.stencil.scalars[stage.scalar].name, watches++, ""});
        if (stage.kind == Stage::Kind::Record)
            constants.push_back({"RECORD_" + stageId(context, k), records++, ""});
        if (!stage.signal.empty()) constants.push_back({"SIGNAL_" + stageId(context, k), signals++, ""});
    });
    for (const Series &series : context.stencil.series)
        constants.push_back({"SERIES_" + series.name, signals++, ""});
    return constants;
}

std::vector<Variables> buildObserverVariables(const Context &context) {
    Variables watched{"Results of reductions over the grid; the runtime stores them.", "watched", {}};
    eachStage(context, [&](int, const Stage &stage) {
        if (isWatch(stage))
            watched.members.push_back({"double", context.scalarLocal(stage.scalar), nullptr, ""});
    });
    Variables every{"After how many steps something is done; setup() computes it.", "every", {}};
    eachEvery(context, [&](const std::string &name, const ExprPtr &value) {
        every.members.push_back({"int64_t", name, nullptr, toString(context.stencil, value)});
    });
    Variables place{"Points given by expressions; setup() computes them.", "place", {}};
    for (size_t i = 0; i < context.stencil.points.size(); ++i)
        if (!context.stencil.points[i].at.empty())
            place.members.push_back(
                {"double", placeName(i) + "[" + std::to_string(context.ndim()) + "]", nullptr, ""});
    return {watched, every, place};
}

Body fillObservers(const Context &context) {
    Body body;
    eachEvery(context, [&](const std::string &name, const ExprPtr &value) {
        body.push_back(assign(var("every." + name), setupValue(context, value, "what follows 'every'")));
    });
    for (size_t i = 0; i < context.stencil.points.size(); ++i) {
        const std::vector<ExprPtr> &at = context.stencil.points[i].at;
        for (size_t dim = 0; dim < at.size(); ++dim)
            body.push_back(assign(loops::at(var("place." + placeName(i)), lit(static_cast<int64_t>(dim))),
                                  setupValue(context, at[dim], "a point's place")));
    }
    return body;
}

std::vector<Table> buildObserverTables(const Context &context) {
    Table stops{"Stop conditions, for messages.", "static const char *const", "stop_text", {}, false};
    for (const Stop &stop : context.stencil.stops)
        stops.rows.push_back({{"", text(shortened(toString(context.stencil, stop.condition), kMostOfAMessage))}});
    std::vector<Table> tables;
    for (const Table &table :
         {pointsTable(context), signalTable(context), recordTable(context), watchTable(context), stops})
        if (!table.rows.empty()) tables.push_back(table);
    return tables;
}

std::vector<Function> buildStop(const Context &context) {
    if (context.stencil.stops.empty()) return {};
    Function function;
    function.comment = "The first stop condition that holds now, or -1.";
    function.returns = "int";
    function.name = "stop";
    for (size_t i = 0; i < context.stencil.stops.size(); ++i) {
        Translator translator(context);
        translator.what = "a stop condition";
        function.body.push_back(when(translator.translate(context.stencil.stops[i].condition),
                                     {{Return{lit(static_cast<int64_t>(i))}}}));
    }
    function.body.push_back({Return{lit(-1)}});
    return {function};
}

Table::Row observerRow(const Context &context) {
    Table::Row row;
    for (const Table &table : buildObserverTables(context)) {
        const E count = lit(static_cast<int64_t>(table.rows.size()));
        if (table.name == "points") row.insert(row.end(), {{"point_sets", count}, {"points", var("points")}});
        if (table.name == "signals") row.insert(row.end(), {{"signals", count}, {"signal", var("signals")}});
        if (table.name == "records") row.insert(row.end(), {{"records", count}, {"record", var("records")}});
        if (table.name == "watches") row.insert(row.end(), {{"watches", count}, {"watch", var("watches")}});
        if (table.name == "stop_text")
            row.insert(row.end(), {{"stop", var("stop")}, {"stop_text", var("stop_text")}});
    }
    row.emplace_back("stop_on_nan", boolean(context.stencil.stopOnNan));
    return row;
}

E outputEvery(const Context &context, int output) {
    if (!context.stencil.outputs[output].every) return nullptr;
    return addressOf(var("every." + outputName(output)));
}

} // namespace oocc::loops
