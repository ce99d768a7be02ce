/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_wide.cu: mistakes with copies by maps of im2col::w and im2col::w::128. Kernels named bad_
 * have one; beside them stands the right way. With an argument: one that ends the device.
 */
#include <cstdio>

#include "instructions.h"

enum { BLOCK = 128, CHANNELS = 16, WIDE = 8, IMAGES = 40, HALO = 2, PIXELS = 128 };

template <bool W128>
__device__ void
pixels_load(void *to, const CUtensorMap *map, int w, int n, unsigned short halo, u64 *b)
{
    if (W128)
        asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.im2col::w::128.mbarrier::"
                     "complete_tx::bytes [%0], [%1, {0, %2, %3}], [%4], {%5, 0};" ::"r"(shared(to)),
                     "l"(map), "r"(w), "r"(n), "r"(shared(b)), "h"(halo)
                     : "memory");
    else
        asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::"
                     "complete_tx::bytes [%0], [%1, {0, %2, %3}], [%4], {%5, 0};" ::"r"(shared(to)),
                     "l"(map), "r"(w), "r"(n), "r"(shared(b)), "h"(halo)
                     : "memory");
}

/* Which rows are read once the copy is over. */
enum { ALL, ONE_MORE };

template <bool W128, int HOW, bool WAIT = true>
__device__ void
sum(const CUtensorMap *map, int n, int *out, int more = 0)
{
    const int rows = PIXELS + (W128 ? 4 : 1) * HALO;
    __shared__ alignas(1024) int s[PIXELS + 4 * HALO + 1][CHANNELS];
    __shared__ u64 b;
    int t = threadIdx.x, all = 0;
    if (t == 0) {
        init(&b, 1);
        proxy_fence();
        arrive_expecting(&b, rows * CHANNELS * 4 + more);
    }
    __syncthreads();
    if (t == 0)
        pixels_load<W128>(s, map, 0, n, HALO, &b);
    if (WAIT)
        wait_phase(&b, 0);
    for (int k = 0; k < rows + (HOW == ONE_MORE); k++)
        all += s[k][t % CHANNELS];
    out[t] = all;
}
#define KERNEL(name, ...)                                                                          \
    __global__ void name(const __grid_constant__ CUtensorMap map, int *out)                        \
    {                                                                                              \
        sum<__VA_ARGS__;                                                                           \
    }
KERNEL(good_load, false, ALL>(&map, 0, out))
KERNEL(good_load_128, true, ALL>(&map, 0, out))
/* Over the last image. */
KERNEL(good_load_over_the_end, false, ALL>(&map, IMAGES - 3, out))
KERNEL(good_load_128_over_the_end, true, ALL>(&map, IMAGES - 3, out))
/* A halo's last row is the last that is written. */
KERNEL(bad_row_behind, false, ONE_MORE>(&map, 0, out))
KERNEL(bad_row_behind_128, true, ONE_MORE>(&map, 0, out))
KERNEL(bad_no_wait, false, ALL, false>(&map, 0, out))
KERNEL(bad_no_wait_128, true, ALL, false>(&map, 0, out))
/* The maps are of one more image than the memory has: only the halo reaches past its end. */
KERNEL(bad_halo_bounds, false, ALL>(&map, IMAGES - PIXELS / WIDE, out))
KERNEL(bad_halo_bounds_128, true, ALL>(&map, IMAGES - PIXELS / WIDE, out))
KERNEL(ends_expected_more, false, ALL>(&map, 0, out, 16))

static CUtensorMap
wide_map(void *at, u64 images, CUtensorMapIm2ColWideMode mode)
{
    CUtensorMap map;
    cuuint64_t dim[] = {CHANNELS, WIDE, images}, stride[] = {CHANNELS * 4, CHANNELS * WIDE * 4};
    cuuint32_t step[] = {1, 1, 1};
    CUresult r = cuTensorMapEncodeIm2colWide(
        &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 3, at, dim, stride, 0, 0, CHANNELS, PIXELS, step,
        CU_TENSOR_MAP_INTERLEAVE_NONE, mode, CU_TENSOR_MAP_SWIZZLE_64B,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (r)
        printf("map: %d\n", (int)r);
    return map;
}

int
main(int argc, char **)
{
    const size_t bytes = IMAGES * WIDE * CHANNELS * 4;
    int *in, *out;
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, BLOCK * 4);
    cudaMemset(in, 0, bytes);
    CUtensorMap w = wide_map(in, IMAGES, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W),
                w128 = wide_map(in, IMAGES, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128),
                more = wide_map(in, IMAGES + 1, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W),
                more128 = wide_map(in, IMAGES + 1, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128);
    if (argc > 1) {
        ends_expected_more<<<1, BLOCK>>>(w, out);
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        return 0;
    }
    good_load<<<1, BLOCK>>>(w, out);
    good_load_128<<<1, BLOCK>>>(w128, out);
    good_load_over_the_end<<<1, BLOCK>>>(w, out);
    good_load_128_over_the_end<<<1, BLOCK>>>(w128, out);
    bad_row_behind<<<1, BLOCK>>>(w, out);
    bad_row_behind_128<<<1, BLOCK>>>(w128, out);
    bad_no_wait<<<1, BLOCK>>>(w, out);
    bad_no_wait_128<<<1, BLOCK>>>(w128, out);
    bad_halo_bounds<<<1, BLOCK>>>(more, out);
    bad_halo_bounds_128<<<1, BLOCK>>>(more128, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    return 0;
}
