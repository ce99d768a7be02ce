# SPDX-License-Identifier: Apache-2.0
"""late.cu under `lockstep check`: what comes late is found, and nothing else."""
import watched

WANTED = {
    ("bad_missing_barrier", "shared-race"),
    ("bad_store_after_loads", "shared-race"),
    ("bad_unwritten", "uninitialized"),
    ("bad_late_write", "global-race"),
    ("bad_past_end", "out-of-bounds"),
    ("bad_neighbour", "global-race"),
    ("bad_unwritten_before_trap", "uninitialized"),
    ("bad_unwritten_before_trap", "api-error"),  # the trap
}
watched.expect("late.cu", WANTED)
