/* SPDX-License-Identifier: Apache-2.0
 *
 * async.cu: mistakes with what runs in the background (cp.async, bulk transfers, mbarriers), with
 * matrices of warps, vector atomics, surfaces, and functions behind pointers. Kernels named bad_
 * have one; beside them stands the right way. With an argument: one that ends the device.
 */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cstring>
#include <mma.h>

#include "instructions.h"

enum { BLOCK = 128, WIDE = 4 * BLOCK };

/* -- the instructions ------------------------------------------------------------------------- */

template <int BYTES>
__device__ void
copy(void *to, const void *from, unsigned there = BYTES)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared(to)),
                 "l"(__cvta_generic_to_global(from)), "n"(BYTES), "r"(there)
                 : "memory");
}
__device__ void
commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int LEFT>
__device__ void
wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

/* -- cp.async --------------------------------------------------------------------------------- */

__global__ void
good_copy(const int *in, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    copy<4>(&s[t], &in[t]);
    commit();
    wait<0>();
    __syncthreads();
    out[t] = s[BLOCK - 1 - t];
}

__global__ void
bad_copy_no_wait(const int *in, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    copy<4>(&s[t], &in[t]);
    commit();
    __syncthreads();
    out[t] = s[BLOCK - 1 - t];
}

__global__ void
bad_copy_no_barrier(const int *in, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    copy<4>(&s[t], &in[t]);
    commit();
    wait<0>();
    out[t] = s[BLOCK - 1 - t];
}

__global__ void
bad_copy_barrier_first(const int *in, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    copy<4>(&s[t], &in[t]);
    commit();
    __syncthreads();
    wait<0>();
    out[t] = s[BLOCK - 1 - t];
}

__global__ void
good_copy_own(const int *in, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    copy<4>(&s[t], &in[t]);
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[t] = s[t];
}

__global__ void
bad_copy_own(const int *in, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    copy<4>(&s[t], &in[t]);
    commit();
    out[t] = s[t];
}

/* A whole tile, of which the last elements are unset; SET: those that are used are not. */
template <int BYTES, bool SET>
__device__ void
copy_unset(const int *in, int *out)
{
    __shared__ alignas(16) int s[BLOCK];
    int t = threadIdx.x, each = BYTES / 4;
    if (t < BLOCK / each)
        copy<BYTES>(&s[t * each], &in[t * each]);
    commit();
    wait<0>();
    __syncthreads();
    if (!SET || t < BLOCK / 2)
        out[t] = 2 * s[t];
}
__global__ void
good_copy_unset(const int *in, int *out)
{
    copy_unset<4, true>(in, out);
    __syncthreads();
    copy_unset<16, true>(in, out);
}
__global__ void
bad_copy_unset(const int *in, int *out)
{
    copy_unset<4, false>(in, out);
}
__global__ void
bad_copy_unset16(const int *in, int *out)
{
    copy_unset<16, false>(in, out);
}

/* Two tiles in turn. */
template <int LEFT, bool LAST_BARRIER>
__device__ void
pipeline(const int *in, int *out, int n)
{
    __shared__ int s[2][BLOCK];
    int t = threadIdx.x, sum = 0;
    copy<4>(&s[0][t], &in[t]);
    commit();
    for (int k = 0; k < n; k++) {
        if (k + 1 < n)
            copy<4>(&s[(k + 1) % 2][t], &in[(k + 1) * BLOCK + t]);
        commit();
        wait<LEFT>();
        __syncthreads();
        sum += s[k % 2][BLOCK - 1 - t];
        if (LAST_BARRIER)
            __syncthreads();
    }
    out[t] = sum;
}
__global__ void
good_pipeline(const int *in, int *out, int n)
{
    pipeline<1, true>(in, out, n);
}
__global__ void
bad_pipeline_wait(const int *in, int *out, int n)
{
    pipeline<2, true>(in, out, n);
}
__global__ void
bad_pipeline_overwrite(const int *in, int *out, int n)
{
    pipeline<1, false>(in, out, n);
}

