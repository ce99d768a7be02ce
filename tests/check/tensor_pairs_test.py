# SPDX-License-Identifier: Apache-2.0
"""tensor_pairs.cu under `lockstep check`: nothing of the right way of two blocks, and the early read."""
import os

import watched

os.environ["LOCKSTEP_CC"] = "10.0"
watched.expect("tensor_pairs.cu", {("bad_early", "tcgen05-misuse")}, "wrong")
