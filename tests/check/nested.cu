/* SPDX-License-Identifier: Apache-2.0
 *
 * nested.cu: kernels that launch kernels. What a child may read, who may read what it wrote. Names
 * that begin with bad_ have a mistake, which is reported at the kernel or at its child; beside them
 * the right way.
 */
#include <cstdio>
#include <cuda_runtime.h>

enum { BLOCK = 64, BLOCKS = 4, N = BLOCK * BLOCKS };

/* Children: each kernel has its own, so that reports can be told apart. */
#define CHILDREN(name)                                                                             \
    __global__ void name##_doubles(int *p, int n)                                                  \
    {                                                                                              \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        if (i < n)                                                                                 \
            p[i] *= 2;                                                                             \
    }

/* -- a child reads what its parent wrote ------------------------------------------------------- */

CHILDREN(good_own)
__global__ void
good_own(int *p)
{
    p[threadIdx.x] = threadIdx.x;
    good_own_doubles<<<1, 1>>>(p + threadIdx.x, 1);
}
CHILDREN(good_barrier)
__global__ void
good_barrier(int *p)
{
    p += blockIdx.x * BLOCK;
    p[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        good_barrier_doubles<<<1, BLOCK>>>(p, BLOCK);
}
CHILDREN(bad_barrier)
__global__ void
bad_barrier(int *p)
{
    p += blockIdx.x * BLOCK;
    p[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == BLOCK - 1)
        bad_barrier_doubles<<<1, BLOCK>>>(p, BLOCK);
}
CHILDREN(bad_other_block)
__global__ void
bad_other_block(int *p)
{
    p[blockIdx.x * BLOCK + threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == BLOCKS - 1)
        bad_other_block_doubles<<<BLOCKS, BLOCK>>>(p, N);
}
CHILDREN(good_last_block)
__device__ unsigned arrived;
__global__ void
good_last_block(int *p)
{
    __shared__ bool last;
    p[blockIdx.x * BLOCK + threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&arrived, 1) == BLOCKS - 1;
    __syncthreads();
    if (threadIdx.x == 0 && last) {
        __threadfence();
        good_last_block_doubles<<<BLOCKS, BLOCK>>>(p, N);
    }
}

/* -- a parent reads what its child wrote ------------------------------------------------------- */

CHILDREN(bad_reads_child)
__global__ void
bad_reads_child(int *p, int *out)
{
    p[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        bad_reads_child_doubles<<<1, BLOCK>>>(p, BLOCK);
        *out = p[1];
    }
}
CHILDREN(good_waits)
__global__ void
good_waits(int *p, int *out) /* before CUDA 12; the only way to wait in a kernel */
{
    p[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        good_waits_doubles<<<1, BLOCK>>>(p, BLOCK);
        cudaDeviceSynchronize();
        *out = p[1];
    }
    __syncthreads();
    p[threadIdx.x]++;
}
CHILDREN(bad_overwrites)
__global__ void
bad_overwrites(int *p)
{
    p[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        bad_overwrites_doubles<<<1, BLOCK>>>(p, BLOCK);
    __syncthreads();
    p[threadIdx.x] = 0;
}

/* -- children among themselves ----------------------------------------------------------------- */

CHILDREN(good_in_order)
__global__ void
good_in_order(int *p)
{
    if (threadIdx.x == 0)
        for (int k = 0; k < 3; k++)
            good_in_order_doubles<<<1, BLOCK>>>(p, BLOCK);
}
CHILDREN(bad_blocks_launch)
__global__ void
bad_blocks_launch(int *p)
{
    if (threadIdx.x == 0)
        bad_blocks_launch_doubles<<<1, BLOCK>>>(p, BLOCK);
}
CHILDREN(bad_forgotten)
__global__ void
bad_forgotten(int *p)
{
    for (int k = 0; k < 2; k++)
        bad_forgotten_doubles<<<1, BLOCK, 0, cudaStreamFireAndForget>>>(p, BLOCK);
}
CHILDREN(good_forgotten)
__global__ void
good_forgotten(int *p)
{
    for (int k = 0; k < BLOCKS; k++)
        good_forgotten_doubles<<<1, BLOCK, 0, cudaStreamFireAndForget>>>(p + k * BLOCK, BLOCK);
}
CHILDREN(good_tail)
__global__ void
good_tail(int *p)
{
    if (threadIdx.x == 0)
        good_tail_doubles<<<BLOCKS, BLOCK, 0, cudaStreamTailLaunch>>>(p, N);
    __syncthreads();
    p[threadIdx.x] = threadIdx.x;
}

/* -- deeper ------------------------------------------------------------------------------------ */

CHILDREN(good_tree)
__global__ void
good_tree(int *p, int n)
{
    __shared__ int middle;
    for (int i = threadIdx.x; i < n; i += BLOCK)
        p[i]++;
    __syncthreads();
    if (threadIdx.x == 0)
        middle = n / 2;
    __syncthreads();
    if (n < 8 || threadIdx.x)
        return;
    good_tree<<<1, BLOCK>>>(p, middle);
    good_tree<<<1, BLOCK>>>(p + middle, n - middle);
    good_tree_doubles<<<1, N>>>(p, n);
}
/* Launches of two blocks, which touch one element. */
CHILDREN(bad_cousins)
__global__ void
bad_cousins_middle(int *p)
{
    if (threadIdx.x == 0)
        bad_cousins_doubles<<<1, BLOCK>>>(p + blockIdx.x * (BLOCK - 1), BLOCK);
}
__global__ void
bad_cousins(int *p)
{
    bad_cousins_middle<<<2, 32>>>(p);
}

/* -- memory ------------------------------------------------------------------------------------ */

__global__ void
bad_child_bounds_child(int *p)
{
    p[threadIdx.x] = 1;
}
__global__ void
bad_child_bounds(int *p)
{
    bad_child_bounds_child<<<1, BLOCK + 1>>>(p);
}
__global__ void
bad_child_unset_child(int *out, const int *p)
{
    out[threadIdx.x] = p[threadIdx.x] + 1;
}
__global__ void
bad_child_unset(int *out)
{
    int *p = (int *)malloc(4 * BLOCK);
    if (p)
        bad_child_unset_child<<<1, BLOCK>>>(out, p);
    cudaDeviceSynchronize();
    free(p);
}
__global__ void
good_child_memory_child(int *out, const int *p)
{
    out[threadIdx.x] = p[threadIdx.x] + 1;
}
__global__ void
good_child_memory(int *out)
{
    int *p = (int *)malloc(4 * BLOCK);
    for (int i = 0; p && i < BLOCK; i++)
        p[i] = i;
    if (p)
        good_child_memory_child<<<1, BLOCK>>>(out, p);
    cudaDeviceSynchronize();
    free(p);
}
/* A flag of the parent's grid stays one when a child has ended. */
CHILDREN(good_flag)
__device__ volatile int flag;
__device__ int message;
__global__ void
good_flag(int *p, int *out)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        message = 7;
        __threadfence();
        flag = 1;
        good_flag_doubles<<<1, BLOCK>>>(p, BLOCK);
    } else {
        while (!flag)
            ;
        __threadfence();
        *out = message;
    }
}

