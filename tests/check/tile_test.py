# SPDX-License-Identifier: Apache-2.0
"""tile.cu under `lockstep check`: what is wrong between two barriers is found, and nothing else."""
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
WANTED = {
    ("bad_neighbours_word", "shared-race"),
    ("bad_hand_out", "shared-race"),
    ("bad_swap", "shared-race"),
    ("bad_rows", "shared-race"),
    ("bad_gather_bounds", "out-of-bounds"),
    ("bad_gather_unset", "uninitialized"),
    ("bad_scatter_same", "shared-race"),
    ("bad_histogram_order", "shared-race"),
    ("bad_histogram_unset", "uninitialized"),
    ("bad_tree", "shared-race"),
}
with tempfile.TemporaryDirectory() as work:
    out = os.path.join(work, "out.json")
    done = subprocess.run([os.environ["LOCKSTEP"], "check", "--workers", "1", "--json=" + out,
                           os.path.join(here, "tile.cu")], capture_output=True, text=True)
    with open(out) as f:
        findings = json.load(f)["findings"]
found = {(f["kernel"].split("(")[0], f["kind"]) for f in findings if f["kernel"]}
if found != WANTED or done.returncode != 1:
    sys.exit("too much: %s\nmissing: %s\nexit status %d\n%s%s"
             % (found - WANTED, WANTED - found, done.returncode, done.stdout, done.stderr))
