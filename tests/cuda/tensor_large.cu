/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_large.cu: a matrix of over 16 MiB copied box by box, with each swizzle: whole rows of
 * boxes go past the caches, those that are cut off at the edges do not. What lies behind the rows
 * stays. The same by bulk copies of 16 KiB, and of 48 bytes less. Prints what is wrong, and "fine".
 */
#include "../common/expect.h"

#include <cstring>
#include <cuda.h>

enum { WIDE = 2080, HIGH = 2100, PITCH = 2112, ROWS = 64 }; /* floats; rows of a box */

__device__ unsigned
shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__global__ void
copy(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, int columns)
{
    __shared__ alignas(1024) float box[ROWS * 64];
    __shared__ unsigned long long full;
    int x = blockIdx.x * columns, y = blockIdx.y * ROWS;
    unsigned over = 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;\n"
                     "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared(&full)),
                     "r"(columns * ROWS * 4)
                     : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared(box)),
                     "l"(&from), "r"(x), "r"(y), "r"(shared(&full))
                     : "memory");
        while (!over)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; "
                         "selp.u32 %0, 1, 0, p; }"
                         : "=r"(over)
                         : "r"(shared(&full))
                         : "memory");
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
                     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::"l"(&to),
                     "r"(x), "r"(y), "r"(shared(box))
                     : "memory");
    }
}

__global__ void
copy_bulk(const char *from, char *to, unsigned bytes)
{
    __shared__ alignas(128) char some[16384];
    __shared__ unsigned long long full;
    size_t at = (size_t)blockIdx.x * bytes;
    unsigned over = 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;\n"
                     "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;\n"
                     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%2], [%3], %1, [%0];" ::"r"(shared(&full)),
                     "r"(bytes), "r"(shared(some)), "l"(from + at)
                     : "memory");
        while (!over)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; "
                         "selp.u32 %0, 1, 0, p; }"
                         : "=r"(over)
                         : "r"(shared(&full))
                         : "memory");
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::"l"(to + at),
                     "r"(shared(some)), "r"(bytes)
                     : "memory");
    }
}

static CUtensorMap
map_of(float *at, int columns, CUtensorMapSwizzle swizzle)
{
    CUtensorMap map;
    cuuint64_t size[2] = {WIDE, HIGH}, stride[1] = {PITCH * 4};
    cuuint32_t box[2] = {(cuuint32_t)columns, ROWS}, step[2] = {1, 1};
    EXPECT(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, at, size, stride, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}

static void
copies(float *from, float *to, int columns, CUtensorMapSwizzle swizzle)
{
    memset(to, 0, sizeof(float) * PITCH * HIGH);
    dim3 grid((WIDE + columns - 1) / columns, (HIGH + ROWS - 1) / ROWS);
    copy<<<grid, 32>>>(map_of(from, columns, swizzle), map_of(to, columns, swizzle), columns);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    int wrong = 0;
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < PITCH; x++)
            wrong += to[y * PITCH + x] != (x < WIDE ? from[y * PITCH + x] : 0);
    EXPECT(wrong == 0);
}

static void
bulk_copies(float *from, float *to, unsigned bytes)
{
    unsigned blocks = sizeof(float) * PITCH * HIGH / bytes;
    memset(to, 0, sizeof(float) * PITCH * HIGH);
    copy_bulk<<<blocks, 32>>>((char *)from, (char *)to, bytes);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    EXPECT(!memcmp(from, to, (size_t)blocks * bytes));
    int wrong = 0;
    for (size_t k = (size_t)blocks * bytes / 4; k < PITCH * HIGH; k++)
        wrong += to[k] != 0;
    EXPECT(wrong == 0);
}

int
main()
{
    float *from, *to;
    cudaMallocManaged(&from, sizeof(float) * PITCH * HIGH);
    cudaMallocManaged(&to, sizeof(float) * PITCH * HIGH);
    for (int k = 0; k < PITCH * HIGH; k++)
        from[k] = (float)(k + 1);
    copies(from, to, 64, CU_TENSOR_MAP_SWIZZLE_NONE);
    copies(from, to, 8, CU_TENSOR_MAP_SWIZZLE_32B);
    copies(from, to, 16, CU_TENSOR_MAP_SWIZZLE_64B);
    copies(from, to, 32, CU_TENSOR_MAP_SWIZZLE_128B);
    bulk_copies(from, to, 16384);
    bulk_copies(from, to, 16384 - 48);
    if (!failures)
        printf("fine\n");
    return failures != 0;
}
