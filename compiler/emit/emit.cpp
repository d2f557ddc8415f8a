#include "emit/emit.h"

#include "emit/expressions.h"
#include "emit/library.h"
#include "emit/statements.h"
#include "emit/writer.h"
#include "templates.h"

#include <map>
#include <ostream>
#include <stdexcept>

namespace oocc {

namespace {

template <typename Write> std::string section(Write &&write) {
    CWriter out;
    write(out);
    std::string text = out.text();
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

std::string functions(const std::vector<loops::Function> &list) {
    return section([&](CWriter &out) {
        for (const loops::Function &function : list)
            writeFunction(out, function);
    });
}

std::string tables(const loops::Module &module) {
    return section([&](CWriter &out) {
        std::string names;
        for (const std::string &dim : module.dims)
            names += (names.empty() ? "" : ", ") + quoteC(dim);
        out.blank();
        out.line("static const char *const dims[] = {" + names + "};");
        for (const loops::Table &table : module.tables)
            writeTable(out, table);
    });
}

/// Puts texts in the places of {{name}}; a line that an empty text leaves empty goes, with the blank line after it.
std::string fill(const std::string &form, const std::map<std::string, std::string> &texts) {
    std::string out;
    size_t at = 0;
    for (size_t open; (open = form.find("{{", at)) != std::string::npos;) {
        const size_t close = form.find("}}", open);
        const auto text = texts.find(form.substr(open + 2, close - open - 2));
        if (text == texts.end()) throw std::logic_error("the template asks for something nobody makes");
        out += form.substr(at, open - at) + text->second;
        at = close + 2;
        if (text->second.empty() && at < form.size() && form[at] == '\n') ++at;
    }
    return out + form.substr(at);
}

/// No more than one blank line in a row.
std::string tidy(const std::string &text) {
    std::string out;
    for (char c : text)
        if (c != '\n' || out.size() < 2 || out.compare(out.size() - 2, 2, "\n\n") != 0) out += c;
    return out;
}

} // namespace

void emitC(std::ostream &out, const loops::Module &module) {
    const bool library = module.form == loops::Form::Library;
    const std::map<std::string, std::string> texts{
        {"head", section([&](CWriter &w) { w.comment(module.comment); })},
        {"constants", section([&](CWriter &w) { writeConstants(w, module.constants); })},
        {"variables", section([&](CWriter &w) {
             for (const loops::Variables &variables : module.variables)
                 writeVariables(w, variables);
         })},
        {"observers", section([&](CWriter &w) {
             for (const loops::Table &table : module.observers)
                 writeTable(w, table);
         })},
        {"derived", functions(module.derived)},
        {"fields", functions(module.fields)},
        {"kernels", functions(module.kernels)},
        {"sides", module.tiled ? std::string(sidesTemplate) : ""},
        {"schedule", functions(module.schedule)},
        {"tables", tables(module)},
        {"embed", library ? "#include <oocc/embed.h>" : ""},
        {"entry", library ? libraryText(module.interface)
                          : "int main(int argc, char **argv) { return oocc_main(&program, argc, argv); }"},
    };
    out << tidy(fill(programTemplate, texts));
}

} // namespace oocc
