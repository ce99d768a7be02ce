/* SPDX-License-Identifier: Apache-2.0
 *
 * clusters.cu: programs whose blocks share their shared memory, as CUDA's programming guide writes
 * them: the histogram, by cooperative groups; a kernel with __cluster_dims__; a graph's node with
 * clusters; intrinsics. Prints what is wrong.
 */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <vector>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define NEW 1
#else
#define NEW 0
#endif
namespace cg = cooperative_groups;
static int wrong;
#define OK(call)                                                                                   \
    do {                                                                                           \
        cudaError_t e_ = (call);                                                                   \
        if (e_ != cudaSuccess)                                                                     \
            printf("%s: %s\n", #call, cudaGetErrorName(e_)), wrong++;                              \
    } while (0)

__global__ void
histogram(int *bins, int nbins, int bins_per_block, const int *input, size_t n)
{
#if NEW
    extern __shared__ int smem[];
    cg::cluster_group cluster = cg::this_cluster();
    int tid = cg::this_grid().thread_rank(), size = cluster.dim_blocks().x;
    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
        smem[i] = 0;
    cluster.sync();
    for (size_t i = tid; i < n; i += blockDim.x * gridDim.x) {
        int bin = input[i] < 0 ? 0 : input[i] >= nbins ? nbins - 1 : input[i];
        int *there = cluster.map_shared_rank(smem, bin / bins_per_block % size);
        atomicAdd(there + bin % bins_per_block, 1);
    }
    cluster.sync();
    int *out = bins + cluster.block_rank() * bins_per_block;
    for (int i = threadIdx.x; i < bins_per_block; i += blockDim.x)
        atomicAdd(&out[i], smem[i]);
#endif
}

static void
histograms(int size, bool non_portable)
{
    enum { EACH = 37, BLOCKS = 32, THREADS = 96, COUNT = 10000 };
    int nbins = EACH * size;
    std::vector<int> in(COUNT), out(nbins), want(nbins);
    unsigned state = size;
    for (int &x : in) {
        x = (int)((state = state * 1664525 + 1013904223) >> 8) % (nbins + 20) - 10;
        want[x < 0 ? 0 : x >= nbins ? nbins - 1 : x]++;
    }
    int *a, *b;
    OK(cudaMalloc(&a, COUNT * sizeof(int)));
    OK(cudaMalloc(&b, nbins * sizeof(int)));
    OK(cudaMemcpy(a, in.data(), COUNT * sizeof(int), cudaMemcpyHostToDevice));
    OK(cudaMemset(b, 0, nbins * sizeof(int)));
    if (non_portable)
        OK(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];
    config.gridDim = BLOCKS, config.blockDim = THREADS,
    config.dynamicSmemBytes = EACH * sizeof(int);
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = size,
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.attrs = attribute, config.numAttrs = 1;
    OK(cudaLaunchKernelEx(&config, histogram, b, nbins, (int)EACH, (const int *)a, (size_t)COUNT));
    OK(cudaMemcpy(out.data(), b, nbins * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < nbins; i++)
        if (out[i] != want[i]) {
            printf("clusters of %d: bin %d has %d, not %d\n", size, i, out[i], want[i]), wrong++;
            break;
        }
    cudaFree(a), cudaFree(b);
}

__global__ void __cluster_dims__(2, 2, 1)
fixed(int *out)
{
#if NEW
    __shared__ int s[32];
    unsigned rank = __clusterRelativeBlockRank(), n = __clusterSizeInBlocks();
    s[threadIdx.x] = 100 * rank + threadIdx.x;
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    int *there = (int *)__cluster_map_shared_rank(s, (rank + 1) % n);
    int block = blockIdx.y * gridDim.x + blockIdx.x;
    bool fine = __cluster_query_shared_rank(there) == (rank + 1) % n && __isClusterShared(there) &&
                !__isShared(there) && __isShared(s) && __clusterDimIsSpecified() &&
                __clusterDim().y == 2 && __clusterGridDimInClusters().x == 3 &&
                __clusterRelativeBlockIdx().x == blockIdx.x % 2 &&
                __clusterIdx().x == blockIdx.x / 2;
    out[32 * block + threadIdx.x] = fine ? there[threadIdx.x] : -1;
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
#endif
}

static void
required()
{
    int *d, h[32 * 24];
    OK(cudaMalloc(&d, sizeof h));
    fixed<<<dim3(6, 4), 32>>>(d);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 32 * 24; k++) {
        int x = k / 32 % 6, y = k / 32 / 6, rank = x % 2 + 2 * (y % 2);
        if (h[k] != 100 * ((rank + 1) % 4) + k % 32) {
            printf("fixed: word %d is %d\n", k, h[k]), wrong++;
            break;
        }
    }
    fixed<<<dim3(5, 4), 32>>>(d);
    if (cudaGetLastError() != cudaErrorInvalidClusterSize)
        printf("a grid that is not made of clusters\n"), wrong++;
    cudaFree(d);
}

__global__ void
sizes(int *out)
{
#if NEW
    out[blockIdx.x] = cg::this_cluster().num_blocks();
#endif
}

static void
graph()
{
    int *d, h[8];
    OK(cudaMalloc(&d, sizeof h));
    cudaGraph_t g;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    cudaKernelNodeParams p = {};
    void *args[] = {&d};
    p.func = (void *)sizes, p.gridDim = 8, p.blockDim = 32, p.kernelParams = args;
    OK(cudaGraphCreate(&g, 0));
    OK(cudaGraphAddKernelNode(&node, g, NULL, 0, &p));
    cudaLaunchAttributeValue v = {};
    v.clusterDim.x = 4, v.clusterDim.y = v.clusterDim.z = 1;
    OK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &v));
    memset(&v, 0, sizeof v);
    OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension, &v));
    OK(cudaGraphInstantiate(&exec, g, 0));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int x : h)
        if (x != 4 || v.clusterDim.x != 4)
            printf("graph: clusters of %d, %u\n", x, v.clusterDim.x), wrong++;
    cudaFree(d);
}

