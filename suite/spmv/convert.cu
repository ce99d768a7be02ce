/* SPDX-License-Identifier: Apache-2.0
 *
 * A dense matrix becomes CSR on the device, in three steps: each row's values are counted, the
 * counts summed up to row pointers by one block, each row's values put in their place. Default: the
 * lecture's 4 x 4 matrix, whose three arrays are shown; other sizes generate one with three zeros
 * in four.
 *
 * systems: B5
 * title: dense to CSR
 * rung: 4
 * sizes: 4 0 1 17x100 100x33 300
 * check: 4 17x100
 * bench: 300
 */
#include "spmv.h"

enum { SCAN = 256 };

__global__ void
count_values(const float *dense, int *row_ptr, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int count = 0;
    for (int j = 0; j < cols; j++)
        count += dense[(size_t)row * cols + j] != 0;
    row_ptr[row + 1] = count;
}

/* Sums of row_ptr[0..i] for every i, by one block, SCAN at a time; row_ptr[0] becomes 0. */
__global__ void
sum_up(int *row_ptr, int rows)
{
    __shared__ int sums[2][SCAN];
    int t = threadIdx.x, before = 0;
    if (t == 0)
        row_ptr[0] = 0;
    for (int first = 1; first <= rows; first += SCAN) {
        int from = 0;
        sums[0][t] = first + t <= rows ? row_ptr[first + t] : 0;
        __syncthreads();
        for (int step = 1; step < SCAN; step *= 2) {
            sums[1 - from][t] = sums[from][t] + (t >= step ? sums[from][t - step] : 0);
            from = 1 - from;
            __syncthreads();
        }
        if (first + t <= rows)
            row_ptr[first + t] = before + sums[from][t];
        before += sums[from][SCAN - 1];
        __syncthreads();
    }
}

__global__ void
place_values(const float *dense, const int *row_ptr, int *col, float *data, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    int at = row_ptr[row];
    for (int j = 0; j < cols; j++) {
        float value = dense[(size_t)row * cols + j];
        if (value != 0) {
            col[at] = j;
            data[at++] = value;
        }
    }
}

static void
convert(const float *dense, const struct spmv_device *m)
{
    int blocks = suite_div_up(m->rows, THREADS);
    count_values<<<blocks, THREADS>>>(dense, m->row_ptr, m->rows, m->cols);
    sum_up<<<1, SCAN>>>(m->row_ptr, m->rows);
    place_values<<<blocks, THREADS>>>(dense, m->row_ptr, m->col, m->data, m->rows, m->cols);
}

int
main(int argc, char **argv)
{
    static const float slide[16] = {3, 0, 1, 0, 0, 0, 0, 0, 0, 2, 4, 1, 1, 0, 0, 1};
    struct suite s = suite_begin("spmv/convert", "dense to CSR", 4, NULL, 0, argc, argv);
    int rows = s.size[0], cols = s.size[1];
    size_t words = (size_t)rows * cols;
    float *host = suite_host<float>(words);
    suite_fill(host, words, 1);
    for (size_t i = 0; i < words; i++)
        if (suite_random(i, 2) % 4)
            host[i] = 0;
    if (rows == 4 && cols == 4)
        memcpy(host, slide, sizeof slide);
    struct sparse right = sparse_from_dense(host, rows, cols);
    struct sparse found = sparse_new(rows, cols, right.count);
    float *dense = suite_upload(host, words);
    struct spmv_device d = {rows,
                            cols,
                            right.count,
                            suite_device<int>(rows + 1),
                            suite_device<int>(right.count),
                            suite_device<float>(right.count)};
    if (rows)
        SUITE_TIME(&s, convert(dense, &d));
    else
        CHECK(cudaMemset(d.row_ptr, 0, sizeof(int)));
    suite_download(found.row_ptr, d.row_ptr, rows + 1);
    suite_download(found.col, d.col, right.count);
    suite_download(found.data, d.data, right.count);
    suite_compare_equal(&s, "row_ptr", found.row_ptr, right.row_ptr, rows + 1);
    suite_compare_equal(&s, "col", found.col, right.col, right.count);
    suite_compare_equal(&s, "data", found.data, right.data, right.count);
    if (found.count <= 32)
        spmv_show(&s, &found);
    spmv_release(&d);
    CHECK(cudaFree(dense));
    sparse_free(&right);
    sparse_free(&found);
    free(host);
    return suite_end(&s);
}