/* Copies of a group: each is a stage, and all but the last `late` ones are waited for. */
template <unsigned late>
__device__ void
group_stages(const int *in, int *out)
{
    __shared__ int s[2][BLOCK];
    auto block = cooperative_groups::this_thread_block();
    int sum = 0;
    cooperative_groups::memcpy_async(block, s[0], in, sizeof s[0]);
    for (int k = 0; k < 4; k++) {
        cooperative_groups::memcpy_async(block, s[(k + 1) % 2], in + BLOCK * (k + 1), sizeof s[0]);
        cooperative_groups::wait_prior<late>(block);
        sum += s[k % 2][BLOCK - 1 - threadIdx.x];
        block.sync();
    }
    cooperative_groups::wait(block);
    out[threadIdx.x] = sum;
}
__global__ void
good_group_stages(const int *in, int *out)
{
    group_stages<1>(in, out);
}
__global__ void
bad_group_stages(const int *in, int *out)
{
    group_stages<2>(in, out);
}

__global__ void
bad_copy_source(const int *in, int *out, int n)
{
    __shared__ int s[WIDE];
    int t = threadIdx.x;
    copy<16>(&s[4 * t], &in[4 * t]); /* in[] has n, which is no multiple of 4 */
    wait<0>();
    out[t] = n;
}

__global__ void
bad_copy_target(const int *in, int *out)
{
    __shared__ int s[BLOCK], other[BLOCK];
    int t = threadIdx.x;
    other[t] = 0;
    __syncthreads();
    copy<4>(&s[t + 1], &in[t]);
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[t] = other[t];
}

__global__ void
bad_copy_misaligned(const int *in, int *out)
{
    __shared__ int s[WIDE];
    int t = threadIdx.x;
    copy<16>(&s[4 * t], &in[4 * t + 1]);
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[t] = s[4 * t];
}

template <int MORE>
__device__ void
tail(const int *in, int *out, int n)
{
    __shared__ int s[WIDE];
    int t = threadIdx.x, left = 4 * (n + MORE - 4 * t);
    copy<16>(&s[4 * t], &in[4 * t], left < 0 ? 0 : left > 16 ? 16 : left);
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[t] = s[4 * t + 3];
}
__global__ void
good_copy_tail(const int *in, int *out, int n)
{
    tail<0>(in, out, n);
}
__global__ void
bad_copy_tail(const int *in, int *out, int n)
{
    tail<1>(in, out, n);
}

/* -- mbarriers -------------------------------------------------------------------------------- */

/* Warp 0 fills tiles, the others use them. EARLY: they give a tile back before they have
 * read it. */
template <bool EARLY, bool FULL>
__device__ void
ring(int *out, int n)
{
    __shared__ u64 full[2], empty[2];
    __shared__ int s[2][32];
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        for (int k = 0; k < 2; k++)
            init(&full[k], 32), init(&empty[k], BLOCK - 32);
    __syncthreads();
    for (int k = 0; k < n; k++) {
        int b = k % 2, parity = k / 2 % 2;
        if (t < 32) {
            wait_phase(&empty[b], parity ^ 1);
            s[b][t] = k + t;
            arrive(&full[b]);
        } else {
            if (FULL)
                wait_phase(&full[b], parity);
            if (EARLY)
                arrive(&empty[b]);
            sum += s[b][31 - t % 32];
            if (!EARLY)
                arrive(&empty[b]);
        }
    }
    out[t] = sum;
}
__global__ void
good_ring(int *out, int n)
{
    ring<false, true>(out, n);
}
__global__ void
bad_ring_early(int *out, int n)
{
    ring<true, true>(out, n);
}
__global__ void
bad_ring_full(int *out, int n)
{
    ring<false, false>(out, n);
}

__global__ void
bad_mbarrier_init(int *out)
{
    __shared__ u64 b;
    if (threadIdx.x == 0)
        init(&b, BLOCK);
    arrive(&b);
    out[threadIdx.x] = 1;
}

__global__ void
bad_mbarrier_unset(int *out)
{
    __shared__ u64 b;
    if (threadIdx.x == 0)
        arrive(&b);
    out[threadIdx.x] = 1;
}

/* All threads meet at the mbarrier, again and again. */
__global__ void
good_meetings(int *out, int n)
{
    __shared__ u64 b;
    __shared__ int s[BLOCK];
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        init(&b, BLOCK);
    __syncthreads();
    for (int k = 0; k < n; k++) {
        s[t] = k;
        arrive(&b);
        wait_phase(&b, 0);
        sum += s[BLOCK - 1 - t];
        arrive(&b);
        wait_phase(&b, 1);
    }
    out[t] = sum;
}

