/* SPDX-License-Identifier: Apache-2.0
 *
 * end.c: the end of the process: what kernels printed and nobody has waited for, what was never
 * freed, and the tool's result. The end of this library: destructors of static objects come before.
 */
#include "device/device_priv.h"

#include "check/check.h"

#include <stdio.h>

static void
note_leak(const struct allocation *a, void *context)
{
    bool elsewhere = a->kind == ALLOCATION_HOST && a->device != 0; /* known to all devices */
    /* What has a name is a variable, managed ones too, or belongs to a graph. */
    if (a->kind != ALLOCATION_VARIABLE && !elsewhere && !a->name)
        check_leak(context, a);
}

/* The tool is not closed: other threads may still launch. */
__attribute__((destructor)) static void
at_end(void)
{
    if (!tool_is_ours())
        return;
    fflush(stdout);
    output_over();
    for (int k = 0; tool_check() && !process_forked() && k < DEVICE_MOST; k++) {
        struct device *d = process_device(k);
        if (d && !d->lost) /* nothing can be freed on a device that a kernel's error has ended */
            memory_each(d->memory, note_leak, tool_check());
    }
    tool_finish();
}
