/* SPDX-License-Identifier: Apache-2.0
 *
 * For each row of src/report/advice.def a kernel that deserves it (NAME_yes) and one that does not
 * (NAME_no), as alike as can be: tests/profile/advice_test.py. Each is launched once, unless it
 * says otherwise. argv[1]: only the kernels for generations before 2.0.
 */
#include <cstdio>
#include <cstdlib>

enum { N = 1 << 18, B = 256 };

__constant__ float words[1024];
struct point {
    float x, y, z, w;
};

/* -- shared memory */
template <int PAD>
__device__ void
transpose(const float *in, float *out, int n)
{
    __shared__ float tile[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        out[(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}
__global__ void
bank_conflicts_yes(const float *in, float *out, int n)
{
    transpose<0>(in, out, n);
}
__global__ void
bank_conflicts_no(const float *in, float *out, int n)
{
    transpose<1>(in, out, n);
}

template <int BINS>
__device__ void
count(const float *in, int *out)
{
    __shared__ int bins[BINS];
    if (threadIdx.x < BINS)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 32; k++)
        atomicAdd(&bins[(threadIdx.x + k) % BINS], (int)in[blockIdx.x * B + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x < BINS)
        out[threadIdx.x] = bins[threadIdx.x];
}
__global__ void
shared_atomics_yes(const float *in, int *out)
{
    count<2>(in, out);
}
__global__ void
shared_atomics_no(const float *in, int *out)
{
    count<64>(in, out);
}

/* Products in tiles of 16: one element a thread, and 4 x 4 of them. */
__global__ void
shared_loads_yes(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[16][16], t[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += s[threadIdx.y][i] * t[i][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}
__global__ void
shared_loads_no(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[16][64], t[16][64];
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 64 + threadIdx.y,
        own = threadIdx.y * 16 + threadIdx.x;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int i = own; i < 16 * 64; i += 256) {
            s[i / 64][i % 64] =
                a[(k + i / 64) * n + blockIdx.y * 64 + i % 64]; /* a is its own transpose */
            t[i / 64][i % 64] = b[(k + i / 64) * n + blockIdx.x * 64 + i % 64];
        }
        __syncthreads();
        for (int i = 0; i < 16; i++) {
            float u[4], v[4];
            for (int j = 0; j < 4; j++) {
                u[j] = s[i][threadIdx.y + 16 * j];
                v[j] = t[i][threadIdx.x + 16 * j];
            }
            for (int j = 0; j < 4; j++)
                for (int l = 0; l < 4; l++)
                    sum[j][l] += u[j] * v[l];
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++)
        for (int l = 0; l < 4; l++)
            c[(y + 16 * j) * n + x + 16 * l] = sum[j][l];
}

/* -- global memory */
__global__ void
uncoalesced_yes(const float *in, float *out, int n)
{
    int i = blockIdx.x * B + threadIdx.x;
    out[i] = in[i % 512 * (n / 512) + i / 512];
}
__global__ void
uncoalesced_no(const float *in, float *out, int n)
{
    int i = blockIdx.x * B + threadIdx.x;
    out[i] = in[n - 1 - i];
}
/* Each sector eight times, each element once. */
__global__ void
rows_one_after_the_other(const float *in, float *out, int n)
{
    int row = blockIdx.x * B + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[row * n + k];
    out[row] = sum;
}
__global__ void
half_used_yes(const point *in, float *out)
{
    int i = blockIdx.x * B + threadIdx.x;
    out[i] = in[i].x;
}
/* All fields are read: what one access leaves the others use. */
__global__ void
half_used_no(const point *in, float *out)
{
    int i = blockIdx.x * B + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; k++)
        sum += ((const volatile float *)(in + i))[k];
    out[i] = sum;
}
template <int FIRST>
__device__ void
sum_rows(const float *in, float *out)
{
    int i = blockIdx.x * B + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 64; k++)
        sum += in[threadIdx.x + FIRST + k * 256];
    out[i] = sum;
}
__global__ void
excess_sectors_yes(const float *in, float *out)
{
    sum_rows<1>(in, out);
}
__global__ void
excess_sectors_no(const float *in, float *out)
{
    sum_rows<32>(in, out);
}
__global__ void
transactions_yes(const float *in, float *out)
{
    out[blockIdx.x * B + threadIdx.x] = in[2 * (blockIdx.x * B + threadIdx.x)];
}
__global__ void
transactions_no(const float *in, float *out)
{
    out[blockIdx.x * B + threadIdx.x] = in[blockIdx.x * B + threadIdx.x];
}
__global__ void
atomics_yes(const unsigned char *in, int *out)
{
    atomicAdd(&out[in[blockIdx.x * B + threadIdx.x] % 16], 1);
}
__global__ void
atomics_no(const unsigned char *in, int *out)
{
    int i = blockIdx.x * B + threadIdx.x;
    atomicAdd(&out[i], in[i]);
}

/* -- other memories */
__global__ void
constant_yes(float *out)
{
    out[blockIdx.x * B + threadIdx.x] = words[(threadIdx.x * 7 + blockIdx.x) % 1024];
}
__global__ void
constant_no(float *out)
{
    out[blockIdx.x * B + threadIdx.x] = words[blockIdx.x % 1024];
}
template <bool KNOWN>
__device__ void
nearest(const float *in, float *out, int at)
{
    float a[8];
    int i = blockIdx.x * B + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 8; k++)
        a[k] = in[i + k * N / 8 * 0 + k];
    out[i] = KNOWN ? a[3] : a[(at + i) & 7];
}
__global__ void
local_yes(const float *in, float *out, int at)
{
    nearest<false>(in, out, at);
}
__global__ void
local_no(const float *in, float *out, int at)
{
    nearest<true>(in, out, at);
}

/* -- instructions */
__device__ float
work(float v, int turns)
{
    for (int k = 0; k < turns; k++)
        v = v * v + 0.25f;
    return v;
}
__global__ void
divergence_yes(const float *in, float *out)
{
    int i = blockIdx.x * B + threadIdx.x;
    float v = in[i];
    if (threadIdx.x % 2)
        v = work(v, 500);
    else
        for (int k = 0; k < 500; k++)
            v = fminf(v + 0.5f, 1 / v);
    out[i] = v;
}
__global__ void
divergence_no(const float *in, float *out)
{
    int i = blockIdx.x * B + threadIdx.x;
    float v = in[i];
    if (threadIdx.x / 32 % 2)
        v = work(v, 500);
    else
        for (int k = 0; k < 500; k++)
            v = fminf(v + 0.5f, 1 / v);
    out[i] = v;
}
__global__ void
dependent_yes(const int *next, int *out)
{
    int at = blockIdx.x * B + threadIdx.x;
    for (int k = 0; k < 16; k++)
        at = next[at];
    out[blockIdx.x * B + threadIdx.x] = at;
}
__global__ void
dependent_no(const int *next, int *out)
{
    int i = blockIdx.x * B + threadIdx.x, sum = 0;
    for (int k = 0; k < 16; k++)
        sum += next[(i + k * B) % N];
    out[i] = sum;
}
__global__ void
conversions_yes(const float *in, float *out)
{
    int i = blockIdx.x * B + threadIdx.x;
    float v = in[i];
    for (int k = 0; k < 8; k++)
        v = v * 1.1 + 0.3;
    out[i] = v;
}
__global__ void
conversions_no(const float *in, float *out)
{
    int i = blockIdx.x * B + threadIdx.x;
    float v = in[i];
    for (int k = 0; k < 8; k++)
        v = v * 1.1f + 0.3f;
    out[i] = v;
}
/* Doubles that are meant. */
__global__ void
conversions_no2(const double *in, double *out)
{
    int i = blockIdx.x * B + threadIdx.x;
    double v = in[i];
    for (int k = 0; k < 8; k++)
        v = v * 1.1 + 0.3;
    out[i] = v;
}
__global__ void
division_yes(const float *in, float *out, int width, int height)
{
    int i = blockIdx.x * B + threadIdx.x, x = i, y = 0;
    for (int k = 0; k < 8; k++, x += 77777)
        y += x % width + x / width % height;
    out[i] = in[y];
}
__global__ void
division_no(const float *in, float *out)
{
    int i = blockIdx.x * B + threadIdx.x, x = i, y = 0;
    for (int k = 0; k < 8; k++, x += 77777)
        y += x % 100 + x / 100 % 100;
    out[i] = in[y];
}

/* -- grids and blocks: the same kernel, launched otherwise */
#define COPY(name)                                                                                 \
    __global__ void name(const float *in, float *out, int n)                                       \
    {                                                                                              \
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)    \
            out[i] = in[i] + 1;                                                                    \
    }
