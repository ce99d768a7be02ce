# SPDX-License-Identifier: Apache-2.0
"""masks.cu under `lockstep check`: each bad_ kernel has one finding, at its line and with its lanes, the
good_ ones none; and one mistake has one finding: no leaks after a deadlock, no failed call for a bad free."""
import json
import os
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "masks.cu")

expected = { # kind, words of the line, words of the message
    "bad_shuffle_in_branch": ("invalid-mask", "__shfl_sync(0xffffffff, v, 3);", "lanes 0xffff0000"),
    "bad_vote_in_branch": ("invalid-mask", "__ballot_sync(0xffffffff", "lanes 0xfff00000"),
    "bad_syncwarp_in_branch": ("invalid-mask", "__syncwarp();", "lanes 0x55555555"),
    "bad_masks_that_meet": ("invalid-mask", "0xfffffff0, threadIdx.x", "with another mask (lanes 0x0000fff0)"),
    "bad_barriers_on_a_line": ("barrier-divergence", "if (threadIdx.x & 1) { __sync", "different barriers"),
}
with open(source) as f:
    lines = f.read().split("\n")
failures = []
with tempfile.TemporaryDirectory() as work:
    program, out = os.path.join(work, "masks"), os.path.join(work, "out.json")
    subprocess.run([lockstep, "cc", "-lineinfo", source, "-o", program], check=True)

    def findings(*arguments):
        done = subprocess.run([lockstep, "check", "--json=" + out, "--", program, *arguments],
                              capture_output=True, text=True)
        if done.returncode != 1:
            failures.append(f"{arguments}: exit status {done.returncode}\n{done.stderr}")
        with open(out) as file:
            return json.load(file)["findings"]

    found = findings()
    if sorted(f["kernel"] for f in found) != sorted(expected):
        failures.append(f"findings in {sorted(f['kernel'] for f in found)}")
    for f in found:
        kind, line, message = expected.get(f["kernel"], ("", "", ""))
        if f["kind"] != kind or message not in f["message"] or line not in lines[f["access"]["line"] - 1]:
            failures.append(f"{f['kernel']}: {f}")
    for argument, kind in (("deadlock", "barrier-deadlock"), ("free", "invalid-free")):
        kinds = [f["kind"] for f in findings(argument)]
        if kinds != [kind]:
            failures.append(f"{argument}: {kinds}")
for text in failures:
    print("FAIL", text)
sys.exit(1 if failures else 0)
