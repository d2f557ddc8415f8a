// Starts `oocc lsp` for .stn programs and lets VS Code talk to it.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async function activate() {
  const command = vscode.workspace.getConfiguration("oocc").get("path");
  client = new LanguageClient(
    "oocc",
    "oocc",
    { command, args: ["lsp"] },
    {
      documentSelector: [{ language: "stn" }],
      synchronize: { configurationSection: "oocc" },
    }
  );
  await client.start();
};

exports.deactivate = function deactivate() {
  return client && client.stop();
};
