// SPDX-License-Identifier: Apache-2.0
//
// Waits under load, as CSV: turns of loads that L2 has, by warps on an SM, each SM lines of its own or all SMs the same
// ones; blocks whose warps load together, meet and store together, by threads of a block and blocks on an SM.
#include "bench.h"

/* -- turns of loads ------------------------------------------------------------------------------------ */

/* Past L1; the next turn's address needs this turn's value (zero). apart: words from one block's begin to the next. */
template <int LOADS>
__global__ void
turns(const unsigned *in, long words, long apart, int n, unsigned *out, long long *clocks)
{
    unsigned long at = (blockIdx.x * apart + threadIdx.x) & (words - 1);
    unsigned sum = 0;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        unsigned v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            v[k] = __ldcg(in + ((at + k * 4096) & (words - 1)));
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            sum += v[k];
        at = (at + LOADS * 4096 + sum) & (words - 1);
    }
    __syncthreads();
    long long end = clock64();
    if (threadIdx.x == 0)
        clocks[blockIdx.x] = end - begin;
    out[blockIdx.x * (long)blockDim.x + threadIdx.x] = sum;
}

template <int LOADS>
static void
turns_of(const unsigned *memory, unsigned *out, long long *clocks)
{
    int sms = sm_count(), n = (int)std::max(8l, 256 / scale());
    for (long bytes : {1l << 18, 1l << 20, 1l << 22, 1l << 24})
        for (int same : {0, 1})
            for (int threads : {32, 128, 256, 512, 1024})
                for (int blocks : {1, 2}) {
                    if (blocks == 2 && threads < 1024)
                        continue;
                    long apart = same ? 0 : bytes / 4 / sms & ~31l;
                    for (int run = 0; run < 2; run++)
                        turns<LOADS><<<blocks * sms, threads>>>(memory, bytes / 4, apart, n, out, clocks);
                    CHECK(cudaGetLastError());
                    char how[32];
                    snprintf(how, sizeof how, "%s%d", same ? "same" : "own", LOADS);
                    row("l2_turn", how, bytes, threads, blocks, mean_clocks(clocks, blocks * sms) / n, "clocks a turn");
                }
}

/* A loop that adds to an element of memory in each turn, as compilers leave it where pointers may overlap. SAME: all
 * warps of a block ask for one line, so that L1 has asked for it when the others come; ROW: and a word of a row, which L1
 * has in seven turns of eight. */
template <bool SAME, bool ROW, bool STORE>
__global__ void
adding(const float *in, const float *row, float *to, long words, long apart, int n, long long *clocks)
{
    unsigned long at = (blockIdx.x * apart + (SAME ? threadIdx.x % 32 : threadIdx.x)) & (words - 1);
    float *mine = to + blockIdx.x * (long)blockDim.x + threadIdx.x, sum = 0;
    const float *mul = row + (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * n;
    __syncthreads();
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i++, at = (at + 4096) & (words - 1)) {
        float x = in[at];
        if (ROW)
            x *= mul[i];
        if (STORE)
            *mine += x;
        else
            sum += x;
    }
    __syncthreads();
    long long end = clock64();
    if (!STORE)
        *mine = sum;
    if (threadIdx.x == 0)
        clocks[blockIdx.x] = end - begin;
}

template <bool SAME, bool ROW, bool STORE>
static void
adding_of(const float *memory, float *to, long long *clocks)
{
    int sms = sm_count(), n = (int)std::max(8l, 256 / scale());
    for (long bytes : {1l << 22, 1l << 24})
        for (int threads : {32, 128, 256, 512, 1024})
            for (int grid : {1, sms, 2 * sms}) {
                long apart = bytes / 4 / sms & ~31l;
                if (grid == 1 && bytes > 1l << 22)
                    continue;
                for (int run = 0; run < 2; run++)
                    adding<SAME, ROW, STORE><<<grid, threads>>>(memory, memory + (bytes / 4), to, bytes / 4, apart, n, clocks);
                CHECK(cudaGetLastError());
                char how[32];
                snprintf(how, sizeof how, "%s%s%s", SAME ? "same" : "own", ROW ? "_row" : "", STORE ? "_store" : "");
                row("adding_turn", how, bytes, threads, grid, mean_clocks(clocks, grid) / n, "clocks a turn");
            }
}

/* One lane's loads, each by itself, of lines that L2 has: how unlike they are. */
__global__ void
lines(const unsigned *in, int n, unsigned *took)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++) {
        long long begin = clock64();
        unsigned v = __ldcg(in + i * 32l);
        sum += v;
        __threadfence_block();
        asm volatile("" ::"r"(sum) : "memory");
        took[blockIdx.x * n + i] = (unsigned)(clock64() - begin) + (sum & 0x80000000u);
    }
}

static void
lines_of(const unsigned *memory)
{
    int n = (int)std::max(64l, 8192 / scale()), sms = sm_count();
    unsigned *took = device_memory<unsigned>((size_t)n * sms);
    std::vector<unsigned> found((size_t)n * sms);
    for (int run = 0; run < 2; run++)
        lines<<<sms, 1>>>(memory, n, took);
    CHECK(cudaMemcpy(found.data(), took, found.size() * sizeof found[0], cudaMemcpyDeviceToHost));
    for (int sm : {0, 1, 2, 17, 60, 100}) {
        if (sm >= sms)
            continue;
        std::vector<unsigned> of(found.begin() + (long)sm * n, found.begin() + (long)(sm + 1) * n);
        std::sort(of.begin(), of.end());
        for (int q : {1, 10, 25, 50, 75, 90, 99})
            row("l2_line", "quantile", sm, q, n, of[(size_t)n * q / 100], "clocks");
    }
    CHECK(cudaFree(took));
}

/* -- rates -------------------------------------------------------------------------------------------- */

