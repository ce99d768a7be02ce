# SPDX-License-Identifier: Apache-2.0
"""order.cu under `lockstep check`: each row of src/device/order.def has a case, and the host knows what the chapter
"API synchronization behavior" says, no less and no more; streams that are ordered and streams that are
not, memory of cudaMallocAsync and pinned memory that goes too early."""
import json
import os
import re
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
here = os.path.dirname(os.path.abspath(__file__))
failures = []

with open(os.path.join(here, "../../src/device/order.def")) as f:
    rows = dict(re.findall(r"^ORDER\((\w+), (\w+)\)", f.read(), re.M))
with open(os.path.join(here, "order.cu")) as f:
    cases = re.findall(r"^(?:FREE_)?CASE\((\w+),", f.read(), re.M)

HOST = {"pageable", "pinned", "host"}
NEVER_CALLED = {"cudaDeviceReset"}  # the memory is gone behind it


def waits(call, ends):
    """The chapter, said once more: True where the kernel before the call is over when the call is."""
    how, two = rows[call], [word for word in ends.split("_") if word in HOST | {"device"}]
    if how == "COPY":
        return two[0] in HOST or two[1] in HOST
    if how == "COPY_ASYNC":
        return set(two) <= HOST
    if how == "FILL":
        return ends == "pinned"
    if how == "FREE":
        return ends != "ordered"
    return how in ("STREAM", "EVENT", "ALL") and ends != "other"


# argument: the severity of what must be found; None: nothing
streams = {
    "alloc-same": None, "alloc-other": "error", "alloc-event": None, "alloc-waited": None, "alloc-legacy": None,
    "alloc-legacy-nonblocking": "error", "alloc-copy": "error", "alloc-fill": "error", "alloc-again": None,
    "graph-memory": None, "graph-memory-branches": None, "graph-memory-other-branch": "error",
    "free-other": "error", "free-event": None, "free-copy": "error", "free-at-once": "error",
    "free-at-once-waited": None, "free-plain": None, "free-plain-ordered": "error", "free-host-copy": "error",
    "free-host-kernel": "error", "free-host-waited": None, "unregister-copy": "error", "copy-read": "error",
    "copy-read-event": None, "copy-reads": None, "copy-copy": "error", "copy-copy-target": "error",
    "copy-copy-waited": None, "copy-halves": None, "copy-columns": None, "copy-columns-overlap": "error",
    "fill-fill": "error", "device-device": "error", "device-device-waited": None, "device-device-blocking": None,
    "staged": None, "staged-waited": None, "staged-blocking": None, "staged-again": None, "pinned": None,
    "memset": "error", "memset-waited": None, "managed-copy": "error", "managed-copy-waited": None,
}


def check(program, out, *arguments):
    done = subprocess.run([lockstep, "check", "--only", "race,bounds,api", "--json=" + out, "--", program, *arguments],
                          capture_output=True, text=True)
    with open(out) as f:
        return json.load(f)["findings"], done


with tempfile.TemporaryDirectory() as work:
    program, out = os.path.join(work, "order"), os.path.join(work, "out.json")
    subprocess.run([lockstep, "cc", os.path.join(here, "order.cu"), "-o", program], check=True)
    findings, done = check(program, out)
    found = {m.group(1) for f in findings for m in [re.search(r"touch_(\w+)", f["message"])] if m}
    if done.stdout.count("FAIL") or len(findings) != len(found):
        failures.append("all")
        print("FAIL", done.stdout, [f["message"] for f in findings if "touch_" not in f["message"]])
    for name in cases:
        call, _, ends = name.partition("__")
        if (name in found) == waits(call, ends):
            failures.append(name)
            print("FAIL", name, rows[call], "a race" if name in found else "no race")
    missing = set(rows) - {name.partition("__")[0] for name in cases} - NEVER_CALLED
    if missing or len(cases) < 100:
        failures.append("rows")
        print("FAIL rows without a case:", sorted(missing))
    for name, severity in streams.items():
        findings, done = check(program, out, name)
        kinds = [(f["kind"], f["severity"]) for f in findings]
        if kinds != ([("host-device-race", severity)] if severity else []):
            failures.append(name)
            print("FAIL", name, [(f["kind"], f["severity"], f["message"]) for f in findings], done.stdout)

sys.exit(1 if failures else 0)
