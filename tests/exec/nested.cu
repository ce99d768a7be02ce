/* SPDX-License-Identifier: Apache-2.0
 *
 * nested.cu: kernels that launch kernels. Prints "PASS name" or "FAIL name"; with an argument, runs
 * a kernel whose child fails.
 */
#include <cstdio>
#include <cstdlib>

#include "report.h"

struct parcel {
    int a;
    double b;
    char c[5];
};

__global__ void
mixed(int *out, char c, short s, double d, parcel p, bool flag)
{
    extern __shared__ int room[];
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * blockIdx.x);
    room[threadIdx.x + 4 * threadIdx.y] = t;
    __syncthreads();
    out[t] = room[threadIdx.x + 4 * threadIdx.y] + c + s + (int)(d + p.b) + p.a + p.c[4] +
             (flag ? 1000 : 0);
}

__global__ void
launches_mixed(int *out, double d)
{
    parcel p = {(int)threadIdx.x, 0.5, {1, 2, 3, 4, 5}};
    if (threadIdx.x < 3)
        mixed<<<2, dim3(4, 2), 8 * sizeof(int)>>>(out + 16 * threadIdx.x, -3, -300, d, p,
                                                  threadIdx.x & 1);
}

template <class T>
__global__ void
fill(T *p, int n, T v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = v;
}

template <class T>
__global__ void
launches_template(T *p, int n)
{
    fill<T><<<(n + 31) / 32, 32>>>(p, n, T(n) / 2);
    cudaDeviceSynchronize();
    p[0] += p[n - 1];
}

/* Quicksort, a grid a partition. */
__global__ void
quicksort(int *v, int low, int high)
{
    int l = low, h = high, pivot = v[(low + high) / 2];
    while (l <= h) {
        while (v[l] < pivot)
            l++;
        while (v[h] > pivot)
            h--;
        if (l <= h) {
            int t = v[l];
            v[l++] = v[h];
            v[h--] = t;
        }
    }
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    if (low < h)
        quicksort<<<1, 1, 0, s>>>(v, low, h);
    if (l < high)
        quicksort<<<1, 1, 0, s>>>(v, l, high);
    cudaStreamDestroy(s);
}

__global__ void deeper(int *, int);

/* "<<<" in a string and in a comment: <<<1, 1>>>. */
__device__ void
from_function(int *p, int depth)
{
    deeper<<<1, 2>>>(p, depth);
}

__global__ void
deeper(int *p, int depth)
{
    atomicAdd(p, 1);
    if (depth > 1)
        from_function(p, depth - 1);
    if (depth < 0)
        printf("<<<%d>>>\n", depth);
}

__global__ void
tail_child(int *p)
{
    p[1] = p[0];
}

__global__ void
launches_tail(int *p)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        tail_child<<<1, 1, 0, cudaStreamTailLaunch>>>(p);
    __syncthreads();
    atomicAdd(p, 1);
}

__global__ void
says(int depth)
{
    printf("%d ", depth);
    if (depth)
        says<<<1, 1>>>(depth - 1);
    printf("-%d ", depth);
}

__global__ void
broken(int *p)
{
    p[threadIdx.x * 1000000] = 1;
}

__global__ void
launches_broken(int *p)
{
    broken<<<1, 32>>>(p);
}

int
main(int argc, char **argv)
{
    int *d, h[1000], good = 1;
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    if (argc > 1) {
        if (atoi(argv[1]) == 0)
            launches_broken<<<1, 2>>>(d);
        else
            deeper<<<1, 1>>>(d, 40);
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
        return 0;
    }
    launches_mixed<<<1, 32>>>(d, 7.75);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int k = 0; k < 3; k++)
        for (int t = 0; t < 16; t++)
            good &= h[16 * k + t] == t - 3 - 300 + 8 + k + 5 + (k & 1 ? 1000 : 0);
    report("parameters", good && h[48] == 0);

    launches_template<<<1, 1>>>((float *)d, 77);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    good = ((float *)h)[0] == 77;
    for (int i = 1; i < 77; i++)
        good &= ((float *)h)[i] == 38.5f;
    report("template", good);

    unsigned x = 1;
    for (int i = 0; i < 1000; i++)
        h[i] = (int)((x = x * 1664525 + 1013904223) >> 8);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    quicksort<<<1, 1>>>(d, 0, 999);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    good = 1;
    for (int i = 1; i < 1000; i++)
        good &= h[i - 1] <= h[i];
    report("quicksort", good);

    cudaMemset(d, 0, sizeof h);
    deeper<<<1, 1>>>(d, 8);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    report("doubling", h[0] == 255);

    cudaMemset(d, 0, sizeof h);
    launches_tail<<<5, 64>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    report("tail", h[0] == 320 && h[1] == 320);
    says<<<2, 1>>>(2);
    cudaDeviceSynchronize();
    printf("\n");
    return failures != 0;
}
