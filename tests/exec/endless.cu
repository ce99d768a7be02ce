/* SPDX-License-Identifier: Apache-2.0
 *
 * endless.cu: kernels whose loops never end, since nothing in them changes, and kernels like these
 * that do end. The argument says which; endless_test.py has what must be said of each.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

/* -- loops that change nothing ----------------------------------------------------------------- */

__global__ void
no_step(int *x, int n)
{
    int i = threadIdx.x;
    while (i < n) {
        x[i] = i;
        if (x[i] == 5000)
            i++;
    }
    x[0] = 7;
}

__global__ void
step_of_none(int *x, int n, int step)
{
    int i = 0;
    while (i < n)
        i += step;
    x[0] = i;
}

/* The lower bound does not move when two elements are left. */
__global__ void
search(const int *a, int n, int key, int *out)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (a[middle] <= key)
            low = middle;
        else
            high = middle;
    }
    *out = low;
}

__global__ void
empty(int *x)
{
    for (;;)
        ;
    x[0] = 1;
}

__global__ void
plain_flag(int *x)
{
    while (*x == 0)
        ;
    x[1] = 1;
}

__global__ void
ring(const int *next, int *x)
{
    int k = 0;
    do
        k = next[k];
    while (k != 99);
    *x = k;
}

__global__ void
with_barriers(int *x, int n)
{
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    int i = 0;
    while (i < n) {
        s[threadIdx.x] += 0;
        __syncthreads();
        i = s[0];
    }
    x[threadIdx.x] = i;
}

/* Thread 5 alone. */
__global__ void
one_thread(int *x, int n)
{
    int i = threadIdx.x;
    while (i == 5 && x[i] < n)
        x[i] &= 15;
    x[i] = 1;
}

__global__ void
converges(float *x, float limit)
{
    float a = 1;
    while (a * 0.5f >= limit)
        a = a * 0.5f + 0.25f;
    x[0] = a;
}

__device__ __noinline__ int
inner(const int *a, int k)
{
    while (a[k] == 0)
        k ^= 1;
    return k;
}

__global__ void
in_function(const int *a, int *x)
{
    x[threadIdx.x] = inner(a, 0);
}

/* -- loops that take long, and end ------------------------------------------------------------- */

/* A number that nothing but a register holds. */
__global__ void
counts(unsigned *x, unsigned n, unsigned factor)
{
    unsigned a = 1;
    for (unsigned i = 0; i != n; i++)
        a = a * factor + 1;
    x[threadIdx.x] = a;
}

/* In memory: for long, all registers are the same at the head of the loop. */
__global__ void
counts_in_memory(unsigned *x, unsigned n)
{
    while (x[0] != n)
        x[0]++;
}

/* In another block's memory: block 0 is the last to be written to. */
__global__ void
after_another(volatile unsigned *x, unsigned n)
{
    if (blockIdx.x == 1) {
        for (unsigned i = 0; i < n; i++)
            x[1] = i;
        __threadfence();
        x[0] = 1;
    } else {
        while (x[0] == 0)
            ;
    }
}

__global__ void
by_clock(long long cycles, int *x)
{
    long long begin = clock64();
    while (clock64() - begin < cycles)
        ;
    x[0] = 1;
}

__global__ void
by_time(unsigned long long ns, int *x)
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < ns);
    x[0] = 1;
}

__global__ void
by_host(volatile int *flag, int *x)
{
    while (*flag == 0)
        ;
    x[0] = 1;
}

/* The same with loads that are no polling. What it stores might be what it loads, so it loads again
 * and again. */
__global__ void
by_host_plainly(int *flag, int *x)
{
    int v;
    do {
        asm volatile("ld.global.s32 %0, [%1];" : "=r"(v) : "l"(flag));
        x[1] = v;
    } while (v == 0);
    x[0] = 1;
}

/* Holds the processor until a signal ends it: each turn is another one. */
__global__ void
runs_on(unsigned long long *x)
{
    __shared__ int s;
    if (threadIdx.x >= 32) {
        __syncthreads();
        return;
    }
    for (unsigned long long i = 1; i; i += 2)
        x[i & 63] = i;
    __syncthreads();
    s = 1;
}

static void
from_host(bool plain, int *x)
{
    int *flag, *on_device;
    cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped);
    *flag = 0;
    cudaHostGetDevicePointer(&on_device, flag, 0);
    std::thread t([flag] {
        usleep(700000);
        __atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
    });
    if (plain)
        by_host_plainly<<<1, 1>>>(on_device, x);
    else
        by_host<<<1, 1>>>(on_device, x);
    cudaDeviceSynchronize();
    t.join();
    cudaFreeHost(flag);
}

int
main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    int grid = argc > 2 ? atoi(argv[2]) : 1, *x;
    auto is = [which](const char *name) { return !strcmp(which, name); };
    cudaMalloc(&x, 4096);
    cudaMemset(x, 0, 4096);
    unsigned *u = (unsigned *)x;
    if (is("no_step")) no_step<<<grid, 64>>>(x, 100);
    if (is("step_of_none")) step_of_none<<<grid, 64>>>(x, 100, 0);
    if (is("search")) search<<<grid, 64>>>(x, 1000, 3, x + 1010);
    if (is("empty")) empty<<<grid, 64>>>(x);
    if (is("plain_flag")) plain_flag<<<grid, 64>>>(x);
    if (is("ring")) ring<<<grid, 64>>>(x, x + 3);
    if (is("with_barriers")) with_barriers<<<grid, 64>>>(x, 10);
    if (is("one_thread")) one_thread<<<grid, 64>>>(x, 100);
    if (is("converges")) converges<<<grid, 64>>>((float *)x, 0.1f);
    if (is("in_function")) in_function<<<grid, 64>>>(x, x + 8);
    if (is("counts")) counts<<<1, 1>>>(u, 500000000u, 1664525u);
    if (is("counts_in_memory")) counts_in_memory<<<1, 1>>>(u, 150000000u);
    if (is("after_another")) after_another<<<2, 1>>>(u, 3000000u);
    if (is("by_clock")) by_clock<<<1, 1>>>(700000000, x);
    if (is("by_time")) by_time<<<1, 1>>>(700000000, x);
    if (is("by_host")) from_host(false, x);
    if (is("by_host_plainly")) from_host(true, x);
    if (is("runs_on")) runs_on<<<grid, 64>>>((unsigned long long *)x);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(e));
    cudaFree(x);
    return e != cudaSuccess;
}
