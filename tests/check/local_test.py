# SPDX-License-Identifier: Apache-2.0
"""local.cu under `lockstep check`: local memory that was not written, or is not there, is found beside
what is sure."""
import watched

UNSET = ("bad_beside", "bad_before", "bad_part", "bad_guarded", "bad_branch", "bad_moved")
WANTED = {(name, "uninitialized") for name in UNSET} | {
    ("bad_outside", "out-of-bounds"),
    ("bad_misaligned", "misaligned"),
}
watched.expect("local.cu", WANTED, "wrong")
