// oocc-audit: reads C that oocc has emitted and says where it holds anything that the emitter has no business to write.
//
//     oocc-audit FILE.c...                     prints FILE:LINE:COLUMN: RULE: what, for every breach; status 1 when there is one
//     oocc-audit --list-identifiers FILE.c     the file's identifiers in their order, one per line, and } behind functions and tables
//     oocc-audit --list-prefixes               what user names stand behind, as a regular expression
#include "rules.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Tooling/Tooling.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace {

using namespace audit;

class Consumer : public clang::ASTConsumer {
  public:
    Consumer(const Vocabulary &vocabulary, Findings &findings)
        : vocabulary_(vocabulary), findings_(findings) {}
    void HandleTranslationUnit(clang::ASTContext &context) override {
        auditTree(context, vocabulary_, findings_);
    }

  private:
    const Vocabulary &vocabulary_;
    Findings &findings_;
};

class Action : public clang::ASTFrontendAction {
  public:
    Action(const Vocabulary &vocabulary, Findings &findings) : vocabulary_(vocabulary), findings_(findings) {}
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &compiler,
                                                          llvm::StringRef) override {
        compiler.getPreprocessor().addPPCallbacks(
            directivesAudit(compiler.getSourceManager(), vocabulary_, findings_));
        return std::make_unique<Consumer>(vocabulary_, findings_);
    }

  private:
    const Vocabulary &vocabulary_;
    Findings &findings_;
};

std::string readAll(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) throw std::runtime_error("cannot read '" + path + "'");
    return text.str();
}

/// The flags that programs are built with, and the warnings that emitted C must not give. Trigraphs are on, as C11 has them.
const std::vector<std::string> kFlags{"-std=c11",
                                      "-O3",
                                      "-march=native",
                                      "-fopenmp",
                                      "-ffp-contract=off",
                                      "-fno-math-errno",
                                      "-Wall",
                                      "-Wextra",
                                      "-Wpedantic",
                                      "-Werror",
                                      "-fsyntax-only",
                                      "-resource-dir=" OOCC_AUDIT_RESOURCES,
                                      "-I" OOCC_AUDIT_INCLUDE};

/// How many breaches there are.
size_t auditFile(const std::string &path, const Vocabulary &vocabulary) {
    const std::string text = readAll(path);
    Findings findings;
    auditTokens(text, vocabulary, findings);
    const bool parsed = clang::tooling::runToolOnCodeWithArgs(std::make_unique<Action>(vocabulary, findings),
                                                              text, kFlags, "program.c", "oocc-audit");
    if (!parsed) findings.insert({1, 1, "syntax", "the compiler refuses it"});
    for (const Finding &finding : findings)
        std::cout << path << ':' << finding.line << ':' << finding.column << ": " << finding.rule << ": "
                  << finding.text << '\n';
    return findings.size();
}

int run(const std::vector<std::string> &args) {
    const Vocabulary vocabulary(OOCC_AUDIT_VOCABULARY);
    if (args.size() == 1 && args[0] == "--list-prefixes") {
        std::cout << vocabulary.prefixes() << '\n';
        return 0;
    }
    if (args.size() == 2 && args[0] == "--list-identifiers") {
        for (const std::string &name : identifiersOf(readAll(args[1]), vocabulary))
            std::cout << name << '\n';
        return 0;
    }
    if (args.empty() || args[0].starts_with("-")) {
        std::cerr << "usage: oocc-audit FILE.c... | --list-identifiers FILE.c | --list-prefixes\n";
        return 2;
    }
    size_t found = 0;
    for (const std::string &path : args)
        found += auditFile(path, vocabulary);
    return found > 0 ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception &error) {
        std::cerr << "oocc-audit: " << error.what() << '\n';
        return 2;
    }
}
