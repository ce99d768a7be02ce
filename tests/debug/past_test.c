/* SPDX-License-Identifier: Apache-2.0
 *
 * past_test.c: going back: to positions, where the state is what it was; to the last stop; to who
 * wrote a byte; and that nothing of it shows in what the program prints, and how it ends.
 */
#include "debug/session.h"

enum { POINTS = 200, BLOCKS = 3, THREADS = 128 };

/* -- states ------------------------------------------------------------------------------------ */

static uint64_t
mix(uint64_t h, const void *at, size_t n)
{
    for (const uint8_t *p = at; n--; p++)
        h = (h ^ *p) * 0x100000001b3ull;
    return h;
}

static uint64_t
hash_memory(uint64_t h, struct debug_thread t, enum ptx_space space, uint64_t at, uint64_t bytes)
{
    struct debug_memory m = memory_of(t, space, at, bytes);
    bool there = ask(DEBUG_A_READ, &m, sizeof m, NULL, 0);
    return mix(mix(h, &there, 1), session.payload, session.head.bytes);
}

/* All warps, the registers of threads of each warp, shared, local and global memory. */
static uint64_t
hash_state(uint64_t out)
{
    uint64_t h = 14695981039346656037ull;
    assert_true(ask(DEBUG_A_WARPS, NULL, 0, NULL, 0));
    h = mix(h, session.payload, session.head.bytes);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        h = hash_memory(h, thread_at(b, 0), PTX_SPACE_SHARED, 0, 512);
        for (uint32_t t = 0; t < THREADS; t += 11) {
            struct debug_who who = {.thread = thread_at(b, t)};
            ask(DEBUG_A_REGISTERS, &who, sizeof who, NULL, 0);
            h = mix(h, session.payload, session.head.bytes);
            ask(DEBUG_A_FRAMES, &who, sizeof who, NULL, 0);
            h = mix(h, session.payload, session.head.bytes);
            h = hash_memory(h, who.thread, PTX_SPACE_LOCAL, 0, 24);
        }
    }
    return hash_memory(h, thread_at(0, 0), PTX_SPACE_GLOBAL, out, 8192);
}

static uint64_t
out_of(void)
{
    uint64_t out;
    struct debug_memory m = memory_of(thread_at(0, 0), PTX_SPACE_PARAM, 0, 8);
    assert_true(ask(DEBUG_A_READ, &m, sizeof m, NULL, 0));
    memcpy(&out, session.payload, sizeof out);
    return out;
}

static uint32_t seed = 12345;

static uint32_t
random_below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)seed * n) >> 32);
}

static void
run_to_end(void)
{
    break_nowhere();
    while (go_on())
        ;
}

/* Stands at position 0; how many there are. */
static uint64_t
begin_work(void)
{
    start_program("work");
    break_nowhere();
    assert_true(go((struct debug_go){.launches = 1}));
    assert_int_equal(session.stop.why, DEBUG_WHY_LAUNCH);
    assert_true(go_to(UINT64_MAX - 1));
    assert_int_equal(session.stop.why, DEBUG_WHY_END);
    uint64_t end = session.stop.position;
    assert_true(go_to(0));
    assert_int_equal(session.stop.position, 0);
    return end;
}

static int
by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void
states_come_again(void **state)
{
    uint64_t position[POINTS], hash[POINTS];
    uint32_t different = 0;
    (void)state;
    uint64_t end = begin_work(), out = out_of();
    assert_true(end > 1000);
    for (int k = 0; k < POINTS; k++)
        position[k] = 1 + random_below((uint32_t)end - 1);
    qsort(position, POINTS, sizeof *position, by_number);
    for (int k = 0; k < POINTS; k++) { /* forwards */
        assert_true(go_to(position[k]));
        assert_int_equal(session.stop.why, DEBUG_WHY_POSITION);
        assert_int_equal(session.stop.position, position[k]);
        hash[k] = hash_state(out);
        different += k && hash[k] != hash[k - 1];
    }
    assert_true(different > POINTS / 2);
    for (int n = 0; n < POINTS; n++) { /* in any order */
        int k = (int)random_below(POINTS);
        assert_true(go_to(position[k]));
        assert_int_equal(session.stop.position, position[k]);
        assert_int_equal(hash_state(out), hash[k]);
    }
    run_to_end();
    ends_with(7);
}

