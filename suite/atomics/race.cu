/* SPDX-License-Identifier: Apache-2.0
 *
 * The lecture's question: what is in the variable when every thread of the block has stored its own
 * index? Nobody knows: any of them may come last. All that the program can verify is that the value
 * is one of the indices.
 *
 * systems: D7
 * title: all threads store into one shared variable
 * rung: 10
 * sizes: 17 2 33 100 500
 * check: 17 100
 * expect: shared-race
 */
#include "../common/suite.h"

__global__ void
race(int *out)
{
    __shared__ int variable;
    variable = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        *out = variable;
}

/* --size: threads of the block. */
int
main(int argc, char **argv)
{
    struct suite s = suite_begin("atomics/race", "all threads store into one variable", 100, NULL,
                                 0, argc, argv);
    int n = s.size[0], found = -1;
    if (n > s.device.maxThreadsPerBlock)
        n = s.device.maxThreadsPerBlock;
    int *out = suite_device<int>(1);
    if (n)
        SUITE_TIME(&s, race<<<1, n>>>(out));
    suite_download(&found, out, 1);
    suite_expect(&s, n == 0 || (found >= 0 && found < n),
                 "the value is one of the threads' indices");
    suite_figure(&s, "value found, one of many possible", found);
    CHECK(cudaFree(out));
    return suite_end(&s);
}
