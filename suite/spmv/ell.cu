/* SPDX-License-Identifier: Apache-2.0
 *
 * Sparse matrix times vector, rows of equal length (ELL) stored by columns, and what is longer than
 * WIDTH values left to a second kernel that goes through it by rows. A thread a row again, but the
 * first values of all rows are neighbours, and so are the second ones: every load is coalesced.
 *
 * systems: B5
 * title: padded rows by columns (ELL), the rest as CSR
 * rung: 3
 * sizes: 0 1 17 100x33 1000 5000
 * check: 17 100x33
 * bench: 20000
 */
#include "spmv.h"

enum { WIDTH = 8 };

static struct {
    int *col; /* WIDTH x rows; -1: padding */
    float *data;
    int *long_rows, long_count; /* rows with more than WIDTH values */
} ell;

__global__ void
multiply(int rows, const float *data, const int *col, const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int k = 0; k < WIDTH; k++) {
        int from = col[k * rows + row];
        if (from >= 0)
            sum += data[k * rows + row] * x[from];
    }
    y[row] = sum;
}

/* A block a long row, from its value WIDTH on. */
__global__ void
add_rest(const int *long_rows, const float *data, const int *col, const int *row_ptr,
         const float *x, float *y)
{
    __shared__ float sums[THREADS];
    int row = long_rows[blockIdx.x], t = threadIdx.x;
    float sum = 0;
    for (int k = row_ptr[row] + WIDTH + t; k < row_ptr[row + 1]; k += THREADS)
        sum += data[k] * x[col[k]];
    sums[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half; half /= 2) {
        if (t < half)
            sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0)
        y[row] += sums[0];
}

static void
prepare(const struct sparse *m)
{
    size_t words = (size_t)WIDTH * m->rows;
    int *col = suite_host<int>(words), *long_rows = suite_host<int>(m->rows), count = 0;
    float *data = suite_host<float>(words);
    for (int row = 0; row < m->rows; row++) {
        int first = m->row_ptr[row], length = m->row_ptr[row + 1] - first;
        for (int k = 0; k < WIDTH; k++) {
            size_t at = (size_t)k * m->rows + row;
            col[at] = k < length ? m->col[first + k] : -1;
            data[at] = k < length ? m->data[first + k] : 0;
        }
        if (length > WIDTH)
            long_rows[count++] = row;
    }
    ell.col = suite_upload(col, words);
    ell.data = suite_upload(data, words);
    ell.long_rows = suite_upload(long_rows, count);
    ell.long_count = count;
    suite_free_host(col, data, long_rows);
}

static void
launch(const struct spmv_device *m, const float *x, float *y)
{
    multiply<<<suite_div_up(m->rows, THREADS), THREADS>>>(m->rows, ell.data, ell.col, x, y);
    if (ell.long_count)
        add_rest<<<ell.long_count, THREADS>>>(ell.long_rows, m->data, m->col, m->row_ptr, x, y);
}

static void
release(void)
{
    suite_free_device(ell.col, ell.data, ell.long_rows);
}

int
main(int argc, char **argv)
{
    const struct spmv_kernel k = {"spmv/ell", "ELL and CSR", prepare, launch, release};
    return spmv_main(&k, argc, argv);
}
