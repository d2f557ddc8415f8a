#include "loops/uses.h"

#include "loops/dsl.h"

#include <algorithm>

namespace oocc::loops {

namespace {

bool mentions(const E &expr, const std::string &name) {
    struct Visitor {
        const std::string &name;
        bool any(const std::vector<E> &list) {
            return std::any_of(list.begin(), list.end(), [&](const E &e) { return mentions(e, name); });
        }
        bool operator()(const Int &) { return false; }
        bool operator()(const Real &) { return false; }
        bool operator()(const Bool &) { return false; }
        bool operator()(const Text &) { return false; }
        bool operator()(const Name &e) { return e.name == name; }
        bool operator()(const Unary &e) { return any({e.a}); }
        bool operator()(const Binary &e) { return any({e.a, e.b}); }
        bool operator()(const Cond &e) { return any({e.condition, e.a, e.b}); }
        bool operator()(const Call &e) { return any(e.args); }
        bool operator()(const Index &e) { return any({e.base, e.index}); }
        bool operator()(const CastTo &e) { return any({e.a}); }
    };
    return expr && std::visit(Visitor{name}, expr->node);
}

} // namespace

bool uses(const Body &body, const std::string &name) {
    struct Visitor {
        const std::string &name;
        bool operator()(const Comment &) { return false; }
        bool operator()(const Declare &s) { return mentions(s.value, name); }
        bool operator()(const Assign &s) { return mentions(s.target, name) || mentions(s.value, name); }
        bool operator()(const Do &s) { return mentions(s.call, name); }
        bool operator()(const Return &s) { return mentions(s.value, name); }
        bool operator()(const Continue &) { return false; }
        bool operator()(const For &s) {
            return mentions(s.lo, name) || mentions(s.hi, name) || mentions(s.step, name) || loops::uses(s.body, name);
        }
        bool operator()(const While &s) { return mentions(s.condition, name) || loops::uses(s.body, name); }
        bool operator()(const If &s) {
            return mentions(s.condition, name) || loops::uses(s.then, name) || loops::uses(s.otherwise, name);
        }
        bool operator()(const Scope &s) { return loops::uses(s.body, name); }
    };
    return std::any_of(body.begin(), body.end(),
                       [&](const Stmt &s) { return std::visit(Visitor{name}, s.node); });
}

void dropUnused(Body &body) {
    struct Inner {
        void operator()(For &s) { dropUnused(s.body); }
        void operator()(While &s) { dropUnused(s.body); }
        void operator()(If &s) {
            dropUnused(s.then);
            dropUnused(s.otherwise);
        }
        void operator()(Scope &s) { dropUnused(s.body); }
        void operator()(Comment &) {}
        void operator()(Declare &) {}
        void operator()(Assign &) {}
        void operator()(Do &) {}
        void operator()(Return &) {}
        void operator()(Continue &) {}
    };
    Body kept; // from the last one on, so that what only dropped ones mention is dropped as well
    for (auto stmt = body.rbegin(); stmt != body.rend(); ++stmt) {
        std::visit(Inner{}, stmt->node);
        const Declare *declared = std::get_if<Declare>(&stmt->node);
        const std::string name = declared ? declared->name.substr(0, declared->name.find('[')) : "";
        if (!declared || uses(kept, name)) kept.insert(kept.begin(), *stmt);
    }
    body = std::move(kept);
}

void markUnused(Function &function) {
    Body marks;
    for (const Param &param : function.params)
        if (!uses(function.body, param.name)) marks.push_back(run(cast("void", var(param.name))));
    function.body.insert(function.body.begin(), marks.begin(), marks.end());
}

} // namespace oocc::loops
