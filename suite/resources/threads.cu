/* SPDX-License-Identifier: Apache-2.0
 *
 * How many blocks a multiprocessor takes, by the size of the block: a kernel with few registers and
 * no shared memory. Small blocks run into the limit of blocks, and leave threads unused; larger
 * ones into the limit of threads: with 1536 of them (2.x) that is 6 blocks of 256 or 3 of 512.
 *
 * systems: B8
 * title: blocks resident, by threads a block
 * rung: 1
 * sizes: 0 1 17 1000 100003
 * check: 17 300
 */
#include "resources.h"

__global__ void
add_one(int *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        at[i]++;
}

int
main(int argc, char **argv)
{
    static const int sizes[] = {32, 64, 128, 192, 256, 384, 512, 768, 1024};
    struct suite s = suite_begin("resources/threads", "blocks resident by their threads", 1000,
                                 NULL, 0, argc, argv);
    int n = s.size[0], added = 0;
    struct cudaFuncAttributes kernel;
    int *at = suite_device<int>(n), *found = suite_host<int>(n), *right = suite_host<int>(n);
    CHECK(cudaFuncGetAttributes(&kernel, (const void *)add_one));
    CHECK(cudaMemset(at, 0, n * sizeof *at));
    resources_heading(&s);
    for (int threads : sizes) {
        int resident = 0;
        char name[40];
        if (threads > s.device.maxThreadsPerBlock)
            continue;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, add_one, threads, 0));
        resources_compare(&s, "add_one", threads, kernel.numRegs, 0, resident);
        snprintf(name, sizeof name, "resident_%d", threads);
        suite_figure(&s, name, resident);
        if (n)
            SUITE_TIME(&s, add_one<<<suite_div_up(n, threads), threads>>>(at, n));
        added += s.repeat + 1;
    }
    suite_say(&s, "\n");
    for (int i = 0; i < n; i++)
        right[i] = added;
    suite_download(found, at, n);
    suite_compare_equal(&s, "at", found, right, n);
    CHECK(cudaFree(at));
    suite_free_host(found, right);
    return suite_end(&s);
}
