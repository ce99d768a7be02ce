/* SPDX-License-Identifier: Apache-2.0
 *
 * More blocks than a grid has in x: up to 2.x that is 65535. The grid is folded, what does not fit
 * into x goes on in y, and the kernel puts the block's number together again. Asks the device for
 * its limit instead of knowing it.
 *
 * systems: A1
 * title: a grid folded where x is too short
 * rung: 2
 * sizes: 0 1 17 100 100003 2100001
 * check: 17 300
 * bench: 2100001
 */
#include "../common/suite.h"

enum { THREADS = 32 }; /* few, so that there are many blocks */

__global__ void
count(int *out, int n)
{
    int i = (blockIdx.y * gridDim.x + blockIdx.x) * THREADS + threadIdx.x;
    if (i < n)
        out[i] = i;
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin("limits/folded", "a folded grid", 1000, NULL, 0, argc, argv);
    int n = s.size[0], blocks = suite_div_up(n, THREADS), most = s.device.maxGridSize[0];
    int *out = suite_device<int>(n), *found = suite_host<int>(n), *right = suite_host<int>(n);
    dim3 grid(blocks < most ? blocks : most, blocks < most ? 1 : suite_div_up(blocks, most));
    for (int i = 0; i < n; i++)
        right[i] = i;
    if (n)
        SUITE_TIME(&s, count<<<grid, THREADS>>>(out, n));
    suite_download(found, out, n);
    suite_compare_equal(&s, "count", found, right, n);
    suite_say(&s, "%d blocks: a grid of %u x %u\n", blocks, grid.x, grid.y);
    suite_figure(&s, "blocks", blocks);
    CHECK(cudaFree(out));
    suite_free_host(found, right);
    return suite_end(&s);
}
