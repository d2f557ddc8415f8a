#include "lift/understand.h"

#include <algorithm>

namespace oocc::lift {

namespace {

/// The dimensions are called as the loops of the widest nest are.
void nameDims(Kernel &kernel, Plan &plan, const std::vector<int> &dims) {
    const auto loops = [](const Store &s) {
        return std::ranges::count_if(s.dims, [](const Store::Dim &d) { return d.loop >= 0; });
    };
    const Store &widest = *std::ranges::max_element(kernel.stores, {}, loops);
    for (size_t d = 0; d < dims.size(); ++d) {
        const int loop = widest.dims[d].loop;
        std::string name =
            loop >= 0 ? kernel.symbols[static_cast<size_t>(loop)].name : "d" + std::to_string(d);
        const auto taken = [&] {
            return name == "t" || std::ranges::count(plan.dims, name) ||
                   std::ranges::count(kernel.arrays, name, &Array::name) ||
                   std::ranges::any_of(kernel.symbols, [&](const lift::Symbol &s) {
                       return s.name == name &&
                              (s.kind == lift::Symbol::Parameter || s.kind == lift::Symbol::Value);
                   });
        };
        while (taken())
            name += '_';
        plan.dims.push_back(name);
        kernel.symbols[static_cast<size_t>(dims[d])].name = name;
    }
}

} // namespace

Plan understand(Kernel &kernel, const std::vector<std::string> &results) {
    Plan plan;
    plan.extents = findGrid(kernel);
    std::vector<int> dims;
    for (size_t d = 0; d < plan.extents.size(); ++d) {
        dims.push_back(static_cast<int>(kernel.symbols.size()));
        kernel.symbols.push_back({lift::Symbol::Loop, "", Type::I32, nullptr});
    }
    kernel.dims = dims;
    bindStores(kernel, plan.extents, dims);
    nameDims(kernel, plan, dims);
    resolve(kernel, plan.extents);
    define(kernel, plan, results);
    settleEdges(kernel, plan, dims);
    return plan;
}

} // namespace oocc::lift
