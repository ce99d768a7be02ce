/* SPDX-License-Identifier: Apache-2.0
 *
 * verdict.c: what an access costs. The model is asked once per pattern of addresses; its verdict is
 * kept at the instruction's struct site and counted from then on, so that an access takes a few
 * nanoseconds. What makes two accesses equal: the active lanes, the lanes' distances from each
 * other, and the alignment that the model's rules look at (a site has one width, space and
 * operation). Start with verdict_pattern().
 */
#include "profile/verdict.h"

#include <string.h>

/* -- spaces ------------------------------------------------------------------------------------ */

/* SPACE_NONE: nothing that is counted. */
static enum space
declared_space(uint32_t space)
{
    switch (space) {
    case PTX_SPACE_SHARED:
    case PTX_SPACE_SHARED_CLUSTER: return SPACE_SHARED;
    case PTX_SPACE_GLOBAL: return SPACE_GLOBAL;
    case PTX_SPACE_LOCAL: return SPACE_LOCAL;
    case PTX_SPACE_CONST: return SPACE_CONSTANT;
    default: return SPACE_NONE; /* parameters */
    }
}

/* What to take from a lane's address: shared and local memory are counted from their first byte. */
static inline uint64_t
origin(const struct jit_warp *w, enum space space, uint32_t lane)
{
    const struct jit_block *b = w->block;
    if (space == SPACE_SHARED)
        return (uintptr_t)b->shared;
    if (space == SPACE_LOCAL)
        return (uintptr_t)b->local +
               ((uint64_t)w->warp * JIT_LANES + lane) * b->launch->local_stride;
    return 0;
}

/* A line holds one word of each lane's local memory. */
static inline uint64_t
reference_line(enum space space, uint64_t address)
{
    return space == SPACE_LOCAL ? address / 4 : address / LINE;
}

void
verdict_begin(struct watch *w)
{
    const struct device_profile *d = w->profile->device;
    bool segments = model_has_transactions(d);
    w->key_mask[SPACE_SHARED] = d->cc_major == 3 ? 255 : 127; /* rows of 32 banks; pairs on 3.x */
    w->key_mask[SPACE_GLOBAL] = segments ? 255 : 127;         /* METRIC_LINES: lines of 128 bytes */
    w->key_mask[SPACE_LOCAL] = 15;
}

/* -- sites ------------------------------------------------------------------------------------- */

static bool
bypasses_l1(const struct ptx_insn *i)
{
    return i && (ptx_has(i, PTX_M_CG) || ptx_has(i, PTX_M_CV) || ptx_has(i, PTX_M_VOLATILE) ||
                 ptx_has(i, PTX_M_RELAXED) || ptx_has(i, PTX_M_ACQUIRE));
}

static struct site *
new_site(struct sheet *sheet, uint32_t place, enum space space, uint32_t declared, uint32_t op,
         uint32_t bytes)
{
    const struct ptx_func *f;
    const struct ptx_insn *i = NULL;
    struct site *s = ARENA_NEW(&sheet->arena, struct site);
    jit_place(sheet->watch->launch.module, place, &f, &i);
    s->bytes = bytes;
    s->declared = declared;
    s->space = space;
    bool copy = op == JIT_STORE && i && i->op == PTX_OP_CP_ASYNC;
    s->operation = op == JIT_LOAD    ? OPERATION_LOAD
                   : copy            ? OPERATION_COPY
                   : op == JIT_STORE ? OPERATION_STORE
                                     : OPERATION_ATOMIC;
    s->op = op == JIT_LOAD             ? ACCESS_LOAD
            : op == JIT_STORE          ? ACCESS_STORE
            : i && i->op == PTX_OP_RED ? ACCESS_REDUCE
                                       : ACCESS_ATOMIC;
    s->bulk = i && mix_is_bulk(i);
    s->bypass_l1 = s->bulk ? !ptx_has(i, PTX_M_MULTICAST_CLUSTER) : bypasses_l1(i);
    s->key_mask = sheet->watch->key_mask[space];
    s->traced = sheet->trace && (space == SPACE_GLOBAL || space == SPACE_LOCAL);
    sheet->atomics = sheet->atomics || (space == SPACE_GLOBAL && s->operation == OPERATION_ATOMIC);
    s->next = sheet->site[place];
    if (!s->next)
        VEC_PUSH(&sheet->visited, place);
    sheet->site[place] = s;
    return s;
}

