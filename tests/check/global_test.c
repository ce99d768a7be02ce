/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses to device memory as check keeps them. Judgements of cells that are memoised for the
 * lanes behind (memo.h), against cells judged lane by lane: after any accesses of warps of several
 * blocks and launches the cells are the same, and so is all that was found; which lanes are taken
 * as one before them, which are not. And lines whose records become one, so that they stay lines.
 */
#include "check/memo.h"
#include "check/shadow.h"

#include "common/unit.h"
#include <stdlib.h>
#include <string.h>

enum { PLACES = 6, WARPS = 3, BLOCKS = 2, BYTES = 4 * CHUNK, ATOMIC_PLACE = 5 };

/* A check of its own, which sees what all others see. */
struct world {
    bool by_lane;
    struct check *check;
    struct kernel_facts facts;
    struct place_facts place[PLACES];
    char *file[PLACES];
    uint32_t line[PLACES], column[PLACES];
    struct range expect[PLACES];
    uint8_t read_only[PLACES];
    struct jit_launch jit;
    struct launch launch;
    struct jit_block block[BLOCKS];
    struct block_state state[BLOCKS];
};

static char kernel_name[] = "kernel";
static uint8_t *memory; /* BYTES, from the start of a chunk */

static void
begin(struct world *w, bool by_lane, bool blocks_meet)
{
    struct ls_error err = {0};
    memset(w, 0, sizeof *w);
    w->by_lane = by_lane;
    w->check = (struct check *)check_open(model_find_device("h200"), "", &err);
    assert_non_null(w->check);
    w->facts = (struct kernel_facts){.name = kernel_name,
                                     .place_count = PLACES,
                                     .facts_count = PLACES,
                                     .place = w->place,
                                     .file = w->file,
                                     .line = w->line,
                                     .column = w->column,
                                     .blocks_meet = blocks_meet};
    for (uint32_t p = 0; p < PLACES; p++) {
        w->place[p] = (struct place_facts){.flags = p == ATOMIC_PLACE ? PLACE_ATOMIC | PLACE_STRONG
                                                    : p & 1           ? PLACE_STORE
                                                                      : 0,
                                           .align = 4,
                                           .unit = 4,
                                           .used = ~0u,
                                           .device = true};
        w->file[p] = "k.cu";
        w->line[p] = p + 1;
    }
    w->jit = (struct jit_launch){.grid = {BLOCKS, 1, 1}, .block = {32 * WARPS, 1, 1}};
    w->launch = (struct launch){.check = w->check,
                                .facts = &w->facts,
                                .launch = &w->jit,
                                .watched = true,
                                .expect = w->expect,
                                .read_only = w->read_only};
    for (uint32_t b = 0; b < BLOCKS; b++) {
        w->block[b] = (struct jit_block){.launch = &w->jit, .ctaid = {b}, .index = b};
        w->state[b] = (struct block_state){.launch = &w->launch,
                                           .block = &w->block[b],
                                           .facts = w->place,
                                           .expect = w->expect,
                                           .order.stamp = 1,
                                           .order.first = 1,
                                           .order.floor = 1,
                                           .warps = WARPS,
                                           .exists = {~0u, ~0u, ~0u}};
    }
    global_range(w->check->global, (uint64_t)(uintptr_t)memory, BYTES - 512, 0, true);
}

static void
next_launch(struct world *w, bool waits)
{
    struct job job = {.kernel = &w->facts,
                      .what = "kernel",
                      .block = {32 * WARPS, 1, 1},
                      .grid = {BLOCKS, 1, 1},
                      .stream = waits ? 0 : 1,
                      .seq = 1};
    w->launch.work = work_add(w->check, &job);
    if (waits)
        w->launch.floor = w->launch.work;
}

static void
end(struct world *w)
{
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t k = 0; k < MOST_WARPS; k++) {
            ls_release(w->state[b].order.lanes_met[k]);
            ls_release(w->state[b].copied.of[k]);
        }
    check_close(&w->check->tool);
}

/* One access of a warp. */
struct warp_access {
    uint32_t block, warp, lanes, place;
    uint64_t address[JIT_LANES];
    uint32_t value[JIT_LANES];
};

static uint32_t
op_of(uint32_t place)
{
    return place == ATOMIC_PLACE ? JIT_ATOMIC : place & 1 ? JIT_STORE : JIT_LOAD;
}

static void
make(struct world *w, const struct warp_access *a)
{
    struct block_state *b = &w->state[a->block];
    struct jit_warp warp = {
        .block = &w->block[a->block], .warp = a->warp, .lanes = ~0u, .values = a->value};
    struct visit v = {.b = b,
                      .w = &warp,
                      .facts = &w->place[a->place],
                      .expect = &w->expect[a->place],
                      .lanes = a->lanes,
                      .bytes = 4,
                      .space = PTX_SPACE_GLOBAL,
                      .op = op_of(a->place),
                      .place = a->place,
                      .warp = a->warp};
    for (uint32_t left = a->lanes; left && w->by_lane; left &= left - 1)
        global_access(&v, left & -left, a->address);
    if (!w->by_lane)
        global_access(&v, a->lanes, a->address);
}