/* Every block arrives at the barrier of block 0, by a pointer to it. */
__global__ void __cluster_dims__(4, 1, 1)
arrives(int *out)
{
#if NEW
    __shared__ cuda::barrier<cuda::thread_scope_block> b;
    __shared__ int n;
    auto c = cg::this_cluster();
    if (threadIdx.x == 0) {
        init(&b, 4 * blockDim.x + 1);
        n = 0;
    }
    c.sync();
    atomicAdd(c.map_shared_rank(&n, 0), (int)c.block_rank() + 1);
    c.map_shared_rank(&b, 0)->arrive();
    if (c.block_rank() == 0 && threadIdx.x == 0) {
        b.wait(b.arrive());
        out[blockIdx.x / 4] = n;
    }
    c.sync();
#endif
}

static void
barriers()
{
    int *d, h[2];
    OK(cudaMalloc(&d, sizeof h));
    arrives<<<8, 48>>>(d);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    if (h[0] != 480 || h[1] != 480)
        printf("arrives: %d %d\n", h[0], h[1]), wrong++;
    cudaFree(d);
}

int
main()
{
    int have = 0;
    cudaDeviceGetAttribute(&have, cudaDevAttrClusterLaunch, 0);
    if (!have) {
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute attribute[1];
        attribute[0].id = cudaLaunchAttributeClusterDimension;
        attribute[0].val.clusterDim.x = 2,
        attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
        config.gridDim = 2, config.blockDim = 32, config.attrs = attribute, config.numAttrs = 1;
        printf("no clusters: %s\n",
               cudaGetErrorName(cudaLaunchKernelEx(&config, sizes, (int *)NULL)));
        return 0;
    }
    for (int size : {1, 2, 4, 8})
        histograms(size, false);
    histograms(16, true);
    required();
    graph();
    barriers();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
