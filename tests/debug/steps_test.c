/* SPDX-License-Identifier: Apache-2.0
 *
 * steps_test.c: where a kernel stops: at breakpoints, instruction by instruction, line by line;
 * what its registers, its frames and all spaces of memory hold there, against what C says.
 */
#include "debug/session.h"

/* -- values ------------------------------------------------------------------------------------ */

/* Instructions of `ways` from its first. */
enum { WAYS_MOV, WAYS_CVT, WAYS_CVT16, WAYS_REM, WAYS_SETP, WAYS_BRA, WAYS_ADD };

static uint32_t
ways(uint32_t i)
{
    return i % 3 ? i - 5 : (i + 7) * 3;
}

static void
registers_hold_what_c_says(void **state)
{
    (void)state;
    start_program("ways");
    break_at(place_of("ways", PTX_OP_ST, 1)); /* st.global */
    for (uint32_t warp = 0; warp < 2; warp++) {
        assert_true(go_on());
        assert_int_equal(session.stop.why, DEBUG_WHY_BREAK);
        assert_int_equal(session.stop.warp, warp);
        assert_int_equal(session.stop.lanes, warp ? 0xff : 0xffffffff);
        for (uint32_t l = 0; l < (warp ? 8 : 32); l++) {
            struct debug_thread t = thread_at(0, warp * 32 + l);
            uint64_t value, address, out;
            uint32_t i = warp * 32 + l;
            double f;
            assert_true(register_of(t, 0, "ways", "%r1", &value));
            assert_int_equal(value, i);
            assert_true(register_of(t, 0, "ways", "%h1", &value));
            assert_int_equal(value, i);
            assert_true(register_of(t, 0, "ways", "%f1", &value));
            memcpy(&f, &value, sizeof f);
            assert_true(f == i);
            assert_true(register_of(t, 0, "ways", "%p1", &value));
            assert_int_equal(value, i % 3 != 0);
            assert_true(register_of(t, 0, "ways", "%r4", &value));
            assert_int_equal(value, ways(i));
            /* only where its lanes came by was it written */
            register_of(t, 0, "ways", "%r3", &value);
            assert_int_equal(value, i % 3 ? 0 : i + 7);
            assert_true(register_of(t, 0, "ways", "%d1", &out));
            assert_true(register_of(t, 0, "ways", "%d3", &address));
            assert_int_equal(address, out + 4 * i);
            assert_false(register_of(t, 0, "ways", "%r8", &value)); /* nobody writes it */
        }
    }
    assert_true(go_on());
    assert_int_equal(session.stop.why, DEBUG_WHY_END);
    assert_false(go_on());
    ends_with(7);
}

static void
registers_are_set(void **state)
{
    (void)state;
    start_program("ways");
    break_at(place_of("ways", PTX_OP_ST, 1));
    assert_true(go_on());
    uint64_t out;
    uint32_t r4 = 0, p1 = 0;
    const struct ptx_func *f = ptx_find_func(session.ptx, "ways");
    while (strcmp(f->regs[r4].name, "%r4"))
        r4++;
    while (strcmp(f->regs[p1].name, "%p1"))
        p1++;
    assert_true(register_of(thread_at(0, 4), 0, "ways", "%d1", &out));
    set_word(thread_at(0, 4), PTX_SPACE_REG, r4, 12345);
    struct debug_memory m = memory_of(thread_at(0, 5), PTX_SPACE_REG, p1, 1);
    uint8_t bit = 0;
    uint64_t value;
    assert_true(ask(DEBUG_A_WRITE, &m, sizeof m, &bit, 1));
    assert_true(ask(DEBUG_A_READ, &m, sizeof m, NULL, 0));
    assert_int_equal(session.payload[0], 0);
    register_of(thread_at(0, 4), 0, "ways", "%p1", &value);
    assert_int_equal(value, 1);
    break_nowhere();
    assert_true(go_on()); /* END */
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(word_at(thread_at(0, 0), PTX_SPACE_GLOBAL, out + 4 * i),
                         i == 4 ? 12345 : ways(i));
    assert_false(go_on());
    ends_with(7);
}

