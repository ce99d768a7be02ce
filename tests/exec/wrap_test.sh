#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Indices whose 32-bit arithmetic wraps in the middle of a warp: the lanes before the wrap and those
# behind it access places 4 GiB apart. Loads, stores, loops that move on, rows of 16 threads.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/wrap.cu" <<'CU'
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

__global__ void
load(const unsigned char *q, unsigned char *out, unsigned c)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (q + 16)[i + c];
}

__global__ void
store(unsigned char *q, const unsigned char *in, unsigned c)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    (q + 16)[i + c] = in[i];
}

/* The index is written on both sides of a branch, which whole warps take. */
__global__ void
either(unsigned char *q, const unsigned char *in, unsigned c)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at;
    if (in[i / 32 * 32] & 32)
        asm volatile("add.u32 %0, %1, %2;" : "=r"(at) : "r"(i), "r"(c));
    else
        asm volatile("sub.u32 %0, %1, %2;" : "=r"(at) : "r"(i), "r"(0u - c));
    (q + 16)[at] = in[i] + 1;
}

/* Rows of 16 threads, 32 apart in memory; the address moves on in a loop. */
__global__ void
rows(const unsigned char *q, unsigned *out, unsigned c, int turns)
{
    unsigned x = threadIdx.x, y = threadIdx.y, sum = 0;
    const unsigned char *at = q + 16 + (y * 32 + x + c);
    for (int k = 0; k < turns; k++, at += 64)
        sum = sum * 31 + *at;
    __syncthreads();
    out[y * 16 + x] = sum * 31 + *at;
}

/* In a loop the index itself moves on, and wraps in the middle of it, in one of eight warps. */
__global__ void
turns(const unsigned char *q, unsigned *out, unsigned c, int turns)
{
    unsigned i = 16 * threadIdx.y + threadIdx.x, sum = 0;
    for (int k = 0; k < turns; k++)
        sum = (sum * 31 + (q + 16)[i + c + 64 * k]) * 31 + (q + 16)[threadIdx.x + c + 64 * k];
    out[i] = sum;
}

static unsigned char value(size_t i) { return (unsigned char)(i * 37 + (i >> 32) * 101 + 3); }
/* Place of q that thread i accesses. */
static size_t place(unsigned i, unsigned c) { return 16 + (size_t)(unsigned)(i + c); }

int
main()
{
    enum { N = 96, NEAR = 4096, MANY = 256, TURNS = 9 };
    const size_t far = (size_t)1 << 32;
    unsigned char *q, *out, ends[2][NEAR], got[N], in[N];
    unsigned *sums, have[MANY];
    int bad = 0;
    if (cudaMalloc(&q, far + NEAR) != cudaSuccess) {
        printf("skipped: no room for 4 GiB\n");
        return 0;
    }
    cudaMalloc(&out, N);
    cudaMalloc(&sums, sizeof have);
    for (int k = 0; k < NEAR; k++)
        ends[0][k] = value(k), ends[1][k] = value(far + k);
    const unsigned wraps[] = {0u - 16, 0u - 1, 0u - 40, 0u - 64, 0u - 96, 0u - 300, 0};
    for (unsigned c : wraps) {
        cudaMemcpy(q, ends[0], NEAR, cudaMemcpyHostToDevice);
        cudaMemcpy(q + far - NEAR / 2, ends[0], NEAR / 2, cudaMemcpyHostToDevice);
        cudaMemcpy(q + far, ends[1], NEAR, cudaMemcpyHostToDevice);
        auto at = [&](size_t i) { return i < NEAR ? ends[0][i] : i < far ? ends[0][i - (far - NEAR / 2)] : ends[1][i - far]; };
        load<<<1, N>>>(q, out, c);
        cudaMemcpy(got, out, N, cudaMemcpyDeviceToHost);
        for (unsigned i = 0; i < N; i++)
            bad += got[i] != at(place(i, c));
        rows<<<1, dim3(16, 4)>>>(q, sums, c, 3);
        cudaMemcpy(have, sums, sizeof have, cudaMemcpyDeviceToHost);
        for (unsigned t = 0; t < 64; t++) {
            unsigned sum = 0;
            for (int k = 0; k <= 3; k++)
                sum = sum * 31 + at(place(t / 16 * 32 + t % 16, c) + 64 * k);
            bad += have[t] != sum;
        }
        for (unsigned wide = 16; wide <= MANY; wide *= 16) {
            turns<<<1, dim3(wide, MANY / wide)>>>(q, sums, c, TURNS);
            cudaMemcpy(have, sums, sizeof have, cudaMemcpyDeviceToHost);
            for (unsigned t = 0; t < MANY; t++) {
                unsigned sum = 0;
                for (unsigned k = 0; k < TURNS; k++)
                    sum = (sum * 31 + at(place(t + 64 * k, c))) * 31 +
                          at(place(t % wide + 64 * k, c));
                bad += have[t] != sum;
            }
        }
        for (unsigned i = 0; i < N; i++)
            in[i] = (unsigned char)(200 - i);
        cudaMemcpy(out, in, N, cudaMemcpyHostToDevice);
        store<<<1, N>>>(q, out, c);
        for (unsigned i = 0; i < N; i++) {
            unsigned char one;
            cudaMemcpy(&one, q + place(i, c), 1, cudaMemcpyDeviceToHost);
            bad += one != in[i];
        }
        either<<<1, N>>>(q, out, c);
        for (unsigned i = 0; i < N; i++) {
            unsigned char one;
            cudaMemcpy(&one, q + place(i, c), 1, cudaMemcpyDeviceToHost);
            bad += one != (unsigned char)(in[i] + 1);
        }
        printf("c = %u: %d wrong so far\n", c, bad);
    }
    printf(bad || cudaDeviceSynchronize() != cudaSuccess ? "WRONG\n" : "right\n");
    return bad != 0;
}
CU
out=$("$LOCKSTEP" run "$work/wrap.cu" 2>&1)
case $? in
    0) echo "$out" | grep -qE '^(right|skipped)' && exit 0 ;;
esac
echo "$out"
exit 1
