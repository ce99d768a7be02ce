/* SPDX-License-Identifier: Apache-2.0
 *
 * dap_wire.c: messages in and out. A thread reads them, so that `pause' is seen while the program
 * runs; another hands on what the program prints.
 */
#include "cli/debug/dap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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
        printf("Content-Length: %zu\r\n\r\n%s", strlen(text), text);
        fflush(stdout);
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

/* Not by stdio: who flushes all its files waits for one that is being read. */
static bool
read_bytes(char *at, size_t n)
{
    while (n) {
        ssize_t k = read(STDIN_FILENO, at, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        at += k;
        n -= (size_t)k;
    }
    return true;
}

/* A line without its end; what does not fit is cut. */
static bool
read_line(char *line, size_t room)
{
    size_t n = 0;
    char c;
    while (read_bytes(&c, 1)) {
        if (c == '\n') {
            line[n - (n && line[n - 1] == '\r')] = 0;
            return true;
        }
        if (n + 1 < room)
            line[n++] = c;
    }
    return false;
}

/* One message; NULL: the end, or nothing that could be one. */
static json_t *
read_message(void)
{
    char line[1024];
    size_t length = 0;
    json_error_t unused;
    while (read_line(line, sizeof line) && *line)
        if (!strncasecmp(line, "Content-Length:", 15))
            length = strtoul(line + 15, NULL, 10);
    if (!length || length > LONGEST)
        return NULL;
    char *text = ls_alloc(length + 1);
    json_t *m = read_bytes(text, length) ? json_loadb(text, length, 0, &unused) : NULL;
    ls_release(text);
    return m;
}

static void *
read_messages(void *context)
{
    struct dap *d = context;
    for (json_t *m; (m = read_message());) {
        const char *command = json_string_value(json_object_get(m, "command"));
        pthread_mutex_lock(&d->lock);
        bool stops = command && (!strcmp(command, "pause") || !strcmp(command, "disconnect") ||
                                 !strcmp(command, "terminate"));
        if (stops && d->running)
            target_interrupt(&d->s.target);
        VEC_PUSH(&d->queue, m);
        pthread_cond_signal(&d->came);
        pthread_mutex_unlock(&d->lock);
    }
    pthread_mutex_lock(&d->lock);
    d->input_over = true;
    if (d->running)
        target_interrupt(&d->s.target);
    pthread_cond_signal(&d->came);
    pthread_mutex_unlock(&d->lock);
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

static void *
hand_on_output(void *context)
{
    struct dap *d = context;
    char part[4096];
    for (;;) {
        ssize_t n = read(d->output[0], part, sizeof part);
        if (n > 0)
            dap_output(d, "stdout", part, (size_t)n);
        else if (!n || errno != EINTR)
            return NULL;
    }
}

bool
dap_begin(struct dap *d)
{
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->came, NULL);
    d->s.out = open_memstream(&d->said, &d->said_size);
    if (!d->s.out || pipe(d->output) != 0)
        return false;
    d->s.program_out = d->output[1];
    return pthread_create(&d->printer, NULL, hand_on_output, d) == 0 &&
           pthread_create(&d->reader, NULL, read_messages, d) == 0;
}

/* The reader may wait for input that nobody sends: it ends with the process. */
void
dap_end(struct dap *d)
{
    close(d->output[1]);
    pthread_join(d->printer, NULL);
    pthread_detach(d->reader);
}
