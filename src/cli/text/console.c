/* SPDX-License-Identifier: Apache-2.0
 *
 * console.c: see console.h.
 */
#define _GNU_SOURCE /* fopencookie */
#include "cli/text/console.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* stdout while lines are broken: the descriptor's own stream, and what
 * stands on the line so far. */
static struct {
    FILE *plain;
    uint32_t column;
} folded;

/* Text in memory is for stdout. */
static FILE *
stream(FILE *out)
{
    return fileno(out) < 0 ? stdout : out;
}

uint32_t
console_width(FILE *out)
{
    uint64_t columns;
    const char *said = getenv("COLUMNS");
    uint32_t terminal = columns_of(stream(out));
    if (terminal)
        return terminal;
    return said && ls_parse_u64(said, &columns) && columns >= 20 && columns < 10000
               ? (uint32_t)columns
               : 0;
}

bool
console_colours(FILE *out)
{
    const char *no = getenv("NO_COLOR");
    int fd = fileno(stream(out));
    return isatty(fd < 0 ? STDOUT_FILENO : fd) && !(no && *no);
}

void
console_print(FILE *out, bool on, enum console_colour colour, const char *format, ...)
{
    static const char *const codes[] = {"",           "\033[1m",    "\033[2m",
                                        "\033[1;31m", "\033[1;33m", "\033[32m"};
    va_list list;
    fputs(on ? codes[colour] : "", out);
    va_start(list, format);
    vfprintf(out, format, list);
    va_end(list);
    fputs(on && colour != CONSOLE_PLAIN ? "\033[0m" : "", out);
}

static uint32_t
lay_out(FILE *out, uint32_t width, uint32_t used, uint32_t indent, uint32_t most, const char *s)
{
    uint32_t lines = 0;
    while (*s || !lines) {
        uint32_t room = width > used ? width - used : 1;
        bool last = most && lines + 1 == most;
        size_t n = columns_fit(s, strlen(s), room);
        if (last && s[n])
            n = columns_fit(s, strlen(s), room > 4 ? room - 4 : 1);
        if (out)
            fprintf(out, "%.*s%s\n", (int)n, s, last && s[n] ? " ..." : "");
        lines++;
        s += n;
        s += strspn(s, " ");
        if (last)
            break;
        used = indent;
        if (*s && out)
            fprintf(out, "%*s", (int)indent, "");
    }
    return lines;
}

uint32_t
console_paragraph(FILE *out, uint32_t width, uint32_t used, uint32_t indent, uint32_t most,
                  const char *text)
{
    return lay_out(out, width ? width : UINT32_MAX, used, indent, most, text);
}

uint32_t
console_lines(uint32_t width, uint32_t used, uint32_t indent, const char *text)
{
    return lay_out(NULL, width ? width : UINT32_MAX, used, indent, 0, text);
}

/* -- stdout in lines that fit ------------------------------------------------------------------ */

/* One line, or the beginning or the end of one. What does not fit goes on below, four columns
 * further in. */
static void
fold_line(const char *s, size_t n, uint32_t width)
{
    size_t blanks = folded.column ? 0 : strspn(s, " ");
    uint32_t indent = (uint32_t)blanks + 4 < width / 2 ? (uint32_t)blanks + 4 : 4;
    while (columns_count(s, n) + folded.column > width) {
        size_t some = columns_fit(s, n, width > folded.column ? width - folded.column : 1);
        if (folded.column > indent && columns_count(s, some) + folded.column > width)
            some = 0; /* not even a word */
        else if (some == n)
            break;
        fprintf(folded.plain, "%.*s\n%*s", (int)some, s, (int)indent, "");
        folded.column = indent;
        for (s += some, n -= some; n && *s == ' '; n--)
            s++;
    }
    fwrite(s, 1, n, folded.plain);
    folded.column += columns_count(s, n);
}

static ssize_t
fold_write(void *cookie, const char *at, size_t size)
{
    uint32_t width = console_width(stdout);
    (void)cookie;
    for (size_t done = 0; done < size;) {
        const char *end = memchr(at + done, '\n', size - done);
        size_t n = end ? (size_t)(end - at) - done : size - done;
        fold_line(at + done, n, width ? width : UINT32_MAX);
        if (end) {
            fputc('\n', folded.plain);
            folded.column = 0;
        }
        done += n + (end != NULL);
    }
    return fflush(folded.plain) == 0 ? (ssize_t)size : 0;
}

void
console_fold(void)
{
    if (folded.plain || !isatty(STDOUT_FILENO) || !console_width(stdout))
        return;
    FILE *f = fopencookie(NULL, "w", (cookie_io_functions_t){.write = fold_write});
    if (!f)
        return;
    fflush(stdout);
    folded.plain = stdout;
    setvbuf(f, NULL, _IOLBF, BUFSIZ);
    stdout = f;
}

void
console_plain(void)
{
    if (!folded.plain)
        return;
    FILE *f = stdout;
    fflush(f);
    stdout = folded.plain;
    folded.plain = NULL;
    fclose(f);
}