static void
same_cells(const struct world *a, const struct world *b, const struct warp_access *x)
{
    for (uint32_t left = x->lanes; left; left &= left - 1) {
        uint64_t at = x->address[__builtin_ctz(left)];
        struct cell one = chunk_cell(shadow_chunk(a->check->global, at, true), at & (CHUNK - 1));
        struct cell two = chunk_cell(shadow_chunk(b->check->global, at, true), at & (CHUNK - 1));
        assert_memory_equal(&one, &two, sizeof one);
    }
}

enum pattern { ROW, COLUMN, BACKWARDS, ONE_WORD, ANYWHERE, PATTERNS };

static void
addresses(struct warp_access *x, enum pattern how, uint32_t from)
{
    const uint32_t words = BYTES / 4;
    for (uint32_t l = 0; l < JIT_LANES; l++) {
        uint32_t word = how == ROW         ? from + l
                        : how == COLUMN    ? from + l * 515
                        : how == BACKWARDS ? from + 31 - l
                        : how == ONE_WORD  ? from
                                           : from + (uint32_t)rand() % 40;
        x->address[l] = (uint64_t)(uintptr_t)memory + 4 * (word % words);
    }
}

static struct warp_access
random_access(void)
{
    struct warp_access x = {.block = (uint32_t)rand() % BLOCKS,
                            .warp = (uint32_t)rand() % WARPS,
                            .lanes = rand() % 3 ? ~0u : (uint32_t)rand() * 2u + 1u,
                            .place = (uint32_t)rand() % PLACES};
    uint32_t step = rand() % 2 ? 0 : 1;
    addresses(&x, (enum pattern)(rand() % PATTERNS),
              rand() % 8 ? 64 : (uint32_t)rand() % (BYTES / 4));
    for (uint32_t l = 0; l < JIT_LANES; l++)
        x.value[l] = step * l;
    return x;
}

/* A barrier of the block, or a warp's. */
static void
meet(struct world *w, uint32_t block, uint32_t warp, bool all)
{
    struct block_state *b = &w->state[block];
    order_arrive(b);
    if (all)
        b->order.floor = b->order.stamp;
    else
        b->order.warp_floor[warp] = b->order.stamp;
}

static uint64_t
alike(const struct world *w)
{
    uint64_t sum = 0;
    for (uint32_t at = 0; at < BYTES; at += CHUNK) {
        const struct chunk *c =
            shadow_chunk(w->check->global, (uint64_t)(uintptr_t)memory + at, false);
        sum += c ? c->alike : 0;
    }
    return sum;
}

static void
same_as_lane_by_lane(void **unused)
{
    static struct world a, b;
    uint64_t taken = 0;
    (void)unused;
    for (unsigned seed = 1; seed <= 60; seed++) {
        srand(seed);
        begin(&a, false, seed & 1);
        begin(&b, true, seed & 1);
        for (int step = 0; step < 300; step++) {
            if (step % 100 == 0) {
                bool waits = rand() % 3;
                next_launch(&a, waits);
                next_launch(&b, waits);
            }
            if (rand() % 12 == 0) {
                uint32_t block = (uint32_t)rand() % BLOCKS, warp = (uint32_t)rand() % WARPS;
                bool all = rand() & 1;
                meet(&a, block, warp, all);
                meet(&b, block, warp, all);
            }
            struct warp_access x = random_access();
            make(&a, &x);
            make(&b, &x);
            same_cells(&a, &b, &x);
        }
        char *one = check_write(&a.check->tool, true), *two = check_write(&b.check->tool, true);
        assert_string_equal(one, two);
        free(one);
        free(two);
        taken += alike(&a);
        assert_int_equal(alike(&b), 0);
        end(&a);
        end(&b);
    }
    assert_true(taken > 20000);
}

/* How many lanes of the second access are taken as one before them, once another warp or the same
 * one has made the first. */
static uint64_t
taken_of(enum pattern first, uint32_t first_place, enum pattern second, uint32_t place,
         uint32_t warp, bool differ)
{
    static struct world w;
    struct warp_access x = {.lanes = ~0u, .place = first_place},
                       y = {.lanes = ~0u, .place = place, .warp = warp};
    begin(&w, false, true);
    next_launch(&w, true);
    addresses(&x, first, 64);
    addresses(&y, second, 64);
    for (uint32_t l = 0; l < JIT_LANES && differ; l++)
        y.value[l] = l & 1;
    make(&w, &x);
    uint64_t before = alike(&w);
    make(&w, &y);
    uint64_t taken = alike(&w) - before;
    end(&w);
    return taken;
}

static void
fires(void **unused)
{
    (void)unused;
    assert_int_equal(taken_of(ROW, 1, ROW, 0, 1, false), 31);       /* races: load of a store */
    assert_int_equal(taken_of(COLUMN, 1, COLUMN, 0, 1, false), 31); /*   in as many chunks */
    assert_int_equal(taken_of(ROW, 0, ROW, 1, 1, false), 31);       /* store after a load */
    assert_int_equal(taken_of(BACKWARDS, 1, BACKWARDS, 2, 0, false), 31); /* its own store */
}

