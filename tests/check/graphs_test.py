# SPDX-License-Identifier: Apache-2.0
"""graphs.cu under `lockstep check`: branches of graphs, streams and events that leave work without
an order are found, and those that order it are not."""
import json
import os
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
here = os.path.dirname(os.path.abspath(__file__))
failures = []

right = """edge diamond atomics copy host-between child loop event event-wait after-stream before-stream twice
    captured captured-join stream-event stream-legacy stream-host-wait stream-query stream-ordered
    managed-prefetch""".split()
wrong = """no-edge diamond-half copy-beside fill-beside child-beside loop-beside other-stream twice-beside
    captured-no-join stream-event-early stream-legacy-beside stream-wrong-wait managed-streams""".split()

with tempfile.TemporaryDirectory() as work:
    program, out = os.path.join(work, "graphs"), os.path.join(work, "out.json")
    subprocess.run([lockstep, "cc", os.path.join(here, "graphs.cu"), "-o", program], check=True)
    for what in right + wrong:
        done = subprocess.run([lockstep, "check", "--json=" + out, "--", program, what],
                              capture_output=True, text=True)
        with open(out) as f:
            result = json.load(f)
        kinds = {f["kind"] for f in result["findings"]}
        want = {"host-device-race"} if what in wrong else set()
        if kinds != want or done.returncode != bool(want) or "no case" in done.stdout or \
                not result["summary"]["launches_checked"]:
            failures.append(what)
            print("FAIL", what, done.returncode, kinds, done.stdout, done.stderr)

sys.exit(1 if failures else 0)
