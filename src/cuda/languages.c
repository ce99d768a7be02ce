/* SPDX-License-Identifier: Apache-2.0
 *
 * languages.c: what programs in other languages than C tell the tools, whose memory and whose lines those cannot
 * see: lockstep.triton, and whoever loads the library (docs/driver.md). Without a tool all but lockstep_reason
 * do nothing of use.
 */
#include "cuda/driver.h"

#include <stdio.h>

/* An array of the program that kernels of the next launches may touch: its name for messages, where it lies,
 * its size in bytes; set: a byte for each 4 bytes of it, 0 where nobody has written them; NULL: all are. */
struct lockstep_array {
    const char *name;
    void *at;
    size_t size;
    const uint8_t *set;
};

#pragma GCC visibility push(default)
/* Which tool watches: 0 none, 1 profile, 2 check. */
int lockstep_tool(void);
/* The calling thread's calls come from this line now; file NULL: from where its stack says. */
void lockstep_place(const char *function, const char *file, unsigned line);
/* The arrays are known from now on, until the second call. They must not overlap each other. CUresult. */
int lockstep_arrays(const struct lockstep_array *arrays, size_t count);
int lockstep_arrays_over(const struct lockstep_array *arrays, size_t count);
/* Why the calling thread's last failed call of the driver API failed; "": nothing is known. */
const char *lockstep_reason(void);
#pragma GCC visibility pop

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
