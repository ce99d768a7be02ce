/* SPDX-License-Identifier: Apache-2.0
 *
 * edits.c: what the debugger writes. The launch is no longer what it was then: what was recorded of
 * its future is forgotten, and whoever comes by from before that position writes the same.
 */
#include "debug/debug_priv.h"

#include <string.h>

static struct debug_edit
edit_at(const struct debug_shared *s, uint32_t at)
{
    struct debug_edit e;
    memcpy(&e, s->edits + at, sizeof e);
    return e;
}

uint64_t
debug_edit_next(const struct debug *d)
{
    const struct debug_shared *s = d->shared;
    for (uint32_t at = 0; at < s->edits_end;) {
        struct debug_edit e = edit_at(s, at);
        if (e.position > d->steps.position)
            return e.position;
        at += (uint32_t)(sizeof e + e.bytes);
    }
    return UINT64_MAX;
}

void
debug_edit_again(struct debug *d)
{
    const struct debug_shared *s = d->shared;
    for (uint32_t at = 0; at < s->edits_end;) {
        struct debug_edit e = edit_at(s, at);
        if (e.position == d->steps.position)
            memcpy((void *)(uintptr_t)e.address, s->edits + at + sizeof e, e.bytes);
        at += (uint32_t)(sizeof e + e.bytes);
    }
}

static void
forget_future(struct debug *d)
{
    struct debug_shared *s = d->shared;
    uint32_t at = 0;
    while (at < s->edits_end && edit_at(s, at).position <= d->steps.position)
        at += (uint32_t)(sizeof(struct debug_edit) + edit_at(s, at).bytes);
    s->edits_end = at;
    s->printed = d->printed;
    if (s->ends_known > d->passing.number)
        s->ends_known = d->passing.number;
    debug_drop_snapshots(d, d->steps.position);
}

bool
debug_edit(struct debug *d, const struct debug_memory *m, const uint8_t *bytes,
           struct ls_error *err)
{
    struct debug_shared *s = d->shared;
    uint64_t block;
    uint32_t *word, lane, value;
    struct debug_edit e = {.position = d->steps.position, .bytes = m->bytes};
    if (debug_predicate(d, m, &word, &lane)) {
        value = (*word & ~(1u << lane)) | (uint32_t)(bytes[0] & 1) << lane;
        e.address = (uint64_t)(uintptr_t)word;
        e.bytes = sizeof value;
        bytes = (const uint8_t *)&value;
    } else {
        e.address = (uint64_t)(uintptr_t)debug_memory_at(d, m, &block, err);
        if (!e.address)
            return false;
    }
    forget_future(d);
    if (s->edits_end + sizeof e + e.bytes > EDIT_ROOM)
        return ls_fail(err, LS_ERR_INPUT, "more than %d bytes written in one launch", EDIT_ROOM);
    memcpy(s->edits + s->edits_end, &e, sizeof e);
    memcpy(s->edits + s->edits_end + sizeof e, bytes, e.bytes);
    s->edits_end += (uint32_t)(sizeof e + e.bytes);
    memcpy((void *)(uintptr_t)e.address, bytes, e.bytes);
    return true;
}
