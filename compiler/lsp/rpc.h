// JSON-RPC over two file descriptors: messages with a Content-Length before each.
#pragma once

#include <nlohmann/json.hpp>

#include <deque>
#include <optional>
#include <stdexcept>
#include <string>

namespace oocc::lsp {

using nlohmann::json;

enum Code {
    kParseError = -32700,
    kInvalidRequest = -32600,
    kMethodNotFound = -32601,
    kInvalidParams = -32602,
    kInternal = -32603,
    kNotInitialized = -32002,
    kRequestCancelled = -32800,
    kRequestFailed = -32803,
};

/// Thrown by what answers a request; the client is told.
struct RequestError : std::runtime_error {
    RequestError(int code, const std::string &message) : std::runtime_error(message), code(code) {}
    int code;
};

/// What came in: a message as text, or why there is none.
struct Incoming {
    std::string text;
    std::string error;     ///< empty: there is a text
    bool searched = false; ///< for requests that it takes back, while it waits
};

class Connection {
  public:
    Connection(int in, int out) : in_(in), out_(out) {}

    /// The next message; nothing at the end of input.
    std::optional<Incoming> next();
    /// Takes in what has arrived and not more. False when nothing had.
    bool receive();
    /// Messages that have arrived and were not taken.
    std::deque<Incoming> &arrived() { return arrived_; }

    /// False when nobody listens any more.
    bool send(const json &message);

  private:
    bool readMore(bool wait);
    void split();
    void take(const std::string &header);

    int in_, out_;
    std::string buffer_;
    size_t scanned_ = 0; ///< of the buffer: has no end of a header
    size_t body_ = 0;    ///< bytes of the body that is awaited
    bool inBody_ = false;
    size_t drop_ = 0; ///< bytes of a body that is too long
    bool closed_ = false;
    std::deque<Incoming> arrived_;
};

} // namespace oocc::lsp
