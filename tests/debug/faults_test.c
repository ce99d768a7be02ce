/* SPDX-License-Identifier: Apache-2.0
 *
 * faults_test.c: kernels that fail or hang stop where they do, with everything there to be read,
 * and the program then gets the error that it gets without a debugger.
 */
#include "debug/session.h"

static uint32_t
line_now(void)
{
    return session.stop.place < session.places
               ? session.flags[session.stop.place] & ~(uint32_t)DEBUG_BREAK
               : 0;
}

static void
run_into(const char *name)
{
    start_program(name);
    set_flags();
    assert_true(go_on());
    assert_int_equal(session.stop.why, DEBUG_WHY_FAULT);
    assert_true(session.stop.text > 0);
}

/* The program goes on, with the error. */
static void
goes_on_with(const char *error)
{
    assert_false(go_on());
    ends_with(3);
    assert_int_equal(count_text(output(), error), 1);
}

static void
an_illegal_address(void **state)
{
    uint64_t value;
    (void)state;
    run_into("astray");
    assert_int_equal(line_now(), marked("astray"));
    assert_int_equal(session.stop.warp, 1);
    assert_int_equal(session.stop.lanes, 1 << 5);
    assert_int_equal(session.stop.address, 64 + 4 * 37);
    assert_non_null(strstr(session.text, "thread (37,0,0)"));
    assert_non_null(strstr(session.text, "illegal address"));
    struct debug_who who = {.thread = thread_at(0, 37)};
    assert_true(ask(DEBUG_A_REGISTERS, &who, sizeof who, NULL, 0));
    /* what had been done was done, and is found by who wrote it */
    struct debug_memory p = memory_of(thread_at(0, 0), PTX_SPACE_PARAM, 0, 8);
    assert_true(ask(DEBUG_A_READ, &p, sizeof p, NULL, 0));
    memcpy(&value, session.payload, sizeof value);
    assert_int_equal(word_at(thread_at(0, 0), PTX_SPACE_GLOBAL, value + 4 * 37), 37);
    struct debug_memory m = memory_of(thread_at(0, 0), PTX_SPACE_GLOBAL, value + 4 * 37, 4);
    assert_true(ask(DEBUG_A_LAST, &m, sizeof m, NULL, 0));
    struct debug_write w;
    memcpy(&w, session.payload, sizeof w);
    assert_int_equal(w.found, 1);
    assert_int_equal(w.thread.thread[0], 37);
    goes_on_with("cudaErrorIllegalAddress");
}

static void
back_from_a_fault(void **state)
{
    (void)state;
    run_into("astray");
    uint64_t position = session.stop.position;
    struct debug_thread t = thread_at(0, 37);
    assert_true(go_back(DEBUG_GO_INSN, t));
    assert_int_equal(session.stop.why, DEBUG_WHY_STEP);
    assert_true(session.stop.position < position);
    assert_true(go_to(0));
    assert_true(go_to(position)); /* before it fails */
    assert_int_equal(session.stop.why, DEBUG_WHY_POSITION);
    assert_true(go_on());
    assert_int_equal(session.stop.why, DEBUG_WHY_FAULT);
    assert_int_equal(session.stop.position, position);
    goes_on_with("cudaErrorIllegalAddress");
}

static void
an_assertion(void **state)
{
    (void)state;
    run_into("asserts");
    assert_non_null(strstr(session.text, "threadIdx.x != 9"));
    assert_int_equal(session.stop.lanes, 1 << 9);
    goes_on_with("cudaErrorAssert");
}

static void
a_trap(void **state)
{
    (void)state;
    run_into("traps");
    assert_int_equal(session.stop.lanes, 1 << 3);
    assert_non_null(strstr(session.text, "trap"));
    goes_on_with("cudaErrorLaunchFailure");
}

static void
a_full_stack(void **state)
{
    (void)state;
    run_into("deep");
    assert_non_null(strstr(session.text, "stack overflow"));
    struct debug_who who = {.thread = thread_at(0, 0)};
    assert_true(ask(DEBUG_A_FRAMES, &who, sizeof who, NULL, 0));
    uint64_t frames = session.head.bytes / sizeof(struct debug_frame);
    assert_true(frames > 2);
    struct debug_frame f[2];
    memcpy(f, session.payload, sizeof f);
    assert_int_equal(f[0].function, f[1].function); /* it called itself */
    goes_on_with("cudaErrorHardwareStackError");
}

static void
a_deadlock(void **state)
{
    struct debug_warp w[2];
    (void)state;
    run_into("stuck");
    assert_non_null(strstr(session.text, "deadlock"));
    assert_true(ask(DEBUG_A_WARPS, NULL, 0, NULL, 0));
    memcpy(w, session.payload + 8, sizeof w);
    for (uint32_t k = 0; k < 2; k++) {
        assert_int_equal(w[k].state, DEBUG_W_BARRIER);
        assert_int_equal(w[k].barrier, k);
        assert_int_equal(w[k].alive, 0xffffffff);
    }
    assert_int_not_equal(w[0].place[0], w[1].place[0]);
    goes_on_with("cudaErrorLaunchTimeout");
}

/* A signal to the process that was started, whichever is the program now. */
static void
a_loop_is_interrupted(void **state)
{
    uint64_t out;
    (void)state;
    start_program("spin");
    set_flags();
    for (int k = 0; k < 3; k++) {
        struct debug_go on = {.how = DEBUG_GO_ON};
        transmit(DEBUG_A_GO, &on, sizeof on, NULL, 0);
        usleep(k ? 20000 : 400000);
        kill(session.pid, SIGINT);
        assert_true(next_event());
        assert_int_equal(session.stop.why, DEBUG_WHY_INTERRUPT);
        assert_int_equal(session.stop.warp, 0);
        if (k < 2)
            assert_true(go_to(session.stop.position / 2));
    }
    struct debug_memory p = memory_of(thread_at(0, 0), PTX_SPACE_PARAM, 0, 8);
    assert_true(ask(DEBUG_A_READ, &p, sizeof p, NULL, 0));
    memcpy(&out, session.payload, sizeof out);
    set_word(thread_at(0, 0), PTX_SPACE_GLOBAL, out, 1); /* what it waits for */
    assert_true(go_on());
    assert_int_equal(session.stop.why, DEBUG_WHY_END);
    assert_false(go_on());
    ends_with(7);
}

static void
who_goes_away_ends_the_program(void **state)
{
    int how;
    (void)state;
    start_program("work");
    break_at_line(marked("branch"));
    assert_true(go_on());
    assert_true(go_to(session.stop.position - 5));
    close(session.fd);
    assert_int_equal(waitpid(session.pid, &how, 0), session.pid);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGTERM);
}

static void
no_socket_is_an_error(void **state)
{
    char command[600], line[400] = "";
    (void)state;
    snprintf(command, sizeof command,
             "LOCKSTEP_TOOL=debug LOCKSTEP_DEBUG_FD=77 %s work 2>&1 >/dev/null", program());
    FILE *f = popen(command, "r");
    assert_non_null(fgets(line, sizeof line, f));
    assert_non_null(strstr(line, "LOCKSTEP_DEBUG_FD=77"));
    while (fgets(line, sizeof line, f))
        ;
    assert_int_not_equal(pclose(f), 0);
}

int
main(void)
{
    return UNIT_TESTS_IN(NULL, remove_folder, an_illegal_address, back_from_a_fault, an_assertion,
                         a_trap, a_full_stack, a_deadlock, a_loop_is_interrupted,
                         who_goes_away_ends_the_program, no_socket_is_an_error);
}
