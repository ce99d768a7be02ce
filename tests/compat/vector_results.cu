/* SPDX-License-Identifier: Apache-2.0
 *
 * vector_results.cu: an instruction that writes several registers, each of which a loop carries on
 * and the code behind the loop uses too.
 */
#include <cstdio>
#include <cuda_fp16.h>

__global__ void
products(const half2 *a, const half2 *b, float2 *sums, int n)
{
    half2 sum(0.f, 0.f);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum = a[i] * b[i] + sum;
    sums[threadIdx.x] = make_float2((float)sum.x, (float)sum.y);
}

__global__ void
chase(const int4 *next, int *last, int steps)
{
    int4 at = make_int4(threadIdx.x, 0, 0, 0);
    for (int i = 0; i < steps; i++) {
        int4 here = next[at.x];
        at = make_int4(here.x, here.y + at.z, here.z, here.w ^ at.w);
    }
    last[threadIdx.x] = at.x + 1000 * at.y + 100000 * at.z + at.w;
}

int
main()
{
    enum { N = 512, THREADS = 96 };
    half2 *a;
    float2 *sums;
    int4 *next;
    int *last, bad = 0;
    cudaMallocManaged(&a, N * sizeof *a);
    cudaMallocManaged(&sums, THREADS * sizeof *sums);
    cudaMallocManaged(&next, THREADS * sizeof *next);
    cudaMallocManaged(&last, THREADS * sizeof *last);
    for (int i = 0; i < N; i++)
        a[i] = half2((float)(i % 5), 1.f);
    for (int i = 0; i < THREADS; i++)
        next[i] = make_int4((7 * i + 5) % THREADS, i % 3, i % 4, i);
    products<<<1, THREADS>>>(a, a, sums, N);
    chase<<<1, THREADS>>>(next, last, 9);
    cudaDeviceSynchronize();
    for (int t = 0; t < THREADS; t++) {
        float x = 0, y = 0;
        for (int i = t; i < N; i += THREADS)
            x += (float)((i % 5) * (i % 5)), y += 1;
        bad += sums[t].x != x || sums[t].y != y;
        int4 at = make_int4(t, 0, 0, 0);
        for (int i = 0; i < 9; i++) {
            int4 here = next[at.x];
            at = make_int4(here.x, here.y + at.z, here.z, here.w ^ at.w);
        }
        bad += last[t] != at.x + 1000 * at.y + 100000 * at.z + at.w;
    }
    puts(bad ? "wrong" : "ok");
    return bad != 0;
}
