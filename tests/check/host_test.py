# SPDX-License-Identifier: Apache-2.0
"""host.cu under `lockstep check`: host code that touches device memory, or managed memory that a
kernel may still use, is found with the name of its function; right programs run as ever."""
import json
import os
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
here = os.path.dirname(os.path.abspath(__file__))
failures = []

# argument: the kind of the one finding, words of its message
expected = {
    "right": None,
    "store": ("wrong-space", ["store_to (host+0x", "writes byte 12 of allocation 1"]),
    "load": ("wrong-space", ["load_from (host+0x", "reads byte 20 of allocation 1"]),
    "copy": ("wrong-space", ["main (host+0x", "reads"]),
    "symbol": ("wrong-space", ["store_to (host+0x", 'writes byte 12 of variable "variable"']),
    "managed": ("host-device-race", ["load_from (host+0x", "kernel fill may still write"]),
    "padding": None,
    "gap": ("uninitialized", ["takes 4 along that nothing has written", "at byte 84 of"]),
    "gaps": ("uninitialized", ["takes 12 along that nothing has written", "at byte 32 of"]),
    "fill-word": ("cut-fill", ["256 bytes with 1000 (0x3e8)", "0xe8"]),
    "fill-byte": None,
    "time-backward": ("negative-time", ["that its stream recorded before it"]),
    "time-forward": None,
    "time-of-streams": None,
    "managed-read": None,
    "managed-atomic": None,
    "managed-half-atomic": ("host-device-race", ["add_to (host+0x", "kernel fill may still write"]),
    "managed-store": ("host-device-race", ["store_to (host+0x", "kernel add may still read"]),
}

with tempfile.TemporaryDirectory() as work:
    program, out = os.path.join(work, "host"), os.path.join(work, "out.json")
    subprocess.run([lockstep, "cc", os.path.join(here, "host.cu"), "-o", program], check=True)
    for what, want in expected.items():
        done = subprocess.run([lockstep, "check", "--json=" + out, "--", program, what],
                              capture_output=True, text=True)
        with open(out) as f:
            findings = json.load(f)["findings"]
        kinds = [f["kind"] for f in findings]
        if kinds != ([want[0]] if want else []) or done.returncode != bool(want):
            failures.append(what)
            print("FAIL", what, done.returncode, findings, done.stdout, done.stderr)
            continue
        missing = [w for w in want[1] if w not in findings[0]["message"]] if want else []
        if missing and not os.environ.get("SANITIZE"): # a sanitizer's own memcpy stands in between
            failures.append(what)
            print("FAIL", what, "no", missing, "in", findings[0]["message"])
    for mib in ("1", "2", "5", "9", "40"):
        done = subprocess.run([lockstep, "check", "--shadow-memory", mib, "--", program, "halves"],
                              capture_output=True, text=True)
        if done.returncode or ("reached its limit" in done.stdout + done.stderr) != (mib != "40"):
            failures.append("halves")
            print("FAIL halves with", mib, "MiB:", done.returncode, done.stdout, done.stderr)

sys.exit(1 if failures else 0)
