/* SPDX-License-Identifier: Apache-2.0
 *
 * region.c: what a block does in shared memory between two barriers of all its threads, remembered.
 *
 * At such a barrier only one thing about shared memory is left to know: which of its words the
 * block has written (nothing before can race with anything behind). So when a phase - the accesses
 * from one barrier to the next, in their order, with their warps, lanes and addresses - once went
 * without any doubt, the same phase does so again wherever the words that it reads are written: in
 * the next block, in the next turn of a loop. It is followed then: each access is compared with the
 * one remembered, and its cells stay as they are. The first access that differs ends that: what was
 * followed so far is made up for, as it went before, and the rest of the phase is looked at as
 * ever, and remembered for the next time.
 *
 * A phase is remembered when it has loads and stores of whole words only, and no access was looked
 * at twice (shared.c, touch_cell). Whatever orders threads inside of it, atomic and volatile
 * accesses, transfers, copies of what nobody wrote: such phases are looked at access by access.
 */
#include "check/check_priv.h"

#include <string.h>

enum {
    MOST_REGIONS = 32,
    MOST_STEPS = 8192,
    ADDRESS_STEPS = JIT_LANES * 8 / sizeof(struct jit_note),
    CREDIT = 128,      /* phases that may differ before none is looked for, for a while */
    LONGEST_REST = 12, /* 2^k phases */
};

/* Steps are notes (jit_note). The ones with an address a lane have STEP_LANES and words <<
 * WORDS_SHIFT in `place`, too, and are followed by the addresses. */
enum {
    PLACE_MASK = (1 << 22) - 1,
    STEP_LANES = 1 << 23,
    WORDS_SHIFT = 25,
};
union step {
    struct jit_note note;
    uint64_t address[sizeof(struct jit_note) / 8];
};

struct region {
    union step *step;
    uint32_t count;
    uint32_t next; /* the one that came behind it lately, + 1; 0: not known */
    uint64_t hash;
    uint64_t *needs; /* words that the region reads before it writes them, */
    uint64_t *gives; /*   and writes */
};

struct regions {
    struct region kept[MOST_REGIONS];
    uint32_t count, oldest;
    uint32_t last, first;     /* as region.next: the one before this; the one that begins a block */
    const struct region *now; /* with `following`: its steps, from jit_block.expected on, are still
                                 to come; NULL: any may be */
    VEC(union step) tape;     /* with `recording` */
    uint64_t *written;        /* words, by what was followed or remembered in this block */
    uint32_t sets;            /* of 64 words */
    bool behind;              /* the cells do not know of all of them */
    const uint8_t *shared;
    int32_t credit;
    uint32_t rest, rests;
};

/* -- sets of words ----------------------------------------------------------------------------- */

/* Words that the block has written some other way are found by their cells. */
static bool
are_written(struct block_state *b, const uint64_t *needs)
{
    struct regions *p = b->regions;
    for (uint32_t k = 0; k < p->sets; k++)
        for (uint64_t missing = needs[k] & ~p->written[k]; missing; missing &= missing - 1) {
            if (!shared_word_written(b, 64 * k + (uint32_t)__builtin_ctzll(missing)))
                return false;
            p->written[k] |= missing & -missing;
        }
    return true;
}

/* The cells learn what was written in phases that were followed. */
static void
catch_up(struct block_state *b)
{
    struct regions *p = b->regions;
    for (uint32_t k = 0; k < p->sets && p->behind; k++)
        for (uint64_t left = p->written[k]; left; left &= left - 1)
            shared_word_was_written(b, 64 * k + (uint32_t)__builtin_ctzll(left));
    p->behind = false;
}

/* -- steps ------------------------------------------------------------------------------------- */

/* Nothing is expected (jit_block.expected); something is, but nothing that could come. */
static const struct jit_note idle;
static const union step never = {.note = {.warp = (struct jit_warp *)1}};

static bool
has_lanes(const union step *s)
{
    return s->note.place & STEP_LANES;
}

static struct jit_note
step_of(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset, uint32_t op,
        uint32_t place)
{
    return (struct jit_note){.base = base,
                             .offset = offset,
                             .warp = w,
                             .lanes = lanes,
                             .place = place | (op == JIT_STORE ? JIT_NOTE_STORE : 0)};
}

static struct jit_note
lanes_step(struct jit_warp *w, uint32_t lanes, uint32_t bytes, uint32_t op, uint32_t place)
{
    struct jit_note n = step_of(w, lanes, 0, NULL, op, place);
    n.place |= STEP_LANES | bytes / 4 << WORDS_SHIFT;
    return n;
}

