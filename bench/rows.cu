/* SPDX-License-Identifier: Apache-2.0
 *
 * The lectures' workloads as CUDA kernels, a kernel a row (rows.h has the list, the sizes and the
 * reference).
 *
 *     lockstep run bench/rows.cu [--row NAME] [--repeat R] [--scale S]
 */
#include "rows.h"

#include <cuda_runtime.h>

enum { TAPS = ROW_TAPS, BOX = ROW_BOX, BLOCK = ROW_BLOCK, TILE = 32, STEPS = 8 };

/* -- products ---------------------------------------------------------------------------------- */

__global__ void
sgemm_naive(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    if (x >= n || y >= n)
        return;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

template <int T>
__global__ void
sgemm_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[T][T], tb[T][T];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * T + tx, y = blockIdx.y * T + ty;
    float sum = 0;
    for (int at = 0; at < n; at += T) {
        ta[ty][tx] = y < n && at + tx < n ? a[y * n + at + tx] : 0;
        tb[ty][tx] = x < n && at + ty < n ? b[(at + ty) * n + x] : 0;
        __syncthreads();
        for (int k = 0; k < T; k++)
            sum += ta[ty][k] * tb[k][tx];
        __syncthreads();
    }
    if (x < n && y < n)
        c[y * n + x] = sum;
}

/* A block of 16 x 16 threads, R x R elements a thread, 16 apart (strided) or side by side. */
template <int R, bool STRIDED>
__global__ void
sgemm_reg(const float *a, const float *b, float *c, int n)
{
    enum { W = 16 * R, D = 16 };
    __shared__ float ta[W][D + 1], tb[D][W];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
    int first_x = blockIdx.x * W, first_y = blockIdx.y * W;
    float sum[R][R] = {};
    for (int at = 0; at < n; at += D) {
        for (int i = t; i < W * D; i += 256) {
            int y = first_y + i / D, x = at + i % D;
            ta[i / D][i % D] = y < n && x < n ? a[y * n + x] : 0;
            y = at + i / W, x = first_x + i % W;
            tb[i / W][i % W] = y < n && x < n ? b[y * n + x] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < D; k++) {
            float pa[R], pb[R];
            for (int i = 0; i < R; i++) {
                pa[i] = ta[STRIDED ? ty + 16 * i : ty * R + i][k];
                pb[i] = tb[k][STRIDED ? tx + 16 * i : tx * R + i];
            }
            for (int i = 0; i < R; i++)
                for (int j = 0; j < R; j++)
                    sum[i][j] += pa[i] * pb[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < R; i++)
        for (int j = 0; j < R; j++) {
            int y = first_y + (STRIDED ? ty + 16 * i : ty * R + i);
            int x = first_x + (STRIDED ? tx + 16 * j : tx * R + j);
            if (x < n && y < n)
                c[y * n + x] = sum[i][j];
        }
}

/* -- transposes -------------------------------------------------------------------------------- */

__global__ void
transpose_naive(const float *in, float *out, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < n && y < n)
        out[x * n + y] = in[y * n + x];
}

template <int PAD>
__global__ void
transpose_tiled(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE + PAD];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        if (x < n && y + j < n)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += blockDim.y)
        if (x < n && y + j < n)
            out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

/* -- averaging filter, convolutions ------------------------------------------------------------ */

__global__ void
avg_global(const float *in, float *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = i == 0 || i == n - 1 ? in[i] : (in[i - 1] + in[i] + in[i + 1]) * (1.0f / 3);
}

