/* SPDX-License-Identifier: Apache-2.0 */
#include "saxpy.h"

#include <cstdio>

__global__ void
saxpy_kernel(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

static bool
fine(cudaError_t e, const char *what)
{
    if (e != cudaSuccess)
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    return e == cudaSuccess;
}

bool
saxpy(int n, float a, const float *x, float *y)
{
    float *dx = nullptr, *dy = nullptr;
    size_t bytes = n * sizeof(float);
    bool ok = fine(cudaMalloc(&dx, bytes), "cudaMalloc") &&
              fine(cudaMalloc(&dy, bytes), "cudaMalloc") &&
              fine(cudaMemcpy(dx, x, bytes, cudaMemcpyHostToDevice), "copy of x") &&
              fine(cudaMemcpy(dy, y, bytes, cudaMemcpyHostToDevice), "copy of y");
    if (ok) {
        saxpy_kernel<<<(n + 255) / 256, 256>>>(n, a, dx, dy);
        ok = fine(cudaGetLastError(), "launch") &&
             fine(cudaMemcpy(y, dy, bytes, cudaMemcpyDeviceToHost), "copy back");
    }
    cudaFree(dx);
    cudaFree(dy);
    return ok;
}
