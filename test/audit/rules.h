// The rules of emitted C, one function for each way of looking at a file. What is allowed stands in vocabulary.txt.
#pragma once

#include "findings.h"
#include "vocabulary.h"

#include <memory>
#include <string_view>
#include <vector>

namespace clang {
class ASTContext;
class PPCallbacks;
class SourceManager;
} // namespace clang

namespace audit {

/// The file's bytes, comments, literals and words, as they stand there: before macros, splices and trigraphs have done anything.
void auditTokens(std::string_view text, const Vocabulary &vocabulary, Findings &findings);

/// The file's identifiers in their order: what is neither a keyword of C nor part of a directive; and a brace where a function or a
/// table ends.
std::vector<std::string> identifiersOf(std::string_view text, const Vocabulary &vocabulary);

/// What the preprocessor meets in the main file: includes, pragmas, macros; anything else is none of the emitter's.
std::unique_ptr<clang::PPCallbacks> directivesAudit(const clang::SourceManager &sources,
                                                    const Vocabulary &vocabulary, Findings &findings);

/// What the compiler makes of it: what is called, what has which linkage, where string literals stand.
void auditTree(clang::ASTContext &context, const Vocabulary &vocabulary, Findings &findings);

} // namespace audit
