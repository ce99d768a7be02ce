/* SPDX-License-Identifier: Apache-2.0
 *
 * Product of halves, the top rung: as roles.cu, and two neighbouring blocks are a cluster. Their
 * tiles lie one below the other and need the same tile of B: each block brings half of it, to both
 * ("multicast"). Of 128 rows and 256 columns a step a block asks for 128 and 128.
 *
 *      block 0:  A rows 0-127     B columns   0-127  --->  both blocks' shared memory
 *      block 1:  A rows 128-255   B columns 128-255  --->  both blocks' shared memory
 *
 * A stage is empty when the warps of both blocks say so, to both blocks: nobody writes into shared
 * memory that the other one still multiplies from.
 *
 * systems: F2
 * title: clusters of two, tiles of B brought to both
 * needs: 9.0 tensor copies, wgmma and clusters
 * rung: 5
 * sizes: 0 1 17 100 65x300x129 300x700x264 1000x65x520
 * check: 17 50x333x70
 * bench: 512
 * gpu: 4096; 8192
 */
#include "hgemm.h"

enum { HIGH = 128, WIDE = 256, STAGES = 4, WARPS = HIGH / 16, THREADS = (WARPS + 1) * 32 };
enum { CLUSTER = 2, SHARE = WIDE / CHUNK / CLUSTER };
typedef tiles<HIGH, WIDE> stage;
enum { SHARED = STAGES * sizeof(stage) };

/* -- what blocks of a cluster do to each other ------------------------------------------------- */

static __device__ __forceinline__ int
cluster_rank(void)
{
    int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

static __device__ __forceinline__ void
cluster_sync(void)
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

/* Arrives at the same barrier of that block's. */
static __device__ __forceinline__ void
barrier_arrive_at(barrier *b, int rank)
{
    asm volatile("{\n"
                 ".reg .b32 there;\n"
                 "mapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
                 "}" ::"r"(shared_address(b)),
                 "r"(rank)
                 : "memory");
}

/* To the same place in all blocks of the cluster; each one's barrier learns of the bytes. */
static __device__ __forceinline__ void
tensor_load_all(void *to, const CUtensorMap *map, int x, int y, barrier *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(b)),
                 "h"((unsigned short)((1 << CLUSTER) - 1))
                 : "memory");
}

/* -- the roles --------------------------------------------------------------------------------- */

/* Clusters walk over pairs of tiles: the tile of the block in C, in rows and columns. */
static __device__ __forceinline__ void
place(int pair, int m, int n, int *row, int *col)
{
    int y, x;
    tiles_place(pair, (m + CLUSTER * HIGH - 1) / (CLUSTER * HIGH), (n + WIDE - 1) / WIDE, &y, &x);
    *row = (y * CLUSTER + cluster_rank()) * HIGH;
    *col = x * WIDE;
}

static __device__ __forceinline__ int
pairs(int m, int n)
{
    return (m + CLUSTER * HIGH - 1) / (CLUSTER * HIGH) * ((n + WIDE - 1) / WIDE);
}

static __device__ __forceinline__ void
produce(stage *t, barrier *full, barrier *empty, const CUtensorMap *a, const CUtensorMap *b, int m,
        int k, int n)
{
    int row, col, first = cluster_rank() * SHARE;
    struct walk w = {};
    for (int pair = blockIdx.x / CLUSTER; pair < pairs(m, n); pair += gridDim.x / CLUSTER) {
        place(pair, m, n, &row, &col);
        for (int at = 0; at < k; at += DEPTH, walk_on<STAGES>(&w)) {
            barrier *arrived = &full[w.stage];
            barrier_wait(&empty[w.stage], w.phase ^ 1);
            barrier_expect(arrived, sizeof *t);
            tensor_load(t[w.stage].a, a, at, row, arrived);
            for (int i = first; i < first + SHARE; i++)
                tensor_load_all(t[w.stage].b[i], b, col + i * CHUNK, at, arrived);
        }
    }
}

static __device__ __forceinline__ void
consume(const stage *t, barrier *full, barrier *empty, float *c, int m, int k, int n)
{
    int row, col, lane = threadIdx.x % 32, own = threadIdx.x / GROUP * 64;
    struct walk w = {};
    for (int pair = blockIdx.x / CLUSTER; pair < pairs(m, n); pair += gridDim.x / CLUSTER) {
        float sum[WIDE / 2] = {};
        int last = -1;
        for (int at = 0; at < k; at += DEPTH, walk_on<STAGES>(&w)) {
            barrier_wait(&full[w.stage], w.phase);
            tiles_multiply(sum, &t[w.stage], own);
            wgmma_wait<1>();
            if (lane < CLUSTER && last >= 0) /* a lane for each block */
                barrier_arrive_at(&empty[last], lane);
            last = w.stage;
        }
        wgmma_wait<0>();
        if (lane < CLUSTER && last >= 0)
            barrier_arrive_at(&empty[last], lane);
        place(pair, m, n, &row, &col);
        tiles_put(sum, c, row + own, col, m, n);
    }
}

__global__ void
__cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, 1)
    product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c,
            int m, int k, int n)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    __shared__ barrier full[STAGES], empty[STAGES];
    stage *t = (stage *)shared;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(&full[s], 1);
            barrier_init(&empty[s], CLUSTER * WARPS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        fence_for_copies();
    }
    cluster_sync(); /* both blocks have their barriers */
    if (threadIdx.x < WARPS * 32)
        consume(t, full, empty, c, m, k, n);
    else if (threadIdx.x == WARPS * 32)
        produce(t, full, empty, &a, &b, m, k, n);
    __syncwarp();
    cluster_sync(); /* none ends while the other one may still write to it */
}

/* As many clusters as fit at a time: where a part of the chip has an odd number of multiprocessors
 * that is less than half of them. */
static int
clusters_at_a_time(void)
{
    int clusters = 0;
    cudaLaunchAttribute size = {};
    cudaLaunchConfig_t config = {};
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim.x = CLUSTER, size.val.clusterDim.y = size.val.clusterDim.z = 1;
    config.gridDim = dim3(CLUSTER * hgemm_prepare(product, SHARED));
    config.blockDim = dim3(THREADS);
    config.dynamicSmemBytes = SHARED;
    config.attrs = &size;
    config.numAttrs = 1;
    CHECK(cudaOccupancyMaxActiveClusters(&clusters, product, &config));
    return clusters;
}

static void
launch(const struct hgemm *p)
{
    int pairs = suite_div_up(p->n, WIDE) * suite_div_up(p->m, CLUSTER * HIGH);
    int most = clusters_at_a_time(), clusters = pairs > most ? most : pairs;
    product<<<clusters * CLUSTER, THREADS, SHARED>>>(hgemm_map_a(p, HIGH), hgemm_map_b(p), p->c,
                                                     p->m, p->k, p->n);
}

int
main(int argc, char **argv)
{
    return hgemm_main("hgemm/multicast", "clusters of two", launch, argc, argv);
}
