/* SPDX-License-Identifier: Apache-2.0
 *
 * More of the mistakes that lectures on CUDA contain or warn of, and the corrected twins that
 * lectures.cu leaves out: mistakes_test.py demands one for every bad_ kernel of both files.
 */
#include <cooperative_groups.h>
#include <stdio.h>

namespace cg = cooperative_groups;

enum { BLOCK = 64, BLOCKS = 4, N = BLOCK * BLOCKS, DIM = 16, RADIUS = 4 };

/* -- shared memory does not outlive the kernel ------------------------------------------------- */

__global__ void
keep(const int *in)
{
    extern __shared__ int kept[];
    kept[threadIdx.x] = in[threadIdx.x];
}
__global__ void
bad_kept_for_the_next_kernel(int *out)
{
    extern __shared__ int kept[];
    out[threadIdx.x] = kept[threadIdx.x] + 1;
}
__global__ void
good_kept_for_the_next_kernel(const int *in, int *out)
{
    extern __shared__ int kept[];
    kept[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = kept[threadIdx.x] + 1;
}

/* -- everybody writes one variable ------------------------------------------------------------- */

__global__ void
bad_one_variable(int *out)
{
    __shared__ int my_own;
    my_own = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = my_own;
}
__global__ void
good_one_variable(int *out)
{
    __shared__ int own[BLOCK];
    own[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = own[threadIdx.x];
}

/* An exchange sets its variable; the value that it gives back was nobody's. */
__global__ void
bad_exchange(int *out)
{
    __shared__ int s;
    int before = atomicExch(&s, 0);
    __syncthreads();
    out[threadIdx.x] = before + s;
}
__global__ void
good_exchange(int *out)
{
    __shared__ int s;
    atomicExch(&s, 0);
    __syncthreads();
    atomicAdd(&s, 1);
    __syncthreads();
    out[threadIdx.x] = s;
}

/* "Assume that *result is 0": nobody made it so. */
__global__ void
bad_unset_result(const int *in, int *result)
{
    atomicAdd(result, in[threadIdx.x]);
}
__global__ void
good_unset_result(const int *in, int *result)
{
    atomicAdd(result, in[threadIdx.x]);
}

/* What is copied is as unset as where it comes from; and a tile that nobody fills. */
__device__ static void
neighbours(const int *in, int *out, int n)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    s[t] = t < n ? in[t] : 0;
    __syncthreads();
    out[t] = s[t] + s[(t + 1) % BLOCK];
}
__global__ void
bad_copied(const int *in, int *out)
{
    neighbours(in, out, BLOCK);
}
__global__ void
good_copied(const int *in,
            int *out) /* only what was set is copied: the first round's is, none of the others' */
{
    for (int n = 8; n >= 0; n -= 8) {
        neighbours(in, out, n);
        __syncthreads();
    }
}
__global__ void
bad_copied_by_host(const int *in,
                   int *out) /* a copy of the host's takes along what was never set */
{
    neighbours(in, out, BLOCK);
}
__global__ void
good_copied_by_host(const int *in, int *out)
{
    neighbours(in, out, 8);
}
__global__ void
bad_copied_by_rows(const int *in, int *out) /* and so does one of rows */
{
    neighbours(in, out, BLOCK);
}
__global__ void
good_copied_by_rows(const int *in, int *out)
{
    neighbours(in, out, 8);
}
__global__ void
good_overwritten(const int *in, int *out, int n) /* the zeros that come last are no copies */
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    for (; n >= 0; n -= BLOCK) {
        s[t] = t < n ? in[t] : 0;
        __syncthreads();
    }
    out[t] = s[t] + s[(t + 1) % BLOCK];
}
__global__ void
copy(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x];
}
__global__ void
bad_copied_before(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x] + 1;
}
__global__ void
good_copied_before(const int *in, int *out)
{
    if (threadIdx.x < 8)
        out[threadIdx.x] = in[threadIdx.x] + 1;
}
__global__ void
bad_empty_tile(int *out)
{
    __shared__ int s[BLOCK];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] + 1;
}
__global__ void
good_empty_tile(int *out)
{
    __shared__ int s[BLOCK];
    s[threadIdx.x] = 0;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x] + 1;
}

/* -- tiles ------------------------------------------------------------------------------------- */

