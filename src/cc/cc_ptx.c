/* SPDX-License-Identifier: Apache-2.0
 *
 * cc_ptx: clusters of kernels (jit/engine/annotations.c); and what has to be mended in clang's PTX
 * of one unit of a program of several (-rdc=true):
 *
 *   - a static variable that the host uses gets a name of its own unit, X__static__HASH, but
 *     kernels that come before the host's use still name it X, declared as if another unit had it;
 *   - __clang_gpu_used_external lists kernels of other units, declared as functions, which they
 *     are not.
 *
 * And -maxrregcount, of which clang knows nothing.
 */
#define _GNU_SOURCE /* memmem */
#include "cc/cc_priv.h"
#include "ptx/ptx.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char unit_mark[] = "__static__", used_list[] = "__clang_gpu_used_external";

struct token {
    const char *at;
    size_t size;
};

struct mender {
    const char *text, *end;
    VEC(struct token) statics; /* whole names: X__static__HASH */
};

static bool
is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool
same(struct token a, struct token b)
{
    return a.size == b.size && memcmp(a.at, b.at, a.size) == 0;
}

/* The next name at or behind p; size 0: none before end. */
static struct token
next_name(const char *p, const char *end)
{
    while (p < end && !is_name(*p))
        p++;
    struct token w = {.at = p};
    while (p < end && is_name(*p))
        p++;
    w.size = (size_t)(p - w.at);
    return w;
}

static const char *
find(struct token in, const char *what)
{
    return memmem(in.at, in.size, what, strlen(what));
}

/* X of X__static__HASH, or the word itself. */
static struct token
plain_name(struct token w)
{
    const char *mark = find(w, unit_mark);
    return mark ? (struct token){w.at, (size_t)(mark - w.at)} : w;
}

static struct token
whole_name(const struct mender *m, struct token w)
{
    for (size_t i = 0; i < m->statics.count; i++)
        if (same(plain_name(m->statics.at[i]), w))
            return m->statics.at[i];
    return w;
}

static void
note_statics(struct mender *m)
{
    for (struct token w = next_name(m->text, m->end); w.size;
         w = next_name(w.at + w.size, m->end)) {
        bool known = !find(w, unit_mark);
        for (size_t i = 0; i < m->statics.count; i++)
            known |= same(m->statics.at[i], w);
        if (!known)
            VEC_PUSH(&m->statics, w);
    }
}

static unsigned
count_uses(const char *from, const char *end, struct token name)
{
    unsigned uses = 0;
    for (struct token w = next_name(from, end); w.size; w = next_name(w.at + w.size, end))
        uses += same(w, name);
    return uses;
}

/* Whether a function is named in its declaration and the list alone. */
static bool
only_listed(const struct mender *m, struct token name)
{
    const char *list = memmem(m->text, (size_t)(m->end - m->text), used_list, sizeof used_list - 1);
    const char *stop = list ? memchr(list, ';', (size_t)(m->end - list)) : NULL;
    return stop && count_uses(list, stop, name) == 1 && count_uses(m->text, m->end, name) == 2;
}

/* The end of a statement that is to go, or NULL: it stays. */
static const char *
end_if_unwanted(const struct mender *m, const char *line, const char *line_end)
{
    struct token text = {line, (size_t)(line_end - line)};
    if (find(text, used_list))
        return line_end;
    if (strncmp(line, ".extern .func ", 14) == 0) {
        struct token name = next_name(line + 14, line_end);
        const char *stop = memchr(line, ';', (size_t)(m->end - line));
        return stop && only_listed(m, name) ? stop + 1 : NULL;
    }
    if (strncmp(line, ".extern .", 9) != 0)
        return NULL;
    for (struct token w = next_name(line, line_end); w.size; w = next_name(w.at + w.size, line_end))
        if (!same(whole_name(m, w), w))
            return line_end;
    return NULL;
}

static void
add_line(const struct mender *m, struct text *out, const char *line, const char *line_end)
{
    for (struct token w = next_name(line, line_end); w.size; w = next_name(line, line_end)) {
        struct token whole = whole_name(m, w);
        text_add_bytes(out, line, (size_t)(w.at - line));
        text_add_bytes(out, whole.at, whole.size);
        line = w.at + w.size;
    }
    text_add_bytes(out, line, (size_t)(line_end - line));
}

bool
cc_mend_unit(const char *path, struct ls_error *err)
{
    size_t size;
    char *text = ls_read_file(path, &size, err);
    if (!text)
        return false;
    struct mender m = {.text = text, .end = text + size};
    struct text out = {0};
    note_statics(&m);
    for (const char *line = text; line < m.end;) {
        const char *stop = memchr(line, '\n', (size_t)(m.end - line));
        stop = stop ? stop + 1 : m.end;
        const char *skip = end_if_unwanted(&m, line, stop);
        if (!skip)
            add_line(&m, &out, line, stop);
        line = skip ? skip : stop;
    }
    bool ok = ls_write_file(path, out.at, out.count, err);
    text_free(&out);
    VEC_FREE(&m.statics);
    ls_release(text);
    return ok;
}

/* -- clusters ---------------------------------------------------------------------------------- */

static const char cluster_mark[] = "// lockstep_cluster_dims ";

/* The numbers that the comments of the text have for a kernel: " 2 1 1"; size 0: none. */
static struct token
cluster_of(const char *text, const char *end, struct token kernel)
{
    const char *at = text;
    while ((at = memmem(at, (size_t)(end - at), cluster_mark, sizeof cluster_mark - 1))) {
        at += sizeof cluster_mark - 1;
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct token name = next_name(at, stop ? stop : end);
        const char *after = name.at + name.size;
        if (stop && same(name, kernel))
            return (struct token){after, (size_t)(stop - after)};
    }
    return (struct token){0};
}

bool
cc_mend_clusters(const char *path, struct ls_error *err)
{
    size_t size;
    char *text = ls_read_file(path, &size, err);
    if (!text)
        return false;
    bool any = strstr(text, cluster_mark), ok = true;
    const char *end = text + size;
    struct token cluster = {0};
    struct text out = {0};
    for (const char *line = text; line < end && any;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line)), *entry;
        stop = stop ? stop + 1 : end;
        struct token all = {line, (size_t)(stop - line)};
        if (*line == '.' && (entry = find(all, ".entry ")))
            cluster = cluster_of(text, end, next_name(entry + strlen(".entry "), stop));
        if (*line == ';') /* a declaration */
            cluster.size = 0;
        unsigned long n[3];
        if (*line == '{' && cluster.size &&
            sscanf(cluster.at, "%lu %lu %lu", &n[0], &n[1], &n[2]) == 3)
            text_add(&out, ".explicitcluster\n.reqnctapercluster %lu, %lu, %lu\n", n[0], n[1],
                     n[2]);
        if (*line == '{')
            cluster.size = 0;
        text_add_bytes(&out, line, all.size);
        line = stop;
    }
    if (any)
        ok = ls_write_file(path, out.at, out.count, err);
    text_free(&out);
    ls_release(text);
    return ok;
}

bool
cc_limit_registers(const char *path, uint32_t most, struct ls_error *err)
{
    size_t size;
    char *text = ls_read_file(path, &size, err);
    struct text out = {0};
    if (!text)
        return false;
    ptx_limit_registers(text, size, most, &out);
    bool ok = ls_write_file(path, out.at, out.count, err);
    text_free(&out);
    ls_release(text);
    return ok;
}
