// SPDX-License-Identifier: Apache-2.0
// Starts `lockstep debug --dap` for a session, and knows what to run where there is no launch.json.
"use strict";
const vscode = require("vscode");

const thisFile = { type: "lockstep", request: "launch", name: "Kernels of this file", program: "${file}" };

const adapters = {
  createDebugAdapterDescriptor(session) {
    const command = vscode.workspace.getConfiguration("lockstep", session.workspaceFolder).get("command") || "lockstep";
    return new vscode.DebugAdapterExecutable(command, ["debug", "--dap"]);
  },
};

const configurations = {
  provideDebugConfigurations() {
    return [thisFile];
  },
  // F5 without a launch.json sends an empty one.
  resolveDebugConfiguration(folder, wanted) {
    const editor = vscode.window.activeTextEditor;
    if (!wanted.type && !wanted.request && editor && /\.(cu|cuda)$/.test(editor.document.fileName)) return { ...thisFile };
    if (wanted.type && !wanted.program) {
      vscode.window.showErrorMessage("lockstep: the configuration names no program");
      return undefined;
    }
    return wanted;
  },
};

exports.activate = context => {
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("lockstep", adapters),
    vscode.debug.registerDebugConfigurationProvider("lockstep", configurations),
  );
};
exports.deactivate = () => {};
