/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor.c: tensor maps (the driver API's "Tensor Map Object Management").
 */
#include "cuda/driver.h"

static int
encode(CUtensorMap *map, const struct tensor_args *a)
{
    struct device *d;
    int r = cu_use(&d);
    if (r != CUDA_SUCCESS)
        return r;
    if (!map)
        return cu_null("tensorMap");
    if (!a->dim || (a->rank > 1 && !a->stride) || !a->step)
        return cu_null("globalDim, globalStrides or elementStrides");
    return (int)device_tensor_map(d, map, a);
}

/* What these calls take. */
#define ARGS                                                                                       \
    .type = type, .rank = rank, .interleave = interleave, .swizzle = swizzle,                      \
    .promotion = promotion, .fill = fill, .address = (uint64_t)(uintptr_t)address, .dim = dim,     \
    .stride = stride, .step = step

CUresult
cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                       const cuuint64_t *dim, const cuuint64_t *stride, const cuuint32_t *box,
                       const cuuint32_t *step, CUtensorMapInterleave interleave,
                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                       CUtensorMapFloatOOBfill fill)
{
    struct tensor_args a = {ARGS, .box = box};
    CU(box ? encode(map, &a) : cu_null("boxDim"), "tensorMap=%p globalAddress=%p", (void *)map,
       address);
}

CUresult
cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                        const cuuint64_t *dim, const cuuint64_t *stride, const int *lower,
                        const int *upper, cuuint32_t channels, cuuint32_t pixels,
                        const cuuint32_t *step, CUtensorMapInterleave interleave,
                        CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                        CUtensorMapFloatOOBfill fill)
{
    struct tensor_args a = {ARGS,           .mode = TENSOR_IM2COL, .lower = lower,
                            .upper = upper, .channels = channels,  .pixels = pixels};
    CU(lower && upper ? encode(map, &a) : cu_null("pixelBoxLowerCorner or pixelBoxUpperCorner"),
       "tensorMap=%p globalAddress=%p", (void *)map, address);
}

CUresult
cuTensorMapEncodeIm2colWide(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                            void *address, const cuuint64_t *dim, const cuuint64_t *stride,
                            int lower, int upper, cuuint32_t channels, cuuint32_t pixels,
                            const cuuint32_t *step, CUtensorMapInterleave interleave,
                            CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle,
                            CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct tensor_args a = {ARGS,
                            .mode = mode == CU_TENSOR_MAP_IM2COL_WIDE_MODE_W ? TENSOR_IM2COL_W
                                                                             : TENSOR_IM2COL_W128,
                            .lower = &lower,
                            .upper = &upper,
                            .channels = channels,
                            .pixels = pixels};
    bool known =
        mode == CU_TENSOR_MAP_IM2COL_WIDE_MODE_W || mode == CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128;
    CU(known ? encode(map, &a)
             : cu_fail(CUDA_ERROR_INVALID_VALUE, "mode %d: 0 (W) or 1 (W128)", (int)mode),
       "tensorMap=%p globalAddress=%p", (void *)map, address);
}

CUresult
cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    struct device *d;
    int r = cu_use(&d);
    if (r == CUDA_SUCCESS)
        r = map ? (int)device_tensor_move(d, map, (uint64_t)(uintptr_t)address)
                : cu_null("tensorMap");
    CU(r, "tensorMap=%p globalAddress=%p", (void *)map, address);
}