static inline __attribute__((always_inline)) bool
compare_lanes(const uint64_t *restrict a, const uint64_t *restrict b, uint32_t lanes)
{
    uint64_t differ = 0;
    for (uint32_t l = 0; l < JIT_LANES; l++)
        differ |= (a[l] ^ b[l]) & -(uint64_t)(lanes >> l & 1);
    return !differ;
}
static WIDE bool
compare_lanes_wide(const uint64_t *a, const uint64_t *b, uint32_t lanes)
{
    return compare_lanes(a, b, lanes);
}

static bool
same_lanes(const struct block_state *b, const union step *step, const uint64_t *address)
{
    return b->launch->check->wide ? compare_lanes_wide(step[1].address, address, step->note.lanes)
                                  : compare_lanes(step[1].address, address, step->note.lanes);
}

static bool
same_step(const struct block_state *b, const union step *step, const struct jit_note *s,
          const uint64_t *address)
{
    return !memcmp(step, s, sizeof *s) && (!address || same_lanes(b, step, address));
}

/* The words of a step, one after the other, as bits of set[]; it lies in shared memory whole. */
static void
mark_words(const struct block_state *b, const union step *s, uint32_t words, uint64_t *set)
{
    const struct jit_note *n = &s->note;
    const uint64_t *address = has_lanes(s) ? s[1].address : NULL;
    for (uint32_t left = n->lanes; left; left &= left - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(left);
        uint64_t a =
            address ? address[l] : n->base + (uint64_t)(int64_t)(n->offset ? n->offset[l] : 0);
        uint64_t word = (a - (uint64_t)(uintptr_t)b->block->shared) / 4;
        for (uint32_t k = 0; k < words; k++, word++)
            set[word / 64] |= 1ull << word % 64;
    }
}

static uint32_t
step_length(const union step *s)
{
    return has_lanes(s) ? 1 + ADDRESS_STEPS : 1;
}

static uint32_t
step_op(const union step *s)
{
    return s->note.place & JIT_NOTE_STORE ? JIT_STORE : JIT_LOAD;
}

static uint32_t
step_words(const struct block_state *b, const union step *s)
{
    return has_lanes(s) ? s->note.place >> WORDS_SHIFT
                        : b->facts[s->note.place & PLACE_MASK].align / 4u;
}

/* -- the phases that are remembered ------------------------------------------------------------ */

static void
find_words(const struct block_state *b, struct region *f)
{
    uint32_t sets = b->regions->sets;
    uint64_t *some = ls_alloc(8 * sets);
    f->needs = ls_alloc(8 * sets);
    f->gives = ls_alloc(8 * sets);
    for (uint32_t n = 0; n < f->count; n += step_length(&f->step[n])) {
        const union step *s = &f->step[n];
        if (step_op(s) == JIT_STORE) {
            mark_words(b, s, step_words(b, s), f->gives);
            continue;
        }
        memset(some, 0, 8 * sets);
        mark_words(b, s, step_words(b, s), some);
        for (uint32_t k = 0; k < sets; k++)
            f->needs[k] |= some[k] & ~f->gives[k];
    }
    ls_release(some);
}

static void
drop(struct region *f)
{
    ls_release(f->step);
    ls_release(f->needs);
    ls_release(f->gives);
    *f = (struct region){0};
}

static uint64_t
hash_of(const union step *step, uint32_t count)
{
    uint64_t h = count;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t n = 0; n < sizeof *step / 8; n++)
            h = (h ^ step[k].address[n]) * 0x9e3779b97f4a7c15ull + (h >> 29);
    return h;
}

/* What is on the tape, as a phase: its number, from 0. */
static uint32_t
keep(struct block_state *b)
{
    struct regions *p = b->regions;
    uint32_t count = (uint32_t)p->tape.count;
    uint64_t hash = hash_of(p->tape.at, count);
    for (uint32_t k = 0; k < p->count; k++)
        if (p->kept[k].hash == hash && p->kept[k].count == count &&
            !memcmp(p->kept[k].step, p->tape.at, sizeof *p->tape.at * count))
            return k;
    uint32_t n = p->count < MOST_REGIONS ? p->count++ : p->oldest++ % MOST_REGIONS;
    struct region *f = &p->kept[n];
    drop(f);
    f->step = ls_alloc(sizeof *f->step * (count + 1));
    memcpy(f->step, p->tape.at, sizeof *f->step * count);
    f->step[count] = never;
    f->count = count;
    f->hash = hash;
    find_words(b, f);
    return n;
}

/* Phase n went as remembered, or was remembered. */
static void
region_done(struct block_state *b, uint32_t n)
{
    struct regions *p = b->regions;
    for (uint32_t k = 0; k < p->sets; k++)
        p->written[k] |= p->kept[n].gives[k];
    *(p->last ? &p->kept[p->last - 1].next : &p->first) = n + 1;
    p->last = n + 1;
}