static struct site *
site_of(struct sheet *sheet, uint32_t place, enum space space, uint32_t declared, uint32_t op,
        uint32_t bytes)
{
    for (struct site *s = sheet->site[place]; s; s = s->next)
        if (s->space == space && (s->bytes == bytes || s->bulk) && s->declared == declared)
            return s;
    return new_site(sheet, place, space, declared, op, bytes);
}

/* -- sums -------------------------------------------------------------------------------------- */

static void
add_times(const struct verdict *v, uint64_t sum[ACCESS_METRICS], uint32_t *degree)
{
    if (!v->times) /* most, where launches are short */
        return;
    for (int m = 0; m < ACCESS_METRICS; m++)
        sum[m] += v->times * v->metric[m];
    if (v->degree > *degree)
        *degree = v->degree;
}

/* A verdict makes room for another one. */
static void
retire(struct site *s, struct verdict *v)
{
    add_times(v, s->sum, &s->degree);
    v->times = 0;
}

void
verdict_fold(const struct site *s, struct sums *to)
{
    uint64_t *sum = to->access[s->space][s->operation];
    uint32_t *degree = &to->degree[s->space][s->operation];
    if (s->bulk) {
        to->bulk_sectors[s->operation] += s->sum[METRIC_SECTORS];
        return;
    }
    for (int m = 0; m < ACCESS_METRICS; m++)
        sum[m] += s->sum[m];
    if (s->degree > *degree)
        *degree = s->degree;
    if (s->first)
        add_times(&s->first->verdict, sum, degree);
    for (uint32_t k = 0; s->pattern && k < PATTERN_ENTRIES; k++)
        add_times(&s->pattern[k].verdict, sum, degree);
    if (s->first_lanes)
        add_times(&s->first_lanes->verdict, sum, degree);
    for (uint32_t k = 0; s->distances && k < LANES_ENTRIES; k++)
        add_times(&s->distances[k].verdict, sum, degree);
}

/* -- what is kept ------------------------------------------------------------------------------ */

/* Lines as they are. */
static __attribute__((noinline)) void
trace_lines(struct sheet *sheet, uint32_t warp, const struct verdict *v, uint64_t reference)
{
    struct jit_trace *t = &sheet->trace[warp];
    uint64_t base = reference << CACHE_LINE_SHIFT;
    uint32_t n = v->line_count;
    if (!n)
        return;
    if ((size_t)(t->end - t->at) <= n && !trace_grow(sheet, t, n + 1)) {
        sheet->dropped += trace_runs(v->line, n);
        return;
    }
    *t->at++ = (uint64_t)n << CACHE_LINE_SHIFT;
    for (uint32_t k = 0; k < n; k++)
        t->at[k] = base + (uint64_t)v->line[k];
    t->at += n;
}

static inline void
trace(struct sheet *sheet, uint32_t warp, const struct verdict *v, uint64_t reference)
{
    struct jit_trace *t = &sheet->trace[warp];
    if (!v->shape)
        trace_lines(sheet, warp, v, reference);
    else if (t->at == t->end && !trace_grow(sheet, t, 1))
        sheet->dropped += sheet->shape[v->shape]->runs;
    else
        *t->at++ = reference << CACHE_LINE_SHIFT | v->shape;
}

static inline void
count(struct sheet *sheet, const struct site *s, struct verdict *v, uint32_t warp,
      uint64_t reference)
{
    v->times++;
    if (s->traced && s->space == SPACE_LOCAL)
        reference += sheet->local_line + warp * sheet->local_lines;
    if (s->traced)
        trace(sheet, warp, v, reference);
}

static inline uint64_t
announced_address(const struct announced *t, uint32_t lane)
{
    uint64_t half = lane < JIT_LANES / 2 ? 0 : t->apart;
    return t->base + half + (uint64_t)(int64_t)(t->offset ? t->offset[lane] : 0);
}

static inline bool
is_pattern(const struct pattern_entry *e, const struct announced *t, uint32_t key)
{
    return e->offset == t->offset && e->key == key && e->lanes == t->lanes && e->apart == t->apart;
}

