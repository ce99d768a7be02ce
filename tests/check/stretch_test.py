# SPDX-License-Identifier: Apache-2.0
"""stretch.cu under `lockstep check`: in each kernel one block of many makes a mistake in shared memory,
and is found to; where no block does, nothing is said. The counts are of that block alone."""
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
WANTED = {
    ("bad_early", "shared-race", "error", 256),
    ("bad_tree", "shared-race", "error", 32),
    ("bad_hole", "uninitialized", "error", 1),
    ("bad_turns", "uninitialized", "error", 256),
    ("bad_beyond", "out-of-bounds", "error", 1),
    ("bad_late_store", "shared-race", "error", 283),
    ("bad_lanes", "shared-race", "error", 256),
    ("bad_counters", "shared-race", "error", 5),
    ("bad_either", "shared-race", "error", 200),
    ("good_one_word", "shared-race", "warning", 64 * 255),
    ("bad_one_word", "shared-race", "error", 64 * 255),
    ("bad_rows", "shared-race", "error", 1),
    ("bad_copied", "uninitialized", "error", 64 * 256),
}


def found(workers):
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out.json")
        subprocess.run([os.environ["LOCKSTEP"], "check", "--workers", workers, "--json=" + out,
                        os.path.join(here, "stretch.cu")], capture_output=True, text=True)
        with open(out) as f:
            return {(f["kernel"].split("(")[0], f["kind"], f["severity"], f["count"])
                    for f in json.load(f)["findings"] if f["kernel"]}


bad = []
for workers in ("1", "2"):
    is_so = found(workers)
    if is_so != WANTED:
        bad.append("%s workers: too much: %s, missing: %s"
                   % (workers, sorted(is_so - WANTED), sorted(WANTED - is_so)))
sys.exit("\n".join(bad) or 0)
