/* SPDX-License-Identifier: Apache-2.0
 *
 * Scopes and fences: locks, flags and counters, in global and shared memory, inside a block and
 * between blocks, with what they need, and with one thing less or too narrow. Warp-synchronous
 * code.
 */
#include <cooperative_groups.h>
#include <stdio.h>

namespace cg = cooperative_groups;

enum { THREADS = 128, BLOCKS = 4 };
__device__ int lock_word, flag, sum, message[THREADS], results[BLOCKS];
__device__ unsigned int ticket;

/* -- locks ------------------------------------------------------------------------------------- */

enum fence { NONE, BLOCK, DEVICE };
template <fence F>
__device__ void
fence_of()
{
    if (F == BLOCK)
        __threadfence_block();
    if (F == DEVICE)
        __threadfence();
}

/* One thread of each warp adds under the lock. */
template <fence TAKE, fence GIVE, bool BLOCK_SCOPE>
__device__ void
add_locked(int *lock, int *to)
{
    if (threadIdx.x % 32)
        return;
    if (BLOCK_SCOPE)
        while (atomicCAS_block(lock, 0, 1))
            ;
    else
        while (atomicCAS(lock, 0, 1))
            ;
    fence_of<TAKE>();
    *to = *to + 1;
    fence_of<GIVE>();
    if (BLOCK_SCOPE)
        atomicExch_block(lock, 0);
    else
        atomicExch(lock, 0);
}

#define LOCK(name, take, give, block_scope)                                                        \
    __global__ void name()                                                                         \
    {                                                                                              \
        add_locked<take, give, block_scope>(&lock_word, &sum);                                     \
    }
/* launched with one block */
LOCK(good_lock_block_fences, BLOCK, BLOCK, false)
LOCK(good_lock_block_scope, BLOCK, BLOCK, true)
LOCK(good_lock_mixed_fences, DEVICE, BLOCK, false)
LOCK(bad_lock_one_block_no_take, NONE, BLOCK, false)
LOCK(bad_lock_one_block_no_give, BLOCK, NONE, false)
/* with several */
LOCK(good_lock, DEVICE, DEVICE, false)
LOCK(bad_lock_no_take, NONE, DEVICE, false)
LOCK(bad_lock_no_give, DEVICE, NONE, false)
LOCK(bad_lock_narrow_take, BLOCK, DEVICE, false)
LOCK(bad_lock_narrow_give, DEVICE, BLOCK, false)
LOCK(bad_lock_block_scope, DEVICE, DEVICE, true)

__global__ void
good_lock_shared()
{
    __shared__ int lock, to;
    if (threadIdx.x == 0)
        lock = to = 0;
    __syncthreads();
    add_locked<BLOCK, BLOCK, false>(&lock, &to);
}
__global__ void
bad_lock_shared_no_take()
{
    __shared__ int lock, to;
    if (threadIdx.x == 0)
        lock = to = 0;
    __syncthreads();
    add_locked<NONE, BLOCK, false>(&lock, &to);
}
/* Data in shared memory, the lock in global memory. */
__global__ void
good_lock_shared_data()
{
    __shared__ int to;
    if (threadIdx.x == 0)
        to = 0;
    __syncthreads();
    add_locked<BLOCK, BLOCK, false>(&lock_word, &to);
}
/* A lock taken by one thread for its block: the barrier stands for the fence. */
__global__ void
good_lock_for_block()
{
    if (threadIdx.x == 0)
        while (atomicCAS(&lock_word, 0, 1))
            ;
    __syncthreads();
    message[threadIdx.x] += 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicExch(&lock_word, 0);
}
__global__ void
bad_lock_for_block()
{
    if (threadIdx.x == 0)
        while (atomicCAS(&lock_word, 0, 1))
            ;
    __syncthreads();
    message[threadIdx.x] += 1;
    if (threadIdx.x == 0)
        __threadfence(); /* before the others have written */
    __syncthreads();
    if (threadIdx.x == 0)
        atomicExch(&lock_word, 0);
}

/* -- flags ------------------------------------------------------------------------------------- */