/* STEPS iterations a launch: each block recomputes STEPS elements beyond either border. */
__global__ void
avg_temporal(const float *in, float *out, int n)
{
    __shared__ float s[2][BLOCK + 2 * STEPS];
    int first = blockIdx.x * BLOCK - STEPS;
    for (int i = threadIdx.x; i < BLOCK + 2 * STEPS; i += BLOCK)
        s[0][i] = first + i >= 0 && first + i < n ? in[first + i] : 0;
    __syncthreads();
    int now = 0;
    for (int step = 1; step <= STEPS; step++, now ^= 1) {
        for (int i = threadIdx.x + step; i < BLOCK + 2 * STEPS - step; i += BLOCK) {
            int g = first + i;
            s[now ^ 1][i] = g <= 0 || g >= n - 1
                                ? s[now][i]
                                : (s[now][i - 1] + s[now][i] + s[now][i + 1]) * (1.0f / 3);
        }
        __syncthreads();
    }
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = s[now][threadIdx.x + STEPS];
}

__constant__ float taps[TAPS];
__constant__ float box[BOX * BOX];

__global__ void
conv1d_basic(const float *in, float *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0;
    if (i >= n)
        return;
    for (int k = 0; k < TAPS; k++) {
        int at = i + k - TAPS / 2;
        if (at >= 0 && at < n)
            sum += taps[k] * in[at];
    }
    out[i] = sum;
}

__global__ void
conv1d_tiled(const float *in, float *out, int n)
{
    __shared__ float s[BLOCK + TAPS - 1];
    int first = blockIdx.x * BLOCK - TAPS / 2;
    for (int i = threadIdx.x; i < BLOCK + TAPS - 1; i += BLOCK)
        s[i] = first + i >= 0 && first + i < n ? in[first + i] : 0;
    __syncthreads();
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < TAPS; k++)
        sum += taps[k] * s[threadIdx.x + k];
    if (i < n)
        out[i] = sum;
}

__global__ void
conv2d_basic(const float *in, float *out, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    if (x >= n || y >= n)
        return;
    for (int j = 0; j < BOX; j++)
        for (int i = 0; i < BOX; i++) {
            int u = x + i - BOX / 2, v = y + j - BOX / 2;
            if (u >= 0 && u < n && v >= 0 && v < n)
                sum += box[j * BOX + i] * in[v * n + u];
        }
    out[y * n + x] = sum;
}

/* A tile of 20 x 20 inputs for 16 x 16 outputs; 20 x 20 threads, of which 16 x 16 compute. */
__global__ void
conv2d_tile20(const float *in, float *out, int n)
{
    __shared__ float s[20][20];
    int u = blockIdx.x * 16 + threadIdx.x - 2, v = blockIdx.y * 16 + threadIdx.y - 2;
    s[threadIdx.y][threadIdx.x] = u >= 0 && u < n && v >= 0 && v < n ? in[v * n + u] : 0;
    __syncthreads();
    if (threadIdx.x >= 16 || threadIdx.y >= 16)
        return;
    int x = u + 2, y = v + 2;
    float sum = 0;
    for (int j = 0; j < BOX; j++)
        for (int i = 0; i < BOX; i++)
            sum += box[j * BOX + i] * s[threadIdx.y + j][threadIdx.x + i];
    if (x < n && y < n)
        out[y * n + x] = sum;
}

/* 16 x 16 threads; inputs within the tile from shared memory, the halo from global memory. */
__global__ void
conv2d_tile16(const float *in, float *out, int n)
{
    __shared__ float s[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    s[threadIdx.y][threadIdx.x] = x < n && y < n ? in[y * n + x] : 0;
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < BOX; j++)
        for (int i = 0; i < BOX; i++) {
            int u = x + i - BOX / 2, v = y + j - BOX / 2;
            int tu = threadIdx.x + i - BOX / 2, tv = threadIdx.y + j - BOX / 2;
            if (u < 0 || u >= n || v < 0 || v >= n)
                continue;
            sum += box[j * BOX + i] *
                   (tu >= 0 && tu < 16 && tv >= 0 && tv < 16 ? s[tv][tu] : in[v * n + u]);
        }
    if (x < n && y < n)
        out[y * n + x] = sum;
}

/* -- sums of neighbours, differences ----------------------------------------------------------- */

