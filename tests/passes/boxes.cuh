// SPDX-License-Identifier: Apache-2.0
// What kernels that copy boxes of tensors share: an mbarrier, and a map that the kernel makes.
#pragma once

__device__ unsigned
shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ void
expect(unsigned long long *full, unsigned bytes)
{
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;\n"
                 "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared(full)),
                 "r"(bytes)
                 : "memory");
}

__device__ void
wait(unsigned long long *full)
{
    for (unsigned over = 0; !over;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(shared(full))
                     : "memory");
}

// The map of a tensor of 64 rows of 32 floats, or of one, made by the kernel: its first word is
// what this GPU knows maps by.
__device__ __align__(128) unsigned maps[4][32];
#define REPLACE(field, type, rest, v)                                                              \
    asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." type " [%0]" rest ", %1;"   \
                 :                                                                                 \
                 : "r"(at), v                                                                      \
                 : "memory");
#define CONSTANT(field, v)                                                                         \
    asm volatile("tensormap.replace.tile." field ".shared::cta.b1024.b32 [%0], " v ";"             \
                 :                                                                                 \
                 : "r"(at)                                                                         \
                 : "memory");
__device__ const unsigned *
make_map(const float *tensor, int ranks)
{
    __shared__ __align__(128) unsigned made[32];
    unsigned at = (unsigned)__cvta_generic_to_shared(made);
    made[threadIdx.x] = threadIdx.x ? 0 : 0x50414d54;
    __syncwarp();
    REPLACE("global_address", "b64", "", "l"(tensor))
    if (ranks == 2)
        CONSTANT("rank", "1")
    else
        CONSTANT("rank", "0")
    REPLACE("box_dim", "b32", ", 0", "r"(16))
    REPLACE("box_dim", "b32", ", 1", "r"(8))
    REPLACE("global_dim", "b32", ", 0", "r"(32))
    REPLACE("global_dim", "b32", ", 1", "r"(64))
    REPLACE("global_stride", "b64", ", 0", "l"(128ll))
    REPLACE("element_stride", "b32", ", 0", "r"(1))
    REPLACE("element_stride", "b32", ", 1", "r"(1))
    CONSTANT("elemtype", "7")
    CONSTANT("interleave_layout", "0")
    CONSTANT("swizzle_mode", "0")
    CONSTANT("fill_mode", "0")
    __syncwarp();
    asm volatile(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
        "[%0], [%1], 128;" ::"l"(maps[blockIdx.x]),
        "r"(at)
        : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(maps[blockIdx.x])
                 : "memory");
    return maps[blockIdx.x];
}

// A box of 8 rows of 16 floats, of each block.
__device__ void
store_box(const float *in, float *out)
{
    __shared__ __align__(128) float box[128];
    const unsigned *map = make_map(out, 2);
    for (int k = threadIdx.x; k < 128; k += 32)
        box[k] = in[blockIdx.x * 128 + k];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
                     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::"l"(map),
                     "r"(16), "r"(blockIdx.x * 8), "r"(shared(box))
                     : "memory");
}
