/* SPDX-License-Identifier: Apache-2.0
 *
 * outcome.c: what memory holds after each launch, for `lockstep check --explore`.
 * LOCKSTEP_OUTCOME=FILE asks for it: a line for each allocation and launch, "launch kernel
 * allocation bytes hash", numbers counted from 1.
 */
#include "device/device_priv.h"

#include <stdio.h>
#include <stdlib.h>

static struct {
    FILE *out;
    uint64_t launches;
} state;

void
outcome_start(void)
{
    const char *path = getenv("LOCKSTEP_OUTCOME");
    if (path && *path && !state.out)
        state.out = fopen(path, "wex");
}

struct of_launch {
    uint64_t launch;
    const char *kernel;
};

static void
write_allocation(const struct allocation *a, void *context)
{
    const struct of_launch *l = context;
    char hash[33];
    ls_hash_text(ls_hash((struct hash128){0, 0}, (const void *)(uintptr_t)a->base, a->size), hash);
    fprintf(state.out, "%llu %s %llu %llu %s\n", (unsigned long long)l->launch, l->kernel,
            (unsigned long long)a->number, (unsigned long long)a->size, hash);
}

void
outcome_launched(const struct device *d, const struct ptx_func *kernel)
{
    struct arena names = {0};
    if (!state.out || process_forked())
        return;
    struct of_launch l = {++state.launches, ls_readable_name(&names, kernel->name)};
    memory_each(d->memory, write_allocation, &l);
    fflush(state.out);
    arena_free(&names);
}
