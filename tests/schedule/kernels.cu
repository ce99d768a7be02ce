// SPDX-License-Identifier: Apache-2.0
// Small kernels whose answer depends on the order in which warps run, and some whose answer does
// not. As a program: a line for each: how many different answers it gave in so many runs (an
// argument; 1), and of the most frequent one a hash, how often it came, and its first three
// numbers.
#include <cstdio>
#include <cstdlib>

extern "C" {
__device__ int slow(int x, int n)
{
    for (int i = 0; i < n; i++)
        x = x * 1664525 + 1013904223;
    return x == 1 ? 1 : 0; /* never, which nobody can know */
}
__device__ int chain(const volatile int *p, int n)
{
    int at = 0;
    for (int i = 0; i < n; i++)
        at = p[at];
    return at;
}
__device__ bool leads() { return threadIdx.x % 32 == 0; }

__global__ void tree(int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    s[t] = t + 1;
    for (int d = 128; d; d >>= 1)
        if (t < d)
            s[t] += s[t + d];
    out[t] = s[t];
}
__global__ void tree_upward(int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    s[t] = t + 1;
    for (int d = 1; d < 256; d *= 2)
        if (t % (2 * d) == 0)
            s[t] += s[t + d];
    out[t] = s[t];
}
__global__ void tree_last_warp(int *out)
{
    __shared__ volatile int s[256];
    int t = threadIdx.x;
    s[t] = t + 1;
    __syncthreads();
    for (int d = 128; d > 32; d >>= 1) {
        if (t < d)
            s[t] += s[t + d];
        if (d > 64)
            __syncthreads();
    }
    if (t < 32)
        for (int d = 32; d; d >>= 1)
            s[t] += s[t + d];
    if (!t)
        out[0] = s[0];
}
__global__ void tree_volatile(int *out)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = t + 1;
    s[t + 32] = 0;
    for (int d = 16; d; d >>= 1)
        s[t] += s[t + d];
    out[t] = s[t];
}
__global__ void scan(int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    s[t] = 1;
    for (int d = 1; d < 256; d *= 2)
        if (t >= d)
            s[t] += s[t - d];
    out[t] = s[t];
}
__global__ void scan_volatile(int *out)
{
    __shared__ volatile int s[32];
    int t = threadIdx.x;
    s[t] = 1;
    for (int d = 1; d < 32; d *= 2)
        if (t >= d)
            s[t] += s[t - d];
    out[t] = s[t];
}
/* Each thread reads what another writes, and no barrier is between. */
static __device__ inline void exchange(int *out, int from)
{
    __shared__ int s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    s[threadIdx.x] = threadIdx.x + 1;
    out[threadIdx.x] = s[from];
}
__global__ void rotate(int *out) { exchange(out, (threadIdx.x + 32) % 256); }
__global__ void rotate_back(int *out) { exchange(out, (threadIdx.x + 224) % 256); }
__global__ void reverse(int *out) { exchange(out, 255 - threadIdx.x); }
__global__ void transpose(int *out)
{
    __shared__ int tile[16][17];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    tile[y][x] = 0;
    __syncthreads();
    tile[y][x] = threadIdx.x + 1;
    out[threadIdx.x] = tile[x][y];
}
__global__ void stencil_place(int *out)
{
    int t = threadIdx.x;
    out[t] = t;
    __syncthreads();
    for (int k = 0; k < 3; k++)
        if (t > 0 && t < 255)
            out[t] = out[t - 1] + out[t + 1];
}
__global__ void stencil_phases(int *out)
{
    __shared__ int a[256], b[256];
    int t = threadIdx.x;
    a[t] = t * t;
    b[t] = 0;
    __syncthreads();
    b[t] = a[t] + a[(t + 1) % 256];
    out[t] = b[t] + b[(t + 255) % 256];
}
__global__ void columns_rows(int *out)
{
    __shared__ int a[1024];
    int t = threadIdx.x;
    for (int k = t; k < 1024; k += 256)
        a[k] = 2 * k;
    __syncthreads();
    for (int k = t; k < 1024; k += 256)
        a[k] = a[k] - k;
    if (t < 32) {
        int sum = 0;
        for (int k = t; k < 1024; k += 32)
            sum = a[k] += sum;
        out[t] = sum;
    }
}
__global__ void global_phases(int *out)
{
    int *first = out + 1024;
    first[threadIdx.x] = threadIdx.x + 1;
    out[threadIdx.x] = first[threadIdx.x ^ 64];
}
static __device__ inline void broadcast(int *out, int from)
{
    __shared__ volatile int s;
    s = 0;
    __syncthreads();
    if (threadIdx.x == from)
        s = 7;
    out[threadIdx.x] = s == 7;
}
__global__ void broadcast_first(int *out) { broadcast(out, 0); }
__global__ void broadcast_last(int *out) { broadcast(out, 255); }
__global__ void buffers(int *out)
{
    __shared__ int s[2][256];
    int t = threadIdx.x, p = 0;
    s[0][t] = t;
    s[1][t] = 0;
    __syncthreads();
    for (int k = 0; k < 8; k++, p ^= 1)
        s[p ^ 1][t] = s[p][(t + 33) % 256] + 1;
    out[t] = s[p][t];
}
__global__ void overwrite(int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = t;
    for (int k = 0; k < 4; k++) {
        __syncthreads();
        int next = s[(t + 1) % 256];
        s[t] = next;
    }
    out[t] = s[t];
}
__global__ void count(int *out)
{
    if (leads())
        out[0] = out[0] + 1;
}
__global__ void count_volatile(int *out)
{
    volatile int *n = out;
    for (int k = 0; k < 4; k++)
        if (leads())
            *n = *n + 1;
}
__global__ void count_shared(int *out)
{
    __shared__ volatile int n;
    n = 0;
    __syncthreads();
    if (leads())
        n = n + 1;
    __syncthreads();
    out[0] = n;
}
__global__ void count_blocks(int *out)
{
    if (threadIdx.x == 0)
        out[0] = out[0] + 1;
}
__global__ void histogram(int *out)
{
    __shared__ int bin[32];
    int t = threadIdx.x;
    if (t < 32)
        bin[t] = 0;
    __syncthreads();
    bin[t % 32]++;
    __syncthreads();
    if (t < 32)
        out[t] = bin[t];
}
__global__ void maximum(int *out)
{
    volatile int *m = out;
    int mine = (threadIdx.x / 32 * 5 + 3) % 8 + 1;
    if (leads() && *m < mine)
        *m = mine;
}
__global__ void maximum_blocks(int *out)
{
    volatile int *m = out;
    int mine = (blockIdx.x * 5 + 3) % 32 + 1;
    if (leads() && *m < mine)
        *m = mine;
}
__global__ void push(int *out)
{
    volatile int *tail = out, *queue = out + 1;
    if (leads()) {
        int at = *tail;
        *tail = at + 1;
        queue[at] = threadIdx.x / 32 + 1;
    }
}
__global__ void lock_plain(int *out)
{
    volatile int *lock = out + 1024, *n = out;
    if (leads()) {
        while (*lock)
            ;
        *lock = 1;
        *n = *n + 1;
        *lock = 0;
    }
}
__global__ void flag_once(int *out)
{
    volatile int *flag = out + 1024, *data = out + 1025;
    if (threadIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    }
    if (threadIdx.x == 32) {
        out[0] = *flag;
        out[1] = *data;
    }
}
__global__ void late_producer(int *out)
{
    volatile int *data = out + 1024;
    if (threadIdx.x == 0)
        *data = 42 + slow(out[3], 2000);
    if (threadIdx.x == 32)
        out[0] = *data;
}
__global__ void late_consumer(int *out)
{
    volatile int *data = out + 1024;
    if (threadIdx.x == 0)
        out[0] = data[slow(out[3], 2000)];
    if (threadIdx.x == 32)
        *data = 42;
}
__global__ void loading_consumer(int *out)
{
    volatile int *data = out + 1024;
    if (threadIdx.x == 0)
        out[0] = data[chain(out + 2048, 32)];
    if (threadIdx.x == 32)
        *data = 42;
}
__global__ void loading_producer(int *out)
{
    __shared__ volatile int s[2], data;
    if (threadIdx.x < 2)
        s[threadIdx.x] = data = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        data = 42 + chain(out + 2048, 32);
    if (threadIdx.x == 32)
        out[0] = chain(s, 16) + data;
}
__global__ void messages(int *out)
{
    volatile int *flag = out + 1024;
    int *data = out + 2048;
    if (threadIdx.x == 0) {
        while (!*flag)
            ;
        out[0] = *data;
    }
    if (threadIdx.x == 32) {
        *data = 42;
        *flag = 1;
    }
}
__global__ void dekker(int *out)
{
    volatile int *x = out + 1024, *y = out + 2048;
    if (threadIdx.x == 0) {
        *x = 1;
        out[0] = *y;
    }
    if (threadIdx.x == 32) {
        *y = 1;
        out[1] = *x;
    }
}
__global__ void load_buffering(int *out)
{
    volatile int *x = out + 1024, *y = out + 2048;
    if (threadIdx.x == 0) {
        out[0] = *x;
        *y = 1;
    }
    if (threadIdx.x == 32) {
        out[1] = *y;
        *x = 1;
    }
}
__global__ void last_block(int *out)
{
    __shared__ int ticket;
    int *part = out + 1024;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        ticket = atomicAdd(out + 2048, 1);
    }
    __syncthreads();
    if (ticket == 15 && threadIdx.x == 0)
        for (int k = 0; k < 16; k++)
            out[0] += part[k];
}
__global__ void neighbour_block(int *out)
{
    volatile int *p = out + 1024;
    if (threadIdx.x == 0) {
        p[blockIdx.x + 1] = 1;
        out[blockIdx.x] = p[blockIdx.x];
    }
}
__global__ void slow_block(int *out)
{
    volatile int *p = out + 1024;
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *p = 1 + slow(out[3], 100000);
    if (threadIdx.x == 0 && blockIdx.x == 1)
        out[0] = *p;
}
__global__ void last_wins(int *out)
{
    if (leads())
        out[0] = threadIdx.x / 32 + 1;
}
__global__ void last_wins_slow(int *out)
{
    int w = threadIdx.x / 32;
    if (leads())
        out[0] = w + 1 + slow(out[3], w ? 100 : 4000);
}
__global__ void first_wins(int *out)
{
    if (leads())
        atomicCAS(out, 0, threadIdx.x / 32 + 1);
}
__global__ void order_unequal(int *out)
{
    int w = threadIdx.x / 32;
    if (leads())
        out[w] = atomicAdd(out + 1024 + slow(out[3], 400 * w), 1);
}
__global__ void order_falling(int *out)
{
    int w = threadIdx.x / 32;
    if (leads())
        out[w] = atomicAdd(out + 1024 + slow(out[3], 400 * (8 - w)), 1);
}
__global__ void exchange(int *out)
{
    int w = threadIdx.x / 32;
    if (leads())
        out[w] = atomicExch(out + 1024 + slow(out[3], 1000 * (w ^ 2)), w + 1);
}
__global__ void memory_wins(int *out)
{
    __shared__ volatile int s[2];
    if (threadIdx.x < 2)
        s[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        atomicCAS(out + chain(out + 2048, 16), 0, 1);
    if (threadIdx.x == 32)
        atomicCAS(out + chain(s, 16), 0, 2);
}

__global__ void tree_right(int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = t + 1;
    for (int d = 128; d; d >>= 1) {
        __syncthreads();
        if (t < d)
            s[t] += s[t + d];
    }
    out[t] = s[t];
}
__global__ void rotate_right(int *out)
{
    __shared__ int s[256];
    s[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    out[threadIdx.x] = s[(threadIdx.x + 32) % 256];
}
__global__ void buffers_right(int *out)
{
    __shared__ int s[2][256];
    int t = threadIdx.x, p = 0;
    s[0][t] = t;
    for (int k = 0; k < 8; k++, p ^= 1) {
        __syncthreads();
        s[p ^ 1][t] = s[p][(t + 33) % 256] + 1;
    }
    out[t] = s[p][t];
}
__global__ void messages_right(int *out)
{
    volatile int *flag = out + 1024, *data = out + 2048;
    if (threadIdx.x == 0) {
        while (!*flag)
            ;
        __threadfence();
        out[0] = *data;
    }
    if (threadIdx.x == 32) {
        *data = 42;
        __threadfence();
        *flag = 1;
    }
}
__global__ void chained_scan(int *out)
{
    volatile int *flag = out + 1024, *sum = out + 2048;
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        while (b && !flag[b - 1])
            ;
        __threadfence();
        sum[b] = (b ? sum[b - 1] : 0) + b + 1;
        __threadfence();
        flag[b] = 1;
        out[b] = sum[b];
    }
}
__global__ void last_block_right(int *out)
{
    __shared__ int ticket;
    volatile int *part = out + 1024;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        ticket = atomicAdd(out + 2048, 1);
        __threadfence();
    }
    __syncthreads();
    if (ticket == 15 && threadIdx.x == 0)
        for (int k = 0; k < 16; k++)
            out[0] += part[k];
}
__global__ void lock_right(int *out)
{
    volatile int *n = out;
    if (leads()) {
        while (atomicCAS(out + 1024, 0, 1))
            ;
        __threadfence();
        *n = *n + 1;
        __threadfence();
        atomicExch(out + 1024, 0);
    }
}
__global__ void count_right(int *out) { atomicAdd(out + threadIdx.x % 4, 1); }
__global__ void shuffle_right(int *out)
{
    __shared__ int s[8];
    int v = threadIdx.x + 1;
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(~0u, v, d);
    if (leads())
        s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int k = 0; k < 8; k++)
            out[0] += s[k];
}
}

