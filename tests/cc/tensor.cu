/* SPDX-License-Identifier: Apache-2.0
 *
 * mma.h, cuda_pipeline.h, cuda_awbarrier.h, cuda/barrier, cuda/pipeline,
 * cooperative_groups/memcpy_async.h: products and copies against plain C.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <stdio.h>
#include <stdlib.h>

using namespace nvcuda;
namespace cg = cooperative_groups;

static int failed;

static void
expect(bool fine, const char *what)
{
    cudaError_t e = cudaDeviceSynchronize();
    if (fine && e == cudaSuccess)
        return;
    printf("FAIL %s: %s\n", what, e ? cudaGetErrorString(e) : "wrong result");
    failed = 1;
}

/* -- wmma -------------------------------------------------------------------------------------- */

template <int M, int N, int K, class T, class P, class D, class LA, class LB>
__global__ void
product(const P *a, const P *b, const D *c, D *d, unsigned la, unsigned lb, wmma::layout_t layout)
{
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, D> fc, fd;
    unsigned lc = layout == wmma::mem_row_major ? N + 3 * 8 : M + 8;
    wmma::load_matrix_sync(fa, a, la);
    wmma::load_matrix_sync(fb, b, lb);
    wmma::load_matrix_sync(fc, c, lc, layout);
    wmma::mma_sync(fd, fa, fb, fc);
    for (int i = 0; i < fd.num_elements; i++)
        fd.x[i] = fd.x[i] + fd.x[i];
    wmma::store_matrix_sync(d, fd, lc, layout);
}

template <class T> static T small(int x) { return (T)(float)x; }
template <> unsigned char small<unsigned char>(int x) { return (unsigned char)(x + 9); }

/* Small whole numbers: every result is exact. Leading dimensions are larger than they must be. */
template <int M, int N, int K, class T, class P, class D, class LA, class LB>
static void
try_product(const char *what, bool rows_a, bool rows_b, wmma::layout_t layout)
{
    unsigned la = (rows_a ? K : M) + 16, lb = (rows_b ? N : K) + 32;
    bool rows_c = layout == wmma::mem_row_major;
    unsigned lc = rows_c ? N + 3 * 8 : M + 8;
    size_t sa = (rows_a ? M : K) * la, sb = (rows_b ? K : N) * lb, sc = (rows_c ? M : N) * lc;
    P *a, *b;
    D *c, *d;
    cudaMallocManaged(&a, sa * sizeof *a), cudaMallocManaged(&b, sb * sizeof *b);
    cudaMallocManaged(&c, sc * sizeof *c), cudaMallocManaged(&d, sc * sizeof *d);
    for (size_t i = 0; i < sa; i++)
        a[i] = small<P>(rand() % 9 - 4);
    for (size_t i = 0; i < sb; i++)
        b[i] = small<P>(rand() % 9 - 4);
    for (size_t i = 0; i < sc; i++)
        c[i] = small<D>(rand() % 99), d[i] = small<D>(0);
    product<M, N, K, T, P, D, LA, LB><<<1, 32>>>(a, b, c, d, la, lb, layout);
    cudaDeviceSynchronize();
    bool fine = true;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            size_t at = rows_c ? i * lc + j : j * lc + i;
            double sum = (double)c[at];
            for (int k = 0; k < K; k++)
                sum += (double)a[rows_a ? i * la + k : k * la + i] *
                       (double)b[rows_b ? k * lb + j : j * lb + k];
            fine &= (double)d[at] == 2 * sum;
        }
    expect(fine, what);
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d);
}

template <int M, int N, int K, class T, class P, class D>
static void
try_layouts(const char *what)
{
    typedef wmma::row_major R;
    typedef wmma::col_major C;
    try_product<M, N, K, T, P, D, R, C>(what, true, false, wmma::mem_row_major);
    try_product<M, N, K, T, P, D, R, R>(what, true, true, wmma::mem_col_major);
    try_product<M, N, K, T, P, D, C, C>(what, false, false, wmma::mem_row_major);
    try_product<M, N, K, T, P, D, C, R>(what, false, true, wmma::mem_col_major);
}

template <int M, int N, int K, class T, class P, class D>
static void
try_some(const char *what)
{
    typedef wmma::row_major R;
    typedef wmma::col_major C;
    try_product<M, N, K, T, P, D, R, R>(what, true, true, wmma::mem_col_major);
    try_product<M, N, K, T, P, D, C, C>(what, false, false, wmma::mem_row_major);
}

template <int M, int N>
static void
try_shape()
{
    try_some<M, N, 16, __half, __half, float>("wmma f16, f32");
    try_some<M, N, 16, __nv_bfloat16, __nv_bfloat16, float>("wmma bf16");
    try_some<M, N, 16, signed char, signed char, int>("wmma s8");
}

