# SPDX-License-Identifier: Apache-2.0
"""stretch.cu under `lockstep check`: in each kernel one block of many makes a mistake in shared memory,
and is found to; where no block does, nothing is said. The counts are of that block alone and follow from the
source (None: how many accesses are told of a word that has met the mistake is not promised)."""
import sys

import watched

WANTED = {
    ("bad_early", "shared-race", "error", 256),
    ("bad_tree", "shared-race", "error", 32),
    ("bad_hole", "uninitialized", "error", 1),
    ("bad_turns", "uninitialized", "error", 256),
    ("bad_beyond", "out-of-bounds", "error", 1),
    ("bad_late_store", "shared-race", "error", None),
    ("bad_lanes", "shared-race", "error", 256),
    ("bad_counters", "shared-race", "error", None),
    ("bad_either", "shared-race", "error", 200),
    ("good_one_word", "shared-race", "warning", 64 * 255),
    ("bad_one_word", "shared-race", "error", 64 * 255),
    ("bad_rows", "shared-race", "error", 1),
    ("bad_copied", "uninitialized", "error", 64 * 256),
}


def found(workers):
    not_held = {w[:3] for w in WANTED if w[3] is None}
    every = [(f["kernel"], f["kind"], f["severity"], f["count"]) for f in watched.run("stretch.cu", workers)[0]]
    return {(*f[:3], None if f[:3] in not_held else f[3]) for f in every}


bad = []
for workers in ("1", "2"):
    is_so = found(workers)
    if is_so != WANTED:
        bad.append("%s workers: too much: %s, missing: %s"
                   % (workers, is_so - WANTED, WANTED - is_so))
sys.exit("\n".join(bad) or 0)
