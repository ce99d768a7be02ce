/* SPDX-License-Identifier: Apache-2.0
 *
 * The lectures' workloads as one benchmark program, a kernel a row; bench/run.py lays its times beside
 * those of the same kernels in OpenCL and of C. Each row is verified against a loop of C on the same
 * data (except where a row repeats another's result) before it is timed.
 *
 *     lockstep run bench/rows.cu [--row NAME] [--repeat R] [--scale S] [--json]
 *
 * --scale divides the sizes. Sizes at scale 1: products n = 1024; transpose 4096^2; averaging 16 M
 * elements, 50 iterations; 1-D convolution 16 M, 9 taps; SpMV 1 M rows of 16; reductions 64 M floats;
 * histograms 64 M bytes; 2-D convolution 2048^2, 5 x 5; sum of three and differences 64 M.
 */
#include "../suite/common/suite.h"

enum { MI = 1 << 20, TAPS = 9, BOX = 5, BLOCK = 256, TILE = 32, STEPS = 8 };

/* -- products -------------------------------------------------------------------------------------- */

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

/* -- transposes ------------------------------------------------------------------------------------ */

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

/* -- averaging filter, convolutions ------------------------------------------------------------------ */

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
            s[now ^ 1][i] = g <= 0 || g >= n - 1 ? s[now][i]
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

/* -- sums of neighbours, differences ------------------------------------------------------------------ */

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

/* -- sparse product, reductions, histograms ------------------------------------------------------------ */

__global__ void
spmv_csr(const int *start, const int *column, const float *value, const float *x, float *y, int rows)
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

/* -- the rows --------------------------------------------------------------------------------------------- */

enum kind { PRODUCT, TRANSPOSE, AVERAGE, CONV1D, SPMV, REDUCE, HISTOGRAM, CONV2D, SUM3, DIFFERENCE };

struct data {
    int n;              /* elements, or the side of a square */
    float *a, *b, *c;   /* device */
    int *start, *column;
    unsigned char *bytes;
    unsigned *bins;
    float *host_a, *host_b, *host_c;
    unsigned char *host_bytes;
};

#define GRID2(t) dim3((d->n + (t) - 1) / (t), (d->n + (t) - 1) / (t))
#define GRID1 ((d->n + BLOCK - 1) / BLOCK)

static void
iterate(struct data *d, int launches, void (*kernel)(const float *, float *, int))
{
    float *from = d->a, *to = d->c, *spare = d->b;
    for (int i = 0; i < launches; i++) {
        kernel<<<GRID1, BLOCK>>>(from, to, d->n);
        float *next = i ? from : spare; /* the input stays */
        from = to;
        to = next;
    }
    if (from != d->c)
        CHECK(cudaMemcpyAsync(d->c, from, sizeof(float) * d->n, cudaMemcpyDeviceToDevice));
}

