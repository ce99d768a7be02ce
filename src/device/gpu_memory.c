/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu_memory.c: memory of a real GPU, copies and fills, arrays, textures. Host and device share one
 * space of addresses on every GPU that a driver of today knows.
 */
#include "device/gpu_priv.h"

#include <string.h>

/* -- memory -------------------------------------------------------------------------------------------- */

enum device_result
gpu_alloc(struct device *d, uint64_t size, enum allocation_kind kind, const char *name,
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
    return r;
}

enum device_result
gpu_free(struct device *d, uint64_t address)
{
    enum device_result r = gpu_enter(d);
    memory_release(d->memory, address);
    return r == DEVICE_OK ? GPU(d, cuMemFree_v2, address) : r;
}

enum device_result
gpu_memory_info(struct device *d, uint64_t *out_free, uint64_t *out_total)
{
    size_t left = 0, total = 0;
    enum device_result r = gpu_enter(d);
    if (r == DEVICE_OK)
        r = GPU(d, cuMemGetInfo_v2, &left, &total);
    *out_free = left;
    *out_total = total;
    return r;
}

enum device_result
gpu_host_register(struct device *d, void *at, uint64_t size)
{
    enum device_result r = gpu_enter(d);
    return r == DEVICE_OK ? GPU(d, cuMemHostRegister_v2, at, size,
                                CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP)
                          : r;
}

enum device_result
gpu_host_unregister(struct device *d, void *at)
{
    enum device_result r = gpu_enter(d);
    return r == DEVICE_OK ? GPU(d, cuMemHostUnregister, at) : r;
}

/* -- copies --------------------------------------------------------------------------------------------- */

static bool
on_device(const uint8_t *at, bool said)
{
    struct allocation a;
    return device_find((uint64_t)at, &a) ? a.kind != ALLOCATION_HOST : said;
}

struct end {
    CUmemorytype type;
    CUarray array;
};

static struct end
end_of(const struct device_side *s, bool said)
{
    if (s->array)
        return (struct end){CU_MEMORYTYPE_ARRAY, (CUarray)device_array_shape(s->array)->base};
    return (struct end){on_device(s->at, said) ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST, NULL};
}

/* Rows a slice: where there is one slice alone the caller need not have said. */
static size_t
rows_of(const struct device_side *s, const struct device_copy *c)
{
    return s->rows > s->y + c->height ? s->rows : s->y + c->height;
}

static enum device_result
copy_block(struct device_stream *s, const struct device_copy *c)
{
    bool to_device = c->direction == DEVICE_HOST_TO_DEVICE || c->direction == DEVICE_DEVICE_TO_DEVICE,
         from_device = c->direction == DEVICE_DEVICE_TO_HOST || c->direction == DEVICE_DEVICE_TO_DEVICE;
    struct end to = end_of(&c->to, to_device), from = end_of(&c->from, from_device);
    CUDA_MEMCPY3D m = {
        .srcXInBytes = c->from.x, .srcY = c->from.y, .srcZ = c->from.z,
        .srcMemoryType = from.type, .srcArray = from.array,
        .srcHost = c->from.at, .srcDevice = (CUdeviceptr)c->from.at,
        .srcPitch = c->from.pitch > c->from.x + c->width ? c->from.pitch : c->from.x + c->width, .srcHeight = rows_of(&c->from, c),
        .dstXInBytes = c->to.x, .dstY = c->to.y, .dstZ = c->to.z,
        .dstMemoryType = to.type, .dstArray = to.array,
        .dstHost = c->to.at, .dstDevice = (CUdeviceptr)c->to.at,
        .dstPitch = c->to.pitch > c->to.x + c->width ? c->to.pitch : c->to.x + c->width, .dstHeight = rows_of(&c->to, c),
        .WidthInBytes = c->width, .Height = c->height, .Depth = c->depth};
    return GPU(s->device, cuMemcpy3DAsync_v2, &m, gpu_stream(s));
}

/* The calls that wait come through the legacy stream, like those that do not but name no stream:
 * both wait here. */