/* A step back, and the step again. */
static void
steps_back_are_steps(void **state)
{
    (void)state;
    uint64_t end = begin_work(), out = out_of();
    for (int n = 0; n < 100; n++) {
        uint64_t position = 200 + random_below((uint32_t)end - 200);
        assert_true(go_to(position));
        struct debug_thread t = {.block = {session.stop.at[0]}};
        t.thread[0] = session.stop.warp * 32 + (uint32_t)__builtin_ctz(session.stop.lanes);
        uint32_t how = n % 2 ? DEBUG_GO_INSN : DEBUG_GO_STEP;
        uint64_t there = hash_state(out);
        if (!go_back(how, t) || session.stop.why == DEBUG_WHY_BEGIN)
            continue;
        assert_int_equal(session.stop.why, DEBUG_WHY_STEP);
        assert_true(session.stop.position < position);
        if (how == DEBUG_GO_STEP)
            continue;
        assert_true(go((struct debug_go){.how = how, .depth = UINT32_MAX, .focus = t}));
        assert_int_equal(session.stop.position, position);
        assert_int_equal(hash_state(out), there);
    }
    run_to_end();
    ends_with(7);
}

/* What a thread's lines are, forwards, they are backwards. */
static void
lines_back(void **state)
{
    enum { MOST = 500 };
    uint64_t seen[MOST];
    uint32_t count = 0;
    struct debug_thread t = thread_at(1, 37);
    (void)state;
    begin_work();
    struct debug_go step = {.how = DEBUG_GO_STEP, .depth = UINT32_MAX, .focus = t};
    while (count < MOST && go(step) && session.stop.why == DEBUG_WHY_STEP)
        seen[count++] = session.stop.position;
    assert_true(count > 20 && count < MOST);
    for (uint32_t k = count; k-- > 0;) {
        assert_true(go_back(DEBUG_GO_STEP, t));
        assert_int_equal(session.stop.why, DEBUG_WHY_STEP);
        assert_int_equal(session.stop.position, seen[k]);
    }
    assert_true(go_back(DEBUG_GO_STEP, t)); /* its first line, on which it stood at first */
    assert_true(session.stop.position < seen[0]);
    run_to_end();
    ends_with(7);
}

static void
breakpoints_back(void **state)
{
    uint64_t seen[200];
    uint32_t count = 0;
    (void)state;
    start_program("work");
    break_at_line(marked("branch"));
    while (go_on() && session.stop.why == DEBUG_WHY_BREAK)
        seen[count++] = session.stop.position;
    assert_int_equal(session.stop.why, DEBUG_WHY_END);
    assert_true(count > 10);
    for (uint32_t k = count; k-- > 0;) {
        assert_true(go_back(DEBUG_GO_ON, thread_at(0, 0)));
        assert_int_equal(session.stop.why, DEBUG_WHY_BREAK);
        assert_int_equal(session.stop.position, seen[k]);
    }
    assert_true(go_back(DEBUG_GO_ON, thread_at(0, 0)));
    assert_int_equal(session.stop.why, DEBUG_WHY_BEGIN);
    assert_true(go_back(DEBUG_GO_ON, thread_at(0, 0)));
    assert_int_equal(session.stop.why, DEBUG_WHY_BEGIN);
    run_to_end();
    ends_with(7);
}

/* -- output ------------------------------------------------------------------------------------ */

static void
output_comes_once(void **state)
{
    char plain[4000];
    (void)state;
    start_program("work");
    set_flags();
    assert_false(go_on());
    ends_with(7);
    snprintf(plain, sizeof plain, "%s", output());
    assert_int_equal(count_text(plain, "block "), 3);
    uint64_t end = begin_work();
    for (int k = 0; k < 3; k++) {
        assert_true(go_to(end - 1));
        assert_true(go_to(end / 2));
        assert_true(go_to(UINT64_MAX - 1));
        assert_int_equal(session.stop.why, DEBUG_WHY_END);
        assert_true(go_to(1));
    }
    run_to_end();
    ends_with(7);
    assert_string_equal(output(), plain);
}

/* -- changes ----------------------------------------------------------------------------------- */

/* What is written is written again, and what was to come is not what comes. */
static void
changes_stay(void **state)
{
    (void)state;
    start_program("work");
    break_at_line(marked("branch"));
    assert_true(go_on());
    uint64_t position = session.stop.position;
    struct debug_thread t = thread_at(0, 0);
    uint32_t before = word_at(t, PTX_SPACE_SHARED, 4 * 5);
    assert_true(go_on());
    uint64_t later = session.stop.position;
    assert_true(go_to(position));
    set_word(t, PTX_SPACE_SHARED, 4 * 5, before + 1000);
    assert_true(go_to(later));
    assert_int_equal(word_at(t, PTX_SPACE_SHARED, 4 * 5), before + 1000);
    assert_true(go_to(position - 1));
    assert_int_equal(word_at(t, PTX_SPACE_SHARED, 4 * 5), before);
    assert_true(go_to(later));
    assert_int_equal(word_at(t, PTX_SPACE_SHARED, 4 * 5), before + 1000);
    assert_true(go_to(position - 1));
    set_word(t, PTX_SPACE_SHARED, 4 * 6, 1); /* the one after it is no longer */
    assert_true(go_to(later));
    assert_int_equal(word_at(t, PTX_SPACE_SHARED, 4 * 5), before);
    assert_int_equal(word_at(t, PTX_SPACE_SHARED, 4 * 6), 1);
    run_to_end();
    ends_with(7);
}

