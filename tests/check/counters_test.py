# SPDX-License-Identifier: Apache-2.0
"""counters.cu under `lockstep check`: mistakes beside atomic operations on few words are found; with one
worker, whose blocks run one after the other, as often as they happen."""
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
WANTED = {
    ("bad_store", "global-race"): 207,
    ("bad_load", "global-race"): 330,
    ("bad_own", "global-race"): 1075,
    ("bad_lanes", "global-race"): 256,
    ("bad_unset", "uninitialized"): 64,
    ("bad_bounds", "out-of-bounds"): 1,
    ("bad_scope", "global-race"): 1,
    ("bad_many", "global-race"): 34,
}


def found(workers):
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out.json")
        subprocess.run([os.environ["LOCKSTEP"], "check", "--workers", workers, "--json=" + out,
                        os.path.join(here, "counters.cu")], capture_output=True, text=True)
        with open(out) as f:
            return {(f["kernel"].split("(")[0], f["kind"]): f["count"]
                    for f in json.load(f)["findings"] if f["kernel"]}


one, two = found("1"), found("2")
if one != WANTED or set(two) != set(WANTED):
    sys.exit("one worker: %s\ntwo: %s" % (one, two))
