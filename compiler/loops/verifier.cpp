#include "loops/build.h"

#include <set>
#include <stdexcept>

namespace oocc::loops {

namespace {

/// The identifier that a name starts with: "p" of "p->t0", "extent" of "extent[3]", "steps" of "*steps".
std::string root(const std::string &name) {
    const size_t start = name.find_first_not_of('*');
    return name.substr(start, name.find_first_of(".-[", start) - start);
}

class Scopes {
  public:
    Scopes(const std::string &function, std::set<std::string> globals) : function_(function) {
        scopes_.push_back(std::move(globals));
    }
    void open() { scopes_.emplace_back(); }
    void close() { scopes_.pop_back(); }
    void declare(const std::string &name) {
        if (!scopes_.back().insert(root(name)).second)
            throw std::logic_error(function_ + " declares '" + root(name) + "' twice");
    }
    void use(const std::string &name) const {
        const std::string wanted = root(name);
        for (const auto &scope : scopes_)
            if (scope.count(wanted)) return;
        throw std::logic_error(function_ + " uses '" + wanted + "', which nothing declares");
    }

  private:
    std::string function_;
    std::vector<std::set<std::string>> scopes_;
};

void check(const E &expr, Scopes &scopes) {
    struct Visitor {
        Scopes &scopes;
        void operator()(const Int &) {}
        void operator()(const Real &) {}
        void operator()(const Bool &) {}
        void operator()(const Text &) {}
        void operator()(const Name &e) { scopes.use(e.name); }
        void operator()(const Unary &e) { check(e.a, scopes); }
        void operator()(const Binary &e) {
            check(e.a, scopes);
            check(e.b, scopes);
        }
        void operator()(const Cond &e) {
            check(e.condition, scopes);
            check(e.a, scopes);
            check(e.b, scopes);
        }
        void operator()(const Call &e) {
            if (e.function != "sizeof") // its argument is a type
                for (const E &arg : e.args)
                    check(arg, scopes);
        }
        void operator()(const Index &e) {
            check(e.base, scopes);
            check(e.index, scopes);
        }
        void operator()(const CastTo &e) { check(e.a, scopes); }
    };
    if (expr) std::visit(Visitor{scopes}, expr->node);
}

void check(const Body &body, Scopes &scopes) {
    struct Visitor {
        Scopes &scopes;
        void operator()(const Comment &) {}
        void operator()(const Declare &s) {
            check(s.value, scopes);
            scopes.declare(s.name);
        }
        void operator()(const Assign &s) {
            check(s.target, scopes);
            check(s.value, scopes);
        }
        void operator()(const Do &s) { check(s.call, scopes); }
        void operator()(const Return &s) { check(s.value, scopes); }
        void operator()(const Continue &) {}
        void operator()(const For &s) {
            check(s.lo, scopes);
            check(s.hi, scopes);
            check(s.step, scopes);
            scopes.open();
            scopes.declare(s.name);
            check(s.body, scopes);
            scopes.close();
        }
        void operator()(const While &s) {
            check(s.condition, scopes);
            inner(s.body);
        }
        void operator()(const If &s) {
            check(s.condition, scopes);
            inner(s.then);
            inner(s.otherwise);
        }
        void operator()(const Scope &s) { inner(s.body); }
        void inner(const Body &body) {
            scopes.open();
            check(body, scopes);
            scopes.close();
        }
    };
    for (const Stmt &stmt : body)
        std::visit(Visitor{scopes}, stmt.node);
}

} // namespace

void verify(const Module &module) {
    std::set<std::string> globals{"grid", "NULL", "NAN", "INT64_MIN", "INT64_MAX", "OOCC_STRETCH", "OOCC_SUM_CELLS"};
    for (const Constant &constant : module.constants)
        if (!globals.insert(constant.name).second)
            throw std::logic_error("the constant '" + constant.name + "' is made twice");
    for (const Variables &variables : module.variables)
        globals.insert(variables.name);
    for (const Table &table : module.observers)
        globals.insert(table.name);
    std::set<std::string> functions;
    for (const auto *list : {&module.derived, &module.fields, &module.kernels, &module.schedule})
        for (const Function &function : *list) {
            if (!functions.insert(function.name).second)
                throw std::logic_error("the function '" + function.name + "' is made twice");
            Scopes scopes(function.name, globals);
            scopes.open();
            for (const Param &param : function.params)
                scopes.declare(param.name);
            check(function.body, scopes);
        }
}

} // namespace oocc::loops