/* The first block's thread 0 writes, the last block's last warp reads. */
template <fence SEND, fence TAKE>
__device__ void
pass(int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        message[0] = 42;
        fence_of<SEND>();
        atomicExch(&flag, 1);
    } else if (blockIdx.x == gridDim.x - 1 && threadIdx.x == blockDim.x - 1) {
        while (!atomicAdd(&flag, 0))
            ;
        fence_of<TAKE>();
        *out = message[0];
    }
}
#define PASS(name, send, take)                                                                     \
    __global__ void name(int *out)                                                                 \
    {                                                                                              \
        pass<send, take>(out);                                                                     \
    }
PASS(good_pass_block, BLOCK, BLOCK) /* one block */
PASS(bad_pass_block_no_take, BLOCK, NONE)
PASS(bad_pass_block_no_send, NONE, BLOCK)
PASS(good_pass, DEVICE, DEVICE)
PASS(bad_pass_no_take, DEVICE, NONE)
PASS(bad_pass_narrow_take, DEVICE, BLOCK)
PASS(bad_pass_narrow_send, BLOCK, DEVICE)

/* .release and .acquire, without fences. */
template <bool ACQUIRE>
__device__ void
pass_release(int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        message[0] = 42;
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(&flag))
                     : "memory");
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        int seen;
        do
            if (ACQUIRE)
                asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                             : "=r"(seen) : "l"(__cvta_generic_to_global(&flag)) : "memory");
            else
                asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                             : "=r"(seen) : "l"(__cvta_generic_to_global(&flag)) : "memory");
        while (!seen);
        *out = message[0];
    }
}
__global__ void
good_pass_release(int *out)
{
    pass_release<true>(out);
}
__global__ void
bad_pass_relaxed(int *out)
{
    pass_release<false>(out);
}
/* A later strong write to the flag hands on what the .release did, and that itself, with which the
 * plain read would race; nothing that came between. */
template <bool BETWEEN>
__device__ void
pass_twice(int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(&flag))
                     : "memory");
        if (BETWEEN)
            message[0] = 42;
        asm volatile("st.relaxed.gpu.global.u32 [%0], 2;" ::"l"(__cvta_generic_to_global(&flag))
                     : "memory");
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        int seen;
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(seen) : "l"(__cvta_generic_to_global(&flag)) : "memory");
        while (seen != 2);
        *out = flag + (BETWEEN ? message[0] : 0);
    }
}
__global__ void
good_pass_twice(int *out)
{
    pass_twice<false>(out);
}
__global__ void
bad_pass_twice(int *out)
{
    pass_twice<true>(out);
}
/* What is written behind a .release is not handed on by it. */
__global__ void
bad_pass_late(int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(&flag))
                     : "memory");
        message[0] = 42;
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        int seen;
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(seen) : "l"(__cvta_generic_to_global(&flag)) : "memory");
        while (!seen);
        *out = message[0];
    }
}
/* The reader sets the flag back by a plain store: it has seen the last write to it. */
__global__ void
good_flag_back(int *out)
{
    pass<DEVICE, DEVICE>(out);
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == blockDim.x - 1)
        flag = 0;
}
__global__ void
bad_flag_back(int *out)
{
    pass<DEVICE, DEVICE>(out);
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == blockDim.x - 1) {
        atomicExch(&ticket, 1);
    } else if (blockIdx.x == gridDim.x - 1 &&
               threadIdx.x == 0) { /* another thread, without a fence */
        while (!atomicAdd(&ticket, 0))
            ;
        flag = 0;
    }
}

/* Programming Guide, "Memory Fence Functions": the last block adds what all have left. */
template <fence F, typename RESULT>
__device__ void
last_block(RESULT *result, int *out)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        result[blockIdx.x] = blockIdx.x;
        fence_of<F>();
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (int k = 0; k < gridDim.x; k++)
            all += result[k];
        *out = all;
    }
}
__global__ void
good_last_block(int *out)
{
    last_block<DEVICE, volatile int>(results, out);
}
__global__ void
good_last_block_plain(int *out)
{
    last_block<DEVICE, int>(results, out);
}
__global__ void
bad_last_block_narrow(int *out)
{
    last_block<BLOCK, int>(results, out);
}
__global__ void
bad_last_block_none(int *out)
{
    last_block<NONE, int>(results, out);
}

