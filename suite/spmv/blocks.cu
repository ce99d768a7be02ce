/* SPDX-License-Identifier: Apache-2.0
 *
 * Sparse matrix times vector, the top rung: values are divided among blocks, VALUES each, however
 * long the rows are. A block loads its values and columns as vectors, puts the products into shared
 * memory (a word of padding every 32), then adds them row by row, with as many lanes a row as its
 * rows leave; long rows are put off and get a warp each. Where a row crosses from one block to the
 * next, the later block puts its part aside and a second, small launch adds those parts in order.
 *
 * Which row a block begins in is looked up once for a matrix (prepare), as a library's analysis
 * phase does. Where a block has 16 KB of shared memory (1.x), it gets half as many values.
 *
 * systems: B5
 * title: CSR, equal shares of values a block
 * since: 3.0 shuffles
 * rung: 4
 * sizes: 0 1 17 100x33 1000 5000
 * check: 17 100x33
 * bench: 20000
 * gpu: 4194304 --matrix random; 4194304 --matrix banded; 4194304 --matrix power
 */
#include "spmv.h"

/* LONG: values of a row that a lane adds up alone. */
template <int VALUES_, int BLOCK_, int LONG_>
struct shape {
    enum { VALUES = VALUES_, BLOCK = BLOCK_, LONG = LONG_ };
};

/* Rows of very different length want large shares, and L1 for the columns that many of them ask
 * for: two blocks of 7168 values stay below 64 KB of shared memory an SM. On an H200 0.541 ms
 * instead of 0.566 for 70 million values by a power law, but 0.199 instead of 0.174 for a band. */
typedef shape<4096, 512, 48> large;
typedef shape<7168, 1024, 32> uneven;
typedef shape<2048, 256, 48> small;

static int *first_row; /* blocks + 1: the row that holds a block's first value */
static float *carried; /* blocks: the sum for that row where it began in an earlier block */
static int blocks;
static enum { SMALL, LARGE, UNEVEN } form; /* for this matrix on this device */

static __device__ __forceinline__ int
padded(int k)
{
    return k + k / 32;
}

template <typename S>
static __device__ __forceinline__ void
products(float *sums, const float *data, const int *col, const float *x, int begin, int count)
{
#pragma unroll
    for (int i = 0; i < S::VALUES; i += 4 * S::BLOCK) {
        int k = i + 4 * threadIdx.x;
        if (k + 4 <= count) {
            float4 v = __ldcs((const float4 *)(data + begin + k));
            int4 c = __ldcs((const int4 *)(col + begin + k));
            sums[padded(k)] = v.x * __ldg(x + c.x);
            sums[padded(k + 1)] = v.y * __ldg(x + c.y);
            sums[padded(k + 2)] = v.z * __ldg(x + c.z);
            sums[padded(k + 3)] = v.w * __ldg(x + c.w);
        } else
            for (int j = k; j < count && j < k + 4; j++)
                sums[padded(j)] = data[begin + j] * x[col[begin + j]];
    }
}

