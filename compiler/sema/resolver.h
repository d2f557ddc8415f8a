// Private to sema/: the passes of resolve() over the statements, one group per .cpp file.
#pragma once

#include "sema/expressions.h"
#include "sema/resolve.h"

#include <map>

namespace oocc {

class Resolver {
  public:
    Resolver(const ast::Program &program, const std::vector<Define> &defines, Diagnostics &diagnostics)
        : program_(program), defines_(defines), diagnostics_(diagnostics), scope_(diagnostics) {}

    std::optional<Stencil> run();

  private:
    template <typename Node> using Handler = void (Resolver::*)(const Node &, const ast::Statement &);
    /// Calls the handler for every statement of this kind, in order.
    template <typename Node> void each(Handler<Node> handler);
    /// The one statement of this kind; a second one is an error, none as well.
    template <typename Node> void only(const char *what, const char *remedy, Handler<Node> handler);

    // declarations.cpp
    void declareAll();
    void param(const ast::Param &param, const ast::Statement &);
    void let(const ast::Let &let, const ast::Statement &);
    void scalars();
    void checkDefines();
    ExprPtr defined(const ast::Param &param, Type type, const Define &define);
    void name(const ast::StencilName &name, const ast::Statement &);
    void grid(const ast::Grid &grid, const ast::Statement &);

    // functions.cpp, shapes.cpp
    void function(const ast::Fn &fn, const ast::Statement &);
    void checkUsed(const ast::Fn &fn, const ast::Statement &);
    void shape(const ast::Shape &shape, const ast::Statement &);

    // fields.cpp
    void fields();
    enum class FieldKind { State, Coef, Temp };
    void addField(const ast::Name &name, const ast::Name &type, FieldKind kind);
    void coefValue(const ast::Coef &coef, const ast::Statement &);
    void init(const ast::Init &init, const ast::Statement &statement);
    bool isOfSomeCells(const ast::Init &init);
    bool isOfOwnCell(const ExprPtr &value, const std::string &what);
    void checkInits();

    // files.cpp
    void output(const ast::Output &output, const ast::Statement &);
    bool checkFileName(const ast::Text &path);
    bool checkPath(const ast::Text &path);
    bool checkNumPy(const ast::Text &path, const std::string &what);
    bool isNewFile(const ast::Text &path);
    ExprPtr every(const ast::ExprPtr &every);
    int stateField(const ast::Name &name, const std::string &refusal);

    // boundaries.cpp
    void boundary(const ast::Boundary &boundary, const ast::Statement &);
    void face(Field &field, const ast::Face &face, const Edge &edge);
    void setEdge(Field &field, size_t dim, size_t side, const Edge &edge);
    std::optional<Edge> edge(const ast::EdgeValue &value, Type type);
    void checkPeriodic();

    // updates.cpp
    void step(const ast::Step &step, const ast::Statement &statement);
    int target(const ast::Update &update);
    int tempTarget(const ast::Update &update, int index);
    void update(const ast::Update &update, int field);
    void checkUpdated();
    void countLevels();
    void checkCarried();
    void steps(const ast::Steps &steps, const ast::Statement &);

    // regions.cpp
    Region region(const ast::ExprPtr &where, const std::string &otherwise);
    void bound(const ast::Expr &condition, const std::string &otherwise, Region &region);

    // points.cpp
    int points(const ast::Place &place);
    bool readsOwnCell(const ExprPtr &value);
    void inject(const ast::Inject &inject, const ast::Statement &statement);
    void record(const ast::Record &record, const ast::Statement &statement);
    void series(const ast::Series &series, const ast::Statement &);

    // watches.cpp
    void watchedScalars();
    bool reduction(const ast::Name &name, const ast::ExprPtr &value, const Place &place, Stage &stage);
    void scalar(const ast::Scalar &scalar, const ast::Statement &statement);
    void monitor(const ast::Monitor &monitor, const ast::Statement &statement);
    void stop(const ast::Stop &stop, const ast::Statement &statement);
    void checkScalarsUsed();

    // resolve.cpp
    void checkSizes();

    Operand resolve(const ast::Expr &expr, const Place &place);
    Diagnostic &unknownField(const ast::Name &name);
    /// The index of the field that a statement speaks of, or -1 after an error (none when it was reported
    /// before).
    int fieldIndex(const ast::Name &name);

    const ast::Program &program_;
    const std::vector<Define> &defines_;
    Diagnostics &diagnostics_;
    Scope scope_;
    Stencil stencil_;
    UpdateSites updates_;
    std::map<std::pair<int, int>, Range> inits_; ///< the field in each initial value, by field and level
    std::map<std::string, Range> written_;       ///< the files that the program writes
    std::optional<Range> stopOn_;                ///< the first 'stop on'
};

/// The type that a declaration names, or none after an error.
std::optional<Type> scalarType(const ast::Name &name, Diagnostics &diagnostics);
std::optional<Type> fieldType(const ast::Name &name, Diagnostics &diagnostics);
/// Whether it is a type's name, here or in other languages.
bool namesType(const std::string &name);

} // namespace oocc
