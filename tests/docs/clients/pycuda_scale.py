# SPDX-License-Identifier: Apache-2.0
"""docs/clients.md: PyCUDA."""
import numpy as np
import pycuda.autoinit
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

scale = SourceModule("__global__ void scale(float *x, float k) { x[threadIdx.x] *= k; }").get_function("scale")
a = np.arange(96, dtype="float32")
x = gpuarray.to_gpu(a)
scale(x, np.float32(3), block=(96, 1, 1))
print("right" if np.array_equal(x.get(), 3 * a) and (x + x).get()[95] == 570 else "WRONG")
