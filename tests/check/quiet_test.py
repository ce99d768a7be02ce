# SPDX-License-Identifier: Apache-2.0
"""quiet.cu under `lockstep check`: what goes wrong beside memory that is read without a mark is found,
and nothing else, with one worker and with two."""
import sys

import watched

ONE_STREAM = {
    ("bad_gather_bounds", "out-of-bounds"),
    ("bad_run_bounds", "out-of-bounds"),
    ("bad_gather_align", "misaligned"),
    ("bad_in_place", "global-race"),
    ("bad_loaded_pointer", "global-race"),
    ("bad_unset_word", "uninitialized"),
    ("bad_new_memory", "uninitialized"),
    ("bad_unset_copy", "uninitialized"),
    ("bad_constant_bounds", "out-of-bounds"),
}
OTHER_STREAM = {("bad_other_stream", "host-device-race")}

bad = []
for workers, part, wanted in (("1", "0", ONE_STREAM), ("2", "0", ONE_STREAM), ("1", "1", OTHER_STREAM),
                              ("1", "2", OTHER_STREAM)):
    is_so = watched.kinds("quiet.cu", workers, part)
    if is_so != wanted:
        bad.append("%s workers, part %s: too much: %s, missing: %s"
                   % (workers, part, sorted(is_so - wanted), sorted(wanted - is_so)))
sys.exit("\n".join(bad) or 0)