__global__ void
small_types(const int *a, const int *b, int *d4, int *dx, int *da)
{
    namespace e = wmma::experimental;
    wmma::fragment<wmma::matrix_a, 8, 8, 32, e::precision::s4, wmma::row_major> a4;
    wmma::fragment<wmma::matrix_b, 8, 8, 32, e::precision::s4, wmma::col_major> b4;
    wmma::fragment<wmma::accumulator, 8, 8, 32, int> c4;
    wmma::fill_fragment(c4, 5);
    wmma::load_matrix_sync(a4, a, 32);
    wmma::load_matrix_sync(b4, b, 32);
    wmma::mma_sync(c4, a4, b4, c4);
    wmma::store_matrix_sync(d4, c4, 8, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 8, 8, 128, e::precision::b1, wmma::row_major> a1;
    wmma::fragment<wmma::matrix_b, 8, 8, 128, e::precision::b1, wmma::col_major> b1;
    wmma::fragment<wmma::accumulator, 8, 8, 128, int> c1, d1;
    wmma::fill_fragment(c1, 0);
    wmma::load_matrix_sync(a1, a, 128);
    wmma::load_matrix_sync(b1, b, 128);
    wmma::bmma_sync(d1, a1, b1, c1);
    wmma::store_matrix_sync(dx, d1, 8, wmma::mem_row_major);
    wmma::bmma_sync(d1, a1, b1, c1, e::bmmaBitOpAND);
    wmma::store_matrix_sync(da, d1, 8, wmma::mem_row_major);
}

static void
try_small_types()
{
    int *m;
    cudaMallocManaged(&m, 4 * 320);
    for (int i = 0; i < 64; i++)
        m[i] = (rand() << 16) ^ rand();
    small_types<<<1, 32>>>(m, m + 32, m + 64, m + 128, m + 192);
    cudaDeviceSynchronize();
    bool fine = true;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            int sum = 5, differ = 0, both = 0;
            for (int k = 0; k < 32; k++) {
                int x = m[i * 4 + k / 8] >> (k % 8 * 4) & 15,
                    y = m[32 + j * 4 + k / 8] >> (k % 8 * 4) & 15;
                sum += (x - (x & 8) * 2) * (y - (y & 8) * 2);
            }
            for (int k = 0; k < 4; k++) {
                differ += __builtin_popcount(m[i * 4 + k] ^ m[32 + j * 4 + k]);
                both += __builtin_popcount(m[i * 4 + k] & m[32 + j * 4 + k]);
            }
            fine &= m[64 + i * 8 + j] == sum && m[128 + i * 8 + j] == differ &&
                    m[192 + i * 8 + j] == both;
        }
    expect(fine, "s4, b1");
    cudaFree(m);
}

/* -- pipelines: reverses tiles by way of shared memory, two tiles in flight -------------------- */

enum { TILE = 128, TILES = 11 };

__global__ void
primitives(const float *in, float *out, int n)
{
    __shared__ float tile[2][TILE];
    int t = threadIdx.x;
    for (int k = 0; k <= TILES; k++) {
        if (k < TILES) {
            int at = k * TILE + t;
            __pipeline_memcpy_async(&tile[k % 2][t], &in[at < n ? at : 0], 4, at < n ? 0 : 4);
            __pipeline_commit();
        }
        if (k > 0) {
            __pipeline_wait_prior(k < TILES ? 1 : 0);
            __syncthreads();
            out[(k - 1) * TILE + t] = tile[(k - 1) % 2][TILE - 1 - t];
            __syncthreads();
        }
    }
}

__global__ void
old_pipeline(const float *in, float *out, int)
{
    __shared__ float tile[TILE];
    __shared__ nvcuda::experimental::awbarrier barrier;
    nvcuda::experimental::pipeline pipe;
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    for (int k = 0; k < TILES; k++) {
        nvcuda::experimental::memcpy_async(tile[threadIdx.x], in[k * TILE + threadIdx.x], pipe);
        pipe.commit();
        pipe.wait_prior<0>();
        barrier.arrive_and_wait();
        out[k * TILE + threadIdx.x] = tile[TILE - 1 - threadIdx.x];
        barrier.arrive_and_wait();
    }
}

__global__ void
block_pipeline(const float *in, float *out, int)
{
    __shared__ float tile[2][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int k = 0; k <= TILES; k++) {
        if (k < TILES) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[k % 2], in + k * TILE,
                               cuda::aligned_size_t<16>(sizeof tile[0]), pipe);
            pipe.producer_commit();
        }
        if (k > 0) {
            pipe.consumer_wait();
            out[(k - 1) * TILE + threadIdx.x] = tile[(k - 1) % 2][TILE - 1 - threadIdx.x];
            pipe.consumer_release();
        }
    }
}