__global__ void
sum3_direct(const float *in, float *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i > 0 && i < n - 1)
        out[i] = in[i - 1] + in[i] + in[i + 1];
    else if (i < n)
        out[i] = in[i];
}

__global__ void
sum3_local(const float *in, float *out, int n)
{
    __shared__ float s[BLOCK + 2];
    int i = blockIdx.x * BLOCK + threadIdx.x, t = threadIdx.x + 1;
    if (i < n)
        s[t] = in[i];
    if (threadIdx.x == 0 && i > 0)
        s[0] = in[i - 1];
    if (threadIdx.x == BLOCK - 1 && i + 1 < n)
        s[BLOCK + 1] = in[i + 1];
    __syncthreads();
    if (i > 0 && i < n - 1)
        out[i] = s[t - 1] + s[t] + s[t + 1];
    else if (i < n)
        out[i] = s[t];
}

__global__ void
fd_direct(const float *in, float *out, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = i + 1 < n ? in[i + 1] - in[i] : 0;
}

__global__ void
fd_local(const float *in, float *out, int n)
{
    __shared__ float s[BLOCK + 1];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        s[threadIdx.x] = in[i];
    if (threadIdx.x == 0 && i + BLOCK < n)
        s[BLOCK] = in[i + BLOCK];
    __syncthreads();
    if (i < n)
        out[i] = i + 1 < n ? s[threadIdx.x + 1] - s[threadIdx.x] : 0;
}

/* -- sparse product, reductions, histograms ---------------------------------------------------- */

__global__ void
spmv_csr(const int *start, const int *column, const float *value, const float *x, float *y,
         int rows)
{
    int r = blockIdx.x * BLOCK + threadIdx.x;
    float sum = 0;
    if (r >= rows)
        return;
    for (int k = start[r]; k < start[r + 1]; k++)
        sum += value[k] * x[column[k]];
    y[r] = sum;
}

