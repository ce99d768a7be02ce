# SPDX-License-Identifier: Apache-2.0
"""docs/clients.md: Taichi."""
import numpy as np
import taichi as ti

ti.init(arch=ti.cuda, log_level=ti.ERROR)
x = ti.field(ti.f32, 1000)


@ti.kernel
def fill():
    for i in x:
        x[i] = 2 * i


fill()
print("right" if np.array_equal(x.to_numpy(), 2 * np.arange(1000)) else "WRONG")