/* -- the host ---------------------------------------------------------------------------------- */

CHILDREN(good_stream)
__global__ void
good_stream(int *p)
{
    good_stream_doubles<<<BLOCKS, BLOCK>>>(p, N);
}
CHILDREN(bad_stream)
__global__ void
bad_stream(int *p)
{
    bad_stream_doubles<<<BLOCKS, BLOCK>>>(p, N);
}

int
main()
{
    int *p, *out, *small;
    cudaStream_t s, t;
    cudaMalloc(&p, 4 * N);
    cudaMalloc(&out, 4 * N);
    cudaMalloc(&small, 4 * BLOCK);
    cudaMemset(p, 0, 4 * N);
    cudaMemset(out, 0, 4 * N);
    good_own<<<1, BLOCK>>>(p);
    good_barrier<<<BLOCKS, BLOCK>>>(p);
    bad_barrier<<<BLOCKS, BLOCK>>>(p);
    bad_other_block<<<BLOCKS, BLOCK>>>(p);
    good_last_block<<<BLOCKS, BLOCK>>>(p);
    bad_reads_child<<<1, BLOCK>>>(p, out);
    good_waits<<<1, BLOCK>>>(p, out);
    bad_overwrites<<<1, BLOCK>>>(p);
    good_in_order<<<1, BLOCK>>>(p);
    bad_blocks_launch<<<2, BLOCK>>>(p);
    bad_forgotten<<<1, 1>>>(p);
    good_forgotten<<<1, 1>>>(p);
    good_tail<<<1, BLOCK>>>(p);
    good_tree<<<1, BLOCK>>>(p, N);
    bad_cousins<<<1, 1>>>(p);
    bad_child_bounds<<<1, 1>>>(small);
    bad_child_unset<<<1, 1>>>(out);
    good_child_memory<<<1, 1>>>(out);
    good_flag<<<2, 32>>>(p, out);
    cudaDeviceSynchronize();
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    good_stream<<<1, 1, 0, s>>>(p);
    good_stream<<<1, 1, 0, s>>>(p);
    cudaStreamSynchronize(s);
    good_stream<<<1, 1, 0, t>>>(p);
    cudaDeviceSynchronize();
    bad_stream<<<1, 1, 0, s>>>(p);
    bad_stream<<<1, 1, 0, t>>>(p);
    cudaDeviceSynchronize();
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaFree(p);
    cudaFree(out);
    cudaFree(small);
    return 0;
}
