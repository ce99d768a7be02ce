/* SPDX-License-Identifier: Apache-2.0
 *
 * wgmma.cu: D = A * B by one warpgroup, and mistakes with it. Kernels named bad_ have one; good_ is
 * the right way. With an argument: one that ends the device.
 */
#include <cstdio>
#include <cuda_fp16.h>

#include "instructions.h"

enum { M = 64, N = 8, K = 16, STEPS = 4, LEADING = 128, STRIDE = 256 };

struct alignas(1024) tiles {
    __half a[M * K], b[N * K];
};

__device__ u64
descriptor(const void *p, u64 swizzle = 0)
{
    u64 at = __cvta_generic_to_shared(p);
    return (at & 0x3ffff) >> 4 | (u64)(LEADING >> 4) << 16 | (u64)(STRIDE >> 4) << 32 |
           swizzle << 62;
}

__device__ unsigned
offset(unsigned row, unsigned k)
{
    return (row / 8 * STRIDE + k / 8 * LEADING + row % 8 * 16 + k % 8 * 2) / 2;
}

__device__ void
product(float d[4], u64 a, u64 b, int add)
{
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, "
                 "1, 1, 0, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(a), "l"(b), "r"(add));
}
__device__ void
product_of_registers(float d[4], unsigned a[4], u64 b)
{
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, "
                 "%7}, %8, p, "
                 "1, 1, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
__device__ void
fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ void
commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int LEFT>
__device__ void
wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

__device__ void
multiply(float d[4], const tiles &t, int add)
{
    fence();
    product(d, descriptor(t.a), descriptor(t.b), add);
    commit();
    wait<0>();
}

__device__ void
fill(tiles *t, const __half *a, const __half *b)
{
    for (unsigned n = threadIdx.x; n < M * K; n += blockDim.x)
        t->a[offset(n / K, n % K)] = a[n];
    for (unsigned n = threadIdx.x; n < N * K; n += blockDim.x)
        t->b[offset(n / K, n % K)] = b[n];
}
__device__ void
store(float *out, const float d[4])
{
    unsigned l = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + l / 4, column = l % 4 * 2;
    for (unsigned i = 0; i < 4; i++)
        out[(row + i / 2 * 8) * N + column + i % 2] = d[i];
}

/* -- the right way ----------------------------------------------------------------------------- */

__global__ void
good_product(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t;
    float d[4] = {};
    fill(&t, a, b);
    proxy_fence();
    __syncthreads();
    for (unsigned k = 0; k < STEPS; k++) {
        multiply(d, t, k != 0);
    }
    store(out, d);
}

/* Buffers in turn: one is filled while the other is read. */
__global__ void
good_turns(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t[2];
    float d[4] = {};
    for (unsigned k = 0; k < STEPS; k++) {
        fill(&t[k % 2], a, b);
        proxy_fence();
        __syncthreads();
        fence();
        product(d, descriptor(t[k % 2].a), descriptor(t[k % 2].b), k != 0);
        commit();
        wait<1>();
        __syncthreads();
    }
    wait<0>();
    store(out, d);
}

__global__ void
good_registers(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t;
    float d[4] = {};
    unsigned r[4], l = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + l / 4;
    fill(&t, a, b);
    proxy_fence();
    __syncthreads();
    for (unsigned k = 0; k < STEPS; k++) {
        for (unsigned i = 0; i < 4; i++)
            r[i] = *(const unsigned *)&a[(row + i % 2 * 8) * K + l % 4 * 2 + i / 2 * 8];
        fence();
        product_of_registers(d, r, descriptor(t.b));
        commit();
        wait<0>();
    }
    store(out, d);
}

/* -- mistakes ---------------------------------------------------------------------------------- */

__global__ void
bad_use_before_wait(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t;
    float d[4] = {};
    fill(&t, a, b);
    proxy_fence();
    __syncthreads();
    fence();
    product(d, descriptor(t.a), descriptor(t.b), 0);
    commit();
    store(out, d);
    wait<0>();
}

__global__ void
bad_no_fence(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t;
    float d[4];
    fill(&t, a, b);
    proxy_fence();
    __syncthreads();
    for (unsigned i = 0; i < 4; i++)
        d[i] = 2 * __half2float(a[4 * threadIdx.x + i]);
    product(d, descriptor(t.a), descriptor(t.b), 1);
    commit();
    wait<0>();
    store(out, d);
}

__global__ void
bad_no_proxy_fence(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t;
    float d[4] = {};
    fill(&t, a, b);
    __syncthreads();
    fence();
    product(d, descriptor(t.a), descriptor(t.b), 0);
    commit();
    wait<0>();
    store(out, d);
}

__global__ void
bad_overwrite(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t;
    float d[4] = {};
    fill(&t, a, b);
    proxy_fence();
    __syncthreads();
    fence();
    product(d, descriptor(t.a), descriptor(t.b), 0);
    commit();
    __syncthreads();
    t.b[threadIdx.x] = a[0];
    wait<0>();
    store(out, d);
}

/* One warp writes the tile anew as soon as its own wait is over: the products are over for all. */
template <bool WAITS>
__device__ void
reuse(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t;
    float d[4] = {};
    fill(&t, a, b);
    proxy_fence();
    __syncthreads();
    for (unsigned k = 0; k < STEPS; k++) {
        fence();
        product(d, descriptor(t.a), descriptor(t.b), k != 0);
        commit();
        if (WAITS)
            wait<0>();
        if (threadIdx.x < 32 && k + 1 < STEPS) {
            for (unsigned n = threadIdx.x; n < N * K; n += 32)
                t.b[offset(n / K, n % K)] = b[n];
            proxy_fence();
        }
    }
    wait<0>();
    store(out, d);
}
__global__ void
good_reuse(float *out, const __half *a, const __half *b)
{
    reuse<true>(out, a, b);
}
__global__ void
bad_reuse(float *out, const __half *a, const __half *b)
{
    reuse<false>(out, a, b);
}

/* Each warp writes a part, and no barrier stands before the product, where all four meet. */
__global__ void
good_meeting(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t;
    float d[4] = {};
    for (unsigned k = 0; k < STEPS; k++) {
        fill(&t, a, b);
        proxy_fence();
        multiply(d, t, k != 0);
    }
    store(out, d);
}

/* One thread waits for what its own warp does next to last: the products wait for that thread. */
__global__ void
good_elected(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t;
    __shared__ u64 full;
    float d[4] = {};
    if (threadIdx.x == 0)
        asm volatile(
            "mbarrier.init.shared.b64 [%0], 128;" ::"r"((unsigned)__cvta_generic_to_shared(&full))
            : "memory");
    __syncthreads();
    for (unsigned k = 0; k < STEPS; k++) {
        fill(&t, a, b);
        proxy_fence();
        asm volatile(
            "mbarrier.arrive.shared.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&full))
            : "memory");
        if (threadIdx.x == 0)
            asm volatile("{ .reg .pred p; WAIT_%=: mbarrier.try_wait.parity.shared.b64 p, [%0], "
                         "%1; @!p bra WAIT_%=; }" ::"r"((unsigned)__cvta_generic_to_shared(&full)),
                         "r"(k & 1)
                         : "memory");
        multiply(d, t, k != 0);
    }
    store(out, d);
}

/* What peers wrote before the product is not there for loads behind it. */
__global__ void
bad_meeting(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t;
    __shared__ float other[4];
    float d[4] = {};
    fill(&t, a, b);
    other[threadIdx.x / 32] = 1;
    proxy_fence();
    fence();
    product(d, descriptor(t.a), descriptor(t.b), 0);
    commit();
    wait<0>();
    d[0] *= other[3 - threadIdx.x / 32];
    store(out, d);
}

/* The last warp never comes. */
__global__ void
bad_absent(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t;
    float d[4] = {};
    fill(&t, a, b);
    proxy_fence();
    __syncthreads();
    if (threadIdx.x / 32 == 3)
        return;
    product(d, descriptor(t.a), descriptor(t.b), 0);
    store(out, d);
}

__global__ void
bad_unset(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t;
    float d[4] = {};
    for (unsigned n = threadIdx.x; n < M * K; n += blockDim.x)
        t.a[offset(n / K, n % K)] = a[n];
    proxy_fence();
    __syncthreads();
    fence();
    product(d, descriptor(t.a), descriptor(t.b), 0);
    commit();
    wait<0>();
    store(out, d);
}

/* Where the pattern begins is the program's affair: by addresses, as tensor maps have it, or with
 * the tile. */
__global__ void
good_swizzle(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t[3];
    float d[4] = {};
    for (unsigned n = threadIdx.x; n < sizeof t / 2; n += blockDim.x)
        t[0].a[n] = a[n % (M * K)];
    proxy_fence();
    __syncthreads();
    fence();
    product(d, descriptor(t[0].a), descriptor(t[1].a + 128, 1), 0);
    commit();
    wait<0>();
    store(out, d);
}

/* B comes by a tensor map, with a swizzle of 32 bytes (3 in a descriptor). */
template <u64 SWIZZLE, u64 BASE = 0> __device__ void
copied(const CUtensorMap *map, float *out, const __half *a)
{
    __shared__ tiles t;
    __shared__ u64 b;
    float d[4] = {};
    fill(&t, a, a);
    if (threadIdx.x == 0)
        init(&b, 1);
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        arrive_expecting(&b, sizeof t.b);
        box_load(t.b, map, 0, 0, &b);
    }
    wait_phase(&b, 0);
    fence();
    product(d, descriptor(t.a), descriptor(t.b, SWIZZLE) | BASE << 49, 0);
    commit();
    wait<0>();
    store(out, d);
}
__global__ void
good_copied(const __grid_constant__ CUtensorMap map, float *out, const __half *a)
{
    copied<3>(&map, out, a);
}
__global__ void
bad_copied(const __grid_constant__ CUtensorMap map, float *out, const __half *a)
{
    copied<0>(&map, out, a);
}