/* -- volatile ---------------------------------------------------------------------------------- */

__global__ void
bad_volatile_sum(volatile int *x)
{
    if (threadIdx.x == 0)
        *x = *x + 1;
}
__global__ void
bad_volatile_atomic(int *x)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *(volatile int *)x = 5;
    else if (threadIdx.x == 0)
        atomicAdd(x, 1);
}
__global__ void
good_volatile_lock(volatile int *x)
{
    if (threadIdx.x)
        return;
    while (atomicCAS(&lock_word, 0, 1))
        ;
    __threadfence();
    *x = *x + 1;
    __threadfence();
    atomicExch(&lock_word, 0);
}
__global__ void
good_volatile_barrier(volatile int *x)
{
    if (blockIdx.x)
        return;
    if (threadIdx.x == 0)
        *x = 1;
    __syncthreads();
    if (threadIdx.x == 64)
        *x = 2;
    __syncthreads();
    if (*x != 2)
        printf("wrong\n");
}
__global__ void
good_volatile_flag(int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        message[0] = 42;
        __threadfence();
        *(volatile int *)&flag = 1;
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (!*(volatile int *)&flag)
            ;
        __threadfence();
        *out = message[0];
    }
}
/* The same without fences: of volatile words alone. */
__global__ void
bad_volatile_flag(volatile int *x)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        x[1] = 42;
        x[0] = 1;
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (!x[0])
            ;
        x[2] = x[1];
    }
}
__global__ void
bad_volatile_no_fence(int *out) /* volatile hands nothing on */
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        message[0] = 42;
        *(volatile int *)&flag = 1;
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (!*(volatile int *)&flag)
            ;
        __threadfence();
        *out = message[0];
    }
}
__global__ void
good_grid(int *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    cg::this_grid().sync();
    if (x[(blockIdx.x * blockDim.x + threadIdx.x + blockDim.x) % (gridDim.x * blockDim.x)] != 1)
        printf("wrong\n");
}

/* -- warps ------------------------------------------------------------------------------------- */

/* M. Harris, "Optimizing Parallel Reduction in CUDA", the unrolled last warp. */
__device__ void
warp_reduce(volatile int *s, int t)
{
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}
__global__ void
bad_warp_reduce(int *out) /* right before 7.0 */
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    if (t < 64)
        s[t] += s[t + 64];
    __syncthreads();
    if (t < 32)
        warp_reduce(s, t);
    if (t == 0)
        out[blockIdx.x] = s[0];
}
__global__ void
good_warp_reduce(int *out)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    if (t < 64)
        s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) {
        for (int k = 32; k; k /= 2) {
            int other = s[t + k];
            __syncwarp();
            s[t] += other;
            __syncwarp();
        }
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}
/* A fence does not wait for the other lanes. */
__global__ void
bad_warp_fence(int *out)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    if (t >= 32)
        return;
    s[t] = t;
    s[t + 32] = 0;
    __threadfence_block();
    s[t] += s[t + 1];
    __threadfence_block();
    out[t] = s[t];
}
__global__ void
bad_warp_global(volatile int *x) /* in global memory */
{
    int t = threadIdx.x;
    if (blockIdx.x || t >= 32)
        return;
    x[t] = t;
    x[32 + t] = x[t ^ 1];
}

/* -- launches ---------------------------------------------------------------------------------- */

/* A counter by a parameter and by a pointer out of memory, beside a volatile store elsewhere: who
 * has seen the last addition may read it plainly, and nobody else. */
__device__ int *counter;
__device__ void
count(int *x, bool looks)
{
    int *same = counter, seen = 0;
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        *(volatile int *)&flag = 1;
        for (int k = 0; k < 3; k++)
            seen += atomicAdd(same, 1);
        x[1] = seen;
        return;
    }
    while (looks && seen != 3)
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(x) : "memory");
    x[2] = *same;
}
__global__ void
good_count(int *x)
{
    count(x, true);
}
__global__ void
bad_count(int *x)
{
    count(x, false);
}

