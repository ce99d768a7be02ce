# SPDX-License-Identifier: Apache-2.0
"""own.cu under `lockstep check`: what is wrong with local memory is found, nothing else, and results are right."""
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
WANTED = {
    ("bad_some", "uninitialized"),
    ("bad_unset", "uninitialized"),
    ("bad_index_load", "out-of-bounds"),
    ("bad_index_store", "out-of-bounds"),
}
with tempfile.TemporaryDirectory() as work:
    out = os.path.join(work, "out.json")
    done = subprocess.run([os.environ["LOCKSTEP"], "check", "--workers", "1", "--json=" + out,
                           os.path.join(here, "own.cu")], capture_output=True, text=True)
    with open(out) as f:
        findings = json.load(f)["findings"]
found = {(f["kernel"].split("(")[0], f["kind"]) for f in findings if f["kernel"]}
if found != WANTED or done.returncode != 1 or "wrong" in done.stdout:
    sys.exit("too much: %s\nmissing: %s\nexit status %d\n%s%s"
             % (found - WANTED, WANTED - found, done.returncode, done.stdout, done.stderr))
