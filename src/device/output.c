/* SPDX-License-Identifier: Apache-2.0
 *
 * output.c: what kernels print that a GPU would lose. A GPU keeps it in a buffer that the host
 * empties when it launches, waits for the device, copies and waits, or loads a module (Programming
 * Guide, "Formatted Output"); a program that ends before has printed nothing. Here it is printed at
 * once, so the end of the program says so. Queries and cudaFree count as waiting, too: drivers may
 * empty it there. A launch does not: it empties the buffer as it begins, when the kernels before
 * may not have printed.
 */
#include "device/device_priv.h"

#include "check/check.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    _Atomic bool pending;
    char kernel[256];
    uint32_t place;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

void
output_printed(const struct ptx_func *kernel)
{
    struct arena names = {0};
    uint32_t place = device_here();
    pthread_mutex_lock(&state.lock);
    snprintf(state.kernel, sizeof state.kernel, "%s", ls_readable_name(&names, kernel->name));
    state.place = place;
    state.pending = true;
    pthread_mutex_unlock(&state.lock);
    arena_free(&names);
}

void
output_seen(void)
{
    if (atomic_load_explicit(&state.pending, memory_order_relaxed))
        state.pending = false;
}

void
output_call_over(const char *call)
{
    if (!atomic_load_explicit(&state.pending, memory_order_relaxed))
        return;
    bool copies = ls_starts_with(call, "cudaMemcpy") || ls_starts_with(call, "cuMemcpy");
    if (copies && !strstr(call, "Async"))
        output_seen();
}

/* Under check, before its result is written: other handlers of the program's end may come later. */
void
output_over(void)
{
    if (!atomic_exchange(&state.pending, false))
        return;
    if (tool_check()) {
        check_lost_output(tool_check(), state.kernel, state.place);
        return;
    }
    const struct host_place *p = device_place(state.place);
    char where[340] = "";
    if (p->count && p->frame[0].file)
        snprintf(where, sizeof where, " (%.300s:%u)", p->frame[0].file, p->frame[0].line);
    if (!device_silenced())
        ls_warn("kernel \"%s\" printed, and nothing waits for it before the program ends: a GPU "
                "would lose "
                "that; cudaDeviceSynchronize() is missing%s",
                state.kernel, where);
}

/* Behind the program's own handlers and destructors, which may wait. */
__attribute__((destructor)) static void
at_end(void)
{
    output_over();
}
