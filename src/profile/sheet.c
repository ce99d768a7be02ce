/* SPDX-License-Identifier: Apache-2.0
 *
 * sheet.c: what a thread counts into. A launch hands its sheets on to the next one of the module:
 * their tables have some KiB for each instruction, and to clear what was used of them takes less
 * than to get as much from the system (of 3,651 launches of Rodinia's myocyte, which has 16,600
 * instructions, nine tenths of the time).
 */
#include "profile/profile_priv.h"

#include <string.h>

/* Of all that are kept, places; most pages of their tables are never touched. */
enum { MOST_PLACES = 1 << 18 };

static struct sheet *
sheet_new(uint32_t places)
{
    struct sheet *s = ls_alloc(sizeof *s);
    s->places = places;
    s->wide = lanes_wide();
    s->counts = ls_alloc(sizeof *s->counts * JIT_COUNTS * (places + 1));
    s->site = ls_alloc(sizeof *s->site * places);
    s->ways = ls_alloc(sizeof *s->ways * places);
    s->seen = ls_alloc(sizeof *s->seen * JIT_SEEN_WAYS * places);
    s->batches = ls_alloc((sizeof *s->batches * places << JIT_BATCH_WAY_BITS) + 1);
    return s;
}

static void
sheet_free(struct sheet *s)
{
    VEC_FREE(&s->visited);
    VEC_FREE(&s->batch);
    ls_release(s->counts);
    ls_release(s->site);
    ls_release(s->ways);
    ls_release(s->seen);
    ls_release(s->batches);
    ls_release(s);
}

/* One that is kept for so many places; NULL: there is none. */
static struct sheet *
find_kept(struct profile *p, uint32_t places)
{
    struct sheet *s, **at;
    pthread_mutex_lock(&p->sheet_lock);
    for (at = &p->sheets; *at && (*at)->places != places; at = &(*at)->next)
        ;
    if ((s = *at)) {
        *at = s->next;
        p->sheet_places -= places;
    }
    pthread_mutex_unlock(&p->sheet_lock);
    return s;
}

struct sheet *
sheet_take(struct watch *w)
{
    struct sheet *s = find_kept(w->profile, w->places);
    s = s ? s : sheet_new(w->places);
    s->watch = w;
    if (w->replay) {
        s->trace = ls_alloc(sizeof *s->trace * w->launch.launch->warps);
        s->local_lines = replay_local_lines(w->replay);
    }
    s->most_room = w->profile->trace_bytes / 32 / sizeof(uint64_t);
    pthread_mutex_lock(&w->lock);
    s->next = w->sheets;
    w->sheets = s;
    pthread_mutex_unlock(&w->lock);
    return s;
}

/* As sheet_new() leaves it: verdict_flush() has emptied `seen`. */
static void
clear(struct sheet *s)
{
    for (size_t n = 0; n < s->visited.count; n++)
        s->site[s->visited.at[n]] = NULL;
    for (size_t n = 0; n < s->batch.count; n++)
        *s->batch.at[n] = (struct jit_batch){0};
    s->visited.count = s->batch.count = 0;
    memset(s->counts, 0, sizeof *s->counts * JIT_COUNTS * (s->places + 1));
    *s = (struct sheet){.places = s->places,
                        .wide = s->wide,
                        .counts = s->counts,
                        .site = s->site,
                        .visited = {s->visited.at, 0, s->visited.room},
                        .ways = s->ways,
                        .seen = s->seen,
                        .batches = s->batches,
                        .batch = {s->batch.at, 0, s->batch.room}};
}

void
sheet_keep(struct sheet *s)
{
    struct profile *p = s->watch->profile;
    VEC_FREE(&s->records);
    VEC_FREE(&s->products);
    trace_free(s, s->watch->launch.launch->warps);
    arena_free(&s->arena);
    clear(s);
    pthread_mutex_lock(&p->sheet_lock);
    while (p->sheets && p->sheet_places + s->places > MOST_PLACES) {
        struct sheet *kept = p->sheets;
        p->sheets = kept->next;
        p->sheet_places -= kept->places;
        sheet_free(kept);
    }
    s->next = p->sheets;
    p->sheets = s;
    p->sheet_places += s->places;
    pthread_mutex_unlock(&p->sheet_lock);
}

void
sheets_free(struct profile *p)
{
    while (p->sheets) {
        struct sheet *s = p->sheets;
        p->sheets = s->next;
        sheet_free(s);
    }
}
