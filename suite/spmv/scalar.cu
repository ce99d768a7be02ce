/* SPDX-License-Identifier: Apache-2.0
 *
 * Sparse matrix times vector, one thread a row, as the lecture has it. Neighbouring lanes walk
 * along neighbouring rows, whose values lie apart, and a warp takes as long as its longest row.
 *
 * systems: B5
 * title: CSR, one thread a row
 * rung: 1
 * sizes: 0 1 17 100x33 1000 5000
 * check: 17 100x33
 * bench: 20000
 * gpu: 4194304 --matrix random; 4194304 --matrix banded; 4194304 --matrix power
 */
#include "spmv.h"

__global__ void
multiply(int rows, const float *data, const int *col, const int *row_ptr, const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int k = row_ptr[row]; k < row_ptr[row + 1]; k++)
            sum += data[k] * x[col[k]];
        y[row] = sum;
    }
}

static void
launch(const struct spmv_device *m, const float *x, float *y)
{
    multiply<<<suite_div_up(m->rows, THREADS), THREADS>>>(m->rows, m->data, m->col, m->row_ptr, x,
                                                          y);
}

int
main(int argc, char **argv)
{
    const struct spmv_kernel k = {"spmv/scalar", "CSR, a thread a row", NULL, launch, NULL};
    return spmv_main(&k, argc, argv);
}
