#include "lsp/rpc.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <poll.h>
#include <unistd.h>

namespace oocc::lsp {

namespace {

constexpr size_t kMostBytes = size_t{256} << 20; ///< of one message
constexpr size_t kMostHeader = 8192;

/// The number after "Content-Length:", or nothing.
std::optional<size_t> contentLength(const std::string &header) {
    static constexpr std::string_view kName = "content-length:";
    std::optional<size_t> out;
    for (size_t at = 0; at < header.size();) {
        const size_t end = std::min(header.find('\n', at), header.size());
        std::string line = header.substr(at, end - at);
        at = end + 1;
        std::string lower = line;
        std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
        if (!lower.starts_with(kName)) continue;
        line = line.substr(kName.size());
        line.erase(0, line.find_first_not_of(" \t"));
        line.erase(line.find_last_not_of(" \t\r") + 1);
        size_t value = 0;
        const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), value);
        if (error != std::errc() || stop != line.data() + line.size()) return std::nullopt;
        out = value;
    }
    return out;
}

} // namespace

bool Connection::readMore(bool wait) {
    if (closed_) return false;
    pollfd ready{in_, POLLIN, 0};
    int n = 0;
    while ((n = poll(&ready, 1, wait ? -1 : 0)) < 0 && errno == EINTR) {
    }
    if (n <= 0) return false;
    char chunk[1 << 16];
    ssize_t got = 0;
    while ((got = read(in_, chunk, sizeof chunk)) < 0 && errno == EINTR) {
    }
    if (got <= 0) {
        closed_ = true;
        return false;
    }
    buffer_.append(chunk, static_cast<size_t>(got));
    return true;
}

void Connection::take(const std::string &header) {
    const std::optional<size_t> length = contentLength(header);
    if (!length) {
        arrived_.push_back({"", "a message needs a header 'Content-Length: N'"});
    } else if (*length > kMostBytes) {
        arrived_.push_back({"", "a message of more than 256 MiB"});
        drop_ = *length;
    } else {
        body_ = *length;
        inBody_ = true;
    }
}

/// Cuts the buffer into messages as far as they are complete.
void Connection::split() {
    for (;;) {
        if (drop_ > 0) {
            const size_t now = std::min(drop_, buffer_.size());
            buffer_.erase(0, now);
            drop_ -= now;
            if (drop_ > 0) return;
        }
        if (inBody_) {
            if (buffer_.size() < body_) return;
            arrived_.push_back({buffer_.substr(0, body_), ""});
            buffer_.erase(0, body_);
            inBody_ = false;
            scanned_ = 0;
            continue;
        }
        const size_t end = buffer_.find("\r\n\r\n", scanned_);
        if (end == std::string::npos) {
            scanned_ = buffer_.size() < 3 ? 0 : buffer_.size() - 3;
            if (buffer_.size() > kMostHeader) {
                arrived_.push_back({"", "a header of more than 8 KiB"});
                buffer_.clear();
                scanned_ = 0;
            }
            return;
        }
        const std::string header = buffer_.substr(0, end);
        buffer_.erase(0, end + 4);
        scanned_ = 0;
        take(header);
    }
}

bool Connection::receive() {
    bool any = false;
    while (readMore(false)) {
        any = true;
        split();
    }
    return any;
}

std::optional<Incoming> Connection::next() {
    receive();
    while (arrived_.empty()) {
        if (!readMore(true)) return std::nullopt;
        split();
    }
    Incoming out = std::move(arrived_.front());
    arrived_.pop_front();
    return out;
}

bool Connection::send(const json &message) {
    // What is no UTF-8 cannot come from a document, which arrived as JSON; a name of a file might.
    const std::string body = message.dump(-1, ' ', false, json::error_handler_t::replace);
    const std::string text = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    for (size_t done = 0; done < text.size();) {
        const ssize_t n = write(out_, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += static_cast<size_t>(n);
    }
    return true;
}

} // namespace oocc::lsp
