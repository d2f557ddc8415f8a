#include "driver/report.h"

#include "driver/files.h"

#include <filesystem>
#include <iostream>
#include <sstream>
#include <unistd.h>

namespace oocc {

namespace {

/// The value of --NAME VALUE or --NAME=VALUE before "--"; null when it is not given.
std::optional<std::string> valueOf(std::string_view name, int argc, const char *const *argv) {
    for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
        std::string_view word = argv[i];
        if (!word.starts_with(name)) continue;
        word.remove_prefix(name.size());
        if (word.starts_with('=')) return std::string(word.substr(1));
        if (word.empty() && i + 1 < argc) return argv[i + 1];
    }
    return std::nullopt;
}

} // namespace

bool isSameFile(const std::string &a, const std::string &b) {
    std::error_code error;
    return !a.empty() && (a == b || std::filesystem::equivalent(a, b, error));
}

ReportOptions reportOptions(int argc, const char *const *argv) {
    ReportOptions options;
    const auto format = valueOf("--diagnostics", argc, argv), colour = valueOf("--color", argc, argv);
    if (format == "json") options.format = ReportOptions::Json;
    if (format == "sarif") options.format = ReportOptions::Sarif;
    if (colour == "always") options.colour = ColourMode::Always;
    if (colour == "never") options.colour = ColourMode::Never;
    options.file = valueOf("--diagnostics-file", argc, argv).value_or("");
    // Where it is the program or the output as well, that is an error, which is not to destroy either.
    int uses = 0;
    for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i)
        for (const std::string_view before : {"", "-o", "--output=", "--diagnostics-file="})
            if (const std::string_view word = argv[i]; word.starts_with(before))
                uses += isSameFile(options.file, std::string(word.substr(before.size())));
    if (uses > 1) options.file.clear();
    return options;
}

Report::Report(ReportOptions options) : options_(std::move(options)) {}

Colours Report::colours() const {
    const bool toFile = !options_.file.empty();
    return Colours(wantsColour(
        toFile && options_.colour == ColourMode::Auto ? ColourMode::Never : options_.colour, STDERR_FILENO));
}

const Source &Report::setSource(Source source) {
    flush();
    flushed_ = false;
    program_ = Diagnostics();
    return source_.emplace(std::move(source));
}

void Report::flush() {
    if (flushed_ || !isText() || !source_) return;
    flushed_ = true;
    std::ostringstream text;
    printText(text, program_, *source_, colours());
    if (options_.file.empty())
        std::cerr << text.str();
    else
        text_ += text.str();
}

int Report::internalError(const std::exception &error) {
    if (dynamic_cast<const std::bad_alloc *>(&error)) {
        outside_.error(kNowhere, "out of memory").withHelp("make the program smaller, or give oocc more memory (ulimit -v)").of("memory");
        return finish(kNoMemory);
    }
    outside_.error(kNowhere, std::string("internal error: ") + error.what())
        .withHelp("please report this, with the program");
    return finish(kInternalError);
}

int Report::outOfMemory() {
    outside_.error(kNowhere, "out of memory");
    return finish(kNoMemory);
}

int Report::finish(int status) {
    if (finished_) return status;
    finished_ = true;
    flush();
    std::ostringstream document;
    const Invocation invocation{&program_,    &outside_, source_ ? &*source_ : nullptr,
                                OOCC_VERSION, status,    times_};
    switch (options_.format) {
    case ReportOptions::Text:
        document << text_;
        printText(document, outside_, colours());
        break;
    case ReportOptions::Json:
        printJson(document, invocation);
        break;
    case ReportOptions::Sarif:
        printSarif(document, invocation);
        break;
    }
    if (options_.file.empty()) {
        std::cerr << document.str() << std::flush;
        return status;
    }
    const int written = writeFile(options_.file, document.str());
    return status != 0 ? status : written;
}

} // namespace oocc
