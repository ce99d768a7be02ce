/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_rows.cu: copies of four rows (.tile::gather4, .tile::scatter4) and of multicasts whose
 * mbarriers are those of one block of a pair (.cta_group::2), against indices in C. Prints what is
 * wrong, and "fine".
 */
#include "../common/expect.h"

#include <cuda.h>

enum { WIDE = 48, HIGH = 40, BOX = 16, ROWS = 4, BLOCKS = 4 };

struct rows {
    int column, row[ROWS];
};

__device__ unsigned
shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ void
wait_for(unsigned long long *barrier)
{
    unsigned over = 0;
    while (!over)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, "
                     "1, 0, p; }"
                     : "=r"(over)
                     : "r"(shared(barrier))
                     : "memory");
}

__device__ void
begin(unsigned long long *barrier, unsigned bytes)
{
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;" ::"r"(shared(barrier))
                 : "memory");
    asm volatile(
        "{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }" ::"r"(shared(barrier)),
        "r"(bytes)
        : "memory");
}

__global__ void
gather(const __grid_constant__ CUtensorMap map, struct rows at, int *out)
{
    __shared__ alignas(1024) int s[ROWS * BOX];
    __shared__ unsigned long long b;
    begin(&b, sizeof s);
    asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::"
                 "bytes.cta_group::1 "
                 "[%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(shared(s)),
                 "l"(&map), "r"(at.column), "r"(at.row[0]), "r"(at.row[1]), "r"(at.row[2]),
                 "r"(at.row[3]), "r"(shared(&b))
                 : "memory");
    wait_for(&b);
    for (int k = 0; k < ROWS * BOX; k++)
        out[k] = s[k];
}

__global__ void
scatter(const __grid_constant__ CUtensorMap map, struct rows at)
{
    __shared__ alignas(1024) int s[ROWS * BOX];
    for (int k = 0; k < ROWS * BOX; k++)
        s[k] = -1 - k;
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group "
                 "[%0, {%1, %2, %3, %4, %5}], [%6];" ::"l"(&map),
                 "r"(at.column), "r"(at.row[0]), "r"(at.row[1]), "r"(at.row[2]), "r"(at.row[3]),
                 "r"(shared(s))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

/* Block 1 sends four rows to all, each pair's odd block learns of both. */
__global__ void
__cluster_dims__(BLOCKS, 1, 1)
    pairs(const __grid_constant__ CUtensorMap map, struct rows at, int *out)
{
    __shared__ alignas(1024) int s[ROWS * BOX];
    __shared__ unsigned long long b;
    begin(&b, blockIdx.x % 2 ? 2 * sizeof s : 4);
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    if (blockIdx.x == 1)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::"
                     "complete_tx::bytes"
                     ".multicast::cluster.cta_group::2 "
                     "[%0], [%1, {%2, %3, %4, %5, %6}], [%7], %8;" ::"r"(shared(s)),
                     "l"(&map), "r"(at.column), "r"(at.row[0]), "r"(at.row[1]), "r"(at.row[2]),
                     "r"(at.row[3]), "r"(shared(&b)), "h"((short)15)
                     : "memory");
    if (blockIdx.x % 2)
        wait_for(&b);
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    for (int k = 0; k < ROWS * BOX; k++)
        out[blockIdx.x * ROWS * BOX + k] = s[k];
}

static CUtensorMap
encode(void *at, int rows, CUtensorMapSwizzle swizzle)
{
    CUtensorMap map;
    cuuint64_t dim[] = {WIDE, HIGH}, strides[] = {WIDE * 4};
    cuuint32_t box[] = {BOX, (cuuint32_t)rows}, step[] = {1, 1};
    EXPECT(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, at, dim, strides, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}

/* Where number c of row r lies: groups of 16 bytes, of 64 bytes' swizzle bits 4 and 5 with 7 and 8.
 */
static int
place(int r, int c, bool swizzled)
{
    int byte = r * BOX * 4 + c * 4;
    return (swizzled ? byte ^ (byte >> 7 & 3) << 4 : byte) / 4;
}

static int
wanted(const struct rows *at, int r, int c)
{
    int x = at->column + c, y = at->row[r];
    return x >= 0 && x < WIDE && y >= 0 && y < HIGH ? y * WIDE + x + 1 : 0;
}

int
main()
{
    static const struct rows places[] = {
        {0, {0, 1, 2, 3}}, {16, {39, 3, 17, 17}}, {40, {5, -1, 40, 8}}, {-4, {30, 2, 1, -7}}};
    static int host[HIGH][WIDE], out[BLOCKS * ROWS * BOX];
    int *in, *to;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&to, sizeof out);
    for (int k = 0; k < WIDE * HIGH; k++)
        host[k / WIDE][k % WIDE] = k + 1;
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    for (int swizzled = 0; swizzled < 2; swizzled++) {
        CUtensorMap map =
            encode(in, 1, swizzled ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_NONE);
        for (const struct rows &at : places) {
            gather<<<1, 1>>>(map, at, to);
            cudaMemcpy(out, to, sizeof *out * ROWS * BOX, cudaMemcpyDeviceToHost);
            for (int k = 0; k < ROWS * BOX; k++)
                EXPECT(out[place(k / BOX, k % BOX, swizzled)] == wanted(&at, k / BOX, k % BOX));
        }
        pairs<<<BLOCKS, 1>>>(map, places[1], to);
        cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
        for (int k = 0; k < BLOCKS * ROWS * BOX; k++)
            EXPECT(out[k / (ROWS * BOX) * ROWS * BOX + place(k / BOX % ROWS, k % BOX, swizzled)] ==
                   wanted(&places[1], k / BOX % ROWS, k % BOX));
    }
    static const struct rows targets = {40,
                                        {9, 2, 60, 39}}; /* eight columns and a row are outside */
    CUtensorMap map = encode(in, 1, CU_TENSOR_MAP_SWIZZLE_64B);
    scatter<<<1, 1>>>(map, targets);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < BOX && targets.row[r] < HIGH; c++)
            if (targets.column + c < WIDE)
                host[targets.row[r]][targets.column + c] = -1 - place(r, c, true);
    static int after[HIGH][WIDE];
    cudaMemcpy(after, in, sizeof after, cudaMemcpyDeviceToHost);
    for (int k = 0; k < WIDE * HIGH; k++)
        EXPECT(after[k / WIDE][k % WIDE] == host[k / WIDE][k % WIDE]);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    gather<<<1, 1>>>(encode(in, 2, CU_TENSOR_MAP_SWIZZLE_NONE), places[0],
                     to); /* a box of two rows */
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalInstruction);
    if (!failures)
        printf("fine\n");
    return failures != 0;
}
