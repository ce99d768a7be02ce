// SPDX-License-Identifier: Apache-2.0
//
// Device memory under load, as CSV: turns of loads that no cache has, by warps on an SM; launches of many short blocks
// that read, copy or change an array, in rows and in tiles, by threads of a block, in L2 and beyond.
#include "bench.h"

/* A block goes along a part of the array that nobody else reads; the next turn's address needs this turn's value (zero).
 */
template <int LOADS, bool STORE>
__global__ void
turns(unsigned *memory, long apart, int n, long long *clocks)
{
    unsigned *at = memory + blockIdx.x * apart + threadIdx.x;
    unsigned sum = 0;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        unsigned v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            v[k] = __ldcg(at + k * blockDim.x);
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            sum += v[k];
            if (STORE)
                at[k * blockDim.x] = v[k] + 1;
        }
        at += LOADS * blockDim.x + (sum >> 31);
    }
    __syncthreads();
    long long end = clock64();
    if (threadIdx.x == 0)
        clocks[blockIdx.x] = end - begin;
    if (sum == 77)
        memory[0] = sum;
}

template <int LOADS, bool STORE>
static void
turns_of(unsigned *memory, long words, long long *clocks)
{
    int sms = sm_count();
    for (int threads : {32, 128, 256, 512, 1024})
        for (int blocks : {1, 2}) {
            if (blocks == 2 && threads < 1024)
                continue;
            long apart = words / (blocks * sms) & ~1023l;
            int n = (int)std::min(std::max(8l, 256 / scale()), apart / threads / LOADS - 1);
            for (int run = 0; run < 2; run++) { /* no second look at what the first one left in L2 */
                CHECK(cudaMemset(memory, 0, words * sizeof *memory));
                turns<LOADS, STORE><<<blocks * sms, threads>>>(memory, apart, n, clocks);
            }
            CHECK(cudaGetLastError());
            char how[32];
            snprintf(how, sizeof how, "%s%d", STORE ? "change" : "read", LOADS);
            row("memory_turn", how, words >> 18, threads, blocks, mean_clocks(clocks, blocks * sms) / n, "clocks a turn");
        }
}

/* An element a thread; TILE: blocks are 32 wide. */
enum how { READ, COPY, CHANGE, OUTER };

template <enum how HOW, bool TILE>
__global__ void
element(float *to, const float *from, const float *u, const float *v, int width, int height)
{
    int x = TILE ? blockIdx.x * 32 + threadIdx.x : blockIdx.x * blockDim.x + threadIdx.x;
    int y = TILE ? blockIdx.y * blockDim.y + threadIdx.y : blockIdx.y;
    long i = (long)y * width + x;
    if (x >= width || y >= height)
        return;
    if (HOW == READ && from[i] == 77)
        to[i] = 1;
    if (HOW == COPY)
        to[i] = from[i];
    if (HOW == CHANGE)
        to[i] = to[i] * 3 + 1;
    if (HOW == OUTER)
        to[i] += u[y] * v[x] + u[y + 1] * v[x + 1];
}

template <enum how HOW, bool TILE>
static void
elements(const char *how, float *to, const float *from)
{
    for (int side : {2048, 4096, 8192})
        for (int threads : {64, 128, 256, 512, 1024}) {
            int n = (int)std::max(64l, side / scale());
            dim3 block(TILE ? 32 : threads, TILE ? threads / 32 : 1);
            dim3 grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y);
            double us = microseconds([&] { element<HOW, TILE><<<grid, block>>>(to, from, from, from, n, n); }, 2, 5);
            row("element", how, n, threads, TILE, us, "us");
        }
}

/* What stays in L2 from launch to launch: arrays of so many megabytes in all, 16 bytes a load. */
__global__ void
along(uint4 *to, const uint4 *from, long n)
{
#pragma unroll 4
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) {
        uint4 v = from[i];
        v.x++;
        to[i] = v;
    }
}

__global__ void
look(uint4 *from, long n)
{
    unsigned sum = 0;
#pragma unroll 4
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
        sum += from[i].x;
    if (sum == 77)
        from[0].x = sum;
}

int
main()
{
    long words = std::max(1l << 20, (1l << 29) / scale());
    unsigned *memory;
    long long *clocks;
    CHECK(cudaMalloc(&memory, 2 * words * sizeof *memory));
    CHECK(cudaMalloc(&clocks, 4096 * sizeof *clocks));
    CHECK(cudaMemset(memory, 0, 2 * words * sizeof *memory));
    printf("what,how,a,b,c,value,unit\n");
    for (long part : {8l, 1l}) {
        turns_of<1, false>(memory, words / part, clocks);
        turns_of<4, false>(memory, words / part, clocks);
        turns_of<1, true>(memory, words / part, clocks);
        turns_of<4, true>(memory, words / part, clocks);
    }
    float *to = (float *)memory, *from = to + words;
    for (long megabytes = 4; megabytes <= 64; megabytes += 4) {
        long n = std::max(1l, (megabytes << 16) / scale());
        row("warm", "copy", megabytes, 0, 0, microseconds([&] { along<<<2 * sm_count(), 1024>>>((uint4 *)to, (uint4 *)to + n, n / 2); }, 4), "us");
        row("warm", "read", megabytes, 0, 0, microseconds([&] { look<<<2 * sm_count(), 1024>>>((uint4 *)to, n); }, 4), "us");
        row("warm", "change", megabytes, 0, 0, microseconds([&] { along<<<2 * sm_count(), 1024>>>((uint4 *)to, (uint4 *)to, n); }, 4), "us");
    }
    elements<READ, false>("read", to, from);
    elements<READ, true>("read", to, from);
    elements<COPY, false>("copy", to, from);
    elements<COPY, true>("copy", to, from);
    elements<CHANGE, false>("change", to, from);
    elements<CHANGE, true>("change", to, from);
    elements<OUTER, true>("outer", to, from);
    return 0;
}