__global__ void
bad_copied_base(const __grid_constant__ CUtensorMap map, float *out, const __half *a)
{
    copied<3, 1>(&map, out, a);
}

__global__ void
bad_bounds(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t;
    float d[4] = {};
    fill(&t, a, b);
    proxy_fence();
    __syncthreads();
    fence();
    product(d, descriptor(t.a), descriptor(t.b + 8 * 128), 0);
    commit();
    wait<0>();
    store(out, d);
}

__global__ void
bad_part(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t;
    float d[4] = {};
    fill(&t, a, b);
    proxy_fence();
    __syncthreads();
    if (threadIdx.x % 32 < 16)
        product(d, descriptor(t.a), descriptor(t.b), 0);
    store(out, d);
}

/* How often A * B was added up. */
static bool
is_right(const float *out, const __half *a, const __half *b, unsigned times)
{
    for (unsigned m = 0; m < M; m++)
        for (unsigned n = 0; n < N; n++) {
            float sum = 0;
            for (unsigned k = 0; k < K; k++)
                sum += __half2float(a[m * K + k]) * __half2float(b[n * K + k]);
            if (out[m * N + n] != times * sum)
                return printf("wrong: %u %u: %g, not %g\n", m, n, out[m * N + n], times * sum),
                       false;
        }
    return true;
}

