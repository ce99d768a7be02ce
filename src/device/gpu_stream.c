/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu_stream.c: streams and events of a real GPU. The device's legacy stream is the driver's.
 */
#include "device/gpu_priv.h"

enum device_result
gpu_stream_new(struct device_stream *s)
{
    CUstream stream;
    enum device_result r = gpu_enter(s->device);
    if (r == DEVICE_OK)
        r = GPU(s->device, cuStreamCreateWithPriority, &stream, s->flags & DEVICE_STREAM_NONBLOCKING,
                s->priority);
    if (r == DEVICE_OK)
        s->gpu = stream;
    return r;
}

void
gpu_stream_free(struct device_stream *s)
{
    if (s->gpu && gpu_enter(s->device) == DEVICE_OK)
        GPU(s->device, cuStreamDestroy_v2, gpu_stream(s));
    s->gpu = NULL;
}

enum device_result
gpu_stream_query(struct device_stream *s)
{
    enum device_result r = gpu_enter(s->device);
    return r == DEVICE_OK ? GPU(s->device, cuStreamQuery, gpu_stream(s)) : r;
}

enum device_result
gpu_stream_synchronize(struct device_stream *s)
{
    enum device_result r = gpu_enter(s->device);
    return r == DEVICE_OK ? GPU(s->device, cuStreamSynchronize, gpu_stream(s)) : r;
}

enum device_result
gpu_host_call(struct device_stream *s, const struct device_host_call *c)
{
    enum device_result r = gpu_enter(s->device);
    return r == DEVICE_OK ? GPU(s->device, cuLaunchHostFunc, gpu_stream(s), c->f, c->data) : r;
}

enum device_result
gpu_event_new(struct device_event *e)
{
    CUevent event;
    enum device_result r = gpu_enter(e->device);
    /* Events between processes are not offered: their flag is dropped. */
    if (r == DEVICE_OK)
        r = GPU(e->device, cuEventCreate, &event, e->flags & (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING));
    if (r == DEVICE_OK)
        e->gpu = event;
    return r;
}

void
gpu_event_free(struct device_event *e)
{
    if (e->gpu && gpu_enter(e->device) == DEVICE_OK)
        GPU(e->device, cuEventDestroy_v2, (CUevent)e->gpu);
    e->gpu = NULL;
}

enum device_result
gpu_event_record(struct device_stream *s, struct device_event *e)
{
    enum device_result r = gpu_enter(s->device);
    return r == DEVICE_OK ? GPU(s->device, cuEventRecord, (CUevent)e->gpu, gpu_stream(s)) : r;
}

enum device_result
gpu_event_wait(struct device_stream *s, struct device_event *e)
{
    enum device_result r = gpu_enter(s->device);
    return r == DEVICE_OK ? GPU(s->device, cuStreamWaitEvent, gpu_stream(s), (CUevent)e->gpu, 0) : r;
}

enum device_result
gpu_event_query(struct device_event *e)
{
    enum device_result r = gpu_enter(e->device);
    return r == DEVICE_OK ? GPU(e->device, cuEventQuery, (CUevent)e->gpu) : r;
}

enum device_result
gpu_event_synchronize(struct device_event *e)
{
    enum device_result r = gpu_enter(e->device);
    return r == DEVICE_OK ? GPU(e->device, cuEventSynchronize, (CUevent)e->gpu) : r;
}

enum device_result
gpu_event_elapsed(struct device_event *from, struct device_event *to, float *out)
{
    enum device_result r = gpu_enter(from->device);
    return r == DEVICE_OK
               ? GPU(from->device, cuEventElapsedTime, out, (CUevent)from->gpu, (CUevent)to->gpu)
               : r;
}
