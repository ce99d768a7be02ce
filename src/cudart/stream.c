/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.c: streams, events, host functions, capture.
 */
#include "cudart/cudart.h"

#include <string.h>

/* -- streams ----------------------------------------------------------------------------------- */

static int
create(cudaStream_t *out, unsigned flags, int priority)
{
    struct device *d;
    if (!out)
        return rt_fail(cudaErrorInvalidValue, "stream is NULL");
    if (flags & ~(unsigned)cudaStreamNonBlocking)
        return rt_fail(cudaErrorInvalidValue, "flags 0x%x", flags);
    int r = (int)device_use(&d);
    if (r == cudaSuccess)
        *out = (cudaStream_t)device_stream_new(d, flags, priority);
    return r;
}

cudaError_t
cudaStreamCreate(cudaStream_t *stream)
{
    RT(create(stream, cudaStreamDefault, 0), "stream=%p", stream ? (void *)*stream : NULL);
}

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    RT(create(stream, flags, 0), "stream=%p flags=0x%x", stream ? (void *)*stream : NULL, flags);
}

cudaError_t
cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    RT(create(stream, flags, priority), "stream=%p flags=0x%x priority=%d",
       stream ? (void *)*stream : NULL, flags, priority);
}

static bool
is_default(cudaStream_t s)
{
    return !s || s == cudaStreamLegacy || s == cudaStreamPerThread;
}

cudaError_t
cudaStreamDestroy(cudaStream_t stream)
{
    struct device_stream *s;
    int r = is_default(stream) ? rt_fail(cudaErrorInvalidResourceHandle, "a default stream")
                               : rt_stream(stream, &s);
    RT(r == cudaSuccess ? (int)device_stream_free(s) : r, "stream=%p", (void *)stream);
}

static int
on_stream(cudaStream_t stream, enum device_result (*call)(struct device_stream *s))
{
    struct device_stream *s;
    int r = rt_stream(stream, &s);
    return r == cudaSuccess ? (int)call(s) : r;
}

cudaError_t
cudaStreamSynchronize(cudaStream_t stream)
{
    RT(on_stream(stream, device_stream_synchronize), "stream=%p", (void *)stream);
}

cudaError_t
cudaStreamQuery(cudaStream_t stream)
{
    RT(on_stream(stream, device_stream_query), "stream=%p", (void *)stream);
}

/* Stores a property of the stream. */
#define PROPERTY(out, value)                                                                       \
    do {                                                                                           \
        struct device_stream *s = NULL;                                                            \
        int r_ = (out) ? rt_stream(stream, &s) : rt_fail(cudaErrorInvalidValue, #out " is NULL");  \
        if (r_ == cudaSuccess)                                                                     \
            *(out) = (value);                                                                      \
        RT(r_, "stream=%p", (void *)stream);                                                       \
    } while (0)

cudaError_t
cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    PROPERTY(priority, device_stream_priority(s));
}

cudaError_t
cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    PROPERTY(flags, device_stream_flags(s));
}

cudaError_t
cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    PROPERTY(id, device_stream_id(s));
}

cudaError_t
cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    PROPERTY(device, device_index(device_stream_device(s)));
}

cudaError_t
cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
    struct device_stream *s;
    int r = rt_stream(src, &s);
    RT(r == cudaSuccess ? rt_stream(dst, &s) : r, "dst=%p src=%p", (void *)dst, (void *)src);
}

cudaError_t
cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attr,
                       cudaLaunchAttributeValue *value)
{
    struct device_stream *s;
    int r = value ? rt_stream(stream, &s) : rt_fail(cudaErrorInvalidValue, "value is NULL");
    if (r == cudaSuccess) {
        memset(value, 0, sizeof *value);
        if (attr == cudaLaunchAttributePriority)
            value->priority = device_stream_priority(s);
        if (attr == cudaLaunchAttributeSynchronizationPolicy)
            value->syncPolicy = cudaSyncPolicyAuto;
    }
    RT(r, "stream=%p attr=%d", (void *)stream, (int)attr);
}

/* Hints about caches and waiting: nothing depends on them here. */
cudaError_t
cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attr,
                       const cudaLaunchAttributeValue *value)
{
    struct device_stream *s;
    RT(value ? rt_stream(stream, &s) : rt_fail(cudaErrorInvalidValue, "value is NULL"),
       "stream=%p attr=%d", (void *)stream, (int)attr);
}