__global__ void
reduce_tree(const float *in, float *out, int n)
{
    __shared__ float s[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = BLOCK / 2; step; step /= 2) {
        if (threadIdx.x < step)
            s[threadIdx.x] += s[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

__global__ void
reduce_treemod(const float *in, float *out, int n)
{
    __shared__ float s[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        if (threadIdx.x % (2 * step) == 0)
            s[threadIdx.x] += s[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

__global__ void
reduce_gridstride(const float *in, float *out, int n)
{
    __shared__ float s[BLOCK];
    float sum = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        sum += in[i];
    s[threadIdx.x] = sum;
    __syncthreads();
    for (int step = BLOCK / 2; step; step /= 2) {
        if (threadIdx.x < step)
            s[threadIdx.x] += s[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}

__global__ void
reduce_atomic(const float *in, float *out, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        sum += in[i];
    atomicAdd(out, sum);
}

__global__ void
hist_local(const unsigned char *in, unsigned *out, int n)
{
    __shared__ unsigned s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        atomicAdd(&s[in[i]], 1u);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], s[threadIdx.x]);
}

__global__ void
hist_global(const unsigned char *in, unsigned *out, int n)
{
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        atomicAdd(&out[in[i]], 1u);
}

/* -- costs ------------------------------------------------------------------------------------- */

__global__ void
empty(void)
{
}

/* Each step passes a word on to the thread before: two barriers. */
__global__ void
barriers(const float *in, float *out, int steps)
{
    __shared__ float s[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    s[threadIdx.x] = in[i];
    for (int k = 0; k < steps; k++) {
        __syncthreads();
        float next = s[(threadIdx.x + 1) % BLOCK];
        __syncthreads();
        s[threadIdx.x] = next;
    }
    out[i] = s[threadIdx.x];
}

/* -- the rows ---------------------------------------------------------------------------------- */

static struct device {
    float *a, *b, *c;
    int *start, *column;
    unsigned char *bytes;
    unsigned *bins;
} dev;

static void
check(cudaError_t error, const char *call)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "rows: %s failed: %s\n", call, cudaGetErrorString(error));
    exit(1);
}
#define CHECK(call) check((call), #call)

#define GRID1 ((n + BLOCK - 1) / BLOCK)
#define GRID2(t) dim3((n + (t) - 1) / (t), (n + (t) - 1) / (t))

/* The input stays: the first launch reads a, the others go to and fro between b and c. */
static void
iterate(int launches, void (*kernel)(const float *, float *, int), const float **from, float **to,
        int n)
{
    for (int i = 0; i < launches; i++) {
        kernel<<<GRID1, BLOCK>>>(*from, *to, n);
        *from = *to;
        *to = *to == dev.b ? dev.c : dev.b;
    }
}

/* `turns` launches of the first kernel and `rest` of the second; the last writes c. */
static void
average(void (*kernel)(const float *, float *, int), int turns, int rest, int n)
{
    const float *from = dev.a;
    float *to = (turns + rest) % 2 ? dev.c : dev.b;
    iterate(turns, kernel, &from, &to, n);
    iterate(rest, avg_global, &from, &to, n);
}

static void
launch(enum row_id row, int n)
{
    const float *a = dev.a, *b = dev.b;
    float *c = dev.c;
    switch (row) {
#define CASE(name, ...) case ROW_##name: __VA_ARGS__; break;
    CASE(sgemm_naive, sgemm_naive<<<GRID2(16), dim3(16, 16)>>>(a, b, c, n))
    CASE(sgemm_tiled16, sgemm_tiled<16><<<GRID2(16), dim3(16, 16)>>>(a, b, c, n))
    CASE(sgemm_tiled32, sgemm_tiled<32><<<GRID2(32), dim3(32, 32)>>>(a, b, c, n))
    CASE(sgemm_reg4, sgemm_reg<4, false><<<GRID2(64), dim3(16, 16)>>>(a, b, c, n))
    CASE(sgemm_reg4s, sgemm_reg<4, true><<<GRID2(64), dim3(16, 16)>>>(a, b, c, n))
    CASE(sgemm_reg8, sgemm_reg<8, true><<<GRID2(128), dim3(16, 16)>>>(a, b, c, n))
    CASE(transpose_naive, transpose_naive<<<GRID2(TILE), dim3(32, 32)>>>(a, c, n))
    CASE(transpose_tiled32, transpose_tiled<0><<<GRID2(TILE), dim3(32, 32)>>>(a, c, n))
    CASE(transpose_pad33, transpose_tiled<1><<<GRID2(TILE), dim3(32, 32)>>>(a, c, n))
    CASE(transpose_pad33x8, transpose_tiled<1><<<GRID2(TILE), dim3(32, 8)>>>(a, c, n))
    CASE(avg_global, average(avg_global, ROW_TURNS, 0, n))
    CASE(avg_temporal, average(avg_temporal, ROW_TURNS / STEPS, ROW_TURNS % STEPS, n))
    CASE(conv1d_basic, conv1d_basic<<<GRID1, BLOCK>>>(a, c, n))
    CASE(conv1d_tiled, conv1d_tiled<<<GRID1, BLOCK>>>(a, c, n))
    CASE(spmv_csr, spmv_csr<<<GRID1, BLOCK>>>(dev.start, dev.column, b, a, c, n))
    CASE(reduce_tree, reduce_tree<<<GRID1, BLOCK>>>(a, c, n))
    CASE(reduce_treemod, reduce_treemod<<<GRID1, BLOCK>>>(a, c, n))
    CASE(reduce_gridstride, reduce_gridstride<<<256, BLOCK>>>(a, c, n))
    CASE(reduce_atomic, cudaMemsetAsync(c, 0, 4), reduce_atomic<<<256, BLOCK>>>(a, c, n))
    CASE(hist_local, cudaMemsetAsync(dev.bins, 0, 1024),
         hist_local<<<256, BLOCK>>>(dev.bytes, dev.bins, n))
    CASE(hist_global, cudaMemsetAsync(dev.bins, 0, 1024),
         hist_global<<<256, BLOCK>>>(dev.bytes, dev.bins, n))
    CASE(conv2d_basic, conv2d_basic<<<GRID2(16), dim3(16, 16)>>>(a, c, n))
    CASE(conv2d_tile20, conv2d_tile20<<<GRID2(16), dim3(20, 20)>>>(a, c, n))
    CASE(conv2d_tile16, conv2d_tile16<<<GRID2(16), dim3(16, 16)>>>(a, c, n))
    CASE(sum3_direct, sum3_direct<<<GRID1, BLOCK>>>(a, c, n))
    CASE(sum3_local, sum3_local<<<GRID1, BLOCK>>>(a, c, n))
    CASE(fd_direct, fd_direct<<<GRID1, BLOCK>>>(a, c, n))
    CASE(fd_local, fd_local<<<GRID1, BLOCK>>>(a, c, n))
    CASE(empty_waited, empty<<<1, BLOCK>>>(), cudaDeviceSynchronize())
    CASE(empty_queued, empty<<<1, BLOCK>>>())
    CASE(empty_blocks, empty<<<ROW_MANY_BLOCKS, BLOCK>>>())
    CASE(barriers_none, barriers<<<GRID1, BLOCK>>>(a, c, 0))
    CASE(barriers_many, barriers<<<GRID1, BLOCK>>>(a, c, ROW_BARRIERS / 2))
#undef CASE
    default:
        break;
    }
}

static void
run(const struct row *row, struct row_data *d)
{
    for (int i = 0; i < row->launches; i++)
        launch((enum row_id)(row - row_table), d->n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

static void *
upload(const void *from, size_t bytes)
{
    void *at;
    CHECK(cudaMalloc(&at, bytes ? bytes : 4));
    if (bytes)
        CHECK(cudaMemcpy(at, from, bytes, cudaMemcpyHostToDevice));
    return at;
}

static bool
prepare(const struct row *row, struct row_data *d)
{
    if (row->kind == ROW_COPY || row->kind == ROW_FMA)
        return false;
    bool sparse = row->kind == ROW_SPMV, average = row->kind == ROW_AVERAGE;
    dev.a = (float *)upload(d->a, d->count * 4);
    dev.b = (float *)(average ? upload(d->a, d->count * 4) : upload(d->b, d->count_b * 4));
    dev.c = (float *)upload(d->c, d->count_c * 4);
    dev.start = (int *)upload(d->start, sparse ? (d->count + 1) * 4 : 0);
    dev.column = (int *)upload(d->column, sparse ? d->count_b * 4 : 0);
    dev.bytes = (unsigned char *)upload(d->bytes, row->kind == ROW_HISTOGRAM ? d->n : 0);
    dev.bins = (unsigned *)upload(d->bins, sizeof d->bins);
    CHECK(cudaMemcpyToSymbol(taps, d->taps, sizeof(float) * TAPS));
    CHECK(cudaMemcpyToSymbol(box, d->taps, sizeof d->taps));
    return true;
}

static void
fetch(const struct row *row, struct row_data *d)
{
    (void)row;
    CHECK(cudaMemcpy(d->bins, dev.bins, sizeof d->bins, cudaMemcpyDeviceToHost));
    if (d->count_c)
        CHECK(cudaMemcpy(d->c, dev.c, d->count_c * 4, cudaMemcpyDeviceToHost));
}

static void
release(struct row_data *d)
{
    (void)d;
    void *all[] = {dev.a, dev.b, dev.c, dev.start, dev.column, dev.bytes, dev.bins};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CHECK(cudaFree(all[i]));
}

int
main(int argc, char **argv)
{
    const struct row_program program = {prepare, run, fetch, release};
    return row_main(&program, argc, argv);
}
