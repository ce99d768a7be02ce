# SPDX-License-Identifier: Apache-2.0
"""tile.cu under `lockstep check`: what is wrong between two barriers is found, and nothing else."""
import watched

WANTED = {
    ("bad_neighbours_word", "shared-race"),
    ("bad_hand_out", "shared-race"),
    ("bad_swap", "shared-race"),
    ("bad_rows", "shared-race"),
    ("bad_gather_bounds", "out-of-bounds"),
    ("bad_gather_unset", "uninitialized"),
    ("bad_scatter_same", "shared-race"),
    ("bad_histogram_order", "shared-race"),
    ("bad_histogram_unset", "uninitialized"),
    ("bad_tree", "shared-race"),
}
watched.expect("tile.cu", WANTED)