/* -- who wrote --------------------------------------------------------------------------------- */

static struct debug_write
last_write(struct debug_thread t, enum ptx_space space, uint64_t at, uint64_t bytes)
{
    struct debug_memory m = memory_of(t, space, at, bytes);
    struct debug_write w;
    if (!ask(DEBUG_A_LAST, &m, sizeof m, NULL, 0))
        fail_msg("%s", (char *)session.payload);
    memcpy(&w, session.payload, sizeof w);
    return w;
}

/* At random points and words: from the write on the word stays as it is, and before it was not. */
static void
last_writes(void **state)
{
    uint32_t found = 0;
    (void)state;
    uint64_t end = begin_work(), out = out_of();
    for (int n = 0; n < 60; n++) {
        uint64_t position = 500 + random_below((uint32_t)end - 500);
        uint64_t at = out + 4 * random_below(3 * 128);
        bool counter = n % 8 == 0;
        at = counter ? out + 4000 : at;
        assert_true(go_to(position));
        uint32_t now = word_at(thread_at(0, 0), PTX_SPACE_GLOBAL, at);
        struct debug_write w = last_write(thread_at(0, 0), PTX_SPACE_GLOBAL, at, 4);
        assert_int_equal(word_at(thread_at(0, 0), PTX_SPACE_GLOBAL, at), now);
        if (!w.found) {
            assert_int_equal(now, 0); /* as the host left it */
            continue;
        }
        found++;
        assert_true(w.position < position);
        assert_memory_equal(w.after, &now, 4);
        const struct ptx_func *f;
        const struct ptx_insn *i;
        assert_true(jit_place(session.ptx, w.place, &f, &i));
        assert_true(i->op == PTX_OP_ST || i->op == PTX_OP_ATOM || i->op == PTX_OP_RED);
        assert_true(go_to(w.position));
        assert_int_equal(session.stop.place, w.place);
        uint32_t lane = w.thread.thread[0] % 32;
        assert_true(session.stop.lanes >> lane & 1);
        assert_int_equal(session.stop.at[0], w.thread.block[0]);
        uint32_t before = word_at(thread_at(0, 0), PTX_SPACE_GLOBAL, at);
        assert_memory_equal(w.before, &before, 4);
        assert_true(go_to(w.position + 1));
        assert_int_equal(word_at(thread_at(0, 0), PTX_SPACE_GLOBAL, at), now);
        if (!counter) /* each block's threads write their own word */
            assert_int_equal(w.thread.block[0] * 128 + w.thread.thread[0], (at - out) / 4);
    }
    assert_true(found > 10);
    run_to_end();
    ends_with(7);
}

static void
shared_words_are_the_blocks(void **state)
{
    (void)state;
    start_program("work");
    break_at_line(marked("store"));
    uint32_t block = 0;
    while (go_on() && session.stop.why == DEBUG_WHY_BREAK) {
        if (session.stop.at[0] != block)
            continue;
        struct debug_thread t = thread_at(block++, 3);
        struct debug_write w = last_write(t, PTX_SPACE_SHARED, 4 * 20, 4);
        uint32_t now = word_at(t, PTX_SPACE_SHARED, 4 * 20);
        assert_int_equal(w.found, 1);
        assert_int_equal(w.thread.block[0], block - 1);
        assert_int_equal(w.thread.thread[0], 107);
        assert_memory_equal(w.after, &now, 4);
    }
    assert_int_equal(block, 3);
    run_to_end();
    ends_with(7);
}

/* -- watches ----------------------------------------------------------------------------------- */

static void
watch(uint32_t number, uint32_t kinds, struct debug_memory at)
{
    struct debug_watch w = {.number = number, .kinds = kinds, .at = at};
    if (!ask(DEBUG_A_WATCH, &w, sizeof w, NULL, 0))
        fail_msg("%s", (char *)session.payload);
}

