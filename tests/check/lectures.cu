/* SPDX-License-Identifier: Apache-2.0
 *
 * Mistakes that lectures on CUDA warn of, and beside each the kernel as it should be. Names say
 * what check must report of a kernel: bad_<name>, its line of `expected` in lectures_test.py;
 * good_<name>: nothing. One run holds all of them; a word on the command line picks a case that
 * ends the device.
 */
#include <cooperative_groups.h>
#include <stdio.h>
#include <string.h>

namespace cg = cooperative_groups;

enum { N = 1000, BLOCK = 64, BLOCKS = 16, TILE = 16, RADIUS = 2 };

/* -- tiles and halos --------------------------------------------------------------------------- */

__global__ void
bad_sum3_edges(const int *in, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = in[i];
    __syncthreads();
    out[i] = s[t - 1] + s[t] + s[t + 1]; /* no neighbours at the ends of the block */
}

__global__ void
good_sum3_edges(const int *in, int *out, int n)
{
    __shared__ int s[BLOCK + 2];
    int t = threadIdx.x + 1, i = blockIdx.x * blockDim.x + threadIdx.x;
    s[t] = in[i];
    if (threadIdx.x == 0)
        s[0] = i > 0 ? in[i - 1] : 0;
    if (threadIdx.x == blockDim.x - 1)
        s[t + 1] = i + 1 < n ? in[i + 1] : 0;
    __syncthreads();
    out[i] = s[t - 1] + s[t] + s[t + 1];
}