template <bool COPIES>
__device__ void
copies_arrive(const int *in, int *out)
{
    __shared__ u64 b;
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    if (t == 0)
        init(&b, BLOCK);
    __syncthreads();
    copy<4>(&s[t], &in[t]);
    if (COPIES)
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared(&b))
                     : "memory");
    else
        arrive(&b);
    wait_phase(&b, 0);
    out[t] = s[BLOCK - 1 - t];
}
__global__ void
good_copies_arrive(const int *in, int *out)
{
    copies_arrive<true>(in, out);
}
__global__ void
bad_copies_arrive(const int *in, int *out)
{
    copies_arrive<false>(in, out);
}

/* -- bulk transfers --------------------------------------------------------------------------- */

template <bool WAIT>
__device__ void
bulk(const int *in, int *out, int shift, int n)
{
    __shared__ u64 b;
    __shared__ alignas(16) int s[BLOCK];
    int t = threadIdx.x;
    if (t == 0)
        init(&b, 1);
    __syncthreads();
    if (t == 0) {
        arrive_expecting(&b, 4 * n);
        bulk_load(s, in + shift, 4 * n, &b);
    }
    if (WAIT)
        wait_phase(&b, 0);
    out[t] = s[BLOCK - 1 - t];
}
__global__ void
good_bulk(const int *in, int *out)
{
    bulk<true>(in, out, 0, BLOCK);
}
__global__ void
bad_bulk_wait(const int *in, int *out)
{
    bulk<false>(in, out, 0, BLOCK);
}

__global__ void
bad_bulk_bounds(const int *in, int *out)
{
    __shared__ u64 b;
    __shared__ alignas(16) int s[WIDE];
    if (threadIdx.x == 0) {
        init(&b, 1);
        bulk_load(s, in, 4 * WIDE, &b);
    }
    out[threadIdx.x] = 1;
}

__global__ void
bad_bulk_misaligned(const int *in, int *out)
{
    __shared__ u64 b;
    __shared__ alignas(16) int s[BLOCK];
    if (threadIdx.x == 0) {
        init(&b, 1);
        bulk_load(s, in + 1, 64, &b);
    }
    out[threadIdx.x] = 1;
}

template <bool WAIT>
__device__ void
store_in_bulk(int *out)
{
    __shared__ alignas(16) int s[BLOCK];
    int t = threadIdx.x;
    s[t] = t;
    proxy_fence();
    __syncthreads();
    if (t == 0) {
        bulk_store(out, s, sizeof s);
        if (WAIT)
            bulk_wait();
    }
    __syncthreads();
    s[t] = 0;
}
__global__ void
good_bulk_store(int *out)
{
    store_in_bulk<true>(out);
}
__global__ void
bad_bulk_store(int *out)
{
    store_in_bulk<false>(out);
}
/* Two threads store the same bytes: the same values (a warning), others, or each its own half. */
template <int FROM, int TO>
__device__ void
store_twice(int *out)
{
    __shared__ alignas(16) int s[BLOCK];
    int half = BLOCK / 2, t = threadIdx.x;
    s[t] = t % half + FROM * (t / half);
    proxy_fence();
    __syncthreads();
    if (t % half == 0) {
        bulk_store(out + TO * t, s + t, 4 * half);
        bulk_wait();
    }
}
__global__ void
bad_bulk_stores_equal(int *out)
{
    store_twice<0, 0>(out);
}
__global__ void
bad_bulk_stores_differ(int *out)
{
    store_twice<1, 0>(out);
}
__global__ void
good_bulk_stores_apart(int *out)
{
    store_twice<0, 1>(out);
}