static void
watches_stop(void **state)
{
    (void)state;
    begin_work();
    uint64_t out = out_of(), at = out + 4 * (128 + 40);
    watch(4, DEBUG_WATCH_CHANGE, memory_of(thread_at(0, 0), PTX_SPACE_GLOBAL, at, 4));
    assert_true(go_on());
    assert_int_equal(session.stop.why, DEBUG_WHY_WATCH);
    assert_int_equal(session.stop.watch, 4);
    assert_int_equal(session.stop.address, at);
    assert_int_equal(session.stop.at[0], 1);
    assert_int_equal(session.stop.warp * 32 + session.stop.watch_lane, 40);
    uint32_t now = word_at(thread_at(0, 0), PTX_SPACE_GLOBAL, at), zero = 0;
    assert_memory_equal(session.stop.after, &now, 4);
    assert_memory_equal(session.stop.before, &zero, 4);
    uint64_t position = session.stop.position;
    struct debug_write w = last_write(thread_at(0, 0), PTX_SPACE_GLOBAL, at, 4);
    assert_int_equal(w.position, position - 1);
    assert_true(go_on()); /* nobody writes it again */
    assert_int_equal(session.stop.why, DEBUG_WHY_END);
    assert_true(go_back(DEBUG_GO_ON, thread_at(0, 0)));
    assert_int_equal(session.stop.why, DEBUG_WHY_WATCH);
    assert_int_equal(session.stop.position, position);
    assert_memory_equal(session.stop.after, &now, 4);
    watch(4, 0, (struct debug_memory){0});
    run_to_end();
    ends_with(7);
}

static struct debug_memory
register_at(struct debug_thread t, const char *name, uint64_t bytes)
{
    const struct ptx_func *f = ptx_find_func(session.ptx, "ways");
    uint32_t r = 0;
    while (strcmp(f->regs[r].name, name))
        r++;
    return memory_of(t, PTX_SPACE_REG, r, bytes);
}

static uint32_t
word_of(const uint8_t *bytes)
{
    uint32_t w;
    memcpy(&w, bytes, sizeof w);
    return w;
}

/* The next stop is the register's, by the thread, at an instruction of `ways`. */
static void
stops_for(uint32_t number, uint32_t thread, enum ptx_op op, uint32_t before, uint32_t after)
{
    const struct ptx_func *f;
    const struct ptx_insn *i;
    assert_true(go_on());
    assert_int_equal(session.stop.why, DEBUG_WHY_WATCH);
    assert_int_equal(session.stop.watch, number);
    assert_int_equal(session.stop.warp * 32 + session.stop.watch_lane, thread);
    assert_true(jit_place(session.ptx, session.stop.place, &f, &i));
    assert_int_equal(i->op, op);
    assert_int_equal(word_of(session.stop.before), before);
    assert_int_equal(word_of(session.stop.after), after);
}

/* Of the thread alone, at the instructions that read and write them; in inlined functions, too. */
static void
registers_are_watched(void **state)
{
    (void)state;
    start_program("ways");
    break_at(place_of("ways", PTX_OP_MOV, 0));
    assert_true(go_on());
    break_nowhere();
    struct debug_memory beyond = memory_of(thread_at(0, 1), PTX_SPACE_REG, 1000, 4);
    struct debug_watch w = {.number = 9, .kinds = DEBUG_WATCH_READ, .at = beyond};
    assert_false(ask(DEBUG_A_WATCH, &w, sizeof w, NULL, 0));
    watch(1, DEBUG_WATCH_CHANGE, register_at(thread_at(0, 4), "%r4", 4));
    watch(2, DEBUG_WATCH_CHANGE, register_at(thread_at(0, 3), "%r4", 4));
    watch(3, DEBUG_WATCH_CHANGE, register_at(thread_at(0, 4), "%p1", 1));
    watch(4, DEBUG_WATCH_CHANGE, register_at(thread_at(0, 3), "%p1", 1)); /* stays 0 */
    watch(5, DEBUG_WATCH_READ, register_at(thread_at(0, 3), "%r2", 4));
    watch(6, DEBUG_WATCH_WRITE, register_at(thread_at(0, 6), "%p1", 1)); /* with what it is */
    stops_for(3, 4, PTX_OP_SETP, 0, 1);
    uint64_t at = session.stop.position; /* all of one instruction */
    stops_for(5, 3, PTX_OP_SETP, 0, 0);
    stops_for(6, 6, PTX_OP_SETP, 0, 0);
    assert_int_equal(session.stop.position, at);
    stops_for(2, 3, PTX_OP_LD, 0, 30);
    stops_for(1, 4, PTX_OP_SUB, 0, UINT32_MAX);
    uint64_t written = session.stop.position;
    struct debug_write last = last_write(thread_at(0, 4), PTX_SPACE_REG,
                                         register_at(thread_at(0, 4), "%r4", 4).address, 4);
    assert_true(last.found);
    assert_int_equal(last.position, written - 1);
    assert_int_equal(last.thread.thread[0], 4);
    assert_int_equal(word_of(last.after), UINT32_MAX);
    assert_true(go_back(DEBUG_GO_ON, thread_at(0, 4)));
    assert_int_equal(session.stop.why, DEBUG_WHY_WATCH);
    assert_int_equal(session.stop.watch, 2);
    assert_int_equal(session.stop.position < written, true);
    last = last_write(thread_at(0, 4), PTX_SPACE_REG,
                      register_at(thread_at(0, 4), "%r4", 4).address, 4);
    assert_false(last.found); /* not before here */
    stops_for(1, 4, PTX_OP_SUB, 0, UINT32_MAX);
    run_to_end();
    ends_with(7);
}

