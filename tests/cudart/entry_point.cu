/* SPDX-License-Identifier: Apache-2.0
 *
 * entry_point.cu: calls of the driver found by name and version, as programs do that are not linked
 * to it; a tensor map made so. Prints what is wrong, and "fine".
 */
#include "../common/expect.h"

#include <cudaTypedefs.h>
#include <cuda_runtime.h>

/* Also where a template knows it by its own name. */
static_assert(alignof(struct CUtensorMap_st) == 64 && sizeof(CUtensorMap) == 128, "tensor maps");

static cudaDriverEntryPointQueryResult status;

static void *
by_version(const char *name, unsigned version)
{
    void *at = &at;
    EXPECT(cudaGetDriverEntryPointByVersion(name, &at, version, cudaEnableDefault, &status) ==
           cudaSuccess);
    return at;
}

int
main()
{
    void *at = NULL;
    auto encode = (PFN_cuTensorMapEncodeTiled_v12000)by_version("cuTensorMapEncodeTiled", 12000);
    EXPECT(encode && status == cudaDriverEntryPointSuccess);
    EXPECT(!by_version("cuTensorMapEncodeTiled", 11080) &&
           status == cudaDriverEntryPointVersionNotSufficent);
    EXPECT(!by_version("cuNoSuchCall", 12000) && status == cudaDriverEntryPointSymbolNotFound);
    EXPECT(cudaGetDriverEntryPointByVersion("cuNoSuchCall", &at, 12000, 0) ==
           cudaErrorSymbolNotFound);
    EXPECT(cudaGetDriverEntryPointByVersion("cuInit", NULL, 12000, 0) == cudaErrorInvalidValue);
    EXPECT(cudaGetDriverEntryPointByVersion(NULL, &at, 12000, 0) == cudaErrorInvalidValue);
    EXPECT(cudaGetDriverEntryPointByVersion("cuInit", &at, 12000, 9) == cudaErrorInvalidValue);

    /* Of two forms of a call the newest one: a context by four arguments is that of 12.5. */
    EXPECT(cudaGetDriverEntryPoint("cuCtxCreate", &at, 0) == cudaSuccess &&
           at == (void *)cuCtxCreate_v4);
    EXPECT(by_version("cuCtxCreate", 5000) == (void *)cuCtxCreate_v2);

    float *memory;
    CUtensorMap map;
    cuuint64_t size[2] = {64, 32}, stride[1] = {256};
    cuuint32_t box[2] = {8, 8}, step[2] = {1, 1};
    EXPECT(cudaMalloc(&memory, 64 * 32 * 4) == cudaSuccess);
    EXPECT(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, memory, size, stride, box, step,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    if (!failures)
        printf("fine\n");
    return failures != 0;
}
