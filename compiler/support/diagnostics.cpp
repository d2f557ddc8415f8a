#include "support/diagnostics.h"

#include "support/diagnostics_print.h"
#include "support/rules.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace oocc {

Diagnostic &Diagnostic::note(Range where, std::string text) {
    notes.push_back({where, std::move(text)});
    return *this;
}

Diagnostic &Diagnostic::withHelp(std::string text) {
    help = std::move(text);
    return *this;
}

Diagnostic &Diagnostic::withFix(Range where, std::string text) {
    fix = Fix{where, std::move(text)};
    return *this;
}

Diagnostic &Diagnostic::of(const char *ruleId) {
    rule = ruleId;
    return *this;
}

Diagnostic &Diagnostics::error(Range range, std::string message, const std::source_location &reporter) {
    ++errors_;
    return list_.emplace_back(Severity::Error, range, std::move(message), ruleOf(reporter.file_name()));
}

Diagnostic &Diagnostics::warning(Range range, std::string message, const std::source_location &reporter) {
    return list_.emplace_back(Severity::Warning, range, std::move(message), ruleOf(reporter.file_name()));
}

void Diagnostics::noteFrom(size_t first, Range where, const std::string &text) {
    for (size_t i = first; i < list_.size(); ++i)
        list_[i].note(where, text);
}

std::vector<const Diagnostic *> Diagnostics::inOrder() const {
    std::vector<const Diagnostic *> sorted;
    std::set<std::tuple<uint32_t, std::string, Severity>> seen;
    for (const Diagnostic &d : list_)
        if (seen.insert({d.range.begin, d.message, d.severity}).second) sorted.push_back(&d);
    std::ranges::stable_sort(sorted, {}, [](const Diagnostic *d) { return d->range.begin; });
    return sorted;
}

void Diagnostics::print(std::ostream &out, const Source &source) const {
    printText(out, *this, source, Colours(false));
}

} // namespace oocc
