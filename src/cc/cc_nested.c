/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_nested: launches from kernels. clang does not let code of a device name a kernel; in functions
 * marked __global__ or __device__, "child<<<" becomes
 *
 *     LOCKSTEP_NESTED(N, child)<<<
 *
 * which crt/device_runtime_calls.h explains; N is how many arguments follow. Lines stay what they
 * are.
 */
#include "cc/cc_priv.h"

#include <ctype.h>
#include <string.h>

struct scan {
    const char *text, *done; /* done: copied up to here */
    struct text out;
    int depth, parens;
    int inside;   /* depth of the device function's braces, 0: outside */
    bool pending; /* __global__ or __device__ was seen: its body may follow */
    bool changed;
};

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool
word_at(const struct scan *s, const char *p, const char *word)
{
    size_t n = strlen(word);
    return strncmp(p, word, n) == 0 && !is_word(p[n]) && (p == s->text || !is_word(p[-1]));
}

/* The start of the expression that ends before p: a name with its scopes and a template's
 * arguments. */
static const char *
name_before(const struct scan *s, const char *p)
{
    const char *at = p;
    int angles = 0;
    if (at > s->text && at[-1] == '>')
        do {
            at--;
            angles += *at == '>' ? 1 : *at == '<' ? -1 : 0;
        } while (angles && at > s->done && *at != ';' && *at != '{');
    if (angles)
        return p;
    while (at > s->done && isspace((unsigned char)at[-1]))
        at--;
    const char *end = at;
    while (at > s->done && (is_word(at[-1]) || at[-1] == ':'))
        at--;
    return at == end || isdigit((unsigned char)*at) ? p : at;
}

/* How many arguments the launch at p passes; 0: its end is not found. */
static int
count_arguments(const struct scan *s, const char *p)
{
    int depth = 0, count = 0;
    bool blank = true; /* the argument, so far */
    while (*p && strncmp(p, ">>>", 3) != 0 && *p != ';')
        p = cc_skip_quoted(s->text, p) == p ? p + 1 : cc_skip_quoted(s->text, p);
    if (*p != '>')
        return 0;
    for (p += 3; *p;) {
        const char *next = cc_skip_quoted(s->text, p);
        bool comment = next != p && *p == '/';
        if (next == p) {
            next = p + 1;
            if (strchr(")]}", *p) && --depth == 0)
                return count + !blank;
            count += *p == ',' && depth == 1;
        }
        blank = blank && (depth == 0 || comment || isspace((unsigned char)*p));
        depth += next == p + 1 && strchr("([{", *p) != NULL;
        p = next;
    }
    return 0;
}

static void
rewrite(struct scan *s, const char *launch)
{
    const char *end = launch;
    while (end > s->done && isspace((unsigned char)end[-1]))
        end--;
    const char *name = name_before(s, end);
    int n = (int)(end - name);
    if (n == 0 || (n >= 8 && !strncmp(name, "operator", 8)))
        return;
    text_add_bytes(&s->out, s->done, (size_t)(name - s->done));
    text_add(&s->out, "LOCKSTEP_NESTED(%d, %.*s)", count_arguments(s, launch), n, name);
    s->done = end;
    s->changed = true;
}

static void
step(struct scan *s, const char *p)
{
    if (*p == '{') {
        s->depth++;
        if (s->pending && !s->inside && !s->parens)
            s->inside = s->depth;
        s->pending = s->pending && s->parens;
    } else if (*p == '}') {
        if (s->inside == s->depth)
            s->inside = 0;
        s->depth--;
    } else if (*p == '(' || *p == ')') {
        s->parens += *p == '(' ? 1 : -1;
    } else if (*p == ';' && !s->parens) {
        s->pending = false;
    } else if (*p == '_' && (word_at(s, p, "__global__") || word_at(s, p, "__device__"))) {
        s->pending = true;
    } else if (s->inside && p[0] == '<' && p[1] == '<' && p[2] == '<') {
        rewrite(s, p);
    }
}

char *
cc_nested_launches(const char *text, size_t *size)
{
    struct scan s = {.text = text, .done = text};
    if (!strstr(text, "<<<"))
        return NULL;
    for (const char *p = text; *p;) {
        const char *next = cc_skip_quoted(text, p);
        if (next == p) {
            step(&s, p);
            next = p + (p[0] == '<' && p[1] == '<' && p[2] == '<' ? 3 : 1);
        }
        p = next;
    }
    if (!s.changed) {
        text_free(&s.out);
        return NULL;
    }
    text_add(&s.out, "%s", s.done);
    *size = s.out.count;
    return s.out.at;
}