/* A row of the tile where all of it was meant. */
__global__ void
bad_tile_of_one_row(const float *in, float *out, int n)
{
    __shared__ float tile[DIM];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y * DIM + x] = in[y * n + x];
    __syncthreads();
    out[x * n + y] = tile[y * DIM + x];
}
__global__ void
good_tile_of_one_row(const float *in, float *out, int n)
{
    __shared__ float tile[DIM * DIM];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y * DIM + x] = in[y * n + x];
    __syncthreads();
    out[x * n + y] = tile[y * DIM + x];
}

/* The matrix is not a multiple of the tile. */
__global__ void
bad_width(const float *in, float *out, int n)
{
    int col = blockIdx.x * DIM + threadIdx.x, row = blockIdx.y * DIM + threadIdx.y;
    out[row * n + col] = 2 * in[row * n + col];
}
__global__ void
good_width(const float *in, float *out, int n)
{
    int col = blockIdx.x * DIM + threadIdx.x, row = blockIdx.y * DIM + threadIdx.y;
    if (row < n && col < n)
        out[row * n + col] = 2 * in[row * n + col];
}

/* The right halo is loaded by the wrong threads, from the wrong place. */
__global__ void
bad_right_halo(const int *in, int *out)
{
    __shared__ int s[BLOCK + 2 * RADIUS];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, sum = 0;
    s[t + RADIUS] = in[i];
    if (t < RADIUS)
        s[t] = i >= RADIUS ? in[i - RADIUS] : 0;
    if (t >= RADIUS)
        s[t + BLOCK] = in[i + RADIUS];
    __syncthreads();
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += s[t + k];
    out[i] = sum;
}
__global__ void
good_right_halo(const int *in, int *out)
{
    __shared__ int s[BLOCK + 2 * RADIUS];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, sum = 0;
    s[t + RADIUS] = in[i];
    if (t < RADIUS)
        s[t] = i >= RADIUS ? in[i - RADIUS] : 0;
    if (t >= BLOCK - RADIUS)
        s[t + 2 * RADIUS] = i + RADIUS < N ? in[i + RADIUS] : 0;
    __syncthreads();
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += s[t + k];
    out[i] = sum;
}

/* The halo is never loaded. */
__global__ void
bad_no_halo(const int *in, int *out)
{
    __shared__ int s[BLOCK + 2];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t + 1] = in[i];
    __syncthreads();
    out[i] = s[t] + s[t + 1] + s[t + 2];
}
__global__ void
good_no_halo(const int *in, int *out)
{
    __shared__ int s[BLOCK + 2];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t + 1] = in[i];
    if (t < 2)
        s[t * (BLOCK + 1)] = 0;
    __syncthreads();
    out[i] = s[t] + s[t + 1] + s[t + 2];
}

/* Many iterations in place: the barrier behind the writes is there, that behind the reads
 * is not. */
template <bool both>
__device__ static void
iterate(int *x)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        int sum = t > 0 && t < BLOCK - 1 ? s[t - 1] + s[t + 1] : s[t];
        if (both)
            __syncthreads();
        s[t] = sum;
        __syncthreads();
    }
    x[t] = s[t];
}
__global__ void
bad_iterations(int *x)
{
    iterate<false>(x);
}
__global__ void
good_iterations(int *x)
{
    iterate<true>(x);
}

/* -- blocks run in any order ------------------------------------------------------------------- */

__global__ void
bad_block_order(int *x)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    x[i] = blockIdx.x == 0 ? 1 : x[i - BLOCK] + 1;
}
__global__ void
good_block_order(int *x, int step) /* a launch a step */
{
    if (blockIdx.x == step) {
        int i = blockIdx.x * BLOCK + threadIdx.x;
        x[i] = step == 0 ? 1 : x[i - BLOCK] + 1;
    }
}

/* -- streams ----------------------------------------------------------------------------------- */

__global__ void
bad_two_streams(int *sum)
{
    *sum += 1;
}
__global__ void
good_two_streams(int *sum)
{
    atomicAdd(sum, 1);
}

/* -- spaces ------------------------------------------------------------------------------------ */

__constant__ int mask[5];
__global__ void
bad_mask_too_long(int *out, int wide)
{
    int sum = 0;
    for (int k = 0; k < wide; k++)
        sum += mask[k];
    out[threadIdx.x] = sum;
}
__global__ void
good_mask_too_long(int *out, int wide)
{
    int sum = 0;
    for (int k = 0; k < wide && k < 5; k++)
        sum += mask[k];
    out[threadIdx.x] = sum;
}

