/* SPDX-License-Identifier: Apache-2.0
 *
 * The simulated caches against the plainest possible ones: a line with its time of use, each set
 * searched from end to end, both levels in turn for every sector. Random traffic that keeps meeting
 * the same sets.
 */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#include "common/unit.h"

enum { SECTOR = 32, LINE = 128, SMS = 12, RUNS = 60000 };

struct line {
    uint64_t number, used; /* used 0: empty */
    bool valid[4], dirty[4], copied[4];
};

struct plain {
    const struct device_profile *d;
    uint64_t sets[2]; /* L1, L2 */
    struct line *l1, *l2;
    uint64_t now;
    bool there;
    struct cache_counts counts;
};

static uint64_t
plain_set(uint64_t number, uint64_t sets)
{
    uint64_t hash = number ^ number >> 7 ^ number >> 15 ^ number >> 23;
    return (uint32_t)(hash ^ hash >> 32) % sets;
}

static struct line *
find(struct line *set, unsigned ways, uint64_t number)
{
    for (unsigned w = 0; w < ways; w++)
        if (set[w].used && set[w].number == number)
            return &set[w];
    return NULL;
}

/* Who leaves: the line that a store took (used 1), else an empty one, else the one used longest
 * ago. */
static uint64_t
worth(const struct line *l)
{
    return l->used == 1 ? 0 : l->used ? l->used : 1;
}

static struct line *
oldest(struct line *set, unsigned ways)
{
    struct line *l = set;
    for (unsigned w = 1; w < ways; w++)
        l = worth(&set[w]) < worth(l) ? &set[w] : l;
    return l;
}

/* True: L1 answers. */
static bool
plain_l1(struct plain *p, uint32_t sm, uint64_t number, unsigned sector, enum access_op op,
         bool bypass, bool first)
{
    if (!p->sets[0]) { /* no device of the test's has loads or stores that look for it there */
        assert_false(p->d->l1_global_loads || p->d->cc_major >= 7);
        return false;
    }
    struct line *set = p->l1 + (sm * p->sets[0] + plain_set(number, p->sets[0])) * 4;
    struct line *l = find(set, 4, number);
    if (op == ACCESS_STORE) {
        if (p->d->cc_major < 7)
            return false;
        p->counts.l1_sectors++;
        /* of a line's sectors that one run stores, the first decides for all */
        if (first)
            p->there = l != NULL;
        p->counts.l1_hits += p->there;
        if (!l) { /* the line, without sectors, and the first to leave */
            l = oldest(set, 4);
            *l = (struct line){.number = number, .used = 1};
        }
        return false;
    }
    if (op != ACCESS_LOAD) {
        p->counts.l1_sectors += p->d->cc_major >= 7;
        if (l)
            l->valid[sector] = false;
        return false;
    }
    if (!p->d->l1_global_loads || bypass)
        return false;
    p->counts.l1_sectors++;
    bool hit = l && l->valid[sector];
    p->counts.l1_hits += hit;
    if (!l) {
        l = oldest(set, 4);
        *l = (struct line){.number = number};
    }
    l->valid[sector] = true;
    l->used = ++p->now;
    return hit;
}

static unsigned
count_dirty(const struct line *l)
{
    return l->used ? l->dirty[0] + l->dirty[1] + l->dirty[2] + l->dirty[3] : 0u;
}

/* No more than 7 lines of a set stay dirty: the one used longest ago is written to memory. */
static void
plain_clean(struct plain *p, struct line *set)
{
    struct line *last = NULL;
    unsigned lines = 0;
    for (unsigned w = 0; w < 16; w++)
        if (count_dirty(&set[w])) {
            lines++;
            last = !last || set[w].used < last->used ? &set[w] : last;
        }
    if (lines > 7) {
        p->counts.dram_bytes_written += count_dirty(last) * SECTOR;
        memset(last->dirty, 0, sizeof last->dirty);
    }
}

