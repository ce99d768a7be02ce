/* SPDX-License-Identifier: Apache-2.0
 *
 * target.c: see target.h.
 */
#define _GNU_SOURCE
#include "cli/debug/target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- bytes ------------------------------------------------------------------------------------- */

static bool
receive_text(int fd, struct text *out, uint64_t bytes)
{
    char part[65536];
    while (bytes) {
        size_t n = bytes < sizeof part ? (size_t)bytes : sizeof part;
        if (!debug_take(fd, part, n))
            return false;
        text_add_bytes(out, part, n);
        bytes -= n;
    }
    return true;
}

/* -- the process ------------------------------------------------------------------------------- */

/* In the child. A failed exec is told through the pipe, which a good one closes. */
static _Noreturn void
become(const char *path, char *const *words, int socket, const int to[2], int tell)
{
    char number[16];
    snprintf(number, sizeof number, "%d", socket);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGINT, SIG_DFL);
    setenv("LOCKSTEP_TOOL", "debug", 1);
    setenv("LOCKSTEP_TOOL_OPTIONS", "", 1);
    setenv("LOCKSTEP_DEBUG_FD", number, 1);
    unsetenv("LOCKSTEP_TOOL_OUT");
    unsetenv("LOCKSTEP_TOOL_JOURNAL");
    unsetenv("LOCKSTEP_JSON");
    unsetenv("LOCKSTEP_PROGRESS");
    for (int k = 0; k < 2; k++)
        if (to[k] >= 0)
            dup2(to[k], k ? STDERR_FILENO : STDOUT_FILENO);
    execvp(path, words);
    int why = errno;
    if (write(tell, &why, sizeof why) != sizeof why)
        _exit(126);
    _exit(127);
}

bool
target_start(struct target *t, const char *path, char *const *words, const int to[2],
             struct ls_error *err)
{
    int ends[2], tell[2], why = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 ||
        pipe2(tell, O_CLOEXEC) != 0)
        return ls_fail(err, LS_ERR_SYSTEM, "%s: %s", path, strerror(errno));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        fcntl(ends[1], F_SETFD, 0);
        become(path, words, ends[1], to, tell[1]);
    }
    int fork_errno = errno;
    close(ends[1]);
    close(tell[1]);
    bool failed = child < 0 || read(tell[0], &why, sizeof why) == sizeof why;
    close(tell[0]);
    if (failed) {
        close(ends[0]);
        if (child > 0)
            waitpid(child, NULL, 0);
        return ls_fail(err, LS_ERR_USAGE, "%s: %s", path, strerror(child < 0 ? fork_errno : why));
    }
    t->pid = child;
    t->fd = ends[0];
    t->state = TARGET_RUNS;
    t->exited = false;
    t->exit_signal = t->exit_status = 0;
    return true;
}

/* The socket is at its end, or the exit was told: waits for the process. */
static enum target_event
ended(struct target *t, bool announced)
{
    int status = 0;
    close(t->fd);
    if (t->pid > 0)
        while (waitpid(t->pid, &status, 0) < 0 && errno == EINTR)
            ;
    if (!announced) {
        t->exit_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        t->exit_status = t->exit_signal ? 128 + t->exit_signal : WEXITSTATUS(status);
    }
    t->state = TARGET_NONE;
    t->pid = 0;
    t->exited = true;
    return TARGET_EXIT;
}

/* Takes a record of n bytes and the text behind it; the program stands then. */
static enum target_event
take_event(struct target *t, const struct debug_head *head, void *at, size_t n,
           enum target_event event)
{
    if (head->bytes < n || !debug_take(t->fd, at, n) ||
        !receive_text(t->fd, &t->payload, head->bytes - n))
        return ended(t, false);
    t->state = TARGET_STANDS;
    return event;
}

enum target_event
target_wait(struct target *t, struct ls_error *err)
{
    struct debug_head head;
    int32_t status;
    if (!debug_take(t->fd, &head, sizeof head))
        return ended(t, false);
    t->payload.count = 0;
    switch (head.what) {
    case DEBUG_E_MODULE: return take_event(t, &head, &t->module, sizeof t->module, TARGET_MODULE);
    case DEBUG_E_STOP: return take_event(t, &head, &t->stop, sizeof t->stop, TARGET_STOP);
    case DEBUG_E_EXIT:
        if (head.bytes != sizeof status || !debug_take(t->fd, &status, sizeof status))
            return ended(t, false);
        t->exit_status = status & 0xff;
        t->exit_signal = 0;
        return ended(t, true);
    case DEBUG_A_GO: /* it cannot go on so, and stands where it stood */
        t->state = TARGET_STANDS;
        if (!receive_text(t->fd, &t->payload, head.bytes))
            return ended(t, false);
        ls_fail(err, LS_ERR_INPUT, "%.*s", (int)t->payload.count,
                t->payload.at ? t->payload.at : "");
        return TARGET_FAILED;
    default:
        ls_fail(err, LS_ERR_INTERNAL, "the program's tool sent an event %u", head.what);
        target_kill(t);
        return TARGET_FAILED;
    }
}