/* The first warp copies for the others. */
__global__ void
roles(const float *in, float *out, int)
{
    __shared__ float tile[2][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    bool producer = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(block, &state, producer ? cuda::pipeline_role::producer
                                                            : cuda::pipeline_role::consumer);
    auto warp = cg::tiled_partition<32>(block);
    for (int k = 0; k < TILES; k++) {
        if (producer) {
            pipe.producer_acquire();
            cuda::memcpy_async(warp, tile[k % 2], in + k * TILE, sizeof tile[0], pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            for (int t = threadIdx.x - 32; t < TILE; t += blockDim.x - 32)
                out[k * TILE + t] = tile[k % 2][TILE - 1 - t];
            pipe.consumer_release();
        }
    }
}

__global__ void
thread_pipeline(const float *in, float *out, int)
{
    __shared__ float tile[3][TILE];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.x;
    for (int k = 0; k < TILES + 2; k++) {
        if (k < TILES) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[k % 3][t], &in[k * TILE + t], 4, pipe);
            pipe.producer_commit();
        }
        if (k >= 2) {
            pipe.consumer_wait();
            __syncthreads();
            out[(k - 2) * TILE + t] = tile[(k - 2) % 3][TILE - 1 - t];
            pipe.consumer_release();
            __syncthreads();
        }
    }
}

#pragma clang diagnostic ignored "-Wuninitialized"
__global__ void
barriers(const float *in, float *out, int)
{
    __shared__ float tile[TILE];
    __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&full, TILE), init(&empty, TILE);
    block.sync();
    for (int k = 0; k < TILES; k++) {
        if (k % 2) {
            cuda::memcpy_async(block, tile, in + k * TILE, sizeof tile, full);
            full.wait(full.arrive());
        } else if (threadIdx.x == 0) { /* one bulk copy by one thread */
            cuda::device::memcpy_async_tx(tile, in + k * TILE,
                                          cuda::aligned_size_t<16>(sizeof tile), full);
            full.wait(cuda::device::barrier_arrive_tx(full, 1, sizeof tile));
        } else {
            full.arrive_and_wait();
        }
        out[k * TILE + threadIdx.x] = tile[TILE - 1 - threadIdx.x];
        empty.arrive_and_wait();
    }
}

__global__ void
group_copies(const float *in, float *out, int)
{
    __shared__ float tile[TILE];
    auto block = cg::this_thread_block();
    for (int k = 0; k < TILES; k++) {
        cg::memcpy_async(block, tile, in + k * TILE, sizeof tile);
        cg::wait(block);
        out[k * TILE + threadIdx.x] = tile[TILE - 1 - threadIdx.x];
        block.sync();
    }
}

/* Blocks meet at a barrier in global memory. */
__device__ cuda::barrier<cuda::thread_scope_device> meeting;
__global__ void
start_meeting(int n)
{
    init(&meeting, n);
}
__global__ void
meet(int *flag, int *sum)
{
    for (int round = 1; round <= 5; round++) {
        atomicAdd(flag, 1);
        meeting.arrive_and_wait();
        if (*(volatile int *)flag < round * (int)(gridDim.x * blockDim.x))
            atomicAdd(sum, 1);
        meeting.arrive_and_wait();
    }
}

typedef void reverser(const float *, float *, int);

static void
try_reverse(const char *what, reverser *kernel, int n)
{
    float *in, *out;
    cudaMallocManaged(&in, TILES * TILE * 4), cudaMallocManaged(&out, TILES * TILE * 4);
    for (int i = 0; i < TILES * TILE; i++)
        in[i] = (float)rand(), out[i] = -1;
    kernel<<<1, TILE>>>(in, out, n);
    cudaDeviceSynchronize();
    bool fine = true;
    for (int k = 0; k < TILES; k++)
        for (int t = 0; t < TILE; t++) {
            int from = k * TILE + TILE - 1 - t;
            fine &= out[k * TILE + t] == (from < n ? in[from] : 0);
        }
    expect(fine, what);
    cudaFree(in), cudaFree(out);
}

int
main()
{
    try_layouts<16, 16, 16, __half, __half, float>("wmma f16, f32");
    try_some<16, 16, 16, __half, __half, __half>("wmma f16, f16");
    try_some<16, 16, 16, unsigned char, unsigned char, int>("wmma u8");
    try_shape<32, 8>();
    try_shape<8, 32>();
    try_some<16, 16, 8, wmma::precision::tf32, float, float>("wmma tf32");
    try_some<8, 8, 4, double, double, double>("wmma f64");
    try_small_types();
    int all = TILES * TILE;
    try_reverse("pipeline primitives", primitives, all - 77);
    try_reverse("nvcuda::experimental::pipeline", old_pipeline, all);
    try_reverse("cuda::pipeline of a block", block_pipeline, all);
    try_reverse("cuda::pipeline with roles", roles, all);
    try_reverse("cuda::pipeline of a thread", thread_pipeline, all);
    try_reverse("cuda::barrier", barriers, all);
    try_reverse("cooperative_groups::memcpy_async", group_copies, all);
    int *flag;
    cudaMallocManaged(&flag, 8);
    flag[0] = flag[1] = 0;
    start_meeting<<<1, 1>>>(4 * 33);
    meet<<<4, 33>>>(flag, flag + 1);
    cudaDeviceSynchronize();
    expect(flag[0] == 5 * 4 * 33 && flag[1] == 0, "cuda::barrier of a device");
    if (!failed)
        printf("tensor headers: fine\n");
    return failed;
}