/* -- a cluster --------------------------------------------------------------------------------- */

__device__ void
arrive_at(u64 *b, unsigned block)
{
    asm volatile("{ .reg .u32 a; mapa.shared::cluster.u32 a, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [a]; }" ::"r"(shared(b)),
                 "r"(block)
                 : "memory");
}
__device__ void
cluster_barrier()
{
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

/* The first block sends both A and B, again and again. Each warpgroup tells it that it has read
 * them: when it has waited for the product, or before. tiles_of: as they lie in shared memory. */
enum told { BEHIND_WAIT, BEFORE_WAIT, BEFORE_COMMIT };
template <told WHEN>
__device__ void
sent(float *out, const tiles *tiles_of)
{
    __shared__ tiles t;
    __shared__ u64 full, empty;
    unsigned rank = blockIdx.x % 2;
    float d[4] = {};
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&empty, 2);
    }
    cluster_barrier();
    for (unsigned k = 0; k < STEPS; k++) {
        if (threadIdx.x == 0) {
            arrive_expecting(&full, sizeof t.a + sizeof t.b);
            if (!rank) {
                wait_phase(&empty, ~k & 1);
                bulk_multicast(&t.a, tiles_of->a, sizeof t.a, &full, 3);
                bulk_multicast(&t.b, tiles_of->b, sizeof t.b, &full, 3);
            }
        }
        __syncwarp();
        wait_phase(&full, k & 1);
        fence();
        product(d, descriptor(t.a), descriptor(t.b), k != 0);
        if (WHEN == BEFORE_COMMIT && threadIdx.x == 0)
            arrive_at(&empty, 0);
        commit();
        if (WHEN == BEFORE_WAIT && threadIdx.x == 0)
            arrive_at(&empty, 0);
        wait<0>();
        if (WHEN == BEHIND_WAIT && threadIdx.x == 0)
            arrive_at(&empty, 0);
    }
    store(out + rank * M * N, d);
    cluster_barrier();
}
__global__ void __cluster_dims__(2, 1, 1)
good_sent(float *out, const tiles *tiles_of)
{
    sent<BEHIND_WAIT>(out, tiles_of);
}
__global__ void __cluster_dims__(2, 1, 1)
bad_sent(float *out, const tiles *tiles_of)
{
    sent<BEFORE_WAIT>(out, tiles_of);
}
__global__ void __cluster_dims__(2, 1, 1)
bad_sent_sooner(float *out, const tiles *tiles_of)
{
    sent<BEFORE_COMMIT>(out, tiles_of);
}
/* A block writes where the other one's products read; only the other one waits. */
template <bool ORDERED>
__device__ void
written(float *out, const __half *a, const __half *b)
{
    __shared__ tiles t;
    unsigned rank = blockIdx.x % 2;
    float d[4] = {};
    fill(&t, a, b);
    proxy_fence();
    cluster_barrier();
    fence();
    product(d, descriptor(t.a), descriptor(t.b), 0);
    commit();
    if (!ORDERED)
        cluster_barrier();
    wait<0>();
    if (ORDERED)
        cluster_barrier();
    if (!rank && threadIdx.x == 0)
        asm volatile("{ .reg .u32 a; mapa.shared::cluster.u32 a, %0, 1;\n"
                     "st.shared::cluster.u32 [a], 0; }" ::"r"(shared(t.b))
                     : "memory");
    store(out + rank * M * N, d);
    cluster_barrier();
}
__global__ void __cluster_dims__(2, 1, 1)
good_written(float *out, const __half *a, const __half *b)
{
    written<true>(out, a, b);
}
__global__ void __cluster_dims__(2, 1, 1)
bad_written(float *out, const __half *a, const __half *b)
{
    written<false>(out, a, b);
}

