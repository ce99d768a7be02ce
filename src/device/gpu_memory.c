/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu_memory.c: memory of a real GPU, arrays, textures.
 */
#include "device/gpu_priv.h"

#include <string.h>

/* -- memory ------------------------------------------------------------------------------------ */

static enum device_result
alloc_memory(struct device *d, uint64_t size, enum allocation_kind kind, const char *name,
             uint64_t *out_address)
{
    CUdeviceptr at = 0;
    enum device_result r = gpu_enter(d);
    if (r == DEVICE_OK)
        r = kind == ALLOCATION_MANAGED ? GPU(d, cuMemAllocManaged, &at, size, CU_MEM_ATTACH_GLOBAL)
                                       : GPU(d, cuMemAlloc_v2, &at, size);
    if (r == DEVICE_OK)
        memory_adopt(d->memory, at, size, kind, name);
    *out_address = at;
    size_t left, total;
    if (r == DEVICE_OUT_OF_MEMORY && GPU(d, cuMemGetInfo_v2, &left, &total) == DEVICE_OK)
        return storage_none_left(d, size, left, total);
    return r;
}

static enum device_result
free_memory(struct device *d, uint64_t address)
{
    enum device_result r = gpu_enter(d);
    memory_release(d->memory, address);
    return r == DEVICE_OK ? GPU(d, cuMemFree_v2, address) : r;
}

static enum device_result
memory_info(struct device *d, uint64_t *out_free, uint64_t *out_total)
{
    size_t left = 0, total = 0;
    enum device_result r = GPU_IN(d, cuMemGetInfo_v2, &left, &total);
    *out_free = left;
    *out_total = total;
    return r;
}

