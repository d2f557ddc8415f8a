#include "loops/decisions.h"

#include "loops/dsl.h"
#include "loops/stretches.h"

#include <algorithm>
#include <set>
#include <utility>

namespace oocc::loops {

namespace {

constexpr const char *kPlace = "begin_x"; ///< the coordinate of a part's first cell

/// How far a row lies from the first one along the dimensions that the expression knows.
Offsets apartFor(const ExprPtr &expr, const Offsets &row) {
    Offsets apart{};
    walk(expr, [&](const oocc::Expr &e) {
        if (const Coord *coord = std::get_if<Coord>(&e.node)) apart[coord->dim] = row[coord->dim];
    });
    return apart;
}

/// Two names or numbers are the same.
bool areSame(const E &a, const E &b) {
    const Name *name = std::get_if<Name>(&a->node), *otherName = std::get_if<Name>(&b->node);
    const Int *number = std::get_if<Int>(&a->node), *otherNumber = std::get_if<Int>(&b->node);
    return (name && otherName && name->name == otherName->name) || (number && otherNumber && number->value == otherNumber->value);
}

} // namespace

bool Decisions::mayDiffer(const Decision &decision, const std::vector<Offsets> &rows) {
    return std::ranges::any_of(rows, [&](const Offsets &row) { return apartFor(decision.condition, row) != Offsets{}; });
}

Decisions::Tests Decisions::of(const Decision &decision, const std::vector<Offsets> &rows) {
    translator_.nameCommon({}); // names of another loop are none here
    any_ = true;
    Tests tests;
    tests.first = !isCut_ && !decision.cuts.empty();
    if (tests.first) cut_ = isCut_ = true;
    E any;
    std::set<Offsets> met;
    for (const Offsets &row : rows) {
        if (!met.insert(apartFor(decision.condition, row)).second) continue;
        translator_.shift = row;
        const E test = testOf(decision, tests.made);
        tests.all = tests.all ? tests.all && test : test;
        any = any ? any || test : test;
    }
    translator_.shift = {};
    if (met.size() > 1) tests.none = notE(any);
    differ_ = differ_ || tests.none;
    return tests;
}

E Decisions::testOf(const Decision &decision, Body &made) {
    for (const ExprPtr &each : decision.cuts) {
        const E cut = translator_.translate(each);
        if (std::ranges::none_of(cuts_, [&](const E &known) { return areSame(known, cut); })) cuts_.push_back(cut);
    }
    translator_.place = isCut_ ? kPlace : "first"; // a row that is not cut decides like its first cell
    const E test = translator_.translate(decision.condition);
    translator_.place.clear();
    if (std::holds_alternative<Name>(test->node)) return test;
    const std::string name = names_.take("chosen");
    made.push_back(declare("const bool", name, test));
    return var(name);
}

E Decisions::begin() const {
    return isCut_ ? var(kPartBegin) : lit(0);
}

E Decisions::end() const {
    return isCut_ ? var(kPartEnd) : var("cells");
}

Body Decisions::decide(Tests tests, Body yes, Body no, Body mixed) {
    if (tests.none) no = {when(tests.none, std::move(no), std::move(mixed))};
    Body body = std::move(tests.made);
    body.push_back(when(tests.all, std::move(yes), std::move(no)));
    if (!tests.first) return body;
    body.insert(body.begin(), declare("const int64_t", kPlace, var("first") + var(kPartBegin)));
    isCut_ = false;
    return overParts(std::exchange(cuts_, {}), std::move(body));
}

std::string Decisions::comment() const {
    if (!any_) return "";
    std::string text = "What is the same for a whole row is decided before its loop: there is one for each case";
    if (cut_) text += "; a row is cut where the case changes";
    return text + (differ_ ? ", and one for rows that differ." : ".");
}

} // namespace oocc::loops
