/* SPDX-License-Identifier: Apache-2.0
 *
 * declared.c: the type of an `extern __shared__' array. clang tells nothing of what is declared
 * elsewhere, so that the source's own text says it: the last such declaration before the line.
 */
#include "cli/inspect/value.h"

#include <ctype.h>
#include <string.h>

static bool
is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Where the word stands in [from, to); NULL: nowhere. */
static const char *
find_word(const char *from, const char *to, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = from; p + n <= to; p++)
        if (!strncmp(p, word, n) && (p == from || !is_word_char(p[-1])) && !is_word_char(p[n]))
            return p;
    return NULL;
}

/* Words that say nothing of the type, with what stands in brackets behind them, become blanks. */
static void
leave_out(char *text)
{
    static const char *const words[] = {"extern",       "__shared__",   "volatile", "const",
                                        "__align__",    "alignas",      "static",   "typename",
                                        "__restrict__", "__attribute__"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        for (const char *p; (p = find_word(text, text + strlen(text), words[k]));) {
            size_t n = strlen(words[k]);
            if (p[n] == '(')
                n += strcspn(p + n, ")") + 1;
            memset(text + (p - text), ' ', n);
        }
}

/* "extern __shared__ float4 wide[][2]" to "float4[2]"; NULL: it declares something else. */
static struct type *
type_of(struct world *w, const char *from, const char *end, const char *name)
{
    const char *at = find_word(from, end, name);
    const char *open = at ? at + strlen(name) : NULL;
    const char *close = open && *open == '[' ? memchr(open, ']', (size_t)(end - open)) : NULL;
    if (!close || !find_word(from, at, "__shared__"))
        return NULL;
    char *text = arena_printf(w->arena, "%.*s%.*s", (int)(at - from), from, (int)(end - close - 1),
                              close + 1);
    leave_out(text);
    return evaluate_type(w, text);
}

struct type *
declared_shared(struct world *w, const char *name)
{
    const char *file;
    uint32_t line;
    size_t size;
    struct ls_error unused;
    struct type *found = NULL;
    if (!w->symbols || !symbols_place_line(w->symbols, w->place, &file, &line))
        return NULL;
    char *text = ls_read_file(file, &size, &unused);
    const char *end = text;
    for (uint32_t k = 0; end && *end && k < line; k++)
        end += strcspn(end, "\n") + (end[strcspn(end, "\n")] == '\n');
    for (const char *p = text; p && (p = find_word(p, end, "extern"));) {
        const char *stop = p + strcspn(p, ";{");
        struct type *t = *stop == ';' ? type_of(w, p, stop, name) : NULL;
        found = t ? t : found;
        p = stop;
    }
    ls_release(text);
    return found;
}
