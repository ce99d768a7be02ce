/* SPDX-License-Identifier: Apache-2.0
 *
 * As much shared memory as the device gives at all: from 7.0 on a kernel gets more than 48 KB when
 * cudaFuncSetAttribute asks for it first. The program asks the device for both limits and uses the
 * larger one: a part is as many floats as fit, and threads walk over it.
 *
 * systems: C5
 * title: more than the default limit, by opting in
 * rung: 4
 * sizes: 0 1 17 1000 20000 100003
 * check: 17 300
 */
#include "reverse.h"

__global__ void
reverse(const float *in, float *out, int n, int part)
{
    extern __shared__ float s[];
    int first = blockIdx.x * part, count = min(part, n - first);
    for (int k = threadIdx.x; k < count; k += blockDim.x)
        s[k] = in[first + k];
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += blockDim.x)
        out[first + k] = s[count - 1 - k];
}

static int
part_size(void)
{
    int usual = 0, most = 0;
    CHECK(cudaDeviceGetAttribute(&usual, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    /* Parameters lie in shared memory on 1.x: some room is left. */
    return ((most > usual ? most : usual) - 256) / (int)sizeof(float);
}

static void
launch(const float *in, float *out, int n)
{
    int part = part_size(), bytes = part * (int)sizeof(float);
    CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    reverse<<<suite_div_up(n, part), BLOCK, bytes>>>(in, out, n, part);
}

int
main(int argc, char **argv)
{
    return reverse_main("shared_size/optin", "as much shared memory as there is", part_size(),
                        launch, argc, argv);
}