__global__ void
bad_local_index(int *out, int at)
{
    int a[8];
    for (int k = 0; k < 8; k++)
        a[k ^ (at & 1)] = k;
    out[threadIdx.x] = a[threadIdx.x + at];
}
__global__ void
good_local_index(int *out, int at)
{
    int a[8];
    for (int k = 0; k < 8; k++)
        a[k ^ (at & 1)] = k;
    out[threadIdx.x] = a[(threadIdx.x + at) & 7];
}

/* The pitch is in bytes. */
__global__ void
bad_pitch(float *x, size_t pitch)
{
    x[threadIdx.y * pitch + threadIdx.x] = 1;
}
__global__ void
good_pitch(float *x, size_t pitch)
{
    ((float *)((char *)x + threadIdx.y * pitch))[threadIdx.x] = 1;
}

/* -- twins of the mistakes in lectures.cu ------------------------------------------------------ */

__global__ void
good_global_index(const int *in, int *out)
{
    __shared__ int s[BLOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = in[i];
    __syncthreads();
    out[i] = s[threadIdx.x];
}
__global__ void
good_pointer(int *p)
{
    if (p)
        p[threadIdx.x] = 1;
}
__global__ void
good_aligned(char *p)
{
    *(int *)(p + 4 + 4 * threadIdx.x) = 1;
}
__global__ void
good_lend(int *out)
{
    __shared__ int s[4];
    int *own = s; /* to threads of the block alone */
    if (threadIdx.x == 0)
        own[0] = 1;
    __syncthreads();
    if (threadIdx.x == 1)
        out[blockIdx.x] = *own;
}
__global__ void
good_same_value(int *flag)
{
    if (threadIdx.x == 0)
        *flag = 1;
}
__global__ void
good_unset_global(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x] + 1;
}
__global__ void
good_unset_local(int *out, int at)
{
    int a[16];
    for (int k = 0; k < 16; k++)
        a[(k + at) & 15] = k;
    out[threadIdx.x] = a[(threadIdx.x + at) & 15] + 1;
}
__global__ void
good_mask(int *out)
{
    int v = threadIdx.x;
    if (threadIdx.x < 16)
        v = __shfl_sync(0xffff, v, 0);
    out[threadIdx.x] = v;
}
__global__ void
good_barrier_in_branches(int *out)
{
    out[threadIdx.x] = threadIdx.x & 1 ? 1 : 2;
    if (blockIdx.x == 0) /* all threads of the block */
        __syncthreads();
    else
        __syncthreads();
    out[threadIdx.x ^ 1] += 1;
}
__global__ void
good_return_first(int *out, int n)
{
    if (threadIdx.x < n)
        out[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x >= n)
        return;
    out[n - 1 - threadIdx.x] += 1;
}
__global__ void
good_two_barriers(int *out)
{
    asm volatile("bar.sync 1;" ::: "memory");
    asm volatile("bar.sync 2;" ::: "memory");
    out[threadIdx.x] = 1;
}

static int *
ints(size_t count, bool set)
{
    int *p = NULL;
    cudaMalloc(&p, 4 * count);
    if (set)
        cudaMemset(p, 0, 4 * count);
    return p;
}

static void
run_tiles(int *in, int *out)
{
    enum { WIDE = 20 };
    dim3 tile(DIM, DIM), tiles(2, 2);
    float *a, *b;
    cudaMalloc(&a, 4 * WIDE * WIDE);
    cudaMalloc(&b, 4 * WIDE * WIDE);
    cudaMemset(a, 0, 4 * WIDE * WIDE);
    bad_tile_of_one_row<<<1, tile>>>(a, b, WIDE);
    good_tile_of_one_row<<<1, tile>>>(a, b, WIDE);
    bad_width<<<tiles, tile>>>(a, b, WIDE);
    good_width<<<tiles, tile>>>(a, b, WIDE);
    bad_right_halo<<<BLOCKS, BLOCK>>>(in, out);
    good_right_halo<<<BLOCKS, BLOCK>>>(in, out);
    bad_no_halo<<<BLOCKS, BLOCK>>>(in, out);
    good_no_halo<<<BLOCKS, BLOCK>>>(in, out);
    bad_iterations<<<1, BLOCK>>>(in);
    good_iterations<<<1, BLOCK>>>(in);
    bad_block_order<<<BLOCKS, BLOCK>>>(in);
    for (int k = 0; k < BLOCKS; k++)
        good_block_order<<<BLOCKS, BLOCK>>>(in, k);
    cudaFree(a);
    cudaFree(b);
}

