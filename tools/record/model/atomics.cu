// SPDX-License-Identifier: Apache-2.0
//
// What atomics cost, as CSV: nanoseconds and clocks for each request of a warp, on the whole GPU (global memory) and on
// one SM (shared memory). Of a warp `lanes` lanes take part, which ask for `distinct` addresses `stride` bytes apart;
// the GPU's warps share `groups` places that lie `apart` bytes from each other (0: each warp has its own). `used`: the
// result is used, so that the compiler makes atom, not red. Lanes' addresses are not known to the compiler, which
// therefore does not add up a warp's numbers first.
#include "bench.h"

enum op { ADD_S32, ADD_U64, ADD_F32, ADD_F64, MAX_S32, INC_U32, AND_B32, EXCH_B32, CAS_B32, CAS_B64, LOOP_F32, LOOP_F64,
          MAX_F32_LOOP };
static const char *const names[] = {"add_s32", "add_u64", "add_f32", "add_f64", "max_s32", "inc_u32", "and_b32", "exch_b32",
                                    "cas_b32", "cas_b64", "cas_loop_f32", "cas_loop_f64", "cas_loop_max_f32"};

static constexpr bool
is_loop(int op)
{
    return op == LOOP_F32 || op == LOOP_F64 || op == MAX_F32_LOOP;
}

template <int OP>
static __device__ __forceinline__ unsigned long long
once(void *p, int v)
{
    switch (OP) {
    case ADD_S32: return (unsigned)atomicAdd((int *)p, v);
    case ADD_U64: return atomicAdd((unsigned long long *)p, (unsigned long long)v);
    case ADD_F32: return (unsigned)__float_as_int(atomicAdd((float *)p, (float)v));
    case ADD_F64: return (unsigned long long)__double_as_longlong(atomicAdd((double *)p, (double)v));
    case MAX_S32: return (unsigned)atomicMax((int *)p, v);
    case INC_U32: return atomicInc((unsigned *)p, 0x7fffffff);
    case AND_B32: return (unsigned)atomicAnd((int *)p, v);
    case EXCH_B32: return (unsigned)atomicExch((int *)p, v);
    case CAS_B32: return (unsigned)atomicCAS((int *)p, v, v + 1);
    case CAS_B64: return atomicCAS((unsigned long long *)p, (unsigned long long)v, (unsigned long long)v + 1);
    case LOOP_F32: {
        unsigned *q = (unsigned *)p, old = *(volatile unsigned *)q, seen;
        do {
            seen = old;
            old = atomicCAS(q, seen, (unsigned)__float_as_int(__int_as_float((int)seen) + (float)v));
        } while (old != seen);
        return old;
    }
    case LOOP_F64: {
        unsigned long long *q = (unsigned long long *)p, old = *(volatile unsigned long long *)q, seen;
        do {
            seen = old;
            old = atomicCAS(q, seen, (unsigned long long)__double_as_longlong(__longlong_as_double((long long)seen) + v));
        } while (old != seen);
        return old;
    }
    case MAX_F32_LOOP: {
        unsigned *q = (unsigned *)p, old = *(volatile unsigned *)q, seen;
        do {
            seen = old;
            if (__int_as_float((int)seen) >= (float)v)
                break;
            old = atomicCAS(q, seen, (unsigned)__float_as_int((float)v));
        } while (old != seen);
        return old;
    }
    }
    return 0;
}

struct pattern {
    int lanes, distinct, stride;
    long groups, apart;
};

