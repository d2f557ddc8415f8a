// Diagnostics as JSON: docs/formats/diagnostics.md.
#include "support/diagnostics_print.h"

#include <nlohmann/json.hpp>

#include <ostream>

namespace oocc {

namespace {

using Json = nlohmann::ordered_json; // members in the order in which they are documented

constexpr int kFormatVersion = 1;

Json pointOf(const Source &source, uint32_t offset) {
    const Position at = source.position(offset);
    return {{"line", at.line}, {"column", at.column}, {"offset", offset}};
}

Json rangeOf(const Source *source, Range range) {
    if (!source || range.begin == kNowhere.begin) return nullptr;
    return {{"start", pointOf(*source, range.begin)},
            {"end", pointOf(*source, std::max(range.begin, range.end))}};
}

Json fileOf(const Source *source, Range range) {
    return !source || range.begin == kNowhere.begin ? Json(nullptr) : Json(source->path());
}

Json one(const Source *source, const Diagnostic &d) {
    Json notes = Json::array();
    for (const Note &note : d.notes)
        notes.push_back({{"file", fileOf(source, note.range)},
                         {"message", note.message},
                         {"range", rangeOf(source, note.range)}});
    Json fix;
    if (d.fix) fix = {{"range", rangeOf(source, d.fix->range)}, {"text", d.fix->text}};
    return {{"file", fileOf(source, d.range)},
            {"severity", d.severity == Severity::Error ? "error" : "warning"},
            {"rule", d.rule},
            {"message", d.message},
            {"range", rangeOf(source, d.range)},
            {"notes", std::move(notes)},
            {"help", d.help ? Json(*d.help) : Json(nullptr)},
            {"fix", std::move(fix)}};
}

} // namespace

void printJson(std::ostream &out, const Invocation &invocation) {
    Json list = Json::array();
    if (invocation.program)
        for (const Diagnostic *d : invocation.program->inOrder())
            list.push_back(one(invocation.source, *d));
    for (const Diagnostic &d : invocation.outside->all())
        list.push_back(one(nullptr, d));
    Json document{{"format", "oocc-diagnostics"},
                  {"version", kFormatVersion},
                  {"oocc", invocation.version},
                  {"file", invocation.source ? Json(invocation.source->path()) : Json(nullptr)},
                  {"status", invocation.status},
                  {"diagnostics", std::move(list)}};
    if (!invocation.milliseconds.empty()) {
        Json &times = document["milliseconds"] = Json::object();
        for (const auto &[stage, milliseconds] : invocation.milliseconds)
            times[stage] = milliseconds;
    }
    // A program's text, and a path, need not be UTF-8.
    out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

} // namespace oocc