/* Several blocks see the last addition and read plainly once all of them have; or block 3 has not
 * looked there. */
__device__ int
relaxed(const int *at)
{
    int seen;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(at) : "memory");
    return seen;
}
__device__ void
look(int *x, int lookers)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        for (int k = 0; k < 3; k++)
            atomicAdd(x, 1);
        return;
    }
    while (blockIdx.x <= lookers && relaxed(x) != 3)
        ;
    atomicAdd(x + 8, 1);
    while (relaxed(x + 8) != 3)
        ;
    x[8 + blockIdx.x] = *x;
}
__global__ void
good_lookers(int *x)
{
    look(x, 3);
}
__global__ void
bad_lookers(int *x)
{
    look(x, 2);
}

/* The same among the warps of a block, for a word of shared memory. */
__device__ void
look_shared(int *out, int lookers)
{
    __shared__ int s[2];
    int warp = threadIdx.x / 32;
    if (threadIdx.x < 2)
        s[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x % 32)
        return;
    if (warp == 0) {
        for (int k = 0; k < 3; k++)
            atomicAdd(s, 1);
        return;
    }
    while (warp <= lookers && relaxed(s) != 3)
        ;
    atomicAdd(s + 1, 1);
    while (relaxed(s + 1) != 3)
        ;
    out[warp] = s[0];
}
__global__ void
good_lookers_shared(int *x)
{
    look_shared(x, 3);
}
__global__ void
bad_lookers_shared(int *x)
{
    look_shared(x, 2);
}

/* One lane waits, the warp's others read behind it; then comes the next addition, for which they
 * have not waited. */
__device__ void
look_again(int *at, int *out, bool again)
{
    if (threadIdx.x == 0) {
        atomicAdd(at, 1);
        while (relaxed(at + 1) != 1)
            ;
        if (again)
            atomicAdd(at, 1);
        return;
    }
    if (threadIdx.x / 32 != 1)
        return;
    while (threadIdx.x == 32 && relaxed(at) != 1)
        ;
    if (threadIdx.x == 32)
        atomicAdd(at + 1, 1);
    __syncwarp();
    out[threadIdx.x] = *at;
}
__device__ void
look_again_shared(int *out, bool again)
{
    __shared__ int s[2];
    if (threadIdx.x < 2)
        s[threadIdx.x] = 0;
    __syncthreads();
    look_again(s, out, again);
}
__global__ void
good_look_again(int *x)
{
    look_again(x, x, false);
}
__global__ void
bad_look_again(int *x)
{
    look_again(x, x, true);
}
__global__ void
good_look_again_shared(int *x)
{
    look_again_shared(x, false);
}
__global__ void
bad_look_again_shared(int *x)
{
    look_again_shared(x, true);
}

/* Warp 0 reads plainly, 1 and 2 strongly; then 2 adds: only the first can race with that. */
__device__ void
displaced(int *at, int *out, bool barrier)
{
    int seen = 0;
    if (threadIdx.x == 0)
        seen = *at;
    else if (threadIdx.x == 32 || threadIdx.x == 64)
        asm volatile("ld.relaxed.cta.u32 %0, [%1];" : "=r"(seen) : "l"(at) : "memory");
    out[threadIdx.x + 1] = seen;
    if (barrier)
        __syncthreads();
    if (threadIdx.x == 64)
        atomicAdd(at, 1);
}
__global__ void
good_displaced(int *x)
{
    displaced(x, x, true);
}
__global__ void
bad_displaced(int *x)
{
    displaced(x, x, false);
}
__global__ void
good_displaced_shared(int *x)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    displaced(&s, x, true);
}
__global__ void
bad_displaced_shared(int *x)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    displaced(&s, x, false);
}

