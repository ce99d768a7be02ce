/* SPDX-License-Identifier: Apache-2.0
 *
 * working_set.c: what memory a program's launches touch, by pages of 2 MiB: how many bytes of each
 * page a launch read or wrote, and which one was the last that did. From that follows how much has
 * gone through L2 since a kernel ran last: memory that several launches share counts once.
 */
#include "profile/profile_priv.h"

#include <string.h>

struct touched {
    uint64_t page, bytes, launch; /* page: 0: free, else its number + 1 */
};

static struct touched *
slot_of(struct touched *page, uint32_t room, uint64_t number)
{
    uint32_t at = (uint32_t)(number * 0x9e3779b97f4a7c15ull >> 32) & (room - 1);
    while (page[at].page && page[at].page != number + 1)
        at = (at + 1) & (room - 1);
    return &page[at];
}

static void
grow(struct working_set *f)
{
    struct working_set old = *f;
    f->room = old.room ? 2 * old.room : 64;
    f->page = ls_alloc(f->room * sizeof *f->page);
    for (uint32_t k = 0; k < old.room; k++)
        if (old.page[k].page)
            *slot_of(f->page, f->room, old.page[k].page - 1) = old.page[k];
    ls_release(old.page);
}

/* A launch that touches less of a page than one before leaves there what that one has brought. */
void
working_set_add(struct working_set *f, uint64_t page, uint64_t bytes)
{
    if (2 * (f->count + 1) > f->room)
        grow(f);
    struct touched *t = slot_of(f->page, f->room, page);
    f->count += !t->page;
    *t = (struct touched){page + 1, t->bytes > bytes ? t->bytes : bytes, f->launch};
}

uint64_t
working_set_since(const struct working_set *f, uint64_t launch)
{
    uint64_t bytes = 0;
    for (uint32_t k = 0; k < f->room; k++)
        bytes += f->page[k].page && f->page[k].launch >= launch ? f->page[k].bytes : 0;
    return bytes;
}

void
working_set_free(struct working_set *f)
{
    ls_release(f->page);
    *f = (struct working_set){0};
}
