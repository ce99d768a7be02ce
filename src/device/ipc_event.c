/* SPDX-License-Identifier: Apache-2.0
 *
 * ipc_event.c: events of one process in another. Operations run when they are submitted, so a
 * recorded event's work is over: an event of another process is one that never has to be waited
 * for.
 */
#include "device/ipc.h"

#include <string.h>
#include <unistd.h>

enum device_result
device_ipc_event_export(const struct device_event *e, uint8_t out[DEVICE_IPC_BYTES])
{
    const uint32_t needed = DEVICE_EVENT_NO_TIMING | DEVICE_EVENT_INTERPROCESS;
    struct content_of_handle h = {
        .magic = IPC_MAGIC, .content = CONTENT_EVENT, .process = getpid()};
    if ((e->flags & needed) != needed)
        return device_fail(DEVICE_INVALID_VALUE,
                           "the event was not created for other processes and without timing");
    if (!e->device->backend->in_process)
        return device_fail(DEVICE_NOT_SUPPORTED, "events shared with other processes on %s",
                           e->device->backend->label);
    memset(out, 0, DEVICE_IPC_BYTES);
    memcpy(out, &h, sizeof h);
    return DEVICE_OK;
}

enum device_result
device_ipc_event_open(struct device *d, const uint8_t handle[DEVICE_IPC_BYTES],
                      struct device_event **out)
{
    struct content_of_handle h;
    memcpy(&h, handle, sizeof h);
    if (h.magic != IPC_MAGIC || h.content != CONTENT_EVENT)
        return device_fail(DEVICE_INVALID_VALUE, "it is no handle of an event");
    if (h.process == getpid())
        return device_fail(DEVICE_INVALID_CONTEXT, "the event is this process's own");
    *out = device_event_new(d, DEVICE_EVENT_NO_TIMING | DEVICE_EVENT_INTERPROCESS);
    return DEVICE_OK;
}
