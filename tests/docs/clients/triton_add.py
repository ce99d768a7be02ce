# SPDX-License-Identifier: Apache-2.0
"""docs/clients.md: Triton with numpy."""
import numpy as np
import triton
import triton.language as tl

import lockstep.triton as lt


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) + tl.load(y_ptr + at, mask=at < n), mask=at < n)


x = lt.array(np.arange(1000, dtype="float32"))
out = lt.empty(1000)
add[(4, )](x, x, out, 1000, BLOCK=256)
print("right" if np.array_equal(out, 2 * x) else "WRONG")
