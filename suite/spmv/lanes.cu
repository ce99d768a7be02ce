/* SPDX-License-Identifier: Apache-2.0
 *
 * Sparse matrix times vector, as many lanes a row as its rows are long on average: the rung between
 * a thread and a warp a row; sums by shuffle.
 *
 * systems: B5
 * title: CSR, as many lanes a row as it needs on average
 * since: 3.0 shuffles
 * rung: 3
 * sizes: 0 1 17 100x33 1000 5000
 * check: 17 100x33
 * bench: 20000
 * gpu: 4194304 --matrix random; 4194304 --matrix banded; 4194304 --matrix power
 */
#include "spmv.h"

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef MORE
#define MORE 2 /* values a lane, about */
#endif

template <int LANES>
__global__ void
__launch_bounds__(BLOCK) multiply(int rows, const float *data, const int *col, const int *row_ptr,
                                  const float *x, float *y)
{
    int lane = threadIdx.x % LANES, row = (blockIdx.x * BLOCK + threadIdx.x) / LANES;
    int end = row < rows ? row_ptr[row + 1] : 0;
    float sum = 0;
    for (int k = row < rows ? row_ptr[row] + lane : 0; k < end; k += LANES)
        sum += __ldcs(data + k) * __ldg(x + __ldcs(col + k));
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0 && row < rows)
        y[row] = sum;
}

template <int LANES>
static void
launch_lanes(const struct spmv_device *m, const float *x, float *y)
{
    int each = m->count / m->rows;
    if (LANES < 32 && MORE * LANES < each)
        launch_lanes < LANES<32 ? 2 * LANES : 32>(m, x, y);
    else
        multiply<LANES><<<suite_div_up(m->rows, BLOCK / LANES), BLOCK>>>(m->rows, m->data, m->col,
                                                                         m->row_ptr, x, y);
}

static void
launch(const struct spmv_device *m, const float *x, float *y)
{
    launch_lanes<1>(m, x, y);
}

int
main(int argc, char **argv)
{
    const struct spmv_kernel k = {"spmv/lanes", "as many lanes a row as it needs", NULL, launch,
                                  NULL};
    return spmv_main(&k, argc, argv);
}
