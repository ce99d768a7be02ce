/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu_stream.c: streams of a real GPU, their copies and fills, events. The device's legacy
 * stream is the driver's. Host and device share one space of addresses on every GPU that a driver
 * of today knows.
 */
#include "device/gpu_priv.h"

static enum device_result
stream_new(struct device_stream *s)
{
    CUstream stream;
    enum device_result r = GPU_IN(s->device, cuStreamCreateWithPriority, &stream,
                                  s->flags & DEVICE_STREAM_NONBLOCKING, s->priority);
    if (r == DEVICE_OK)
        s->gpu = stream;
    return r;
}

static void
stream_free(struct device_stream *s)
{
    if (s->gpu && gpu_enter(s->device) == DEVICE_OK)
        GPU(s->device, cuStreamDestroy_v2, gpu_stream(s));
    s->gpu = NULL;
}

static enum device_result
query(struct device_stream *s)
{
    return GPU_IN(s->device, cuStreamQuery, gpu_stream(s));
}

static enum device_result
synchronize(struct device_stream *s)
{
    return GPU_IN(s->device, cuStreamSynchronize, gpu_stream(s));
}

static enum device_result
host_call(struct device_stream *s, const struct device_host_call *c)
{
    return GPU_IN(s->device, cuLaunchHostFunc, gpu_stream(s), c->f, c->data);
}

/* -- copies ------------------------------------------------------------------------------------ */

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
    bool to_device =
             c->direction == DEVICE_HOST_TO_DEVICE || c->direction == DEVICE_DEVICE_TO_DEVICE,
         from_device =
             c->direction == DEVICE_DEVICE_TO_HOST || c->direction == DEVICE_DEVICE_TO_DEVICE;
    struct end to = end_of(&c->to, to_device), from = end_of(&c->from, from_device);
    CUDA_MEMCPY3D m = {
        .srcXInBytes = c->from.x,
        .srcY = c->from.y,
        .srcZ = c->from.z,
        .srcMemoryType = from.type,
        .srcArray = from.array,
        .srcHost = c->from.at,
        .srcDevice = (CUdeviceptr)c->from.at,
        .srcPitch = c->from.pitch > c->from.x + c->width ? c->from.pitch : c->from.x + c->width,
        .srcHeight = rows_of(&c->from, c),
        .dstXInBytes = c->to.x,
        .dstY = c->to.y,
        .dstZ = c->to.z,
        .dstMemoryType = to.type,
        .dstArray = to.array,
        .dstHost = c->to.at,
        .dstDevice = (CUdeviceptr)c->to.at,
        .dstPitch = c->to.pitch > c->to.x + c->width ? c->to.pitch : c->to.x + c->width,
        .dstHeight = rows_of(&c->to, c),
        .WidthInBytes = c->width,
        .Height = c->height,
        .Depth = c->depth};
    return GPU(s->device, cuMemcpy3DAsync_v2, &m, gpu_stream(s));
}

/* The calls that wait come through the legacy stream, like those that do not but name no stream:
 * both wait here. */
static enum device_result
copy(struct device_stream *s, const struct device_copy *c)
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

static enum device_result
fill(struct device_stream *s, const struct device_fill *f)
{
    enum device_result r = gpu_enter(s->device);
    for (uint64_t z = 0; r == DEVICE_OK && z < f->depth; z++)
        r = fill_slice(s, f, (CUdeviceptr)f->at + z * f->rows * f->pitch);
    return r;
}

static enum device_result
set_word(struct device_stream *s, uint64_t address, uint32_t value)
{
    struct device_fill f = {.at = (uint8_t *)address,
                            .pitch = sizeof value,
                            .rows = 1,
                            .width = 1,
                            .height = 1,
                            .depth = 1,
                            .value = value,
                            .unit = sizeof value};
    return fill(s, &f);
}

/* -- events ------------------------------------------------------------------------------------ */

static enum device_result
event_new(struct device_event *e)
{
    CUevent event;
    /* Events between processes are not offered: their flag is dropped. */
    enum device_result r = GPU_IN(e->device, cuEventCreate, &event,
                                  e->flags & (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING));
    if (r == DEVICE_OK)
        e->gpu = event;
    return r;
}

static void
event_free(struct device_event *e)
{
    if (e->gpu && gpu_enter(e->device) == DEVICE_OK)
        GPU(e->device, cuEventDestroy_v2, (CUevent)e->gpu);
    e->gpu = NULL;
}

static enum device_result
event_record(struct device_stream *s, struct device_event *e)
{
    return GPU_IN(s->device, cuEventRecord, (CUevent)e->gpu, gpu_stream(s));
}

static enum device_result
event_wait(struct device_stream *s, struct device_event *e)
{
    return GPU_IN(s->device, cuStreamWaitEvent, gpu_stream(s), (CUevent)e->gpu, 0);
}

static enum device_result
event_query(struct device_event *e)
{
    return GPU_IN(e->device, cuEventQuery, (CUevent)e->gpu);
}

static enum device_result
event_synchronize(struct device_event *e)
{
    return GPU_IN(e->device, cuEventSynchronize, (CUevent)e->gpu);
}

static enum device_result
event_elapsed(struct device_event *from, struct device_event *to, float *out)
{
    return GPU_IN(from->device, cuEventElapsedTime, out, (CUevent)from->gpu, (CUevent)to->gpu);
}

const struct backend_streams gpu_streams = {
    .stream_new = stream_new,
    .stream_free = stream_free,
    .query = query,
    .synchronize = synchronize,
    .copy = copy,
    .fill = fill,
    .host_call = host_call,
    .set_word = set_word,
    .event_new = event_new,
    .event_free = event_free,
    .event_record = event_record,
    .event_wait = event_wait,
    .event_query = event_query,
    .event_synchronize = event_synchronize,
    .event_elapsed = event_elapsed,
};