enum device_result
gpu_copy(struct device_stream *s, const struct device_copy *c)
{
    bool flat = !c->to.array && !c->from.array && c->height == 1 && c->depth == 1;
    enum device_result r = gpu_enter(s->device);
    if (r == DEVICE_OK)
        r = flat ? GPU(s->device, cuMemcpyAsync, (CUdeviceptr)(c->to.at + c->to.x),
                       (CUdeviceptr)(c->from.at + c->from.x), c->width, gpu_stream(s))
                 : copy_block(s, c);
    if (r == DEVICE_OK && !s->gpu)
        r = GPU(s->device, cuStreamSynchronize, NULL);
    return r;
}

enum device_result
gpu_access(struct device *d, void *to, const void *from, size_t size)
{
    enum device_result r = gpu_enter(d);
    if (r == DEVICE_OK)
        r = GPU(d, cuMemcpyAsync, (CUdeviceptr)to, (CUdeviceptr)from, size, NULL);
    return r == DEVICE_OK ? GPU(d, cuStreamSynchronize, NULL) : r;
}

static enum device_result
fill_slice(struct device_stream *s, const struct device_fill *f, CUdeviceptr at)
{
    CUstream stream = gpu_stream(s);
    struct device *d = s->device;
    size_t w = f->width, h = f->height;
    bool row = f->height == 1;
    switch (f->unit) {
    case 1:
        return row ? GPU(d, cuMemsetD8Async, at, (uint8_t)f->value, w, stream)
                   : GPU(d, cuMemsetD2D8Async, at, f->pitch, (uint8_t)f->value, w, h, stream);
    case 2:
        return row ? GPU(d, cuMemsetD16Async, at, (uint16_t)f->value, w, stream)
                   : GPU(d, cuMemsetD2D16Async, at, f->pitch, (uint16_t)f->value, w, h, stream);
    default:
        return row ? GPU(d, cuMemsetD32Async, at, f->value, w, stream)
                   : GPU(d, cuMemsetD2D32Async, at, f->pitch, f->value, w, h, stream);
    }
}

enum device_result
gpu_fill(struct device_stream *s, const struct device_fill *f)
{
    enum device_result r = gpu_enter(s->device);
    for (uint64_t z = 0; r == DEVICE_OK && z < f->depth; z++)
        r = fill_slice(s, f, (CUdeviceptr)f->at + z * f->rows * f->pitch);
    return r;
}

/* -- arrays and textures ----------------------------------------------------------------------------------- */

static CUarray_format
format_of(uint32_t bits, uint32_t kind)
{
    if (kind == TEXTURE_FLOAT)
        return bits == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
    if (kind == TEXTURE_SIGNED)
        return bits == 8 ? CU_AD_FORMAT_SIGNED_INT8 : bits == 16 ? CU_AD_FORMAT_SIGNED_INT16 : CU_AD_FORMAT_SIGNED_INT32;
    return bits == 8    ? CU_AD_FORMAT_UNSIGNED_INT8
           : bits == 16 ? CU_AD_FORMAT_UNSIGNED_INT16
                        : CU_AD_FORMAT_UNSIGNED_INT32;
}

enum device_result
gpu_array_new(struct device *d, const struct device_array_shape *s, uint64_t *out)
{
    CUDA_ARRAY3D_DESCRIPTOR a = {.Width = s->width, .Height = s->height, .Depth = s->depth,
                                 .Format = format_of(s->bits, s->kind), .NumChannels = s->channels,
                                 .Flags = s->flags};
    CUarray array = NULL;
    enum device_result r = gpu_enter(d);
    if (r == DEVICE_OK)
        r = GPU(d, cuArray3DCreate_v2, &array, &a);
    *out = (uint64_t)array;
    return r;
}

enum device_result
gpu_array_free(struct device *d, uint64_t array)
{
    enum device_result r = gpu_enter(d);
    return r == DEVICE_OK ? GPU(d, cuArrayDestroy, (CUarray)array) : r;
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
    CUDA_TEXTURE_DESC d = {.filterMode = t->filter_linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
                           .mipmapFilterMode = t->mipmap_linear ? CU_TR_FILTER_MODE_LINEAR
                                                                : CU_TR_FILTER_MODE_POINT,
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

enum device_result
gpu_texture_new(struct device *d, const struct texture *t, bool in_array, uint64_t *out)
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

enum device_result
gpu_texture_free(struct device *d, uint64_t handle, bool surface)
{
    enum device_result r = gpu_enter(d);
    if (r != DEVICE_OK)
        return r;
    return surface ? GPU(d, cuSurfObjectDestroy, handle) : GPU(d, cuTexObjectDestroy, handle);
}
