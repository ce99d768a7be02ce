/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_maps.cu: tensor maps in constant and global memory, tensormap.replace of each field,
 * tensormap.cp_fenceproxy, cp.async.bulk.prefetch.tensor, cp.reduce.async.bulk.tensor, and what the
 * driver refuses. Prints what is wrong, and "fine".
 */
#include "../common/expect.h"

#include <cstring>
#include <cuda.h>
#include <cuda/barrier>

enum { WIDE = 64, HIGH = 32, BOX = 8 };

__device__ unsigned
shared(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

/* The box at x, y by a map anywhere, to out[]. */
__device__ void
fetch(const void *map, int x, int y, int *out, unsigned bytes)
{
    __shared__ alignas(128) int s[BOX * BOX];
    __shared__ unsigned long long b;
    unsigned over = 0;
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.proxy.async;" ::"r"(shared(&b))
                 : "memory");
    asm volatile(
        "{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }" ::"r"(shared(&b)),
        "r"(bytes)
        : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(map),
                 "r"(x), "r"(y)
                 : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared(s)),
                 "l"(map), "r"(x), "r"(y), "r"(shared(&b))
                 : "memory");
    while (!over)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(shared(&b))
                     : "memory");
    for (int k = 0; k < (int)bytes / 4; k++)
        out[k] = s[k];
}

__constant__ CUtensorMap constant;

/* By any thread: clang copies the parameter to each one's local memory. */
__global__ void
from_parameter(const __grid_constant__ CUtensorMap map, int *out)
{
    if (threadIdx.x == 45)
        fetch(&map, 8, 4, out, BOX * BOX * 4);
}
__global__ void
from_constant(int *out)
{
    fetch(&constant, 8, 4, out, BOX * BOX * 4);
}
__global__ void
from_global(const CUtensorMap *map, int *out)
{
    fetch(map, 8, 4, out, BOX * BOX * 4);
}

/* A map made in shared memory from another one, as programs do that choose tensors on
 * the device. */
__global__ void
replaced(const __grid_constant__ CUtensorMap old, CUtensorMap *map, const int *other, int *out)
{
    __shared__ alignas(128) CUtensorMap made;
    made = old;
    unsigned at = shared(&made);
    asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(at),
                 "l"(other)
                 : "memory");
    asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(at),
                 "r"(4)
                 : "memory");
    asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(at),
                 "r"(6)
                 : "memory");
    asm volatile(
        "tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(at),
        "l"(2ll * WIDE * 4)
        : "memory");
    asm volatile(
        "tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(at), "r"(2)
        : "memory");
    asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 7;" ::"r"(at)
                 : "memory");
    asm volatile("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;" ::"r"(at)
                 : "memory");
    asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(at)
                 : "memory");
    asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 1;" ::"r"(at)
                 : "memory");
    __syncwarp();
    asm volatile(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
        "[%0], [%1], 128;" ::"l"(map),
        "r"(at)
        : "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
    fetch(map, 0, 4, out, 4 * 4 * 4);
}

__global__ void
reduce(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) int s[BOX * BOX];
    for (int k = 0; k < BOX * BOX; k++)
        s[k] = k;
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], "
        "[%3];" ::"l"(&map),
        "r"(8), "r"(4), "r"(shared(s))
        : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

/* The programming guide's spelling. */
__global__ void
guide(const __grid_constant__ CUtensorMap map, int *out)
{
    namespace cde = cuda::device::experimental;
    __shared__ alignas(128) int s[BOX][BOX];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(&s, &map, 8, 4, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof s);
    } else {
        token = bar.arrive();
    }
    bar.wait(static_cast<decltype(token) &&>(token));
    if (threadIdx.x < BOX)
        s[0][threadIdx.x] += 1;
    out[threadIdx.x] = s[1][threadIdx.x % BOX];
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(&map, 8, 4, &s);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

static CUresult
encode(CUtensorMap *map, void *at, cuuint32_t rank, cuuint64_t stride, cuuint32_t wide, int fill)
{
    cuuint64_t dim[] = {WIDE, HIGH, 1}, strides[] = {stride, 0};
    cuuint32_t box[] = {wide, BOX, 1}, step[] = {1, 1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_INT32, rank, at, dim, strides, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)fill);
}

int
main()
{
    static int host[HIGH][WIDE], out[BOX * BOX];
    int *in, *to;
    CUtensorMap map, *there;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&to, sizeof out);
    cudaMalloc(&there, sizeof map);
    for (int k = 0; k < WIDE * HIGH; k++)
        host[k / WIDE][k % WIDE] = k;
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);

    EXPECT(encode(&map, in, 2, WIDE * 4, BOX, 0) == CUDA_SUCCESS);
    EXPECT(encode(&map, in, 0, WIDE * 4, BOX, 0) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(encode(&map, in, 6, WIDE * 4, BOX, 0) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(encode(&map, (char *)in + 8, 2, WIDE * 4, BOX, 0) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(encode(&map, in, 2, WIDE * 4 + 8, BOX, 0) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(encode(&map, in, 2, 1ull << 40, BOX, 0) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(encode(&map, in, 2, WIDE * 4, 3, 0) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(encode(&map, in, 2, WIDE * 4, 260, 0) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(encode(&map, in, 2, WIDE * 4, BOX, 1) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(encode(NULL, in, 2, WIDE * 4, BOX, 0) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuTensorMapReplaceAddress(&map, (char *)in + 4) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuTensorMapReplaceAddress(&map, in) == CUDA_SUCCESS);

    cudaMemcpyToSymbol(constant, &map, sizeof map);
    from_constant<<<1, 1>>>(to);
    cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
    for (int k = 0; k < BOX * BOX; k++)
        EXPECT(out[k] == host[4 + k / BOX][8 + k % BOX]);
    cudaMemset(to, 0, sizeof out);
    from_parameter<<<1, 64>>>(map, to);
    cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
    for (int k = 0; k < BOX * BOX; k++)
        EXPECT(out[k] == host[4 + k / BOX][8 + k % BOX]);
    cudaMemcpy(there, &map, sizeof map, cudaMemcpyHostToDevice);
    cudaMemset(to, 0, sizeof out);
    from_global<<<1, 1>>>(there, to);
    cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
    for (int k = 0; k < BOX * BOX; k++)
        EXPECT(out[k] == host[4 + k / BOX][8 + k % BOX]);

    replaced<<<1, 1>>>(map, there, in + 16, to); /* rows of twice the length, every other of six */
    cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
    for (int k = 0; k < 4; k++) {
        EXPECT(out[k] == host[8][16 + k]);
        EXPECT(out[4 + k] == 0x7ff77ff7);
    }
    reduce<<<1, 1>>>(map);
    guide<<<1, 32>>>(map, to);
    cudaMemcpy(host, in, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
    for (int k = 0; k < WIDE * HIGH; k++) {
        int x = k % WIDE - 8, y = k / WIDE - 4;
        bool inside = x >= 0 && x < BOX && y >= 0 && y < BOX;
        EXPECT(host[k / WIDE][k % WIDE] == k + (inside ? y * BOX + x + (y == 0) : 0));
    }
    EXPECT(out[3] == host[5][8 + 3]);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    if (!failures)
        printf("fine\n");
    return failures != 0;
}
