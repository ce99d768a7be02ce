/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx.cu: <cuda/ptx>: a function of each kind, on clusters of two blocks, against what C says; and
 * the forms that are only compiled. Prints what is wrong, and "fine".
 */
#include "../common/expect.h"

#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda_runtime.h>

namespace ptx = cuda::ptx;
enum { SIDE = 16, THREADS = 64 };

__device__ void
wait(uint64_t *b, uint32_t parity)
{
    while (!ptx::mbarrier_try_wait_parity(b, parity))
        ;
}

/* A box comes, is doubled, is added to the tensor by the copy unit; then stored one column block
 * on. */
__global__ void
boxes(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) int s[SIDE][SIDE];
    __shared__ uint64_t b;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&b, 1);
        ptx::fence_proxy_async(ptx::space_shared);
        const int32_t at[2] = {SIDE, SIDE};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s, &map, at, &b);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &b,
                                       sizeof s);
    }
    __syncthreads();
    wait(&b, 0);
    for (int k = threadIdx.x; k < SIDE * SIDE; k += THREADS)
        s[k / SIDE][k % SIDE] *= 2;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        const int32_t at[2] = {SIDE, SIDE}, next[2] = {2 * SIDE, SIDE};
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map,
                                         at, s);
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, next, s);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

struct results {
    uint32_t rank, far_rank, blocks, elected, from_peer[4], sum, multicast[16], reduced[4], test;
};

/* What the blocks of a cluster send each other. */
__global__ void __cluster_dims__(2, 1, 1)
clusters(const uint32_t *in, results *out)
{
    __shared__ alignas(16) uint32_t words[4], many[16], total[4], own[4], sum;
    __shared__ uint64_t b, c;
    results *r = out + blockIdx.x;
    auto cluster = cooperative_groups::this_cluster();
    uint32_t rank = ptx::get_sreg_cluster_ctarank(), peer = rank ^ 1;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&b, 1);
        ptx::mbarrier_init(&c, 2);
        sum = 100;
        for (int k = 0; k < 4; k++)
            total[k] = 10 * k, own[k] = rank + 1;
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::fence_proxy_async();
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &b,
                                       sizeof words + 4 + sizeof many + sizeof total);
    }
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
    if (threadIdx.x == 0) {
        uint64_t *far = cluster.map_shared_rank(&b, peer);
        const uint32_t four[4] = {rank, rank + 10, rank + 20, rank + 30};
        r->far_rank = ptx::getctarank(ptx::space_cluster, far);
        ptx::st_async(cluster.map_shared_rank(words, peer), four, far);
        ptx::red_async(ptx::op_add, cluster.map_shared_rank(&sum, peer), rank + 1, far);
        ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_add,
                                  cluster.map_shared_rank(total, peer), own, (uint32_t)sizeof own,
                                  far);
        if (rank == 0)
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, many, in,
                               (uint32_t)sizeof many, &b, (uint16_t)3);
    }
    wait(&b, 0);
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                             cluster.map_shared_rank(&c, peer));
        uint64_t state =
            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &c);
        while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cluster, &c, state))
            ;
        r->test = ptx::mbarrier_test_wait_parity(&c, 0) && !ptx::mbarrier_test_wait_parity(&c, 1);
        r->rank = rank, r->blocks = ptx::get_sreg_cluster_nctarank(), r->sum = sum;
        for (int k = 0; k < 4; k++)
            r->from_peer[k] = words[k], r->reduced[k] = total[k];
        for (int k = 0; k < 16; k++)
            r->multicast[k] = many[k];
    }
    uint32_t elected = __popc(__ballot_sync(~0u, ptx::elect_sync(~0u)));
    if (threadIdx.x == 0)
        r->elected = elected;
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
}