static void
flush(struct jit_seen *s)
{
    struct pattern_entry *e = s->tool;
    if (e)
        e->verdict.times += s->times;
    *s = (struct jit_seen){0};
}

void
verdict_flush(struct sheet *s)
{
    for (size_t n = 0; n < s->visited.count; n++) {
        size_t place = s->visited.at[n];
        for (uint32_t ways = s->ways[place]; ways; ways &= ways - 1)
            flush(&s->seen[place * JIT_SEEN_WAYS + (size_t)__builtin_ctz(ways)]);
        s->ways[place] = 0;
    }
}

/* The pattern becomes the entry's: the model is asked. */
static __attribute__((noinline)) void
judge_offsets(struct sheet *sheet, struct site *s, struct pattern_entry *e,
              const struct jit_warp *w, const struct announced *t, uint32_t key, uint32_t place)
{
    struct request r = {.lanes = t->lanes,
                        .reference = reference_line(s->space, t->base - origin(w, s->space, 0))};
    for (uint32_t l = 0; l < JIT_LANES; l++)
        r.address[l] = announced_address(t, l) - origin(w, s->space, 0);
    for (uint32_t ways = sheet->ways[place]; ways; ways &= ways - 1) {
        struct jit_seen *seen =
            &sheet->seen[(size_t)place * JIT_SEEN_WAYS + (size_t)__builtin_ctz(ways)];
        if (seen->tool == e)
            flush(seen);
    }
    retire(s, &e->verdict);
    e->offset = t->offset;
    e->apart = t->apart;
    e->key = key;
    e->lanes = t->lanes;
    verdict_evaluate(sheet, s, &r, &e->verdict);
}

/* An access that is not like the last one of its site. A new entry's lanes are 0, which no access
 * has. */
static struct pattern_entry *
find_pattern(struct sheet *sheet, struct site *s, const struct jit_warp *w,
             const struct announced *t, uint32_t key, uint32_t place)
{
    if (!s->first) {
        s->first = ARENA_NEW(&sheet->arena, struct pattern_entry);
        judge_offsets(sheet, s, s->first, w, t, key, place);
    }
    if (is_pattern(s->first, t, key))
        return s->last = s->first;
    if (!s->pattern)
        s->pattern = ARENA_ARRAY(&sheet->arena, struct pattern_entry, PATTERN_ENTRIES);
    uint32_t hash =
        (key ^ t->lanes ^ (uint32_t)((uintptr_t)t->offset >> 2) ^ (uint32_t)t->apart) * 0x9e3779b1u;
    struct pattern_entry *e = &s->pattern[hash >> 26];
    _Static_assert(PATTERN_ENTRIES == 1 << (32 - 26), "the hash's upper bits");
    if (!is_pattern(e, t, key))
        judge_offsets(sheet, s, e, w, t, key, place);
    return s->last = e;
}

/* The site of the first access of its kind at this place; NULL: nothing is to be counted. */
static __attribute__((noinline)) struct site *
first_pattern(struct jit_warp *w, uint32_t bytes, uint32_t space, uint32_t op, uint32_t place)
{
    enum space where = declared_space(space);
    return where == SPACE_NONE ? NULL : site_of(w->block->tool, place, where, space, op, bytes);
}

/* Generated code counts the next ones like it. Blocks' shared and local memory begin at pages, so
 * that `at`, which is counted from there, has the lower bits of the address. */
static inline void
keep_seen(struct sheet *sheet, const struct site *s, struct pattern_entry *e, uint64_t at,
          uint32_t op, uint32_t place)
{
    bool cached = s->space == SPACE_GLOBAL || s->space == SPACE_LOCAL;
    if (cached && (!s->traced || !e->verdict.shape))
        return;
    size_t way = ((at >> 2) ^ JIT_SEEN_LANES(e->lanes)) % JIT_SEEN_WAYS;
    struct jit_seen *seen = &sheet->seen[(size_t)place * JIT_SEEN_WAYS + way];
    flush(seen);
    sheet->ways[place] |= 1u << way;
    *seen = (struct jit_seen){.base = e->key,
                              .mask = s->key_mask,
                              .apart = e->apart,
                              .offset = e->offset,
                              .lanes = e->lanes,
                              .kind = JIT_SEEN_KIND(s->bytes, s->declared, op),
                              .word = e->verdict.shape,
                              .tool = e};
}

