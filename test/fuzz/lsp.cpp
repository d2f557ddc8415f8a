// A session of the language server. Input that begins with a header is what the client sends, byte for byte; of any other, every
// line is a message, and its header is made here. Whatever it is, what comes back is JSON in whole frames, and no internal error.
#include "check.h"
#include "lsp/server.h"

#include <sys/mman.h>
#include <unistd.h>

namespace {

std::string framed(const std::string &text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        out += "Content-Length: " + std::to_string(end - at) + "\r\n\r\n" + text.substr(at, end - at);
        at = end + 1;
    }
    return out;
}

void fill(int fd, const std::string &text) {
    require(ftruncate(fd, 0) == 0 && pwrite(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
                lseek(fd, 0, SEEK_SET) == 0,
            "no room for a file in memory");
}

std::string contents(int fd) {
    std::string out(static_cast<size_t>(lseek(fd, 0, SEEK_END)), '\0');
    require(pread(fd, out.data(), out.size(), 0) == static_cast<ssize_t>(out.size()), "a file in memory cannot be read");
    return out;
}

void requireFrames(const std::string &sent) {
    static const std::string kHeader = "Content-Length: ";
    for (size_t at = 0; at < sent.size();) {
        const size_t body = sent.find("\r\n\r\n", at);
        require(sent.compare(at, kHeader.size(), kHeader) == 0 && body != std::string::npos, "no frame: " + sent.substr(at, 80));
        const size_t length = std::stoul(sent.substr(at + kHeader.size()));
        require(body + 4 + length <= sent.size(), "a frame that ends early");
        const std::string text = sent.substr(body + 4, length);
        const auto message = nlohmann::json::parse(text, nullptr, false);
        require(message.is_object() && message.value("jsonrpc", "") == "2.0", "no message: " + text);
        require(!message.contains("error") || message["error"].value("code", 0) != oocc::lsp::kInternal, "internal error: " + text);
        const bool log = message.value("method", "") == "window/logMessage";
        require(!log || !message["params"].value("message", "").starts_with("a message was not understood"),
                "an exception that nobody had in mind: " + text);
        at = body + 4 + length;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const int in = memfd_create("in", MFD_CLOEXEC), out = memfd_create("out", MFD_CLOEXEC);
    const std::string text(reinterpret_cast<const char *>(data), size);
    fill(in, text.starts_with("Content-Length") ? text : framed(text));
    fill(out, "");
    oocc::lsp::Connection connection(in, out);
    const int status = oocc::lsp::Server(connection).run();
    require(status == 0 || status == 1, "status " + std::to_string(status));
    requireFrames(contents(out));
    return 0;
}
