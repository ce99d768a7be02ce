/* SPDX-License-Identifier: Apache-2.0
 *
 * Waves as they are played (rows of eight steps, repeated loads dropped, pages numbered from what
 * blocks noted) against the plainest way: step by step, warp by warp, line by line, a page's number
 * when it is met. Random traces: accesses of one shape in all warps, alike ones side by side,
 * others between; loops that repeat a step; lines written out; pages crossed at any place; warps
 * that end early.
 */
#include "profile/play_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/unit.h"

enum { WARPS = 3, MOST_BLOCKS = 300, MOST_WORDS = 60, WAVES = 3, SHAPE_KINDS = 12, PLACES = 70 };

static uint64_t
draw(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    return *seed ^= *seed << 17;
}

/* -- traces ------------------------------------------------------------------------------------ */

struct traces {
    struct watch watch;
    struct sheet sheet;
    struct jit_trace trace[WARPS];
    uint16_t shape[SHAPE_KINDS];
    uint64_t place[PLACES]; /* line numbers around which accesses lie */
};

/* Lines of an access, seen from its reference: some follow each other without a gap. */
static uint32_t
draw_lines(uint64_t *seed, int64_t *line)
{
    static const int op[] = {ACCESS_LOAD, ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC};
    uint32_t count = (uint32_t)(draw(seed) % 6 + 1);
    int64_t at = draw(seed) % 3 ? 0 : (int64_t)(draw(seed) % 40) - 20;
    int64_t flags = op[draw(seed) % 4] << CACHE_OP_SHIFT | (draw(seed) % 9 ? 0 : CACHE_BYPASS);
    for (uint32_t k = 0; k < count; k++) {
        bool on = k && draw(seed) % 2;
        at += !k ? 0 : on ? 1 : (int64_t)(draw(seed) % 9);
        line[k] = at * (1 << CACHE_LINE_SHIFT) | flags | (int64_t)(draw(seed) % 15 + 1) |
                  (on ? LINE_CONTINUES : 0);
    }
    return count;
}

static void
begin(struct traces *t, uint64_t *seed, bool far)
{
    *t = (struct traces){.sheet = {.watch = &t->watch}};
    pthread_mutex_init(&t->watch.shapes.lock, NULL);
    for (int k = 0; k < SHAPE_KINDS; k++) {
        int64_t line[8];
        uint32_t count = draw_lines(seed, line);
        if (far && k == 0) /* halves of a warp that lie apart */
            line[0] += (int64_t)5000 << CACHE_LINE_SHIFT;
        t->shape[k] = trace_shape(&t->sheet, line, count);
        assert_int_not_equal(t->shape[k], 0);
    }
    for (int k = 0; k < PLACES; k++) /* near the edges of pages, too */
        t->place[k] = ((draw(seed) % 40 + 100) << 14) + draw(seed) % 3 * 8192 + draw(seed) % 50;
    for (int w = 0; w < WARPS; w++)
        t->trace[w].at = t->trace[w].start = malloc(16 * MOST_WORDS * sizeof(uint64_t));
}

static void
end(struct traces *t)
{
    for (int w = 0; w < WARPS; w++)
        free(t->trace[w].start);
    trace_shapes_free(&t->watch);
}

static void
write_access(struct traces *t, struct jit_trace *to, uint64_t *seed, uint64_t number, uint32_t kind)
{
    if (kind < SHAPE_KINDS) {
        *to->at++ = number << CACHE_LINE_SHIFT | t->shape[kind];
        return;
    }
    int64_t line[8];
    uint32_t count = draw_lines(seed, line);
    *to->at++ = (uint64_t)count << CACHE_LINE_SHIFT;
    for (uint32_t k = 0; k < count; k++)
        *to->at++ = (number << CACHE_LINE_SHIFT) + (uint64_t)line[k];
}

/* What the blocks of a wave have in common. */
struct common {
    uint64_t alike, few; /* places that are used */
    uint64_t period;     /* 0: no loop; every other step of a loop is new */
};