static void
all_spaces_are_read_and_written(void **state)
{
    (void)state;
    start_program("spaces");
    break_at(place_of("spaces", PTX_OP_LD, 0)); /* ld.const */
    assert_true(go_on());
    struct debug_thread t = thread_at(0, 9);
    struct debug_symbol both = symbol(t, "both"), own = symbol(t, "own");
    struct debug_symbol numbers = symbol(t, "numbers"), total = symbol(t, "total");
    struct debug_symbol parameter = symbol(t, "parameter");
    assert_int_equal(both.space, PTX_SPACE_SHARED);
    assert_int_equal(both.bytes, 256);
    assert_int_equal(own.space, PTX_SPACE_LOCAL);
    assert_int_equal(numbers.space, PTX_SPACE_CONST);
    assert_int_equal(total.space, PTX_SPACE_GLOBAL);
    assert_int_equal(parameter.space, PTX_SPACE_PARAM);
    assert_int_equal(word_at(t, PTX_SPACE_SHARED, both.address + 4 * 33), 33);
    assert_int_equal(word_at(t, PTX_SPACE_LOCAL, own.address + 4), 109);
    assert_int_equal(word_at(thread_at(0, 39), PTX_SPACE_LOCAL, own.address + 4), 139);
    assert_int_equal(word_at(t, PTX_SPACE_CONST, numbers.address + 8), 33);
    assert_int_equal(word_at(t, PTX_SPACE_GLOBAL, total.address), 5);
    assert_int_equal(word_at(t, PTX_SPACE_NONE, total.address), 5);
    assert_int_equal(word_at(t, PTX_SPACE_PARAM, parameter.address), 1000);
    struct debug_memory beyond = memory_of(t, PTX_SPACE_SHARED, 254, 4);
    assert_false(ask(DEBUG_A_READ, &beyond, sizeof beyond, NULL, 0));
    beyond = memory_of(t, PTX_SPACE_GLOBAL, 64, 4);
    assert_false(ask(DEBUG_A_READ, &beyond, sizeof beyond, NULL, 0));
    set_word(t, PTX_SPACE_SHARED, both.address + 4 * 9, 50000);
    set_word(t, PTX_SPACE_LOCAL, own.address + 4, 600000);
    set_word(t, PTX_SPACE_CONST, numbers.address + 8, 7000000);
    set_word(t, PTX_SPACE_GLOBAL, total.address, 8);
    set_word(t, PTX_SPACE_PARAM, parameter.address, 900);
    uint64_t out;
    struct debug_memory p = memory_of(t, PTX_SPACE_PARAM, 0, 8);
    assert_true(ask(DEBUG_A_READ, &p, sizeof p, NULL, 0));
    memcpy(&out, session.payload, sizeof out);
    break_nowhere();
    assert_true(go_on());
    assert_int_equal(session.stop.why, DEBUG_WHY_END);
    assert_int_equal(word_at(t, PTX_SPACE_GLOBAL, out + 4 * 9), 7000000 + 50000 + 600000 + 908);
    assert_int_equal(word_at(t, PTX_SPACE_GLOBAL, out + 4 * 8), 7000000 + 8 + 108 + 908);
    assert_false(go_on());
    ends_with(7);
}

/* -- steps ------------------------------------------------------------------------------------- */

static uint32_t
line_now(void)
{
    return session.flags[session.stop.place] & ~(uint32_t)DEBUG_BREAK;
}

static struct debug_frame
frame_of(struct debug_thread t, uint32_t n, uint32_t *count)
{
    struct debug_who who = {.thread = t};
    struct debug_frame f;
    assert_true(ask(DEBUG_A_FRAMES, &who, sizeof who, NULL, 0));
    *count = (uint32_t)(session.head.bytes / sizeof f);
    assert_true(n < *count);
    memcpy(&f, session.payload + n * sizeof f, sizeof f);
    return f;
}

/* Both ways of a branch, the call included. */
static void
lines_in_order(void **state)
{
    static const uint32_t into[] = {10, 11, 12, 13, 40, 41, 42, 13, 17, 18, 19},
                          over[] = {10, 11, 12, 13, 17, 18, 19}, other[] = {10, 11, 15, 17, 18, 19};
    static const struct {
        uint32_t thread, depth, count;
        const uint32_t *line;
    } rows[] = {{3, UINT32_MAX, 11, into},
                {3, 0, 7, over},
                {4, UINT32_MAX, 6, other},
                {36, UINT32_MAX, 11, into}};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct debug_thread t = thread_at(0, rows[r].thread);
        start_program("ways");
        set_flags();
        assert_true(go((struct debug_go){.launches = 1}));
        assert_int_equal(session.stop.why, DEBUG_WHY_LAUNCH);
        assert_int_equal(session.stop.position, 0);
        struct debug_go step = {.how = DEBUG_GO_STEP, .depth = rows[r].depth, .focus = t};
        for (uint32_t k = 1; k < rows[r].count; k++) { /* it stands on the first */
            assert_true(go(step));
            assert_int_equal(session.stop.why, DEBUG_WHY_STEP);
            assert_int_equal(line_now(), rows[r].line[k]);
            assert_true(session.stop.lanes >> rows[r].thread % 32 & 1);
            uint32_t frames;
            struct debug_frame inner = frame_of(t, 0, &frames);
            bool called = line_now() >= 40;
            assert_int_equal(frames, called ? 2 : 1);
            assert_int_equal(session.stop.depth, called ? 1 : 0);
            assert_int_equal(inner.place, session.stop.place);
            if (called)
                assert_int_equal(frame_of(t, 1, &frames).place, place_of("ways", PTX_OP_CALL, 0));
        }
        assert_true(go(step));
        assert_true(session.stop.why == DEBUG_WHY_LEFT || session.stop.why == DEBUG_WHY_END);
        while (session.head.what == DEBUG_E_STOP && go_on())
            ;
        ends_with(7);
    }
}

