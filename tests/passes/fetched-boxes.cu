// SPDX-License-Identifier: Apache-2.0
// block: 32
#include "boxes.cuh"

// A box of 8 rows that are 128 bytes from each other.
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ __align__(128) float box[128];
    __shared__ unsigned long long full;
    const unsigned *map = make_map(in, 2);
    if (threadIdx.x == 0) {
        expect(&full, sizeof box);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared(box)),
                     "l"(map), "r"(16), "r"(blockIdx.x * 8), "r"(shared(&full))
                     : "memory");
        wait(&full);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 128; k += 32)
        out[blockIdx.x * 128 + k] = box[k];
}

extern "C" __global__ void fires_store(const float *in, float *out, int n)
{
    store_box(in, out);
}

// One row.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    __shared__ __align__(128) float box[16];
    __shared__ unsigned long long full;
    const unsigned *map = make_map(in, 1);
    if (threadIdx.x == 0) {
        expect(&full, sizeof box);
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2}], [%3];" ::"r"(shared(box)),
                     "l"(map), "r"(blockIdx.x * 4), "r"(shared(&full))
                     : "memory");
        wait(&full);
    }
    __syncthreads();
    if (threadIdx.x < 16)
        out[blockIdx.x * 16 + threadIdx.x] = box[threadIdx.x];
}
