/* SPDX-License-Identifier: Apache-2.0
 *
 * A block reads another block's shared memory: block 0 puts the address of a shared variable into
 * global memory and stays until all others have read through it. On a GPU the address means a place
 * in shared memory of whoever uses it: each block finds its own words, and those nobody has
 * written.
 *
 * systems: A2
 * title: reading another block's shared memory
 * rung: 31
 * sizes: 1 2 17 100 300
 * check: 3
 * expect: volatile-race, wrong-space
 * result: either
 */
#include "../common/suite.h"

enum { THREADS = 32 };

__global__ void
read_other(int *volatile *where, volatile int *done, int *out)
{
    __shared__ int words[THREADS];
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        words[t] = 42;
        __syncthreads();
        if (t == 0) {
            *where = words;
            for (int i = 1; i < gridDim.x; i++)
                while (!done[i])
                    ;
        }
        out[t] = words[t];
    } else {
        while (!*where)
            ;
        out[blockIdx.x * THREADS + t] = (*where)[t];
        __syncthreads();
        if (t == 0)
            done[blockIdx.x] = 1;
    }
}

int
main(int argc, char **argv)
{
    struct suite s = suite_begin("spaces/other_block_wrong", "another block's shared memory", 2,
                                 NULL, 0, argc, argv);
    int blocks = s.size[0] ? s.size[0] : 1, count = THREADS * blocks;
    int **where = suite_device<int *>(1), *out = suite_device<int>(count);
    int *done = suite_device<int>(blocks);
    int *found = suite_host<int>(count), *right = suite_host<int>(count);
    for (int i = 0; i < count; i++)
        right[i] = 42;
    CHECK(cudaMemset(where, 0, sizeof *where));
    CHECK(cudaMemset(done, 0, blocks * sizeof *done));
    read_other<<<blocks, THREADS>>>(where, done, out);
    CHECK(cudaGetLastError());
    suite_download(found, out, count);
    suite_compare_equal(&s, "out", found, right, count);
    suite_free_device(where, done, out);
    suite_free_host(found, right);
    return suite_end(&s);
}
