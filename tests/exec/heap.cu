/* SPDX-License-Identifier: Apache-2.0
 *
 * heap.cu: what kernels allocate, the limits of a device, and its clocks. Prints "PASS name" or
 * "FAIL name"; with an argument, runs a kernel that fails.
 */
#include <cstdio>
#include <cstdlib>

#include "report.h"

struct node {
    int value;
    node *next;
    __device__ node(int v, node *n) : value(v), next(n) {}
};

struct base {
    int id;
    __device__ base(int i) : id(i) {}
    __device__ virtual int cost() const { return id; }
    __device__ virtual ~base() {}
};
struct derived : base {
    int extra[5];
    __device__ derived(int i) : base(i) { extra[i % 5] = i; }
    __device__ int cost() const override { return 100 + extra[id % 5]; }
};

__device__ node *kept[96];
__device__ base *objects[96];

/* A list per thread, which the next kernel reads. */
__global__ void
build()
{
    node *list = nullptr;
    for (int i = 0; i <= (int)threadIdx.x % 7; i++)
        list = new node(i, list);
    kept[threadIdx.x] = list;
    objects[threadIdx.x] = threadIdx.x % 2 ? new base(threadIdx.x) : new derived(threadIdx.x);
}

__global__ void
walk(int *out)
{
    int sum = 0;
    while (kept[threadIdx.x]) {
        node *n = kept[threadIdx.x];
        sum += n->value;
        kept[threadIdx.x] = n->next;
        delete n;
    }
    out[threadIdx.x] = sum * 1000 + objects[threadIdx.x]->cost();
    delete objects[threadIdx.x];
}

/* Takes pieces until there are no more; counts them. */
__global__ void
exhaust(int *pieces, size_t size)
{
    void *last = nullptr;
    int n = 0;
    for (void **p; (p = (void **)malloc(size)) != nullptr; n++) {
        *p = last;
        last = p;
    }
    while (last) {
        void *next = *(void **)last;
        free(last);
        last = next;
    }
    free(nullptr);
    *pieces = n;
}

__global__ void
clocks(long long *out)
{
    unsigned long long t0, t1, g0, g1;
    long long c0 = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g0));
    t0 = clock();
    do {
        __nanosleep(1000);
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g1));
    } while (g1 - g0 < 2000000);
    t1 = clock();
    out[0] = clock64() - c0;
    out[1] = g1 - g0;
    out[2] = g0 / 1000000000;
    out[3] = (unsigned)(t1 - t0) != 0;
}

__global__ void
frees_wrong(char *p)
{
    free(p);
}

__global__ void
frees_twice()
{
    char *p = (char *)malloc(24);
    kept[0] = (node *)p;
    __threadfence();
    free(p);
    free(*(char *volatile *)&kept[0]);
}

__global__ void
frees_inside()
{
    kept[0] = (node *)malloc(24);
    free(*(char *volatile *)&kept[0] + 8);
}

int
main(int argc, char **argv)
{
    int *d, h[96], good = 1, n;
    cudaMalloc(&d, 4096);
    if (argc > 1) {
        switch (atoi(argv[1])) {
        case 0: frees_wrong<<<1, 1>>>((char *)d); break;
        case 1: frees_twice<<<1, 1>>>(); break;
        default: frees_inside<<<1, 1>>>();
        }
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
        return 0;
    }
    size_t value = 0, before, after, total;
    cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize);
    report("default heap", value == 8 << 20);
    exhaust<<<1, 1>>>(d, 1 << 20); /* the module's variables are made with the first launch */
    cudaMemGetInfo(&before, &total);
    build<<<1, 96>>>();
    walk<<<1, 96>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 96; i++)
        good &= h[i] == (i % 7) * (i % 7 + 1) / 2 * 1000 + (i % 2 ? i : 100 + i);
    cudaMemGetInfo(&after, &total);
    report("lists and objects", good && before == after);

    exhaust<<<1, 1>>>(d, 1 << 16);
    cudaMemcpy(&n, d, sizeof n, cudaMemcpyDeviceToHost);
    report("exhaust the default", n > 100 && n <= 128);
    good = cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20) == cudaSuccess;
    exhaust<<<1, 1>>>(d, 1 << 20);
    cudaMemcpy(&n, d, sizeof n, cudaMemcpyDeviceToHost);
    report("exhaust more", good && n > 50 && n <= 64);

    good = cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4 << 20) == cudaSuccess &&
           cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize) == cudaSuccess && value == 4 << 20;
    report("printf limit", good);
    good = cudaDeviceSetLimit(cudaLimitStackSize, (size_t)1 << 40) == cudaErrorInvalidValue;
    good &= cudaDeviceSetLimit((enum cudaLimit)99, 1) == cudaErrorUnsupportedLimit;
    report("wrong limits", good && cudaGetLastError() != cudaSuccess);

    long long t[4];
    clocks<<<1, 1>>>((long long *)d);
    cudaMemcpy(t, d, sizeof t, cudaMemcpyDeviceToHost);
    report("clocks", t[0] > 200000 && t[1] >= 2000000 && t[2] > 1600000000 && t[3]);
    return failures != 0;
}