cudaError_t
cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    struct device_stream *s;
    struct device_event *e;
    int r = (int)device_event_of(event, &e);
    if (r == cudaSuccess && flags & ~(unsigned)cudaEventWaitExternal)
        r = rt_fail(cudaErrorInvalidValue, "flags 0x%x", flags);
    if (r == cudaSuccess)
        r = rt_stream(stream, &s);
    RT(r == cudaSuccess ? (int)device_event_wait(s, e) : r, "stream=%p event=%p", (void *)stream,
       (void *)event);
}

/* Unlike a host function, a callback is told of errors: it runs on a lost device too. */
static int
add_callback(cudaStream_t stream, cudaStreamCallback_t callback, void *data)
{
    struct device_stream *s = NULL;
    if (!callback)
        return rt_fail(cudaErrorInvalidValue, "callback is NULL");
    int r = rt_stream(stream, &s);
    if (!s || (r != cudaSuccess && !is_default(stream) && !device_stream_is(s)))
        return r;
    if (device_capture_graph(s, NULL))
        return rt_fail(cudaErrorStreamCaptureUnsupported, "a callback in a capturing stream");
    if (r == cudaSuccess) /* what the stream holds comes first */
        r = (int)device_stream_synchronize(s);
    device_host_function_begin();
    callback(stream, (cudaError_t)r, data);
    device_host_function_end();
    return r;
}

cudaError_t
cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                      unsigned int flags)
{
    RT(flags ? rt_fail(cudaErrorInvalidValue, "flags 0x%x", flags)
             : add_callback(stream, callback, data),
       "stream=%p", (void *)stream);
}

cudaError_t
cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *data)
{
    struct device_stream *s;
    struct device_op op = {.kind = DEVICE_OP_HOST, .host = {fn, data}};
    int r = fn ? rt_stream(stream, &s) : rt_fail(cudaErrorInvalidValue, "fn is NULL");
    RT(r == cudaSuccess ? (int)device_submit(s, &op) : r, "stream=%p userData=%p", (void *)stream,
       data);
}

cudaError_t
cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t length, unsigned int flags)
{
    struct device_stream *s;
    struct allocation a;
    int r = rt_stream(stream, &s);
    if (r == cudaSuccess && (!device_find((uint64_t)p, &a) || a.kind != ALLOCATION_MANAGED))
        r = rt_fail(cudaErrorInvalidValue, "%p is no managed memory", p);
    RT(r, "stream=%p devPtr=%p length=%zu flags=%u", (void *)stream, p, length, flags);
}

/* -- events ------------------------------------------------------------------------------------ */

static int
event_create(cudaEvent_t *out, unsigned flags)
{
    struct device *d;
    if (!out || flags & ~7u)
        return rt_fail(cudaErrorInvalidValue, "event %p, flags 0x%x", (void *)out, flags);
    int r = (int)device_use(&d);
    if (r == cudaSuccess)
        *out = (cudaEvent_t)device_event_new(d, flags);
    return r;
}

cudaError_t
cudaEventCreate(cudaEvent_t *event)
{
    RT(event_create(event, cudaEventDefault), "event=%p", event ? (void *)*event : NULL);
}

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    RT(event_create(event, flags), "event=%p flags=0x%x", event ? (void *)*event : NULL, flags);
}

static int
record(cudaEvent_t event, cudaStream_t stream)
{
    struct device_stream *s;
    struct device_event *e;
    int r = (int)device_event_of(event, &e);
    if (r == cudaSuccess)
        r = rt_stream(stream, &s);
    return r == cudaSuccess ? (int)device_event_record(e, s) : r;
}

cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    RT(record(event, stream), "event=%p stream=%p", (void *)event, (void *)stream);
}

cudaError_t
cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    RT(record(event, stream), "event=%p stream=%p flags=0x%x", (void *)event, (void *)stream,
       flags);
}

cudaError_t
cudaEventQuery(cudaEvent_t event)
{
    RT(device_event_call(event, device_event_query), "event=%p", (void *)event);
}

cudaError_t
cudaEventSynchronize(cudaEvent_t event)
{
    RT(device_event_call(event, device_event_synchronize), "event=%p", (void *)event);
}

cudaError_t
cudaEventDestroy(cudaEvent_t event)
{
    RT(device_event_call(event, device_event_free), "event=%p", (void *)event);
}

