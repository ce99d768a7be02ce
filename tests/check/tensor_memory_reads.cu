/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_memory_reads.cu: what tcgen05.mma and tcgen05.cp read of shared memory, in the background,
 * and mistakes with it. Kernels named bad_ have one; good_ is the right way.
 */
#include <cstdio>
#include <cuda_fp16.h>

#include "tcgen05.h"

enum { N = 64, COLUMNS = 128, STEPS = 6 };

/* A and B one behind the other, as they are in device memory. */
struct alignas(128) tile {
    __half a[M * K], b[N * K];
};
struct stages {
    tile t[2];
    u64 full[2], empty[2], done;
    unsigned columns;
};

__device__ void
begin(stages &s)
{
    if (threadIdx.x == 0) {
        for (int k = 0; k < 2; k++)
            init(&s.full[k], 1), init(&s.empty[k], 1);
        init(&s.done, 1);
    }
    allocate<COLUMNS>(&s.columns);
    synchronize();
}
/* One number per thread, of the first column. */
__device__ void
end(stages &s, unsigned *out)
{
    unsigned r = load(s.columns);
    wait_loads();
    out[threadIdx.x] = r;
    give_back<COLUMNS>(s.columns);
}
__device__ void
fill(tile &t, const __half *from)
{
    for (unsigned k = threadIdx.x; k < (M + N) * K; k += blockDim.x)
        (k < M * K ? t.a[k] : t.b[k - M * K]) = from[k];
}
__device__ void
filled()
{
    proxy_fence();
    synchronize();
}
__device__ void
multiply(const stages &s, int stage, bool add)
{
    multiply(s.columns, descriptor(s.t[stage].a), descriptor(s.t[stage].b), N, add);
}
/* The parity for the wait before a stage is filled for step k: at first it passes. */
__device__ unsigned
emptied(int k)
{
    return ~(unsigned)k / 2 & 1;
}

/* -- the right way ----------------------------------------------------------------------------- */

/* All threads fill, and wait. */
__global__ void
good_refilled(unsigned *out, const __half *from)
{
    __shared__ stages s;
    begin(s);
    for (int k = 0; k < STEPS; k++) {
        wait_unit(&s.empty[k % 2], emptied(k));
        fill(s.t[k % 2], from);
        filled();
        if (threadIdx.x == 0) {
            multiply(s, k % 2, k);
            commit(k < STEPS - 1 ? &s.empty[k % 2] : &s.done);
        }
    }
    wait_unit(&s.done, 0);
    fill(s.t[0], from); /* behind one commit for all */
    fill(s.t[1], from);
    end(s, out);
}

/* A warp copies, another one multiplies. */
__device__ void
produce(stages &s, const __half *from)
{
    for (int k = 0; k < STEPS; k++) {
        wait_phase(&s.empty[k % 2], emptied(k));
        arrive_expecting(&s.full[k % 2], sizeof(tile));
        bulk_load(&s.t[k % 2], from, sizeof(tile), &s.full[k % 2]);
    }
}
__device__ void
consume(stages &s)
{
    for (int k = 0; k < STEPS; k++) {
        wait_unit(&s.full[k % 2], k / 2 & 1);
        multiply(s, k % 2, k);
        commit(&s.empty[k % 2]);
    }
    commit(&s.done);
}
__global__ void
good_refilled_by_copies(unsigned *out, const __half *from)
{
    __shared__ stages s;
    begin(s);
    if (threadIdx.x == 32)
        produce(s, from);
    if (threadIdx.x == 64)
        consume(s);
    __syncwarp();
    wait_unit(&s.done, 0);
    fill(s.t[0], from);
    fill(s.t[1], from);
    end(s, out);
}

/* One thread waits, and tells the others, which do not. */
__global__ void
good_told(unsigned *out, const __half *from)
{
    __shared__ stages s;
    begin(s);
    for (int k = 0; k < STEPS; k++) {
        fill(s.t[0], from);
        filled();
        if (threadIdx.x == 0) {
            multiply(s, 0, k);
            commit(&s.done);
            wait_unit(&s.done, k & 1);
        }
        synchronize();
    }
    end(s, out);
}

