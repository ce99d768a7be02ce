/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.c: streams, events, host functions, capture.
 */
#include "cuda/driver.h"

#include <string.h>

static bool
is_default(CUstream s)
{
    return !s || s == CU_STREAM_LEGACY || s == CU_STREAM_PER_THREAD;
}

int
cu_stream(CUstream handle, struct device_stream **out)
{
    struct device *d = NULL;
    int r = cu_use(&d);
    if (!d)
        return r;
    if (is_default(handle))
        *out =
            handle == CU_STREAM_PER_THREAD ? device_stream_per_thread(d) : device_stream_default(d);
    else
        *out = (struct device_stream *)handle;
    if (r != CUDA_SUCCESS)
        return r;
    if (!device_stream_is(*out))
        return cu_fail(CUDA_ERROR_INVALID_HANDLE, "%p is no stream, or was destroyed",
                       (void *)handle);
    return (int)device_lost(device_stream_device(*out));
}

/* -- streams ----------------------------------------------------------------------------------- */

static int
create(CUstream *out, unsigned flags, int priority)
{
    struct device *d;
    if (!out || flags & ~(unsigned)CU_STREAM_NON_BLOCKING)
        return cu_fail(CUDA_ERROR_INVALID_VALUE, "stream %p, flags 0x%x", (void *)out, flags);
    int r = cu_use(&d);
    if (r == CUDA_SUCCESS) {
        *out = (CUstream)device_stream_new(d, flags, priority);
        cu_own(CU_OWNED_STREAM, (uint64_t)*out);
    }
    return r;
}

CUresult
cuStreamCreate(CUstream *stream, unsigned int flags)
{
    CU(create(stream, flags, 0), "stream=%p flags=0x%x", stream ? (void *)*stream : NULL, flags);
}

CUresult
cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
    CU(create(stream, flags, priority), "stream=%p flags=0x%x priority=%d",
       stream ? (void *)*stream : NULL, flags, priority);
}

CUresult
cuStreamDestroy_v2(CUstream stream)
{
    struct device_stream *s;
    int r = is_default(stream) ? cu_fail(CUDA_ERROR_INVALID_HANDLE, "a default stream")
                               : cu_stream(stream, &s);
    if (r == CUDA_SUCCESS) {
        cu_disown(CU_OWNED_STREAM, (uint64_t)stream);
        r = (int)device_stream_free(s);
    }
    CU(r, "stream=%p", (void *)stream);
}

static int
on_stream(CUstream stream, enum device_result (*call)(struct device_stream *s))
{
    struct device_stream *s;
    int r = cu_stream(stream, &s);
    return r == CUDA_SUCCESS ? (int)call(s) : r;
}

CUresult
cuStreamSynchronize(CUstream stream)
{
    CU(on_stream(stream, device_stream_synchronize), "stream=%p", (void *)stream);
}

CUresult
cuStreamQuery(CUstream stream)
{
    CU(on_stream(stream, device_stream_query), "stream=%p", (void *)stream);
}

/* Stores a property of the stream. */
#define PROPERTY(out, value)                                                                       \
    do {                                                                                           \
        struct device_stream *s = NULL;                                                            \
        int r_ = (out) ? cu_stream(stream, &s) : cu_null(#out);                                    \
        if (r_ == CUDA_SUCCESS)                                                                    \
            *(out) = (value);                                                                      \
        CU(r_, "stream=%p", (void *)stream);                                                       \
    } while (0)

CUresult
cuStreamGetPriority(CUstream stream, int *priority)
{
    PROPERTY(priority, device_stream_priority(s));
}

CUresult
cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
    PROPERTY(flags, device_stream_flags(s));
}

CUresult
cuStreamGetId(CUstream stream, unsigned long long *id)
{
    PROPERTY(id, device_stream_id(s));
}

CUresult
cuStreamGetDevice(CUstream stream, CUdevice *device)
{
    PROPERTY(device, device_index(device_stream_device(s)));
}

CUresult
cuStreamGetCtx(CUstream stream, CUcontext *ctx)
{
    PROPERTY(ctx, is_default(stream) ? cu_current() : cu_primary(device_stream_device(s)));
}

CUresult
cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    struct device_stream *s;
    struct device_event *e;
    int r = (int)device_event_of(event, &e);
    if (r == CUDA_SUCCESS && flags & ~1u)
        r = cu_fail(CUDA_ERROR_INVALID_VALUE, "flags 0x%x", flags);
    if (r == CUDA_SUCCESS)
        r = cu_stream(stream, &s);
    CU(r == CUDA_SUCCESS ? (int)device_event_wait(s, e) : r, "stream=%p event=%p", (void *)stream,
       (void *)event);
}

/* Unlike a host function, a callback is told of errors: it runs on a lost device too. */
static int
add_callback(CUstream stream, CUstreamCallback callback, void *data)
{
    struct device_stream *s = NULL;
    int r = callback ? cu_stream(stream, &s) : cu_null("callback");
    if (!s || !device_stream_is(s))
        return r;
    if (device_capture_graph(s, NULL))
        return cu_fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "a callback in a capturing stream");
    if (r == CUDA_SUCCESS) /* what the stream holds comes first */
        r = (int)device_stream_synchronize(s);
    device_host_function_begin();
    callback(stream, (CUresult)r, data);
    device_host_function_end();
    return r;
}

CUresult
cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *data, unsigned int flags)
{
    CU(flags ? cu_fail(CUDA_ERROR_INVALID_VALUE, "flags 0x%x", flags)
             : add_callback(stream, callback, data),
       "stream=%p", (void *)stream);
}

