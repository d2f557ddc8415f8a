#include "rules.h"

#include <clang/Basic/IdentifierTable.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/Version.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Token.h>

namespace audit {

namespace {

using namespace clang;

class Directives : public PPCallbacks {
  public:
    Directives(const SourceManager &sources, const Vocabulary &vocabulary, Findings &findings)
        : sources_(sources), vocabulary_(vocabulary), findings_(findings) {}

#if CLANG_VERSION_MAJOR >= 19
    void InclusionDirective(SourceLocation hash, const Token &, StringRef name, bool angled, CharSourceRange,
                            OptionalFileEntryRef, StringRef, StringRef, const Module *, bool,
                            SrcMgr::CharacteristicKind) override {
#elif CLANG_VERSION_MAJOR >= 16
    void InclusionDirective(SourceLocation hash, const Token &, StringRef name, bool angled, CharSourceRange,
                            OptionalFileEntryRef, StringRef, StringRef, const Module *, SrcMgr::CharacteristicKind) override {
#else
    void InclusionDirective(SourceLocation hash, const Token &, StringRef name, bool angled, CharSourceRange, const FileEntry *,
                            StringRef, StringRef, const Module *, SrcMgr::CharacteristicKind) override {
#endif
        if (!angled || !vocabulary_.has("includes", name.str())) find(hash, "include", name.str());
    }
    void MacroDefined(const Token &name, const MacroDirective *) override {
        find(name.getLocation(), "macro", "a macro is defined");
    }
    void MacroUndefined(const Token &name, const MacroDefinition &, const MacroDirective *) override {
        find(name.getLocation(), "macro", "a macro is undefined");
    }
    /// A name that somebody's header has made a macro would say something else than the emitter meant.
    void MacroExpands(const Token &name, const MacroDefinition &, SourceRange range,
                      const MacroArgs *) override {
        if (!name.getLocation().isFileID()) return; // inside of another macro
        const IdentifierInfo *identifier = name.getIdentifierInfo();
        if (identifier && !vocabulary_.has("macros", identifier->getName().str()))
            find(range.getBegin(), "macro", "'" + identifier->getName().str() + "' is a macro");
    }
    void FileChanged(SourceLocation at, FileChangeReason reason, SrcMgr::CharacteristicKind,
                     FileID) override {
        if (reason == RenameFile) find(at, "directive", "#line");
    }
    void Ident(SourceLocation at, StringRef) override { find(at, "directive", "#ident"); }
    void If(SourceLocation at, SourceRange, ConditionValueKind) override { find(at, "directive", "#if"); }
    void Ifdef(SourceLocation at, const Token &, const MacroDefinition &) override {
        find(at, "directive", "#ifdef");
    }
    void Ifndef(SourceLocation at, const Token &, const MacroDefinition &) override {
        find(at, "directive", "#ifndef");
    }
    void PragmaDirective(SourceLocation at, PragmaIntroducerKind kind) override {
        if (kind != PIK_HashPragma) find(at, "pragma", "_Pragma");
    }

  private:
    void find(SourceLocation at, const char *rule, std::string text) {
        const SourceLocation place = sources_.getExpansionLoc(at);
        if (!sources_.isWrittenInMainFile(place)) return;
        findings_.insert({sources_.getSpellingLineNumber(place), sources_.getSpellingColumnNumber(place),
                          rule, std::move(text)});
    }

    const SourceManager &sources_;
    const Vocabulary &vocabulary_;
    Findings &findings_;
};

} // namespace

std::unique_ptr<PPCallbacks> directivesAudit(const SourceManager &sources, const Vocabulary &vocabulary,
                                             Findings &findings) {
    return std::make_unique<Directives>(sources, vocabulary, findings);
}

} // namespace audit