/* The same instructions in the same order, twice. */
static void
positions_are_the_same_each_time(void **state)
{
    enum { MOST = 400 };
    static struct {
        uint64_t position;
        uint32_t place, warp, lanes, at, why;
    } seen[2][MOST];
    uint32_t count[2] = {0};
    (void)state;
    for (int run = 0; run < 2; run++) {
        start_program("work");
        break_at_line(marked("branch"));
        break_at_line(marked("store"));
        while (go_on()) {
            assert_true(count[run] < MOST);
            seen[run][count[run]].position = session.stop.position;
            seen[run][count[run]].place = session.stop.place;
            seen[run][count[run]].warp = session.stop.warp;
            seen[run][count[run]].lanes = session.stop.lanes;
            seen[run][count[run]].at = session.stop.at[0];
            seen[run][count[run]++].why = session.stop.why;
        }
        ends_with(7);
    }
    assert_true(count[0] > 24);
    assert_int_equal(count[0], count[1]);
    assert_memory_equal(seen[0], seen[1], sizeof seen[0][0] * count[0]);
}

/* A branch of some lanes stops with those. */
static void
lanes_of_a_branch(void **state)
{
    (void)state;
    start_program("ways");
    break_at(place_of("ways", PTX_OP_ADD, 0));
    break_at(place_of("ways", PTX_OP_SUB, 0));
    uint32_t lanes[2] = {0};
    for (int k = 0; k < 2; k++) {
        assert_true(go_on());
        lanes[session.stop.place == place_of("ways", PTX_OP_SUB, 0)] = session.stop.lanes;
        if (k == 0) { /* the others wait at theirs */
            assert_true(ask(DEBUG_A_WARPS, NULL, 0, NULL, 0));
            struct debug_warp w;
            memcpy(&w, session.payload + 8, sizeof w);
            assert_int_equal(w.state, DEBUG_W_RUNS);
            for (uint32_t l = 0; l < 32; l++)
                assert_int_equal(w.place[l], place_of("ways", l % 3 ? PTX_OP_SUB : PTX_OP_ADD, 0));
            memcpy(&w, session.payload + 8 + sizeof w, sizeof w);
            assert_int_equal(w.state, DEBUG_W_READY);
            assert_int_equal(w.alive, 0xff);
            assert_int_equal(w.place[0], place_of("ways", PTX_OP_MOV, 0));
            assert_int_equal(w.place[8], UINT32_MAX);
        }
    }
    assert_int_equal(lanes[0], 0x49249249);
    assert_int_equal(lanes[1], ~0x49249249u);
    break_nowhere();
    while (go_on())
        ;
    ends_with(7);
}

static void
barriers_are_seen(void **state)
{
    (void)state;
    start_program("spaces");
    break_at(place_of("spaces", PTX_OP_BAR, 0));
    assert_true(go_on());
    assert_true(go_on()); /* the second warp comes to it */
    assert_true(ask(DEBUG_A_WARPS, NULL, 0, NULL, 0));
    struct debug_warp w;
    memcpy(&w, session.payload + 8, sizeof w);
    assert_int_equal(w.state, DEBUG_W_BARRIER);
    assert_int_equal(w.barrier, 0);
    assert_int_equal(w.place[31], place_of("spaces", PTX_OP_BAR, 0));
    break_nowhere();
    while (go_on())
        ;
    ends_with(7);
}

/* -- programs ---------------------------------------------------------------------------------- */

static void
output_and_status_are_the_programs(void **state)
{
    char command[600], line[300] = "", want[2000] = "";
    (void)state;
    snprintf(command, sizeof command, "%s work", program());
    FILE *f = popen(command, "r");
    while (fgets(line, sizeof line, f))
        strncat(want, line, sizeof want - strlen(want) - 1);
    assert_int_equal(WEXITSTATUS(pclose(f)), 7);
    assert_int_equal(count_text(want, "block "), 3);
    start_program("work");
    set_flags();
    assert_false(go_on());
    ends_with(7);
    assert_string_equal(output(), want);
}