static void
plain_l2(struct plain *p, uint32_t sm, uint64_t number, unsigned sector, enum access_op op)
{
    p->counts.l2_sectors++;
    if (!p->sets[1]) { /* nor anything to hit */
        p->counts.dram_bytes_read += op != ACCESS_STORE ? SECTOR : 0;
        p->counts.dram_bytes_written += op != ACCESS_LOAD ? SECTOR : 0;
        return;
    }
    p->counts.l2_loads += op != ACCESS_STORE;
    struct line *set = p->l2 + plain_set(number, p->sets[1]) * 16, *l = find(set, 16, number);
    if (!l) {
        l = oldest(set, 16);
        p->counts.dram_bytes_written += count_dirty(l) * SECTOR;
        *l = (struct line){.number = number};
    }
    l->used = ++p->now;
    bool hit = l->valid[sector];
    p->counts.dram_bytes_read += !hit && op != ACCESS_STORE ? SECTOR : 0;
    l->valid[sector] = true;
    l->dirty[sector] |= op != ACCESS_LOAD;
    plain_clean(p, set);
    if (p->d->l2_halves && op != ACCESS_LOAD) {
        l->copied[sector] = false;
    } else if (p->d->l2_halves && (sm / 8 & 1) != (unsigned)__builtin_parityll(number)) {
        hit = hit && l->copied[sector];
        l->copied[sector] = true;
    }
    p->counts.l2_hits += hit || op == ACCESS_STORE;
}

static struct plain
plain_new(const struct device_profile *d)
{
    struct plain p = {.d = d, .sets = {model_l1_bytes(d, 0) / LINE / 4, d->l2_bytes / LINE / 16}};
    p.l1 = calloc(SMS * p.sets[0] * 4 + 1, sizeof *p.l1);
    p.l2 = calloc(p.sets[1] * 16 + 1, sizeof *p.l2);
    p.now = 1;
    return p;
}

static struct cache_counts
plain_end(struct plain *p)
{
    for (uint64_t k = 0; k < p->sets[1] * 16; k++)
        p->counts.dram_bytes_written += count_dirty(&p->l2[k]) * SECTOR;
    free(p->l1);
    free(p->l2);
    return p->counts;
}

static uint64_t
draw(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    return *seed ^= *seed << 17;
}

/* The same traffic to both. Lines lie `apart`, so that some sets overflow; runs of up to nine
 * sectors. */
static void
play(struct cache_system *s, struct plain *p, uint64_t apart, uint64_t seed)
{
    static const enum access_op ops[] = {ACCESS_LOAD,  ACCESS_LOAD,   ACCESS_LOAD,
                                         ACCESS_STORE, ACCESS_ATOMIC, ACCESS_REDUCE};
    for (int k = 0; k < RUNS; k++) {
        uint32_t sm = (uint32_t)(draw(&seed) % SMS), count = (uint32_t)(draw(&seed) % 9 + 1);
        uint64_t sector = draw(&seed) % 700 * apart * 4 + draw(&seed) % 4;
        enum access_op op = ops[draw(&seed) % 6];
        bool bypass = draw(&seed) % 8 == 0;
        cache_system_sectors(s, sm, sector * SECTOR, count, op, bypass);
        bool before[4];
        for (uint32_t n = 0; n < count; n++, sector++) { /* L1 line by line, then L2 */
            bool first = !n || sector % 4 == 0;
            uint32_t rest = 0;
            for (uint32_t m = n; first && m < count && (m == n || (sector + m - n) % 4);
                 m++, rest++)
                before[rest] = plain_l1(p, sm, sector / 4, (sector + rest) % 4, op, bypass, m == n);
            for (uint32_t m = 0; first && m < rest; m++)
                if (!before[m])
                    plain_l2(p, sm, sector / 4, (sector + m) % 4, op);
        }
    }
}

static void
compare(const struct cache_counts *a, const struct cache_counts *b)
{
    assert_int_equal(a->l1_sectors, b->l1_sectors);
    assert_int_equal(a->l1_hits, b->l1_hits);
    assert_int_equal(a->l2_sectors, b->l2_sectors);
    assert_int_equal(a->l2_hits, b->l2_hits);
    assert_int_equal(a->l2_loads, b->l2_loads);
    assert_int_equal(a->dram_bytes_read, b->dram_bytes_read);
    assert_int_equal(a->dram_bytes_written, b->dram_bytes_written);
}