int
main()
{
    int *x, zero = 0;
    cudaMalloc(&x, BLOCKS * THREADS * sizeof *x);
#define CLEAR()                                                                                    \
    cudaMemset(x, 0, BLOCKS *THREADS * sizeof *x),                                                 \
        cudaMemcpyToSymbol(lock_word, &zero, sizeof zero),                                         \
        cudaMemcpyToSymbol(flag, &zero, sizeof zero), cudaMemcpyToSymbol(sum, &zero, sizeof zero), \
        cudaMemcpyToSymbol(ticket, &zero, sizeof zero)
#define RUN(kernel, blocks, ...)                                                                   \
    CLEAR(), kernel<<<blocks, THREADS>>>(__VA_ARGS__), cudaDeviceSynchronize()
    RUN(good_lock_block_fences, 1);
    RUN(good_lock_block_scope, 1);
    RUN(good_lock_mixed_fences, 1);
    RUN(bad_lock_one_block_no_take, 1);
    RUN(bad_lock_one_block_no_give, 1);
    RUN(good_lock, BLOCKS);
    RUN(bad_lock_no_take, BLOCKS);
    RUN(bad_lock_no_give, BLOCKS);
    RUN(bad_lock_narrow_take, BLOCKS);
    RUN(bad_lock_narrow_give, BLOCKS);
    RUN(bad_lock_block_scope, BLOCKS);
    RUN(good_lock_shared, BLOCKS);
    RUN(bad_lock_shared_no_take, BLOCKS);
    RUN(good_lock_shared_data, 1);
    RUN(good_lock_for_block, BLOCKS);
    RUN(bad_lock_for_block, BLOCKS);
    RUN(good_pass_block, 1, x);
    RUN(bad_pass_block_no_take, 1, x);
    RUN(bad_pass_block_no_send, 1, x);
    RUN(good_pass, BLOCKS, x);
    RUN(bad_pass_no_take, BLOCKS, x);
    RUN(bad_pass_narrow_take, BLOCKS, x);
    RUN(bad_pass_narrow_send, BLOCKS, x);
    RUN(good_pass_release, 2, x);
    RUN(bad_pass_relaxed, 2, x);
    RUN(bad_pass_late, 2, x);
    RUN(good_pass_twice, 2, x);
    RUN(bad_pass_twice, 2, x);
    RUN(good_flag_back, BLOCKS, x);
    RUN(bad_flag_back, BLOCKS, x);
    RUN(good_last_block, BLOCKS, x);
    RUN(good_last_block_plain, BLOCKS, x);
    RUN(bad_last_block_narrow, BLOCKS, x);
    RUN(bad_last_block_none, BLOCKS, x);
    RUN(bad_volatile_sum, BLOCKS, x);
    RUN(bad_volatile_atomic, 2, x);
    RUN(good_volatile_lock, BLOCKS, x);
    RUN(good_volatile_barrier, BLOCKS, x);
    RUN(good_volatile_flag, 2, x);
    RUN(bad_volatile_flag, 2, x);
    RUN(bad_volatile_no_fence, 2, x);
    cudaMemcpyToSymbol(counter, &x, sizeof x);
    RUN(good_count, 2, x);
    RUN(bad_count, 2, x);
    RUN(good_lookers, 4, x);
    RUN(bad_lookers, 4, x);
    RUN(good_lookers_shared, 1, x);
    RUN(bad_lookers_shared, 1, x);
    RUN(good_look_again, 1, x);
    RUN(bad_look_again, 1, x);
    RUN(good_look_again_shared, 1, x);
    RUN(bad_look_again_shared, 1, x);
    RUN(good_displaced, 1, x);
    RUN(bad_displaced, 1, x);
    RUN(good_displaced_shared, 1, x);
    RUN(bad_displaced_shared, 1, x);
    CLEAR();
    void *arguments[] = {&x};
    cudaLaunchCooperativeKernel((void *)good_grid, BLOCKS, THREADS, arguments, 0, 0);
    cudaDeviceSynchronize();
    RUN(bad_warp_reduce, BLOCKS, x);
    RUN(good_warp_reduce, BLOCKS, x);
    RUN(bad_warp_fence, 1, x);
    RUN(bad_warp_global, BLOCKS, x);
    cudaFree(x);
    return cudaDeviceSynchronize();
}
