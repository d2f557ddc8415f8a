// The protocol: what comes in is looked at, dispatched, and answered. A message that is wrong is answered with an error, or if it
// was a notification, logged; none ends the server.
#include "lsp/server.h"

#include "support/json_depth.h"

#include <ranges>

namespace oocc::lsp {

const std::map<std::string, Server::Method> &Server::requests() {
    static const std::map<std::string, Method> table{
        {"initialize", {&Server::initialize}},
        {"shutdown", {&Server::shutdown}},
        {"textDocument/hover", {&Server::onHover}},
        {"textDocument/definition", {&Server::onDefinition}},
        {"textDocument/references", {&Server::onReferences}},
        {"textDocument/documentHighlight", {&Server::onHighlight}},
        {"textDocument/documentSymbol", {&Server::onSymbols}},
        {"textDocument/completion", {&Server::onCompletion}},
        {"textDocument/signatureHelp", {&Server::onSignature}},
        {"textDocument/prepareRename", {&Server::onPrepareRename}},
        {"textDocument/rename", {&Server::onRename}},
        {"textDocument/formatting", {&Server::onFormatting}},
        {"textDocument/rangeFormatting", {&Server::onRangeFormatting}},
        {"textDocument/codeAction", {&Server::onCodeAction}},
        {"textDocument/semanticTokens/full", {&Server::onSemanticTokens}},
    };
    return table;
}

const std::map<std::string, void (Server::*)(const json &)> &Server::notifications() {
    static const std::map<std::string, void (Server::*)(const json &)> table{
        {"initialized", &Server::initialized},
        {"exit", &Server::exit},
        {"$/cancelRequest", &Server::cancel},
        {"$/setTrace", &Server::setTrace},
        {"workspace/didChangeConfiguration", &Server::configure},
        {"textDocument/didOpen", &Server::open},
        {"textDocument/didChange", &Server::change},
        {"textDocument/didClose", &Server::close},
        {"textDocument/didSave", &Server::saved},
    };
    return table;
}

int Server::run() {
    while (state_ != State::Gone && listens_) {
        // While more comes in, changes follow each other; what they amount to is looked at once.
        if (connection_.arrived().empty() && !connection_.receive()) publish();
        const std::optional<Incoming> incoming = connection_.next();
        if (!incoming) return 1; // the client went without a word
        collectCancelled();
        take(*incoming);
        if (state_ == State::Gone) break;
    }
    return state_ == State::Gone && cleanly_ ? 0 : 1;
}

/// Ids of requests that have been taken back, before these are looked at. Of many messages that wait, each is searched once.
void Server::collectCancelled() {
    connection_.receive();
    for (Incoming &each : connection_.arrived() | std::views::reverse) {
        if (each.searched) break;
        each.searched = true;
        if (each.text.find("$/cancelRequest") == std::string::npos || tooDeepJson(each.text)) continue;
        const json message = json::parse(each.text, nullptr, false);
        if (message.is_object() && message.value("method", json()) == "$/cancelRequest" && message.contains("params") &&
            message["params"].is_object() && message["params"].contains("id"))
            cancelled_.insert(message["params"]["id"].dump());
    }
}

void Server::take(const Incoming &incoming) {
    if (!incoming.error.empty()) return fail(nullptr, kParseError, incoming.error);
    if (tooDeepJson(incoming.text)) return fail(nullptr, kParseError, "this message is nested deeper than any of the protocol");
    const json parsed = json::parse(incoming.text, nullptr, false);
    if (parsed.is_discarded()) return fail(nullptr, kParseError, "this message is no JSON");
    try {
        message(parsed);
    } catch (const std::exception &error) {
        log(std::string("a message was not understood: ") + error.what());
    }
}

void Server::message(const json &message) {
    if (!message.is_object()) return fail(nullptr, kInvalidRequest, "a message is an object");
    const json id = message.value("id", json());
    const bool hasId = message.contains("id");
    if (hasId && !id.is_null() && !id.is_number_integer() && !id.is_string())
        return fail(nullptr, kInvalidRequest, "an id is a number or a string");
    if (!message.contains("method")) {
        if (hasId && (message.contains("result") || message.contains("error"))) return response(message);
        return fail(id, kInvalidRequest, "a message has a method");
    }
    if (!message["method"].is_string()) return fail(id, kInvalidRequest, "a method is a string");
    const auto method = message["method"].get<std::string>();
    if (hasId) return request(message, method);
    notification(method, message.value("params", json::object()));
}

void Server::request(const json &message, const std::string &method) {
    const json &id = message["id"];
    if (cancelled_.erase(id.dump()) > 0) return fail(id, kRequestCancelled, "the request was taken back");
    if (state_ == State::New && method != "initialize") return fail(id, kNotInitialized, "the first request is 'initialize'");
    if (state_ == State::ShutDown) return fail(id, kInvalidRequest, "the server has been shut down");
    publish(); // what an answer is about is known to the client before it comes
    const auto found = requests().find(method);
    if (found == requests().end()) return fail(id, kMethodNotFound, "there is no method '" + method + "'");
    try {
        reply(id, (this->*found->second.answer)(message.value("params", json::object())));
    } catch (const RequestError &error) {
        fail(id, error.code, error.what());
    } catch (const json::exception &) { // what it says is for programmers, and changes from version to version
        fail(id, kInvalidParams, "the parameters of '" + method + "' are not what the protocol says");
    } catch (const std::exception &error) {
        fail(id, kInternal, "internal error: " + std::string(error.what()));
    }
}

void Server::notification(const std::string &method, const json &params) {
    if (state_ == State::New && method != "exit") return;
    const auto found = notifications().find(method);
    if (found == notifications().end()) return; // there is nobody to tell
    try {
        (this->*found->second)(params);
    } catch (const json::exception &) {
        log("the parameters of '" + method + "' are not what the protocol says");
    } catch (const RequestError &error) {
        log(error.what());
    }
}

/// Of the client, to workspace/configuration, which is all that it is asked.
void Server::response(const json &message) {
    if (message.contains("result") && message["result"].is_array() && !message["result"].empty())
        takeSettings(message["result"][0]);
}

void Server::reply(const json &id, json result) {
    listens_ = connection_.send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}) && listens_;
}

