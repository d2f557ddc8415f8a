// A program that an editor has open, and what is known of it.
#pragma once

#include "analysis/facts.h"
#include "lsp/text.h"
#include "sema/evaluate.h"
#include "sema/index.h"
#include "sema/resolve.h"
#include "support/diagnostics.h"
#include "syntax/words.h"

#include <memory>
#include <optional>

namespace oocc::lsp {

/// Of a text that compiles.
struct Meaning {
    Stencil stencil;
    Facts facts;
    std::vector<Value> scalars;
};

/// Of one text. While it is being written most of it stands all the same: statements that are whole have names, and what was
/// known of these before the text stopped compiling is still told.
struct Known {
    explicit Known(const std::string &name, const std::string &text) : source(name, text) {}

    Source source;
    Diagnostics diagnostics;
    bool parses = false;
    ast::Program program; ///< what of it is whole
    Index index;
    std::vector<Word> words;
    bool compiles = false;
};

struct Document {
    std::string uri;
    json version; ///< a number or null
    Text text;
    std::optional<Known> known;             ///< nothing: the text has changed since
    std::shared_ptr<const Meaning> meaning; ///< of the last text that compiled; null: none did
    Index names;     ///< of this text, and of the last one that parsed what this one lacks
    Index lastNames; ///< of the last one that parsed

    /// What is known of the text as it is now.
    const Known &look(const std::vector<Define> &defines);

    /// What the name at the offset is declared by. In a statement that is not whole, and so has no names yet, it is what a
    /// name like this would stand for.
    std::optional<NameUse> nameAt(uint32_t offset) const;

  private:
    void gatherNames();
};

/// What a client is told of a text.
json diagnosticsOf(const Document &document, bool related);

} // namespace oocc::lsp
