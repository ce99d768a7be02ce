/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor.h: what rungs for compute capability 9.0 share: tensor maps on the host; mbarriers and
 * copies of boxes on the device, a function of a line or two for each instruction (PTX ISA 9.7.9.27
 * and 9.7.13.15). suite/hgemm/README.md explains them.
 */
#ifndef SUITE_TENSOR_H
#define SUITE_TENSOR_H

#include <cuda.h>

#include "suite.h"

/* -- host: tensor maps ------------------------------------------------------------------------- */

/* A tensor map is made by the driver, whose call the runtime finds by name. */
static inline CUresult
suite_encode(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *at,
             const cuuint64_t *size, const cuuint64_t *stride, const cuuint32_t *box,
             CUtensorMapSwizzle swizzle)
{
    static decltype(&cuTensorMapEncodeTiled) encode;
    const cuuint32_t step[5] = {1, 1, 1, 1, 1};
    enum cudaDriverEntryPointQueryResult found;
    if (!encode)
        CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                               cudaEnableDefault, &found));
    return encode(map, type, rank, at, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/* rows x columns of which a copy moves a box: `pitch` bytes, a multiple of 16, from row to row.
 * Elements of the box outside of the matrix are 0. */
static inline CUtensorMap
suite_map(CUtensorMapDataType type, const void *at, int rows, int columns, size_t pitch,
          int box_rows, int box_columns, CUtensorMapSwizzle swizzle)
{
    CUtensorMap map;
    cuuint64_t size[2] = {(cuuint64_t)(columns ? columns : 1), (cuuint64_t)(rows ? rows : 1)};
    cuuint64_t stride[1] = {pitch ? pitch : 16};
    cuuint32_t box[2] = {(cuuint32_t)box_columns, (cuuint32_t)box_rows};
    CUresult result = suite_encode(&map, type, 2, (void *)at, size, stride, box, swizzle);
    if (result != CUDA_SUCCESS) {
        fprintf(stderr, "cuTensorMapEncodeTiled failed: %d\n", (int)result);
        exit(1);
    }
    return map;
}

/* The swizzle that mixes rows of that many bytes. */
static inline CUtensorMapSwizzle
suite_swizzle(int bytes)
{
    return bytes == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
           : bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                         : CU_TENSOR_MAP_SWIZZLE_32B;
}

/* Rows of a tensor are multiples of 16 bytes apart. A matrix whose rows are not gets a place whose
 * rows are: `room`, kept from launch to launch; *pitch: bytes from row to row. */
static inline float *
suite_room(const float *at, int rows, int columns, float **room, size_t *pitch)
{
    *pitch = sizeof(float) * columns;
    if (*pitch % 16 == 0 || rows == 0)
        return (float *)at;
    *pitch = (*pitch + 15) / 16 * 16;
    if (!*room)
        CHECK(cudaMalloc((void **)room, *pitch * rows));
    return *room;
}

/* The same with the matrix copied there. */
static inline const float *
suite_pitched(const float *at, int rows, int columns, float **room, size_t *pitch)
{
    float *to = suite_room(at, rows, columns, room, pitch);
    if (to != at)
        CHECK(cudaMemcpy2DAsync(to, *pitch, at, sizeof(float) * columns, sizeof(float) * columns,
                                rows, cudaMemcpyDeviceToDevice, 0));
    return to;
}

/* -- device: mbarriers ------------------------------------------------------------------------- */

typedef unsigned long long barrier; /* in shared memory */

static __device__ __forceinline__ unsigned
shared_address(const void *at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

static __device__ __forceinline__ void
barrier_init(barrier *b, int arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(arrivals)
                 : "memory");
}

/* What threads have done to shared memory comes before what copies do to it from here on. */
static __device__ __forceinline__ void
fence_for_copies(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* One arrival; the phase is over only when that many bytes have come, too. */
static __device__ __forceinline__ void
barrier_expect(barrier *b, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)),
                 "r"(bytes)
                 : "memory");
}

static __device__ __forceinline__ void
barrier_arrive(barrier *b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}

/* Waits for the end of the phase of that parity: phases are 0, 1, 0, 1 ... */
static __device__ __forceinline__ void
barrier_wait(barrier *b, int parity)
{
    asm volatile("{\n"
                 ".reg .pred over;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                 "@!over bra again;\n"
                 "}" ::"r"(shared_address(b)),
                 "r"(parity)
                 : "memory");
}

/* -- device: copies of boxes ------------------------------------------------------------------- */

/* The box whose first element is in column x of row y; b learns of its bytes. */
static __device__ __forceinline__ void
tensor_load(void *to, const CUtensorMap *map, int x, int y, barrier *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(b))
                 : "memory");
}

static __device__ __forceinline__ void
tensor_store(const CUtensorMap *map, int x, int y, const void *from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
                 "[%0, {%1, %2}], [%3];" ::"l"(map),
                 "r"(x), "r"(y), "r"(shared_address(from))
                 : "memory");
}

/* Until this thread's stores have read shared memory. */
static __device__ __forceinline__ void
tensor_stores_wait(void)
{
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
}

#endif
