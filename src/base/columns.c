/* SPDX-License-Identifier: Apache-2.0
 *
 * columns.c: text in lines that a terminal holds. Colours take no column, nor do the further bytes
 * of a UTF-8 character.
 */
#define _GNU_SOURCE /* vasprintf */
#include "base/base.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST_COLUMNS = 40, USUAL_COLUMNS = 80, SECOND_COLUMN = 44 };

uint32_t
columns_of(FILE *out)
{
    struct winsize size;
    const char *said = getenv("COLUMNS");
    uint64_t columns = 0;
    int fd = fileno(out);
    if (fd < 0 && out == stdout) /* a stream in its place */
        fd = STDOUT_FILENO;
    if (!isatty(fd))
        return 0;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    if (!columns && !(said && ls_parse_u64(said, &columns)))
        columns = USUAL_COLUMNS;
    return columns >= LEAST_COLUMNS && columns < 10000 ? (uint32_t)columns : 0;
}

/* Bytes of one character, or of a colour's sequence; *width: columns. */
static size_t
character(const char *s, size_t left, uint32_t *width)
{
    size_t n = 1;
    if (s[0] == '\033' && left > 1 && s[1] == '[') {
        n = 2;
        while (n < left && !(s[n] >= '@' && s[n] <= '~'))
            n++;
        *width = 0;
        return n < left ? n + 1 : n;
    }
    while (n < left && ((unsigned char)s[n] & 0xc0) == 0x80)
        n++;
    *width = 1;
    return n;
}

uint32_t
columns_count(const char *s, size_t n)
{
    uint32_t columns = 0, width;
    for (size_t at = 0; at < n; columns += width)
        at += character(s + at, n - at, &width);
    return columns;
}

/* How far what is broken off the line is moved in; *mark: how much of
 * the line's begin is repeated. */
static uint32_t
hang(const char *line, size_t n, bool joined, size_t *mark)
{
    size_t at = 0;
    *mark = 0;
    if (n > 9 && strncmp(line, "=========", 9) == 0)
        at = *mark = 9;
    while (at < n && line[at] == ' ')
        at++;
    size_t begin = at;
    for (; !*mark && begin && at + 2 < n && at < SECOND_COLUMN; at++)
        if (line[at] == ' ' && line[at + 1] == ' ') {
            while (at < n && line[at] == ' ')
                at++;
            return (uint32_t)at;
        }
    return (uint32_t)begin + (joined && !begin ? 0 : 4);
}

size_t
columns_fit(const char *s, size_t n, uint32_t columns)
{
    size_t end = 0, bytes;
    uint32_t used = 0, width;
    for (size_t at = 0; at < n; at += bytes, used += width) {
        bytes = character(s + at, n - at, &width);
        if (s[at] == ' ' && at && s[at - 1] != ' ')
            end = at;
        if (used + width > columns && end)
            return end;
    }
    return n;
}

static void
fold_line(struct text *out, const char *line, size_t n, uint32_t columns, bool joined)
{
    size_t mark;
    uint32_t in = hang(line, n, joined, &mark);
    if (!columns || in + 16 > columns) {
        text_add_bytes(out, line, n);
        text_add(out, "\n");
        return;
    }
    /* The first line is broken behind its second column, or not at all. */
    size_t at = n < in ? n : in;
    at += columns_fit(line + at, n - at, columns - columns_count(line, at));
    text_add_bytes(out, line, at);
    while (at < n) {
        at += strspn(line + at, " ");
        size_t some = columns_fit(line + at, n - at, columns - in);
        text_add(out, "\n%.*s%*s%.*s", (int)mark, line, (int)(in - mark), "", (int)some, line + at);
        at += some;
    }
    text_add(out, "\n");
}

void
columns_fold(struct text *out, const char *text, uint32_t columns, bool joined)
{
    struct text line = {0};
    while (*text) {
        size_t n = strcspn(text, "\n");
        text_add_bytes(&line, text, n);
        text += n + (text[n] == '\n');
        bool more =
            joined && columns && n && line.at[0] != ' ' && *text && *text != ' ' && *text != '\n';
        if (more) {
            text_add(&line, " ");
            continue;
        }
        fold_line(out, line.at ? line.at : "", line.count, columns, joined);
        line.count = 0;
    }
    text_free(&line);
}

void
columns_print(FILE *out, const char *text, bool joined)
{
    uint32_t columns = columns_of(out);
    if (!columns) {
        fputs(text, out);
        return;
    }
    struct text folded = {0};
    columns_fold(&folded, text, columns, joined);
    fputs(folded.at ? folded.at : "", out);
    text_free(&folded);
}

void
columns_say(const char *format, ...)
{
    char *text = NULL;
    va_list list;
    va_start(list, format);
    int size = vasprintf(&text, format, list);
    va_end(list);
    if (size >= 0)
        columns_print(stderr, text, false); /* one call: lines of several threads do not mix */
    free(text);
}
