# SPDX-License-Identifier: Apache-2.0
"""docs/clients.md: tinygrad."""
import numpy as np
from tinygrad import Tensor

a, b = np.arange(96, dtype="float32").reshape(8, 12), np.arange(60, dtype="float32").reshape(12, 5)
print("right" if np.array_equal((Tensor(a) @ Tensor(b)).numpy(), a @ b) else "WRONG")