/* A row's sum: in every lane's first neighbour of `lanes`. */
static __device__ __forceinline__ float
add_row(const float *sums, int from, int to, int lane, int lanes)
{
    float sum = 0;
    for (int k = from + lane; k < to; k += lanes)
        sum += sums[padded(k)];
    for (int step = lanes / 2; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    return sum;
}

/* What a block has to know to put a row's sum where it belongs: from, where the row begins. */
struct share {
    float *y, *carried;
    int begin, end, bottom; /* values of this block, its last row */
};

static __device__ __forceinline__ void
put(const struct share &b, int row, int from, float sum)
{
    if (from < b.begin)
        b.carried[blockIdx.x] = sum;
    else if (row < b.bottom || from < b.end || blockIdx.x + 1 == gridDim.x)
        b.y[row] = sum;
}

template <typename S>
__global__ void
__launch_bounds__(S::BLOCK)
    multiply(int count, const float *__restrict__ data, const int *__restrict__ col,
             const int *__restrict__ row_ptr, const int *__restrict__ first_row,
             const float *__restrict__ x, float *__restrict__ y, float *__restrict__ carried)
{
    enum { VALUES = S::VALUES, BLOCK = S::BLOCK, LONG = S::LONG };
    __shared__ float sums[VALUES + VALUES / 32];
    __shared__ int later[VALUES / LONG + 1], laters; /* rows that are worth a warp */
    int begin = blockIdx.x * VALUES, end = min(count, begin + VALUES);
    int top = first_row[blockIdx.x], bottom = first_row[blockIdx.x + 1], lanes = 1;
    struct share b = {y, carried, begin, end, bottom};
    while (lanes < 32 && 2 * lanes * (bottom - top + 1) <= BLOCK)
        lanes *= 2;
    int lane = threadIdx.x % lanes, row = top + threadIdx.x / lanes, last = max(bottom, 0);
    /* The row's ends are asked for before the values: both are needed at the same time. */
    int from = row_ptr[min(row, last)], to = row_ptr[min(row + 1, last + 1)];
    if (threadIdx.x == 0) {
        laters = 0;
        if (row_ptr[top] >= begin)
            carried[blockIdx.x] = 0;
    }
    products<S>(sums, data, col, x, begin, end - begin);
    __syncthreads();
    for (int first = top; first <= bottom; first += BLOCK / lanes) {
        if (first != top) {
            row = first + threadIdx.x / lanes;
            from = row_ptr[min(row, last)];
            to = row_ptr[min(row + 1, last + 1)];
        }
        int low = max(from, begin) - begin, high = row <= bottom ? min(to, end) - begin : low;
        bool is_long = high - low > LONG * lanes;
        float sum = add_row(sums, low, is_long ? low : high, lane, lanes);
        if (lane == 0 && is_long)
            later[atomicAdd(&laters, 1)] = row;
        else if (lane == 0 && row <= bottom)
            put(b, row, from, sum);
    }
    __syncthreads();
    for (int i = threadIdx.x / 32; i < laters; i += BLOCK / 32) {
        int at = later[i], low = row_ptr[at], high = min(row_ptr[at + 1], end);
        float sum = add_row(sums, max(low, begin) - begin, high - begin, threadIdx.x % 32, 32);
        if (threadIdx.x % 32 == 0)
            put(b, at, low, sum);
    }
}

/* The first block of those that go on with one row adds what all of them carried. */
__global__ void
add_carried(int blocks, const int *first_row, const float *carried, float *y)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks || (b > 0 && first_row[b - 1] == first_row[b]))
        return;
    float sum = 0;
    for (int k = b; k < blocks && first_row[k] == first_row[b]; k++)
        sum += carried[k];
    if (sum != 0)
        y[first_row[b]] += sum;
}

/* UNEVEN where the longest row has eight times the average. */
static void
choose(const struct sparse *m)
{
    int longest = 0;
    for (int row = 0; row < m->rows; row++) {
        int length = m->row_ptr[row + 1] - m->row_ptr[row];
        longest = length > longest ? length : longest;
    }
    form = !suite_fits(multiply<large>, large::BLOCK, 0) ? SMALL
           : (int64_t)longest * m->rows > 8 * (int64_t)m->count &&
                   suite_fits(multiply<uneven>, uneven::BLOCK, 0)
               ? UNEVEN
               : LARGE;
}

static void
prepare(const struct sparse *m)
{
    choose(m);
    int values = form == UNEVEN ? uneven::VALUES : form == LARGE ? large::VALUES : small::VALUES;
    blocks = m->count ? suite_div_up(m->count, values) : 1;
    int *host = suite_host<int>(blocks + 1);
    for (int row = 0, b = 0; row < m->rows; row++)
        for (; b < blocks && (int64_t)b * values < m->row_ptr[row + 1]; b++)
            host[b] = b ? row : 0; /* the first one has the empty rows at the top, too */
    host[blocks] = m->rows - 1;
    first_row = suite_upload(host, blocks + 1);
    carried = suite_device<float>(blocks);
    free(host);
}

template <typename S>
static void
launch_shape(const struct spmv_device *m, const float *x, float *y)
{
    multiply<S><<<blocks, S::BLOCK>>>(m->count, m->data, m->col, m->row_ptr, first_row, x, y,
                                      carried);
    add_carried<<<suite_div_up(blocks, S::BLOCK), S::BLOCK>>>(blocks, first_row, carried, y);
}

static void
launch(const struct spmv_device *m, const float *x, float *y)
{
    if (form == UNEVEN)
        launch_shape<uneven>(m, x, y);
    else if (form == LARGE)
        launch_shape<large>(m, x, y);
    else
        launch_shape<small>(m, x, y);
}

static void
release(void)
{
    suite_free_device(first_row, carried);
}

int
main(int argc, char **argv)
{
    const struct spmv_kernel k = {"spmv/blocks", "equal shares of values a block", prepare, launch,
                                  release};
    return spmv_main(&k, argc, argv);
}
