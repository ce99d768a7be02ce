/* SPDX-License-Identifier: Apache-2.0
 *
 * session.h: a debugger without a user: starts tests/debug/program.cu, speaks debug/debug.h with
 * it, and keeps what it prints. One at a time.
 */
#ifndef LOCKSTEP_TESTS_DEBUG_SESSION_H
#define LOCKSTEP_TESTS_DEBUG_SESSION_H

#include "common/unit.h"

#include "debug/debug.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct session {
    pid_t pid;
    int fd, output; /* the program's standard output: a file */
    struct ptx_module *ptx;
    uint32_t places;
    uint32_t *flags; /* for DEBUG_A_FLAGS */
    struct debug_head head;
    uint8_t *payload;
    struct debug_stop stop;
    char text[2048]; /* of it */
    int32_t status;  /* DEBUG_E_EXIT */
} session;

static const char *
folder(void)
{
    static char path[300];
    if (!path[0]) {
        snprintf(path, sizeof path, "/tmp/lockstep-debug-%d", (int)getpid());
        assert_int_equal(mkdir(path, 0700), 0);
    }
    return path;
}

/* tests/debug/program.cu as optimised code with lines, once. */
static const char *
program(void)
{
    static char path[400];
    char command[2000];
    const char *lockstep = getenv("LOCKSTEP"), *source = getenv("SOURCE_DIR");
    if (path[0])
        return path;
    assert_non_null(lockstep);
    assert_non_null(source);
    snprintf(path, sizeof path, "%s/program", folder());
    snprintf(command, sizeof command,
             "%s cc -O2 -std=c++17 -lineinfo -o %s %s/tests/debug/program.cu -lpthread", lockstep,
             path, source);
    assert_int_equal(system(command), 0);
    return path;
}

static int
remove_folder(void **state)
{
    char command[400];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder());
    return system(command);
}

/* -- messages ---------------------------------------------------------------------------------- */

/* The next message; its payload ends in a NUL that it does not count. */
static void
receive(void)
{
    assert_true(debug_take(session.fd, &session.head, sizeof session.head));
    free(session.payload);
    session.payload = calloc(1, session.head.bytes + 1);
    assert_true(debug_take(session.fd, session.payload, session.head.bytes));
}

static void
transmit(uint32_t what, const void *first, size_t n, const void *second, size_t m)
{
    struct debug_head h = {.what = what, .bytes = n + m};
    assert_int_equal(send(session.fd, &h, sizeof h, MSG_NOSIGNAL), sizeof h);
    if (n)
        assert_int_equal(send(session.fd, first, n, MSG_NOSIGNAL), n);
    if (m)
        assert_int_equal(send(session.fd, second, m, MSG_NOSIGNAL), m);
}

/* A question and its answer; false: it is an error, and the payload says which. */
static bool
ask(uint32_t what, const void *first, size_t n, const void *second, size_t m)
{
    transmit(what, first, n, second, m);
    receive();
    assert_int_equal(session.head.what, what);
    return session.head.status == 0;
}

static void
read_module(void)
{
    struct ls_error err;
    assert_int_equal(session.head.what, DEBUG_E_MODULE);
    ptx_free(session.ptx);
    session.ptx = ptx_parse((char *)session.payload + sizeof(struct debug_module),
                            session.head.bytes - sizeof(struct debug_module), "told.ptx", &err);
    assert_non_null(session.ptx);
    session.places = 0;
    for (uint32_t k = 0; k < session.ptx->func_count; k++)
        session.places += session.ptx->funcs[k]->insn_count;
    free(session.flags);
    session.flags = calloc(session.places, sizeof *session.flags);
    for (uint32_t p = 0; p < session.places; p++) {
        const struct ptx_func *f;
        const struct ptx_insn *i;
        assert_true(jit_place(session.ptx, p, &f, &i));
        session.flags[p] = i->loc ? f->locs[i->loc].line : 0;
    }
}

/* An event: true: it stopped; false: it ended. */
static bool
next_event(void)
{
    receive();
    if (session.head.what == DEBUG_E_EXIT) {
        memcpy(&session.status, session.payload, sizeof session.status);
        return false;
    }
    assert_int_equal(session.head.what, DEBUG_E_STOP);
    memcpy(&session.stop, session.payload, sizeof session.stop);
    snprintf(session.text, sizeof session.text, "%s",
             (char *)session.payload + sizeof session.stop);
    return true;
}

/* -- the program ------------------------------------------------------------------------------- */

