// SPDX-License-Identifier: Apache-2.0
//
// What warps wait for, as CSV: dependent loads by footprint; loops of loads that are not unrolled, and unrolled ones,
// by warps on an SM; barriers; accesses of 32 lines to L1, L2 and device memory; constant reads by different addresses.
#include "bench.h"

/* -- dependent loads: each lane of a warp follows the same way ------------------------------------- */

__global__ void
chase(const unsigned *next, int n, unsigned *out, long long *clocks)
{
    unsigned at = blockIdx.x;
    for (int i = 0; i < 64; i++)
        at = next[at];
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i++)
        at = next[at];
    long long end = clock64();
    if (threadIdx.x == 0)
        *clocks = end - begin;
    out[threadIdx.x] = at;
}

__global__ void
touch(const unsigned *p, long words, unsigned *out)
{
    unsigned sum = 0;
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < words; i += (long)gridDim.x * blockDim.x)
        sum += p[i];
    if (sum == 12345)
        *out = sum;
}

__global__ void
chase_shared(int n, unsigned *out, long long *clocks)
{
    __shared__ unsigned next[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        next[i] = (i + 33) % 1024;
    __syncthreads();
    unsigned at = threadIdx.x;
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i++)
        at = next[at];
    long long end = clock64();
    if (threadIdx.x == 0)
        *clocks = end - begin;
    out[threadIdx.x] = at;
}