#define ROWS(ROW)                                                                                        \
    ROW(sgemm_naive, PRODUCT, (sgemm_naive<<<GRID2(16), dim3(16, 16)>>>(d->a, d->b, d->c, d->n)))        \
    ROW(sgemm_tiled16, PRODUCT, (sgemm_tiled<16><<<GRID2(16), dim3(16, 16)>>>(d->a, d->b, d->c, d->n)))  \
    ROW(sgemm_tiled32, PRODUCT, (sgemm_tiled<32><<<GRID2(32), dim3(32, 32)>>>(d->a, d->b, d->c, d->n)))  \
    ROW(sgemm_reg4, PRODUCT, (sgemm_reg<4, false><<<GRID2(64), dim3(16, 16)>>>(d->a, d->b, d->c, d->n))) \
    ROW(sgemm_reg4s, PRODUCT, (sgemm_reg<4, true><<<GRID2(64), dim3(16, 16)>>>(d->a, d->b, d->c, d->n))) \
    ROW(sgemm_reg8, PRODUCT, (sgemm_reg<8, true><<<GRID2(128), dim3(16, 16)>>>(d->a, d->b, d->c, d->n))) \
    ROW(transpose_naive, TRANSPOSE, (transpose_naive<<<GRID2(32), dim3(32, 32)>>>(d->a, d->c, d->n)))    \
    ROW(transpose_tiled32, TRANSPOSE, (transpose_tiled<0><<<GRID2(32), dim3(32, 32)>>>(d->a, d->c, d->n))) \
    ROW(transpose_pad33, TRANSPOSE, (transpose_tiled<1><<<GRID2(32), dim3(32, 32)>>>(d->a, d->c, d->n))) \
    ROW(transpose_pad33x8, TRANSPOSE, (transpose_tiled<1><<<GRID2(32), dim3(32, 8)>>>(d->a, d->c, d->n))) \
    ROW(avg_global, AVERAGE, (iterate(d, 50, avg_global)))                                               \
    ROW(avg_temporal, AVERAGE, (iterate(d, 50 / STEPS, avg_temporal), iterate_rest(d)))                  \
    ROW(conv1d_basic, CONV1D, (conv1d_basic<<<GRID1, BLOCK>>>(d->a, d->c, d->n)))                        \
    ROW(conv1d_tiled, CONV1D, (conv1d_tiled<<<GRID1, BLOCK>>>(d->a, d->c, d->n)))                        \
    ROW(spmv_csr, SPMV, (spmv_csr<<<GRID1, BLOCK>>>(d->start, d->column, d->b, d->a, d->c, d->n)))       \
    ROW(reduce_tree, REDUCE, (reduce_tree<<<GRID1, BLOCK>>>(d->a, d->c, d->n)))                          \
    ROW(reduce_treemod, REDUCE, (reduce_treemod<<<GRID1, BLOCK>>>(d->a, d->c, d->n)))                    \
    ROW(reduce_gridstride, REDUCE, (reduce_gridstride<<<256, BLOCK>>>(d->a, d->c, d->n)))                \
    ROW(reduce_atomic, REDUCE, (cudaMemsetAsync(d->c, 0, 4), reduce_atomic<<<256, BLOCK>>>(d->a, d->c, d->n))) \
    ROW(hist_local, HISTOGRAM, (cudaMemsetAsync(d->bins, 0, 1024), hist_local<<<256, BLOCK>>>(d->bytes, d->bins, d->n))) \
    ROW(hist_global, HISTOGRAM, (cudaMemsetAsync(d->bins, 0, 1024), hist_global<<<256, BLOCK>>>(d->bytes, d->bins, d->n))) \
    ROW(conv2d_basic, CONV2D, (conv2d_basic<<<GRID2(16), dim3(16, 16)>>>(d->a, d->c, d->n)))             \
    ROW(conv2d_tile20, CONV2D, (conv2d_tile20<<<GRID2(16), dim3(20, 20)>>>(d->a, d->c, d->n)))           \
    ROW(conv2d_tile16, CONV2D, (conv2d_tile16<<<GRID2(16), dim3(16, 16)>>>(d->a, d->c, d->n)))           \
    ROW(sum3_direct, SUM3, (sum3_direct<<<GRID1, BLOCK>>>(d->a, d->c, d->n)))                            \
    ROW(sum3_local, SUM3, (sum3_local<<<GRID1, BLOCK>>>(d->a, d->c, d->n)))                              \
    ROW(fd_direct, DIFFERENCE, (fd_direct<<<GRID1, BLOCK>>>(d->a, d->c, d->n)))                          \
    ROW(fd_local, DIFFERENCE, (fd_local<<<GRID1, BLOCK>>>(d->a, d->c, d->n)))

/* 50 = 6 launches of 8 steps and 2 single ones. */
static void
iterate_rest(struct data *d)
{
    for (int i = 0; i < 50 % STEPS; i++) {
        avg_global<<<GRID1, BLOCK>>>(d->c, d->b, d->n);
        CHECK(cudaMemcpyAsync(d->c, d->b, sizeof(float) * d->n, cudaMemcpyDeviceToDevice));
    }
}

#define FUNCTION(name, kind, work) static void run_##name(struct data *d) { work; }
ROWS(FUNCTION)

static const struct row {
    const char *name;
    enum kind kind;
    void (*run)(struct data *);
} rows[] = {
#define ENTRY(name, kind, work) {#name, kind, run_##name},
    ROWS(ENTRY)};
enum { COUNT = sizeof rows / sizeof *rows };

/* Size by kind, at scale 1: elements, or the side of a square; and what a run moves or computes. */
static const struct {
    int n;
    bool square;
    const char *unit;
    double per_element; /* 1e9 units */
} kinds[] = {
    {1024, true, "GFLOP/s", 2.0 * 1024}, {4096, true, "GB/s", 8}, {16 * MI, false, "GB/s*", 8 * 50},
    {16 * MI, false, "GB/s", 8}, {MI, false, "GB/s", 16 * 8 + 8}, {64 * MI, false, "GB/s", 4},
    {64 * MI, false, "GB/s", 1}, {2048, true, "GFLOP/s", 2.0 * BOX * BOX}, {64 * MI, false, "GB/s", 8},
    {64 * MI, false, "GB/s", 8},
};

/* -- data and references ------------------------------------------------------------------------------------ */

