# SPDX-License-Identifier: Apache-2.0
"""The extension for VS Code: its package has what VS Code asks of one, its version is the project's, what it says of
`launch` is what the adapter takes, and, where node is installed, it starts the adapter."""
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
import zipfile

from checks import check, finish, source, work

folder = os.path.join(source, "editors/vscode")
made = [os.path.join(work, f"{k}.vsix") for k in "ab"]
for to in made:
    r = subprocess.run([sys.executable, os.path.join(folder, "package.py"), to], capture_output=True, text=True)
    check(f"it is made: {r.stderr}", r.returncode == 0)
check("the same each time", open(made[0], "rb").read() == open(made[1], "rb").read())
with zipfile.ZipFile(made[0]) as z:
    names = z.namelist()
    parts = {name: z.read(name).decode() for name in names}
check(f"{names}", sorted(names) == sorted(["[Content_Types].xml", "extension.vsixmanifest", "extension/package.json",
                                           "extension/extension.js", "extension/README.md", "extension/LICENSE.txt"]))
types = {t.get("Extension") for t in xml.fromstring(parts["[Content_Types].xml"])}
check(f"every part has a type: {types}", all("." + n.rsplit(".", 1)[1] in types for n in names if n != "[Content_Types].xml"))
spaces = {"v": "http://schemas.microsoft.com/developer/vsx-schema/2011"}
manifest = xml.fromstring(parts["extension.vsixmanifest"])
about = json.loads(parts["extension/package.json"])
identity = manifest.find("v:Metadata/v:Identity", spaces)
check("its identity", (identity.get("Id"), identity.get("Version"), identity.get("Publisher")) ==
      (about["name"], about["version"], about["publisher"]))
check("its parts are there", all(a.get("Path") in parts for a in manifest.findall("v:Assets/v:Asset", spaces)))
with open(os.path.join(source, "CMakeLists.txt")) as f:
    version = re.search(r"project\(lockstep VERSION ([0-9.]+)", f.read())[1]
check(f"{about['version']} is the project's version, {version}", about["version"] == version)
debugger = about["contributes"]["debuggers"][0]
check("the type", debugger["type"] == "lockstep" and "onDebugResolve:lockstep" in about["activationEvents"])
with open(os.path.join(source, "src/cli/debug/dap.c")) as f:
    text = f.read()
    launch = text[text.index("\nlaunch(struct dap"):text.index("/* -- running")]
takes = set(re.findall(r'dap_text\(a, "(\w+)"\)|json_object_get\(a, "(\w+)"\)', launch))
takes = {a or b for a, b in takes}
says = set(debugger["configurationAttributes"]["launch"]["properties"])
check(f"launch takes {takes}, the extension says {says}", takes == says)
for c in debugger["initialConfigurations"] + [s["body"] for s in debugger["configurationSnippets"]]:
    check(f"{c}", set(c) - {"type", "request", "name"} <= says and c["type"] == "lockstep" and c["request"] == "launch")

RUN = """
const Module = require("module"), load = Module._load, made = [];
const vscode = { workspace: { getConfiguration: () => ({ get: () => "/opt/lockstep" }) },
  DebugAdapterExecutable: class { constructor(command, args) { this.command = command; this.args = args; } },
  window: { activeTextEditor: { document: { fileName: "/a/k.cu" } }, showErrorMessage: m => made.push(m) },
  debug: { registerDebugAdapterDescriptorFactory: (t, f) => made.push(t, f.createDebugAdapterDescriptor({})),
           registerDebugConfigurationProvider: (t, p) => made.push(t, p.provideDebugConfigurations(),
             p.resolveDebugConfiguration(null, {}), p.resolveDebugConfiguration(null, { type: "lockstep" }) ?? null) } };
Module._load = (name, ...more) => name === "vscode" ? vscode : load(name, ...more);
require(process.argv[1]).activate({ subscriptions: [] });
console.log(JSON.stringify(made));
"""
node = shutil.which("node") or shutil.which("nodejs")
if node:
    r = subprocess.run([node, "-e", RUN, os.path.join(folder, "extension.js")], capture_output=True, text=True, timeout=60)
    got = json.loads(r.stdout or "null")
    program = {"type": "lockstep", "request": "launch", "name": "Kernels of this file", "program": "${file}"}
    check(f"it runs: {r.stdout} {r.stderr}", got == [
        "lockstep", {"command": "/opt/lockstep", "args": ["debug", "--dap"]}, "lockstep", [program], program,
        "lockstep: the configuration names no program", None] or got == [
        "lockstep", {"command": "/opt/lockstep", "args": ["debug", "--dap"]},
        "lockstep: the configuration names no program", "lockstep", [program], program, None])
finish("" if node else "; no node: the extension was not run")
