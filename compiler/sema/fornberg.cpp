#include "sema/fornberg.h"

#include <algorithm>

namespace oocc {

/// The nodes are taken in one by one. weights[i][k] is node i's weight in the k-th derivative over the nodes so far;
/// names of the scalars (c1 to c5) are the paper's.
std::vector<Rational> differenceWeights(int derivative, const std::vector<Rational> &nodes) {
    const auto top = static_cast<size_t>(derivative);
    std::vector<std::vector<Rational>> weights(nodes.size(), std::vector<Rational>(top + 1));
    weights[0][0] = 1;
    Rational c1 = 1, c4 = nodes[0];
    for (size_t i = 1; i < nodes.size(); ++i) {
        const size_t highest = std::min(i, top);
        const auto factor = [](size_t k) { return Rational(static_cast<Int128>(k)); };
        const Rational c5 = c4;
        Rational c2 = 1;
        c4 = nodes[i];
        for (size_t j = 0; j < i; ++j) {
            const Rational c3 = nodes[i] - nodes[j];
            c2 = c2 * c3;
            if (j + 1 == i) {
                const Rational ratio = c1 / c2;
                for (size_t k = highest; k >= 1; --k)
                    weights[i][k] = ratio * (factor(k) * weights[j][k - 1] - c5 * weights[j][k]);
                weights[i][0] = Rational(-1) * ratio * c5 * weights[j][0];
            }
            for (size_t k = highest; k >= 1; --k)
                weights[j][k] = (c4 * weights[j][k] - factor(k) * weights[j][k - 1]) / c3;
            weights[j][0] = c4 * weights[j][0] / c3;
        }
        c1 = c2;
    }
    std::vector<Rational> out;
    for (const std::vector<Rational> &each : weights)
        out.push_back(each[top]);
    return out;
}

Difference centralDifference(int derivative, int order) {
    const int reach = order / 2;
    std::vector<Rational> nodes;
    for (int i = -reach; i <= reach; ++i)
        nodes.emplace_back(i);
    const std::vector<Rational> weights = differenceWeights(derivative, nodes);
    const auto at = [&](int offset) { return weights[static_cast<size_t>(reach + offset)]; };
    Difference out{at(0), {}, derivative % 2 == 0};
    for (int k = 1; k <= reach; ++k)
        out.pairs.push_back({at(k), k, -k});
    return out;
}

Difference staggeredDifference(bool forward, int order) {
    const int reach = order / 2;
    std::vector<Rational> nodes; // -3/2, -1/2, 1/2, 3/2
    for (int i = -reach; i < reach; ++i)
        nodes.emplace_back(2 * i + 1, 2);
    const std::vector<Rational> weights = differenceWeights(1, nodes);
    const int first = forward ? 1 : 0; // the cell on the right of the half one
    Difference out{0, {}, false};
    for (int k = 0; k < reach; ++k)
        out.pairs.push_back({weights[static_cast<size_t>(reach + k)], first + k, first - 1 - k});
    return out;
}

} // namespace oocc
