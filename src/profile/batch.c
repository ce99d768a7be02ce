/* SPDX-License-Identifier: Apache-2.0
 *
 * batch.c: accesses that generated code tells of together (struct jit_batch in jit.h). Each is
 * judged like one told by itself (verdict.c); what they cost is kept, so that generated code only
 * counts how often all of them occurred again alike. Start with batch_announced().
 */
#include "profile/profile_priv.h"

/* An access of a batch. Its verdict is a copy: the table of verdicts drops old ones. */
struct kept {
    struct site *site;
    struct verdict verdict;
};

struct batch {
    uint32_t count, room;
    uint32_t misses; /* since it was filled */
    struct kept *kept;
    uint64_t *words;
};

/* Batches that alternate at one place would evict each other every time: a batch stays for this
 * many misses. */
enum { PATIENCE = 4 };

static void
flush(struct jit_batch *b)
{
    struct batch *own = b->tool;
    for (uint32_t k = 0; b->times && k < own->count; k++)
        verdict_add(own->kept[k].site, &own->kept[k].verdict, b->times);
    b->times = 0;
}

void
batch_flush(struct sheet *s)
{
    for (size_t k = 0; k < s->batch.count; k++)
        flush(s->batch.at[k]);
}

/* The next one's place, counted into and emptied; NULL: what is there stays. */
static struct batch *
make_room(struct sheet *sheet, struct jit_batch *b, const struct jit_batch_table *table)
{
    struct batch *own = b->tool;
    if (!own) {
        own = b->tool = ARENA_NEW(&sheet->arena, struct batch);
        VEC_PUSH(&sheet->batch, b);
    }
    if (b->table && ++own->misses % PATIENCE)
        return NULL;
    flush(b);
    b->table = NULL;
    if (own->room < table->count) {
        own->room = table->count;
        own->kept = ARENA_ARRAY(&sheet->arena, struct kept, table->count);
        own->words = ARENA_ARRAY(&sheet->arena, uint64_t, table->count);
    }
    own->misses = 0;
    return own;
}

static struct announced
announced_of(const struct jit_warp *w, const struct jit_batch_table *table, uint32_t k,
             uint32_t lanes, const struct jit_batch_base *base)
{
    const struct jit_batch_member *m = &table->member[k];
    const struct jit_block *b = w->block;
    uint32_t space = m->kind >> 16 & 255;
    struct announced t = {.base = (uint64_t)(int64_t)m->delta,
                          .lanes = lanes,
                          .offset = m->pattern ? (const int32_t *)table + m->pattern : NULL};
    if (m->base != UINT32_MAX) {
        t.base += base[m->base].at;
        t.halves = table->halves >> m->base & 1;
        t.apart = t.halves ? base[m->base].apart : 0;
    } else if (space == PTX_SPACE_SHARED) {
        t.base += (uintptr_t)b->shared;
    }
    if (space == PTX_SPACE_LOCAL)
        t.base += (uintptr_t)b->local + (uint64_t)w->warp * JIT_LANES * b->launch->local_stride;
    return t;
}

/* The access's word, as seen from its base's line. */
static uint64_t
word_of(const struct jit_batch_member *m, const struct jit_batch_base *base, uint16_t shape)
{
    uint32_t shift = (m->kind >> 16 & 255) == PTX_SPACE_LOCAL ? 2 : 7;
    uint64_t from = m->base == UINT32_MAX ? 0 : base[m->base].at,
             at = from + (uint64_t)(int64_t)m->delta;
    return (((at >> shift) - (from >> shift)) << CACHE_LINE_SHIFT) + shape;
}

/* Which addresses are alike: struct jit_batch. */
static void
set_key(struct jit_batch *b, const struct sheet *sheet, const struct jit_batch_table *table,
        const struct jit_batch_base *base)
{
    uint64_t shared = sheet->watch->key_mask[SPACE_SHARED],
             device = sheet->watch->key_mask[SPACE_GLOBAL];
    uint32_t space[8] = {0}, aparts = 0;
    b->key = b->apart[0] = b->apart[1] = 0;
    for (uint32_t k = 0; k < table->count; k++)
        if (table->member[k].base != UINT32_MAX)
            space[table->member[k].base] = table->member[k].kind >> 16 & 255;
    for (uint32_t k = 0; k < table->bases; k++) {
        uint64_t mask = space[k] == PTX_SPACE_LOCAL   ? 15
                        : space[k] == PTX_SPACE_CONST ? 0
                                                      : shared | device;
        b->key |= (base[k].at & mask) << 8 * k;
        if (table->halves >> k & 1)
            b->apart[aparts++] = base[k].apart;
    }
}

void
batch_announced(struct jit_warp *w, uint32_t lanes, const struct jit_batch_base *base,
                const struct jit_batch_table *table, uint32_t way)
{
    struct sheet *sheet = w->block->tool;
    struct jit_batch *b =
        &sheet->batches[((size_t)table->member[0].place << JIT_BATCH_WAY_BITS) + way];
    struct batch *own = make_room(sheet, b, table);
    uint32_t words = 0;
    bool whole = own != NULL;
    for (uint32_t k = 0; k < table->count; k++) {
        const struct jit_batch_member *m = &table->member[k];
        const struct announced t = announced_of(w, table, k, lanes, base);
        struct site *site;
        const struct verdict *v = verdict_announced(w, &t, m->kind, m->place, &site);
        whole = whole && v;
        if (!whole)
            continue;
        bool cached = site->space == SPACE_GLOBAL || site->space == SPACE_LOCAL;
        whole = !cached || (site->traced && v->shape);
        own->kept[k] = (struct kept){site, *v};
        if (cached)
            own->words[words++] = word_of(m, base, v->shape);
    }
    if (!whole)
        return;
    own->count = table->count;
    b->table = table;
    b->lanes = lanes;
    b->words = own->words;
    set_key(b, sheet, table, base);
}