void Server::fail(const json &id, int code, const std::string &text) {
    listens_ = connection_.send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", text}}}}) && listens_;
}

void Server::notify(const std::string &method, json params) {
    listens_ = connection_.send({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}) && listens_;
}

void Server::log(const std::string &text) {
    notify("window/logMessage", {{"type", 1}, {"message", text}});
}

// -- the life of the server --------------------------------------------------------------------------------

json Server::initialize(const json &params) {
    if (state_ != State::New) throw RequestError(kInvalidRequest, "the server is initialized already");
    const json none = json::object();
    const json capabilities = params.value("capabilities", none);
    const auto has = [&](const char *path) { return capabilities.value(json::json_pointer(path), json(false)) == json(true); };
    const json encodings = capabilities.value(json::json_pointer("/general/positionEncodings"), json::array());
    if (encodings.is_array())
        for (const json &each : encodings)
            if (each == "utf-8") encoding_ = Encoding::Utf8;
    nestedSymbols_ = has("/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport");
    relatedInformation_ = has("/textDocument/publishDiagnostics/relatedInformation");
    asksConfiguration_ = has("/workspace/configuration");
    takeSettings(params.value("initializationOptions", json()));
    state_ = State::Running;
    return {{"capabilities",
             {{"positionEncoding", encoding_ == Encoding::Utf8 ? "utf-8" : "utf-16"},
              {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", {{"includeText", false}}}}},
              {"hoverProvider", true},
              {"definitionProvider", true},
              {"referencesProvider", true},
              {"documentHighlightProvider", true},
              {"documentSymbolProvider", true},
              {"completionProvider", {{"triggerCharacters", {"[", ".", ":"}}}},
              {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}}},
              {"renameProvider", {{"prepareProvider", true}}},
              {"documentFormattingProvider", true},
              {"documentRangeFormattingProvider", true},
              {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
              {"semanticTokensProvider", {{"legend", tokenLegend()}, {"full", true}}}}},
            {"serverInfo", {{"name", "oocc"}, {"version", OOCC_VERSION}}}};
}

void Server::initialized(const json &) {
    if (!asksConfiguration_) return;
    listens_ = connection_.send({{"jsonrpc", "2.0"},
                                 {"id", "oocc-" + std::to_string(nextId_++)},
                                 {"method", "workspace/configuration"},
                                 {"params", {{"items", json::array({{{"section", "oocc"}}})}}}}) &&
               listens_;
}

json Server::shutdown(const json &) {
    state_ = State::ShutDown;
    return nullptr;
}

void Server::exit(const json &) {
    cleanly_ = state_ == State::ShutDown;
    state_ = State::Gone;
}

void Server::configure(const json &params) {
    const json &settings = params.at("settings");
    if (settings.is_null() && asksConfiguration_) return initialized(params);
    takeSettings(settings);
}

/// {"define": {"n": 64}}, or that under "oocc".
void Server::takeSettings(const json &settings) {
    if (!settings.is_object()) return;
    const json &own = settings.contains("oocc") && settings["oocc"].is_object() ? settings["oocc"] : settings;
    if (!own.contains("define")) return;
    const json &define = own["define"];
    if (!define.is_object()) return log("the setting 'oocc.define' is an object: {\"n\": 64}");
    std::vector<Define> defines;
    for (const auto &[name, value] : define.items())
        if (value.is_string())
            defines.push_back({name, value.get<std::string>()});
        else if (value.is_primitive() && !value.is_null())
            defines.push_back({name, value.dump()});
        else
            log("the setting 'oocc.define' has no value for '" + name + "'");
    defines_ = std::move(defines);
    for (auto &[uri, document] : documents_) {
        document.known.reset();
        unpublished_.insert(uri);
    }
}

} // namespace oocc::lsp
