/* SPDX-License-Identifier: Apache-2.0
 *
 * trace.c: what waits for the caches: shapes of accesses, each kept once, so that an access is one
 * word; warps' traces, which grow up to what may be kept; the memory that finished blocks' traces
 * wait in.
 */
#include "profile/profile_priv.h"

#include <stdlib.h>
#include <string.h>

/* -- shapes ------------------------------------------------------------------------------------ */

uint32_t
trace_runs(const int64_t *line, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < count; k++)
        n += !(line[k] & LINE_CONTINUES);
    return n;
}

static struct outline *
new_shape(struct shapes *to, const int64_t *line, uint32_t count)
{
    struct outline *s = arena_alloc(&to->arena, sizeof *s + count * sizeof *line);
    s->count = count;
    s->runs = trace_runs(line, count);
    s->sectors = 0;
    s->plain_loads = true;
    s->low = INT64_MAX;
    s->high = INT64_MIN;
    for (uint32_t k = 0; k < count; k++) {
        int64_t n = line[k] >> CACHE_LINE_SHIFT;
        s->low = n < s->low ? n : s->low;
        s->high = n > s->high ? n : s->high;
        s->sectors += (uint32_t)__builtin_popcountll((uint64_t)line[k] & CACHE_SECTORS);
        s->plain_loads &= !((uint64_t)line[k] & (3 << CACHE_OP_SHIFT | CACHE_BYPASS));
        s->line[k] = line[k];
    }
    return s;
}
_Static_assert(ACCESS_LOAD == 0, "plain loads");

/* With the lock. */
static uint32_t
find_shape(struct shapes *in, const int64_t *line, uint32_t count)
{
    enum { SLOTS = 2 * SHAPES };
    uint64_t hash = count;
    if (!in->shape) {
        in->slot = ls_alloc(SLOTS * sizeof *in->slot);
        in->shape = ls_alloc(SHAPES * sizeof *in->shape);
    }
    for (uint32_t k = 0; k < count; k++)
        hash = (hash ^ (uint64_t)line[k]) * 0x9e3779b97f4a7c15ull;
    uint32_t at = (uint32_t)(hash >> 32) % SLOTS;
    for (; in->slot[at]; at = (at + 1) % SLOTS) {
        const struct outline *s = in->shape[in->slot[at]];
        if (s->count == count && memcmp(s->line, line, count * sizeof *line) == 0)
            return in->slot[at];
    }
    if (in->count == SHAPES - 1)
        return 0;
    in->shape[++in->count] = new_shape(in, line, count);
    return in->slot[at] = (uint16_t)in->count;
}

uint16_t
trace_shape(struct sheet *sheet, const int64_t *line, uint32_t count)
{
    struct shapes *in = &sheet->watch->shapes;
    if (!count)
        return 0;
    pthread_mutex_lock(&in->lock);
    uint32_t n = find_shape(in, line, count);
    const struct outline *s = in->shape[n];
    sheet->shape = in->shape;
    pthread_mutex_unlock(&in->lock);
    if (n && s->low < -(int64_t)sheet->reach)
        sheet->reach = (uint64_t)-s->low;
    if (n && s->high > (int64_t)sheet->reach)
        sheet->reach = (uint64_t)s->high;
    return (uint16_t)n;
}

struct outline *const *
trace_shapes(struct watch *w)
{
    pthread_mutex_lock(&w->shapes.lock);
    struct outline *const *shape = w->shapes.shape;
    pthread_mutex_unlock(&w->shapes.lock);
    return shape;
}

void
trace_shapes_free(struct watch *w)
{
    pthread_mutex_destroy(&w->shapes.lock);
    arena_free(&w->shapes.arena);
    ls_release(w->shapes.shape);
    ls_release(w->shapes.slot);
}

/* -- traces ------------------------------------------------------------------------------------ */

bool
trace_grow(struct sheet *sheet, struct jit_trace *t, uint32_t n)
{
    size_t used = (size_t)(t->at - t->start), room = (size_t)(t->end - t->start),
           more = room ? room : 32;
    while (room + more < used + n)
        more *= 2;
    if (sheet->room + more > sheet->most_room)
        return false;
    uint64_t *start = realloc(t->start, (room + more) * sizeof *start);
    if (!start)
        ls_out_of_memory((room + more) * sizeof *start);
    *t = (struct jit_trace){start + used, start + room + more, start};
    sheet->room += more;
    return true;
}

void
trace_free(struct sheet *sheet, uint32_t warps)
{
    for (uint32_t n = 0; sheet->trace && n < warps; n++)
        free(sheet->trace[n].start);
    ls_release(sheet->trace);
}

/* -- slabs ------------------------------------------------------------------------------------- */

enum { SLAB_BYTES = 1 << 20, SPARE_BYTES = 128 << 20 };

/* A spare one of that size, or a new one. */
static struct slab *
find_slab(struct profile *p, size_t size)
{
    struct slab *s, **at;
    size = (sizeof *s + size + SLAB_BYTES - 1) / SLAB_BYTES * SLAB_BYTES;
    pthread_mutex_lock(&p->slab_lock);
    for (at = &p->slabs; *at && (*at)->size < size; at = &(*at)->next)
        ;
    if ((s = *at)) {
        *at = s->next;
        p->slab_bytes -= s->size;
    }
    pthread_mutex_unlock(&p->slab_lock);
    if (s)
        return s;
    s = malloc(size);
    if (!s)
        ls_out_of_memory(size);
    s->size = size;
    return s;
}

void *
slab_take(struct profile *p, struct slab **list, size_t size)
{
    struct slab *s = *list;
    size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (!s || s->size - s->used < size) {
        s = find_slab(p, size);
        s->used = sizeof *s;
        s->next = *list;
        *list = s;
    }
    void *piece = (char *)s + s->used;
    s->used += size;
    return piece;
}

void
slab_give_back(struct profile *p, struct slab *list)
{
    pthread_mutex_lock(&p->slab_lock);
    while (list) {
        struct slab *s = list;
        list = s->next;
        if (p->slab_bytes + s->size > SPARE_BYTES) {
            free(s);
            continue;
        }
        s->next = p->slabs;
        p->slabs = s;
        p->slab_bytes += s->size;
    }
    pthread_mutex_unlock(&p->slab_lock);
}
