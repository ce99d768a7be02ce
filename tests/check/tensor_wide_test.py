# SPDX-License-Identifier: Apache-2.0
"""tensor_wide.cu under `lockstep check`: every bad_ kernel is reported with its kind, and no good_ one; a
mbarrier that expects more bytes than pixels and halo have is waited for without end."""
import os
import sys

import watched

os.environ["LOCKSTEP_CC"] = "10.0"
watched.expect("tensor_wide.cu", {
    ("bad_row_behind", "uninitialized"),
    ("bad_row_behind_128", "uninitialized"),
    ("bad_no_wait", "shared-race"),
    ("bad_no_wait_128", "shared-race"),
    ("bad_halo_bounds", "out-of-bounds"),
    ("bad_halo_bounds_128", "out-of-bounds"),
}, never="map:")
findings, done = watched.run("tensor_wide.cu", "1", "expected")
if not any("deadlock" in str(f) for f in findings):
    sys.exit("%s\n%s" % (findings, done.stdout + done.stderr))
