/* SPDX-License-Identifier: Apache-2.0
 *
 * The lecture's sequential listing adds the row's product to y, y[row] += dot, its parallel one
 * assigns. Taken over into the kernel the first form needs a y that was set before: here it is as
 * cudaMalloc gives it, and every launch adds once more.
 *
 * systems: B5
 * title: listing: adds to a y that nobody set
 * rung: 30
 * sizes: 1 17 100x33 1000 5000
 * check: 17 100x33
 * bench: 5000
 * expect: uninitialized leak
 * result: wrong
 */
#include "spmv.h"

static float *unset;

__global__ void
multiply(int rows, const float *data, const int *col, const int *row_ptr, const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int k = row_ptr[row]; k < row_ptr[row + 1]; k++)
            sum += data[k] * x[col[k]];
        y[row] += sum;
    }
}

static void
launch(const struct spmv_device *m, const float *x, float *y)
{
    size_t bytes = m->rows * sizeof *y;
    if (!unset)
        CHECK(cudaMalloc((void **)&unset, bytes));
    multiply<<<suite_div_up(m->rows, THREADS), THREADS>>>(m->rows, m->data, m->col, m->row_ptr, x,
                                                          unset);
    CHECK(cudaMemcpy(y, unset, bytes, cudaMemcpyDeviceToDevice));
}

int
main(int argc, char **argv)
{
    const struct spmv_kernel k = {"spmv/accumulate_lecture", "adds to a y that nobody set", NULL,
                                  launch, NULL};
    return spmv_main(&k, argc, argv);
}
