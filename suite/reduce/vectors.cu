/* SPDX-License-Identifier: Apache-2.0
 *
 * Sum of floats, the top rung: as many blocks as are resident at once walk through the array in
 * steps of the whole grid, EACH vectors of four words on their way a thread; a warp adds by
 * shuffles. Each block puts its sum aside; the last one to come adds those, in order: the same
 * result every time, and one launch.
 *
 * systems: D7
 * title: floats, vectors of four in flight, shuffles, one launch
 * since: 3.0 shuffles
 * rung: 2
 * sizes: 0 1 17 128 1000 100003
 * check: 17 300 5000
 * gpu: 268435456
 */
#include "reduce.h"

#ifndef EACH
#define EACH 4
#endif
#ifndef THREADS
#define THREADS 512
#endif
#ifndef PER_SM
#define PER_SM 4
#endif

enum { MOST_BLOCKS = 4096 };

__device__ float parts[MOST_BLOCKS];
__device__ int arrived;

static __device__ __forceinline__ float
add_block(float own)
{
    __shared__ float sums[THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
        own += __shfl_down_sync(0xffffffff, own, step);
    if (lane == 0)
        sums[warp] = own;
    __syncthreads();
    own = threadIdx.x < THREADS / 32 ? sums[threadIdx.x] : 0;
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
        own += __shfl_down_sync(0xffffffff, own, step);
    return own; /* right in thread 0 */
}

__global__ void
__launch_bounds__(THREADS, PER_SM) sum(const float *input, float *result, int n)
{
    __shared__ bool last;
    const float4 *vectors = (const float4 *)input;
    int count = n / 4, step = gridDim.x * THREADS, i = blockIdx.x * THREADS + threadIdx.x;
    float own[EACH] = {};
    for (; i + (EACH - 1) * step < count; i += EACH * step) {
        float4 v[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++)
            v[j] = __ldcs(vectors + i + j * step);
#pragma unroll
        for (int j = 0; j < EACH; j++)
            own[j] += (v[j].x + v[j].y) + (v[j].z + v[j].w);
    }
    for (; i < count; i += step) {
        float4 v = vectors[i];
        own[0] += (v.x + v.y) + (v.z + v.w);
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 4)
        own[0] += input[4 * count + threadIdx.x];
#pragma unroll
    for (int j = 1; j < EACH; j++)
        own[0] += own[j];
    float all = add_block(own[0]);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = all;
        __threadfence();
        last = atomicAdd(&arrived, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    float rest = 0;
    for (int k = threadIdx.x; k < gridDim.x; k += THREADS)
        rest += __ldcg(&parts[k]);
    all = add_block(rest);
    if (threadIdx.x == 0) {
        *result = all;
        arrived = 0; /* for the next launch */
    }
}

static void
launch(const float *input, float *result, int n)
{
    static int room;
    if (!room) {
        int device;
        CHECK(cudaGetDevice(&device));
        CHECK(cudaDeviceGetAttribute(&room, cudaDevAttrMultiProcessorCount, device));
        room = room * PER_SM < MOST_BLOCKS ? room * PER_SM : MOST_BLOCKS;
    }
    int wanted = suite_div_up(n, 4 * THREADS), blocks = wanted < room ? wanted : room;
    sum<<<blocks, THREADS>>>(input, result, n);
}

int
main(int argc, char **argv)
{
    return reduce_main("reduce/vectors", "sum of floats, vectors in flight", launch, argc, argv);
}
