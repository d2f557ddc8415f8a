// The walk over a function: its statements in order, with what every variable stands for at each of them. Scalars become
// values, stores into arrays are kept, pointers are followed to the arrays they name. Whatever the walk does not understand
// ends it with a Refusal.
#pragma once

#include "lift/model.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <clang/Lex/Preprocessor.h>

#include <map>
#include <set>

namespace oocc::lift {

struct Wishes {
    std::map<std::string, std::string> defaults;            ///< -D
    std::vector<std::pair<std::string, std::string>> swaps; ///< --swap
    bool assumeNoAlias = false, sameRims = false;
    bool macroNames = true; ///< a macro that is a number keeps its name
};

class Walker {
  public:
    Walker(clang::ASTContext &context, clang::Preprocessor &preprocessor, const Wishes &wishes)
        : context_(context), preprocessor_(preprocessor), wishes_(wishes) {}

    Kernel walk(const clang::FunctionDecl &function);

  private:
    /// What a variable stands for.
    struct Value {
        NodePtr scalar;
        int array = -1;
        const clang::InitListExpr *table = nullptr; ///< a constant array, whose elements are numbers
        std::string unknown;                        ///< why it has no value here
    };
    using Environment = std::map<const clang::VarDecl *, Value>;

    // statements.cpp
    void statement(const clang::Stmt *s);
    void declare(const clang::VarDecl *variable);
    void assign(const clang::BinaryOperator *e);
    void step(const clang::UnaryOperator *e);
    void body(const clang::Stmt *s);
    void body(llvm::ArrayRef<clang::Stmt *> parts);
    void choose(const clang::IfStmt *s);
    void choose(const clang::IfStmt *s, const std::function<void()> &yes, const std::function<void()> &no);
    void set(const clang::VarDecl *variable, NodePtr value);
    void store(const clang::Expr *target, NodePtr value, clang::SourceRange where);
    void forget(const clang::Stmt *body, const std::string &why);

    // loops.cpp
    struct Header {
        const clang::VarDecl *variable = nullptr;
        Poly low, high;
        int direction = 1;
    };
    Header header(const clang::ForStmt *s);
    void loop(const clang::ForStmt *s);
    void unroll(const clang::ForStmt *s, const Header &h);
    static bool isStoredBy(const clang::Stmt *body, const clang::VarDecl *variable, int depth = 0);

    // function.cpp
    void parameter(const clang::ParmVarDecl *p);
    int array(const clang::VarDecl *variable, clang::QualType type, const std::string &name);
    void extents(Array &array, clang::QualType type, const clang::VarDecl *variable);
    void overTime(const clang::ForStmt *s);
    void rotate(const Environment &before, const std::vector<const clang::Stmt *> &body);
    void swap();
    void checkAliases();

    // expressions.cpp
    NodePtr value(const clang::Expr *e);
    NodePtr number(NodePtr n);
    NodePtr truth(NodePtr n);
    NodePtr literal(const clang::Expr *e, std::string text, int64_t integer);
    NodePtr convert(NodePtr n, Type to, clang::SourceRange where);
    NodePtr load(const clang::Expr *e);
    NodePtr variable(const clang::VarDecl *v, const clang::Expr *e);
    Type type(clang::QualType t, clang::SourceRange where);
    Poly poly(const NodePtr &n);
    Poly index(const clang::Expr *e) { return poly(number(value(e))); }
    [[noreturn]] void refuseIndex(const NodePtr &n) const;
    std::string nameOf(const clang::NamedDecl *d) const { return d->getNameAsString(); }

    // beyond.cpp
    std::optional<Poly> place(const NodePtr &n, std::vector<Beyond> &beyond);
    std::optional<Poly> around(const NodePtr &n, std::vector<Beyond> &beyond);
    std::optional<Poly> chosen(const NodePtr &n, std::vector<Beyond> &beyond);
    struct Face {
        const lift::Loop *loop = nullptr;
        int side = 0;
        bool then = false;          ///< the condition holds at the face; otherwise everywhere else
        std::optional<bool> always; ///< what it is at all of the loop's cells, where that is one
        Poly at;                    ///< the variable there, at the cell next to the others
    };
    std::optional<Face> face(const NodePtr &condition);
    const lift::Loop *loopAddedIn(const Poly &p) const;

    // access.cpp
    struct Element {
        int array = -1;
        std::vector<Poly> index;
        std::vector<Beyond> beyond;
        const clang::InitListExpr *table = nullptr;
        bool series = false;
        int64_t ahead = 0; ///< of a series: steps from the present one
    };
    Element element(const clang::Expr *e);
    int pointer(const clang::Expr *e); ///< the array that a pointer names
    std::optional<std::pair<int, int>> slot(const NodePtr &n);
    int slotted(int array, int slots, int slot);

    // calls.cpp
    NodePtr call(const clang::CallExpr *e);
    NodePtr inlined(const clang::CallExpr *e, const clang::FunctionDecl *f, bool asStatement);
    NodePtr run(std::vector<const clang::Stmt *> rest, clang::SourceRange where);
    void callStatement(const clang::CallExpr *e);

    [[noreturn]] void refuse(clang::SourceRange at, std::string message, std::string help = {}) const;
    int symbol(lift::Symbol s);
    int order() { return ++order_; }

    clang::ASTContext &context_;
    clang::Preprocessor &preprocessor_;
    const Wishes &wishes_;
    Kernel kernel_;
    Environment environment_;
    std::map<std::string, int> macros_;
    std::map<std::pair<int, int>, int> slots_;
    std::vector<const clang::VarDecl *>
        outer_;              ///< pointers and arrays that were there before the loop over time
    std::vector<int> loops_; ///< loop symbols around the present statement
    std::vector<NodePtr> guards_;
    std::vector<int> branches_;
    int ifs_ = 0;
    std::vector<const clang::FunctionDecl *> calls_;
    int pure_ = 0;          ///< in a function that is called for its value
    bool stepping_ = false; ///< in the loop over time
    int order_ = 0;
    int unrolled_ = 0;
};

/// Every statement and expression under s, s first.
void each(const clang::Stmt *s, const std::function<void(const clang::Stmt *)> &visit);

/// The variable that is set by this expression, if one is.
const clang::VarDecl *setBy(const clang::Stmt *s);

} // namespace oocc::lift
