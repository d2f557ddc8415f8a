// What holds of every diagnostic: a message, and places inside of the text, or none where that may be.
#pragma once

#include "check.h"
#include "support/diagnostics_print.h"

#include <algorithm>
#include <sstream>

inline void requirePlace(oocc::Range range, const oocc::Source &source, const std::string &message) {
    if (range.begin == oocc::kNowhere.begin && range.end == oocc::kNowhere.end) return;
    if (range.begin > range.end || range.end > source.text().size())
        require(false, "a place outside of the text: " + std::to_string(range.begin) + ".." + std::to_string(range.end) + " of " +
                std::to_string(source.text().size()) + ": " + message);
}

/// `failed`: what gave the diagnostics gave nothing else, which one of them must explain. `nowhere`: some may have no place.
inline void requireDiagnostics(const oocc::Diagnostics &diagnostics, const oocc::Source &source, bool failed, bool nowhere = false) {
    require(failed == diagnostics.hasErrors(), failed ? "refused without an error" : "an error, and a result all the same");
    for (const oocc::Diagnostic &d : diagnostics.all()) {
        require(!d.message.empty(), "a diagnostic without a message");
        require(*d.rule != '\0', "a diagnostic without a rule: " + d.message);
        require(nowhere || d.range.begin != oocc::kNowhere.begin, "an error without a place: " + d.message);
        requirePlace(d.range, source, d.message);
        for (const oocc::Note &note : d.notes) {
            require(!note.message.empty(), "a note without a message: " + d.message);
            requirePlace(note.range, source, note.message);
        }
        if (d.fix) requirePlace(d.fix->range, source, d.message);
    }
    std::ostringstream text;
    printText(text, diagnostics, source, oocc::Colours(false));
    require(diagnostics.all().empty() || text.tellp() > 0, "diagnostics that are not printed");
    const std::string shown = std::move(text).str();
    const bool plain = std::ranges::all_of(shown, [](unsigned char c) { return c == '\n' || c == '\t' || (c >= 0x20 && c != 0x7F); });
    if (!plain) require(false, "a control character in a message: " + shown);
}

/// The same as documents, for editors.
inline void requireDocuments(const oocc::Diagnostics &diagnostics, const oocc::Source &source, bool failed) {
    oocc::Invocation invocation;
    const oocc::Diagnostics none;
    invocation.program = &diagnostics;
    invocation.outside = &none;
    invocation.source = &source;
    invocation.status = failed ? 65 : 0;
    std::ostringstream json, sarif;
    printJson(json, invocation);
    printSarif(sarif, invocation);
    require(!json.str().empty() && !sarif.str().empty(), "diagnostics that are not printed as JSON");
}