COPY(tail_yes)
COPY(tail_no)
COPY(launch_yes)
COPY(launch_short)
COPY(launch_no)
COPY(starts_yes)
COPY(starts_no)
COPY(blocks_yes)
COPY(blocks_no)
COPY(latency_yes)

/* Arithmetic that fills an SM. */
__global__ void
grid_yes(const float *in, float *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = work(in[0], 2000);
}
__global__ void
grid_no(const float *in, float *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = work(in[0], 2000);
}

/* Loads that hide each other. */
__global__ void
latency_no(const float *in, float *out)
{
    int i = blockIdx.x * B + threadIdx.x;
    float v = in[i];
    out[i] = work(v, 2000);
}

__global__ void
lanes_yes(const float *in, float *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = work(in[threadIdx.x], 500);
}
__global__ void
lanes_no(const float *in, float *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = work(in[threadIdx.x], 500);
}

/* Numbers that live at once. */
template <int LIVE>
__device__ void
live(const float *in, float *out)
{
    float a[LIVE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < LIVE; k++)
        a[k] = in[(threadIdx.x + k * B) % N];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < LIVE; k++) /* long waits, little work: more warps would fill them */
        sum = sqrtf(sum * a[k] + a[LIVE - 1 - k]);
    out[i] = sum;
}
__global__ void
registers_yes(const float *in, float *out)
{
    live<120>(in, out);
}
__global__ void
registers_no(const float *in, float *out)
{
    live<8>(in, out);
}
__global__ void __launch_bounds__(256, 8) spills_yes(const float *in, float *out)
{
    live<100>(in, out);
}
__global__ void __launch_bounds__(256, 1) spills_no(const float *in, float *out)
{
    live<100>(in, out);
}

