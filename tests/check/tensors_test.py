# SPDX-License-Identifier: Apache-2.0
"""tensors.cu under `lockstep check`: every bad_ kernel is reported with its kind, and no good_ one; what ends
the device says why."""
import sys

import watched

watched.expect("tensors.cu", {
    ("bad_load_no_wait", "shared-race"),
    ("bad_load_bounds", "out-of-bounds"),
    ("bad_load_unset", "uninitialized"),
    ("bad_stored", "uninitialized"),
    ("bad_store_overwritten", "shared-race"),
    ("bad_stores_by_warp", "global-race"),
    ("bad_store_no_fence", "missing-proxy-fence"),
    ("bad_store_bounds", "out-of-bounds"),
    ("bad_map_stored", "missing-proxy-fence"),
    ("bad_map_replaced", "missing-proxy-fence"),
})
for word, said in (("expected", "deadlock"), ("misaligned", "not aligned to 128")):
    findings, done = watched.run("tensors.cu", "1", word)
    if not any(said in str(f) for f in findings):
        sys.exit("%s: %s\n%s" % (word, findings, done.stdout + done.stderr))
