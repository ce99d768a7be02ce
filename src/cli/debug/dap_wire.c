/* SPDX-License-Identifier: Apache-2.0
 *
 * dap_wire.c: messages in and out. A thread reads them, so that `pause' is seen while the program
 * runs; others hand on what the program prints.
 */
#define _GNU_SOURCE /* pipe2, pthread_timedjoin_np */
#include "cli/debug/dap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST = 16 << 20 };

/* -- out --------------------------------------------------------------------------------------- */

void
dap_send(struct dap *d, json_t *message)
{
    pthread_mutex_lock(&d->lock);
    json_object_set_new(message, "seq", json_integer(++d->sequence));
    char *text = json_dumps(message, JSON_COMPACT);
    if (text) {
        fprintf(d->to, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
        fflush(d->to);
    }
    free(text);
    json_decref(message);
    pthread_mutex_unlock(&d->lock);
}

void
dap_event(struct dap *d, const char *name, json_t *body)
{
    json_t *m = json_pack("{s:s, s:s}", "type", "event", "event", name);
    if (body)
        json_object_set_new(m, "body", body);
    dap_send(d, m);
}

void
dap_output(struct dap *d, const char *category, const char *text, size_t n)
{
    json_t *words = json_stringn(text, n);
    if (!words) { /* no UTF-8 */
        char *plain = ls_alloc(n + 1);
        for (size_t k = 0; k < n; k++)
            plain[k] = (unsigned char)text[k] < 128 ? text[k] : '?';
        words = json_stringn(plain, n);
        ls_release(plain);
    }
    dap_event(d, "output", json_pack("{s:s, s:o}", "category", category, "output", words));
}

char *
dap_said(struct dap *d)
{
    session_said(&d->s);
    fflush(d->s.out);
    char *said = malloc(d->said_size + 1);
    if (said) {
        memcpy(said, d->said, d->said_size);
        said[d->said_size] = 0;
    }
    rewind(d->s.out);
    fflush(d->s.out);
    return said;
}

/* -- in ---------------------------------------------------------------------------------------- */

/* A line without its end; what does not fit is cut. Not by stdio: who flushes all its files waits
 * for one that is being read. */
static bool
read_line(int from, char *line, size_t room)
{
    size_t n = 0;
    char c;
    while (debug_take(from, &c, 1)) {
        if (c == '\n') {
            line[n - (n && line[n - 1] == '\r')] = 0;
            return true;
        }
        if (n + 1 < room)
            line[n++] = c;
    }
    return false;
}

/* One message: null where there is one that is no JSON. NULL: the end, or nothing that could be a
 * message: where the next begins is not known. */
static json_t *
read_message(struct dap *d)
{
    char line[1024];
    size_t length = 0;
    json_error_t unused;
    while (read_line(d->from, line, sizeof line) && *line)
        if (!strncasecmp(line, "Content-Length:", 15))
            length = strtoul(line + 15, NULL, 10);
    if (!length || length > LONGEST)
        return NULL;
    char *text = ls_alloc(length + 1);
    bool whole = debug_take(d->from, text, length);
    json_t *m = whole ? json_loadb(text, length, 0, &unused) : NULL;
    ls_release(text);
    return m || !whole ? m : json_null();
}

/* Whether the program still runs when the time is over. */
static bool
still_runs(struct dap *d, int milliseconds)
{
    const struct timespec part = {.tv_nsec = 10000000};
    bool runs = true;
    for (int k = 0; runs && k < milliseconds; k += 10) {
        nanosleep(&part, NULL);
        pthread_mutex_lock(&d->lock);
        runs = d->running;
        pthread_mutex_unlock(&d->lock);
    }
    return runs;
}

/* A program that runs: nobody wants it any more. Host code may take no notice of a signal. */
static void
end_program(struct dap *d)
{
    enum { PATIENCE = 1000 };
    pthread_mutex_lock(&d->lock);
    bool runs = d->running;
    if (runs)
        target_terminate(&d->s.target, false);
    pthread_mutex_unlock(&d->lock);
    if (!runs || !still_runs(d, PATIENCE))
        return;
    pthread_mutex_lock(&d->lock);
    if (d->running)
        target_terminate(&d->s.target, true);
    pthread_mutex_unlock(&d->lock);
}

static void
put_in_queue(struct dap *d, json_t *m)
{
    pthread_mutex_lock(&d->lock);
    if (m)
        VEC_PUSH(&d->queue, m);
    else
        d->input_over = true;
    pthread_cond_signal(&d->came);
    pthread_mutex_unlock(&d->lock);
}

static void *
read_messages(void *context)
{
    struct dap *d = context;
    for (json_t *m; (m = read_message(d));) {
        const char *command = json_string_value(json_object_get(m, "command"));
        bool ends = command && (!strcmp(command, "disconnect") || !strcmp(command, "terminate"));
        bool stops = command && !strcmp(command, "pause");
        put_in_queue(d, m);
        pthread_mutex_lock(&d->lock);
        if (stops && d->running)
            target_interrupt(&d->s.target);
        pthread_mutex_unlock(&d->lock);
        if (ends)
            end_program(d);
    }
    const struct timespec long_enough = {.tv_sec = 5};
    put_in_queue(d, NULL);
    end_program(d);
    nanosleep(&long_enough, NULL); /* for the process to end; a question may be without an answer */
    target_terminate(&d->s.target, true);
    return NULL;
}

json_t *
dap_next(struct dap *d)
{
    json_t *m = NULL;
    pthread_mutex_lock(&d->lock);
    while (!d->queue.count && !d->input_over)
        pthread_cond_wait(&d->came, &d->lock);
    if (d->queue.count) {
        m = d->queue.at[0];
        memmove(d->queue.at, d->queue.at + 1, sizeof m * --d->queue.count);
    }
    pthread_mutex_unlock(&d->lock);
    return m;
}

static void
hand_on(struct dap *d, int from, const char *category)
{
    char part[4096];
    for (;;) {
        ssize_t n = read(from, part, sizeof part);
        if (n > 0)
            dap_output(d, category, part, (size_t)n);
        else if (!n || errno != EINTR)
            return;
    }
}

static void *
hand_on_output(void *context)
{
    struct dap *d = context;
    hand_on(d, d->output[0], "stdout");
    return NULL;
}

static void *
hand_on_errors(void *context)
{
    struct dap *d = context;
    hand_on(d, d->errors[0], "stderr");
    return NULL;
}

/* The protocol has these to itself: nothing else that reads or prints finds them. */
static bool
take_over(struct dap *d, int from, int to)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    d->from = fcntl(from, F_DUPFD_CLOEXEC, 3);
    int out = fcntl(to, F_DUPFD_CLOEXEC, 3);
    d->to = out >= 0 ? fdopen(out, "w") : NULL;
    bool fine = nothing >= 0 && d->from >= 0 && d->to && dup2(nothing, STDIN_FILENO) >= 0 &&
                dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    if (nothing >= 0)
        close(nothing);
    return fine;
}

bool
dap_begin(struct dap *d, int from, int to)
{
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->came, NULL);
    signal(SIGPIPE, SIG_IGN); /* who has gone is known by the end of what they send */
    d->s.out = open_memstream(&d->said, &d->said_size);
    if (!d->s.out || !take_over(d, from, to) || pipe2(d->output, O_CLOEXEC) != 0 ||
        pipe2(d->errors, O_CLOEXEC) != 0)
        return false;
    d->s.program_out[0] = d->output[1];
    d->s.program_out[1] = d->errors[1];
    return pthread_create(&d->printer, NULL, hand_on_output, d) == 0 &&
           pthread_create(&d->complainer, NULL, hand_on_errors, d) == 0 &&
           pthread_create(&d->reader, NULL, read_messages, d) == 0;
}

/* Of the program, which has ended: what it has left behind may keep its output open. */
void
dap_drain(struct dap *d)
{
    struct timespec until;
    if (d->drained)
        return;
    close(d->output[1]);
    close(d->errors[1]);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_timedjoin_np(d->printer, NULL, &until);
    pthread_timedjoin_np(d->complainer, NULL, &until);
    d->drained = true;
}
