/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory whose size the launch says: extern __shared__ in the kernel, bytes as third launch
 * parameter. The block is as large as the device allows, up to 1024 threads: one program for all of
 * them.
 *
 * systems: D3, C5
 * title: dynamic shared memory: size given at launch
 * rung: 2
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300
 */
#include "reverse.h"

__global__ void
reverse(const float *in, float *out, int n)
{
    extern __shared__ float s[];
    int part = blockDim.x, t = threadIdx.x, first = blockIdx.x * part, count = min(part, n - first);
    if (t < count)
        s[t] = in[first + t];
    __syncthreads();
    if (t < count)
        out[first + t] = s[count - 1 - t];
}

static int
block_size(void)
{
    int threads = 0;
    CHECK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0));
    return threads < 1024 ? threads : 1024;
}

static void
launch(const float *in, float *out, int n)
{
    int block = block_size();
    reverse<<<suite_div_up(n, block), block, block * sizeof(float)>>>(in, out, n);
}

int
main(int argc, char **argv)
{
    return reverse_main("shared_size/dynamic", "dynamic shared memory", block_size(), launch, argc,
                        argv);
}