/* -- following --------------------------------------------------------------------------------- */

static const union step *
expected(const struct block_state *b)
{
    return (const union step *)(const void *)b->block->expected;
}

static void
begin_with(struct block_state *b, const struct region *f)
{
    b->regions->now = f;
    b->block->expected = f ? &f->step->note : &never.note;
}

static bool
is_at_start(const struct block_state *b)
{
    const struct region *now = b->regions->now;
    return !now || expected(b) == now->step;
}

static void
failed(struct regions *p)
{
    if (p->credit > -CREDIT) {
        p->credit--;
        return;
    }
    p->rest = 1u << p->rests;
    p->rests += p->rests < LONGEST_REST;
}

/* A step that was remembered, looked at now, in its place. */
static void
make_up(struct block_state *b, const union step *s)
{
    const struct jit_note *n = &s->note;
    uint32_t place = n->place & PLACE_MASK;
    struct visit v = {.b = b,
                      .w = n->warp,
                      .facts = &b->facts[place],
                      .expect = &b->expect[place],
                      .lanes = n->lanes,
                      .bytes = 4 * step_words(b, s),
                      .space = PTX_SPACE_SHARED,
                      .op = step_op(s),
                      .place = place,
                      .warp = n->warp->warp};
    struct copies *copies = b->copied.of[v.warp]; /* there were none yet */
    const void *values = n->warp->values;
    uint64_t address[JIT_LANES];
    b->copied.of[v.warp] = NULL;
    n->warp->values = NULL;
    if (has_lanes(s)) {
        shared_access(&v, n->lanes, s[1].address);
    } else if (!shared_pattern(&v, n->base, n->offset)) {
        for (uint32_t l = 0; l < JIT_LANES; l++)
            address[l] = n->base + (uint64_t)(int64_t)(n->offset ? n->offset[l] : 0);
        shared_access(&v, n->lanes, address);
    }
    n->warp->values = values;
    b->copied.of[v.warp] = copies;
}

/* It goes another way than remembered. What it did so far is on the tape afterwards. */
static void
leave(struct block_state *b)
{
    struct regions *p = b->regions;
    const union step *from = p->now ? p->now->step : &never, *end = expected(b);
    b->following = false;
    b->block->expected = &idle;
    catch_up(b);
    p->tape.count = 0;
    for (const union step *s = from; s != end; s += step_length(s)) {
        for (uint32_t k = 0; k < step_length(s); k++)
            VEC_PUSH(&p->tape, s[k]);
        make_up(b, s);
    }
    b->recording = true;
    if (from != end)
        failed(p);
}

/* At its beginning: another phase that begins with this step. */
static bool
begin_otherwise(struct block_state *b, const struct jit_note *s, const uint64_t *address)
{
    struct regions *p = b->regions;
    for (uint32_t k = 0; k < p->count && is_at_start(b); k++) {
        const struct region *f = &p->kept[k];
        if (f != p->now && same_step(b, f->step, s, address) && are_written(b, f->needs)) {
            begin_with(b, f);
            return true;
        }
    }
    return false;
}

/* address: of a step with an address a lane, or NULL. */
static bool
follow(struct block_state *b, const struct jit_note *s, const uint64_t *address)
{
    if (!same_step(b, expected(b), s, address) && !begin_otherwise(b, s, address)) {
        leave(b);
        return false;
    }
    b->block->expected += address ? 1 + ADDRESS_STEPS : 1;
    s->warp->denied = 0;
    s->warp->values = NULL;
    return true;
}

bool
region_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
               uint32_t bytes, uint32_t op, uint32_t place)
{
    struct block_state *b = w->block->tool;
    struct jit_note s = step_of(w, lanes, base, offset, op, place);
    if (op != JIT_ATOMIC && bytes == b->facts[place].align)
        return follow(b, &s, NULL);
    region_stop(b);
    return false;
}

bool
region_lanes(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
             uint32_t op, uint32_t place)
{
    struct block_state *b = w->block->tool;
    struct jit_note s = lanes_step(w, lanes, bytes, op, place);
    if (op != JIT_ATOMIC && !(bytes & 3))
        return follow(b, &s, address);
    region_stop(b);
    return false;
}

/* -- remembering ------------------------------------------------------------------------------- */

static bool
may_be_step(const struct visit *v)
{
    return v->facts == &v->b->facts[v->place] && v->op != JIT_ATOMIC &&
           !(v->facts->flags & ~PLACE_STORE) && !(v->bytes & 3) && v->bytes && v->bytes <= 16 &&
           !v->b->copied.of[v->warp];
}

