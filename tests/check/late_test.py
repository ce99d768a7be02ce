# SPDX-License-Identifier: Apache-2.0
"""late.cu under `lockstep check`: what comes late is found, and nothing else."""
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
WANTED = {
    ("bad_missing_barrier", "shared-race"),
    ("bad_store_after_loads", "shared-race"),
    ("bad_unwritten", "uninitialized"),
    ("bad_late_write", "global-race"),
    ("bad_past_end", "out-of-bounds"),
    ("bad_neighbour", "global-race"),
    ("bad_unwritten_before_trap", "uninitialized"),
    ("bad_unwritten_before_trap", "api-error"),  # the trap
}
with tempfile.TemporaryDirectory() as work:
    out = os.path.join(work, "out.json")
    done = subprocess.run([os.environ["LOCKSTEP"], "check", "--workers", "1", "--json=" + out,
                           os.path.join(here, "late.cu")], capture_output=True, text=True)
    with open(out) as f:
        findings = json.load(f)["findings"]
found = {(f["kernel"].split("(")[0], f["kind"]) for f in findings if f["kernel"]}
if found != WANTED or done.returncode != 1:
    sys.exit("too much: %s\nmissing: %s\nexit status %d\n%s%s"
             % (found - WANTED, WANTED - found, done.returncode, done.stdout, done.stderr))