static const struct {
    const char *name;
    void (*kernel)(int *);
    int blocks, threads;
} table[] = {
#define KERNEL(name, blocks, threads, free, text) {#name, name, blocks, threads},
#include "kernels.def"
};

struct answer {
    unsigned hash;
    int times, first[3];
};

static answer run(int k, int *out, int numbers)
{
    enum { ANSWER = 256 };
    int h[ANSWER];
    cudaMemset(out, 0, numbers * sizeof *out);
    table[k].kernel<<<table[k].blocks, table[k].threads>>>(out);
    cudaError_t e = cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    answer a = {2166136261u, 0, {h[0], h[1], h[2]}};
    for (int n : h)
        a.hash = (a.hash ^ (unsigned)n) * 16777619u;
    if (e != cudaSuccess) {
        printf("%s,%s\n", table[k].name, cudaGetErrorName(e));
        exit(1);
    }
    return a;
}

int main(int argc, char **argv)
{
    enum { NUMBERS = 4096, MOST = 1000 };
    static answer seen[MOST];
    int *out, runs = argc > 1 ? atoi(argv[1]) : 1;
    cudaMalloc(&out, NUMBERS * sizeof *out);
    printf("kernel,runs,answers,hash,times,first,second,third\n");
    for (int k = 0; k < int(sizeof table / sizeof *table); k++) {
        int count = 0, most = 0;
        for (int r = 0; r < runs; r++) {
            answer a = run(k, out, NUMBERS);
            int n = 0;
            while (n < count && seen[n].hash != a.hash)
                n++;
            if (n == MOST)
                continue;
            if (n == count)
                seen[count++] = a;
            most = ++seen[n].times > seen[most].times ? n : most;
        }
        const answer &a = seen[most];
        printf("%s,%d,%d,%08x,%d,%d,%d,%d\n", table[k].name, runs, count, a.hash, a.times,
               a.first[0], a.first[1], a.first[2]);
    }
    cudaFree(out);
    return 0;
}