/* Addresses of which each may lie in another space, or seen from one that nobody asked for. */
static void
expand(struct jit_warp *w, const struct announced *t, uint32_t bytes, uint32_t space, uint32_t op,
       uint32_t place)
{
    uint64_t address[JIT_LANES];
    for (uint32_t l = 0; l < JIT_LANES; l++)
        address[l] = announced_address(t, l);
    verdict_access(w, t->lanes, address, bytes, space, op, place);
}

/* Counts it; what it is like; *at: where, from the first byte of shared or local memory. NULL: it
 * is no pattern, or not to be counted. */
static inline struct pattern_entry *
judge_pattern(struct jit_warp *w, const struct announced *t, uint32_t bytes, uint32_t space,
              uint32_t op, uint32_t place, struct site **site, uint64_t *from)
{
    const uint32_t firsts = 1 | 1u << JIT_LANES / 2;
    struct sheet *sheet = w->block->tool;
    struct site *s = sheet->site[place];
    /* A half's first address may be anything where nobody asks for it. */
    if (space == PTX_SPACE_NONE || (t->halves && (t->lanes & firsts) != firsts)) {
        expand(w, t, bytes, space, op, place);
        return NULL;
    }
    if (!s || s->bytes != bytes || s->declared != space) {
        s = first_pattern(w, bytes, space, op, place);
        if (!s)
            return NULL;
    }
    if (s->bulk) {
        expand(w, t, bytes, space, op, place);
        return NULL;
    }
    uint64_t at = t->base - origin(w, s->space, 0);
    uint32_t key = (uint32_t)at & s->key_mask;
    struct pattern_entry *e = s->last;
    if (!e || !is_pattern(e, t, key))
        e = find_pattern(sheet, s, w, t, key, place);
    count(sheet, s, &e->verdict, w->warp, reference_line(s->space, at));
    *site = s;
    *from = at;
    return e;
}

void
verdict_pattern(struct jit_warp *w, uint32_t lanes, uint64_t base, const int32_t *offset,
                uint32_t bytes, uint32_t space, uint32_t op, uint32_t place)
{
    const struct announced t = {.base = base, .offset = offset, .lanes = lanes};
    struct site *s;
    uint64_t at;
    struct pattern_entry *e = judge_pattern(w, &t, bytes, space, op, place, &s, &at);
    if (e)
        keep_seen(w->block->tool, s, e, at, op, place);
}

void
verdict_halves(struct jit_warp *w, uint32_t lanes, uint64_t base, uint64_t apart,
               const int32_t *offset, uint32_t bytes, uint32_t space, uint32_t op, uint32_t place)
{
    const struct announced t = {base, apart, offset, lanes, true};
    struct site *s;
    uint64_t at;
    struct pattern_entry *e = judge_pattern(w, &t, bytes, space, op, place, &s, &at);
    if (e)
        keep_seen(w->block->tool, s, e, at, op, place);
}

const struct verdict *
verdict_announced(struct jit_warp *w, const struct announced *t, uint32_t kind, uint32_t place,
                  struct site **site)
{
    uint64_t at;
    uint32_t bytes = kind & 0xffff, space = kind >> 16 & 255, op = kind >> 24;
    const struct pattern_entry *e = judge_pattern(w, t, bytes, space, op, place, site, &at);
    return e ? &e->verdict : NULL;
}

void
verdict_add(struct site *s, const struct verdict *v, uint64_t times)
{
    for (int m = 0; m < ACCESS_METRICS; m++)
        s->sum[m] += times * v->metric[m];
    if (times && v->degree > s->degree)
        s->degree = v->degree;
}

/* Of some of the distances: as many as it takes to tell patterns apart mostly. */
static inline uint32_t
hash_distances(uint32_t lanes, uint32_t key, const uint64_t *address, uint64_t first)
{
#define OF(l) ((uint32_t)(address[l] - first) & -(lanes >> (l)&1))
    uint32_t hash =
        lanes * 7 + key + OF(3) + OF(7) * 3 + OF(13) * 5 + OF(18) * 9 + OF(23) * 17 + OF(31) * 33;
#undef OF
    return hash * 0x9e3779b1u >> 25;
}
_Static_assert(LANES_ENTRIES == 1 << (32 - 25), "the hash's upper bits");

