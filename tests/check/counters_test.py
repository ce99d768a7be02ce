# SPDX-License-Identifier: Apache-2.0
"""counters.cu under `lockstep check`: mistakes beside atomic operations on few words are found; with one
worker, whose blocks run one after the other, as often as they happen where the source tells how often that is (None:
how many accesses are told of a word that has met the mistake already is not promised)."""
import sys

import watched

WANTED = {
    ("bad_store", "global-race"): None,
    ("bad_load", "global-race"): None,
    ("bad_own", "global-race"): None,
    ("bad_lanes", "global-race"): 256,
    ("bad_unset", "uninitialized"): 64,
    ("bad_bounds", "out-of-bounds"): 1,
    ("bad_scope", "global-race"): None,
    ("bad_many", "global-race"): None,
}

found = {(f["kernel"], f["kind"]): f["count"] for f in watched.run("counters.cu")[0]}
held = {key: None if WANTED.get(key, 0) is None else count for key, count in found.items()}
two = watched.kinds("counters.cu", "2")
if held != WANTED or two != set(WANTED):
    sys.exit("one worker: %s\ntwo: %s" % (found, two))
