/* SPDX-License-Identifier: Apache-2.0
 *
 * console.c: see console.h.
 */
#include "cli/console.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

uint32_t
console_width(FILE *out)
{
    struct winsize size;
    uint64_t columns;
    const char *said = getenv("COLUMNS");
    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    return said && ls_parse_u64(said, &columns) && columns >= 20 && columns < 10000 ? (uint32_t)columns : 0;
}

bool
console_colours(FILE *out)
{
    const char *no = getenv("NO_COLOR");
    return isatty(fileno(out)) && !(no && *no);
}

void
console_print(FILE *out, bool on, enum console_colour colour, const char *format, ...)
{
    static const char *const codes[] = {"", "\033[1m", "\033[2m", "\033[1;31m", "\033[1;33m", "\033[32m"};
    va_list list;
    fputs(on ? codes[colour] : "", out);
    va_start(list, format);
    vfprintf(out, format, list);
    va_end(list);
    fputs(on && colour != CONSOLE_PLAIN ? "\033[0m" : "", out);
}

/* Columns of UTF-8 text. */
static uint32_t
columns_of(const char *s, size_t n)
{
    uint32_t columns = 0;
    for (size_t k = 0; k < n; k++)
        columns += ((unsigned char)s[k] & 0xc0) != 0x80;
    return columns;
}

/* How many bytes of the text go on a line with that room: up to the last blank; of a word that is wider all. */
static size_t
fits(const char *s, uint32_t room)
{
    size_t good = 0;
    for (size_t n = 0;; n++) {
        if (s[n] && s[n] != ' ')
            continue;
        if (columns_of(s, n) > room)
            return good ? good : n;
        good = n;
        if (!s[n])
            return n;
    }
}

static uint32_t
lay_out(FILE *out, uint32_t width, uint32_t used, uint32_t indent, uint32_t most, const char *s)
{
    uint32_t lines = 0;
    while (*s || !lines) {
        uint32_t room = width > used ? width - used : 1;
        bool last = most && lines + 1 == most;
        size_t n = fits(s, room);
        if (last && s[n])
            n = fits(s, room > 4 ? room - 4 : 1);
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
console_paragraph(FILE *out, uint32_t width, uint32_t used, uint32_t indent, uint32_t most, const char *text)
{
    return lay_out(out, width ? width : UINT32_MAX, used, indent, most, text);
}

uint32_t
console_lines(uint32_t width, uint32_t used, uint32_t indent, const char *text)
{
    return lay_out(NULL, width ? width : UINT32_MAX, used, indent, 0, text);
}