static void
latencies(unsigned *memory, size_t bytes, unsigned *out, long long *clocks)
{
    for (size_t footprint = 4096; footprint <= bytes; footprint *= 4)
        for (size_t step : {128, 4096, 1 << 16}) {
            if (footprint / step < 16)
                continue;
            size_t places = footprint / step;
            std::vector<unsigned> next(footprint / 4);
            std::vector<size_t> order(places);
            for (size_t i = 0; i < places; i++)
                order[i] = i;
            unsigned long long random = 88172645463325252ull;
            for (size_t i = places - 1; i > 0; i--) {
                random ^= random << 13, random ^= random >> 7, random ^= random << 17;
                std::swap(order[i], order[random % (i + 1)]);
            }
            for (size_t i = 0; i < places; i++)
                next[order[i] * step / 4] = (unsigned)(order[(i + 1) % places] * step / 4);
            CHECK(cudaMemcpy(memory, next.data(), footprint, cudaMemcpyHostToDevice));
            long long took;
            int n = (int)std::min((size_t)4096, std::max((size_t)512, places));
            for (int run = 0; run < 2; run++)
                chase<<<1, 32>>>(memory, n, out, clocks);
            CHECK(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
            row("dependent_load", "global", (long)footprint, (long)step, n, (double)took / n, "clocks");
        }
    long long took;
    for (int run = 0; run < 2; run++)
        chase_shared<<<1, 32>>>(512, out, clocks);
    CHECK(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
    row("dependent_load", "shared", 4096, 132, 512, (double)took / 512, "clocks");
}

/* -- loops of loads: a turn's load is used before the next one is issued ------------------------------ */

template <int UNROLL>
__global__ void
load_loop(const float *in, long stride, int n, float *out, long long *clocks)
{
    const float *p = in + blockIdx.x * (long)blockDim.x + threadIdx.x;
    float sum = 0;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i += UNROLL) {
        float v[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            v[u] = p[(i + u) * stride];
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            sum += v[u];
    }
    __syncthreads();
    long long end = clock64();
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *clocks = end - begin;
    out[blockIdx.x * (long)blockDim.x + threadIdx.x] = sum;
}

template <int UNROLL>
static void
loops(const float *memory, long words, float *out, long long *clocks)
{
    int sms = sm_count();
    for (int grid : {1, sms, 2 * sms, 4 * sms})
        for (int threads : {32, 64, 128, 256, 512, 1024}) {
            if ((long)grid * threads > (long)sms * 2048)
                continue;
            long stride = (long)grid * threads, n = std::min(words / stride / UNROLL * UNROLL, 256l / std::min(scale(), 16l));
            long long took;
            double us = microseconds([&] { load_loop<UNROLL><<<grid, threads>>>(memory, stride, (int)n, out, clocks); }, 1, 3);
            CHECK(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
            char how[32];
            snprintf(how, sizeof how, "unroll%d", UNROLL);
            row("load_loop", how, grid, threads, n, (double)took / n, "clocks a turn");
            row("load_loop_rate", how, grid, threads, n, 4e-3 * (double)(stride * n) / us, "GB/s");
        }
}

/* -- barriers -------------------------------------------------------------------------------------------- */

__global__ void
barriers(int n, float *out, long long *clocks)
{
    float x = threadIdx.x;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        __syncthreads();
        x += 1;
    }
    long long end = clock64();
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *clocks = end - begin;
    out[threadIdx.x] = x;
}

/* -- 32 lines, a sector each, an access --------------------------------------------------------------------- */

template <bool STORE>
__global__ void
scattered(float *memory, long words, long apart, int n, float *out)
{
    /* Lanes lie `apart` words from each other, turns of a warp side by side in what is left. */
    long warp = (blockIdx.x * (long)blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    long base = warp * n * apart * 32;
    float sum = 0;
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        long at = (base + (i * 32 + lane) * apart) & (words - 1);
        if (STORE)
            memory[at] = (float)i;
        else
            sum += memory[at];
    }
    if (sum == 12345.f)
        *out = sum;
}

static void
rates(float *memory, long words, float *out)
{
    int sms = sm_count(), grid = (int)(4 * sms / std::min(scale(), 64l)) + 1, n = scale() > 1 ? 4 : 128;
    for (long footprint : {1l << 12, 1l << 21, 1l << 23, words})
        for (long apart : {1l, 2l, 4l, 8l, 16l, 32l, 64l, 128l}) {
            if (footprint > words) /* both are powers of two */
                continue;
            double accesses = (double)grid * 512 / 32 * n;
            double load = microseconds([&] { scattered<false><<<grid, 512>>>(memory, footprint, apart, n, out); }, 1, 3);
            double store = microseconds([&] { scattered<true><<<grid, 512>>>(memory, footprint, apart, n, out); }, 1, 3);
            row("scattered", "load", 4 * footprint, 4 * apart, grid, 1e3 * load / accesses, "ns an access of a warp");
            row("scattered", "store", 4 * footprint, 4 * apart, grid, 1e3 * store / accesses, "ns an access of a warp");
        }
}

/* -- constant memory ------------------------------------------------------------------------------------------ */

__constant__ unsigned table[16384];

__global__ void
constants(int distinct, int words, int n, unsigned *out, long long *clocks)
{
    /* table[] holds zeros: the next address depends on what was read. */
    unsigned at = threadIdx.x % 32 % distinct * (words / distinct), sum = 0;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        sum += table[at];
        at = (at + 16 + sum) % words;
    }
    __syncthreads();
    long long end = clock64();
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *clocks = end - begin;
    out[threadIdx.x] = sum;
}

static void
constant(unsigned *out, long long *clocks)
{
    for (int words : {32, 256, 512, 2048, 8192, 16384})
        for (int distinct : {1, 2, 4, 8, 16, 32})
            for (int threads : {32, 1024}) {
                long long took;
                int n = (int)std::max(8l, 256 / scale());
                for (int run = 0; run < 2; run++)
                    constants<<<1, threads>>>(distinct, words, n, out, clocks);
                CHECK(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
                row("constant", threads == 32 ? "one_warp" : "warps32", 4 * words, distinct, threads,
                    (double)took / n / (threads / 32), "clocks an access of a warp");
            }
}

int
main(void)
{
    size_t bytes = ((size_t)2 << 30) / (size_t)scale();
    char *memory = device_memory<char>(bytes);
    float *out = device_memory<float>(1 << 20);
    long long *clocks = device_memory<long long>(1);
    printf("what,how,a,b,c,value,unit\n");
    latencies((unsigned *)memory, std::min(bytes, (size_t)256 << 20), (unsigned *)out, clocks);
    CHECK(cudaMemset(memory, 0, bytes));
    loops<1>((float *)memory, (long)(bytes / 4), out, clocks);
    loops<4>((float *)memory, (long)(bytes / 4), out, clocks);
    loops<16>((float *)memory, (long)(bytes / 4), out, clocks);
    for (int threads : {32, 64, 128, 256, 512, 1024}) {
        long long took;
        int n = (int)std::max(4l, 256 / scale());
        for (int run = 0; run < 2; run++)
            barriers<<<1, threads>>>(n, out, clocks);
        CHECK(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
        row("barrier", "sync", threads, n, 0, (double)took / n, "clocks");
    }
    rates((float *)memory, (long)(bytes / 4), out);
    constant((unsigned *)out, clocks);
    return 0;
}
