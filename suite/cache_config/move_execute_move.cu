/* SPDX-License-Identifier: Apache-2.0
 *
 * Move, execute, move at three levels. The host moves data to the device, launches, moves results
 * back; the device moves its part from device memory to registers, works, stores; a block moves a
 * tile into shared memory, works on it several times, moves it back. Here a polynomial of degree
 * STEPS - 1 is evaluated by each of the last two, STEPS passes over the block's tile; the program
 * counts the bytes that cross each border.
 *
 * systems: C6
 * title: move, execute, move: host, device, block
 * rung: 3
 * sizes: 0 1 17 1000 100003
 * check: 300
 */
#include "../common/suite.h"

enum { BLOCK = 128, STEPS = 4 };

/* Every step moves from device memory to a register and back. */
__global__ void
device_level(float *at, const float *x, int n, float add)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        at[i] = at[i] * x[i] + add;
}

/* The block moves its tile once, works STEPS times, moves it back. */
__global__ void
block_level(float *at, const float *x, int n, float add)
{
    __shared__ float sum[BLOCK], own[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    sum[t] = i < n ? at[i] : 0;
    own[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int k = 0; k < STEPS; k++)
        sum[t] = sum[t] * own[t] + add;
    __syncthreads();
    if (i < n)
        at[i] = sum[t];
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin("cache_config/move_execute_move", "move, execute, move", 1000,
                                 NULL, 0, argc, argv);
    int n = s.size[0], blocks = suite_div_up(n, BLOCK);
    float *host = suite_host<float>(n), *ones = suite_host<float>(n), *found = suite_host<float>(n);
    double *right = suite_host<double>(n);
    suite_fill(host, n, 1);
    for (int i = 0; i < n; i++) {
        right[i] = ones[i] = 1;
        for (int k = 0; k < STEPS; k++)
            right[i] = right[i] * host[i] + 0.5;
    }
    float *x = suite_upload(host, n), *at = suite_device<float>(n);
    if (n)
        SUITE_TIME_AFTER(&s, suite_to_device(at, ones, n),
                         for (int k = 0; k < STEPS; k++)
                             device_level<<<blocks, BLOCK>>>(at, x, n, 0.5f));
    suite_download(found, at, n);
    suite_compare_floats(&s, "device level", found, right, n, 1e-5);
    if (n)
        SUITE_TIME_AFTER(&s, suite_to_device(at, ones, n),
                         block_level<<<blocks, BLOCK>>>(at, x, n, 0.5f));
    suite_download(found, at, n);
    suite_compare_floats(&s, "block level", found, right, n, 1e-5);
    suite_figure(&s, "bytes host to device", 2.0 * n * sizeof(float));
    suite_figure(&s, "bytes device to host", 1.0 * n * sizeof(float));
    suite_figure(&s, "device memory bytes, device level", 3.0 * STEPS * n * sizeof(float));
    suite_figure(&s, "device memory bytes, block level", 3.0 * n * sizeof(float));
    suite_free_device(x, at);
    suite_free_host(host, ones, found, right);
    return suite_end(&s);
}
