/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks that count on their order: each reads what the block before it has written. That is right
 * as long as they happen to run one after the other; on a wide device they run at the same time,
 * and nobody promised an order on a narrow one.
 *
 * systems: B7
 * title: a block that needs the block before it
 * rung: 30
 * sizes: 1 8 17 100 1000
 * check: 8
 * expect: global-race
 * result: either
 */
#include "scalability.h"

__global__ void
chain(int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = (blockIdx.x ? out[i - THREADS] : 0) + 1;
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin("scalability/order_wrong", "blocks that count on their order", 8,
                                 NULL, 0, argc, argv);
    int blocks = s.size[0], count = blocks * THREADS;
    int *out = suite_device<int>(count), *found = suite_host<int>(count);
    int *right = suite_host<int>(count);
    for (int i = 0; i < count; i++)
        right[i] = i / THREADS + 1;
    if (blocks)
        SUITE_TIME_AFTER(&s, CHECK(cudaMemset(out, 0, count * sizeof *out)),
                         chain<<<blocks, THREADS>>>(out));
    suite_download(found, out, count);
    suite_compare_equal(&s, "out", found, right, count);
    CHECK(cudaFree(out));
    suite_free_host(found, right);
    return suite_end(&s);
}
