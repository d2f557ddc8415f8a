// The language server: which documents are open, and who answers what. One message after the other; a request that its client
// takes back before its turn comes is answered with that.
#pragma once

#include "lsp/features.h"
#include "lsp/rpc.h"

#include <map>
#include <set>

namespace oocc::lsp {

class Server {
  public:
    explicit Server(Connection &connection) : connection_(connection) {}

    /// Until `exit` or the end of input; returns the exit status.
    int run();

  private:
    struct Method {
        json (Server::*answer)(const json &params);
    };
    static const std::map<std::string, Method> &requests();
    static const std::map<std::string, void (Server::*)(const json &)> &notifications();

    void take(const Incoming &incoming);
    void message(const json &message);
    void request(const json &message, const std::string &method);
    void notification(const std::string &method, const json &params);
    void response(const json &message);
    void collectCancelled();
    void reply(const json &id, json result);
    void fail(const json &id, int code, const std::string &text);
    void notify(const std::string &method, json params);
    void log(const std::string &text);

    // The life of the server
    json initialize(const json &params);
    json shutdown(const json &params);
    void initialized(const json &params);
    void exit(const json &params);
    void setTrace(const json &) {}
    void cancel(const json &) {} // done when it arrives
    void configure(const json &params);
    void takeSettings(const json &settings);

    // Documents
    void open(const json &params);
    void change(const json &params);
    void close(const json &params);
    void saved(const json &params);
    void publish();
    Document &document(const json &params);
    Document &looked(const json &params); ///< the same, after what changed in it was compiled

    // What is asked of them
    json onHover(const json &params);
    json onDefinition(const json &params);
    json onReferences(const json &params);
    json onHighlight(const json &params);
    json onSymbols(const json &params);
    json onCompletion(const json &params);
    json onSignature(const json &params);
    json onPrepareRename(const json &params);
    json onRename(const json &params);
    json onFormatting(const json &params);
    json onRangeFormatting(const json &params);
    json onCodeAction(const json &params);
    json onSemanticTokens(const json &params);

    Connection &connection_;
    enum class State { New, Running, ShutDown, Gone } state_ = State::New;
    bool cleanly_ = false; ///< gone after a shutdown
    bool listens_ = true;  ///< the client, to what is sent
    Encoding encoding_ = Encoding::Utf16;
    bool nestedSymbols_ = false, relatedInformation_ = false, asksConfiguration_ = false;
    std::vector<Define> defines_;
    std::map<std::string, Document> documents_; ///< by URI
    std::set<std::string> unpublished_;         ///< whose diagnostics the client does not have yet
    std::set<std::string> cancelled_;           ///< ids of requests, as JSON
    int nextId_ = 1;                            ///< of requests to the client
};

} // namespace oocc::lsp
