# SPDX-License-Identifier: Apache-2.0
"""reports.cu under `lockstep check`: what a report says of host code: its file, line and function, who
called it, where kernels were launched and memory was allocated; each mistake's right twin is silent. And
the last lines of the report, which say why the exit status is what it is."""
import json
import os
import re
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
here = os.path.dirname(os.path.abspath(__file__))
source = os.path.join(here, "reports.cu")
failures = []
with open(source) as f:
    lines = {m.group(1): n for n, text in enumerate(f, 1) for m in [re.search(r"// line: (\S+)", text)] if m}


def at(name, function):
    return {"file": source, "line": lines[name], "function": function}


# name: kind, title, severity, count, words of the message, access' place, its callers' places, launch,
# allocated. None: not looked at.
expected = {
    "managed": ("leak", "Leak", "warning", 1, "64 bytes of cudaMallocManaged", at("managed", "managed"), None, None, None),
    "leak": ("leak", "Leak", "warning", 2, "128 bytes of cudaMalloc", at("get", "get"), at("leak", "leak"), None, None),
    "null": ("out-of-bounds", "Out of bounds", "error", 32, "null pointer", None, None,
             at("null", "null_pointer"), None),
    "bounds": ("out-of-bounds", "Out of bounds", "error", 1, "right past the end of allocation 1", None, None,
               at("bounds", "bounds"), at("buffer", "buffer")),
    "assert": ("api-error", "Assertion failed", "error", 1, "reports.cu:%d: void bounded(int): block: [0,0,0], thread: "
               "[5,0,0] Assertion `threadIdx.x < n` failed" % lines["assert"],
               {"file": source, "line": lines["assert"]}, None, at("assert-launch", "assertion"), None),
    "recursion": ("api-error", "Kernel ended in an error", "error", 1, "1024 bytes of stack per thread (cudaLimitStackSize); "
                  "calls: deeper, from deeper at %s:%d (" % (source, lines["deeper"]),
                  {"file": source, "kernel": "recursive"}, None, at("recursion", "recursion"), None),
    "symbol": ("api-error", "Failed call", "error", 1, "cudaMemcpyToSymbol returned cudaErrorInvalidValue: 32 bytes",
               at("symbol", "symbol"), None, None, None),
    "shadow": ("api-error", "Failed call", "error", 1, '"words" is a variable on the device, and the host\'s address of it no '
               "device memory: cudaMemcpyToSymbol takes", at("shadow", "shadow"), None, None, None),
    "checked": ("api-error", "Failed call", "error", 4, "the direction says host memory", at("checked", "checked"),
                None, None, None),
    "launch": ("api-error", "Failed call", "error", 1, 'kernel "scale<float>": 2048 threads in x',
               at("launch", "launch"), None, None, None),
    "probes": ("api-error", "Failed call", "error", 1, "cudaEventDestroy returned", at("probes", "probes"), None, None, None),
    "repeated": ("api-error", "Failed call", "error", 5, 'kernel "count": 1025 threads in x', at("repeated", "repeated"),
                 None, None, None),
    "output": ("lost-output", "Output that a GPU would lose", "warning", 1, "kernel hello printed, and nothing waits",
               at("output", "output"), None, None, None),
    "host": ("wrong-space", None, "error", 1, "host_access (reports+0x", at("host", "host_access"), None, None,
             at("buffer", "buffer")),
    "unwritten": ("uninitialized", None, "warning", 1, "takes 128 along", at("unwritten", "unwritten"), None, None,
                  at("buffer", "buffer")),
    "streams": ("host-device-race", None, "error", 32, " of the host writes 0x", None, None,
                at("streams-launch", "two_streams"), None),
    "twice": ("invalid-free", None, "error", 1, "it was freed already", at("twice", "twice"), None, None, at("get", "get")),
}


def has(found, want):
    return want is None or (found is not None and all(found.get(k) == v for k, v in want.items()))


def judge(name, f, want):
    kind, title, severity, count, words, place, caller, launch, allocated = want
    access = f["access"]
    wrong = []
    for what, fine in [("kind", f["kind"] == kind), ("title", title in (None, f["title"])),
                       ("severity", f["severity"] == severity), ("count", f["count"] == count),
                       ("message", words in f["message"]), ("place", has(access, place)),
                       ("caller", caller is None or has(access["callers"][0], caller)),
                       ("launch", has(access.get("launch"), launch)),
                       ("allocated", has(f.get("allocated"), allocated))]:
        if not fine:
            wrong.append(what)
    if wrong:
        failures.append(name)
        print("FAIL", name, wrong, json.dumps(f, indent=1))


def check(program, *words):
    return subprocess.run([lockstep, "check", *words[:-2], "--", program, *words[-2:]],
                          capture_output=True, text=True)


def last(program, wanted, status, *words):
    """The report's last line."""
    done = check(program, *words)
    if done.returncode != status or not done.stdout.endswith(wanted):
        failures.append(str(words))
        print("FAIL", words, done.returncode, repr(done.stdout[-300:]), "instead of", repr(wanted))


with tempfile.TemporaryDirectory() as work:
    program, out = os.path.join(work, "reports"), os.path.join(work, "out.json")
    subprocess.run([lockstep, "cc", source, "-o", program], check=True)
    for name, want in expected.items():
        for way in ("wrong", "right"):
            done = check(program, "--json=" + out, name, way)
            with open(out) as f:
                findings = json.load(f)["findings"]
            if len(findings) != (way == "wrong") or done.returncode != (way == "wrong"):
                failures.append(name)
                print("FAIL", name, way, done.returncode, json.dumps(findings, indent=1), done.stdout, done.stderr)
            elif findings:
                judge(name, findings[0], want)
                if name == "streams" and not has(findings[0]["other"], at("streams-copy", "two_streams")):
                    failures.append("the copy's place")
                    print("FAIL", findings[0]["other"])
    text = check(program, "leak", "wrong").stdout
    line = "=========     at %s:%d in get, called at %s:%d in leak" % (source, lines["get"], source, lines["leak"])
    if line not in text or "========= LEAK SUMMARY: 256 bytes leaked in 2 allocations\n" not in text:
        failures.append("text of a leak")
        print("FAIL", text)
    last(program, "========= 1 warning, 0 suppressed\n========= Exit status 1: 1 warning\n", 1, "leak", "wrong")
    last(program, "========= --print-level error hides 1 warning\n========= Exit status 1: 1 warning\n", 1,
         "--print-level", "error", "leak", "wrong")
    last(program, "========= Exit status 9: 1 error\n", 9, "--error-exitcode", "9", "symbol", "wrong")
    last(program, "========= ERROR SUMMARY: 0 errors\n", 0, "leak", "right")

sys.exit(1 if failures else 0)
