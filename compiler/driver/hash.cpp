#include "driver/hash.h"

#include "stencil/printer.h"

#include <sstream>

namespace oocc {

uint64_t hashOf(const Stencil &stencil) {
    std::ostringstream text;
    print(text, stencil);
    uint64_t hash = 14695981039346656037ull;
    for (unsigned char c : text.str())
        hash = (hash ^ c) * 1099511628211ull;
    return hash;
}

} // namespace oocc
