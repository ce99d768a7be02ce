/* SPDX-License-Identifier: Apache-2.0
 *
 * Constant memory that kernels read, set by the host, by its initial value, by a copy on the
 * device, or by nobody.
 */
#include <stdio.h>

enum { COUNT = 32 };
__constant__ float copied[COUNT], filled[COUNT], zeros_copied[COUNT], forgotten[COUNT],
    unused[COUNT];
__constant__ float given[4] = {1, 2, 3, 4};
__constant__ int left_0; /* one number may be meant to be 0 */
__constant__ struct settings {
    float scale, shift;
    int count;
} settings;

__global__ void
good_copied(float *out)
{
    out[threadIdx.x] = copied[threadIdx.x] + filled[threadIdx.x] + zeros_copied[threadIdx.x];
}
__global__ void
good_given(float *out)
{
    out[threadIdx.x] = given[threadIdx.x % 4] + left_0;
}
/* The branch is not taken. */
__global__ void
good_unused(float *out, bool use)
{
    out[threadIdx.x] = use ? unused[threadIdx.x] : 0;
}
__global__ void
bad_forgotten(float *out)
{
    out[threadIdx.x] = forgotten[threadIdx.x];
}
__global__ void
bad_settings(float *out)
{
    out[threadIdx.x] *= settings.scale;
}

int
main()
{
    float host[COUNT], *out;
    for (int k = 0; k < COUNT; k++)
        host[k] = (float)k + 1;
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    cudaMemcpyToSymbol(copied, host, sizeof host);
    void *at;
    cudaGetSymbolAddress(&at, filled);
    cudaMemset(at, 0, sizeof filled);
    cudaMemcpyToSymbol(zeros_copied, out, sizeof host, 0, cudaMemcpyDeviceToDevice);
    good_copied<<<1, COUNT>>>(out);
    good_given<<<1, COUNT>>>(out);
    good_unused<<<1, COUNT>>>(out, false);
    bad_forgotten<<<2, COUNT>>>(out); /* both blocks store, too */
    bad_settings<<<1, COUNT>>>(out);
    cudaFree(out);
    return cudaDeviceSynchronize();
}