/* Waits for eight loads, one after the other. */
template <int WORDS>
__device__ void
staged(const int *in, int *out)
{
    __shared__ int s[WORDS];
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
    for (int k = 0; k < 8; k++)
        at = i + (in[at % N] >> 31); /* which is 0 */
    s[threadIdx.x % B] = at;
    out[i] = s[threadIdx.x % B];
}
__global__ void
shared_yes(const int *in, int *out)
{
    staged<12 * 1024>(in, out);
}
__global__ void
shared_no(const int *in, int *out)
{
    staged<B>(in, out);
}
__global__ void
threads_yes(const int *in, int *out)
{
    staged<B>(in, out);
}
__global__ void
threads_no(const int *in, int *out)
{
    staged<B>(in, out);
}

__global__ void
barriers_yes(const float *in, float *out)
{
    __shared__ float s[1024];
    float sum = 0;
    for (int k = 0; k < 16; k++) {
        s[threadIdx.x] = in[(blockIdx.x * 1024 + k * 4096 + threadIdx.x) % N];
        __syncthreads();
        sum += s[1023 - threadIdx.x];
        __syncthreads();
    }
    out[blockIdx.x * 1024 + threadIdx.x] = sum;
}
__global__ void
barriers_no(const float *in, float *out)
{
    __shared__ float s[128];
    s[threadIdx.x] = in[(blockIdx.x * 128 + threadIdx.x) % N];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = work(s[127 - threadIdx.x], 400);
}