CUresult
cuLaunchHostFunc(CUstream stream, CUhostFn fn, void *data)
{
    struct device_stream *s;
    struct device_op op = {.kind = DEVICE_OP_HOST, .host = {fn, data}};
    int r = fn ? cu_stream(stream, &s) : cu_null("fn");
    CU(r == CUDA_SUCCESS ? (int)device_submit(s, &op) : r, "stream=%p userData=%p", (void *)stream,
       data);
}

CUresult
cuStreamAttachMemAsync(CUstream stream, CUdeviceptr dptr, size_t length, unsigned int flags)
{
    struct device_stream *s;
    struct allocation a;
    int r = cu_stream(stream, &s);
    if (r == CUDA_SUCCESS && (!device_find(dptr, &a) || a.kind != ALLOCATION_MANAGED))
        r = cu_fail(CUDA_ERROR_INVALID_VALUE, "0x%llx is no managed memory", dptr);
    CU(r, "stream=%p dptr=0x%llx length=%zu flags=%u", (void *)stream, dptr, length, flags);
}

/* -- events ------------------------------------------------------------------------------------ */

CUresult
cuEventCreate(CUevent *event, unsigned int flags)
{
    struct device *d;
    int r = event && !(flags & ~7u) ? cu_use(&d)
                                    : cu_fail(CUDA_ERROR_INVALID_VALUE, "flags 0x%x", flags);
    if (r == CUDA_SUCCESS) {
        *event = (CUevent)device_event_new(d, flags);
        cu_own(CU_OWNED_EVENT, (uint64_t)*event);
    }
    CU(r, "event=%p flags=0x%x", event ? (void *)*event : NULL, flags);
}

static int
record(CUevent event, CUstream stream)
{
    struct device_stream *s;
    struct device_event *e;
    int r = (int)device_event_of(event, &e);
    if (r == CUDA_SUCCESS)
        r = cu_stream(stream, &s);
    return r == CUDA_SUCCESS ? (int)device_event_record(e, s) : r;
}

CUresult
cuEventRecord(CUevent event, CUstream stream)
{
    CU(record(event, stream), "event=%p stream=%p", (void *)event, (void *)stream);
}

CUresult
cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
    CU(record(event, stream), "event=%p stream=%p flags=0x%x", (void *)event, (void *)stream,
       flags);
}

CUresult
cuEventQuery(CUevent event)
{
    CU(device_event_call(event, device_event_query), "event=%p", (void *)event);
}

CUresult
cuEventSynchronize(CUevent event)
{
    CU(device_event_call(event, device_event_synchronize), "event=%p", (void *)event);
}

CUresult
cuEventDestroy_v2(CUevent event)
{
    struct device_event *e;
    int r = (int)device_event_of(event, &e);
    if (r == CUDA_SUCCESS) {
        cu_disown(CU_OWNED_EVENT, (uint64_t)event);
        r = (int)device_event_free(e);
    }
    CU(r, "event=%p", (void *)event);
}

CUresult
cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    struct device_event *from, *to;
    int r = ms ? (int)device_event_of(start, &from) : cu_null("pMilliseconds");
    if (r == CUDA_SUCCESS)
        r = (int)device_event_of(end, &to);
    CU(r == CUDA_SUCCESS ? (int)device_event_elapsed(from, to, ms) : r, "start=%p end=%p ms=%g",
       (void *)start, (void *)end, ms ? (double)*ms : 0);
}

/* -- capture ----------------------------------------------------------------------------------- */

CUresult
cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
    struct device_stream *s;
    int r = cu_stream(stream, &s);
    if (r == CUDA_SUCCESS)
        r = (int)device_capture_begin(s, NULL, NULL, 0, (enum device_capture_mode)mode);
    CU(r, "stream=%p mode=%d", (void *)stream, (int)mode);
}

CUresult
cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    struct device_stream *s;
    int r = graph ? cu_stream(stream, &s) : cu_null("phGraph");
    CU(r == CUDA_SUCCESS ? (int)device_capture_end(s, (struct device_graph **)graph) : r,
       "stream=%p", (void *)stream);
}

static CUstreamCaptureStatus
capture_status(const struct device_stream *s)
{
    return !device_capture_graph(s, NULL) ? CU_STREAM_CAPTURE_STATUS_NONE
           : device_capture_valid(s)      ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                          : CU_STREAM_CAPTURE_STATUS_INVALIDATED;
}

CUresult
cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    PROPERTY(status, capture_status(s));
}

static int
capture_info(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
             const CUgraphNode **after, size_t *n)
{
    struct device_stream *s;
    struct device_node *const *list = NULL;
    uint64_t number = 0;
    int r = status ? cu_stream(stream, &s) : cu_null("captureStatus");
    if (r != CUDA_SUCCESS)
        return r;
    struct device_graph *g = device_capture_graph(s, &number);
    size_t count = g ? device_capture_after(s, &list) : 0;
    *status = capture_status(s);
    if (id)
        *id = number;
    if (graph)
        *graph = (CUgraph)g;
    if (after)
        *after = (const CUgraphNode *)list;
    if (n)
        *n = count;
    return CUDA_SUCCESS;
}

CUresult
cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                          CUgraph *graph, const CUgraphNode **after, size_t *n)
{
    CU(capture_info(stream, status, id, graph, after, n), "stream=%p", (void *)stream);
}

CUresult
cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    CUstreamCaptureMode new = mode ? *mode : CU_STREAM_CAPTURE_MODE_GLOBAL;
    int r = !mode ? cu_null("mode")
            : new > CU_STREAM_CAPTURE_MODE_RELAXED
                ? cu_fail(CUDA_ERROR_INVALID_VALUE, "mode %d", (int)new)
                : (int)CUDA_SUCCESS;
    if (r == CUDA_SUCCESS)
        *mode = (CUstreamCaptureMode)device_capture_thread_mode((enum device_capture_mode) new);
    CU(r, "mode=%d", (int)new);
}