static bool
run_clusters(float *out, const __half *a, const __half *b)
{
    tiles *t;
    cudaMallocManaged(&t, sizeof *t);
    for (unsigned n = 0; n < M * K; n++)
        t->a[(n / K / 8 * STRIDE + n % K / 8 * LEADING + n / K % 8 * 16) / 2 + n % 8] = a[n];
    for (unsigned n = 0; n < N * K; n++)
        t->b[(n / K / 8 * STRIDE + n % K / 8 * LEADING + n / K % 8 * 16) / 2 + n % 8] = b[n];
    good_sent<<<2, 128>>>(out, t);
    cudaDeviceSynchronize();
    bool right = is_right(out, a, b, STEPS) && is_right(out + M * N, a, b, STEPS);
    good_written<<<2, 128>>>(out, a, b);
    bad_sent<<<2, 128>>>(out, t);
    bad_sent_sooner<<<2, 128>>>(out, t);
    bad_written<<<2, 128>>>(out, a, b);
    cudaDeviceSynchronize();
    return right;
}

int
main(int argc, char **argv)
{
    __half *a, *b;
    float *out;
    cudaMallocManaged(&a, M * K * sizeof *a);
    cudaMallocManaged(&b, N * K * sizeof *b);
    cudaMallocManaged(&out, 2 * M * N * sizeof *out);
    for (unsigned n = 0; n < M * K; n++)
        a[n] = __float2half((float)(n * 7 % 11) - 5);
    for (unsigned n = 0; n < N * K; n++)
        b[n] = __float2half((float)(n * 5 % 13) - 6);
    if (argc > 1) {
        (argv[1][0] == 'p' ? bad_part : bad_absent)<<<1, 128>>>(out, a, b);
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        return 1;
    }
    void (*good[])(float *, const __half *, const __half *) = {
        good_product, good_turns, good_registers, good_reuse, good_meeting, good_elected};
    for (auto kernel : good) {
        kernel<<<1, 128>>>(out, a, b);
        cudaDeviceSynchronize();
        if (!is_right(out, a, b, STEPS))
            return 2;
    }
    CUtensorMap map = map_of(b, K / 2, N, N, CU_TENSOR_MAP_SWIZZLE_32B);
    good_copied<<<1, 128>>>(map, out, a);
    cudaDeviceSynchronize();
    if (!is_right(out, a, b, 1))
        return 2;
    bad_copied<<<1, 128>>>(map, out, a);
    bad_copied_base<<<1, 128>>>(map, out, a);
    bad_use_before_wait<<<1, 128>>>(out, a, b);
    bad_no_fence<<<1, 128>>>(out, a, b);
    bad_no_proxy_fence<<<1, 128>>>(out, a, b);
    bad_overwrite<<<1, 128>>>(out, a, b);
    bad_reuse<<<1, 128>>>(out, a, b);
    bad_meeting<<<1, 128>>>(out, a, b);
    bad_unset<<<1, 128>>>(out, a, b);
    good_swizzle<<<1, 128>>>(out, a, b);
    if (!run_clusters(out, a, b))
        return 2;
    bad_bounds<<<1, 128>>>(out, a, b);
    cudaDeviceSynchronize();
    return 0;
}