/* Products in a row of one tile; a commit is about all that is before it. */
__global__ void
good_in_a_row(unsigned *out, const __half *from)
{
    __shared__ stages s;
    begin(s);
    fill(s.t[0], from);
    fill(s.t[1], from);
    filled();
    if (threadIdx.x == 0) {
        for (int k = 0; k < STEPS / 2; k++) {
            multiply(s, 0, k);
            commit(&s.empty[0]);
        }
        for (int k = 0; k < STEPS / 2; k++)
            multiply(s, 1, true);
        commit(&s.done);
    }
    wait_unit(&s.done, 0);
    fill(s.t[0], from);
    fill(s.t[1], from);
    end(s, out);
}

template <bool WAIT, class F>
__device__ void
once(unsigned *out, const __half *from, F begin_work)
{
    __shared__ stages s;
    begin(s);
    fill(s.t[0], from);
    fill(s.t[1], from);
    filled();
    if (threadIdx.x == 0) {
        begin_work(s);
        commit(&s.done);
    }
    if (WAIT)
        wait_unit(&s.done, 0);
    fill(s.t[0], from);
    if (!WAIT)
        wait_unit(&s.done, 0);
    end(s, out);
}
template <bool WAIT>
__device__ void
once_ws(unsigned *out, const __half *from)
{
    once<WAIT>(out, from, [](stages &s) {
        multiply_ws(s.columns, descriptor(s.t[0].a), descriptor(s.t[0].b), N);
    });
}
/* A is the first tile's, B of twice the depth is the second's first part. */
template <bool WAIT>
__device__ void
once_sparse(unsigned *out, const __half *from)
{
    once<WAIT>(out, from, [](stages &s) {
        multiply_sparse(s.columns, descriptor(s.t[0].a), descriptor(s.t[1].a, 2 * STRIDE),
                        s.columns + N, N);
    });
}
template <bool WAIT>
__device__ void
once_copied(unsigned *out, const __half *from)
{
    once<WAIT>(out, from, [](stages &s) { copy_rows(s.columns, descriptor(s.t[0].a)); });
}
__global__ void
good_ws(unsigned *out, const __half *from)
{
    once_ws<true>(out, from);
}
__global__ void
good_sparse(unsigned *out, const __half *from)
{
    once_sparse<true>(out, from);
}
__global__ void
good_copied(unsigned *out, const __half *from)
{
    once_copied<true>(out, from);
}

/* -- mistakes ---------------------------------------------------------------------------------- */

__global__ void
bad_ws(unsigned *out, const __half *from)
{
    once_ws<false>(out, from);
}
__global__ void
bad_sparse(unsigned *out, const __half *from)
{
    once_sparse<false>(out, from);
}
__global__ void
bad_copied(unsigned *out, const __half *from)
{
    once_copied<false>(out, from);
}

__global__ void
bad_refilled(unsigned *out, const __half *from)
{
    __shared__ stages s;
    begin(s);
    for (int k = 0; k < STEPS; k++) {
        fill(s.t[k % 2], from);
        filled();
        if (threadIdx.x == 0) {
            multiply(s, k % 2, k);
            commit(k < STEPS - 1 ? &s.empty[k % 2] : &s.done);
        }
    }
    wait_unit(&s.done, 0);
    end(s, out);
}

/* The thread that has begun a product says so itself, at once. */
__global__ void
bad_refilled_by_copies(unsigned *out, const __half *from)
{
    __shared__ stages s;
    begin(s);
    if (threadIdx.x == 32)
        produce(s, from);
    if (threadIdx.x == 64) {
        for (int k = 0; k < STEPS; k++) {
            wait_unit(&s.full[k % 2], k / 2 & 1);
            multiply(s, k % 2, k);
            arrive(&s.empty[k % 2]);
        }
        commit(&s.done);
    }
    __syncwarp();
    wait_unit(&s.done, 0);
    end(s, out);
}

/* The thread that waits tells nobody. */
__global__ void
bad_untold(unsigned *out, const __half *from)
{
    __shared__ stages s;
    begin(s);
    fill(s.t[0], from);
    filled();
    if (threadIdx.x == 0) {
        multiply(s, 0, false);
        commit(&s.done);
        wait_unit(&s.done, 0);
    }
    __syncwarp();
    fill(s.t[0], from);
    wait_unit(&s.done, 0);
    end(s, out);
}

