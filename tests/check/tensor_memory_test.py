# SPDX-License-Identifier: Apache-2.0
"""tensor_memory.cu under `lockstep check`: every bad_ kernel with its kind and no good_ one."""
import os

import watched

os.environ["LOCKSTEP_CC"] = "10.0"
watched.expect("tensor_memory.cu", {("bad_early", "tcgen05-misuse"), ("bad_uncommitted", "tcgen05-misuse"),
                                    ("bad_given_back", "tcgen05-misuse"),
                                    ("bad_no_wait_ld", "tcgen05-misuse")}, "wrong")
