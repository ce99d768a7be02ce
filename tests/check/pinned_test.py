# SPDX-License-Identifier: Apache-2.0
"""pinned.cu under `lockstep check`: what host code does to pinned memory that a copy or a kernel may still use is
found, with the function's name; behind a wait, a flag or a host function of the stream it is fine."""
import json
import os
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
here = os.path.dirname(os.path.abspath(__file__))
failures = []

# case: the severity of the one finding, and what its message has to name; None: nothing is found
cases = {
    "load-behind-copy": ("error", "main (", "reads byte 20 of pinned", "a copy may still use it"),
    "store-behind-copy": ("error", "writes byte 20"),
    "load-waited": None,
    "load-event": None,
    "load-early-event": ("error", "reads byte 20"),
    "load-asked": None,
    "load-other-stream": ("error", "reads byte 20"),
    "load-elsewhere": None,
    "store-before-copy-is-over": ("error", "writes byte 20 of pinned"),
    "load-of-source": None,
    "store-waited": None,
    "store-behind-memcpy": None,
    "load-behind-kernel": ("error", "kernel fill may still write it"),
    "load-behind-kernel-waited": None,
    "store-kernel-reads": ("error", "kernel sum may still read it"),
    "load-kernel-reads": None,
    "flag": None,
    "flag-atomic": None,
    "flag-of-device": ("error", "kernel count may still write it"),
    "function": None,
    "function-other-stream": ("error", "take (", "reads byte 12"),
    "function-tells": ("warning", "reads byte 20"),
    "callback": None,
    "registered": ("error", "registered ("),
    "registered-waited": None,
    "buffers": ("error", "feed (", "writes byte 0"),
    "buffers-waited": None,
    "thread": ("error", "reads byte 20"),
    "thread-waited": None,
    "written-to-file": None,
}

with tempfile.TemporaryDirectory() as work:
    program, out = os.path.join(work, "pinned"), os.path.join(work, "out.json")
    subprocess.run([lockstep, "cc", os.path.join(here, "pinned.cu"), "-o", program], check=True)
    for case, want in cases.items():
        done = subprocess.run([lockstep, "check", "--json=" + out, "--", program, case], capture_output=True, text=True)
        with open(out, encoding="utf-8") as f:
            findings = json.load(f)["findings"]
        found = [(f["kind"], f["severity"]) for f in findings]
        if found != ([("host-device-race", want[0])] if want else []) or "FAIL" in done.stdout:
            failures.append(case)
            print("FAIL", case, done.returncode, [f["message"] for f in findings], done.stdout, done.stderr)
            continue
        missing = [w for w in want[1:] if w not in findings[0]["message"]] if want else []
        if missing:
            failures.append(case)
            print("FAIL", case, "no", missing, "in", findings[0]["message"])

sys.exit(1 if failures else 0)
