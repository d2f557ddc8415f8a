// Labels of a scratch's members. First byte '1': a right seal is put behind.
#include "runtime.h"

extern "C" {
#include "storage/label.h"
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const Chosen chosen = choose(data, size);
    const std::string text = chosen.way == '1' ? sealed(std::string(chosen.rest)) : std::string(chosen.rest);
    const Messages messages;
    struct label read {};
    if (messages.check(label_parse("a member", text.data(), text.size(), &read))) {
        require(read.present && read.members >= 1 && read.members <= MEMBERS_MOST && read.index < read.members, "a label that is none");
        size_t length = 0;
        char *again = label_text(&read, &length);
        require(again != nullptr, "no memory");
        struct label second {};
        require(messages.check(label_parse("again", again, length, &second)), "a label that cannot be read again");
        require(second.index == read.index && second.members == read.members, "another label");
        free(again);
        label_forget(&second);
    }
    label_forget(&read);
    return 0;
}