__global__ void
bad_global_index(const int *in, int *out)
{
    __shared__ int s[BLOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[i] = in[i];
    __syncthreads();
    out[i] = s[i];
}

__global__ void
bad_halo(const int *in, int *out, int n)
{
    __shared__ int s[BLOCK + 2 * RADIUS];
    __shared__ int next[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, sum = 0;
    next[t] = 0;
    s[t + RADIUS] = in[i];
    if (t < RADIUS) {
        s[t] = i >= RADIUS ? in[i - RADIUS] : 0;
        s[t + RADIUS + BLOCK + 1] = i + BLOCK < n ? in[i + BLOCK] : 0; /* one too far */
    }
    __syncthreads();
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += s[t + RADIUS + k];
    out[i] = sum + next[t];
}

__global__ void
good_halo(const int *in, int *out, int n)
{
    __shared__ int s[BLOCK + 2 * RADIUS];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, sum = 0;
    s[t + RADIUS] = in[i];
    if (t < RADIUS) {
        s[t] = i >= RADIUS ? in[i - RADIUS] : 0;
        s[t + RADIUS + BLOCK] = i + BLOCK < n ? in[i + BLOCK] : 0;
    }
    __syncthreads();
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += s[t + RADIUS + k];
    out[i] = sum;
}

/* which: 1: no barrier before the tiles are used, 2: none before they are overwritten */
template <int which>
__device__ static void
product(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[TILE][TILE], t[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int at = 0; at < n; at += TILE) {
        s[y][x] = a[row * n + at + x];
        t[y][x] = b[(at + y) * n + col];
        if (which != 1)
            __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += s[y][k] * t[k][x];
        if (which != 2)
            __syncthreads();
    }
    c[row * n + col] = sum;
}
__global__ void
bad_product_use(const float *a, const float *b, float *c, int n)
{
    product<1>(a, b, c, n);
}
__global__ void
bad_product_overwrite(const float *a, const float *b, float *c, int n)
{
    product<2>(a, b, c, n);
}
__global__ void
good_product(const float *a, const float *b, float *c, int n)
{
    product<0>(a, b, c, n);
}

__global__ void
bad_dynamic(const int *in, int *out) /* launched with too little dynamic shared memory */
{
    extern __shared__ int s[];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void
good_dynamic(const int *in, int *out)
{
    extern __shared__ int s[];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}

/* -- global memory ----------------------------------------------------------------------------- */

__global__ void
bad_no_bounds(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void
good_bounds(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 1;
}

__global__ void
bad_null(int *p)
{
    if (threadIdx.x == 3)
        p[threadIdx.x] = 1;
}
__global__ void
bad_freed(int *p)
{
    p[threadIdx.x] = 1;
}
__global__ void
bad_host_pointer(const int *p, int *out)
{
    out[threadIdx.x] = p[threadIdx.x];
}
__global__ void
bad_misaligned(char *p)
{
    *(int *)(p + 2 + 4 * threadIdx.x) = 1;
}
__global__ void
bad_neighbour(int *p, long distance)
{
    p[distance + threadIdx.x] = 1;
}
__constant__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__global__ void
bad_constant(int *out, int at)
{
    out[threadIdx.x] = table[at];
}
__global__ void
good_constant(int *out, int at)
{
    out[threadIdx.x] = table[at & 7];
}

__device__ int *lent;
__global__ void
bad_lend(int *out)
{
    __shared__ int s[4];
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        s[0] = 1;
        lent = s;
        __threadfence();
    }
    cg::this_grid().sync();
    if (blockIdx.x == 1 && threadIdx.x == 0)
        out[0] = *lent;
}

__global__ void
bad_filter_in_place(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        x[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}
__global__ void
good_filter(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}

__device__ int counter, total;
__global__ void
bad_race(void)
{
    counter = counter + 1;
}
__global__ void
good_race(void)
{
    atomicAdd(&counter, 1);
}
__global__ void
bad_same_value(int *flag)
{
    *flag = 1;
}
__global__ void
bad_block_scope(int *sum)
{
    atomicAdd_block(sum, 1);
}
__global__ void
good_block_scope(int *sums)
{
    atomicAdd_block(&sums[blockIdx.x], 1);
}

/* -- first values ------------------------------------------------------------------------------ */

__global__ void
bad_unset_sum(int *out)
{
    __shared__ int sum;
    atomicAdd(&sum, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = sum;
}
__global__ void
bad_late_zero(int *out)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    atomicAdd(&sum, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = sum;
}
__global__ void
good_zero(int *out)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = sum;
}
__global__ void
bad_unset_global(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x] + 1;
}
__global__ void
bad_unset_local(int *out, int at)
{
    int a[16];
    for (int k = 0; k < 8; k++)
        a[(k * at) & 15] = k;
    out[threadIdx.x] = a[(threadIdx.x + at) & 15] + 1;
}
struct padded {
    char c;
    int i;
};
__global__ void
good_padding(padded *to)
{
    __shared__ padded s[BLOCK];
    s[threadIdx.x].c = 1;
    s[threadIdx.x].i = 2;
    __syncthreads();
    to[threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void
good_bytes(char *out)
{
    __shared__ char s[BLOCK];
    s[threadIdx.x] = (char)threadIdx.x;
    out[threadIdx.x] = s[threadIdx.x];
}

/* -- warps ------------------------------------------------------------------------------------- */

__global__ void
bad_warp_sum(int *out) /* right before 7.0 */
{
    __shared__ volatile int s[32];
    int t = threadIdx.x;
    s[t] = t;
    for (int k = 16; k; k /= 2)
        if (t < k) {
            int other = *(int *)&s[t + k];
            *(int *)&s[t] += other;
        }
    out[t] = *(int *)&s[0];
}
__global__ void
good_warp_sum(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    __syncwarp();
    for (int k = 16; k; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncwarp();
    }
    out[t] = s[0];
}
__global__ void
good_tiles(int *out)
{
    __shared__ int s[BLOCK];
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    s[threadIdx.x] = threadIdx.x;
    tile.sync();
    out[threadIdx.x] = s[(threadIdx.x & ~7) + (threadIdx.x + 1) % 8];
}
__global__ void
bad_mask(int *out)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        v = __shfl_sync(0xff, v, 0);
    out[threadIdx.x] = v;
}

/* -- flags, locks, grids ----------------------------------------------------------------------- */

__device__ int data[BLOCKS], flag, lock, ticket;
__global__ void
bad_message(int *out) /* no fence before the flag */
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        data[0] = 42;
        atomicExch(&flag, 1);
    } else if (threadIdx.x == 0 && blockIdx.x == 1) {
        while (atomicAdd(&flag, 0) == 0)
            ;
        *out = data[0];
    }
}
__global__ void
good_message(int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        data[0] = 42;
        __threadfence();
        *(volatile int *)&flag = 1;
    } else if (threadIdx.x == 0 && blockIdx.x == 1) {
        while (*(volatile int *)&flag == 0)
            ;
        __threadfence();
        *out = data[0];
    }
}
__global__ void
good_lock(int *sum)
{
    if (threadIdx.x)
        return;
    while (atomicCAS(&lock, 0, 1))
        ;
    __threadfence();
    *sum += 1;
    __threadfence();
    atomicExch(&lock, 0);
}
__global__ void
good_last_block(const int *in, int *out)
{
    __shared__ bool last;
    __shared__ int s[BLOCK];
    s[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int k = 0; k < BLOCK; k++)
            sum += s[k];
        data[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc((unsigned *)&ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (int k = 0; k < gridDim.x; k++)
            sum += data[k];
        *out = sum;
    }
}
__global__ void
good_grid(int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    x[i] = i;
    cg::this_grid().sync();
    int other = x[n - 1 - i];
    cg::this_grid().sync();
    x[i] = other;
}
__global__ void
bad_grid(int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    x[i] = i;
    cg::this_grid().sync();
    int other = x[n - 1 - i];
    x[i] = other;
}
__global__ void
good_spinlock_shared(int *out)
{
    __shared__ int own, sum;
    if (threadIdx.x == 0)
        own = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&own, 0, 1))
            ;
        __threadfence_block();
        sum += 1;
        __threadfence_block();
        atomicExch(&own, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        *out = sum;
}
/* Producer and consumer warps with named barriers (PTX ISA, bar.arrive). */
__global__ void
good_named_barriers(int *out)
{
    __shared__ int s[32];
    for (int round = 0; round < 3; round++)
        if (threadIdx.x < 32) {
            asm volatile("bar.sync 2, 64;" ::: "memory");
            s[threadIdx.x] = threadIdx.x + round;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.arrive 2, 64;" ::: "memory");
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[threadIdx.x] = s[63 - threadIdx.x];
        }
}
__global__ void
bad_named_barriers(int *out)
{
    __shared__ int s[32];
    if (threadIdx.x < 32) {
        s[threadIdx.x] = threadIdx.x;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        s[threadIdx.x] = 0; /* before the consumer has said that it is done */
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[threadIdx.x] = s[63 - threadIdx.x];
    }
}

/* -- barriers ---------------------------------------------------------------------------------- */

__global__ void
bad_barrier_in_branch(int *out)
{
    if (threadIdx.x < 40)
        __syncthreads();
    out[threadIdx.x] = 1;
}
__global__ void
bad_barrier_in_branches(int *out)
{
    if (threadIdx.x & 1) {
        out[threadIdx.x] = 1;
        __syncthreads();
    } else {
        out[threadIdx.x] = 2;
        __syncthreads();
    }
}
__global__ void
bad_return_first(int *out, int n)
{
    if (threadIdx.x >= n)
        return;
    out[threadIdx.x] = 1;
    __syncthreads();
}
__global__ void
good_barrier(int *out, int n)
{
    if (threadIdx.x < n)
        out[threadIdx.x] = 1;
    __syncthreads();
}
__global__ void
bad_deadlock(int *out)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1;" ::: "memory");
    else
        asm volatile("bar.sync 2;" ::: "memory");
    out[threadIdx.x] = 1;
}

