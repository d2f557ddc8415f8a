// What the runtime's readers have in common: they are given a file, or a text; they end with a status of the list, and then with
// one message, or with neither.
#pragma once

#include "check.h"
#include "runtime_test_program.h"

#include <filesystem>
#include <fstream>

/// Messages of one call.
class Messages {
  public:
    Messages() {
        messages_.note = [](void *data, const char *text) {
            require(*text != '\0', "a note without text");
            ++static_cast<Messages *>(data)->notes_;
        };
        messages_.data = this;
        run_catch_messages(&messages_);
    }
    Messages(const Messages &) = delete;
    Messages &operator=(const Messages &) = delete;
    ~Messages() { run_catch_messages(nullptr); }

    /// Returns whether all went well.
    bool check(int status) const {
        if (status == 0) return require(messages_.text[0] == '\0', std::string("an error, and status 0: ") + messages_.text), true;
        const bool listed = status == OOCC_USAGE || status == OOCC_BAD_INPUT || status == OOCC_NO_MEMORY || status == OOCC_NO_SPACE ||
                            status == OOCC_IO_ERROR || status == OOCC_CORRUPT || status == OOCC_DENIED;
        require(listed, "status " + std::to_string(status) + ": " + messages_.text);
        require(messages_.text[0] != '\0', "status " + std::to_string(status) + " without a message");
        return false;
    }
    int notes() const { return notes_; }

  private:
    run_messages messages_{};
    int notes_ = 0;
};

/// A folder in memory, for as long as the process lives.
inline const std::filesystem::path &folder() {
    static const struct Folder {
        Folder() {
            std::string name = (std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp") + std::string("/oocc-fuzz-XXXXXX");
            require(mkdtemp(name.data()) != nullptr, "no folder for files");
            path = name;
        }
        ~Folder() { std::filesystem::remove_all(path); }
        std::filesystem::path path;
    } made;
    return made.path;
}

inline void writeFile(const std::filesystem::path &path, std::string_view bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    require(out.good(), "no room for a file in memory");
}

inline std::string_view viewOf(const uint8_t *data, size_t size) {
    return {reinterpret_cast<const char *>(data), size};
}

/// The first byte chooses, the rest is read.
struct Chosen {
    unsigned way = 0;
    std::string_view rest;
};

inline Chosen choose(const uint8_t *data, size_t size) {
    if (size == 0) return {};
    return {data[0], viewOf(data + 1, size - 1)};
}

inline std::string sealed(std::string text) {
    char seal[32];
    std::snprintf(seal, sizeof seal, "xxh3 %016llx\n", static_cast<unsigned long long>(checksum_bytes(text.data(), text.size())));
    return text + seal;
}