/* A commit of another thread, and one before the product, are about others. */
__global__ void
bad_other_commits(unsigned *out, const __half *from)
{
    __shared__ stages s;
    begin(s);
    fill(s.t[0], from);
    filled();
    if (threadIdx.x == 0) {
        commit(&s.empty[0]);
        multiply(s, 0, false);
    }
    __syncthreads();
    if (threadIdx.x == 1)
        commit(&s.empty[1]);
    wait_unit(&s.empty[0], 0);
    wait_unit(&s.empty[1], 0);
    fill(s.t[0], from);
    synchronize();
    if (threadIdx.x == 0)
        commit(&s.done);
    wait_unit(&s.done, 0);
    end(s, out);
}

__global__ void
bad_no_fence(unsigned *out, const __half *from)
{
    __shared__ stages s;
    begin(s);
    fill(s.t[0], from);
    synchronize();
    if (threadIdx.x == 0) {
        multiply(s, 0, false);
        commit(&s.done);
    }
    wait_unit(&s.done, 0);
    end(s, out);
}

__global__ void
bad_early(unsigned *out, const __half *from)
{
    __shared__ stages s;
    begin(s);
    if (threadIdx.x == 0) {
        arrive_expecting(&s.full[0], sizeof(tile));
        bulk_load(&s.t[0], from, sizeof(tile), &s.full[0]);
        multiply(s, 0, false);
        commit(&s.done);
        wait_phase(&s.full[0], 0);
    }
    __syncwarp();
    wait_unit(&s.done, 0);
    end(s, out);
}

__global__ void
bad_unset(unsigned *out, const __half *from)
{
    __shared__ stages s;
    begin(s);
    for (unsigned k = threadIdx.x; k < M * K; k += blockDim.x)
        s.t[0].a[k] = from[k];
    filled();
    if (threadIdx.x == 0) {
        multiply(s, 0, false);
        commit(&s.done);
    }
    wait_unit(&s.done, 0);
    end(s, out);
}

/* -- swizzles ---------------------------------------------------------------------------------- */

/* A and B come by a tensor map that swizzles by 32 bytes: their rows one below the other. layout:
 * of a descriptor; 6 is 32 bytes, 0 is none. */
template <class F>
__device__ void
by_map(const CUtensorMap *map, unsigned *out, F begin_work)
{
    __shared__ alignas(1024) tile t;
    __shared__ stages s;
    begin(s);
    if (threadIdx.x == 0) {
        arrive_expecting(&s.full[0], sizeof t);
        box_load(&t, map, 0, 0, &s.full[0]);
        wait_phase(&s.full[0], 0);
        begin_work(s, t);
        commit(&s.done);
    }
    __syncwarp();
    wait_unit(&s.done, 0);
    end(s, out);
}
__device__ u64
swizzled(const void *p, u64 layout, u64 base = 0)
{
    return descriptor(p) | layout << 61 | base << 49;
}
__global__ void
good_map(const __grid_constant__ CUtensorMap map, unsigned *out)
{
    by_map(&map, out, [](stages &s, tile &t) {
        multiply(s.columns, swizzled(t.a, 6), swizzled(t.b, 6), N);
    });
}
__global__ void
good_map_rows(const __grid_constant__ CUtensorMap map, unsigned *out)
{
    by_map(&map, out, [](stages &s, tile &t) { copy_rows(s.columns, swizzled(t.a, 6)); });
}
__global__ void
bad_map_a(const __grid_constant__ CUtensorMap map, unsigned *out)
{
    by_map(&map, out, [](stages &s, tile &t) {
        multiply(s.columns, swizzled(t.a, 0), swizzled(t.b, 6), N);
    });
}
__global__ void
bad_map_b(const __grid_constant__ CUtensorMap map, unsigned *out)
{
    by_map(&map, out, [](stages &s, tile &t) {
        multiply(s.columns, swizzled(t.a, 6), swizzled(t.b, 0), N);
    });
}
__global__ void
bad_map_base(const __grid_constant__ CUtensorMap map, unsigned *out)
{
    by_map(&map, out, [](stages &s, tile &t) {
        multiply(s.columns, swizzled(t.a, 6), swizzled(t.b, 6, 1), N);
    });
}
__global__ void
bad_map_rows(const __grid_constant__ CUtensorMap map, unsigned *out)
{
    by_map(&map, out, [](stages &s, tile &t) { copy_rows(s.columns, swizzled(t.a, 0)); });
}