/* In a loop only now and then a warp does something else. */
static struct played
draw_block(struct traces *t, uint64_t *seed, uint64_t alike, const struct common *how)
{
    uint64_t few = how->few, odd = how->period ? 400 : 16;
    uint64_t length[WARPS], most = draw(seed) % MOST_WORDS;
    for (int w = 0; w < WARPS; w++) {
        t->trace[w].at = t->trace[w].start;
        length[w] = draw(seed) % 3 ? most : draw(seed) % (most + 1);
    }
    for (uint64_t k = 0; k < most; k++) {
        bool again = how->period && (k % how->period == 0 || how->period == 1 || k % 5 == 0);
        uint64_t common = alike * (again ? k / 20 + 100 : k + 1),
                 number = t->place[draw(&common) % few], apart = draw(&common) % 3;
        uint32_t kind = draw(&common) % (SHAPE_KINDS + 1);
        for (uint64_t w = 0; w < WARPS; w++) {
            bool other = draw(seed) % odd == 0;
            if (k < length[w])
                write_access(t, &t->trace[w], seed,
                             other ? t->place[draw(seed) % few] : number + w * apart,
                             other ? (uint32_t)(draw(seed) % (SHAPE_KINDS + 1)) : kind);
        }
    }
    struct page_uses u;
    page_uses_begin(&u, t->sheet.reach);
    uint64_t words = 0;
    for (uint32_t w = 0; w < WARPS; w++) {
        page_uses_add(&u, w, &t->trace[w], t->sheet.shape);
        words += (uint64_t)(t->trace[w].at - t->trace[w].start);
    }
    struct played b = {.use_count = u.count};
    b.words = calloc(words + 1, sizeof *b.words);
    b.start = calloc(WARPS + 1, sizeof *b.start);
    b.use = calloc(u.count + 1, sizeof *b.use);
    memcpy(b.use, u.use, u.count * sizeof *u.use);
    for (uint32_t w = 0; w < WARPS; w++) {
        uint64_t n = (uint64_t)(t->trace[w].at - t->trace[w].start);
        memcpy(b.words + b.start[w], t->trace[w].start, n * sizeof *b.words);
        b.start[w + 1] = b.start[w] + n;
    }
    return b;
}

/* -- the plain way ----------------------------------------------------------------------------- */

struct plain {
    const struct device_profile *d;
    struct cache_system *system;
    uint64_t page[10000], pages, runs;
    double busiest, even;
    /* of the step in hand on one SM: lines that are loaded, and those of them that miss */
    VEC(uint64_t) loaded, missed;
    uint64_t line_loads, line_waits;
    VEC(uint64_t) touched; /* sectors, as often as they are */
};

static uint64_t
number_page(struct plain *p, uint64_t page)
{
    uint64_t n = 0;
    while (n < p->pages && p->page[n] != page)
        n++;
    assert_true(n < 10000);
    p->page[n] = page;
    p->pages += n == p->pages;
    return n;
}

static void
play_access(struct plain *p, uint32_t sm, const struct traced *t, uint64_t partition[64])
{
    uint64_t shift = 0;
    for (uint32_t k = 0; k < t->count; k++) {
        uint64_t word = t->base + (uint64_t)t->line[k], ask;
        struct cache_counts counts = {0};
        if (!(t->line[k] & LINE_CONTINUES)) {
            shift = (number_page(p, word >> PAGE_SHIFT) - (word >> PAGE_SHIFT)) << PAGE_SHIFT;
            p->runs++;
        }
        word += shift;
        size_t n = cache_system_l1(p->system, sm, &word, 1, &ask, &counts);
        bool load = (word >> CACHE_OP_SHIFT & 3) == ACCESS_LOAD;
        if (load)
            VEC_PUSH(&p->loaded, word >> CACHE_LINE_SHIFT);
        if (load && n)
            VEC_PUSH(&p->missed, word >> CACHE_LINE_SHIFT);
        cache_system_l2(p->system, &ask, n, &counts);
        cache_system_add(p->system, &counts);
        for (uint64_t s = 0; s < 4; s++)
            if (word >> s & 1)
                VEC_PUSH(&p->touched, (word >> CACHE_LINE_SHIFT) * 4 + s);
        for (uint64_t s = 0; s < 4 && p->d->memory_partitions; s++)
            if (word >> s & 1)
                partition[model_partition(p->d, ((word >> CACHE_LINE_SHIFT) * 4 + s) * 32)]++;
    }
}

static void
add_step(struct plain *p, uint64_t partition[64])
{
    uint64_t most = 0, all = 0;
    for (int k = 0; k < 64; k++) {
        most = partition[k] > most ? partition[k] : most;
        all += partition[k];
        partition[k] = 0;
    }
    p->busiest += (double)most;
    p->even += p->d->memory_partitions ? (double)all / p->d->memory_partitions : 0;
}

/* Loads of one step wait where the step has a load of the same line that misses. */
static void
add_waits(struct plain *p)
{
    p->line_loads += p->loaded.count;
    for (size_t k = 0; k < p->loaded.count; k++) {
        size_t m = 0;
        while (m < p->missed.count && p->missed.at[m] != p->loaded.at[k])
            m++;
        p->line_waits += m < p->missed.count;
    }
    p->loaded.count = p->missed.count = 0;
}