/* Of `part` half is set. A copy of the rest is no use of it; the sum of all is. */
template <int READ>
__device__ void
bulk_part(const int *part, int *out)
{
    __shared__ u64 b;
    __shared__ alignas(16) int s[BLOCK];
    int t = threadIdx.x;
    if (t == 0)
        init(&b, 1);
    __syncthreads();
    if (t == 0) {
        arrive_expecting(&b, sizeof s);
        bulk_load(s, part, sizeof s, &b);
    }
    wait_phase(&b, 0);
    out[t] = s[t % READ] + 1;
}
__global__ void
good_bulk_unset(const int *part, int *out)
{
    bulk_part<BLOCK / 2>(part, out);
}
__global__ void
bad_bulk_unset(const int *part, int *out)
{
    bulk_part<BLOCK>(part, out);
}
/* The same on the way out: half of a tile is stored that nobody has written. */
__global__ void
good_bulk_store_unset(int *out)
{
    __shared__ alignas(16) int s[BLOCK];
    int t = threadIdx.x;
    if (t < BLOCK / 2)
        s[t] = t;
    proxy_fence();
    __syncthreads();
    if (t == 0) {
        bulk_store(out, s, sizeof s);
        bulk_wait();
    }
}
__global__ void
good_stored_half(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x % (BLOCK / 2)] + 1;
}
__global__ void
bad_stored_unset(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x] + 1;
}

/* -- matrices of a warp ----------------------------------------------------------------------- */

__device__ unsigned
load_tile(const void *row)
{
    unsigned r;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(r)
                 : "r"(shared(row))
                 : "memory");
    return r;
}
__device__ void
store_tile(void *row, unsigned v)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(shared(row)), "r"(v)
                 : "memory");
}