static void
plain_caches(void **state)
{
    (void)state;
    static const char *const devices[] = {"cc9.0", "v100", "cc3.5", "cc2.0", "g80", "a100"};
    enum { DEVICES = sizeof devices / sizeof *devices };
    for (size_t k = 0; k < 2 * DEVICES; k++) {
        const struct device_profile *d = model_find_device(devices[k % DEVICES]);
        assert_true(d->sm_count >= SMS);
        struct cache_system *s = cache_system_new(d, 0);
        if (k >= DEVICES)
            cache_system_narrow(s);
        for (uint64_t apart = 1; apart < 1 << 20; apart = apart * 64 + 1) {
            struct plain p = plain_new(d);
            play(s, &p, apart, 1 + apart);
            struct cache_counts mine = cache_system_counts(s, true), plain = plain_end(&p);
            compare(&mine, &plain);
            assert_true(mine.l2_sectors > 0);
            assert_true(
                cache_system_again(s, d, 0)); /* the next traffic finds nothing of this one */
        }
        cache_system_free(s);
    }
}

/* Lines that an L1 is given together count as if it were given them one by one; some of them often,
 * some in rows of one kind, as warps leave them, some of all kinds. */
static void
batches(void **state)
{
    (void)state;
    enum { MOST = 70 };
    static const char *const devices[] = {"cc9.0", "v100", "a100", "cc8.6", "cc3.5", "cc2.0"};
    for (size_t k = 0; k < sizeof devices / sizeof *devices; k++) {
        const struct device_profile *d = model_find_device(devices[k]);
        struct cache_system *s = cache_system_new(d, 0), *t = cache_system_new(d, 0);
        struct cache_counts one = {0}, other = {0};
        uint64_t seed = 1 + k, line[MOST], got[MOST + 1], want[MOST];
        for (int turn = 0; turn < RUNS / 4; turn++) {
            size_t count = draw(&seed) % MOST + 1, wanted = 0;
            uint64_t kind = draw(&seed) % 8, base = draw(&seed) % 3 << draw(&seed) % 31;
            for (size_t n = 0; n < count; n++) {
                uint64_t number = base + draw(&seed) % (turn % 2 ? 40 : 4000),
                         op = kind < 3   ? 0
                              : kind < 5 ? 1
                                         : draw(&seed) % 4;
                line[n] = number << CACHE_LINE_SHIFT | (draw(&seed) % 15 + 1) |
                          op << CACHE_OP_SHIFT | (draw(&seed) % 9 || kind < 6 ? 0 : CACHE_BYPASS);
            }
            uint32_t sm = (uint32_t)(draw(&seed) % SMS);
            got[count] = 77; /* nothing may be written there */
            size_t n = cache_system_l1(s, sm, line, count, got, &one);
            assert_int_equal(got[count], 77);
            for (size_t m = 0; m < count; m++)
                wanted += cache_system_l1(t, sm, &line[m], 1, want + wanted, &other);
            assert_int_equal(n, wanted);
            assert_memory_equal(got, want, n * sizeof *got);
        }
        compare(&one, &other);
        assert_true(one.l1_hits > 0 || !d->l1_global_loads);
        cache_system_free(s);
        cache_system_free(t);
    }
}

/* What an L1's words of 32 bits have room for (cache_l1.c). */
static void
sets_enough(void **state)
{
    (void)state;
    const struct device_profile *d;
    for (size_t k = 0; (d = model_device_at(k)); k++)
        for (uint32_t shared = 0; shared <= 256 << 10; shared += 1 << 10) {
            uint32_t carveout = model_carveout(d, shared),
                     sets = model_l1_bytes(d, carveout) / LINE / 4;
            assert_true(sets == 0 || sets > 16);
        }
}