/* -- a cluster --------------------------------------------------------------------------------- */

/* Each block reads what the first has sent to both, and says to both when it has. */
__global__ void __cluster_dims__(2, 1, 1)
good_multicast(unsigned *out, const __half *from)
{
    __shared__ stages s;
    unsigned rank = blockIdx.x % 2;
    begin(s);
    if (threadIdx.x == 0)
        init(&s.empty[0], 2);
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
    for (int k = 0; k < STEPS && threadIdx.x == 0; k++) {
        arrive_expecting(&s.full[0], sizeof(tile));
        wait_phase(&s.empty[0], ~(unsigned)k & 1);
        if (!rank)
            bulk_multicast(&s.t[0], from, sizeof(tile), &s.full[0], 3);
        wait_unit(&s.full[0], k & 1);
        multiply(s, 0, k);
        commit_to(&s.empty[0], 3);
    }
    __syncwarp();
    wait_unit(&s.empty[0], STEPS - 1 & 1);
    if (threadIdx.x == 0)
        commit(&s.done);
    wait_unit(&s.done, 0);
    fill(s.t[0], from);
    end(s, out + M * rank);
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}
/* All kernels that copy by a map. */
static void
run_by_map(unsigned *out, __half *from)
{
    CUtensorMap map;
    cuuint64_t dim[] = {K, M + N}, stride[] = {2 * K};
    cuuint32_t box[] = {K, M + N}, one[] = {1, 1};
    float first;
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, from, dim, stride, box,
                               one, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        printf("wrong: no map\n");
    good_map<<<1, M>>>(map, out);
    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
    if (first != 16)
        printf("wrong: by a map: %f\n", first);
    good_map_rows<<<1, M>>>(map, out);
    bad_map_a<<<1, M>>>(map, out);
    bad_map_b<<<1, M>>>(map, out);
    bad_map_base<<<1, M>>>(map, out);
    bad_map_rows<<<1, M>>>(map, out);
}

int
main()
{
    enum { BYTES = sizeof(tile) };
    unsigned *out, host[2 * M];
    __half *from, ones[BYTES / 2];
    float steps = 16 * STEPS;
    for (auto &one : ones)
        one = __half(1.0f);
    cudaMalloc(&out, sizeof host);
    cudaMalloc(&from, BYTES);
    cudaMemset(out, 0, sizeof host);
    cudaMemcpy(from, ones, BYTES, cudaMemcpyHostToDevice);
    struct {
        void (*kernel)(unsigned *, const __half *);
        int blocks;
        float result; /* 0: not looked at */
    } all[] = {{good_refilled, 1, steps},
               {good_refilled_by_copies, 1, steps},
               {good_told, 1, steps},
               {good_in_a_row, 1, steps},
               {good_ws, 1, 16},
               {good_sparse, 1, 0},
               {good_copied, 1, 0},
               {good_multicast, 2, steps},
               {bad_ws, 1, 0},
               {bad_sparse, 1, 0},
               {bad_copied, 1, 0},
               {bad_refilled, 1, 0},
               {bad_refilled_by_copies, 1, 0},
               {bad_untold, 1, 0},
               {bad_other_commits, 1, 0},
               {bad_no_fence, 1, 0},
               {bad_early, 1, 0},
               {bad_unset, 1, 0}};
    for (auto &one : all) {
        one.kernel<<<one.blocks, M>>>(out, from);
        if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
            return 2;
        for (int k = 0; k < one.blocks * M && one.result; k++)
            if (*(float *)&host[k] != one.result)
                printf("wrong: %d of kernel %d: %f\n", k, (int)(&one - all), *(float *)&host[k]);
    }
    run_by_map(out, from);
    cudaFree(out);
    cudaFree(from);
}
