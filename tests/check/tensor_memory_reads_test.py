# SPDX-License-Identifier: Apache-2.0
"""tensor_memory_reads.cu under `lockstep check`: every bad_ kernel with its kind, and in which functions the two
accesses are; no good_ one."""
import os
import re
import sys

import watched

STORE, COPY = "fill", "bulk_load"
WANTED = {
    ("bad_ws", "shared-race", STORE, "multiply_ws"),
    ("bad_sparse", "shared-race", STORE, "multiply_sparse"),
    ("bad_copied", "shared-race", STORE, "copy_rows"),
    ("bad_refilled", "shared-race", STORE, "multiply"),
    ("bad_refilled_by_copies", "shared-race", COPY, "multiply"),
    ("bad_untold", "shared-race", STORE, "multiply"),
    ("bad_other_commits", "shared-race", STORE, "multiply"),
    ("bad_no_fence", "missing-proxy-fence", "multiply", STORE),
    ("bad_early", "shared-race", "multiply", COPY),
    ("bad_unset", "uninitialized", "multiply", None),
    ("bad_map_a", "tcgen05-misuse", "multiply", "box_load"),
    ("bad_map_b", "tcgen05-misuse", "multiply", "box_load"),
    ("bad_map_base", "tcgen05-misuse", "multiply", "box_load"),
    ("bad_map_rows", "tcgen05-misuse", "copy_rows", "box_load"),
}
MESSAGES = {
    "bad_refilled": "nobody has waited for the mbarrier of the tcgen05.commit",
    "bad_refilled_by_copies": "no tcgen05.commit stands between",
    "bad_untold": "the thread has not waited for the mbarrier of the tcgen05.commit, others have",
    "bad_map_a": "A is read with a swizzle of 16 bytes, and was copied with one of 32",
    "bad_map_b": "B is read with a swizzle of 16 bytes, and was copied with one of 32",
    "bad_map_base": "B is read with base offset 1",
    "bad_map_rows": "the matrix is read with a swizzle of 16 bytes",
    "bad_other_commits": "no tcgen05.commit stands between",
}


def function(side):
    """The one that the side's line is in."""
    if not side:
        return None
    with open(side["file"]) as f:
        lines = f.read().split("\n")[:side["line"]]
    return [m.group(1) for m in (re.match(r"(\w+)\(", x) for x in lines) if m][-1]


os.environ["LOCKSTEP_CC"] = "10.0"
for workers in ("1", "2"):
    findings, done = watched.run("tensor_memory_reads.cu", workers)
    found = {(f["kernel"], f["kind"], function(f["access"]), function(f["other"])) for f in findings}
    if found != WANTED or done.returncode != 1 or "wrong" in done.stdout:
        sys.exit("too much: %s\nmissing: %s\nexit status %d\n%s%s"
                 % (found - WANTED, WANTED - found, done.returncode, done.stdout, done.stderr))
    for f in findings:
        if MESSAGES.get(f["kernel"], "") not in f["message"]:
            sys.exit("%s: %s" % (f["kernel"], f["message"]))