/* `passes` times over `words` words of each of READS arrays and WRITES others, 16 bytes a thread, other SMs each time. */
template <int READS, int WRITES>
__global__ void
__launch_bounds__(512, 4)
stream(const float4 *in, float4 *to, long quads, int passes, float *out)
{
    float4 sum = {0, 0, 0, 0};
    long step = (long)gridDim.x * blockDim.x;
    for (int pass = 0; pass < passes; pass++)
        for (long i = (blockIdx.x + pass * 37) % gridDim.x * (long)blockDim.x + threadIdx.x; i < quads; i += step) {
#pragma unroll
            for (int r = 0; r < READS; r++) {
                float4 v = __ldcg(in + r * quads + i);
                sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
            }
#pragma unroll
            for (int w = 0; w < WRITES; w++)
                to[w * quads + i] = sum;
        }
    if (sum.x == 12345.f)
        *out = sum.y + sum.z + sum.w;
}

template <int READS, int WRITES>
static void
stream_of(const char *in, char *to, float *out)
{
    int grid = 4 * sm_count();
    for (long bytes : {1l << 21, 1l << 22, 1l << 23, 1l << 24}) {
        if (bytes * (READS + WRITES) > 32l << 20)
            continue;
        int passes = (int)std::max((1l << 30) / bytes / scale(), 1l);
        double us = microseconds([&] { stream<READS, WRITES><<<grid, 512>>>((const float4 *)in, (float4 *)to, bytes / 16, passes, out); }, 1, 3);
        char how[32];
        snprintf(how, sizeof how, "read%d_write%d", READS, WRITES);
        row("l2_rate", how, bytes, READS, WRITES, 1e-3 * (double)bytes * passes * (READS + WRITES) / us, "GB/s, of all arrays");
    }
}

/* -- blocks that meet ------------------------------------------------------------------------------------ */

/* Each turn: loads, a barrier, and what the neighbour warp loaded is stored. one: one turn a block, many blocks. */
template <int LOADS>
__global__ void
__launch_bounds__(1024, 2)
meeting(const float *in, float *to, long words, int n, int meet, long long *clocks)
{
    extern __shared__ float tile[];
    long size = (long)blockDim.x * LOADS, at = blockIdx.x * (long)n * size + threadIdx.x;
    long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i++, at += size) {
        float v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            v[k] = in[(at + k * blockDim.x) & (words - 1)];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            tile[k * blockDim.x + threadIdx.x] = v[k];
        if (meet)
            __syncthreads();
        unsigned other = meet ? (threadIdx.x + 32) % blockDim.x : threadIdx.x;
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            to[(at + k * blockDim.x) & (words - 1)] = tile[k * blockDim.x + other];
        if (meet && n > 1)
            __syncthreads();
    }
    long long end = clock64();
    if (threadIdx.x == 0)
        clocks[blockIdx.x % 65536] = end - begin;
}

template <int LOADS>
static void
meetings(const float *in, float *to, long most, long long *clocks)
{
    int sms = sm_count();
    CHECK(cudaFuncSetAttribute(meeting<LOADS>, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 << 10));
    CHECK(cudaFuncSetAttribute(meeting<LOADS>, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    for (long bytes : {1l << 23, most}) /* of each of both */
        for (int threads : {64, 128, 256, 512, 1024})
            for (int resident : {1, 2, 4, 8, 16}) {
                if (resident * threads > 2048)
                    continue;
                long words = bytes / 4, total = std::max(words, 1l << 23);
                size_t shared = std::max((size_t)threads * LOADS * 4, (size_t)(219 << 10) / resident - 1024 & ~(size_t)127);
                for (int meet : {0, 1})
                    for (int n : {1, 16}) {
                        int grid = (int)std::max(total / ((long)threads * LOADS * n) / scale(), 1l);
                        double us = microseconds([&] { meeting<LOADS><<<grid, threads, shared>>>(in, to, words, n, meet, clocks); }, 2, 3);
                        char how[48];
                        snprintf(how, sizeof how, "%s%d%s", meet ? "meet" : "alone", LOADS, n == 1 ? "_once" : "");
                        row("phases", how, bytes, threads, resident,
                            us * 1e3 / ((double)grid * n * threads * LOADS / 32), "ns a warp's load and store");
                    }
            }
}

int
main(void)
{
    long most = std::max((256l << 20) / scale(), (1l << 24) * 4);
    while (most & (most - 1))
        most &= most - 1;
    float *in = device_memory<float>((size_t)most / 4), *to = device_memory<float>((size_t)most / 4);
    unsigned *out = device_memory<unsigned>(1 << 20);
    long long *clocks = device_memory<long long>(65536);
    printf("what,how,a,b,c,value,unit\n");
    stream_of<1, 0>((char *)in, (char *)to, (float *)out);
    stream_of<0, 1>((char *)in, (char *)to, (float *)out);
    stream_of<1, 1>((char *)in, (char *)to, (float *)out);
    stream_of<2, 1>((char *)in, (char *)to, (float *)out);
    stream_of<1, 2>((char *)in, (char *)to, (float *)out);
    lines_of((unsigned *)in);
    adding_of<false, false, false>(in, to, clocks);
    adding_of<false, false, true>(in, to, clocks);
    adding_of<true, false, false>(in, to, clocks);
    adding_of<true, false, true>(in, to, clocks);
    adding_of<false, true, true>(in, to, clocks);
    adding_of<true, true, false>(in, to, clocks);
    adding_of<true, true, true>(in, to, clocks);
    turns_of<1>((unsigned *)in, out, clocks);
    turns_of<4>((unsigned *)in, out, clocks);
    meetings<1>(in, to, most, clocks);
    meetings<4>(in, to, most, clocks);
    return 0;
}
