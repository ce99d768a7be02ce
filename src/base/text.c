/* SPDX-License-Identifier: Apache-2.0
 *
 * text: growing text, prefixes and suffixes, numbers, the nearest word of a list.
 */
#include "base/base.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
text_reserve(struct text *t, size_t more)
{
    while (t->room - t->count <= more)
        t->at = ls_grow(t->at, &t->room, 1);
}

void
text_add(struct text *t, const char *format, ...)
{
    va_list args;
    text_reserve(t, 64);
    va_start(args, format);
    int n = vsnprintf(t->at + t->count, t->room - t->count, format, args);
    va_end(args);
    if (n < 0) {
        t->at[t->count] = 0;
        return;
    }
    if ((size_t)n >= t->room - t->count) {
        text_reserve(t, (size_t)n);
        va_start(args, format);
        vsnprintf(t->at + t->count, t->room - t->count, format, args);
        va_end(args);
    }
    t->count += (size_t)n;
}

void
text_add_bytes(struct text *t, const char *at, size_t n)
{
    text_reserve(t, n);
    if (n)
        memcpy(t->at + t->count, at, n);
    t->count += n;
    t->at[t->count] = 0;
}

void
text_free(struct text *t)
{
    ls_release(t->at);
    *t = (struct text){0};
}

bool
ls_starts_with(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool
ls_ends_with(const char *s, const char *suffix)
{
    size_t n = strlen(s), k = strlen(suffix);
    return n >= k && memcmp(s + n - k, suffix, k) == 0;
}

bool
ls_parse_u64(const char *s, uint64_t *out)
{
    bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    const char *p = hex ? s + 2 : s;
    unsigned base = hex ? 16 : 10;
    uint64_t v = 0;
    if (!*p)
        return false;
    for (; *p; p++) {
        unsigned digit;
        if (*p >= '0' && *p <= '9')
            digit = (unsigned)(*p - '0');
        else if (hex && isxdigit((unsigned char)*p))
            digit = (unsigned)(tolower((unsigned char)*p) - 'a') + 10;
        else
            return false;
        if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
            __builtin_add_overflow(v, (uint64_t)digit, &v))
            return false;
    }
    *out = v;
    return true;
}

bool
ls_parse_i64(const char *s, int64_t *out)
{
    bool minus = *s == '-';
    uint64_t v;
    if (!ls_parse_u64(s + minus, &v) || v > (uint64_t)INT64_MAX + minus)
        return false;
    *out = minus ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

bool
ls_parse_f64(const char *s, double *out)
{
    char *end;
    if (!*s || isspace((unsigned char)*s))
        return false;
    errno = 0;
    double v = strtod(s, &end);
    if (*end || (errno == ERANGE && fabs(v) == HUGE_VAL))
        return false;
    *out = v;
    return true;
}

/* Number of letters to insert, delete, replace or swap with their neighbour. */
static unsigned
edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    enum { LONGEST = 48 };
    unsigned row[3][LONGEST + 1];
    if (n > LONGEST || m > LONGEST)
        return UINT_MAX;
    for (size_t j = 0; j <= m; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *now = row[i % 3], *last = row[(i + 2) % 3], *older = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                older[j - 2] + 1 < best)
                best = older[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

const char *
ls_nearest(const char *word, const char *const *table, size_t n)
{
    size_t length = strlen(word);
    const char *best = NULL;
    /* At most a third of the letters may differ, else the suggestion misleads. */
    unsigned least = (unsigned)(length / 3 + 1);
    for (size_t i = 0; i < n; i++) {
        if (!table[i])
            continue;
        unsigned d = edit_distance(word, length, table[i], strlen(table[i]));
        if (d < least || (d == least && !best)) { /* the first of equals */
            least = d;
            best = table[i];
        }
    }
    return best;
}

bool
ls_near_null(uint64_t address, char *out, size_t room)
{
    enum { NEAR = 65536 };
    unsigned long long behind = address, before = 0 - address;
    if (behind >= NEAR && before > NEAR)
        return false;
    if (!address)
        snprintf(out, room, "null pointer");
    else
        snprintf(out, room, "null pointer %s %llu", behind < NEAR ? "plus" : "minus",
                 behind < NEAR ? behind : before);
    return true;
}
