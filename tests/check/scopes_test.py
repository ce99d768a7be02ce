# SPDX-License-Identifier: Apache-2.0
"""scopes.cu under `lockstep check`: locks, flags and counters with fences and scopes that do, and with one
thing less or too narrow; volatile accesses that nothing orders; warp-synchronous code, before 7.0 and since."""
import json
import os
import re
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
source = os.path.join(here, "scopes.cu")
volatile = {"bad_volatile_sum": {("volatile-race", "warning")},
            "bad_volatile_atomic": {("volatile-race", "warning")},
            "bad_volatile_flag": {("volatile-race", "warning")},
            "bad_volatile_no_fence": {("volatile-race", "warning"), ("global-race", "error")},
            "bad_warp_reduce": {("volatile-race", "error")},
            "bad_warp_fence": {("volatile-race", "error")},
            "bad_warp_global": {("volatile-race", "error")},
            "bad_lock_shared_no_take": {("shared-race", "error")},
            "bad_lookers_shared": {("shared-race", "error")},
            "bad_look_again_shared": {("shared-race", "error")},
            "bad_displaced_shared": {("shared-race", "error")}}
lanes = {"bad_warp_reduce", "bad_warp_fence", "bad_warp_global"}
# what the report says is missing
words = {"bad_lock_no_take": "a fence between reading the flag, or taking the lock",
         "bad_lock_narrow_take": "a fence between reading the flag, or taking the lock",
         "bad_lock_shared_no_take": "__threadfence_block()",
         "bad_lock_block_scope": "device scope",
         "bad_warp_reduce": "__syncwarp()",
         "bad_volatile_sum": "atomic operations"}
failures = []

with open(source) as f:
    kernels = dict.fromkeys(re.findall(r"\b(?:good|bad)_\w+", f.read()))


def reported(*options):
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out.json")
        done = subprocess.run([os.environ["LOCKSTEP"], "check", *options, "--json=" + out, source],
                              capture_output=True, text=True)
        with open(out) as f:
            result = json.load(f)
    if done.returncode != 1 or "wrong" in done.stdout:
        failures.append(f"{options}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    if result["summary"]["launches_checked"] != len(kernels):
        failures.append(f"{options}: {result['summary']['launches_checked']} launches of {len(kernels)} kernels")
    found = {}
    for f in result["findings"]:
        found.setdefault((f["kernel"] or "").split("(")[0], []).append(f)
    return found


def compare(found, silent, options):
    for name in list(kernels) + [n for n in found if n not in kernels]:
        kinds = {(f["kind"], f["severity"]) for f in found.get(name, [])}
        right = name.startswith("good") or name in silent
        wanted = set() if right else volatile.get(name, {("global-race", "error")})
        if kinds != wanted:
            failures.append(f"{options} {name}: {sorted(kinds)}, not {sorted(wanted)}")
        said = " ".join(f["missing"] for f in found.get(name, []))
        if wanted and words.get(name, "") not in said:
            failures.append(f"{options} {name}: what is missing: {said}")


for workers in ("1", "3"):
    compare(reported("--workers", workers), set(), workers)
compare(reported("--cc", "6.1"), lanes, "6.1")
print("\n".join(failures))
sys.exit(1 if failures else 0)