static void
play_plain(struct plain *p, const struct played *block, uint64_t blocks,
           struct outline *const *shape)
{
    const uint64_t **at = calloc(blocks * WARPS, sizeof *at);
    uint64_t partition[64] = {0};
    for (uint64_t k = 0; k < blocks * WARPS; k++)
        at[k] = block[k / WARPS].words + block[k / WARPS].start[k % WARPS];
    for (bool some = true; some;) {
        some = false;
        for (uint32_t sm = 0; sm < p->d->sm_count; sm++) {
            for (uint64_t b = sm; b < blocks; b += p->d->sm_count)
                for (uint64_t w = 0; w < WARPS; w++) {
                    struct traced t;
                    if (at[b * WARPS + w] == block[b].words + block[b].start[w + 1])
                        continue;
                    at[b * WARPS + w] = trace_next(at[b * WARPS + w], shape, &t);
                    play_access(p, sm, &t, partition);
                    some = true;
                }
            add_waits(p);
        }
        add_step(p, partition);
    }
    free(at);
}

static int
by_number(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* But for those of an access that goes on over the end of the last page. */
static uint64_t
bytes_touched(struct plain *p)
{
    uint64_t sectors = 0, end = p->pages << (PAGE_SHIFT - CACHE_LINE_SHIFT) << 2;
    qsort(p->touched.at, p->touched.count, sizeof *p->touched.at, by_number);
    for (size_t k = 0; k < p->touched.count && p->touched.at[k] < end; k++)
        sectors += !k || p->touched.at[k] != p->touched.at[k - 1];
    return sectors * 32;
}

/* -- both -------------------------------------------------------------------------------------- */

static void
compare(const struct kernel *k, struct plain *p)
{
    struct cache_counts n = cache_system_counts(p->system, true);
    assert_int_equal(k->caches.l1_sectors, n.l1_sectors);
    assert_int_equal(k->caches.l1_hits, n.l1_hits);
    assert_int_equal(k->caches.l2_sectors, n.l2_sectors);
    assert_int_equal(k->caches.l2_hits, n.l2_hits);
    assert_int_equal(k->caches.l2_loads, n.l2_loads);
    assert_int_equal(k->caches.dram_bytes_read, n.dram_bytes_read);
    assert_int_equal(k->caches.dram_bytes_written, n.dram_bytes_written);
    /* the player looks at some steps, keeps few lines apart, and counts repeats by the lines that
     * they repeat */
    assert_true(k->caches.line_loads > 0 || p->line_loads < 1000);
    double share = (double)k->caches.line_waits / (double)(k->caches.line_loads + 1);
    assert_true(fabs(share - (double)p->line_waits / (double)(p->line_loads + 1)) < 0.1);
    assert_int_equal(k->traced, p->runs);
    assert_true(k->camping_busiest == p->busiest);
    assert_true(k->camping_even == p->even);
    assert_true(n.l2_sectors > 0);
}

static void
one_launch(const struct device_profile *d, uint64_t seed, uint64_t few, uint32_t hands, bool narrow)
{
    struct traces t;
    struct plain p = {.d = d, .system = cache_system_new(d, 0)};
    struct cache_system *system = cache_system_new(d, 0);
    if (narrow)
        cache_system_narrow(system);
    struct player *player = player_new(d, system, WARPS, NULL);
    struct kernel k = {0};
    begin(&t, &seed, seed % 2);
    for (int wave = 0; wave < WAVES; wave++) {
        uint64_t blocks = draw(&seed) % MOST_BLOCKS + 1;
        struct common how = {draw(&seed) | 1, few, draw(&seed) % 4};
        struct played *block = calloc(blocks, sizeof *block);
        for (uint64_t b = 0; b < blocks; b++)
            block[b] = draw_block(&t, &seed, draw(&seed) % 4 ? how.alike : draw(&seed) | 1, &how);
        play_plain(&p, block, blocks, t.sheet.shape);
        player_wave(player, block, blocks, t.sheet.shape, hands);
        for (uint64_t b = 0; b < blocks; b++) {
            free(block[b].words);
            free(block[b].start);
            free(block[b].use);
        }
        free(block);
    }
    struct working_set set = {.launch = 1};
    player_end(player, &k, &set);
    compare(&k, &p);
    if (d->l2_bytes)
        assert_int_equal(working_set_since(&set, 1), bytes_touched(&p));
    assert_int_equal(working_set_since(&set, 2), 0);
    working_set_free(&set);
    VEC_FREE(&p.touched);
    VEC_FREE(&p.loaded);
    VEC_FREE(&p.missed);
    cache_system_free(p.system);
    cache_system_free(system);
    end(&t);
}

static void
waves(void **state)
{
    (void)state;
    static const char *const devices[] = {"cc9.0", "v100", "cc3.5", "cc2.0", "g80", "a100"};
    for (uint64_t n = 0; n < 12; n++)
        for (size_t k = 0; k < sizeof devices / sizeof *devices; k++)
            one_launch(model_find_device(devices[k]), 1 + 100 * n + k, n % 2 ? PLACES : 6,
                       n % 4 < 2 ? 1 : 3, n % 3 == 0);
}

int
main(void)
{
    return UNIT_TESTS(waves);
}
