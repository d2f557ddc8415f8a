// Documents come and go, and what is asked of them.
#include "lsp/server.h"

namespace oocc::lsp {

namespace {

std::string uriOf(const json &params) {
    return params.at("textDocument").at("uri").get<std::string>();
}

} // namespace

Document &Server::document(const json &params) {
    const std::string uri = uriOf(params);
    const auto found = documents_.find(uri);
    if (found == documents_.end()) throw RequestError(kInvalidParams, "the document '" + uri + "' is not open");
    return found->second;
}

void Server::open(const json &params) {
    const json &item = params.at("textDocument");
    const auto uri = item.at("uri").get<std::string>();
    documents_.insert_or_assign(
        uri, Document{uri, item.value("version", json()), Text(item.at("text").get<std::string>(), encoding_), {}, {}, {}, {}});
    unpublished_.insert(uri);
}

/// Changes apply one after the other, each to what the one before has left; all of them or, if one is wrong, none.
void Server::change(const json &params) {
    Document &changed = document(params);
    Text text = changed.text;
    for (const json &each : params.at("contentChanges"))
        if (each.contains("range"))
            text.replace(text.range(each["range"]), each.at("text").get<std::string>());
        else
            text = Text(each.at("text").get<std::string>(), encoding_);
    changed.text = std::move(text);
    changed.version = params.at("textDocument").value("version", json());
    changed.known.reset();
    unpublished_.insert(changed.uri);
}

void Server::saved(const json &params) {
    unpublished_.insert(document(params).uri);
}

void Server::close(const json &params) {
    const std::string uri = document(params).uri;
    documents_.erase(uri);
    unpublished_.erase(uri);
    notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", json::array()}});
}

/// Tells the client what is wrong with the documents that have changed.
void Server::publish() {
    for (const std::string &uri : std::exchange(unpublished_, {})) {
        Document &changed = documents_.at(uri);
        changed.look(defines_);
        json params{{"uri", uri}, {"diagnostics", diagnosticsOf(changed, relatedInformation_)}};
        if (!changed.version.is_null()) params["version"] = changed.version;
        notify("textDocument/publishDiagnostics", std::move(params));
    }
}

// -- what is asked --------------------------------------------------------------------------------------------

namespace {

uint32_t offsetOf(const Document &document, const json &params) {
    return document.text.offset(params.at("position"));
}

} // namespace

Document &Server::looked(const json &params) {
    Document &asked = document(params);
    asked.look(defines_);
    return asked;
}

json Server::onHover(const json &params) {
    Document &asked = looked(params);
    return hover(asked, offsetOf(asked, params));
}

json Server::onDefinition(const json &params) {
    Document &asked = looked(params);
    return definition(asked, offsetOf(asked, params));
}

json Server::onReferences(const json &params) {
    Document &asked = looked(params);
    const bool with = params.value("context", json::object()).value("includeDeclaration", true);
    return references(asked, offsetOf(asked, params), with);
}

json Server::onHighlight(const json &params) {
    Document &asked = looked(params);
    return highlights(asked, offsetOf(asked, params));
}

json Server::onSymbols(const json &params) {
    Document &asked = looked(params);
    return symbols(asked, nestedSymbols_);
}

json Server::onCompletion(const json &params) {
    Document &asked = looked(params);
    return completion(asked, offsetOf(asked, params));
}

json Server::onSignature(const json &params) {
    Document &asked = looked(params);
    return signatureHelp(asked, offsetOf(asked, params));
}

json Server::onPrepareRename(const json &params) {
    Document &asked = looked(params);
    return prepareRename(asked, offsetOf(asked, params));
}

json Server::onRename(const json &params) {
    Document &asked = looked(params);
    return rename(asked, offsetOf(asked, params), params.at("newName").get<std::string>());
}

json Server::onFormatting(const json &params) {
    return formatting(document(params), std::nullopt);
}

json Server::onRangeFormatting(const json &params) {
    Document &asked = document(params);
    return formatting(asked, asked.text.range(params.at("range")));
}

json Server::onCodeAction(const json &params) {
    Document &asked = looked(params);
    return codeActions(asked, asked.text.range(params.at("range")));
}

json Server::onSemanticTokens(const json &params) {
    Document &asked = looked(params);
    return semanticTokens(asked);
}

} // namespace oocc::lsp
