/* SPDX-License-Identifier: Apache-2.0
 *
 * lanes.cu: lanes of a warp that wait for each other in different places of the program. Prints
 * "PASS name" or "FAIL name"; with an argument, runs a kernel in which they wait in vain.
 */
#include <cstdio>
#include <cstdlib>

#include "report.h"

#define FULL 0xffffffffu

/* Each half writes what the other reads after the barrier that it meets in its own branch. */
__global__ void
two_branches(int *out)
{
    __shared__ volatile int s[32];
    int t = threadIdx.x;
    if (t < 16) {
        s[t] = t * 10;
        __syncwarp();
        out[t] = s[t + 16];
        __syncwarp();
        s[t] = -1;
    } else {
        s[t] = t * 100;
        __syncwarp();
        out[t] = s[t - 16];
        __syncwarp();
        s[t] = -1;
    }
}

/* The same with values that go through shuffles and votes at two places. */
__global__ void
two_shuffles(int *out, unsigned *votes)
{
    int t = threadIdx.x, v;
    unsigned b;
    if (t % 3 == 0) {
        v = __shfl_xor_sync(FULL, t + 1000, 1);
        b = __ballot_sync(FULL, t % 2);
    } else {
        v = __shfl_xor_sync(FULL, t + 2000, 1);
        b = __ballot_sync(FULL, t % 5 == 0);
    }
    out[t] = v;
    votes[t] = b;
}

/* A chain: each lane waits for the next one only, in a loop that every lane leaves at
 * another time. */
__global__ void
pairs(int *out)
{
    __shared__ volatile int s[32];
    int t = threadIdx.x;
    s[t] = 0;
    __syncwarp();
    for (int i = 0; i < 32; i++) {
        if (t == i) {
            s[t] = (t ? s[t - 1] : 0) + 1;
            __syncwarp(t < 31 ? 3u << t : 1u << t);
        } else if (t == i + 1) {
            __syncwarp(3u << i);
        }
    }
    out[t] = s[t];
}

/* Lanes named that have exited do not count. */
__global__ void
some_exit(int *out, int n)
{
    int t = threadIdx.x;
    if (t >= n)
        return;
    if (t % 2) {
        __syncwarp();
        out[t] = __popc(__ballot_sync(FULL, 1));
    } else {
        __syncwarp();
        out[t] = __popc(__ballot_sync(FULL, 1));
    }
}

/* One lane spins until others, who wait for each other in two places, have gone on. */
__global__ void
spinner(int *out)
{
    __shared__ volatile int flag;
    int t = threadIdx.x;
    flag = 0;
    __syncwarp();
    if (t == 0) {
        while (!flag) {
        }
    } else if (t < 16) {
        __syncwarp(FULL - 1);
    } else {
        __syncwarp(FULL - 1);
        flag = 1;
    }
    out[t] = flag;
}

/* Groups of unequal size, by value, in a divergent loop; block-wide barriers in between. */
__global__ void
groups(int *out, const int *key)
{
    __shared__ int sum;
    int t = threadIdx.x, k = key[t];
    if (t == 0)
        sum = 0;
    __syncthreads();
    for (int turn = 0; turn < k; turn++) {
        unsigned m = __match_any_sync(__activemask(), k);
        int r = __reduce_add_sync(m, t);
        if (__ffs(m) - 1 == (t & 31))
            atomicAdd(&sum, r);
    }
    __syncthreads();
    out[t] = sum;
}

/* Two warps: lanes of the first that wait for their own warp hold lanes at a barrier of
 * the block. */
__global__ void
both_barriers(int *out)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = 1;
    if (t < 8) {
        __syncthreads();
        s[t] = 2;
        __syncwarp();
    } else {
        __syncthreads();
        __syncwarp();
        s[t] += s[0];
    }
    __syncthreads();
    out[t] = s[t];
}

__global__ void
never(int *out)
{
    int t = threadIdx.x, v = t;
    if (t == 37)
        __syncwarp(0xff);
    else if (t < 40)
        v = __shfl_sync(t < 32 ? FULL : 0xff, t, 0);
    out[t] = v;
}

__global__ void
never_shuffled(int *out)
{
    int t = threadIdx.x;
    if (t == 37)
        out[t] = __shfl_sync(FULL, t, 0);
    __syncthreads();
    out[t] = 1;
}

/* A look-back: one lane of the first warp polls what the second warp writes late, the others stand
 * at the vote until it comes, and all go on to a barrier. */
__global__ void
look_back(int *out)
{
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    int v = 5;
    if (threadIdx.x == 40) {
        for (int i = 0; i < 3000; i++)
            v = v * 3 + flag;
        flag = 7;
    }
    if (threadIdx.x < 32) {
        while (threadIdx.x == 3 && (v = flag) == 0)
            __threadfence();
        v = (int)__ballot_sync(0xffffffffu, v == 7);
    }
    __syncthreads();
    out[threadIdx.x] = v;
}

int
main(int argc, char **argv)
{
    int *d, *d2, h[64], h2[64], good = 1;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&d2, sizeof h);
    if (argc > 1) {
        if (atoi(argv[1]) == 0)
            never<<<2, 64>>>(d);
        else
            never_shuffled<<<1, 64>>>(d);
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
        return 0;
    }
    two_branches<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        good &= h[i] == (i < 16 ? (i + 16) * 100 : (i - 16) * 10);
    report("two_branches", good);

    two_shuffles<<<1, 32>>>(d, (unsigned *)d2);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(h2, d2, sizeof h, cudaMemcpyDeviceToHost);
    unsigned vote = 0;
    for (int i = 0; i < 32; i++)
        vote |= (unsigned)(i % 3 == 0 ? i % 2 : i % 5 == 0) << i;
    good = 1;
    for (int i = 0; i < 32; i++) {
        int from = i ^ 1;
        good &= h[i] == from + (from % 3 == 0 ? 1000 : 2000) && (unsigned)h2[i] == vote;
    }
    report("two_shuffles", good);

    pairs<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    good = 1;
    for (int i = 0; i < 32; i++)
        good &= h[i] == i + 1;
    report("pairs", good);

    good = 1;
    for (int n = 1; n <= 33; n += 8) {
        some_exit<<<1, n < 32 ? 32 : 40>>>(d, n);
        cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
        /* Branches of one instruction count all members; both are of one kind. */
        for (int i = 0; i < n; i++)
            good &= h[i] == (i < 32 ? (n < 32 ? n : 32) : n - 32);
    }
    report("some_exit", good);

    spinner<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    report("spinner", h[0] == 1 && h[31] == 1);

    int sum = 0;
    for (int i = 0; i < 64; i++) {
        h[i] = i * 7 % 5;
        sum += i * h[i];
    }
    cudaMemcpy(d2, h, sizeof h, cudaMemcpyHostToDevice);
    groups<<<1, 64>>>(d, d2);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    good = 1;
    for (int i = 0; i < 64; i++)
        good &= h[i] == sum;
    report("groups", good);

    look_back<<<1, 64>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    good = 1;
    for (int i = 0; i < 32; i++)
        good &= h[i] == 1 << 3;
    report("look_back", good);

    both_barriers<<<1, 64>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    good = 1;
    for (int i = 0; i < 64; i++)
        good &= h[i] == (i < 8 ? 2 : i < 32 ? 3 : h[i]);
    report("both_barriers", good);
    return failures != 0;
}
