// SPDX-License-Identifier: Apache-2.0
// block: 32
#include "boxes.cuh"

// Boxes of 8 rows, one below the other.
extern "C" __global__ void fires(const float *in, float *out, int n)
{
    __shared__ __align__(128) float box[128];
    __shared__ unsigned long long full;
    const unsigned *map = make_map(in, 2);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;" ::"r"(shared(&full))
                     : "memory");
    float sum = 0;
    for (unsigned turn = 0; turn < 8; turn++) {
        __syncthreads();
        if (threadIdx.x == 0)
            asm volatile(
                "mbarrier.arrive.expect_tx.shared.b64 _, [%4], 512;\n"
                "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared(box)),
                "l"(map), "r"(16), "r"(turn * 8), "r"(shared(&full))
                : "memory");
        for (unsigned over = 0; !over;)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; "
                         "selp.u32 %0, 1, 0, p; }"
                         : "=r"(over)
                         : "r"(shared(&full)), "r"(turn & 1)
                         : "memory");
        for (int k = threadIdx.x; k < 128; k += 32)
            sum += box[k];
    }
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}

// A box that goes the other way.
extern "C" __global__ void silent(const float *in, float *out, int n)
{
    store_box(in, out);
}