/* -- caches */
__global__ void
reuse_yes(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
__global__ void
reuse_no(const float *a, float *c)
{
    c[blockIdx.x * B + threadIdx.x] = 2 * a[blockIdx.x * B + threadIdx.x];
}

/* Each pair of panels, row by row: those of b come again with each row, and L2 holds them
 * or not. */
__device__ void
panels(const float *a, const float *b, float *c, int blocks, int words)
{
    int x = blockIdx.x % blocks, y = blockIdx.x / blocks;
    float sum = 0;
    for (int k = threadIdx.x; k < words; k += blockDim.x)
        sum += a[y * words + k] * b[x * words + k];
    c[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void
order_yes(const float *a, const float *b, float *c, int blocks, int words)
{
    panels(a, b, c, blocks, words);
}
__global__ void
order_no(const float *a, const float *b, float *c, int blocks, int words)
{
    panels(a, b, c, blocks, words);
}

__global__ void
doubles_yes(const double *in, double *out)
{
    int i = blockIdx.x * B + threadIdx.x;
    double v = in[i];
    for (int k = 0; k < 200; k++)
        v = v * v + 0.25;
    out[i] = v;
}
__global__ void
doubles_no(const float *in, float *out)
{
    int i = blockIdx.x * B + threadIdx.x;
    out[i] = work(in[i], 200);
}

/* -- partitions: rows that begin in the same one, and rows that do not */
__global__ void
camping_yes(const float *in, float *out, int n)
{
    out[blockIdx.x * 64 + threadIdx.x] = in[blockIdx.x * n + threadIdx.x];
}
__global__ void
camping_no(const float *in, float *out, int n)
{
    out[blockIdx.x * 64 + threadIdx.x] = in[blockIdx.x * n + threadIdx.x];
}

static void
old_ones(float *a, float *b)
{
    camping_yes<<<256, 64>>>(a, b, 2048);
    camping_no<<<256, 64>>>(a, b, 2048 + 64);
    transactions_yes<<<64, B>>>(a, b);
    transactions_no<<<64, B>>>(a, b);
}

static void
launches(float *a, float *b)
{
    for (int k = 0; k < 8; k++)
        launch_yes<<<132, B>>>(a, b, 132 * B);
    for (int k = 0; k < 8; k++) /* after the first it finds all in L2 */
        launch_short<<<8, B>>>(a, b, 8 * B);
    launch_no<<<132, B>>>(a, b, 132 * B);
    grid_yes<<<4, 1024>>>(a, b);
    grid_no<<<1056, B>>>(a, b);
    tail_yes<<<136, B>>>(a, b, 136 * B * 8);
    tail_no<<<132, B>>>(a, b, 132 * B * 8);
    starts_yes<<<8192, 32>>>(a, b, 8192 * 32);
    starts_no<<<528, B>>>(a, b, 4 * N);
    lanes_yes<<<1024, 40>>>(a, b);
    lanes_no<<<1024, 64>>>(a, b);
    blocks_yes<<<132 * 64, 32>>>(a, b, 4 * N);
    blocks_no<<<132 * 64, 64>>>(a, b, 4 * N);
    threads_yes<<<132 * 4, 1024>>>((int *)a, (int *)b); /* on 8.6, of 48 warps */
    threads_no<<<132 * 8, 512>>>((int *)a, (int *)b);
    latency_yes<<<132, B>>>(a, b, 132 * B * 16);
    latency_no<<<1056, B>>>(a, b);
    registers_yes<<<1056, B>>>(a, b);
    registers_no<<<1056, B>>>(a, b);
    spills_yes<<<1056, B>>>(a, b);
    spills_no<<<1056, B>>>(a, b);
    shared_yes<<<1056, B>>>((int *)a, (int *)b);
    shared_no<<<1056, B>>>((int *)a, (int *)b);
    barriers_yes<<<264, 1024>>>(a, b);
    barriers_no<<<2112, 128>>>(a, b);
}

static void
accesses(float *a, float *b, float *c)
{
    dependent_yes<<<132, B>>>((int *)c, (int *)b);
    dependent_no<<<132, B>>>((int *)c, (int *)b); /* before others write to c */
    bank_conflicts_yes<<<dim3(16, 16), dim3(32, 8)>>>(a, b, 512);
    bank_conflicts_no<<<dim3(16, 16), dim3(32, 8)>>>(a, b, 512);
    shared_atomics_yes<<<256, B>>>(a, (int *)b);
    shared_atomics_no<<<256, B>>>(a, (int *)b);
    shared_loads_yes<<<dim3(16, 16), dim3(16, 16)>>>(a, b, c, 256);
    shared_loads_no<<<dim3(4, 4), dim3(16, 16)>>>(a, b, c, 256);
    uncoalesced_yes<<<N / B, B>>>(a, b, N);
    uncoalesced_no<<<N / B, B>>>(a, b, N);
    rows_one_after_the_other<<<4, B>>>(a, b, 256);
    half_used_yes<<<256, B>>>((point *)a, b);
    half_used_no<<<256, B>>>((point *)a, b);
    excess_sectors_yes<<<1000, B>>>(a, b);
    excess_sectors_no<<<1000, B>>>(a, b);
    atomics_yes<<<1024, B>>>((unsigned char *)a, (int *)b);
    atomics_no<<<1024, B>>>((unsigned char *)a, (int *)b);
    constant_yes<<<1024, B>>>(b);
    constant_no<<<1024, B>>>(b);
    local_yes<<<1000, B>>>(a, b, 3);
    local_no<<<1000, B>>>(a, b, 3);
    divergence_yes<<<1024, B>>>(a, b);
    divergence_no<<<1024, B>>>(a, b);
    conversions_yes<<<1024, B>>>(a, b);
    conversions_no<<<1024, B>>>(a, b);
    conversions_no2<<<512, B>>>((double *)a, (double *)b);
    division_yes<<<1024, B>>>(a, b, 100, 100);
    division_no<<<1024, B>>>(a, b);
    reuse_yes<<<dim3(16, 16), dim3(16, 16)>>>(a, b, c, 256);
    reuse_no<<<1024, B>>>(a, c);
    doubles_yes<<<512, B>>>((double *)a, (double *)b);
    doubles_no<<<1024, B>>>(a, b);
}

int
main(int argc, char **argv)
{
    float *a, *b, *c;
    size_t bytes = 16u << 20;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMemset(b, 0, bytes);
    float *host = (float *)malloc(bytes);
    int *next = (int *)host;
    for (size_t i = 0; i < bytes / 4; i++)
        next[i] = (int)((i * 7919 + 13) % N);
    cudaMemcpy(c, next, bytes, cudaMemcpyHostToDevice);
    for (size_t i = 0; i < bytes / 4; i++)
        host[i] = (float)(i % 1000) / 1000;
    cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
    free(host);
    if (argc > 1 && argv[1][0] == 'o') {
        old_ones(a, b);
    } else if (argc > 1) {                                /* a small L2 */
        order_yes<<<32 * 32, 1024>>>(a, b, c, 32, 32768); /* 128 KiB each, 8 MiB in all */
        order_no<<<32 * 32, 1024>>>(a, b, c, 32, 4096);
    } else {
        accesses(a, b, c);
        launches(a, b);
    }
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return 0;
}
