#include "rules.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

namespace audit {

namespace {

using namespace clang;

/// Where string literals may stand: collected from the initialisers of the tables and from the calls that take one.
class Texts : public RecursiveASTVisitor<Texts> {
  public:
    explicit Texts(const Vocabulary &vocabulary) : vocabulary_(vocabulary) {}

    bool VisitVarDecl(VarDecl *variable) {
        // An array of texts: dims, stop_text.
        if (variable->isFileVarDecl() && variable->hasInit() &&
            vocabulary_.has("texts", variable->getName().str()))
            if (const auto *list = dyn_cast<InitListExpr>(variable->getInit()->IgnoreImplicit()))
                for (const Expr *init : list->inits())
                    allow(init);
        return true;
    }
    bool VisitInitListExpr(InitListExpr *list) {
        const RecordType *type = list->getType()->getAsStructureType();
        const InitListExpr *semantic = list->isSemanticForm() ? list : list->getSemanticForm();
        if (!type || !semantic) return true;
        unsigned i = 0;
        for (const FieldDecl *field : type->getDecl()->fields()) {
            if (i == semantic->getNumInits()) break;
            const std::string member = type->getDecl()->getName().str() + "." + field->getName().str();
            if (vocabulary_.has("texts", member)) allow(semantic->getInit(i));
            ++i;
        }
        return true;
    }
    bool VisitCallExpr(CallExpr *call) {
        const FunctionDecl *callee = call->getDirectCallee();
        if (callee && callee->getNumParams() == call->getNumArgs() && call->getNumArgs() > 0 &&
            vocabulary_.has("texts", callee->getName().str() + "()"))
            allow(call->getArg(call->getNumArgs() - 1));
        return true;
    }

    bool allows(const StringLiteral *text) const { return allowed_.count(text) > 0; }

  private:
    void allow(const Expr *value) {
        if (const auto *text = dyn_cast<StringLiteral>(value->IgnoreParenImpCasts())) allowed_.insert(text);
    }

    const Vocabulary &vocabulary_;
    std::set<const StringLiteral *> allowed_;
};

class Tree : public RecursiveASTVisitor<Tree> {
  public:
    Tree(ASTContext &context, const Vocabulary &vocabulary, const Texts &texts, Findings &findings)
        : sources_(context.getSourceManager()), vocabulary_(vocabulary), texts_(texts),
          findings_(findings) {}

    bool shouldVisitImplicitCode() const { return true; }

    bool VisitDecl(Decl *declaration) {
        if (!written(declaration->getLocation())) return true;
        for (const Attr *attribute : declaration->attrs())
            if (!attribute->isImplicit() && !attribute->isInherited() && written(attribute->getLocation()) &&
                !vocabulary_.has("attributes", attribute->getSpelling()))
                find(attribute->getLocation(), "attribute", attribute->getSpelling());
        if (isa<FileScopeAsmDecl>(declaration)) find(declaration->getLocation(), "asm", "at file scope");
        if (declaration->getDeclContext() && declaration->getDeclContext()->isFunctionOrMethod() &&
            (isa<TagDecl>(declaration) || isa<FunctionDecl>(declaration) || isa<TypedefDecl>(declaration)) &&
            !declaration->isImplicit())
            find(declaration->getLocation(), "declaration", "inside a function");
        return true;
    }
    bool VisitVarDecl(VarDecl *variable) {
        if (!written(variable->getLocation())) return true;
        if (variable->isFileVarDecl() && variable->getStorageClass() != SC_Static)
            find(variable->getLocation(), "linkage", "'" + variable->getName().str() + "' is not static");
        if (!variable->isFileVarDecl() && variable->getStorageClass() != SC_None)
            find(variable->getLocation(), "linkage",
                 "'" + variable->getName().str() + "' outlives its function");
        return true;
    }
    bool VisitFunctionDecl(FunctionDecl *function) {
        if (function->isImplicit() || !written(function->getLocation())) return true;
        if (function->getStorageClass() != SC_Static && function->getName() != "main")
            find(function->getLocation(), "linkage", "'" + function->getName().str() + "' is not static");
        if (!function->isThisDeclarationADefinition() || function->isVariadic())
            find(function->getLocation(), "linkage",
                 "'" + function->getName().str() + "' is declared only, or variadic");
        return true;
    }
    bool VisitCallExpr(CallExpr *call) {
        if (!written(call->getBeginLoc())) return true;
        const FunctionDecl *callee = call->getDirectCallee();
        if (!callee) {
            find(call->getBeginLoc(), "call", "through a pointer");
            return true;
        }
        const std::string name = callee->getName().str();
        const FunctionDecl *body = nullptr;
        const bool own =
            callee->hasBody(body) && written(body->getLocation()) && body->getStorageClass() == SC_Static;
        const bool runtime = name.starts_with("oocc_") && !written(callee->getLocation());
        if (!own && !runtime && !vocabulary_.has("library", name))
            find(call->getBeginLoc(), "call", "of '" + name + "'");
        if (callee->isVariadic())
            find(call->getBeginLoc(), "call", "of '" + name + "', which takes any arguments");
        return true;
    }
    bool VisitStringLiteral(StringLiteral *text) {
        // What a library's macro (NAN) holds is the library's.
        if (!written(sources_.getSpellingLoc(text->getBeginLoc())) || texts_.allows(text)) return true;
        find(text->getBeginLoc(), "literal", "a text that is not in a table for messages and files");
        return true;
    }
    bool VisitStmt(Stmt *statement) {
        if (!written(statement->getBeginLoc())) return true;
        if (!vocabulary_.has("nodes", statement->getStmtClassName()))
            find(statement->getBeginLoc(), "node", statement->getStmtClassName());
        return true;
    }
    bool VisitCastExpr(CastExpr *cast) {
        if (!written(cast->getBeginLoc())) return true;
        const CastKind kind = cast->getCastKind();
        if (kind == CK_IntegralToPointer || kind == CK_PointerToIntegral)
            find(cast->getBeginLoc(), "cast", cast->getCastKindName());
        return true;
    }

  private:
    bool written(SourceLocation at) const {
        return at.isValid() && sources_.isWrittenInMainFile(sources_.getExpansionLoc(at));
    }
    void find(SourceLocation at, const char *rule, std::string text) {
        const SourceLocation place = sources_.getExpansionLoc(at);
        findings_.insert({sources_.getSpellingLineNumber(place), sources_.getSpellingColumnNumber(place),
                          rule, std::move(text)});
    }

    const SourceManager &sources_;
    const Vocabulary &vocabulary_;
    const Texts &texts_;
    Findings &findings_;
};

} // namespace

void auditTree(ASTContext &context, const Vocabulary &vocabulary, Findings &findings) {
    Texts texts(vocabulary);
    texts.TraverseDecl(context.getTranslationUnitDecl());
    Tree(context, vocabulary, texts, findings).TraverseDecl(context.getTranslationUnitDecl());
}

} // namespace audit