static enum device_result
host_register(struct device *d, void *at, uint64_t size)
{
    return GPU_IN(d, cuMemHostRegister_v2, at, size,
                  CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
}

static enum device_result
host_unregister(struct device *d, void *at)
{
    return GPU_IN(d, cuMemHostUnregister, at);
}

enum device_result
gpu_access(struct device *d, void *to, const void *from, size_t size)
{
    enum device_result r = GPU_IN(d, cuMemcpyAsync, (CUdeviceptr)to, (CUdeviceptr)from, size, NULL);
    return r == DEVICE_OK ? GPU(d, cuStreamSynchronize, NULL) : r;
}

/* -- arrays and textures ----------------------------------------------------------------------- */

static CUarray_format
format_of(uint32_t bits, uint32_t kind)
{
    if (kind == TEXTURE_FLOAT)
        return bits == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
    if (kind == TEXTURE_SIGNED)
        return bits == 8    ? CU_AD_FORMAT_SIGNED_INT8
               : bits == 16 ? CU_AD_FORMAT_SIGNED_INT16
                            : CU_AD_FORMAT_SIGNED_INT32;
    return bits == 8    ? CU_AD_FORMAT_UNSIGNED_INT8
           : bits == 16 ? CU_AD_FORMAT_UNSIGNED_INT16
                        : CU_AD_FORMAT_UNSIGNED_INT32;
}

static enum device_result
array_new(struct device *d, const struct device_array_shape *s, uint64_t *out)
{
    CUDA_ARRAY3D_DESCRIPTOR a = {.Width = s->width,
                                 .Height = s->height,
                                 .Depth = s->depth,
                                 .Format = format_of(s->bits, s->kind),
                                 .NumChannels = s->channels,
                                 .Flags = s->flags};
    CUarray array = NULL;
    enum device_result r = GPU_IN(d, cuArray3DCreate_v2, &array, &a);
    *out = (uint64_t)array;
    return r;
}

static enum device_result
array_free(struct device *d, uint64_t array)
{
    return GPU_IN(d, cuArrayDestroy, (CUarray)array);
}

static CUDA_RESOURCE_DESC
resource_of(const struct texture *t, bool in_array)
{
    const struct texture_level *l = &t->level[0];
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
    if (in_array) {
        r.res.array.hArray = (CUarray)l->base;
    } else if (t->linear) {
        r.resType = CU_RESOURCE_TYPE_LINEAR;
        r.res.linear.devPtr = l->base;
        r.res.linear.format = format_of(t->bits, t->kind);
        r.res.linear.numChannels = t->channels;
        r.res.linear.sizeInBytes = l->pitch;
    } else {
        r.resType = CU_RESOURCE_TYPE_PITCH2D;
        r.res.pitch2D.devPtr = l->base;
        r.res.pitch2D.format = format_of(t->bits, t->kind);
        r.res.pitch2D.numChannels = t->channels;
        r.res.pitch2D.width = l->width;
        r.res.pitch2D.height = l->height;
        r.res.pitch2D.pitchInBytes = l->pitch;
    }
    return r;
}

static CUDA_TEXTURE_DESC
reading_of(const struct texture *t)
{
    CUDA_TEXTURE_DESC d = {
        .filterMode = t->filter_linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
        .mipmapFilterMode = t->mipmap_linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
        .maxAnisotropy = t->anisotropy,
        .mipmapLevelBias = t->level_bias,
        .minMipmapLevelClamp = t->level_least,
        .maxMipmapLevelClamp = t->level_most};
    for (int k = 0; k < 3; k++)
        d.addressMode[k] = (CUaddress_mode)t->address[k];
    memcpy(d.borderColor, t->border, sizeof d.borderColor);
    d.flags = (t->kind != TEXTURE_FLOAT && !t->normalized_read ? CU_TRSF_READ_AS_INTEGER : 0) |
              (t->normalized_coordinates ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
              (t->srgb ? CU_TRSF_SRGB : 0);
    return d;
}

static enum device_result
texture_new(struct device *d, const struct texture *t, bool in_array, uint64_t *out)
{
    CUDA_RESOURCE_DESC resource = resource_of(t, in_array);
    CUDA_TEXTURE_DESC reading = reading_of(t);
    CUtexObject object = 0;
    enum device_result r = gpu_enter(d);
    if (t->levels > 1)
        return device_fail(DEVICE_NOT_SUPPORTED, "mipmapped arrays on a real GPU");
    if (r == DEVICE_OK)
        r = t->surface ? GPU(d, cuSurfObjectCreate, &object, &resource)
                       : GPU(d, cuTexObjectCreate, &object, &resource, &reading, NULL);
    *out = object;
    return r;
}

static enum device_result
texture_free(struct device *d, uint64_t handle, bool surface)
{
    enum device_result r = gpu_enter(d);
    if (r != DEVICE_OK)
        return r;
    return surface ? GPU(d, cuSurfObjectDestroy, handle) : GPU(d, cuTexObjectDestroy, handle);
}

static enum device_result
no_tensors(void)
{
    return device_fail(DEVICE_NOT_SUPPORTED, "the driver has no tensor maps: CUDA 12.0 is needed");
}

static enum device_result
tensor_map(struct device *d, void *map, const struct tensor_args *a)
{
    CUtensorMapDataType type = (CUtensorMapDataType)a->type;
    CUtensorMapInterleave interleave = (CUtensorMapInterleave)a->interleave;
    CUtensorMapSwizzle swizzle = (CUtensorMapSwizzle)a->swizzle;
    CUtensorMapL2promotion promotion = (CUtensorMapL2promotion)a->promotion;
    CUtensorMapFloatOOBfill fill = (CUtensorMapFloatOOBfill)a->fill;
    void *at = (void *)(uintptr_t)a->address;
    if (!gpu_driver()->cuTensorMapEncodeTiled || !gpu_driver()->cuTensorMapEncodeIm2col)
        return no_tensors();
    if (a->mode > TENSOR_IM2COL && !gpu_driver()->cuTensorMapEncodeIm2colWide)
        return device_fail(DEVICE_NOT_SUPPORTED,
                           "the driver has no tensor maps of im2col::w: CUDA 12.8 is needed");
    if (a->mode > TENSOR_IM2COL)
        return GPU_IN(d, cuTensorMapEncodeIm2colWide, map, type, a->rank, at, a->dim, a->stride,
                      *a->lower, *a->upper, a->channels, a->pixels, a->step, interleave,
                      a->mode == TENSOR_IM2COL_W ? CU_TENSOR_MAP_IM2COL_WIDE_MODE_W
                                                 : CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128,
                      swizzle, promotion, fill);
    if (a->mode)
        return GPU_IN(d, cuTensorMapEncodeIm2col, map, type, a->rank, at, a->dim, a->stride,
                      a->lower, a->upper, a->channels, a->pixels, a->step, interleave, swizzle,
                      promotion, fill);
    return GPU_IN(d, cuTensorMapEncodeTiled, map, type, a->rank, at, a->dim, a->stride, a->box,
                  a->step, interleave, swizzle, promotion, fill);
}

static enum device_result
tensor_move(struct device *d, void *map, uint64_t address)
{
    if (!gpu_driver()->cuTensorMapReplaceAddress)
        return no_tensors();
    return GPU_IN(d, cuTensorMapReplaceAddress, map, (void *)(uintptr_t)address);
}

const struct backend_memory gpu_memory = {
    .alloc = alloc_memory,
    .free = free_memory,
    .info = memory_info,
    .host_register = host_register,
    .host_unregister = host_unregister,
    .access = gpu_access,
    .array_new = array_new,
    .array_free = array_free,
    .texture_new = texture_new,
    .texture_free = texture_free,
    .tensor_map = tensor_map,
    .tensor_move = tensor_move,
};
