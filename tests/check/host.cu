/* SPDX-License-Identifier: Apache-2.0
 *
 * host.cu: host code that touches what is the device's, each mistake by its argument; "right": the
 * same things as they should be done.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void
fill(int *p, int n, int v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = v + i;
}

__global__ void
add(const int *p, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] += p[i];
}

__device__ int variable[16];

enum { BLOCK = 64 };

/* Between its members lie bytes that nobody writes. */
struct record {
    char kind;
    double weight;
    int number;
};
__global__ void
set_members(record *p)
{
    p[threadIdx.x].kind = 1;
    p[threadIdx.x].weight = 2;
    p[threadIdx.x].number = 3;
}
__global__ void
set_all_but(int *p, unsigned but, unsigned period)
{
    if (threadIdx.x % period != but)
        p[threadIdx.x] = 1;
}

/* Cells for bytes, for which there is no memory in the end. */
__global__ void
add_halves(const short *a, short *b)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    b[i] = a[i] + 1;
}

__global__ void
count(int *p)
{
    atomicAdd_system(&p[5], 1);
}

__attribute__((noinline)) static void
store_to(volatile int *p)
{
    p[3] = 7;
}

__attribute__((noinline)) static void
add_to(int *p)
{
    __sync_fetch_and_add(p + 5, 1);
}

__attribute__((noinline)) static int
load_from(volatile int *p)
{
    return p[5];
}

static int
run_right(void)
{
    enum { N = 100000 };
    int *d, *m, *other, *first, *h = (int *)malloc(4 * N), bad = 0;
    cudaMallocManaged(&first, 64); /* before there is any device memory */
    first[1] = 1;
    fill<<<1, 1>>>(first, 1, 2);
    cudaDeviceSynchronize();
    bad += first[0] + first[1] != 3;
    cudaFree(first);
    cudaMalloc(&d, 4 * N);
    cudaMallocManaged(&m, 4 * N);
    cudaMallocManaged(&other, 64);
    for (int i = 0; i < N; i++)
        m[i] = i;
    for (int turn = 0; turn < 3; turn++) {
        fill<<<N / 128 + 1, 128>>>(d, N, turn);
        add<<<N / 128 + 1, 128>>>(d, m, N);
        other[0] = turn; /* nothing of the kernels' */
        cudaDeviceSynchronize();
        m[5] += 1;
        cudaMemcpy(h, d, 4 * N, cudaMemcpyDeviceToHost);
        bad += h[N - 1] != turn + N - 1;
    }
    cudaStream_t s;
    cudaStreamCreate(&s);
    fill<<<1, 128, 0, s>>>(m, 128, 3);
    cudaStreamSynchronize(s);
    bad += m[7] != 10 || m[5] != 8 || other[0] != 2;
    FILE *f = tmpfile();
    bad += !f || fwrite(m, 4, N, f) != N;
    if (f)
        fclose(f);
    cudaStreamDestroy(s);
    cudaFree(d);
    cudaFree(m);
    cudaFree(other);
    free(h);
    return bad;
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "right";
    int *d, *m, *where;
    if (!strcmp(what, "right")) {
        int bad = run_right();
        printf("%s\n", bad ? "wrong" : "fine");
        return bad != 0;
    }
    cudaMalloc(&d, 256);
    cudaMallocManaged(&m, 4096);
    m[5] = 0;
    if (!strcmp(what, "store"))
        store_to(d);
    fill<<<1, 64>>>(d, 64, 1);
    if (!strcmp(what, "load"))
        printf("%d\n", load_from(d));
    if (!strcmp(what, "copy")) {
        int h[64];
        memcpy(h, d, sizeof h);
        printf("%d\n", h[argc]);
    }
    cudaGetSymbolAddress((void **)&where, variable);
    if (!strcmp(what, "symbol"))
        store_to(where);
    fill<<<1, 64>>>(m, 64, 1);
    if (!strcmp(what, "managed"))
        printf("%d\n", load_from(m));
    cudaDeviceSynchronize();
    add<<<1, 64>>>(m, d, 64);
    if (!strcmp(what, "managed-read")) /* both read */
        printf("%d\n", load_from(m));
    if (!strcmp(what, "managed-store"))
        store_to(m);
    cudaDeviceSynchronize();
    if (!strcmp(what, "managed-atomic")) { /* of the system's scope, on either side */
        count<<<1, 64>>>(m);
        add_to(m);
    }
    if (!strcmp(what, "padding")) {
        record *r, h[BLOCK];
        cudaMalloc(&r, sizeof h);
        set_members<<<1, BLOCK>>>(r);
        cudaMemcpy(h, r, sizeof h, cudaMemcpyDeviceToHost);
        cudaFree(r);
    }
    if (!strcmp(what, "halves")) {
        enum { HALVES = 1 << 16 };
        short *p, *q, *h = (short *)malloc(2 * HALVES);
        cudaMalloc(&p, 2 * HALVES);
        cudaMalloc(&q, 2 * HALVES);
        cudaMemset(p, 0, 2 * HALVES);
        for (int k = 0; k < 2; k++)
            add_halves<<<HALVES / BLOCK, BLOCK>>>(p, q);
        cudaMemcpy(h, q, 2 * HALVES, cudaMemcpyDeviceToHost);
        cudaFree(p);
        cudaFree(q);
        free(h);
    }
    if (!strcmp(what, "gap") || !strcmp(what, "gaps")) {
        int h[BLOCK], *p;
        cudaMalloc(&p, sizeof h);
        if (strcmp(what, "gap"))
            set_all_but<<<1, BLOCK>>>(p, 8, 20);
        else
            set_all_but<<<1, BLOCK>>>(p, 21, BLOCK);
        cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
        cudaFree(p);
    }
    if (!strcmp(what, "fill-word"))
        cudaMemset(d, 1000, 256);
    if (!strcmp(what, "fill-byte")) {
        cudaMemset(d, 200, 256);
        cudaMemset(d, -1, 256);
        cudaMemset(d, 0x3f3f3f3f, 256);
    }
    if (!strcmp(what, "time-backward") || !strcmp(what, "time-forward")) {
        cudaEvent_t start, stop;
        float milliseconds;
        cudaEventCreate(&start);
        cudaEventCreate(&stop);
        cudaEventRecord(stop); /* again below: the last time counts */
        cudaEventRecord(start);
        fill<<<1, 64>>>(d, 64, 1);
        cudaEventRecord(stop);
        cudaEventSynchronize(stop);
        bool backward = !strcmp(what, "time-backward");
        cudaEventElapsedTime(&milliseconds, backward ? stop : start, backward ? start : stop);
        cudaEventDestroy(start);
        cudaEventDestroy(stop);
    }
    if (!strcmp(what, "time-of-streams")) { /* which was first is not known */
        cudaStream_t other;
        cudaEvent_t here, there;
        float milliseconds;
        cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
        cudaEventCreate(&here);
        cudaEventCreate(&there);
        cudaEventRecord(there, other);
        cudaEventRecord(here);
        cudaDeviceSynchronize();
        cudaEventElapsedTime(&milliseconds, here, there);
        cudaEventDestroy(here);
        cudaEventDestroy(there);
        cudaStreamDestroy(other);
    }
    if (!strcmp(what, "managed-half-atomic")) {
        fill<<<1, 64>>>(m, 64, 1);
        add_to(m);
    }
    cudaDeviceSynchronize();
    cudaFree(d);
    cudaFree(m);
    return 0;
}