/* Do the active lanes lie as the entry has them? step: from one lane's origin to the next one's. */
static inline bool
fits(const struct sheet *sheet, const struct lanes_entry *e, uint32_t lanes, uint32_t key,
     const uint64_t *address, uint64_t first, uint64_t step)
{
    return e->lanes == lanes && e->key == key &&
           lanes_fit(sheet->wide, lanes, address, first, step, e->distance);
}

/* Where the verdict of these distances is kept; *found: it is. A site whose accesses hardly ever
 * repeat is not searched. */
static struct lanes_entry *
find_distances(struct sheet *sheet, struct site *s, uint32_t lanes, uint32_t key,
               const uint64_t *address, uint64_t first, uint64_t step, bool *found)
{
    *found = false;
    if (!s->first_lanes) {
        s->lanes_misses++;
        return s->first_lanes = s->last_lanes = ARENA_NEW(&sheet->arena, struct lanes_entry);
    }
    if (is_scattered(s))
        return s->first_lanes;
    struct lanes_entry *e = s->last_lanes;
    if (!fits(sheet, e, lanes, key, address, first, step) &&
        !fits(sheet, e = s->first_lanes, lanes, key, address, first, step)) {
        if (!s->distances)
            s->distances = ARENA_ARRAY(&sheet->arena, struct lanes_entry, LANES_ENTRIES);
        e = &s->distances[hash_distances(lanes, key, address, first)];
        if (!fits(sheet, e, lanes, key, address, first, step)) {
            s->lanes_misses++;
            return e;
        }
    }
    s->last_lanes = e;
    s->lanes_hits++;
    *found = true;
    return e;
}

/* The entry becomes that of these distances: the model is asked. */
static __attribute__((noinline)) void
judge_distances(struct sheet *sheet, struct site *s, struct lanes_entry *e, uint32_t lanes,
                uint32_t key, const uint64_t *address, uint64_t start, uint64_t step)
{
    struct request r = {.lanes = lanes};
    for (uint32_t l = 0; l < JIT_LANES; l++)
        r.address[l] = address[l] - start - l * step;
    uint64_t first = r.address[__builtin_ctz(lanes)];
    r.reference = reference_line(s->space, first);
    retire(s, &e->verdict);
    e->lanes = lanes;
    e->key = key;
    for (uint32_t l = 0; l < JIT_LANES; l++)
        e->distance[l] = (int64_t)(r.address[l] - first) & -(int64_t)(lanes >> l & 1);
    verdict_evaluate(sheet, s, &r, &e->verdict);
}

/* Runs of the sectors, by lines from the first one on, as verdict_keep_lines() has them; how many
 * lines. */
static uint32_t
near_runs(const struct near_sectors *near, const struct site *s, struct verdict *v)
{
    enum { PER_LINE = LINE / SECTOR };
    int64_t flags = (int64_t)s->op << CACHE_OP_SHIFT | (s->bypass_l1 ? CACHE_BYPASS : 0);
    uint32_t n = 0, last = UINT32_MAX, lines = 0;
    for (uint64_t rest = near->bits; rest; n++) {
        uint32_t at = (uint32_t)__builtin_ctzll(rest), line = at / PER_LINE;
        uint64_t from = 1ull << at, own = rest & ~(rest + from) & 15ull << PER_LINE * line;
        bool on = at && near->bits & from >> 1; /* the line before is full to its end */
        v->line[n] = (int64_t)line << CACHE_LINE_SHIFT | flags | (on ? LINE_CONTINUES : 0) |
                     (int64_t)(own >> PER_LINE * line);
        lines += line != last;
        last = line;
        rest &= ~own;
    }
    v->line_count = (uint16_t)n;
    return lines;
}