static void
a_killed_program_ends(void **state)
{
    (void)state;
    start_program("work");
    break_at_line(marked("branch"));
    assert_true(go_on());
    transmit(DEBUG_A_KILL, NULL, 0, NULL, 0);
    assert_false(next_event());
    ends_with(-SIGKILL);
}

static void
two_threads_launch(void **state)
{
    uint32_t launches = 0;
    (void)state;
    start_program("threads");
    break_at_line(marked("plus"));
    while (go_on())
        if (session.stop.why == DEBUG_WHY_END) {
            launches++;
            break_at_line(marked("plus"));
        } else {
            assert_int_equal(session.stop.why, DEBUG_WHY_BREAK);
            break_nowhere();
            struct debug_go back = {.how = DEBUG_GO_BACK};
            assert_false(ask(DEBUG_A_GO, &back, sizeof back, NULL, 0));
            assert_non_null(strstr((char *)session.payload, "thread"));
        }
    assert_int_equal(launches, 4);
    ends_with(7);
}

static void
a_grid_that_waits(void **state)
{
    (void)state;
    start_program("together");
    break_at_line(marked("together"));
    uint32_t stops = 0, warps = 0;
    while (go_on() && session.stop.why == DEBUG_WHY_BREAK) {
        stops++;
        assert_true(ask(DEBUG_A_WARPS, NULL, 0, NULL, 0));
        memcpy(&warps, session.payload, sizeof warps);
    }
    assert_true(stops >= 8);
    assert_int_equal(warps, 8); /* all four blocks are there */
    assert_false(go_on());
    ends_with(7);
}

/* Modules come and go, each with a number of its own. */
static void
modules_come_and_go(void **state)
{
    struct debug_flags old = {.module = 0};
    (void)state;
    start_program("again");
    for (uint32_t k = 0; k < 3; k++) {
        struct debug_module m;
        memcpy(&m, session.payload, sizeof m);
        assert_int_equal(m.number, k);
        if (k)
            assert_false(ask(DEBUG_A_FLAGS, &old, sizeof old, NULL, 0));
        struct debug_flags f = {.module = k, .count = session.places};
        session.flags[place_of(k % 2 ? "spaces" : "ways", PTX_OP_MOV, 0)] |= DEBUG_BREAK;
        assert_true(ask(DEBUG_A_FLAGS, &f, sizeof f, session.flags,
                        sizeof *session.flags * session.places));
        assert_true(go_on());
        assert_int_equal(session.stop.why, DEBUG_WHY_BREAK);
        assert_int_equal(session.stop.module, k);
        while (session.stop.why == DEBUG_WHY_BREAK)
            assert_true(go_on());
        assert_int_equal(session.stop.why, DEBUG_WHY_END);
        struct debug_go on = {.how = DEBUG_GO_ON};
        transmit(DEBUG_A_GO, &on, sizeof on, NULL, 0);
        receive();
        if (k < 2)
            read_module();
    }
    memcpy(&session.status, session.payload, sizeof session.status);
    ends_with(7);
}

static void
bad_questions_are_refused(void **state)
{
    struct debug_who nobody = {.thread = {.block = {9, 9, 9}}};
    struct debug_flags none = {.module = 5};
    (void)state;
    start_program("work");
    set_flags();
    assert_false(ask(DEBUG_A_FRAMES, &nobody, sizeof nobody, NULL, 0)); /* no launch */
    assert_false(ask(DEBUG_A_FLAGS, &none, sizeof none, NULL, 0));
    assert_false(ask(DEBUG_A_FLAGS, &none, 3, NULL, 0));
    assert_false(ask(99999, NULL, 0, NULL, 0));
    break_at_line(marked("branch"));
    assert_true(go_on());
    assert_false(ask(DEBUG_A_FRAMES, &nobody, sizeof nobody, NULL, 0));
    nobody.thread = thread_at(0, 0);
    nobody.frame = 7;
    assert_false(ask(DEBUG_A_REGISTERS, &nobody, sizeof nobody, NULL, 0));
    struct debug_go bad = {.how = 77};
    assert_false(ask(DEBUG_A_GO, &bad, sizeof bad, NULL, 0));
    break_nowhere();
    while (go_on())
        ;
    ends_with(7);
}

int
main(void)
{
    return UNIT_TESTS_IN(NULL, remove_folder, registers_hold_what_c_says, registers_are_set,
                         all_spaces_are_read_and_written, lines_in_order,
                         positions_are_the_same_each_time, lanes_of_a_branch, barriers_are_seen,
                         output_and_status_are_the_programs, a_killed_program_ends,
                         two_threads_launch, a_grid_that_waits, modules_come_and_go,
                         bad_questions_are_refused);
}