void
region_add(const struct visit *v, uint32_t lanes, uint64_t base, const int32_t *offset,
           const uint64_t *address)
{
    struct block_state *b = v->b;
    struct regions *p = b->regions;
    if (!may_be_step(v) || p->tape.count >= MOST_STEPS ||
        (!address && v->bytes != v->facts->align)) {
        region_stop(b);
        return;
    }
    union step s = {address ? lanes_step(v->w, lanes, v->bytes, v->op, v->place)
                            : step_of(v->w, lanes, base, offset, v->op, v->place)};
    VEC_PUSH(&p->tape, s);
    for (uint32_t l = 0; address && l < JIT_LANES; l++) {
        s.address[l % 4] = lanes >> l & 1 ? address[l] : 0;
        if (l % 4 == 3)
            VEC_PUSH(&p->tape, s);
    }
}

void
region_add_notes(struct block_state *b, const struct jit_note *n, const struct jit_note *end)
{
    struct regions *p = b->regions;
    if (p->tape.count + (size_t)(end - n) > MOST_STEPS) {
        region_stop(b);
        return;
    }
    for (; n < end; n++)
        VEC_PUSH(&p->tape, (union step){*n});
}

bool
region_judged(const struct visit *v, uint32_t lanes, const uint64_t *address)
{
    struct block_state *b = v->b;
    if (v->w->denied || !may_be_step(v))
        region_stop(b);
    if (v->space == PTX_SPACE_SHARED) /* added when it came */
        return false;
    if (b->following) {
        struct jit_note s = lanes_step(v->w, lanes, v->bytes, v->op, v->place);
        const void *values = v->w->values; /* of lanes that go elsewhere */
        if (follow(b, &s, address)) {
            v->w->values = values;
            return true;
        }
    }
    if (b->recording)
        region_add(v, lanes, 0, NULL, address);
    return false;
}

/* -- phases begin and end ---------------------------------------------------------------------- */

/* Begins a region, which is guessed to repeat the one that followed the last region when that went
 * before. */
static void
next_region(struct block_state *b)
{
    struct regions *p = b->regions;
    uint32_t guess = p->last ? p->kept[p->last - 1].next : p->first;
    b->following = b->recording = b->shared.doubtful = false;
    b->block->expected = &idle;
    if (p->rest || b->shared.shift != 2 || b->transfers || b->shared.any_unset || b->copied.any ||
        b->launch->facts->releases) {
        p->rest -= p->rest != 0;
        catch_up(b);
        return;
    }
    b->following = true;
    begin_with(b, guess && are_written(b, p->kept[guess - 1].needs) ? &p->kept[guess - 1] : NULL);
}

void
region_stop(struct block_state *b)
{
    if (b->following)
        leave(b);
    else if (b->recording && b->regions->tape.count)
        failed(b->regions);
    b->recording = false;
}

void
region_copies(struct block_state *b)
{
    if (!b->copied.first)
        return;
    b->copied.first = false;
    region_stop(b);
}

void
region_over(struct block_state *b)
{
    struct regions *p = b->regions;
    if (!p)
        return;
    bool begun = b->following && !is_at_start(b);
    if (begun && expected(b) != p->now->step + p->now->count)
        leave(b); /* it is shorter */
    if (b->following && begun) {
        p->behind = true;
        p->credit += p->credit < CREDIT;
        p->rests = 0;
        region_done(b, (uint32_t)(p->now - p->kept));
    } else if (b->recording && p->tape.count && !b->shared.doubtful) {
        region_done(b, keep(b));
        failed(p);
    } else if (b->recording && p->tape.count) {
        failed(p);
    }
    next_region(b);
}

void
region_begin(struct block_state *b)
{
    struct regions *p = b->regions;
    b->following = b->recording = false;
    b->block->expected = &idle;
    if (!b->shared.write || b->peers || b->shared.shift != 2 ||
        b->launch->facts->place_count > PLACE_MASK)
        return;
    if (!p)
        p = b->regions = ls_alloc(sizeof *p);
    if (p->shared != b->block->shared) {
        region_forget(b);
        p->sets = (uint32_t)((b->shared.cells + 63) / 64);
        p->written = ls_alloc(8 * p->sets);
        p->shared = b->block->shared;
    }
    memset(p->written, 0, 8 * p->sets);
    p->behind = false;
    p->last = 0;
    next_region(b);
}

void
region_forget(struct block_state *b)
{
    struct regions *p = b->regions;
    for (uint32_t k = 0; k < p->count; k++)
        drop(&p->kept[k]);
    ls_release(p->written);
    VEC_FREE(&p->tape);
    *p = (struct regions){0};
}
