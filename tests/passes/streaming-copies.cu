// SPDX-License-Identifier: Apache-2.0
// block: 32
#include "boxes.cuh"

extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ __align__(128) float box[128];
    for (int k = threadIdx.x; k < 128; k += 32)
        box[k] = in[blockIdx.x * 128 + k];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile(
            "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;\n"
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::"l"(out + blockIdx.x * 128),
            "r"(shared(box))
            : "memory");
}

extern "C" __global__ void fires_box(const float *in, float *out, int n)
{
    store_box(in, out);
}

// What is written is read.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    __shared__ __align__(128) float box[128];
    for (int k = threadIdx.x; k < 128; k += 32)
        box[k] = in[blockIdx.x * 128 + k];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile(
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 512;\n"
            "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::"l"(out + blockIdx.x * 128),
            "r"(shared(box))
            : "memory");
}

extern "C" __global__ void silent_box(const float *in, float *out, int n)
{
    __shared__ __align__(128) float box[128];
    const unsigned *map = make_map(out, 2);
    for (int k = threadIdx.x; k < 128; k += 32)
        box[k] = in[blockIdx.x * 128 + k];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group "
                     "[%0, {%1, %2}], [%3];\n"
                     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::"l"(map),
                     "r"(16), "r"(blockIdx.x * 8), "r"(shared(box))
                     : "memory");
}

// To shared memory.
extern "C" __global__ void silent_load(const float *in, float *out, int n)
{
    __shared__ __align__(128) float box[128];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) {
        expect(&full, sizeof box);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], 512, [%2];" ::"r"(shared(box)),
                     "l"(in + blockIdx.x * 128), "r"(shared(&full))
                     : "memory");
        wait(&full);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < 128; k += 32)
        out[blockIdx.x * 128 + k] = box[k];
}
