/* SPDX-License-Identifier: Apache-2.0
 *
 * compare: runs a program on both kinds of device, catches what it prints on stdout, and compares
 * line by line. Numbers inside a line are compared as numbers; everything else character by
 * character.
 */
#include "cli/run/compare.h"

#include "cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHOWN = 20 };

struct ran {
    struct text out;
    int status; /* 128 + signal when one ended it */
};

static bool
run(const struct compare *c, const char *device, struct ran *r)
{
    int fds[2];
    char bytes[65536];
    ssize_t n;
    if (pipe(fds) < 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fds[1], 1);
        close(fds[0]);
        close(fds[1]);
        setenv("LOCKSTEP_DEVICE", device, 1);
        execvp(c->path, c->argv);
        columns_say("lockstep run: %s: %s\n", c->path, strerror(errno));
        _exit(127);
    }
    close(fds[1]);
    while ((n = read(fds[0], bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
        text_add_bytes(&r->out, bytes, n > 0 ? (size_t)n : 0);
    close(fds[0]);
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    r->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return pid > 0;
}

/* A number begins here, not inside a word ("k2" has none). */
static bool
begins_number(const char *line, const char *at)
{
    bool inside = at > line && (isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.');
    const char *digit = at + (*at == '-' || *at == '+');
    return !inside &&
           (isdigit((unsigned char)*digit) || (*digit == '.' && isdigit((unsigned char)digit[1])) ||
            !strncmp(digit, "inf", 3) || !strncmp(digit, "nan", 3));
}

/* Whether two lines say the same: words alike, numbers within the tolerance. */
static bool
compare_lines(const char *a, const char *b, double tolerance)
{
    const char *x = a, *y = b;
    while (*x && *y) {
        if (begins_number(a, x) && begins_number(b, y)) {
            char *after_x, *after_y;
            double p = strtod(x, &after_x), q = strtod(y, &after_y);
            bool same = p == q || (isnan(p) && isnan(q)) ||
                        fabs(p - q) <= tolerance * fmax(fabs(p), fabs(q));
            if (!same)
                return false;
            x = after_x;
            y = after_y;
        } else if (isspace((unsigned char)*x) && isspace((unsigned char)*y)) {
            x += strspn(x, " \t\r"); /* numbers of other widths move what follows */
            y += strspn(y, " \t\r");
        } else if (*x++ != *y++) {
            return false;
        }
    }
    return *x == *y;
}

static bool
ignored(const struct compare *c, const char *line)
{
    for (size_t k = 0; k < c->ignored; k++)
        if (strstr(line, c->ignore[k]))
            return true;
    return false;
}

/* The next line, ended by NUL; NULL: none is left. */
static char *
next_line(char **at)
{
    char *line = *at, *end = line ? strchr(line, '\n') : NULL;
    if (!line || !*line)
        return NULL;
    if (end)
        *end = 0;
    *at = end ? end + 1 : NULL;
    return line;
}

static size_t
differences(const struct compare *c, struct ran *virtual, struct ran *gpu, size_t *out_lines)
{
    char *at = virtual->out.at, *bt = gpu->out.at, *a = NULL, *b = NULL;
    size_t line = 0, wrong = 0;
    while ((a = next_line(&at), b = next_line(&bt), a || b)) {
        line++;
        if (a && b && (ignored(c, a) || ignored(c, b) || compare_lines(a, b, c->tolerance)))
            continue;
        if (++wrong <= SHOWN)
            fprintf(stderr, "line %zu\n  virtual: %s\n  gpu:     %s\n", line, a ? a : "(none)",
                    b ? b : "(none)");
    }
    *out_lines = line;
    return wrong;
}

int
compare_run(const struct compare *c, FILE *out, struct compared *result)
{
    struct ran virtual = {0}, gpu = {0};
    size_t lines = 0, wrong = 1;
    if (run(c, "virtual", &virtual) && run(c, "gpu", &gpu)) {
        fwrite(virtual.out.at ? virtual.out.at : "", 1, virtual.out.count, out);
        wrong = differences(c, &virtual, &gpu, &lines);
        if (virtual.status != gpu.status)
            columns_say("exit status %d on the virtual GPU, %d on the real one\n", virtual.status,
                        gpu.status);
        wrong += virtual.status != gpu.status;
        columns_say("lockstep run: %zu line%s compared, %s (tolerance %g)\n", lines,
                    lines == 1 ? "" : "s", wrong ? "not the same" : "the same", c->tolerance);
    } else {
        columns_say("lockstep run: %s\n", strerror(errno));
    }
    *result = (struct compared){lines, wrong, {virtual.status, gpu.status}};
    text_free(&virtual.out);
    text_free(&gpu.out);
    return wrong ? CLI_FINDINGS : CLI_OK;
}
