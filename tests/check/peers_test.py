# SPDX-License-Identifier: Apache-2.0
"""peers.cu under `lockstep check` with two devices."""
import json
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
with tempfile.TemporaryDirectory() as work:
    out = os.path.join(work, "out.json")
    done = subprocess.run([os.environ["LOCKSTEP"], "check", "--devices", "2", "--json=" + out,
                           os.path.join(here, "peers.cu")], capture_output=True, text=True)
    with open(out) as f:
        found = {(f["kernel"], f["kind"], f["count"]) for f in json.load(f)["findings"]}
wanted = {("bad_peer", "wrong-space", 32), ("bad_past_peer", "out-of-bounds", 1)}
if found != wanted or done.returncode != 1:
    sys.exit("found %s, not %s; exit status %d" % (found, wanted, done.returncode))
