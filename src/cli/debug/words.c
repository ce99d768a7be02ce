/* SPDX-License-Identifier: Apache-2.0
 *
 * words.c: what commands' arguments are made of.
 */
#include "cli/debug/commands.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *
word_skip(const char *p)
{
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

const char *
word_next(struct session *s, const char **p)
{
    const char *from = word_skip(*p), *to = from;
    while (*to && !isspace((unsigned char)*to))
        to++;
    *p = word_skip(to);
    return to > from ? arena_strndup(&s->scratch, from, (size_t)(to - from)) : NULL;
}

bool
word_count(struct session *s, const char *text, uint64_t usual, uint64_t *out, struct ls_error *err)
{
    struct world w = session_here(s);
    struct value v;
    int64_t n;
    *out = usual;
    if (!*text || ls_parse_u64(text, out))
        return true;
    if (!evaluate(&w, text, NULL, &v, err) || !value_integer(&w, &v, &n, err))
        return false;
    *out = (uint64_t)n;
    return n >= 0 || ls_fail(err, LS_ERR_USAGE, "Counts and positions begin at 0, not at %lld.",
                             (long long)n);
}

bool
word_format(const char **p, struct format_word *out, struct ls_error *err)
{
    *out = (struct format_word){0};
    const char *q = word_skip(*p);
    if (*q != '/') {
        *p = q;
        return true;
    }
    char *end;
    out->count = strtoull(++q, &end, 10);
    for (q = end; *q && !isspace((unsigned char)*q); q++) {
        if (strchr("bhwg", *q) && (*q != 'b' || !out->size))
            out->size = *q;
        else if (strchr("xduotfcasiz", *q))
            out->letter = *q;
        else
            return ls_fail(err, LS_ERR_USAGE, "Undefined output format \"%c\".", *q);
    }
    *p = word_skip(q);
    return true;
}

bool
word_numbers(struct session *s, const char *args,
             bool (*each)(struct session *s, uint64_t number, struct ls_error *err),
             struct ls_error *err)
{
    enum { MOST = 100000 };
    for (const char *word; (word = word_next(s, &args));) {
        char *end;
        uint64_t from = strtoull(word, &end, 10), to = from;
        if (*end == '-' && end > word)
            to = strtoull(end + 1, &end, 10);
        if (!isdigit((unsigned char)*word) || *end || to < from || to - from > MOST)
            return ls_fail(err, LS_ERR_USAGE, "Bad breakpoint or display number '%s'", word);
        for (uint64_t n = from; n <= to; n++)
            if (!each(s, n, err))
                return false;
    }
    return true;
}