template <bool BARRIER>
__device__ void
read_tile(int *out)
{
    __shared__ alignas(16) int s[32];
    int t = threadIdx.x;
    s[t ^ 16] = t;
    if (BARRIER)
        __syncwarp();
    out[t] = load_tile(&s[t % 8 * 4]);
}
__global__ void
good_ldmatrix(int *out)
{
    read_tile<true>(out);
}
__global__ void
bad_ldmatrix_race(int *out)
{
    read_tile<false>(out);
}
__global__ void
bad_ldmatrix_bounds(int *out)
{
    __shared__ alignas(16) int s[32];
    s[threadIdx.x] = 0;
    __syncwarp();
    out[threadIdx.x] = load_tile(&s[(threadIdx.x % 8 + 1) * 4]);
}
__global__ void
bad_ldmatrix_misaligned(int *out)
{
    __shared__ alignas(16) int s[64];
    s[threadIdx.x] = s[threadIdx.x + 32] = 0;
    __syncwarp();
    out[threadIdx.x] = load_tile(&s[threadIdx.x % 8 * 4 + 2]);
}
__global__ void
bad_ldmatrix_unset(int *out)
{
    __shared__ alignas(16) int s[32];
    if (threadIdx.x < 28)
        s[threadIdx.x] = 0;
    __syncwarp();
    out[threadIdx.x] = load_tile(&s[threadIdx.x % 8 * 4]);
}
__global__ void
good_stmatrix(int *out)
{
    __shared__ alignas(16) int s[32];
    store_tile(&s[threadIdx.x % 8 * 4], threadIdx.x);
    __syncwarp();
    out[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void
bad_stmatrix_bounds(int *out)
{
    __shared__ alignas(16) int s[32], other[32];
    other[threadIdx.x] = 0;
    __syncwarp();
    store_tile(&s[(threadIdx.x % 8 + 4) * 4], threadIdx.x);
    __syncwarp();
    out[threadIdx.x] = other[31 - threadIdx.x];
}

using namespace nvcuda;

__global__ void
good_wmma(const half *a, float *c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, a, 16);
    wmma::fill_fragment(fc, 0.f);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
__global__ void
bad_wmma_bounds(float *c)
{
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.f);
    wmma::store_matrix_sync(c, fc, 24, wmma::mem_row_major);
}
__global__ void
bad_wmma_unset(float *c)
{
    __shared__ alignas(32) float s[256];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    if (threadIdx.x < 16)
        for (int k = 0; k < 15; k++)
            s[16 * k + threadIdx.x] = 0;
    __syncwarp();
    wmma::load_matrix_sync(fc, s, 16, wmma::mem_row_major);
    fc.x[0] *= 2;
    for (int k = 1; k < fc.num_elements; k++)
        fc.x[k] += fc.x[k - 1];
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
__global__ void
bad_wmma_race(float *c)
{
    __shared__ alignas(32) float s[256];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 1.f);
    wmma::store_matrix_sync(s, fc, 16, wmma::mem_row_major);
    c[threadIdx.x] = s[255 - threadIdx.x];
}

/* -- atomics of vectors ----------------------------------------------------------------------- */

__device__ void
add4(float *p)
{
    asm volatile(
        "{ .reg .b32 r<4>; atom.global.v4.f32.add {r0, r1, r2, r3}, [%0], {%1, %1, %1, %1}; }" ::
            "l"(__cvta_generic_to_global(p)),
        "f"(1.f)
        : "memory");
}
__global__ void
good_vector_atomic(float *p)
{
    add4(p + threadIdx.x % 4 * 4);
}
__global__ void
bad_vector_atomic_bounds(float *p)
{
    add4(p + threadIdx.x * 4); /* of 1022 */
}
__global__ void
bad_vector_atomic_misaligned(float *p)
{
    add4(p + 2 * threadIdx.x);
}
__global__ void
bad_vector_atomic_race(float *p, float *out)
{
    if (threadIdx.x < 32)
        add4(p);
    else
        out[threadIdx.x] = p[3];
}
__device__ void
exchange(u64 *p)
{
    asm volatile(
        "{ .reg .b128 a, b; mov.b128 a, {%1, %1}; atom.global.exch.b128 b, [%0], a; }" ::"l"(
            __cvta_generic_to_global(p)),
        "l"(1ull)
        : "memory");
}
__global__ void
good_exchange(u64 *p)
{
    exchange(p);
}
__global__ void
bad_exchange(u64 *p)
{
    exchange(p + 1);
}

/* -- surfaces --------------------------------------------------------------------------------- */

__global__ void
good_surface(cudaSurfaceObject_t s)
{
    surf2Dwrite<int>(1, s, 4 * (threadIdx.x % 16), threadIdx.x / 16);
}
__global__ void
bad_surface_race(cudaSurfaceObject_t s)
{
    surf2Dwrite<int>((int)threadIdx.x, s, 4 * (threadIdx.x % 16), 0);
}
__global__ void
bad_surface_bounds(cudaSurfaceObject_t s)
{
    surf2Dwrite<int>(1, s, 4 * (int)threadIdx.x, 0);
}

/* -- textures on plain memory ------------------------------------------------------------------ */

__global__ void
good_texture(cudaTextureObject_t t, int *out)
{
    out[threadIdx.x] = tex1Dfetch<int>(t, (int)threadIdx.x + 16); /* some outside: 0 */
}
__global__ void
bad_texture_unset(cudaTextureObject_t t, int *out)
{
    out[threadIdx.x] = tex1Dfetch<int>(t, (int)threadIdx.x);
}
__global__ void
bad_texture_freed(cudaTextureObject_t t, int *out)
{
    out[threadIdx.x] = tex1Dfetch<int>(t, (int)threadIdx.x);
}
/* Other warps read what this one stores. */
__global__ void
bad_texture_race(cudaTextureObject_t t, int *of, int *out)
{
    of[threadIdx.x] = 1;
    out[threadIdx.x] = tex1Dfetch<int>(t, 63 - (int)threadIdx.x);
}
__global__ void
good_texture_barrier(cudaTextureObject_t t, int *of, int *out)
{
    int before = tex1Dfetch<int>(t, 63 - (int)threadIdx.x);
    __syncthreads();
    of[threadIdx.x] = out[threadIdx.x] = before;
}

static cudaTextureObject_t
texture_on(int *at, int count)
{
    cudaTextureObject_t t = 0;
    cudaResourceDesc from = {};
    cudaTextureDesc how = {};
    from.resType = cudaResourceTypeLinear;
    from.res.linear.devPtr = at;
    from.res.linear.sizeInBytes = (size_t)count * sizeof *at;
    from.res.linear.desc = cudaCreateChannelDesc<int>();
    cudaCreateTextureObject(&t, &from, &how, NULL);
    return t;
}
static void
launch_textures()
{
    int *at, *out;
    cudaMalloc(&at, 64 * sizeof *at);
    cudaMalloc(&out, 64 * sizeof *out);
    cudaTextureObject_t t = texture_on(at, 64);
    bad_texture_unset<<<1, 64>>>(t, out);
    cudaMemset(at, 0, 64 * sizeof *at);
    good_texture<<<1, 64>>>(t, out);
    good_texture_barrier<<<1, 64>>>(t, at, out);
    bad_texture_race<<<1, 64>>>(t, at, out);
    cudaFree(at);
    bad_texture_freed<<<1, 64>>>(t, out);
    cudaDestroyTextureObject(t);
    cudaFree(out);
}

/* -- functions behind pointers ---------------------------------------------------------------- */

typedef void (*step)(int *, int);

__device__ void
lock(int *at, int)
{
    while (atomicCAS(at, 0, 1))
        ;
    __threadfence();
    at[1] = at[1] + 1;
    __threadfence();
    atomicExch(at, 0);
}
__device__ void
no_lock(int *at, int)
{
    at[1] = at[1] + 1;
}
__device__ void
past_end(int *at, int n)
{
    at[n] = 1;
}
__device__ step steps[] = {lock, no_lock, past_end};

__global__ void
good_pointer(int *at, const int *which)
{
    if (threadIdx.x % 32 == 0)
        steps[which[0]](at, 0);
}
__global__ void
bad_pointer_race(int *at, const int *which)
{
    if (threadIdx.x % 32 == 0)
        steps[which[1]](at, 0);
}
__global__ void
bad_pointer_bounds(int *at, const int *which)
{
    if (threadIdx.x == 0)
        steps[which[2]](at, WIDE);
}

/* -- what all blocks read --------------------------------------------------------------------- */

template <bool WRITES>
__device__ void
read_all(int *in, int *out)
{
    int t = threadIdx.x, sum = 0;
    for (int turn = 0; turn < 2; turn++)
        for (int k = 0; k < 16 * WIDE; k += BLOCK)
            sum += in[k + t];
    if (WRITES && blockIdx.x == gridDim.x - 1)
        in[16 * WIDE - BLOCK + t] = sum;
    out[blockIdx.x * BLOCK + t] = sum;
}
__global__ void
good_reads(int *in, int *out)
{
    read_all<false>(in, out);
}
__global__ void
bad_write_after_reads(int *in, int *out)
{
    read_all<true>(in, out);
}

/* -- launches --------------------------------------------------------------------------------- */

int
main(int argc, char **argv)
{
    int *in, *out, *odd, *which, *at, *part, *stored, numbers[] = {0, 1, 2};
    float *f, *few;
    cudaMalloc(&in, 16 * WIDE * sizeof(int));
    cudaMalloc(&out, WIDE * sizeof(int));
    cudaMalloc(&odd, (WIDE - 2) * sizeof(int));
    cudaMalloc(&which, sizeof numbers);
    cudaMalloc(&at, WIDE * sizeof(int));
    cudaMalloc(&part, BLOCK * sizeof(int));
    cudaMalloc(&stored, BLOCK * sizeof(int));
    cudaMalloc(&f, 4096);
    cudaMalloc(&few, 1022 * 4);
    cudaMemset(in, 0, 16 * WIDE * sizeof(int));
    cudaMemset(odd, 0, (WIDE - 2) * sizeof(int));
    cudaMemset(at, 0, WIDE * sizeof(int));
    cudaMemset(part, 0, BLOCK / 2 * sizeof(int));
    cudaMemset(f, 0, 4096);
    cudaMemset(few, 0, 1022 * 4);
    cudaMemcpy(which, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &format, 16, 8, cudaArraySurfaceLoadStore);
    cudaResourceDesc desc;
    memset(&desc, 0, sizeof desc);
    desc.resType = cudaResourceTypeArray;
    desc.res.array.array = array;
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &desc);
    if (argc > 1) {
        bad_surface_bounds<<<1, 32>>>(surface);
        return cudaDeviceSynchronize() == cudaSuccess;
    }
    good_copy<<<1, BLOCK>>>(in, out);
    bad_copy_no_wait<<<1, BLOCK>>>(in, out);
    bad_copy_no_barrier<<<1, BLOCK>>>(in, out);
    bad_copy_barrier_first<<<1, BLOCK>>>(in, out);
    good_copy_own<<<1, BLOCK>>>(in, out);
    bad_copy_own<<<1, BLOCK>>>(in, out);
    good_copy_unset<<<1, BLOCK>>>(part, out);
    bad_copy_unset<<<1, BLOCK>>>(part, out);
    bad_copy_unset16<<<1, BLOCK>>>(part, out);
    good_pipeline<<<1, BLOCK>>>(in, out, 6);
    bad_pipeline_wait<<<1, BLOCK>>>(in, out, 6);
    bad_pipeline_overwrite<<<1, BLOCK>>>(in, out, 6);
    good_group_stages<<<1, BLOCK>>>(in, out);
    bad_group_stages<<<1, BLOCK>>>(in, out);
    bad_copy_source<<<1, BLOCK>>>(odd, out, WIDE - 2);
    bad_copy_target<<<1, BLOCK>>>(in, out);
    bad_copy_misaligned<<<1, BLOCK>>>(in, out);
    good_copy_tail<<<1, BLOCK>>>(odd, out, WIDE - 2);
    bad_copy_tail<<<1, BLOCK>>>(odd, out, WIDE - 2);
    good_ring<<<1, BLOCK>>>(out, 8);
    bad_ring_early<<<1, BLOCK>>>(out, 8);
    bad_ring_full<<<1, BLOCK>>>(out, 2);
    bad_mbarrier_init<<<1, BLOCK>>>(out);
    bad_mbarrier_unset<<<1, BLOCK>>>(out);
    good_meetings<<<1, BLOCK>>>(out, 5);
    good_copies_arrive<<<1, BLOCK>>>(in, out);
    bad_copies_arrive<<<1, BLOCK>>>(in, out);
    good_bulk<<<1, BLOCK>>>(in, out);
    bad_bulk_wait<<<1, BLOCK>>>(in, out);
    bad_bulk_bounds<<<1, BLOCK>>>(odd, out);
    bad_bulk_misaligned<<<1, BLOCK>>>(in, out);
    good_bulk_store<<<1, BLOCK>>>(out);
    bad_bulk_store<<<1, BLOCK>>>(out);
    bad_bulk_stores_equal<<<1, BLOCK>>>(out);
    bad_bulk_stores_differ<<<1, BLOCK>>>(out);
    good_bulk_stores_apart<<<1, BLOCK>>>(out);
    good_bulk_unset<<<1, BLOCK>>>(part, out);
    bad_bulk_unset<<<1, BLOCK>>>(part, out);
    good_bulk_store_unset<<<1, BLOCK>>>(stored);
    good_stored_half<<<1, BLOCK>>>(stored, out);
    bad_stored_unset<<<1, BLOCK>>>(stored, out);
    good_ldmatrix<<<1, 32>>>(out);
    bad_ldmatrix_race<<<1, 32>>>(out);
    bad_ldmatrix_bounds<<<1, 32>>>(out);
    bad_ldmatrix_misaligned<<<1, 32>>>(out);
    bad_ldmatrix_unset<<<1, 32>>>(out);
    good_stmatrix<<<1, 32>>>(out);
    bad_stmatrix_bounds<<<1, 32>>>(out);
    good_wmma<<<1, 32>>>((const half *)in, f);
    bad_wmma_bounds<<<1, 32>>>((float *)(at + 256));
    bad_wmma_unset<<<1, 32>>>(f);
    bad_wmma_race<<<1, 32>>>(f);
    good_vector_atomic<<<4, BLOCK>>>(f);
    bad_vector_atomic_bounds<<<1, 256>>>(few);
    bad_vector_atomic_misaligned<<<1, 2>>>(f);
    bad_vector_atomic_race<<<1, 64>>>(f, (float *)out);
    good_exchange<<<2, 32>>>((u64 *)f);
    bad_exchange<<<1, 1>>>((u64 *)f);
    launch_textures();
    good_surface<<<1, BLOCK>>>(surface);
    bad_surface_race<<<1, 32>>>(surface);
    cudaMemset(at, 0, WIDE * sizeof(int));
    cudaMemset(part, 0, BLOCK / 2 * sizeof(int));
    good_pointer<<<2, BLOCK>>>(at, which);
    bad_pointer_race<<<2, BLOCK>>>(at, which);
    bad_pointer_bounds<<<1, BLOCK>>>(at, which);
    good_reads<<<4, BLOCK>>>(in, out);
    bad_write_after_reads<<<4, BLOCK>>>(in, out);
    cudaDeviceSynchronize();
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
    void *all[] = {in, out, odd, which, at, part, f, few, stored};
    for (void *p : all)
        cudaFree(p);
    cudaError_t e = cudaGetLastError();
    printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
