/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory read in a permuted order: thread t of each half-warp reads word (5 t + number) % 16
 * of its sixteen. Every bank has one reader: as fast as in order, on every generation.
 *
 * systems: A7
 * title: permutations: no conflict
 * rung: 2
 * sizes: 0 1 17 100 1000 3001
 * check: 17 1100
 */
#include "banks.h"

__global__ void
read_permuted(float *out, const float *in, int n, int number)
{
    __shared__ float words[WORDS];
    banks_bring(words, in, n);
    for (int i = threadIdx.x; i < WORDS; i += THREADS)
        banks_keep(out, i, words[(i & ~15) + (5 * i + number) % 16], n);
}

static int
place(int i, int number)
{
    return (i & ~15) + (5 * i + number) % 16;
}

int
main(int argc, char **argv)
{
    const struct banks_pattern p = {
        "banks/permutation", "shared memory by permutations", 0, 15, place, read_permuted, "shift"};
    return banks_main(&p, argc, argv);
}
