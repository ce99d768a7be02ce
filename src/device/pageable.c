/* SPDX-License-Identifier: Apache-2.0
 *
 * pageable.c: kernels that could touch the host's ordinary (pageable) memory.
 *
 * A device pointer is a host pointer (page 5), so that a kernel that is given malloc's memory
 * works, where on a GPU it ends with an illegal address. Such pointers come by two ways: as an
 * argument, or in memory that was copied to the device (an array of rows). A launch runs in code
 * that announces each access, for exec to judge, where an address may come from an argument that
 * points to such memory, or from memory while a copy has brought such pointers; all others run as
 * they do.
 *
 * For programs that are linked with the runtime, as in guard.c; not for GPUs that share the host's
 * memory, nor under a tool: check says more.
 */
#define _DEFAULT_SOURCE /* mincore */
#include "device/device_priv.h"

#include "analysis/analysis.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, FIRST_ADDRESS = 65536, ADDRESS_BITS = 47, WORDS_LOOKED_AT = 8 };

/* A copy has brought pointers to the host's memory. */
static _Atomic bool copied;

bool
pageable_allowed(const struct device_profile *p)
{
    return p->integrated && p->concurrent_managed_access;
}

/* Something that only looks like an address mostly leads to no page. */
static bool
is_mapped(uint64_t address)
{
    unsigned char there;
    return mincore((void *)(address & ~(uint64_t)(PAGE - 1)), PAGE, &there) == 0;
}

/* Whether it could be an address of ordinary memory of the host. */
static bool
is_foreign(struct device *d, uint64_t word)
{
    struct allocation a;
    return word >= FIRST_ADDRESS && word >> ADDRESS_BITS == 0 && !memory_owns(d->memory, word) &&
           !process_owns(word) && !memory_find_reached(d->memory, word, &a);
}

void
pageable_copied(struct device *d, const struct device_copy *c)
{
    uint64_t word[WORDS_LOOKED_AT];
    uint64_t count = c->width / sizeof *word;
    uint64_t at = (uint64_t)(uintptr_t)c->from.at + c->from.z * c->from.pitch * c->from.rows +
                  c->from.y * c->from.pitch + c->from.x;
    if (!guard_watches() || copied || tool_of_process() || c->from.array || !c->from.at ||
        process_owns(at))
        return;
    count = count < WORDS_LOOKED_AT ? count : WORDS_LOOKED_AT;
    if (count)
        memcpy(word, (const void *)(uintptr_t)at, count * sizeof *word);
    for (uint64_t k = 0; k < count; k++)
        if (word[k] % 4 == 0 && is_foreign(d, word[k]) && is_mapped(word[k]))
            copied = true;
}

/* Found at the first need. NULL: the kernel cannot be read. */
static const struct pointers *
pointers_of(struct device_function *f)
{
    struct pointers *known = __atomic_load_n(&f->pointers, __ATOMIC_ACQUIRE), found, *mine;
    struct ls_error err;
    if (known || !pointers_find(f->unit->ptx, f->func, jit_knows_function, &found, &err))
        return known;
    mine = ls_alloc(sizeof *mine);
    *mine = found;
    if (__atomic_compare_exchange_n(&f->pointers, &known, mine, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return mine;
    ls_release(mine->word); /* another thread was faster */
    ls_release(mine);
    return known;
}

void
pageable_forget(struct device_function *f)
{
    if (f->pointers)
        ls_release(f->pointers->word);
    ls_release(f->pointers);
    f->pointers = NULL;
}

/* Whether an address may come from one of the words of a parameter. */
static bool
leads_out(const struct device_launch *l, const struct ptx_var *param)
{
    struct device_function *f = l->function;
    const struct pointers *p = __atomic_load_n(&f->pointers, __ATOMIC_ACQUIRE);
    uint64_t word;
    for (uint64_t at = (param->param_offset + 7) & ~7ull;
         at + sizeof word <= param->param_offset + param->size; at += sizeof word) {
        memcpy(&word, l->params + at, sizeof word);
        if ((p && !p->word[at / sizeof word]) || !is_foreign(f->device, word))
            continue;
        if ((p = pointers_of(f)) && p->word[at / sizeof word] && is_mapped(word))
            return true;
    }
    return false;
}

bool
pageable_reached(const struct device_launch *l)
{
    struct device_function *f = l->function;
    const struct pointers *p;
    if (!guard_watches() || tool_of_process() || pageable_allowed(f->device->profile))
        return false;
    if (copied && (p = pointers_of(f)) && p->loaded)
        return true;
    for (uint32_t k = 0; k < f->func->param_count; k++)
        if (leads_out(l, f->func->params[k]))
            return true;
    return false;
}
