// Diagnostics as SARIF 2.1.0 (OASIS), the format in which CI services take the results of analyses. What has a place in the
// program is a result; what has none is a notification of the invocation. Columns count code points, as everywhere in oocc.
#include "support/diagnostics_print.h"
#include "support/rules.h"

#include <nlohmann/json.hpp>

#include <map>
#include <ostream>

namespace oocc {

namespace {

using Json = nlohmann::ordered_json;

/// A path as a URI reference (RFC 3986): every byte that is not unreserved is escaped; absolute paths get their scheme.
std::string uriOf(const std::string &path) {
    static constexpr char kDigits[] = "0123456789ABCDEF";
    static constexpr std::string_view kPlain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    std::string uri = path.starts_with('/') ? "file://" : "";
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if (kPlain.find(c) != std::string_view::npos)
            uri += c;
        else
            uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return uri;
}

Json regionOf(const Source &source, Range range) {
    const Position from = source.position(range.begin),
                   to = source.position(std::max(range.begin, range.end));
    return {{"startLine", from.line},
            {"startColumn", from.column},
            {"endLine", to.line},
            {"endColumn", to.column}};
}

Json artifactOf(const Source &source) {
    return {{"uri", uriOf(source.path())}, {"index", 0}};
}

Json locationOf(const Source &source, Range range) {
    Json region = regionOf(source, range);
    if (range.end > range.begin) region["snippet"] = {{"text", source.slice(range)}};
    return {{"artifactLocation", artifactOf(source)}, {"region", std::move(region)}};
}

Json textOf(const std::string &text) {
    return {{"text", text}};
}

/// The message and its remedy; notes without a place, too: SARIF's related locations want one.
std::string wholeMessage(const Diagnostic &d) {
    std::string text = d.message;
    if (d.help) text += "\nhelp: " + *d.help;
    for (const Note &note : d.notes)
        if (note.range.begin == kNowhere.begin) text += '\n' + note.message;
    return text;
}

const char *levelOf(const Diagnostic &d) {
    return d.severity == Severity::Error ? "error" : "warning";
}

/// The rules that occur, in the order of their first occurrence.
class Rules {
  public:
    size_t indexOf(const char *id) {
        const auto [row, isNew] = indices_.try_emplace(id, indices_.size());
        if (isNew) {
            const Rule *rule = findRule(id);
            list_.push_back(
                {{"id", id}, {"shortDescription", textOf(rule ? rule->summary : "A diagnostic of oocc.")}});
        }
        return row->second;
    }
    Json list() && { return std::move(list_); }

  private:
    std::map<std::string, size_t> indices_;
    Json list_ = Json::array();
};

Json resultOf(const Source &source, const Diagnostic &d, Rules &rules) {
    Json result{{"ruleId", d.rule},
                {"ruleIndex", rules.indexOf(d.rule)},
                {"level", levelOf(d)},
                {"message", textOf(wholeMessage(d))},
                {"locations", Json::array({{{"physicalLocation", locationOf(source, d.range)}}})}};
    Json related = Json::array();
    for (const Note &note : d.notes)
        if (note.range.begin != kNowhere.begin)
            related.push_back({{"id", related.size()},
                               {"physicalLocation", locationOf(source, note.range)},
                               {"message", textOf(note.message)}});
    if (!related.empty()) result["relatedLocations"] = std::move(related);
    if (d.fix) {
        Json replacement{{"deletedRegion", regionOf(source, d.fix->range)},
                         {"insertedContent", textOf(d.fix->text)}};
        Json change{{"artifactLocation", artifactOf(source)},
                    {"replacements", Json::array({std::move(replacement)})}};
        result["fixes"] =
            Json::array({{{"description", textOf(d.help ? *d.help : "write '" + d.fix->text + "'")},
                          {"artifactChanges", Json::array({std::move(change)})}}});
    }
    return result;
}

Json notificationOf(const Source *source, const Diagnostic &d, Rules &rules) {
    Json locations = Json::array(); // of notes: a -D may name what is no parameter
    for (const Note &note : d.notes)
        if (source && note.range.begin != kNowhere.begin)
            locations.push_back(
                {{"physicalLocation", locationOf(*source, note.range)}, {"message", textOf(note.message)}});
    return {{"descriptor", {{"id", d.rule}, {"index", rules.indexOf(d.rule)}}},
            {"locations", std::move(locations)},
            {"level", levelOf(d)},
            {"message", textOf(wholeMessage(d))}};
}

} // namespace

void printSarif(std::ostream &out, const Invocation &invocation) {
    Rules rules, notifications;
    Json results = Json::array(), configuration = Json::array(), execution = Json::array();
    if (invocation.program) {
        for (const Diagnostic *d : invocation.program->inOrder()) {
            if (d->range.begin == kNowhere.begin) // a -D that names no parameter
                configuration.push_back(notificationOf(invocation.source, *d, notifications));
            else
                results.push_back(resultOf(*invocation.source, *d, rules));
        }
    }
    for (const Diagnostic &d : invocation.outside->all())
        (std::string_view(d.rule) == "usage" ? configuration : execution)
            .push_back(notificationOf(invocation.source, d, notifications));

    Json call{{"executionSuccessful", invocation.status == 0}, {"exitCode", invocation.status}};
    if (!configuration.empty()) call["toolConfigurationNotifications"] = std::move(configuration);
    if (!execution.empty()) call["toolExecutionNotifications"] = std::move(execution);
    if (!invocation.milliseconds.empty()) {
        Json &times = call["properties"]["milliseconds"] = Json::object();
        for (const auto &[stage, milliseconds] : invocation.milliseconds)
            times[stage] = milliseconds;
    }

    Json driver{{"name", "oocc"},
                {"version", invocation.version},
                {"semanticVersion", invocation.version},
                {"rules", std::move(rules).list()},
                {"notifications", std::move(notifications).list()}};
    Json run{{"tool", {{"driver", std::move(driver)}}},
             {"columnKind", "unicodeCodePoints"},
             {"invocations", Json::array({std::move(call)})},
             {"artifacts", Json::array()},
             {"results", std::move(results)}};
    if (invocation.source)
        run["artifacts"].push_back({{"location", {{"uri", uriOf(invocation.source->path())}}},
                                    {"length", invocation.source->text().size()},
                                    {"encoding", "UTF-8"},
                                    {"sourceLanguage", "oocc"}});
    const Json document{
        {"$schema",
         "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
        {"version", "2.1.0"},
        {"runs", Json::array({std::move(run)})}};
    out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

} // namespace oocc