static void
prepare(struct data *d, enum kind kind, int scale)
{
    *d = (struct data){kinds[kind].n / scale};
    if (d->n < 64)
        d->n = 64;
    size_t count = kinds[kind].square ? (size_t)d->n * d->n : d->n;
    size_t more = kind == SPMV ? 16 * count : count;
    d->host_a = (float *)malloc(count * 4);
    d->host_b = (float *)malloc(more * 4);
    d->host_c = (float *)malloc(count * 4);
    suite_fill(d->host_a, count, 1);
    suite_fill(d->host_b, more, 2);
    CHECK(cudaMalloc(&d->a, count * 4));
    CHECK(cudaMalloc(&d->b, more * 4));
    CHECK(cudaMalloc(&d->c, count * 4));
    CHECK(cudaMemcpy(d->a, d->host_a, count * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d->b, d->host_b, more * 4, cudaMemcpyHostToDevice));
    float weights[BOX * BOX];
    suite_fill(weights, BOX * BOX, 3);
    CHECK(cudaMemcpyToSymbol(taps, weights, sizeof(float) * TAPS));
    CHECK(cudaMemcpyToSymbol(box, weights, sizeof weights));
    if (kind == SPMV) {
        CHECK(cudaMallocManaged(&d->start, (count + 1) * 4));
        CHECK(cudaMallocManaged(&d->column, more * 4));
        for (int r = 0; r <= d->n; r++)
            d->start[r] = 16 * r;
        for (size_t k = 0; k < more; k++)
            d->column[k] = (int)((k * 2654435761u >> 7) % d->n);
    }
    if (kind == HISTOGRAM) {
        d->host_bytes = (unsigned char *)malloc(d->n);
        for (int i = 0; i < d->n; i++)
            d->host_bytes[i] = (unsigned char)((i * 2654435761u) >> 15);
        CHECK(cudaMalloc(&d->bytes, d->n));
        CHECK(cudaMalloc(&d->bins, 1024));
        CHECK(cudaMemcpy(d->bytes, d->host_bytes, d->n, cudaMemcpyHostToDevice));
    }
}

static void
release(struct data *d)
{
    free(d->host_a);
    free(d->host_b);
    free(d->host_c);
    free(d->host_bytes);
    cudaFree(d->a);
    cudaFree(d->b);
    cudaFree(d->c);
    cudaFree(d->start);
    cudaFree(d->column);
    cudaFree(d->bytes);
    cudaFree(d->bins);
}

/* Element i of the right result, for the kinds whose elements can be computed one by one. */
static double
expected(const struct data *d, enum kind kind, size_t i)
{
    const float *a = d->host_a, *b = d->host_b;
    int n = d->n, x = (int)(i % n), y = (int)(i / n);
    float weights[BOX * BOX];
    double sum = 0;
    suite_fill(weights, BOX * BOX, 3);
    switch (kind) {
    case PRODUCT:
        for (int k = 0; k < n; k++)
            sum += (double)a[(size_t)y * n + k] * b[(size_t)k * n + x];
        return sum;
    case TRANSPOSE:
        return a[(size_t)x * n + y];
    case CONV1D:
        for (int k = 0; k < TAPS; k++) {
            long at = (long)i + k - TAPS / 2;
            sum += at >= 0 && at < n ? (double)weights[k] * a[at] : 0;
        }
        return sum;
    case CONV2D:
        for (int k = 0; k < BOX * BOX; k++) {
            int u = x + k % BOX - BOX / 2, v = y + k / BOX - BOX / 2;
            sum += u >= 0 && u < n && v >= 0 && v < n ? (double)weights[k] * a[(size_t)v * n + u] : 0;
        }
        return sum;
    case SPMV:
        for (int k = d->start[i]; k < d->start[i + 1]; k++)
            sum += (double)b[k] * a[d->column[k]];
        return sum;
    case SUM3:
        return i == 0 || i == (size_t)n - 1 ? a[i] : (double)a[i - 1] + a[i] + a[i + 1];
    case DIFFERENCE:
        return i + 1 < (size_t)n ? (double)a[i + 1] - a[i] : 0;
    case AVERAGE: { /* 50 steps back: 101 values decide */
        double v[101];
        for (int k = 0; k < 101; k++)
            v[k] = (long)i + k - 50 >= 0 && (long)i + k - 50 < n ? a[(long)i + k - 50] : 0;
        for (int s = 0; s < 50; s++) {
            double before = v[s];
            for (int k = s + 1; k < 100 - s; k++) {
                long g = (long)i + k - 50;
                double here = v[k];
                if (g > 0 && g < n - 1)
                    v[k] = (before + here + v[k + 1]) / 3;
                before = here;
            }
        }
        return v[50];
    }
    default:
        return 0;
    }
}