enum target_event
target_go(struct target *t, const struct debug_go *go, struct ls_error *err)
{
    struct debug_head head = {.what = DEBUG_A_GO, .bytes = sizeof *go};
    fflush(NULL);
    if (t->state != TARGET_STANDS) {
        ls_fail(err, LS_ERR_USAGE, "The program is not being run.");
        return TARGET_FAILED;
    }
    t->state = TARGET_RUNS;
    if (!debug_put(t->fd, &head, sizeof head) || !debug_put(t->fd, go, sizeof *go))
        return ended(t, false);
    return target_wait(t, err);
}

void
target_kill(struct target *t)
{
    struct debug_head head = {.what = DEBUG_A_KILL}, answer;
    if (t->state == TARGET_NONE)
        return;
    char drain[4096];
    bool asked = t->state == TARGET_STANDS && debug_put(t->fd, &head, sizeof head);
    if (asked && debug_take(t->fd, &answer, sizeof answer))
        while (recv(t->fd, drain, sizeof drain, 0) > 0)
            ;
    else if (t->pid > 0)
        kill(t->pid, SIGKILL);
    ended(t, false);
    t->exited = false;
}

void
target_fini(struct target *t)
{
    target_kill(t);
    text_free(&t->payload);
}

void
target_interrupt(struct target *t)
{
    if (t->pid > 0)
        kill(t->pid, SIGURG);
}

void
target_terminate(struct target *t, bool at_once)
{
    if (t->pid > 0)
        kill(t->pid, at_once ? SIGKILL : SIGTERM);
}

/* -- questions --------------------------------------------------------------------------------- */

/* One question and its answer, which is added to *answer (NULL: it is nothing). */
static bool
target_ask(struct target *t, uint32_t what, const void *a, size_t a_bytes, const void *b,
           size_t b_bytes, struct text *answer, struct ls_error *err)
{
    struct debug_head head = {.what = what, .bytes = a_bytes + b_bytes};
    struct text text = {0};
    if (t->state != TARGET_STANDS)
        return ls_fail(err, LS_ERR_USAGE, "The program is not being run.");
    bool sent = debug_put(t->fd, &head, sizeof head) && debug_put(t->fd, a, a_bytes) &&
                debug_put(t->fd, b, b_bytes);
    if (!sent || !debug_take(t->fd, &head, sizeof head) ||
        !receive_text(t->fd, &text, head.bytes)) {
        text_free(&text);
        ended(t, false);
        return ls_fail(err, LS_ERR_SYSTEM, "The program has ended.");
    }
    bool fine = head.status == 0;
    if (!fine)
        ls_fail(err, LS_ERR_INPUT, "%.*s", (int)text.count, text.at ? text.at : "");
    else if (head.what != what)
        fine = ls_fail(err, LS_ERR_INTERNAL, "an answer to %u, not to %u", head.what, what);
    else if (answer && text.count)
        text_add_bytes(answer, text.at, text.count);
    text_free(&text);
    return fine;
}

/* The same where the answer's size is known. */
static bool
ask_exact(struct target *t, uint32_t what, const void *a, size_t a_bytes, const void *b,
          size_t b_bytes, void *out, size_t bytes, struct ls_error *err)
{
    struct text answer = {0};
    bool fine = target_ask(t, what, a, a_bytes, b, b_bytes, &answer, err);
    if (fine && answer.count != bytes)
        fine = ls_fail(err, LS_ERR_INTERNAL, "an answer to %u of %zu bytes, not %zu", what,
                       answer.count, bytes);
    if (fine && bytes)
        memcpy(out, answer.at, bytes);
    text_free(&answer);
    return fine;
}

bool
target_read(struct target *t, const struct debug_memory *at, void *out, struct ls_error *err)
{
    return ask_exact(t, DEBUG_A_READ, at, sizeof *at, NULL, 0, out, at->bytes, err);
}

bool
target_write(struct target *t, const struct debug_memory *at, const void *in, struct ls_error *err)
{
    return ask_exact(t, DEBUG_A_WRITE, at, sizeof *at, in, at->bytes, NULL, 0, err);
}

bool
target_symbol(struct target *t, const struct debug_who *who, const char *name,
              struct debug_symbol *out, struct ls_error *err)
{
    return ask_exact(t, DEBUG_A_SYMBOL, who, sizeof *who, name, strlen(name), out, sizeof *out,
                     err);
}

bool
target_where(struct target *t, const struct debug_memory *at, struct debug_symbol *out,
             struct ls_error *err)
{
    return ask_exact(t, DEBUG_A_WHERE, at, sizeof *at, NULL, 0, out, sizeof *out, err);
}

