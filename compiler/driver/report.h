// Everything that a call of oocc has to say besides its result, in the format that was asked for.
#pragma once

#include "support/diagnostics_print.h"

#include <exception>
#include <optional>
#include <string>

namespace oocc {

struct ReportOptions {
    enum Format { Text, Json, Sarif };

    Format format = Text;
    std::string file; ///< where to; empty: stderr
    ColourMode colour = ColourMode::Auto;
};

/// Whether two paths lead to one file, there already or not.
bool isSameFile(const std::string &a, const std::string &b);

/// What the words say of the report, before they are parsed and possibly refused: the refusal is to be in it. What is not
/// understood is left at its default.
ReportOptions reportOptions(int argc, const char *const *argv);

class Report {
  public:
    explicit Report(ReportOptions options);

    /// Of the program's text; print() before what takes long.
    Diagnostics &program() { return program_; }
    /// Of the command line, of files and of the C compiler.
    Diagnostics &outside() { return outside_; }
    /// Keeps the text: diagnostics of program() point into it. Those of a text before it are printed, or forgotten where
    /// there is a document to come, which speaks of one text.
    const Source &setSource(Source source);
    void setTimes(std::vector<std::pair<std::string, double>> milliseconds) {
        times_ = std::move(milliseconds);
    }

    /// Whether stderr is for people.
    bool isText() const { return options_.format == ReportOptions::Text; }
    /// As text: prints what the program was told. Documents are printed once, at the end.
    void flush();
    /// Finishes with what should never have been thrown; returns 70.
    int internalError(const std::exception &error);
    int outOfMemory();
    /// Prints what is left, or the document, once; returns the status, or another when the report could not be written.
    int finish(int status);

  private:
    Colours colours() const;

    ReportOptions options_;
    Diagnostics program_, outside_;
    std::optional<Source> source_;
    std::vector<std::pair<std::string, double>> times_;
    std::string text_; ///< for a file, as text
    bool flushed_ = false, finished_ = false;
};

} // namespace oocc