/* What the access costs, and its lines from *reference on; false: it is not of that kind. */
static bool
judge_scattered(struct sheet *sheet, const struct site *s, const struct access *a, uint32_t count,
                struct verdict *v, uint64_t *reference)
{
    struct near_sectors near;
    struct sectors wide;
    wide.count = 0;
    *reference = 0;
    if (a->space == ACCESS_SHARED) {
        struct access_cost cost;
        model_access(sheet->watch->profile->device, a, &cost);
        verdict_add_cost(v, &cost);
        return true;
    }
    if (model_near(a, &near)) {
        *reference = near.low / LINE;
        v->metric[METRIC_LINES] = near_runs(&near, s, v);
        v->metric[METRIC_SECTORS] = near.sectors;
        v->metric[METRIC_SECTORS_IDEAL] = near.ideal;
        return true;
    }
    if (s->op == ACCESS_ATOMIC || s->op == ACCESS_REDUCE ||
        !verdict_order(&sheet->set, a, &wide, &v->metric[METRIC_LINES]))
        return false;
    verdict_keep_lines(sheet, s, &wide, 0, v);
    v->metric[METRIC_SECTORS] = wide.count;
    bool apart = wide.count == count; /* no two lanes in one sector */
    v->metric[METRIC_SECTORS_IDEAL] =
        apart ? (count * a->width + SECTOR - 1) / SECTOR : model_ideal_sectors(a);
    return true;
}

/* An access of a site whose accesses hardly ever repeat: what it costs is added at once, and its
 * lines go to the trace, in one pass over the lanes. False: nothing was done. */
static bool
count_scattered(struct sheet *sheet, struct site *s, const struct jit_warp *w, uint32_t lanes,
                const uint64_t *address)
{
    struct request r = {.lanes = lanes};
    struct access a = {.op = s->op, .width = s->bytes, .mask = lanes};
    int64_t line[JIT_LANES * 8];
    struct verdict v = {.line = line, .line_room = JIT_LANES * 8};
    uint32_t count = (uint32_t)__builtin_popcount(lanes);
    bool shared = s->space == SPACE_SHARED;
    bool device = s->space == SPACE_GLOBAL && s->traced &&
                  !model_has_transactions(sheet->watch->profile->device);
    if (!(shared || device) || s->bytes > 16 || s->bytes & (s->bytes - 1))
        return false;
    a.space = shared ? ACCESS_SHARED : ACCESS_GLOBAL;
    for (uint32_t l = 0; l < JIT_LANES; l++)
        a.address[l] = address[l] - origin(w, s->space, 0);
    if (!judge_scattered(sheet, s, &a, count, &v, &r.reference))
        return false;
    v.metric[METRIC_REQUESTS] = 1;
    v.metric[METRIC_THREADS] = count;
    v.metric[METRIC_BYTES] = count * s->bytes;
    if (s->operation == OPERATION_ATOMIC && device)
        v.metric[METRIC_WORDS] = lanes_different(sheet->wide, lanes, a.address);
    verdict_add(s, &v, 1);
    if (device)
        trace_lines(sheet, w->warp, &v, r.reference);
    uint32_t excess = shared ? v.metric[METRIC_CONFLICTS]
                             : v.metric[METRIC_SECTORS] - v.metric[METRIC_SECTORS_IDEAL];
    if (s->sample.lanes && excess <= s->sample.excess)
        return true;
    memcpy(r.address, a.address, sizeof r.address);
    verdict_keep_sample(s, &r, &v);
    return true;
}

/* -- copies in bulk ---------------------------------------------------------------------------- */

/* A row's lines go to L2 past L1, but for a multicast's: the blocks after the first one find them
 * there, since L2 is asked once. */
static void
trace_row(struct sheet *sheet, const struct site *s, uint32_t warp, uint64_t at, uint64_t end)
{
    enum { PER_LINE = LINE / SECTOR, MOST = JIT_LANES * 8 };
    int64_t line[MOST];
    int64_t flags = (int64_t)s->op << CACHE_OP_SHIFT | (s->bypass_l1 ? CACHE_BYPASS : 0);
    struct verdict v = {.line = line, .line_room = MOST};
    uint64_t reference = at / LINE;
    for (uint64_t sector = at / SECTOR; sector * SECTOR < end; v.line_count = 0) {
        for (; sector * SECTOR < end && v.line_count < MOST; v.line_count++) {
            uint64_t first = sector, own = sector / PER_LINE;
            int64_t mask = 0;
            for (; sector * SECTOR < end && sector / PER_LINE == own; sector++)
                mask |= 1 << sector % PER_LINE;
            line[v.line_count] =
                (int64_t)(first / PER_LINE - reference) * (1 << CACHE_LINE_SHIFT) + (flags | mask);
        }
        trace_lines(sheet, warp, &v, reference);
    }
}