bool
target_registers(struct target *t, const struct debug_who *who, uint32_t count,
                 uint64_t (*values)[2], uint8_t *known, struct ls_error *err)
{
    size_t n = count * (1 + sizeof *values);
    uint8_t *all = ls_alloc(n + 1);
    bool fine = ask_exact(t, DEBUG_A_REGISTERS, who, sizeof *who, NULL, 0, all, n, err);
    for (uint32_t k = 0; fine && k < count; k++)
        known[k] = all[k] == DEBUG_VALUE;
    if (fine)
        memcpy(values, all + count, count * sizeof *values);
    ls_release(all);
    return fine;
}

struct debug_warp *
target_warps(struct target *t, uint32_t *count, struct ls_error *err)
{
    struct text answer = {0};
    uint32_t n[2] = {0};
    struct debug_warp *all = NULL;
    if (target_ask(t, DEBUG_A_WARPS, NULL, 0, NULL, 0, &answer, err)) {
        if (answer.count >= sizeof n)
            memcpy(n, answer.at, sizeof n);
        if (answer.count == sizeof n + n[0] * sizeof *all) {
            all = ls_alloc(n[0] * sizeof *all + 1);
            memcpy(all, answer.at + sizeof n, n[0] * sizeof *all);
            *count = n[0];
        } else {
            ls_fail(err, LS_ERR_INTERNAL, "an answer about warps of %zu bytes", answer.count);
        }
    }
    text_free(&answer);
    return all;
}

/* An answer that is an array, elements of `each` bytes; *count stays where there is none. */
static void *
ask_list(struct target *t, uint32_t what, const void *about, size_t n, size_t each, uint32_t *count,
         struct ls_error *err)
{
    struct text answer = {0};
    void *all = NULL;
    if (target_ask(t, what, about, n, NULL, 0, &answer, err)) {
        *count = (uint32_t)(answer.count / each);
        all = ls_alloc(answer.count + 1);
        if (answer.count)
            memcpy(all, answer.at, answer.count);
    }
    text_free(&answer);
    return all;
}

struct debug_frame *
target_frames(struct target *t, const struct debug_thread *thread, uint32_t *count,
              struct ls_error *err)
{
    struct debug_who who = {.thread = *thread};
    return ask_list(t, DEBUG_A_FRAMES, &who, sizeof who, sizeof(struct debug_frame), count, err);
}

bool
target_host(struct target *t, struct host_frames *out, struct ls_error *err)
{
    *out = (struct host_frames){0};
    if (!target_ask(t, DEBUG_A_HOST, NULL, 0, NULL, 0, &out->text, err))
        return false;
    const char *part[3], *p = out->text.at, *end = p + out->text.count;
    for (; p < end && out->count < HOST_MOST; out->count++) {
        for (int k = 0; k < 3; k++) {
            part[k] = p < end ? p : "";
            p += strlen(part[k]) + 1;
        }
        out->at[out->count].function = part[0];
        out->at[out->count].file = part[1];
        out->at[out->count].line = (uint32_t)strtoul(part[2], NULL, 10);
    }
    return true;
}

bool
target_watch(struct target *t, const struct debug_watch *watch, struct ls_error *err)
{
    return ask_exact(t, DEBUG_A_WATCH, watch, sizeof *watch, NULL, 0, NULL, 0, err);
}

bool
target_last(struct target *t, const struct debug_memory *at, struct debug_write *out,
            struct ls_error *err)
{
    return ask_exact(t, DEBUG_A_LAST, at, sizeof *at, NULL, 0, out, sizeof *out, err);
}

struct debug_poll *
target_polls(struct target *t, uint32_t *count, struct ls_error *err)
{
    return ask_list(t, DEBUG_A_POLLS, NULL, 0, sizeof(struct debug_poll), count, err);
}

bool
target_catch(struct target *t, const struct debug_catch *all, size_t count, struct ls_error *err)
{
    return ask_exact(t, DEBUG_A_CATCH, all, count * sizeof *all, NULL, 0, NULL, 0, err);
}

bool
target_filters(struct target *t, const struct debug_filter *all, size_t count, struct ls_error *err)
{
    return ask_exact(t, DEBUG_A_FILTERS, all, count * sizeof *all, NULL, 0, NULL, 0, err);
}

bool
target_allocation(struct target *t, uint64_t number, struct debug_symbol *out, struct ls_error *err)
{
    return ask_exact(t, DEBUG_A_ALLOCATION, &number, sizeof number, NULL, 0, out, sizeof *out, err);
}

bool
target_flags(struct target *t, uint32_t module, const uint32_t *flags, uint32_t count,
             struct ls_error *err)
{
    struct debug_flags head = {module, count};
    return ask_exact(t, DEBUG_A_FLAGS, &head, sizeof head, flags, count * sizeof *flags, NULL, 0,
                     err);
}
