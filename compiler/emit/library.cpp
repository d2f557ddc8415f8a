#include "emit/library.h"

#include "emit/emit.h"
#include "emit/writer.h"

#include <ostream>
#include <vector>

namespace oocc {

namespace {

using loops::Interface;

struct Api {
    std::string comment;
    std::string head; ///< without the semicolon
    std::vector<std::string> body;
};

/// What all functions of a stencil have in common.
class Names {
  public:
    explicit Names(const Interface &interface) : interface_(interface) {}
    std::string handle() const { return interface_.stencil + "_handle"; }
    std::string function(const std::string &returns, const std::string &name, const std::string &arguments) const {
        return returns + (returns.back() == '*' ? "" : " ") + interface_.stencil + '_' + name + '(' + arguments + ')';
    }
    /// Arguments of a function of a run that exists.
    std::string with(const std::string &more = "") const { return handle() + " *h" + (more.empty() ? "" : ", " + more); }
    static std::string run() { return "(struct oocc_embed *)h"; }
    static std::string look() { return "(const struct oocc_embed *)h"; }

  private:
    const Interface &interface_;
};

Api forward(const std::string &comment, const std::string &head, const std::string &call) {
    return {comment, head, {"return " + call + ";"}};
}

std::string planesOf(const Interface &interface) {
    const auto &dims = interface.dims;
    if (dims.size() == 1) return "a cell";
    std::string shape;
    for (size_t d = 1; d < dims.size(); ++d)
        shape += (shape.empty() ? "" : ", ") + dims[d];
    return "cells (" + shape + "), dense, the last index fastest";
}

void addBeginning(const Names &names, std::vector<Api> &list) {
    const std::string handle = names.handle();
    list.push_back({"A run of the stencil, with the program's parameters, which the caller destroys. One at a time in a process: "
                    "OOCC_DENIED while another is open. *h is null when it fails.",
                    names.function("int", "create", handle + " **h"),
                    {"struct oocc_embed *run;", "const int status = oocc_embed_create(&program, &run);",
                     "*h = (" + handle + " *)run;", "return status;"}});
    list.push_back({"Gives everything back; the scratch as well, unless option keep was set or the run can be resumed. Null: nothing.",
                    names.function("void", "destroy", names.with()),
                    {"oocc_embed_destroy(" + Names::run() + ");"}});
    list.push_back(forward("What went wrong in the last call that failed, as text, valid until the next call. Null: in this thread's last "
                           "create that failed.",
                           names.function("const char *", "error", "const " + handle + " *h"),
                           "oocc_embed_error(" + Names::look() + ")"));
}

void addParams(const Interface &interface, const Names &names, std::vector<Api> &list) {
    for (const Interface::Param &param : interface.params) {
        const std::string kind = param.type == "bool" ? "bool" : param.type == "int64_t" ? "int" : "real";
        list.push_back(forward("Parameter " + param.name + ", before the first run; " +
                                   (param.constant ? "fixed when compiled: it is " + param.value + ", and may be nothing else."
                                                   : "it is " + param.value + " by itself."),
                               names.function("int", "set_" + param.name, names.with(param.type + " value")),
                               "oocc_embed_set_" + kind + "(" + Names::run() + ", \"" + param.name + "\", value)"));
    }
}

void addSettings(const Names &names, std::vector<Api> &list) {
    list.push_back(forward("An option of the program's command line by its name without dashes, before the first run: (\"memory\", \"4G\"); "
                           "the value of a switch is null: (\"keep\", NULL). Both are copied.",
                           names.function("int", "option", names.with("const char *name, const char *value")),
                           "oocc_embed_option(" + Names::run() + ", name, value)"));
    list.push_back({"Called after every slab by the thread that called; not 0 stops the call with OOCC_STOPPED. Null: nobody is.",
                    names.function("void", "on_progress", names.with("oocc_progress *progress, void *data")),
                    {"oocc_embed_on_progress(" + Names::run() + ", progress, data);"}});
    list.push_back({"Called with what is worth knowing and no error, a line at a time. Null: it is dropped.",
                    names.function("void", "on_note", names.with("oocc_note *note, void *data")),
                    {"oocc_embed_on_note(" + Names::run() + ", note, data);"}});
    list.push_back({"True: during calls, SIGINT and SIGTERM stop them as progress can.",
                    names.function("void", "catch_signals", names.with("bool wanted")),
                    {"oocc_embed_catch_signals(" + Names::run() + ", wanted);"}});
}

void addInitial(const Interface &interface, const Names &names, std::vector<Api> &list) {
    for (const Interface::Field &field : interface.fields)
        list.push_back(forward(
            "Where the initial values of " + field.name + " come from instead of the program, before the first run. fill is "
                "called for one plane after the other" +
                (field.levels > 1 ? ", of the levels 0 to " + std::to_string(field.levels - 1) + " steps ago" : "") +
                (interface.dims.size() == 1 ? ", for many at a time" : "") + "; its cells are " + field.type + ".",
            names.function("int", "init_" + field.name, names.with("oocc_fill *fill, void *data")),
            "oocc_embed_init(" + Names::run() + ", " + field.id + ", fill, data)"));
}

void addRunning(const Interface &interface, const Names &names, std::vector<Api> &list) {
    list.push_back(forward("Plans, makes the scratch and the initial values: for runs of so many steps as option steps says, or the "
                           "program, which is " +
                               interface.steps + ". The first run, read or write does it, too.",
                           names.function("int", "prepare", names.with()), "oocc_embed_prepare(" + Names::run() + ")"));
    list.push_back(forward("Advances so many steps from the present level. OOCC_STOPPED: at some level before, and it may be run on; after "
                           "any other failure it may not.",
                           names.function("int", "run", names.with("int64_t steps")),
                           "oocc_embed_run(" + Names::run() + ", steps)"));
    list.push_back(forward("Writes what the program writes at its end: outputs, records, option report. *hash, unless hash is null, is what "
                           "the program prints as its result. Then only reading and destroy are left.",
                           names.function("int", "finish", names.with("uint64_t *hash")),
                           "oocc_embed_finish(" + Names::run() + ", hash)"));
}

void addLooking(const Interface &interface, const Names &names, std::vector<Api> &list) {
    const std::string ndim = std::to_string(interface.dims.size()), constant = "const " + names.handle() + " *h";
    list.push_back(forward("Steps made so far.", names.function("int64_t", "level", constant),
                           "oocc_embed_level(" + Names::look() + ")"));
    list.push_back(forward("Cells along each dimension, in the grid's order, as the parameters have them now.",
                           names.function("int", "extent", names.with("int64_t extent[" + ndim + "]")),
                           "oocc_embed_extent(" + Names::run() + ", extent)"));
    list.push_back(forward("The program's condition that ended the last run before its last step; null when none did.",
                           names.function("const char *", "stop_reason", constant),
                           "oocc_embed_stop_reason(" + Names::look() + ")"));
    for (const Interface::Watch &watch : interface.watches)
        list.push_back(forward(std::string(watch.feeds ? "Scalar " : "Monitor ") + watch.name +
                                   " when it was last due; nan before the first time.",
                               names.function("double", "monitor_" + watch.name, constant),
                               "oocc_embed_monitor(" + Names::look() + ", " + watch.id + ")"));
}

void addPlanes(const Interface &interface, const Names &names, std::vector<Api> &list) {
    for (const Interface::Field &field : interface.fields) {
        const bool past = field.levels > 1;
        const std::string which = past ? ", of the level `ago` steps before the present one (0 to " +
                                             std::to_string(field.levels - 1) + ")"
                                       : "";
        const std::string where = std::string(past ? "int64_t ago, " : "") + "int64_t first_plane, int64_t planes, ";
        const std::string call = "(" + Names::run() + ", " + field.id + (past ? ", ago" : ", 0") + ", first_plane, planes, cells)";
        list.push_back(forward("Copies planes [first_plane, first_plane + planes) of " + field.name + " (" + field.element + ")" +
                                   which + " into cells, which is the caller's and has room for them.",
                               names.function("int", "read_" + field.name, names.with(where + field.type + " *cells")),
                               "oocc_embed_read" + call));
        list.push_back(forward("The other way round, between runs: the next one goes on from what was written.",
                               names.function("int", "write_" + field.name, names.with(where + "const " + field.type + " *cells")),
                               "oocc_embed_write" + call));
    }
}

std::vector<Api> functions(const Interface &interface) {
    const Names names(interface);
    std::vector<Api> list;
    addBeginning(names, list);
    addParams(interface, names, list);
    addSettings(names, list);
    addInitial(interface, names, list);
    addRunning(interface, names, list);
    addLooking(interface, names, list);
    addPlanes(interface, names, list);
    return list;
}

std::string handleType(const Interface &interface) {
    const std::string name = Names(interface).handle();
    return "typedef struct " + name + ' ' + name + ";";
}

} // namespace

std::string libraryText(const Interface &interface) {
    CWriter out;
    const std::vector<Api> list = functions(interface);
    out.raw("/* -- what an application calls --------------------------------------------------------------------------------- */");
    out.line(handleType(interface));
    for (const Api &api : list)
        out.line(api.head + ";");
    for (const Api &api : list) {
        out.raw("");
        out.openBody(api.head);
        for (const std::string &line : api.body)
            out.line(line);
        out.close();
    }
    std::string text = out.text();
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

void emitHeader(std::ostream &out, const Interface &interface) {
    CWriter w;
    std::string grid;
    for (const std::string &dim : interface.dims)
        grid += (grid.empty() ? "" : ", ") + dim;
    const std::string guard = "OOCC_STENCIL_" + interface.stencil + "_H";
    w.comment(interface.stencil + ": made by oocc from " + interface.source +
              ", for applications that link it. C and C++.\n\nThe grid is (" + grid + "). A plane is all cells with one " +
              interface.dims.front() + ": " + planesOf(interface) +
              ". Functions that return int return a status of enum oocc_exit, 0 (OOCC_OK) when all went well. Call them from one "
              "thread at a time.\n\nAn application links the C of --emit=library and oocc's runtime; see docs/embedding.md of oocc.");
    w.raw("#ifndef " + guard);
    w.raw("#define " + guard);
    w.raw("");
    w.raw("#include <oocc/embed.h>");
    w.raw("");
    w.raw("#ifdef __cplusplus\nextern \"C\" {\n#endif");
    w.raw("");
    w.line(handleType(interface));
    for (const Api &api : functions(interface)) {
        w.raw("");
        w.comment(api.comment);
        w.line(api.head + ";");
    }
    w.raw("");
    w.raw("#ifdef __cplusplus\n}\n#endif");
    w.raw("");
    w.raw("#endif");
    out << w.text();
}

} // namespace oocc