cudaError_t
cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    struct device_event *from, *to;
    int r = ms ? (int)device_event_of(start, &from) : rt_fail(cudaErrorInvalidValue, "ms is NULL");
    if (r == cudaSuccess)
        r = (int)device_event_of(end, &to);
    RT(r == cudaSuccess ? (int)device_event_elapsed(from, to, ms) : r, "start=%p end=%p ms=%g",
       (void *)start, (void *)end, ms ? (double)*ms : 0);
}

/* -- capture ----------------------------------------------------------------------------------- */

static int
begin_capture(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after, size_t n,
              enum cudaStreamCaptureMode mode)
{
    struct device_stream *s;
    int r = rt_stream(stream, &s);
    return r == cudaSuccess ? (int)device_capture_begin(s, (struct device_graph *)graph,
                                                        (struct device_node *const *)after, n,
                                                        (enum device_capture_mode)mode)
                            : r;
}

cudaError_t
cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    RT(begin_capture(stream, NULL, NULL, 0, mode), "stream=%p mode=%d", (void *)stream, (int)mode);
}

cudaError_t
cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *after,
                              const cudaGraphEdgeData *data, size_t n,
                              enum cudaStreamCaptureMode mode)
{
    (void)data;
    RT(device_graph_is((struct device_graph *)graph)
           ? begin_capture(stream, graph, after, n, mode)
           : rt_fail(cudaErrorInvalidValue, "%p is no graph", (void *)graph),
       "stream=%p graph=%p mode=%d", (void *)stream, (void *)graph, (int)mode);
}

cudaError_t
cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    struct device_stream *s;
    struct device_graph *captured = NULL;
    int r = rt_stream(stream, &s);
    if (r == cudaSuccess)
        r = (int)device_capture_end(s, &captured);
    if (graph) /* NULL: of a capture into a graph that the caller has */
        *graph = (cudaGraph_t)captured;
    RT(r, "stream=%p", (void *)stream);
}

cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    enum device_capture_mode new;
    if (!mode || *mode > cudaStreamCaptureModeRelaxed)
        RT(rt_fail(cudaErrorInvalidValue, "%s", mode ? "no such mode" : "mode is NULL"), "%s", "");
    new = (enum device_capture_mode) * mode;
    *mode = (enum cudaStreamCaptureMode)device_capture_thread_mode(new);
    RT(cudaSuccess, "mode=%d", (int)new);
}

static enum cudaStreamCaptureStatus
capture_status(const struct device_stream *s)
{
    return !device_capture_graph(s, NULL) ? cudaStreamCaptureStatusNone
           : device_capture_valid(s)      ? cudaStreamCaptureStatusActive
                                          : cudaStreamCaptureStatusInvalidated;
}

cudaError_t
cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    PROPERTY(status, capture_status(s));
}

static int
capture_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
             cudaGraph_t *graph, const cudaGraphNode_t **after, size_t *n)
{
    struct device_stream *s;
    struct device_node *const *list = NULL;
    uint64_t number = 0;
    size_t count = 0;
    int r = status ? rt_stream(stream, &s) : rt_fail(cudaErrorInvalidValue, "status is NULL");
    if (r != cudaSuccess)
        return r;
    struct device_graph *g = device_capture_graph(s, &number);
    if (g)
        count = device_capture_after(s, &list);
    *status = capture_status(s);
    if (id)
        *id = number;
    if (graph)
        *graph = (cudaGraph_t)g;
    if (after)
        *after = (const cudaGraphNode_t *)list;
    if (n)
        *n = count;
    return cudaSuccess;
}

cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                         unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **after,
                         size_t *n)
{
    RT(capture_info(stream, status, id, graph, after, n), "stream=%p", (void *)stream);
}

cudaError_t
cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                            unsigned long long *id, cudaGraph_t *graph,
                            const cudaGraphNode_t **after, const cudaGraphEdgeData **edges,
                            size_t *n)
{
    if (edges)
        *edges = NULL;
    RT(capture_info(stream, status, id, graph, after, n), "stream=%p", (void *)stream);
}

cudaError_t
cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes, size_t n,
                                    unsigned int flags)
{
    struct device_stream *s;
    int r = rt_stream(stream, &s);
    if (r == cudaSuccess && !device_capture_graph(s, NULL))
        r = rt_fail(cudaErrorIllegalState, "the stream is not capturing");
    if (r == cudaSuccess)
        device_capture_set_after(s, (struct device_node *const *)nodes, n,
                                 flags == cudaStreamAddCaptureDependencies);
    RT(r, "stream=%p n=%zu flags=%u", (void *)stream, n, flags);
}