static bool
right(struct data *d, enum kind kind)
{
    if (kind == HISTOGRAM) {
        unsigned bins[256], want[256] = {};
        CHECK(cudaMemcpy(bins, d->bins, sizeof bins, cudaMemcpyDeviceToHost));
        for (int i = 0; i < d->n; i++)
            want[d->host_bytes[i]]++;
        return memcmp(bins, want, sizeof bins) == 0;
    }
    size_t count = kinds[kind].square ? (size_t)d->n * d->n : d->n;
    CHECK(cudaMemcpy(d->host_c, d->c, count * 4, cudaMemcpyDeviceToHost));
    for (size_t k = 0; k < 2000 && kind != REDUCE; k++) {
        size_t i = k < 100 ? k : k < 200 ? count - 1 - (k - 100) : k * 2654435761u % count;
        double e = expected(d, kind, i);
        if (!(fabs(d->host_c[i] - e) <= 1e-3 * (1 + fabs(e)))) {
            fprintf(stderr, "element %zu is %g instead of %g\n", i, d->host_c[i], e);
            return false;
        }
    }
    return true;
}

static bool
right_sum(struct data *d, const char *name)
{
    size_t parts = strcmp(name, "reduce_atomic") == 0 ? 1
                   : strcmp(name, "reduce_gridstride") == 0 ? 256 : (size_t)(d->n + BLOCK - 1) / BLOCK;
    double sum = 0, want = 0, size = 0;
    CHECK(cudaMemcpy(d->host_c, d->c, parts * 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < parts; i++)
        sum += d->host_c[i];
    for (int i = 0; i < d->n; i++) {
        want += d->host_a[i];
        size += fabs(d->host_a[i]);
    }
    return fabs(sum - want) <= 1e-6 * size;
}

int
main(int argc, char **argv)
{
    const char *only = NULL;
    int repeat = 5, scale = 1, json = 0, listed = 0, bad = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--row") && i + 1 < argc)
            only = argv[++i];
        else if (!strcmp(argv[i], "--repeat") && i + 1 < argc)
            repeat = suite_number(argv[0], "--repeat", argv[++i], 1, 1 << 20);
        else if (!strcmp(argv[i], "--scale") && i + 1 < argc)
            scale = suite_number(argv[0], "--scale", argv[++i], 1, 1 << 20);
        else if (!strcmp(argv[i], "--json"))
            json = 1;
        else {
            fprintf(stderr, "usage: %s [--row NAME] [--repeat R] [--scale S] [--json]\n", argv[0]);
            return 2;
        }
    }
    if (json)
        printf("[");
    for (int r = 0; r < COUNT; r++) {
        if (only && strcmp(only, rows[r].name))
            continue;
        struct data d;
        enum kind kind = rows[r].kind;
        prepare(&d, kind, scale);
        double best = 1e30, first = suite_seconds();
        rows[r].run(&d);
        CHECK(cudaDeviceSynchronize());
        first = suite_seconds() - first;
        bool fine = kind == REDUCE ? right_sum(&d, rows[r].name) : right(&d, kind);
        for (int k = 0; k < repeat; k++) {
            double t = suite_seconds();
            rows[r].run(&d);
            CHECK(cudaDeviceSynchronize());
            t = suite_seconds() - t;
            best = t < best ? t : best;
        }
        double elements = kinds[kind].square ? (double)d.n * d.n : d.n;
        double rate = elements * kinds[kind].per_element / best * 1e-9 / (kind == PRODUCT ? scale : 1);
        if (json)
            printf("%s\n{\"row\":\"%s\",\"milliseconds\":%.4f,\"first_milliseconds\":%.3f,\"rate\":%.4f,"
                   "\"unit\":\"%s\",\"verified\":%s}", listed ? "," : "", rows[r].name, 1e3 * best,
                   1e3 * first, rate, kinds[kind].unit, fine ? "true" : "false");
        else
            printf("%-18s %10.3f ms %9.2f %-8s first %8.1f ms  %s\n", rows[r].name, 1e3 * best, rate,
                   kinds[kind].unit, 1e3 * first, fine ? "verified" : "WRONG");
        fflush(stdout);
        listed++;
        bad += !fine;
        release(&d);
    }
    if (json)
        printf("]\n");
    if (!listed)
        fprintf(stderr, "%s: no row is called %s\n", argv[0], only);
    return bad ? 1 : listed ? 0 : 2;
}