/* The tensor memory accelerator moves a row in pieces of 128 bytes from its begin on, wherever
 * lines begin, and each asks for its sectors (tests/data/h200_transfers.csv). Threads ask
 * for none of them; in shared memory it takes no wavefronts of theirs. */
static void
count_bulk(struct sheet *sheet, struct site *s, const struct jit_warp *w, uint32_t lanes,
           const uint64_t *address, uint32_t bytes)
{
    enum { PIECE = 128 };
    for (; lanes && s->space == SPACE_GLOBAL; lanes &= lanes - 1) {
        uint64_t at = address[__builtin_ctz(lanes)], end = at + bytes;
        for (uint64_t piece = at; piece < end; piece += PIECE) {
            uint64_t last = (piece + PIECE < end ? piece + PIECE : end) - 1;
            s->sum[METRIC_SECTORS] += last / SECTOR - piece / SECTOR + 1;
        }
        if (s->traced)
            trace_row(sheet, s, w->warp, at, end);
    }
}

/* -- lanes one by one -------------------------------------------------------------------------- */

/* All these lanes' addresses lie in the site's space. */
static void
access_site(struct sheet *sheet, struct site *s, const struct jit_warp *w, uint32_t lanes,
            const uint64_t *address)
{
    uint64_t step = s->space == SPACE_LOCAL ? w->block->launch->local_stride : 0;
    uint64_t start = origin(w, s->space, 0);
    uint32_t lowest = (uint32_t)__builtin_ctz(lanes);
    uint64_t from = address[lowest] - lowest * step, first = from - start;
    uint32_t key = (uint32_t)first & s->key_mask;
    bool found;
    if (is_scattered(s) && count_scattered(sheet, s, w, lanes, address))
        return;
    struct lanes_entry *e = find_distances(sheet, s, lanes, key, address, from, step, &found);
    if (!found)
        judge_distances(sheet, s, e, lanes, key, address, start, step);
    count(sheet, s, &e->verdict, w->warp, reference_line(s->space, first));
}

/* Of a generic address's lanes, those in shared and in local memory. */
static void
split_lanes(const struct jit_warp *w, const uint64_t *address, uint32_t *shared, uint32_t *local)
{
    const struct jit_block *b = w->block;
    const struct sheet *sheet = b->tool;
    uint64_t bytes = (uint64_t)b->launch->local_stride * JIT_LANES * b->launch->warps;
    uint64_t blocks = b->launch->cluster_blocks; /* that of peers counts as shared memory, too */
    uint64_t reach = blocks > 1 ? blocks << JIT_RANK_BIT : sheet->watch->launch.shared_bytes;
    *shared = lanes_within(sheet->wide, address, (uintptr_t)b->window, reach);
    *local = b->local && bytes
                 ? lanes_within(sheet->wide, address, (uintptr_t)b->local, bytes) & ~*shared
                 : 0;
}

void
verdict_access(struct jit_warp *w, uint32_t lanes, const uint64_t *address, uint32_t bytes,
               uint32_t space, uint32_t op, uint32_t place)
{
    struct sheet *sheet = w->block->tool;
    uint32_t shared = 0, local = 0;
    bool generic = space == PTX_SPACE_NONE;
    if (generic)
        split_lanes(w, address, &shared, &local);
    while (lanes) { /* once, unless a generic address leads to several spaces */
        uint32_t first = lanes & -lanes, together = lanes;
        enum space where = declared_space(space);
        if (generic) {
            where = first & shared ? SPACE_SHARED : first & local ? SPACE_LOCAL : SPACE_GLOBAL;
            together &= first & shared ? shared : first & local ? local : ~(shared | local);
        }
        lanes &= ~together;
        if (where == SPACE_NONE)
            continue;
        struct site *s = site_of(sheet, place, where, space, op, bytes);
        if (s->bulk)
            count_bulk(sheet, s, w, together, address, bytes);
        else
            access_site(sheet, s, w, together, address);
    }
}
