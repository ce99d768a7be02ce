/* SPDX-License-Identifier: Apache-2.0
 *
 * stream.c: streams and events. Work is finished when its call returns, so a stream is its settings
 * and an event the time at which it was recorded.
 */
#include "cudart/cudart.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct CUstream_st {
    unsigned flags;
    int priority, device;
    unsigned long long id;
    struct CUstream_st *next;
};

struct CUevent_st {
    unsigned flags;
    bool recorded;
    double ms;
    struct CUevent_st *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUstream_st *streams;
static struct CUevent_st *events;
static unsigned long long ids = 2;

static double
now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static bool
is_default(cudaStream_t s)
{
    return !s || s == cudaStreamLegacy || s == cudaStreamPerThread;
}

bool
rt_stream_valid(cudaStream_t s)
{
    if (is_default(s))
        return true;
    pthread_mutex_lock(&lock);
    struct CUstream_st *x = streams;
    while (x && x != s)
        x = x->next;
    pthread_mutex_unlock(&lock);
    return x != NULL;
}

static bool
event_valid(cudaEvent_t e)
{
    pthread_mutex_lock(&lock);
    struct CUevent_st *x = events;
    while (x && x != e)
        x = x->next;
    pthread_mutex_unlock(&lock);
    return e && x;
}

static cudaError_t
check_stream(cudaStream_t s)
{
    cudaError_t held = rt_sticky();
    if (held != cudaSuccess)
        return held;
    return rt_stream_valid(s) ? cudaSuccess
                              : rt_fail(cudaErrorInvalidResourceHandle, "%p is no stream", (void *)s);
}

cudaError_t
cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    cudaError_t e = cudaSuccess;
    if (!stream)
        return rt_fail(cudaErrorInvalidValue, "stream is NULL");
    if (flags & ~(unsigned)cudaStreamNonBlocking)
        return rt_fail(cudaErrorInvalidValue, "flags 0x%x", flags);
    if (!rt_device(&e))
        return e;
    struct CUstream_st *s = ls_alloc(sizeof *s);
    s->flags = flags;
    s->priority = priority < -5 ? -5 : priority > 0 ? 0 : priority;
    s->device = rt_ordinal();
    pthread_mutex_lock(&lock);
    s->id = ++ids;
    s->next = streams;
    streams = s;
    pthread_mutex_unlock(&lock);
    *stream = s;
    return cudaSuccess;
}

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t
cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t
cudaStreamDestroy(cudaStream_t s)
{
    if (is_default(s) || !rt_stream_valid(s))
        return rt_fail(cudaErrorInvalidResourceHandle, "%p is no stream that was created", (void *)s);
    pthread_mutex_lock(&lock);
    for (struct CUstream_st **at = &streams; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    ls_release(s);
    return cudaSuccess;
}

cudaError_t
cudaStreamSynchronize(cudaStream_t s)
{
    return check_stream(s);
}

cudaError_t
cudaStreamQuery(cudaStream_t s)
{
    return check_stream(s);
}

cudaError_t
cudaStreamGetPriority(cudaStream_t s, int *priority)
{
    cudaError_t e = check_stream(s);
    if (e == cudaSuccess)
        *priority = is_default(s) ? 0 : s->priority;
    return e;
}

cudaError_t
cudaStreamGetFlags(cudaStream_t s, unsigned int *flags)
{
    cudaError_t e = check_stream(s);
    if (e == cudaSuccess)
        *flags = is_default(s) ? 0 : s->flags;
    return e;
}

cudaError_t
cudaStreamGetId(cudaStream_t s, unsigned long long *id)
{
    cudaError_t e = check_stream(s);
    if (e == cudaSuccess)
        *id = is_default(s) ? 1 : s->id;
    return e;
}

cudaError_t
cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t event, unsigned int flags)
{
    (void)flags;
    if (!event_valid(event))
        return rt_fail(cudaErrorInvalidResourceHandle, "%p is no event", (void *)event);
    return check_stream(s);
}

cudaError_t
cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t callback, void *data, unsigned int flags)
{
    (void)flags;
    if (!callback)
        return rt_fail(cudaErrorInvalidValue, "callback is NULL");
    if (!rt_stream_valid(s))
        return check_stream(s);
    callback(s, rt_sticky(), data);
    return cudaSuccess;
}

cudaError_t
cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t fn, void *data)
{
    cudaError_t e = check_stream(s);
    if (!fn)
        return rt_fail(cudaErrorInvalidValue, "fn is NULL");
    if (e == cudaSuccess)
        fn(data);
    return e;
}

cudaError_t
cudaStreamAttachMemAsync(cudaStream_t s, void *at, size_t length, unsigned int flags)
{
    (void)at, (void)length, (void)flags;
    return check_stream(s);
}

cudaError_t
cudaStreamIsCapturing(cudaStream_t s, enum cudaStreamCaptureStatus *status)
{
    *status = cudaStreamCaptureStatusNone;
    return check_stream(s);
}

/* -- events ------------------------------------------------------------------------------------------- */

cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    cudaError_t e = cudaSuccess;
    if (!event)
        return rt_fail(cudaErrorInvalidValue, "event is NULL");
    if (!rt_device(&e))
        return e;
    struct CUevent_st *x = ls_alloc(sizeof *x);
    x->flags = flags;
    pthread_mutex_lock(&lock);
    x->next = events;
    events = x;
    pthread_mutex_unlock(&lock);
    *event = x;
    return cudaSuccess;
}

cudaError_t
cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

static cudaError_t
no_event(cudaEvent_t e)
{
    return rt_fail(cudaErrorInvalidResourceHandle, "%p is no event", (void *)e);
}

cudaError_t
cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t s, unsigned int flags)
{
    (void)flags;
    if (!event_valid(event))
        return no_event(event);
    cudaError_t e = check_stream(s);
    event->recorded = true;
    event->ms = now_ms();
    return e;
}

cudaError_t
cudaEventRecord(cudaEvent_t event, cudaStream_t s)
{
    return cudaEventRecordWithFlags(event, s, 0);
}

cudaError_t
cudaEventQuery(cudaEvent_t event)
{
    return event_valid(event) ? rt_sticky() : no_event(event);
}

cudaError_t
cudaEventSynchronize(cudaEvent_t event)
{
    return event_valid(event) ? rt_sticky() : no_event(event);
}

cudaError_t
cudaEventDestroy(cudaEvent_t event)
{
    if (!event_valid(event))
        return no_event(event);
    pthread_mutex_lock(&lock);
    for (struct CUevent_st **at = &events; *at; at = &(*at)->next)
        if (*at == event) {
            *at = event->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    ls_release(event);
    return cudaSuccess;
}

cudaError_t
cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!ms)
        return rt_fail(cudaErrorInvalidValue, "ms is NULL");
    if (!event_valid(start) || !event_valid(end))
        return no_event(event_valid(start) ? end : start);
    if (!start->recorded || !end->recorded || ((start->flags | end->flags) & cudaEventDisableTiming))
        return rt_fail(cudaErrorInvalidResourceHandle, "an event was not recorded with timing");
    *ms = (float)(end->ms - start->ms);
    return rt_sticky();
}