/* A map made on the device from another one, for another tensor. */
__global__ void
replaced(const __grid_constant__ CUtensorMap old, CUtensorMap *map, int *tensor)
{
    __shared__ alignas(128) CUtensorMap s;
    if (threadIdx.x == 0) {
        s = old;
        ptx::tensormap_replace_global_address(ptx::space_shared, &s, tensor);
        ptx::tensormap_replace_global_dim(ptx::space_shared, &s, ptx::n32_t<0>(), SIDE);
        ptx::tensormap_replace_global_stride(ptx::space_shared, &s, ptx::n32_t<0>(),
                                             (uint64_t)SIDE * 4);
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, map, &s, ptx::n32_t<128>());
}
__global__ void
by_replaced(const CUtensorMap *map, int *out)
{
    __shared__ alignas(128) int s[SIDE][SIDE];
    __shared__ uint64_t b;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&b, 1);
        ptx::fence_proxy_async();
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map,
                                           ptx::n32_t<128>());
        const int32_t at[2] = {0, 0};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &b,
                                       sizeof s);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s, map, at, &b);
    }
    __syncthreads();
    wait(&b, 0);
    for (int k = threadIdx.x; k < SIDE * SIDE; k += THREADS)
        out[k] = s[k / SIDE][k % SIDE];
}

/* Handles of cuda::barrier are what these functions take. */
__global__ void
handles(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    if (threadIdx.x == 0)
        init(&b, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        uint64_t state = ptx::mbarrier_arrive(cuda::device::barrier_native_handle(b));
        *out = ptx::mbarrier_test_wait(cuda::device::barrier_native_handle(b), state);
    }
}

static CUtensorMap
map_of(int *at, int wide, int high)
{
    CUtensorMap map;
    cuuint64_t size[2] = {(cuuint64_t)wide, (cuuint64_t)high}, stride[1] = {(cuuint64_t)wide * 4};
    cuuint32_t box[2] = {SIDE, SIDE}, step[2] = {1, 1};
    EXPECT(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, at, size, stride, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    return map;
}

int
main()
{
    enum { WIDE = 3 * SIDE, HIGH = 2 * SIDE };
    int *tensor, *out;
    uint32_t *in;
    results *found;
    CUtensorMap *map;
    cudaMallocManaged(&tensor, WIDE * HIGH * 4), cudaMallocManaged(&out, 4096),
        cudaMallocManaged(&in, 64);
    cudaMallocManaged(&found, 2 * sizeof *found), cudaMalloc(&map, sizeof *map);
    for (int k = 0; k < WIDE * HIGH; k++)
        tensor[k] = k;
    for (int k = 0; k < 16; k++)
        in[k] = 1000 + k;
    CUtensorMap whole = map_of(tensor, WIDE, HIGH);
    boxes<<<1, THREADS>>>(whole);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    for (int k = 0; k < WIDE * HIGH; k++) {
        int x = k % WIDE, y = k / WIDE, from = y * WIDE + SIDE + x % SIDE;
        int right = y < SIDE || x < SIDE ? k : x < 2 * SIDE ? 3 * from : 2 * from;
        if (tensor[k] != right)
            printf("tensor[%d] is %d, should be %d\n", k, tensor[k], right), failures++;
    }
    clusters<<<2, THREADS>>>(in, found);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    for (uint32_t n = 0; n < 2; n++) {
        const results *r = &found[n];
        EXPECT(r->rank == n && r->far_rank == 1 - n && r->blocks == 2 && r->elected == 1 &&
               r->test);
        EXPECT(r->sum == 100 + 2 - n);
        for (uint32_t k = 0; k < 4; k++)
            EXPECT(r->from_peer[k] == 1 - n + 10 * k && r->reduced[k] == 10 * k + 2 - n);
        for (uint32_t k = 0; k < 16; k++)
            EXPECT(r->multicast[k] == 1000 + k);
    }
    for (int k = 0; k < SIDE * SIDE; k++)
        tensor[k] = 7 * k;
    replaced<<<1, 32>>>(whole, map, tensor);
    by_replaced<<<1, THREADS>>>(map, out);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess);
    for (int k = 0; k < SIDE * SIDE; k++)
        EXPECT(out[k] == 7 * k);
    handles<<<1, 32>>>(out);
    EXPECT(cudaDeviceSynchronize() == cudaSuccess && out[0] == 1);
    if (!failures)
        printf("fine\n");
    return failures != 0;
}
