/* SPDX-License-Identifier: Apache-2.0
 *
 * All blocks in x: runs from 3.0 on; before, a grid has at most 65535 there and the launch is
 * refused.
 *
 * systems: A1
 * title: all blocks in x, whatever the device
 * rung: 30
 * sizes: 1 17 100 100003 2100001
 * check: 17 300
 * bench: 2100001
 * result: either
 */
#include "../common/suite.h"

enum { THREADS = 32 };

__global__ void
count(int *out, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        out[i] = i;
}

int
main(int argc, char **argv)
{
    struct suite s =
        suite_begin("limits/unfolded_wrong", "all blocks in x", 1000, NULL, 0, argc, argv);
    int n = s.size[0];
    int *out = suite_device<int>(n), *found = suite_host<int>(n), *right = suite_host<int>(n);
    for (int i = 0; i < n; i++)
        right[i] = i;
    if (n)
        SUITE_TIME(&s, count<<<suite_div_up(n, THREADS), THREADS>>>(out, n));
    suite_download(found, out, n);
    suite_compare_equal(&s, "count", found, right, n);
    CHECK(cudaFree(out));
    suite_free_host(found, right);
    return suite_end(&s);
}
