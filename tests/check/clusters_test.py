# SPDX-License-Identifier: Apache-2.0
"""clusters.cu under `lockstep check`: what is wrong in each kernel is reported by its kind and with the way on, its right
twin is not; nor are programs of tests/cudart that use clusters. Deadlocks name every waiter."""
import json
import os
import subprocess
import sys
import tempfile

lockstep = os.environ["LOCKSTEP"]
source = os.environ["SOURCE_DIR"]
failures = []
# kind, words of the message, words of what is missing
expected = {
    "race": ("shared-race", "by different blocks of the cluster", "cluster.sync()"),
    "stores": ("shared-race", "by different blocks of the cluster", "cluster.sync()"),
    "ends": ("peer-lifetime", "nothing keeps it from having ended", "cluster.sync() before the end"),
    "bytes": ("peer-lifetime", "nothing keeps it from having ended", "cluster.sync() before the end"),
    "begins": ("peer-lifetime", "nothing says that the block has begun", "cluster.sync() before the first"),
    "bounds": ("out-of-bounds", "at offset 256 of shared memory of block 1 of the cluster", "a test of the index"),
    "misaligned": ("misaligned", "at offset 0x4 of another block's shared memory, which is no multiple of 8", "a multiple of 8"),
    "sent": ("shared-race", "by different blocks of the cluster", "an mbarrier"),
    "boxes": ("shared-race", "nobody has waited for the copy to be done", "a wait for the mbarrier's phase"),
    "source": ("shared-race", "nobody has waited for the copy to be done", "a wait for the mbarrier's phase"),
    "message": ("global-race", "by different blocks", "atomics with fences"),
    "acquires": ("global-race", "by different blocks", ""),
    "polls": ("global-race", "by different blocks", "atomics with fences"),
    "sums": ("global-race", "atomic only inside a block or a cluster", "device scope"),
    "narrow": ("global-race", "atomic only inside a block or a cluster", "cluster scope"),
    "block_scoped": ("shared-race", "by different blocks of the cluster, atomic only inside a block", "device scope"),
    "owner_sets": ("volatile-race", "by different blocks of the cluster: volatile", ""),
    "peer_sets": ("volatile-race", "by different blocks of the cluster: volatile", ""),
    "owner_atomic": ("shared-race", "by different blocks of the cluster", "cluster.sync()"),
    "waits": ("barrier-deadlock", "phase of parity 0 of the mbarrier at byte 0 of shared memory: 1 of 3 arrivals are missing",
              "as many arrivals"),
}


def check(*command):
    out = os.path.join(work, "out.json")
    done = subprocess.run([lockstep, "check", "--json", out, "--", *command], capture_output=True, text=True, timeout=120)
    with open(out) as f:
        found = json.load(f)["findings"]
    if done.returncode != bool(found):
        failures.append(f"{command}: exit status {done.returncode}\n{done.stderr}")
    return found


with tempfile.TemporaryDirectory() as work:
    os.environ.update(LOCKSTEP_GPU="h200", LOCKSTEP_CACHE=os.path.join(work, "cache"))
    program = os.path.join(work, "p")
    subprocess.run([lockstep, "cc", "-arch=sm_90", "-lineinfo", "-o", program, f"{source}/tests/check/clusters.cu"], check=True)
    for name, (kind, message, missing) in expected.items():
        found = check(program, name)
        found = [f for f in found if f["severity"] == "error"] or found
        if len(found) != 1 or found[0]["kind"] != kind or message not in found[0]["message"] or missing not in found[0]["missing"]:
            failures.append(f"{name}: {[(f['kind'], f['message'], f['missing']) for f in found]}")
        right = check(program, name, "right")
        if right:
            failures.append(f"{name} right: {[(f['kind'], f['message']) for f in right]}")
        if name == "waits" and not all(w in found[0]["message"] for w in ("block (0,0,0)", "block (1,0,0)", "the cluster's barrier")) \
                and not all(w in found[0]["message"] for w in ("block (2,0,0)", "block (3,0,0)", "the cluster's barrier")):
            failures.append(f"waits: {found[0]['message']}")
    subprocess.run([lockstep, "cc", "-arch=sm_90", "-o", program, f"{source}/tests/cudart/clusters.cu"], check=True)
    found = [f for f in check(program) if f["severity"] == "error" and f["kind"] != "api-error"]
    if found:
        failures.append(f"tests/cudart/clusters.cu: {[(f['kind'], f['message']) for f in found]}")
for text in failures:
    print("FAIL", text)
sys.exit(bool(failures))
