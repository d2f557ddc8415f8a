// Diagnostics are data: every stage collects range, message, notes and a fix; the driver prints them once, at
// the end, in the format that was asked for (diagnostics_print.h).
#pragma once

#include "support/source.h"

#include <deque>
#include <iosfwd>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

namespace oocc {

enum class Severity { Error, Warning };

/// A second place that explains the first ("declared here").
struct Note {
    Range range;
    std::string message;
};

/// What to write instead: `text` replaces `range` (an empty range inserts).
struct Fix {
    Range range;
    std::string text;
};

struct Diagnostic {
    Severity severity = Severity::Error;
    Range range;
    std::string message;
    const char *rule = ""; ///< what it is about: an id of rules.h
    std::vector<Note> notes;
    std::optional<std::string> help; ///< the remedy in words, printed as "help: ..."
    std::optional<Fix> fix;          ///< the remedy as text, printed under the caret line

    Diagnostic &note(Range where, std::string text);
    Diagnostic &withHelp(std::string text);
    Diagnostic &withFix(Range where, std::string text);
    Diagnostic &of(const char *ruleId);
};

class Diagnostics {
  public:
    /// The reference stays valid while the Diagnostics lives, so that notes can be chained on. The rule follows from the
    /// file that reports (rules.cpp); of() gives another.
    Diagnostic &error(Range range, std::string message,
                      const std::source_location &reporter = std::source_location::current());
    Diagnostic &warning(Range range, std::string message,
                        const std::source_location &reporter = std::source_location::current());

    /// Adds a note to all diagnostics from number `first` on: where what they speak of is used.
    void noteFrom(size_t first, Range where, const std::string &text);

    bool hasErrors() const { return errors_ > 0; }
    const std::deque<Diagnostic> &all() const { return list_; }
    /// In source order, in order of report where positions are equal; what was said of a place already is left out.
    std::vector<const Diagnostic *> inOrder() const;

    /// Prints every diagnostic as text, without colours.
    void print(std::ostream &out, const Source &source) const;

  private:
    std::deque<Diagnostic> list_;
    int errors_ = 0;
};

} // namespace oocc
