/* SPDX-License-Identifier: Apache-2.0
 *
 * 8-neighbour gather, the lecture's picture: how often one block reads each cell in and around its
 * tile. The kernel does the gather's reads and counts each of them, by cell. --size D: the block
 * has D x D threads (8 in the lecture). Then the share of threads that compute when one is launched
 * for every cell of the halo too, by tile size.
 *
 * systems: C4
 * title: how often each cell is read; utilisation by tile size
 * since: 1.1 atomics in global memory
 * rung: 9
 * sizes: 8 1 2 5 16 22
 * check: 8
 */
#include "../common/suite.h"

__global__ void
count_reads(int *reads, int dim)
{
    int wide = dim + 2;
    for (int v = 0; v <= 2; v++)
        for (int u = 0; u <= 2; u++)
            if (u != 1 || v != 1)
                atomicAdd(&reads[(threadIdx.y + v) * wide + threadIdx.x + u], 1);
}

static int
is_inner(int x, int y, int dim)
{
    return x > 0 && y > 0 && x <= dim && y <= dim;
}

/* By plain counting: which threads of the block have (x, y) as a neighbour. */
static int
readers(int x, int y, int dim)
{
    int n = 0;
    for (int v = y - 1; v <= y + 1; v++)
        for (int u = x - 1; u <= x + 1; u++)
            n += (u != x || v != y) && is_inner(u, v, dim);
    return n;
}

int
main(int argc, char **argv)
{
    struct suite s =
        suite_begin("gather8/reads", "reads of each cell by one block", 8, NULL, 0, argc, argv);
    int dim = s.size[0], wide = dim + 2, sum[2] = {0, 0}, cells[2] = {0, 0};
    if (dim < 1 || dim * dim > s.device.maxThreadsPerBlock) {
        fprintf(stderr, "%s: the block has 1 to %d threads\n", argv[0],
                s.device.maxThreadsPerBlock);
        return 2;
    }
    int *found = suite_host<int>(wide * wide), *right = suite_host<int>(wide * wide);
    int *reads = suite_device<int>(wide * wide);
    SUITE_TIME_AFTER(&s, CHECK(cudaMemset(reads, 0, wide * wide * sizeof(int))),
                     count_reads<<<1, dim3(dim, dim)>>>(reads, dim));
    suite_download(found, reads, wide * wide);
    for (int i = 0; i < wide * wide; i++) {
        int x = i % wide, y = i / wide, inner = is_inner(x, y, dim);
        right[i] = readers(x, y, dim);
        sum[inner] += found[i];
        cells[inner] += found[i] > 0;
        suite_say(&s, x == wide - 1 ? "%4d\n" : "%4d", found[i]);
    }
    suite_compare_equal(&s, "reads", found, right, wide * wide);
    suite_figure(&s, "reads within the tile", sum[1]);
    suite_figure(&s, "cells of the tile to load", dim * dim);
    suite_figure(&s, "reads around the tile", sum[0]);
    suite_figure(&s, "cells around the tile", cells[0]);
    for (int d = 8; d <= 48; d += 4) {
        char name[40];
        snprintf(name, sizeof name, "utilisation, DIM %d, percent", d);
        suite_figure(&s, name, 100.0 * d * d / ((d + 2) * (d + 2)));
    }
    CHECK(cudaFree(reads));
    suite_free_host(found, right);
    return suite_end(&s);
}
