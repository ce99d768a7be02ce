/* SPDX-License-Identifier: Apache-2.0
 *
 * calls.cu: functions that are called recursively or through pointers, and wait there: barriers of
 * the block, locks, warp-wide operations. Prints "PASS name" or "FAIL name"; with an argument, runs
 * a kernel that fails.
 */
#include <cstdio>
#include <cstdlib>

#include "report.h"

/* Sums 2^depth rows of shared memory by halves, a barrier at every level of the recursion. */
__device__ __noinline__ int
tree(int *s, int n)
{
    int t = threadIdx.x;
    if (n == 1)
        return s[0];
    if (t < n / 2)
        s[t] += s[t + n / 2];
    __syncthreads();
    return tree(s, n / 2) + (n == 2);
}

__global__ void
recursive_barrier(int *out)
{
    __shared__ int s[256];
    s[threadIdx.x] = threadIdx.x + blockIdx.x;
    __syncthreads();
    int sum = tree(s, blockDim.x);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

typedef int (*step)(int *, int);

__device__ int
rotate_left(int *s, int v)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    int r = s[(t + 1) % blockDim.x];
    __syncthreads();
    return r;
}

__device__ int
count_odd(int *, int v)
{
    return __syncthreads_count(v % 2);
}

__device__ step steps[] = {rotate_left, count_odd};

__global__ void
pointer_barrier(int *out, const int *which, int n)
{
    __shared__ int s[256];
    int v = threadIdx.x;
    for (int k = 0; k < n; k++)
        v = steps[which[k]](s, v);
    out[threadIdx.x] = v;
}

/* Some threads return before the barriers in the calls. */
__global__ void
pointer_after_exit(int *out, const int *which)
{
    if (threadIdx.x % 32 >= 20)
        return;
    out[threadIdx.x] = steps[which[0]](0, threadIdx.x);
}

/* Each warp's lanes take different branches to their calls; both count at one barrier. */
__device__ int mutex, shared_count;

__device__ int
locked(int *s, int v)
{
    for (bool done = false; !done;)
        if (atomicCAS(&mutex, 0, 1) == 0) {
            shared_count = shared_count + 1;
            __threadfence();
            atomicExch(&mutex, 0);
            done = true;
        }
    return v + 1;
}

/* Waits until the other warp has come. */
__device__ int
meet(int *s, int v)
{
    if (v % 32 == 0)
        atomicAdd(s, 1);
    while (*(volatile int *)s < (int)blockDim.x / 32) {
    }
    return v;
}

__device__ step waits[] = {locked, meet};

__global__ void
pointer_lock(int *out, const int *which)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    int v = threadIdx.x;
    if (v % 3)
        v = waits[which[0]](&s, v);
    out[threadIdx.x] = v;
}

__global__ void
pointer_meet(int *out, const int *which)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 0;
    __syncthreads();
    out[threadIdx.x] = waits[which[1]](&s, threadIdx.x);
}

__device__ __noinline__ int
deep(int n, volatile int *p)
{
    int local[8];
    for (int k = 0; k < 8; k++)
        local[k] = n + p[k];
    int below = n ? deep(n - 1, p) : 0;
    for (int k = 0; k < 8; k++)
        below += local[(k + p[0]) % 8];
    return below;
}

__global__ void
depth(int n, int *p, int *out)
{
    out[threadIdx.x] = deep(n, p);
}

__global__ void
wrong_branch(int *out, const int *which)
{
    if (threadIdx.x < 40)
        out[threadIdx.x] = steps[which[0]](out, 1);
    else
        asm volatile("bar.sync 1;");
}

__device__ int
vote(int *, int v)
{
    return __popc(__ballot_sync(0xffffffffu, v > 0));
}

__device__ int
vote_active(int *, int v)
{
    return __popc(__ballot_sync(__activemask(), v > 0));
}

__device__ step votes[] = {vote, vote_active};

__global__ void
voting(int *out, const int *which, int n, int k)
{
    int v = 0;
    if (threadIdx.x < n)
        v = votes[which[k]](0, 1);
    out[threadIdx.x] = v;
}

__global__ void
faults_in_call(int *out, const int *which)
{
    out[threadIdx.x] = steps[which[0]]((int *)64, 1);
}

int
main(int argc, char **argv)
{
    int *d, *which, h[512], w[3] = {0, 1, 0}, good = 1, zero[8] = {0};
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&which, sizeof w);
    cudaMemcpy(which, w, sizeof w, cudaMemcpyHostToDevice);
    if (argc > 1) {
        cudaMemcpy(d, zero, sizeof zero, cudaMemcpyHostToDevice);
        if (atoi(argv[1]) == 0)
            wrong_branch<<<2, 64>>>(d, which);
        else if (atoi(argv[1]) == 1)
            faults_in_call<<<2, 64>>>(d, which);
        else if (atoi(argv[1]) == 2)
            depth<<<1, 64>>>(100000, d, d + 8);
        else if (atoi(argv[1]) == 4) /* the host's stack is full first */
            cudaDeviceSetLimit(cudaLimitStackSize, 512 << 10), depth<<<1, 64>>>(50000, d, d + 8);
        else
            voting<<<1, 32>>>(d, which, 13, 0);
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
        return 0;
    }
    recursive_barrier<<<4, 128>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 512; i++)
        good &= h[i] == 127 * 64 + 128 * (i / 128) + 1;
    report("recursive_barrier", good);

    pointer_barrier<<<1, 96>>>(d, which, 3);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    good = 1;
    for (int i = 0; i < 96; i++)
        good &= h[i] == 48;
    report("pointer_barrier", good);
    pointer_barrier<<<1, 75>>>(d, which, 1);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 75; i++)
        good &= h[i] == (i + 1) % 75;
    report("pointer_barrier, part of a warp", good);

    pointer_after_exit<<<1, 96>>>(d, which + 1);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    good = 1;
    for (int i = 0; i < 96; i++)
        good &= i % 32 >= 20 || h[i] == 30;
    report("pointer_after_exit", good);

    int n;
    pointer_lock<<<3, 64>>>(d, which);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&n, shared_count, sizeof n);
    good = n == 3 * 42;
    for (int i = 0; i < 64; i++)
        good &= h[i] == i + (i % 3 != 0);
    report("pointer_lock", good);
    pointer_meet<<<2, 128>>>(d, which);
    report("pointer_meet", true);

    voting<<<1, 32>>>(d, which, 32, 0);
    voting<<<1, 32>>>(d + 32, which, 13, 1);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    report("voting", h[0] == 32 && h[31] == 32 && h[32] == 13 && h[44] == 13);

    size_t limit = 0;
    cudaMemset(d, 0, sizeof h);
    cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10);
    cudaDeviceGetLimit(&limit, cudaLimitStackSize);
    depth<<<1, 33>>>(300, d, d + 8);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    report("depth", limit == 64 << 10 && h[8] == 300 * 301 / 2 * 8 && h[40] == h[8]);
    return failures != 0;
}
