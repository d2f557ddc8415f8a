#include "lift/lift.h"

#include "driver/files.h"
#include "lift/model.h"
#include "lift/walker.h"
#include "lift/write.h"
#include "support/spelling.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Tooling/ArgumentsAdjusters.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>

#include <algorithm>
#include <iostream>

namespace oocc::lift {

namespace {

using namespace clang;

class Lifter : public ASTConsumer {
  public:
    Lifter(CompilerInstance &compiler, const Request &request, Outcome &outcome)
        : compiler_(compiler), request_(request), outcome_(outcome) {}

    void HandleTranslationUnit(ASTContext &context) override {
        if (compiler_.getDiagnostics().hasErrorOccurred()) return; // Clang has said what
        const FunctionDecl *function = find(context);
        if (!function) return;
        // With macros under their names first; where a size or a distance must be a number for good, with numbers.
        try {
            outcome_.text = lifted(context, *function, true);
            return;
        } catch (const Refusal &) {
        }
        try {
            outcome_.text = lifted(context, *function, false);
        } catch (const Refusal &refusal) {
            report(refusal);
        }
    }

  private:
    std::string lifted(ASTContext &context, const FunctionDecl &function, bool macroNames) const {
        const Wishes wishes{request_.defaults, request_.swaps, request_.assumeNoAlias, request_.sameRims,
                            macroNames};
        Kernel kernel = Walker(context, compiler_.getPreprocessor(), wishes).walk(function);
        const Plan plan = understand(kernel, request_.results);
        return write(kernel, plan, request_.defaults);
    }

    const FunctionDecl *find(ASTContext &context) {
        std::vector<const FunctionDecl *> found;
        std::vector<std::string> names;
        const std::function<void(const DeclContext *)> look = [&](const DeclContext *scope) {
            for (const Decl *d : scope->decls()) {
                if (const auto *inner = dyn_cast<DeclContext>(d); inner && !isa<FunctionDecl>(d)) look(inner);
                const auto *f = dyn_cast<FunctionDecl>(d);
                if (!f || !f->isThisDeclarationADefinition()) continue;
                if (!context.getSourceManager().isInSystemHeader(f->getLocation()))
                    names.push_back(f->getNameAsString());
                if (f->getNameAsString() == request_.function) found.push_back(f);
            }
        };
        look(context.getTranslationUnitDecl());
        if (found.size() == 1) return found[0];
        Refusal refusal;
        if (found.empty()) {
            refusal.message =
                "there is no function '" + request_.function + "' with a body in '" + request_.input + "'";
            if (const auto near = closest(request_.function, names))
                refusal.help = "did you mean '" + *near + "'?";
            else if (!names.empty()) {
                refusal.help = "it has: ";
                for (size_t i = 0; i < std::min<size_t>(names.size(), 8); ++i)
                    refusal.help += (i ? ", " : "") + names[i];
            }
        } else {
            refusal.at = found[0]->getLocation();
            refusal.message = "there are several functions '" + request_.function + "'";
            refusal.help = "give the one that is meant a name of its own";
            for (size_t i = 1; i < found.size(); ++i)
                refusal.notes.emplace_back(found[i]->getLocation(), "another one is here");
        }
        report(refusal);
        return nullptr;
    }

    void report(const Refusal &refusal) const {
        DiagnosticsEngine &diagnostics = compiler_.getDiagnostics();
        const auto say = [&](DiagnosticsEngine::Level level, SourceRange at, const std::string &text) {
            const unsigned id = diagnostics.getDiagnosticIDs()->getCustomDiagID(
                level == DiagnosticsEngine::Error ? DiagnosticIDs::Error : DiagnosticIDs::Note, "%0");
            const bool placed = at.isValid();
            DiagnosticBuilder builder =
                placed ? diagnostics.Report(at.getBegin(), id) : diagnostics.Report(id);
            builder << text;
            if (placed && at.getBegin() != at.getEnd()) builder << CharSourceRange::getTokenRange(at);
        };
        say(DiagnosticsEngine::Error, refusal.at, refusal.message);
        for (const auto &[where, text] : refusal.notes)
            say(DiagnosticsEngine::Note, where, text);
        if (!refusal.help.empty()) say(DiagnosticsEngine::Note, {}, refusal.help);
    }

    CompilerInstance &compiler_;
    const Request &request_;
    Outcome &outcome_;
};

class Action : public ASTFrontendAction {
  public:
    Action(const Request &request, Outcome &outcome) : request_(request), outcome_(outcome) {}
    std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
        return std::make_unique<Lifter>(compiler, request_, outcome_);
    }

  private:
    const Request &request_;
    Outcome &outcome_;
};

class Factory : public tooling::FrontendActionFactory {
  public:
    Factory(const Request &request, Outcome &outcome) : request_(request), outcome_(outcome) {}
    std::unique_ptr<FrontendAction> create() override { return std::make_unique<Action>(request_, outcome_); }

  private:
    const Request &request_;
    Outcome &outcome_;
};

/// OpenMP's pragmas say how loops are shared out, and not what they compute; warnings are for who compiles the file.
tooling::CommandLineArguments adjusted(const tooling::CommandLineArguments &args, StringRef) {
    tooling::CommandLineArguments result;
    for (const std::string &arg : args)
        if (!arg.starts_with("-fopenmp") && !arg.starts_with("-W") && arg != "-pedantic")
            result.push_back(arg);
    const auto at = result.empty() ? result.end() : result.begin() + 1;
    result.insert(at, {"-w", "-resource-dir=" OOCC_CLANG_RESOURCE_DIR});
    return result;
}

} // namespace

Outcome lift(const Request &request) {
    Outcome outcome;
    std::string text; // read once so that a file that is not there is reported as everywhere in oocc
    if (const int status = readFile(request.input, text)) return {std::nullopt, status};
    std::unique_ptr<tooling::CompilationDatabase> commands;
    if (request.database.empty())
        commands = std::make_unique<tooling::FixedCompilationDatabase>(".", request.flags);
    else {
        std::string error;
        commands = tooling::CompilationDatabase::loadFromDirectory(request.database, error);
        if (!commands) {
            std::cerr << "oocc lift: there is no compile_commands.json in '" << request.database << "'\n";
            return {std::nullopt, kBadProgram};
        }
        if (commands->getCompileCommands(tooling::getAbsolutePath(request.input)).empty()) {
            std::cerr << "oocc lift: compile_commands.json in '" << request.database << "' does not say how '"
                      << request.input << "' is compiled\n";
            return {std::nullopt, kBadProgram};
        }
    }
    tooling::ClangTool tool(*commands, {request.input});
    tool.setPrintErrorMessage(false);
    tool.appendArgumentsAdjuster(adjusted);
    Factory factory(request, outcome);
    const int failed = tool.run(&factory);
    if (!outcome.text) outcome.status = kBadProgram;
    if (failed && outcome.text) outcome = {std::nullopt, kBadProgram};
    return outcome;
}

} // namespace oocc::lift