/* Other shared memory, other L1: new caches are needed. */
static void
other_size(void **state)
{
    (void)state;
    const struct device_profile *d = model_find_device("h200");
    struct cache_system *s = cache_system_new(d, 0);
    assert_true(cache_system_again(s, d, 0));
    assert_false(cache_system_again(s, d, 100 << 10));
    cache_system_free(s);
}

/* Played in two parts: what a line that L1 does not have leaves for L2. */
static void
parts(void **state)
{
    (void)state;
    enum { LINES = 65 };
    struct cache_system *s = cache_system_new(model_find_device("h200"), 0);
    uint64_t line[2 * LINES], ask[2 * LINES];
    struct cache_counts own = {0};
    for (uint64_t k = 0; k < 2 * LINES; k++)
        line[k] =
            k % LINES << CACHE_LINE_SHIFT | (uint64_t)ACCESS_LOAD << CACHE_OP_SHIFT | CACHE_SECTORS;
    line[0] = line[LINES] &= ~(uint64_t)7; /* of the first line the last sector */
    assert_int_equal(cache_system_l1(s, 0, line, 2 * LINES, ask, &own),
                     LINES); /* then all is there */
    assert_int_equal(own.l1_sectors, 2 * 257);
    assert_int_equal(own.l1_hits, 257);
    assert_int_equal(cache_system_parts(s, 3), 2);
    uint64_t part[2][LINES], *to[] = {part[0], part[1]};
    cache_system_split(ask, LINES, 2, to);
    for (int k = 0; k < 2; k++)
        cache_system_l2(s, part[k], (size_t)(to[k] - part[k]), &own);
    cache_system_add(s, &own);
    struct cache_counts n = cache_system_counts(s, false);
    assert_int_equal(n.l1_hits, 257);
    assert_int_equal(n.l2_sectors, 257);
    assert_int_equal(n.dram_bytes_read, 257 * SECTOR);
    cache_system_free(s);
}

static void
count_step(struct cache_arrivals *a, const uint64_t *line, size_t count, const uint64_t *ask,
           size_t asked, uint64_t loads, uint64_t waits)
{
    struct cache_counts n = {0};
    cache_count_waits(a, line, count, ask, asked, &n);
    assert_int_equal(n.line_loads, loads);
    assert_int_equal(n.line_waits, waits);
}

/* Eight warps ask for one line, then for lines of their own, then for what is there. */
static void
waits(void **state)
{
    (void)state;
    enum { WARPS = 8 };
    struct cache_system *s = cache_system_new(model_find_device("h200"), 0);
    static struct cache_arrivals a;
    struct cache_counts n = {0};
    uint64_t load = (uint64_t)ACCESS_LOAD << CACHE_OP_SHIFT | 1, line[WARPS], ask[WARPS];
    for (uint64_t k = 0; k < WARPS; k++)
        line[k] = 40ull << CACHE_LINE_SHIFT | load;
    size_t asked = cache_system_l1(s, 0, line, WARPS, ask, &n);
    assert_int_equal(asked, 1); /* seven hit, and wait as long */
    count_step(&a, line, WARPS, ask, asked, WARPS, WARPS);
    for (uint64_t k = 1; k < WARPS; k++)
        line[k] = (40 + k) << CACHE_LINE_SHIFT | load;
    asked = cache_system_l1(s, 0, line, WARPS, ask, &n);
    count_step(&a, line, WARPS, ask, asked, WARPS, WARPS - 1);
    asked = cache_system_l1(s, 0, line, WARPS, ask, &n);
    assert_int_equal(asked, 0);
    count_step(&a, line, WARPS, ask, asked, WARPS, 0);
    for (uint64_t k = 0; k < WARPS; k++) /* stores wait for nothing */
        line[k] = (60 + k) << CACHE_LINE_SHIFT | (uint64_t)ACCESS_STORE << CACHE_OP_SHIFT | 1;
    asked = cache_system_l1(s, 0, line, WARPS, ask, &n);
    count_step(&a, line, WARPS, ask, asked, 0, 0);
    cache_system_free(s);
}

int
main(void)
{
    return UNIT_TESTS(plain_caches, batches, sets_enough, other_size, parts, waits);
}