/* Reads and writes of one word of shared memory, in order. */
static void
accesses_of_a_word(void **state)
{
    uint32_t reads = 0, writes = 0;
    uint64_t position = 0;
    (void)state;
    start_program("work");
    break_at_line(marked("barrier"));
    assert_true(go_on());
    break_nowhere();
    struct debug_thread t = thread_at(0, 0);
    watch(1, DEBUG_WATCH_READ, memory_of(t, PTX_SPACE_SHARED, 4 * 100, 4));
    watch(2, DEBUG_WATCH_WRITE, memory_of(t, PTX_SPACE_SHARED, 4 * 100, 4));
    while (go_on() && session.stop.why == DEBUG_WHY_WATCH) {
        assert_true(session.stop.position > position);
        position = session.stop.position;
        assert_int_equal(session.stop.at[0], 0);
        reads += session.stop.watch == 1;
        writes += session.stop.watch == 2;
    }
    assert_int_equal(writes, 2); /* warp 3's first, and thread 27's */
    assert_true(reads >= 2);
    assert_int_equal(session.stop.why, DEBUG_WHY_END);
    assert_false(go_on());
    ends_with(7);
}

/* -- a long launch ----------------------------------------------------------------------------- */

/* Many snapshots, of which most are dropped. */
static void
a_long_launch(void **state)
{
    (void)state;
    start_program("plus");
    break_nowhere();
    assert_true(go((struct debug_go){.launches = 1}));
    uint64_t out = out_of();
    assert_true(go_to(UINT64_MAX - 1));
    uint64_t end = session.stop.position;
    assert_true(end > 800000);
    uint32_t last = word_at(thread_at(0, 0), PTX_SPACE_GLOBAL, out + 20);
    for (uint64_t k = 1; k < 8; k++) {
        assert_true(go_to(end * k / 8));
        uint32_t now = word_at(thread_at(0, 0), PTX_SPACE_GLOBAL, out + 20);
        struct debug_write w = last_write(thread_at(0, 0), PTX_SPACE_GLOBAL, out + 20, 4);
        assert_int_equal(w.found, now != 0 || w.found);
        assert_true(go_to(end * (8 - k) / 8));
    }
    assert_true(go_to(UINT64_MAX - 1));
    assert_int_equal(word_at(thread_at(0, 0), PTX_SPACE_GLOBAL, out + 20), last);
    run_to_end();
    ends_with(7);
}

/* What fork does not copy is not taken back, and that is said. */
static void
shared_memory_is_refused(void **state)
{
    (void)state;
    start_program("mapped");
    break_at_line(marked("plus"));
    assert_true(go_on());
    uint64_t position = session.stop.position;
    struct debug_go back = {.how = DEBUG_GO_BACK};
    struct debug_go begin = {.how = DEBUG_GO_POSITION};
    struct debug_memory m = memory_of(thread_at(0, 0), PTX_SPACE_GLOBAL, out_of(), 4);
    assert_false(ask(DEBUG_A_GO, &back, sizeof back, NULL, 0));
    assert_non_null(strstr((char *)session.payload, "share"));
    assert_false(ask(DEBUG_A_GO, &begin, sizeof begin, NULL, 0));
    assert_false(ask(DEBUG_A_LAST, &m, sizeof m, NULL, 0));
    assert_true(go_to(position + 1)); /* forwards it can */
    run_to_end();
    ends_with(7);
}

int
main(void)
{
    return UNIT_TESTS_IN(NULL, remove_folder, states_come_again, steps_back_are_steps, lines_back,
                         breakpoints_back, output_comes_once, changes_stay, last_writes,
                         shared_words_are_the_blocks, watches_stop, accesses_of_a_word,
                         a_long_launch, registers_are_watched, shared_memory_is_refused);
}