template <int OP, bool USED>
__global__ void
in_global(char *memory, pattern q, int n, unsigned long long *out)
{
    long warp = (blockIdx.x * (long)blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    char *p = memory + (q.groups ? warp % q.groups : warp) * q.apart + lane % q.distinct * q.stride;
    unsigned long long sum = 0;
    if (lane < q.lanes)
        for (int i = 0; i < n; i++) {
            unsigned long long r = once<OP>(p, i + 1);
            if (USED)
                sum += r;
        }
    if (USED && sum == 0x123456789abcdefull)
        *out = sum;
}

template <int OP>
__global__ void
in_shared(pattern q, int n, unsigned long long *out, long long *clocks)
{
    __shared__ unsigned long long memory[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        memory[i] = 0;
    __syncthreads();
    long warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    char *p = (char *)memory + (q.groups ? warp % q.groups : warp) * q.apart + lane % q.distinct * q.stride;
    long long begin = clock64();
    if (lane < q.lanes)
        for (int i = 0; i < n; i++)
            once<OP>(p, i + 1);
    __syncthreads();
    long long end = clock64();
    if (threadIdx.x == 0)
        *clocks = end - begin;
    out[threadIdx.x] = memory[threadIdx.x];
}

static char *memory;
static unsigned long long *out;
static long long *clocks;
static const size_t BYTES = (size_t)256 << 20;

template <int OP, bool USED>
static void
global(pattern q, int blocks, int threads)
{
    long warps = (long)blocks * threads / 32, n;
    if (warps * q.apart > (long)BYTES && !q.groups)
        return;
    /* Of a loop one thread an address gets ahead while all the others fail: some thousand an address are enough. */
    long wanting = (q.groups ? (warps + q.groups - 1) / q.groups : 1) * ((q.lanes + q.distinct - 1) / q.distinct);
    if (is_loop(OP) && wanting > 2048) {
        blocks = (int)std::max(1l, blocks * 2048 / wanting);
        warps = (long)blocks * threads / 32;
    }
    n = std::max(1l, (is_loop(OP) ? 8000 : 64000) / warps / (q.groups == 1 ? 4 : 1));
    n = std::min(n, is_loop(OP) ? 4l : 64l);
    CHECK(cudaMemset(memory, 0, BYTES / 16));
    double us = microseconds([&] { in_global<OP, USED><<<blocks, threads>>>(memory, q, (int)n, out); }, 1, 3);
    printf("global,%s,%d,%d,%d,%d,%d,%ld,%ld,%ld,%ld,%.3f,%.4f\n", names[OP], USED, blocks, threads, q.lanes, q.distinct,
           (long)q.stride, q.groups, q.apart, n, us, 1e3 * us / (double)(warps * n));
}

template <int OP>
static void
shared(pattern q, int threads)
{
    long long took = 0;
    int n = (int)std::max(4l, (is_loop(OP) ? 16 : 64) / scale());
    for (int i = 0; i < 2; i++)
        in_shared<OP><<<1, threads>>>(q, n, out, clocks);
    CHECK(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost));
    printf("shared,%s,0,1,%d,%d,%d,%ld,%ld,%ld,%d,%lld,%.4f\n", names[OP], threads, q.lanes, q.distinct, (long)q.stride,
           q.groups, q.apart, n, took, (double)took / n / (threads / 32));
}

template <int OP>
static void
all_global(int width)
{
    int sms = sm_count(), few = scale() > 1;
    for (int distinct = 1; distinct <= 32; distinct *= few ? 32 : 2)
        for (int stride : {width, 32, 128})
            for (long groups : {1l, 4l, 32l, 256l, 4096l, 0l}) {
                if (distinct == 1 && stride != width)
                    continue;
                global<OP, false>({32, distinct, stride, groups, std::max(128, 32 * stride)}, few ? 2 : 4 * sms, 256);
            }
    for (long groups : {1l, 32l, 0l}) {
        global<OP, true>({32, 1, width, groups, 128}, few ? 2 : 4 * sms, 256);
        global<OP, true>({32, 32, width, groups, 128 * width / 4}, few ? 2 : 4 * sms, 256);
        global<OP, false>({1, 1, width, groups, 128}, few ? 2 : 4 * sms, 256);
        global<OP, true>({1, 1, width, groups, 128}, few ? 2 : 4 * sms, 256);
        global<OP, true>({1, 1, width, groups, 128}, 1, 32); /* latency */
        global<OP, true>({32, 32, width, groups, 128 * width / 4}, 1, 32);
        global<OP, false>({32, 1, width, groups, 128}, few ? 1 : sms, 32);
    }
    /* Different words of one line, and lines of one page: what serialises, word, sector, line or slice. */
    for (int apart : {width, 32, 64, 128, 256, 512, 4096})
        for (long groups : {8l, 32l})
            global<OP, false>({1, 1, width, groups, apart}, few ? 2 : 4 * sms, 256);
}

template <int OP>
static void
all_shared(int width)
{
    for (int threads : {32, 128, 256, 1024})
        for (int distinct : {1, 2, 4, 8, 16, 32})
            for (long groups : {1l, 0l}) {
                if (threads == 32 && !groups)
                    continue;
                shared<OP>({32, distinct, width, groups, width * 32}, threads);
                if (distinct > 1 && groups == 1)
                    shared<OP>({32, distinct, 128, groups, width}, threads);
            }
    shared<OP>({1, 1, width, 1, width * 32}, 32);
    shared<OP>({1, 1, width, 1, width * 32}, 1024);
}

int
main(void)
{
    memory = device_memory<char>(BYTES);
    out = device_memory<unsigned long long>(1024);
    clocks = device_memory<long long>(1);
    printf("space,operation,used,blocks,threads,lanes,distinct,stride,groups,apart,turns,us_or_clocks,ns_or_clocks_each\n");
    all_shared<ADD_S32>(4), all_shared<ADD_U64>(8), all_shared<ADD_F32>(4), all_shared<ADD_F64>(8), all_shared<MAX_S32>(4);
    all_shared<INC_U32>(4), all_shared<AND_B32>(4), all_shared<EXCH_B32>(4), all_shared<CAS_B32>(4);
    all_shared<LOOP_F32>(4), all_shared<LOOP_F64>(8), all_shared<MAX_F32_LOOP>(4);
    all_global<ADD_S32>(4), all_global<ADD_F32>(4), all_global<ADD_F64>(8), all_global<ADD_U64>(8);
    all_global<MAX_S32>(4), all_global<CAS_B32>(4), all_global<EXCH_B32>(4), all_global<AND_B32>(4);
    all_global<LOOP_F32>(4), all_global<LOOP_F64>(8), all_global<MAX_F32_LOOP>(4);
    return 0;
}
