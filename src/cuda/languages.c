/* SPDX-License-Identifier: Apache-2.0
 *
 * languages.c: what programs in other languages than C tell the tools, whose memory and whose lines
 * those cannot see (include/lockstep.h): lockstep.triton, and whoever loads the library.
 */
#include "cuda/driver.h"

#include <stdio.h>

static _Thread_local char reason[512];

void
cu_keep_reason(const char *text)
{
    snprintf(reason, sizeof reason, "%s", text);
}

const char *
lockstep_reason(void)
{
    return reason;
}

int
lockstep_tool(void)
{
    struct device *d;
    device_use(&d); /* the tool starts with the first device */
    device_forget_reason();
    return (int)device_watched();
}

void
lockstep_place(const char *function, const char *file, unsigned line)
{
    device_say_place(function, file, line);
}

int
lockstep_arrays_over(const struct lockstep_array *arrays, size_t count)
{
    int r = CUDA_SUCCESS;
    for (size_t k = 0; k < count; k++) {
        int gone = (int)device_host_unregister(arrays[k].at);
        r = r == CUDA_SUCCESS ? gone : r;
    }
    cu_keep_reason(device_reason());
    device_forget_reason();
    return r;
}

int
lockstep_arrays(const struct lockstep_array *arrays, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const struct lockstep_array *a = &arrays[k];
        int r = (int)device_host_array(a->name, a->at, a->size, a->set);
        if (r == CUDA_SUCCESS)
            continue;
        char why[sizeof reason];
        snprintf(why, sizeof why, "%s", device_reason());
        lockstep_arrays_over(arrays, k);
        cu_keep_reason(why);
        return r;
    }
    return CUDA_SUCCESS;
}
