# SPDX-License-Identifier: Apache-2.0
"""own.cu under `lockstep check`: what is wrong with local memory is found, nothing else, and results are right."""
import watched

WANTED = {
    ("bad_some", "uninitialized"),
    ("bad_unset", "uninitialized"),
    ("bad_index_load", "out-of-bounds"),
    ("bad_index_store", "out-of-bounds"),
}
watched.expect("own.cu", WANTED, never="wrong")