static void
must_not(void **unused)
{
    (void)unused;
    assert_int_equal(taken_of(ROW, 1, ROW, 3, 1, false), 0); /* two stores: which values? */
    assert_int_equal(taken_of(ROW, 1, ROW, 3, 1, true), 0);
    assert_int_equal(taken_of(ROW, 1, BACKWARDS, 0, 0, false), 0); /* lanes of the own warp */
    assert_int_equal(taken_of(ONE_WORD, 1, ONE_WORD, 1, 0, false), 0);
    assert_int_equal(taken_of(ONE_WORD, 0, ONE_WORD, 0, 0, false), 0);
}

/* -- lines ------------------------------------------------------------------------------------- */

/* A warp's access in which lanes are `step` bytes from each other, as runs.c takes it. */
static void
access_run(struct world *w, uint32_t place, uint64_t at, int64_t step, uint32_t bytes)
{
    const uint64_t base = (uint64_t)(uintptr_t)memory;
    uint64_t address[JIT_LANES];
    struct jit_warp warp = {.block = &w->block[0], .lanes = ~0u};
    struct visit v = {.b = &w->state[0],
                      .w = &warp,
                      .facts = &w->place[place],
                      .expect = &w->expect[place],
                      .lanes = ~0u,
                      .bytes = bytes,
                      .space = PTX_SPACE_GLOBAL,
                      .op = op_of(place),
                      .place = place};
    for (uint32_t l = 0; l < JIT_LANES; l++)
        address[l] = base + at + (uint64_t)(l * step);
    w->place[place].align = (uint8_t)bytes;
    w->expect[place] = (struct range){base, base + BYTES};
    assert_true(runs_lanes(&v, address));
}

static const struct chunk *
chunk_at(const struct world *w, uint64_t at)
{
    return shadow_chunk(w->check->global, (uint64_t)(uintptr_t)memory + at, false);
}

/* Columns of a matrix, one a launch: each line has words of 32 launches. Those of a place and of
 * launches that are over are one record, which says that the first of them wrote. */
static void
writes_merge(void **unused)
{
    static struct world w;
    (void)unused;
    for (int alone = 0; alone < 2; alone++) {
        begin(&w, false, false);
        w.launch.alone = alone;
        for (uint32_t k = 0; k < 32; k++) {
            next_launch(&w, true);
            access_run(&w, k < 16 ? 1 : 3, 4 * k, 2048, 4);
        }
        const struct chunk *c = chunk_at(&w, 0);
        assert_true(alone ? c->lines && !c->cells : c->cells && !c->lines);
        for (uint32_t k = 0; k < 32; k++) {
            struct mark m = chunk_cell(c, 4 * k).write;
            assert_int_equal(mark_place(&m), k < 16 ? 1 : 3);
            assert_in_range(mark_work(&m), alone ? (k < 16 ? 1 : 17) : k + 1, k + 1);
        }
        end(&w);
    }
}

/* Launches that may still run are told apart. */
static void
writes_stay(void **unused)
{
    static struct world w;
    (void)unused;
    begin(&w, false, false);
    next_launch(&w, true);
    w.launch.alone = true;
    for (uint32_t k = 0; k < 32; k++) {
        next_launch(&w, false);
        access_run(&w, 1, 4 * k, 2048, 4);
    }
    assert_non_null(chunk_at(&w, 0)->cells);
    end(&w);
}

/* Elements of 8 bytes that lanes come to one after the other, one row above the next lane's: in a
 * line they are one record, read or written; the other way round there is none for them. */
static void
columns_join(void **unused)
{
    static struct world w;
    const uint64_t last = 15 * 1024; /* the row that 16 lanes have come to */
    (void)unused;
    for (uint32_t place = 0; place < 2; place++)
        for (int back = 0; back < 2; back++) {
            begin(&w, false, true);
            next_launch(&w, true);
            for (uint32_t k = 0; k < 16; k++)
                access_run(&w, place, k * 1024 + (back ? 31 * 8 : 0), back ? 1024 - 8 : 1024 + 8,
                           8);
            const struct chunk *c = chunk_at(&w, last);
            uint64_t at = last + (back ? 128 : 0);
            assert_true(back ? c->cells != NULL : c->lines && c->lines[at / 128].count == 1);
            for (uint32_t k = 0; k < 16; k++) {
                struct cell cell = chunk_cell(c, (uint32_t)at + 8 * k);
                assert_int_equal(mark_lane(place ? &cell.write : &cell.read), back ? 15 - k : k);
            }
            end(&w);
        }
}

static int
map_memory(void **unused)
{
    (void)unused;
    memory = aligned_alloc(CHUNK, BYTES);
    if (memory)
        memset(memory, 0, BYTES);
    return !memory;
}

static int
free_memory(void **unused)
{
    (void)unused;
    free(memory);
    return 0;
}

int
main(void)
{
    return UNIT_TESTS_IN(map_memory, free_memory, same_as_lane_by_lane, fires, must_not,
                         writes_merge, writes_stay, columns_join);
}
