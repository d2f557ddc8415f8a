#include "lift/write.h"

#include "lift/wording.h"
#include "support/spelling.h"

#include <algorithm>
#include <sstream>

namespace oocc::lift {

namespace {

const char *const kReserved[] = {"if", "then", "else", "and", "or", "not", "true", "false", "t"};

std::string fileName(const Kernel &kernel) {
    return kernel.file.substr(kernel.file.rfind('/') + 1);
}

} // namespace

Wording::Wording(Kernel &k, const Plan &p) : kernel(k), plan(p), print_(k, p, names_) {
    const auto array = [&](int a) -> const Array & { return kernel.arrays[static_cast<size_t>(a)]; };
    for (size_t a = 0; a < kernel.arrays.size(); ++a) {
        const Plan::Use &use = plan.uses[a];
        if (use.field || use.coef || use.series) names_.arrays[static_cast<int>(a)] = unique(kernel.arrays[a].name);
    }
    for (const auto &[version, use] : plan.temps) {
        const bool last = static_cast<size_t>(version.second) == plan.stores[static_cast<size_t>(version.first)];
        const bool free = !names_.arrays.count(version.first);
        const std::string &own = array(version.first).name;
        names_.versions[version] = unique(last && free ? own : own + "_" + std::to_string(version.second));
    }
    for (size_t s = 0; s < kernel.symbols.size(); ++s) {
        const lift::Symbol &symbol = kernel.symbols[s];
        if (symbol.kind == lift::Symbol::Parameter || symbol.kind == lift::Symbol::Value)
            names_.symbols[static_cast<int>(s)] = unique(symbol.name);
        else if (symbol.kind == lift::Symbol::Loop && std::ranges::count(plan.dims, symbol.name))
            names_.symbols[static_cast<int>(s)] = symbol.name;
    }
}

std::string Wording::unique(std::string name) {
    if (name.empty()) name = "v";
    while (std::ranges::count(kReserved, name) || !taken_.insert(name).second)
        name += '_';
    return name;
}

void Wording::use(const NodePtr &n) {
    walk(n, [&](const Node &m) {
        if (m.kind == Node::Scalar) useSymbol(m.symbol);
    });
}

void Wording::useSymbol(int symbol) {
    if (usedSymbols_.insert(symbol).second) use(kernel.symbols[static_cast<size_t>(symbol)].value);
}

std::string Wording::used(const Poly &p) {
    for (const auto &[monomial, factor] : p.terms())
        for (int symbol : monomial)
            useSymbol(symbol);
    return print_.integer(p);
}

std::string write(Kernel &kernel, const Plan &plan, const std::map<std::string, std::string> &defaults) {
    Wording wording(kernel, plan);
    // From the end to the beginning, so that it is known which scalars are used.
    const std::string step = stepText(wording), edges = boundariesText(wording), grid = gridText(wording);
    const std::string count = "steps " + wording.used(kernel.steps) + ";\n";
    std::ostringstream out;
    out << "// From " << kernel.name << "() in " << fileName(kernel) << ", line " << kernel.line << ", by oocc lift.\n";
    for (const std::string &note : kernel.notes)
        out << "// " << note << '\n';
    if (!kernel.functions.empty())
        out << "// the C library's functions (" << joined({kernel.functions.begin(), kernel.functions.end()})
            << "): for the same bits, compile the C with -DOOCC_LIBM\n";
    out << "stencil " << wording.unique(kernel.name) << ";\n\n" << scalarsText(wording, defaults);
    out << grid << '\n'
        << fieldsText(wording) << '\n'
        << edges << (edges.empty() ? "" : "\n") << step << '\n'
        << count << '\n'
        << outputsText(wording);
    return out.str();
}

} // namespace oocc::lift
