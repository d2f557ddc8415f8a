#include "lift/poly.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace oocc::lift {

void Poly::add(Monomial monomial, int64_t factor) {
    if (factor == 0) return;
    const auto at = terms_.try_emplace(std::move(monomial), 0).first;
    at->second += factor;
    if (at->second == 0) terms_.erase(at);
}

std::optional<int64_t> Poly::constant() const {
    if (terms_.empty()) return 0;
    if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
    return std::nullopt;
}

bool Poly::has(const std::function<bool(int)> &which) const {
    return std::ranges::any_of(terms_,
                               [&](const auto &term) { return std::ranges::any_of(term.first, which); });
}

std::optional<Poly> Poly::coefficient(int symbol) const {
    Poly result;
    for (const auto &[monomial, factor] : terms_) {
        const auto times = std::ranges::count(monomial, symbol);
        if (times > 1) return std::nullopt;
        if (times == 0) continue;
        Monomial rest = monomial;
        std::erase(rest, symbol);
        result.add(std::move(rest), factor);
    }
    return result;
}

Poly Poly::without(int symbol) const {
    Poly result;
    for (const auto &[monomial, factor] : terms_)
        if (std::ranges::count(monomial, symbol) == 0) result.add(monomial, factor);
    return result;
}

namespace {

/// The term of the highest degree; of several, the last.
std::pair<Poly::Monomial, int64_t> leading(const Poly &p) {
    std::pair<Poly::Monomial, int64_t> best{{}, 0};
    for (const auto &[monomial, factor] : p.terms())
        if (best.second == 0 || monomial.size() >= best.first.size()) best = {monomial, factor};
    return best;
}

} // namespace

Poly Poly::dividedBy(const Poly &divisor) const {
    const auto [monomial, factor] = leading(divisor);
    Poly quotient, rest = *this;
    if (monomial.empty()) { // by a number: what is left of the constant is the next dimension's
        for (const auto &[term, times] : terms_) {
            int64_t q = times / factor;
            if (term.empty() && 2 * std::llabs(times % factor) > std::llabs(factor))
                q += (times < 0) == (factor < 0) ? 1 : -1;
            quotient.add(term, q);
        }
        return quotient;
    }
    const auto divisible = [&](const auto &term) {
        return std::ranges::includes(term.first, monomial) && term.second / factor != 0;
    };
    for (auto at = std::ranges::find_if(rest.terms_, divisible); at != rest.terms_.end();
         at = std::ranges::find_if(rest.terms_, divisible)) {
        Monomial left;
        std::ranges::set_difference(at->first, monomial, std::back_inserter(left));
        Poly part;
        part.add(std::move(left), at->second / factor);
        quotient += part;
        rest -= part * divisor;
    }
    return quotient;
}

Poly &Poly::operator+=(const Poly &o) {
    for (const auto &[monomial, factor] : Poly(o).terms_)
        add(monomial, factor);
    return *this;
}

Poly &Poly::operator-=(const Poly &o) {
    for (const auto &[monomial, factor] : Poly(o).terms_)
        add(monomial, -factor);
    return *this;
}

Poly operator*(const Poly &a, const Poly &b) {
    Poly result;
    for (const auto &[ma, fa] : a.terms_)
        for (const auto &[mb, fb] : b.terms_) {
            Poly::Monomial product;
            std::ranges::merge(ma, mb, std::back_inserter(product));
            result.add(std::move(product), fa * fb);
        }
    return result;
}

std::optional<int64_t> distance(const Poly &a, const Poly &b) {
    return (b - a).constant();
}

} // namespace oocc::lift