static void
run_streams(int *out)
{
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    good_two_streams<<<2, BLOCK, 0, one>>>(out);
    good_two_streams<<<2, BLOCK, 0, two>>>(out);
    cudaDeviceSynchronize();
    bad_two_streams<<<1, 1, 0, one>>>(out);
    bad_two_streams<<<1, 1, 0, two>>>(out);
    cudaDeviceSynchronize();
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
}

static void
run_spaces(int *in, int *out)
{
    int own[5] = {3, 4, 5, 4, 3}, *managed;
    float *rows;
    size_t pitch;
    cudaMemcpyToSymbol(mask, own, sizeof own);
    bad_mask_too_long<<<1, 8>>>(out, 7);
    good_mask_too_long<<<1, 8>>>(out, 7);
    bad_local_index<<<1, 4>>>(out, 1000);
    good_local_index<<<1, 4>>>(out, 1000);
    cudaMallocPitch(&rows, &pitch, 4 * DIM, DIM);
    bad_pitch<<<1, dim3(DIM, DIM)>>>(rows, pitch);
    good_pitch<<<1, dim3(DIM, DIM)>>>(rows, pitch);
    cudaFree(rows);
    cudaMallocManaged(&managed, 4 * BLOCK);
    good_pointer<<<1, BLOCK>>>(managed);
    good_pointer<<<1, BLOCK>>>(NULL);
    good_pointer<<<1, BLOCK>>>(out);
    cudaDeviceSynchronize();
    cudaFree(managed);
    good_aligned<<<1, 8>>>((char *)in);
    good_lend<<<2, BLOCK>>>(out);
}

static void
run_values(int *in, int *out)
{
    int *result = ints(1, false), *fresh = ints(BLOCK, false);
    keep<<<1, BLOCK, 4 * BLOCK>>>(in);
    bad_kept_for_the_next_kernel<<<1, BLOCK, 4 * BLOCK>>>(out);
    good_kept_for_the_next_kernel<<<1, BLOCK, 4 * BLOCK>>>(in, out);
    bad_exchange<<<1, BLOCK>>>(out);
    good_exchange<<<1, BLOCK>>>(out);
    bad_one_variable<<<1, BLOCK>>>(out);
    good_one_variable<<<1, BLOCK>>>(out);
    bad_unset_result<<<1, BLOCK>>>(in, result);
    cudaMemset(result, 0, 4);
    good_unset_result<<<1, BLOCK>>>(in, result);
    good_same_value<<<1, BLOCK>>>(out);
    int *copied = ints(BLOCK, false);
    cudaMemset(fresh, 0, 4 * 8);
    bad_copied<<<1, BLOCK>>>(fresh, out);
    good_copied<<<1, BLOCK>>>(fresh, out);
    good_overwritten<<<1, BLOCK>>>(fresh, out, 2 * BLOCK);
    copy<<<1, BLOCK>>>(fresh, copied);
    bad_copied_before<<<1, BLOCK>>>(copied, out);
    good_copied_before<<<1, BLOCK>>>(copied, out);
    cudaMemcpy(copied, fresh, 4 * BLOCK, cudaMemcpyDeviceToDevice);
    bad_copied_by_host<<<1, BLOCK>>>(copied, out);
    good_copied_by_host<<<1, BLOCK>>>(copied, out);
    cudaMemset(copied, 0, 4 * BLOCK);
    cudaMemcpy2D(copied, 32, fresh, 32, 32, BLOCK / 8, cudaMemcpyDeviceToDevice);
    bad_copied_by_rows<<<1, BLOCK>>>(copied, out);
    good_copied_by_rows<<<1, BLOCK>>>(copied, out);
    bad_empty_tile<<<1, BLOCK>>>(out);
    good_empty_tile<<<1, BLOCK>>>(out);
    cudaFree(copied);
    cudaMemset(fresh, 0, 4 * BLOCK);
    good_unset_global<<<1, BLOCK>>>(fresh, out);
    good_unset_local<<<1, 16>>>(out, 1);
    cudaFree(result);
    cudaFree(fresh);
}

int
main(void)
{
    int *in = ints(N, true), *out = ints(N, true);
    run_tiles(in, out);
    run_streams(out);
    run_spaces(in, out);
    run_values(in, out);
    good_global_index<<<2, BLOCK>>>(in, out);
    good_mask<<<1, 32>>>(out);
    good_barrier_in_branches<<<1, BLOCK>>>(out);
    good_return_first<<<1, BLOCK>>>(out, 40);
    good_two_barriers<<<1, BLOCK>>>(out);
    cudaFree(in);
    cudaFree(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
