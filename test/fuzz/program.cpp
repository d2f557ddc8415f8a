// A program's text through the whole compiler, once: what most inputs are for. What else must hold of a program, which takes many
// times as long, is in format.cpp.
#include "program.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string text(reinterpret_cast<const char *>(data), size);
    const Source source("program.stn", text);
    bool parsed = false;
    compiled(source, wayOf(text), false, &parsed);
    return 0;
}
