// Private to lsp/: what a document answers. Every function takes an offset into its text, and gives what the protocol's
// answer is made of; null: nothing to say.
#pragma once

#include "lsp/document.h"

namespace oocc::lsp {

// hover.cpp
json hover(const Document &document, uint32_t offset);

// navigation.cpp
json definition(const Document &document, uint32_t offset);
json references(const Document &document, uint32_t offset, bool withDeclaration);
json highlights(const Document &document, uint32_t offset);
json symbols(const Document &document, bool nested);

// rename.cpp: throw RequestError with the reason where a name cannot be changed.
json prepareRename(const Document &document, uint32_t offset);
json rename(const Document &document, uint32_t offset, const std::string &name);

// completion.cpp
json completion(const Document &document, uint32_t offset);

// signature.cpp
json signatureHelp(const Document &document, uint32_t offset);

// edits.cpp
/// Of the whole text, or the changes in some lines of it; none when it does not parse.
json formatting(const Document &document, std::optional<Range> lines);
/// Of the diagnostics that touch the range.
json codeActions(const Document &document, Range range);

// tokens.cpp
json tokenLegend();
json semanticTokens(const Document &document);

/// The word that holds the offset; a name or a keyword may end there, too. Null: blanks.
const Word *wordAt(const Known &known, uint32_t offset);

} // namespace oocc::lsp
