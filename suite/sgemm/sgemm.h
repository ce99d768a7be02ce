/* SPDX-License-Identifier: Apache-2.0
 *
 * sgemm.h: how the kernels of this ladder are launched, a thread an element of C.
 */
#ifndef SGEMM_H
#define SGEMM_H

#include "../common/product.h"

enum { SIDE = 16 };

/* Blocks of SIDE x SIDE, x along the rows' numbers. */
template <suite_product_kernel *kernel>
static inline void
launch_rows_along_x(const float *a, const float *b, float *c, int m, int k, int n, int tile)
{
    (void)tile;
    dim3 grid(suite_div_up(m, SIDE), suite_div_up(n, SIDE));
    kernel<<<grid, dim3(SIDE, SIDE)>>>(a, b, c, m, k, n);
}

/* Blocks of tile x tile, x along the columns' numbers, with shared memory for two tiles. */
template <suite_product_kernel *kernel>
static inline void
launch_tiles(const float *a, const float *b, float *c, int m, int k, int n, int tile)
{
    dim3 grid(suite_div_up(n, tile), suite_div_up(m, tile));
    kernel<<<grid, dim3(tile, tile), 2 * tile * tile * sizeof(float)>>>(a, b, c, m, k, n);
}

#endif
