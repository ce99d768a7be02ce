/* SPDX-License-Identifier: Apache-2.0
 *
 * Sparse matrix times vector, a warp a row: 32 lanes take the row's values side by side and add
 * their sums through shared memory, so that loads of values and columns are neighbouring words.
 * Good for long rows; short ones leave most lanes idle. (No shuffle: they came with 3.0.)
 *
 * systems: B5
 * title: CSR, a warp a row
 * rung: 2
 * sizes: 0 1 17 100x33 1000 5000
 * check: 17 100x33
 * bench: 20000
 * gpu: 4194304 --matrix random; 4194304 --matrix banded; 4194304 --matrix power
 */
#include "spmv.h"

enum { LANES = 32 };

__global__ void
multiply(int rows, const float *data, const int *col, const int *row_ptr, const float *x, float *y)
{
    __shared__ float sums[THREADS];
    int lane = threadIdx.x % LANES, row = (blockIdx.x * THREADS + threadIdx.x) / LANES;
    float sum = 0;
    if (row < rows)
        for (int k = row_ptr[row] + lane; k < row_ptr[row + 1]; k += LANES)
            sum += data[k] * x[col[k]];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = LANES / 2; half; half /= 2) {
        if (lane < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (lane == 0 && row < rows)
        y[row] = sums[threadIdx.x];
}

static void
launch(const struct spmv_device *m, const float *x, float *y)
{
    multiply<<<suite_div_up(m->rows, THREADS / LANES), THREADS>>>(m->rows, m->data, m->col,
                                                                  m->row_ptr, x, y);
}

int
main(int argc, char **argv)
{
    const struct spmv_kernel k = {"spmv/vector", "CSR, a warp a row", NULL, launch, NULL};
    return spmv_main(&k, argc, argv);
}
