/* SPDX-License-Identifier: Apache-2.0
 *
 * last.c: who wrote a byte, or a register, last: from the latest snapshot on, then from the one
 * before it, another process executes once more what came, with accesses told, and answers.
 */
#include "debug/debug_priv.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

bool
debug_last(struct debug *d, const struct debug_memory *m, struct debug_write *out,
           struct ls_error *err)
{
    struct debug_order *o = &d->shared->order;
    const char *why = debug_cannot_go_back(d);
    uint64_t target = d->steps.position;
    *out = (struct debug_write){0};
    if (why[0])
        return ls_fail(err, LS_ERR_UNSUPPORTED, "cannot look back: %s", why);
    struct debug_watching x = {0};
    if (m->space == PTX_SPACE_REG && !debug_register_at(d, m, &x, err))
        return false;
    if (m->space != PTX_SPACE_REG)
        x.low = (uint64_t)(uintptr_t)debug_memory_at(d, m, &x.block, err);
    if (!x.low)
        return false;
    *o = (struct debug_order){.mode = MODE_LAST, .go = d->go};
    o->low = x.low;
    o->high = x.low + m->bytes;
    o->block = x.block;
    o->reg = x.reg;
    while (target && !out->found) {
        int n = debug_snapshot_at(d, target - 1);
        o->target = target;
        if (!debug_ask_snapshot(d, n))
            return ls_fail(err, LS_ERR_INTERNAL, "the process that looked back has ended");
        *out = o->write;
        target = d->shared->snapshot[n].position;
    }
    return true;
}

void
debug_last_over(struct debug *d)
{
    atomic_store(&d->shared->answered, 1);
    syscall(SYS_futex, &d->shared->answered, FUTEX_WAKE, 1, NULL, NULL, 0);
    _exit(0);
}