/* -- streams ----------------------------------------------------------------------------------- */

__global__ void
bad_other_stream(int *x)
{
    x[threadIdx.x] += 1;
}
__global__ void
good_other_stream(int *x)
{
    x[threadIdx.x] += 1;
}
__global__ void
fill(int *x)
{
    x[threadIdx.x] = threadIdx.x;
}

static int
run(void)
{
    int *in, *out, *small, *big, *fresh, own[BLOCK] = {0};
    float *a, *b, *c;
    cudaMalloc(&in, 4096 * 4);
    cudaMalloc(&out, 4096 * 4);
    cudaMalloc(&small, 100);
    cudaMalloc(&big, 4096);
    cudaMalloc(&fresh, 4096);
    cudaMalloc(&a, 4096 * 4);
    cudaMalloc(&b, 4096 * 4);
    cudaMalloc(&c, 4096 * 4);
    cudaMemset(in, 0, 4096 * 4);
    cudaMemset(out, 0, 4096 * 4);
    cudaMemset(a, 0, 4096 * 4);
    cudaMemset(b, 0, 4096 * 4);
    dim3 tile(TILE, TILE), tiles(4, 4);
    bad_sum3_edges<<<BLOCKS, BLOCK>>>(in, out);
    good_sum3_edges<<<BLOCKS, BLOCK>>>(in, out, BLOCKS * BLOCK);
    bad_global_index<<<2, BLOCK>>>(in, out);
    bad_halo<<<BLOCKS, BLOCK>>>(in, out, BLOCKS * BLOCK);
    good_halo<<<BLOCKS, BLOCK>>>(in, out, BLOCKS * BLOCK);
    bad_product_use<<<tiles, tile>>>(a, b, c, 64);
    bad_product_overwrite<<<tiles, tile>>>(a, b, c, 64);
    good_product<<<tiles, tile>>>(a, b, c, 64);
    bad_dynamic<<<1, BLOCK, 4 * BLOCK - 8>>>(in, out);
    good_dynamic<<<1, BLOCK, 4 * BLOCK>>>(in, out);
    bad_no_bounds<<<1, BLOCK>>>(small);
    good_bounds<<<1, BLOCK>>>(small, 25);
    bad_null<<<1, BLOCK>>>(NULL);
    bad_host_pointer<<<1, BLOCK>>>(own, out);
    bad_misaligned<<<1, 8>>>((char *)out);
    bad_neighbour<<<1, 8>>>(small, big - small);
    bad_constant<<<1, 8>>>(out, 8);
    good_constant<<<1, 8>>>(out, 8);
    bad_filter_in_place<<<BLOCKS, BLOCK>>>(a, BLOCKS * BLOCK);
    good_filter<<<BLOCKS, BLOCK>>>(a, b, BLOCKS * BLOCK);
    bad_race<<<2, 1>>>();
    good_race<<<BLOCKS, BLOCK>>>();
    bad_same_value<<<1, BLOCK>>>(out);
    bad_block_scope<<<2, 1>>>(out);
    good_block_scope<<<2, BLOCK>>>(out);
    bad_unset_sum<<<1, BLOCK>>>(out);
    bad_late_zero<<<1, BLOCK>>>(out);
    good_zero<<<1, BLOCK>>>(out);
    bad_unset_global<<<1, BLOCK>>>(fresh, out);
    bad_unset_local<<<1, BLOCK>>>(out, 1);
    good_padding<<<1, BLOCK>>>((padded *)out);
    good_bytes<<<1, BLOCK>>>((char *)out);
    bad_warp_sum<<<1, 32>>>(out);
    good_warp_sum<<<1, 32>>>(out);
    good_tiles<<<1, BLOCK>>>(out);
    bad_mask<<<1, 32>>>(out);
    bad_message<<<2, 1>>>(out);
    int zero = 0;
    cudaMemcpyToSymbol(flag, &zero, 4);
    good_message<<<2, 1>>>(out);
    good_lock<<<BLOCKS, BLOCK>>>(out);
    good_last_block<<<BLOCKS, BLOCK>>>(in, out);
    int blocks = 4;
    void *args[] = {&in}, *lend_args[] = {&out};
    cudaLaunchCooperativeKernel((void *)good_grid, dim3(blocks), dim3(BLOCK), args, 0, 0);
    cudaLaunchCooperativeKernel((void *)bad_grid, dim3(blocks), dim3(BLOCK), args, 0, 0);
    cudaLaunchCooperativeKernel((void *)bad_lend, dim3(2), dim3(BLOCK), lend_args, 0, 0);
    good_spinlock_shared<<<1, 128>>>(out);
    good_named_barriers<<<1, 64>>>(out);
    bad_named_barriers<<<1, 64>>>(out);
    bad_barrier_in_branch<<<1, BLOCK>>>(out);
    bad_barrier_in_branches<<<1, BLOCK>>>(out);
    bad_return_first<<<1, BLOCK>>>(out, 40);
    good_barrier<<<1, BLOCK>>>(out, 40);
    cudaStream_t one, two;
    cudaEvent_t done;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaEventCreate(&done);
    fill<<<1, BLOCK, 0, one>>>(in);
    cudaEventRecord(done, one);
    cudaStreamWaitEvent(two, done, 0);
    good_other_stream<<<1, BLOCK, 0, two>>>(in);
    fill<<<1, BLOCK, 0, one>>>(out);
    bad_other_stream<<<1, BLOCK, 0, two>>>(out);
    cudaDeviceSynchronize();
    cudaFree(small);
    bad_freed<<<1, 8>>>(small);
    cudaDeviceSynchronize();
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaEventDestroy(done);
    void *all[] = {in, out, big, fresh, a, b, c};
    for (int k = 0; k < 7; k++)
        cudaFree(all[k]);
    cudaError_t e = cudaGetLastError();
    printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}

/* Calls of the host, each with its mistake. */
static int
run_host(void)
{
    int *p, *leaked;
    cudaStream_t s;
    cudaMalloc(&p, 64);
    cudaMalloc(&leaked, 32);
    cudaFree(p);
    cudaFree(p);
    cudaGetLastError();
    cudaStreamCreate(&s);
    cudaStreamDestroy(s);
    cudaStreamSynchronize(s);
    cudaMemcpy(leaked, NULL, 32, cudaMemcpyHostToDevice);
    fill<<<1, 2>>>(leaked);
    return 0;
}

static int
run_deadlock(void)
{
    int *out;
    cudaMalloc(&out, 4096);
    bad_deadlock<<<1, BLOCK>>>(out);
    return cudaDeviceSynchronize() == cudaSuccess;
}

static int
run_clean(void)
{
    int *out;
    cudaMalloc(&out, 4096);
    fill<<<1, BLOCK>>>(out);
    good_zero<<<1, BLOCK>>>(out);
    cudaFree(out);
    return 0;
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "nothing"))
        return 0;
    return !strcmp(what, "host")       ? run_host()
           : !strcmp(what, "deadlock") ? run_deadlock()
           : !strcmp(what, "clean")    ? run_clean()
                                       : run();
}