/* Up to its module, of which breakpoints can be set now. */
static void
start_program(const char *name)
{
    int pair[2];
    char number[20], file[400], ptx[400];
    const char *path = program();
    snprintf(file, sizeof file, "%s/output", folder());
    snprintf(ptx, sizeof ptx, "%s/tests/debug/steps.ptx", getenv("SOURCE_DIR"));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    fcntl(pair[0], F_SETFD, FD_CLOEXEC);
    session.output = open(file, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    session.fd = pair[0];
    session.pid = fork();
    if (session.pid == 0) {
        snprintf(number, sizeof number, "%d", pair[1]);
        setenv("LOCKSTEP_TOOL", "debug", 1);
        setenv("LOCKSTEP_DEBUG_FD", number, 1);
        dup2(session.output, 1);
        execl(path, path, name, ptx, (char *)NULL);
        _exit(127);
    }
    close(pair[1]);
    receive();
    read_module();
}

static void
set_flags(void)
{
    struct debug_flags f = {.module = 0, .count = session.places};
    assert_true(
        ask(DEBUG_A_FLAGS, &f, sizeof f, session.flags, sizeof *session.flags * session.places));
}

/* As debug_go; true: it stopped. */
static bool
go(struct debug_go g)
{
    transmit(DEBUG_A_GO, &g, sizeof g, NULL, 0);
    return next_event();
}

static bool
go_on(void)
{
    return go((struct debug_go){.how = DEBUG_GO_ON});
}

static inline bool
go_to(uint64_t position)
{
    return go((struct debug_go){.how = DEBUG_GO_POSITION, .position = position});
}

static inline bool
go_back(uint32_t how, struct debug_thread focus)
{
    return go(
        (struct debug_go){.how = DEBUG_GO_BACK, .back = how, .depth = UINT32_MAX, .focus = focus});
}

/* It has said that it ends, and does. */
static void
ends_with(int32_t status)
{
    int how;
    assert_int_equal(session.status, status);
    assert_int_equal(waitpid(session.pid, &how, 0), session.pid);
    if (status >= 0)
        assert_true(WIFEXITED(how) && WEXITSTATUS(how) == status);
    else
        assert_true(WIFSIGNALED(how) && WTERMSIG(how) == -status);
    close(session.fd);
}

/* All that it printed. */
static inline const char *
output(void)
{
    static char text[1 << 16];
    ssize_t n = pread(session.output, text, sizeof text - 1, 0);
    text[n < 0 ? 0 : n] = 0;
    return text;
}

static inline uint32_t
count_text(const char *text, const char *what)
{
    uint32_t n = 0;
    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

/* -- places ------------------------------------------------------------------------------------ */

/* The line of program.cu with that mark. */
static inline uint32_t
marked(const char *mark)
{
    char path[400], line[400], want[100];
    snprintf(path, sizeof path, "%s/tests/debug/program.cu", getenv("SOURCE_DIR"));
    snprintf(want, sizeof want, "MARK %s *", mark);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    uint32_t n = 0, found = 0;
    while (!found && fgets(line, sizeof line, f)) {
        n++;
        found = strstr(line, want) ? n : 0;
    }
    fclose(f);
    assert_true(found);
    return found;
}

/* Instruction number n of that operation in the function. */
static inline uint32_t
place_of(const char *function, enum ptx_op op, uint32_t n)
{
    const struct ptx_func *f = ptx_find_func(session.ptx, function);
    assert_non_null(f);
    for (uint32_t k = 0; k < f->insn_count; k++)
        if (f->insns[k].op == op && n-- == 0)
            return jit_place_of(f, &f->insns[k]);
    fail_msg("%s has fewer", function);
    return 0;
}

static inline void
break_at(uint32_t place)
{
    session.flags[place] |= DEBUG_BREAK;
    set_flags();
}

/* The first instruction of that line in each function. */
static inline void
break_at_line(uint32_t line)
{
    const struct ptx_func *f, *last = NULL;
    const struct ptx_insn *i;
    uint32_t found = 0;
    for (uint32_t p = 0; p < session.places; p++) {
        assert_true(jit_place(session.ptx, p, &f, &i));
        if (session.flags[p] == line && f != last) {
            session.flags[p] |= DEBUG_BREAK;
            last = f;
            found++;
        }
    }
    assert_true(found);
    set_flags();
}

static inline void
break_nowhere(void)
{
    for (uint32_t p = 0; p < session.places; p++)
        session.flags[p] &= ~(uint32_t)DEBUG_BREAK;
    set_flags();
}

/* -- state ------------------------------------------------------------------------------------- */

static struct debug_thread
thread_at(uint32_t block, uint32_t thread)
{
    return (struct debug_thread){.block = {block, 0, 0}, .thread = {thread, 0, 0}};
}

/* The register's value in that frame; false: it has none. */
static inline bool
register_of(struct debug_thread t, uint32_t frame, const char *function, const char *name,
            uint64_t *out)
{
    struct debug_who who = {.thread = t, .frame = frame};
    const struct ptx_func *f = ptx_find_func(session.ptx, function);
    assert_true(ask(DEBUG_A_REGISTERS, &who, sizeof who, NULL, 0));
    assert_int_equal(session.head.bytes, f->reg_count * 17);
    for (uint32_t k = 0; k < f->reg_count; k++)
        if (!strcmp(f->regs[k].name, name)) {
            memcpy(out, session.payload + f->reg_count + 16 * (size_t)k, sizeof *out);
            return session.payload[k] == DEBUG_VALUE;
        }
    fail_msg("%s has no %s", function, name);
    return false;
}

static struct debug_memory
memory_of(struct debug_thread t, enum ptx_space space, uint64_t address, uint64_t bytes)
{
    return (struct debug_memory){
        .who = {.thread = t}, .space = space, .address = address, .bytes = bytes};
}

static inline uint32_t
word_at(struct debug_thread t, enum ptx_space space, uint64_t address)
{
    struct debug_memory m = memory_of(t, space, address, 4);
    uint32_t word;
    if (!ask(DEBUG_A_READ, &m, sizeof m, NULL, 0))
        fail_msg("%s", (char *)session.payload);
    memcpy(&word, session.payload, sizeof word);
    return word;
}

static inline void
set_word(struct debug_thread t, enum ptx_space space, uint64_t address, uint32_t word)
{
    struct debug_memory m = memory_of(t, space, address, 4);
    if (!ask(DEBUG_A_WRITE, &m, sizeof m, &word, sizeof word))
        fail_msg("%s", (char *)session.payload);
}

static inline struct debug_symbol
symbol(struct debug_thread t, const char *name)
{
    struct debug_who who = {.thread = t};
    struct debug_symbol s;
    if (!ask(DEBUG_A_SYMBOL, &who, sizeof who, name, strlen(name)))
        fail_msg("%s: %s", name, (char *)session.payload);
    memcpy(&s, session.payload, sizeof s);
    return s;
}

#endif
