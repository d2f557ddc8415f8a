// A path on the first line, JSON below: what is valid is found its way in, or not, and is never left.
#include "check.h"

extern "C" {
#include "support/json_read.h"
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string all(reinterpret_cast<const char *>(data), size);
    const size_t line = std::min(all.find('\n'), all.size());
    const std::string path = all.substr(0, line).c_str(), text = all.substr(std::min(line + 1, all.size())).c_str();
    if (!json_valid(text.c_str())) return 0;
    const char *found = json_at(text.c_str(), path.c_str());
    require(!found || (found >= text.c_str() && found < text.c_str() + text.size()), "a member outside of the text");
    double number = 0;
    char small[4], large[256];
    const bool isNumber = json_number_at(text.c_str(), path.c_str(), &number);
    const bool isString = json_string_at(text.c_str(), path.c_str(), large, sizeof large);
    const bool fits = json_string_at(text.c_str(), path.c_str(), small, sizeof small);
    require(found || (!isNumber && !isString), "a value that is not there");
    require(!isNumber || !isString, "a number that is a string");
    require(!fits || isString, "a string that fits only where there is less room");
    return 0;
}
