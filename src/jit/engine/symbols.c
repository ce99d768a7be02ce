/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/symbols.c: functions that generated code calls by name.
 */
#include "jit/engine/engine.h"
#include "jit/ops/ops.h"
#include "jit/ops/stepped.h"
#include "jit/ops/sync.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>

/* %globaltimer: since 1970, as GPUs count. */
static uint64_t
nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool
jit_own_symbol(size_t i, const char **name, void **address)
{
    static const struct {
        const char *name;
        void *address;
    } own[] = {{"jit_sync_arrive", (void *)jit_sync_arrive},
               {"jit_sync_retry", (void *)jit_sync_retry},
               {"jit_stepped", (void *)jit_stepped},
               {"jit_stepped_access", (void *)jit_stepped_access},
               {"jit_nanoseconds", (void *)nanoseconds}};
    size_t count = sizeof own / sizeof *own;
    if (i >= count)
        return jit_math_symbol(i - count, name, address);
    *name = own[i].name;
    *address = own[i].address;
    return true;
}

void *
jit_symbol(const char *name)
{
    const char *own;
    void *address;
    for (size_t i = 0; jit_own_symbol(i, &own, &address); i++)
        if (!strcmp(own, name))
            return address;
    return dlsym(RTLD_DEFAULT, name);
}
