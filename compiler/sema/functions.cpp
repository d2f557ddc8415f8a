// Functions are written out at each call: the arguments are resolved once, in the caller's place, and shared; the body is
// resolved anew, so that types follow what meets them there. Parameters are local names; they hide whatever else has
// their name.
#include "sema/resolver.h"

#include <algorithm>
#include <unordered_map>

namespace oocc {

namespace {

/// Nodes on the longest way down. Every node is visited once, however often it is shared.
int depthOf(const ExprPtr &expr, std::unordered_map<const Expr *, int> &known) {
    const auto [at, isNew] = known.emplace(expr.get(), 1);
    if (!isNew) return at->second;
    int deepest = 0;
    eachOperand(*expr, [&](const ExprPtr &e) { deepest = std::max(deepest, depthOf(e, known)); });
    known[expr.get()] = deepest + 1;
    return deepest + 1;
}

} // namespace

/// Before a node is resolved: false when that goes too deep or on for too long, which is reported once.
bool ExpressionResolver::enter(Range range) {
    constexpr uint64_t kMaxVisits = 1'000'000;
    ++depth_;
    if (visits_ > kMaxVisits) return false;
    if (depth_ > kMaxDepth)
        diagnostics_.error(range, "with functions and sums written out, this expression is nested too deep");
    else if (++visits_ > kMaxVisits)
        diagnostics_.error(range, "with functions and sums written out, this expression is too large");
    else
        return true;
    visits_ = kMaxVisits + 1;
    return false;
}

/// What a call or a sum writes out. It takes far more stack than an operation does, and counts for as many.
Operand ExpressionResolver::body(const ast::ExprPtr &e) {
    constexpr int kOperations = 8;
    depth_ += kOperations;
    Operand out = child(e);
    depth_ -= kOperations;
    return out;
}

/// The operand, unless writing it out made too much of it.
Operand ExpressionResolver::bounded(Operand operand, Range range, const std::string &what) {
    if (operand.nodes > kMaxNodes) {
        diagnostics_.error(range, what + " stands for more than " + std::to_string(kMaxNodes) + " operations")
            .withHelp("a temp holds what is used again and again");
        return {};
    }
    std::unordered_map<const Expr *, int> known;
    if (operand.nodes > kMaxDepth && depthOf(operand.expr, known) > kMaxDepth) {
        diagnostics_
            .error(range,
                   what + " stands for more than " + std::to_string(kMaxDepth) + " operations in a row")
            .withHelp("group the terms with parentheses");
        return {};
    }
    return operand;
}

/// Named arguments are for derivatives alone. True after the error.
bool ExpressionResolver::refuseLabels(const ast::Call &e) {
    bool any = false;
    for (const std::optional<ast::Name> &label : e.labels)
        if (label) {
            diagnostics_.error(label->range,
                               "'" + e.function.text + "' has no named argument '" + label->text + "'");
            any = true;
        }
    return any;
}

std::optional<ExpressionResolver::Locals> ExpressionResolver::arguments(const ast::Call &e,
                                                                        const ast::Fn &fn) {
    Locals locals;
    bool fine = true;
    for (size_t i = 0; i < e.args.size(); ++i) {
        Local argument;
        if (const Offsets *offset = localOffset(*e.args[i]))
            argument.offset = *offset;
        else
            argument.value = child(e.args[i]);
        fine = fine && (argument.offset || argument.value);
        if (i < fn.params.size()) locals[fn.params[i].text] = std::move(argument);
    }
    if (e.args.size() != fn.params.size()) {
        diagnostics_
            .error(e.function.range, "'" + fn.name.text + "' takes " + std::to_string(fn.params.size()) +
                                         (fn.params.size() == 1 ? " argument" : " arguments") + ", not " +
                                         std::to_string(e.args.size()))
            .note(fn.name.range, "it is declared here");
        return std::nullopt;
    }
    return fine ? std::optional(std::move(locals)) : std::nullopt;
}

Operand ExpressionResolver::inlined(const ast::Call &e, Symbol &symbol, Range range) {
    const ast::Fn &fn = *symbol.fn;
    symbol.used = true;
    const auto first = std::ranges::find(inlining_, &fn);
    if (first != inlining_.end()) {
        std::string cycle;
        for (auto at = first; at != inlining_.end(); ++at)
            cycle += (*at)->name.text + " -> ";
        diagnostics_
            .error(e.function.range, "function '" + fn.name.text + "' calls itself: " + cycle + fn.name.text)
            .withHelp("functions are written out where they are called; repeat with steps, or with a sum "
                      "over a shape");
        return {};
    }
    if (refuseLabels(e)) return {};
    std::optional<Locals> locals = arguments(e, fn);
    if (!locals) return {};

    const size_t before = diagnostics_.all().size();
    std::swap(locals_, *locals);
    inlining_.push_back(&fn);
    const Operand out = body(fn.body);
    inlining_.pop_back();
    std::swap(locals_, *locals);
    diagnostics_.noteFrom(before, range, "in this call of '" + fn.name.text + "'");
    return out ? bounded(out, range, "this call of '" + fn.name.text + "'") : out;
}

// -- declarations ----------------------------------------------------------------------

void Resolver::function(const ast::Fn &fn, const ast::Statement &) {
    Symbol *symbol = scope_.declaredBy(fn.name);
    if (isBuiltin(fn.name.text)) {
        diagnostics_.error(fn.name.range,
                           "'" + fn.name.text + "' is a function of the language and cannot be declared");
        if (symbol) symbol->kind = Symbol::Kind::Broken;
    }
    for (size_t i = 0; i < fn.params.size(); ++i) {
        const ast::Name &param = fn.params[i];
        if (param.text == "t")
            diagnostics_.error(param.range, "'t' is the present time level and cannot be a parameter");
        for (size_t j = 0; j < i; ++j)
            if (fn.params[j].text == param.text)
                diagnostics_.error(param.range, "parameter '" + param.text + "' occurs twice")
                    .note(fn.params[j].range, "first here");
    }
}

/// A body is checked where it is called, so one that is never called may hold anything.
void Resolver::checkUsed(const ast::Fn &fn, const ast::Statement &) {
    const Symbol *symbol = scope_.declaredBy(fn.name);
    if (symbol && !symbol->used)
        diagnostics_
            .warning(fn.name.range, "function '" + fn.name.text + "' is never called, and not checked")
            .of("unused-function");
}

} // namespace oocc
