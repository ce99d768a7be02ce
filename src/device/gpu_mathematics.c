/* SPDX-License-Identifier: Apache-2.0
 *
 * gpu_mathematics.c: cuts those functions out of the PTX of ptx/mathematics.c that a program needs,
 * with what they call. The text is our own, as clang writes it: each declaration and definition
 * begins with a dot in the first column and ends with a line that is ";" or "}".
 */
#include "device/gpu_priv.h"

#include <ctype.h>
#include <string.h>

extern const char lockstep_mathematics[] __attribute__((visibility("hidden")));
__asm__(".pushsection .rodata\n"
        ".hidden lockstep_mathematics\n"
        ".global lockstep_mathematics\n"
        "lockstep_mathematics: .incbin \"" LOCKSTEP_MATHEMATICS "\"\n"
        ".byte 0\n"
        ".popsection\n");

static const char prefix[] = "__nv_";

struct item {
    const char *at;
    size_t size;
    const char *name; /* of the function; NULL: a directive or a variable, which all need */
    size_t name_size;
    bool wanted;
};

struct items {
    VEC(struct item) list;
};

static size_t
name_size(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    return n;
}

static const char *
line_end(const char *at)
{
    const char *newline = strchr(at, '\n');
    return newline ? newline + 1 : at + strlen(at);
}

static void
cut(struct items *items)
{
    for (const char *at = lockstep_mathematics; *at; at = line_end(at)) {
        if (*at != '.')
            continue;
        struct item i = {.at = at, .wanted = true};
        const char *end = line_end(at);
        if (!strncmp(at, ".visible .func", 14)) {
            i.wanted = false;
            i.name = strstr(at, prefix);
            i.name_size = name_size(i.name);
            while (*end && *end != ';' && *end != '}')
                end = line_end(end);
            end = line_end(end);
        }
        i.size = (size_t)(end - at);
        VEC_PUSH(&items->list, i);
        at = end - 1;
    }
}

/* True when something of that name is wanted that was not before. */
static bool
want(struct items *items, const char *name, size_t n)
{
    bool news = false;
    for (size_t k = 0; k < items->list.count; k++) {
        struct item *i = &items->list.at[k];
        if (i->name && !i->wanted && i->name_size == n && !memcmp(i->name, name, n))
            news = i->wanted = true;
    }
    return news;
}

/* What a wanted function names is wanted too. */
static bool
want_called(struct items *items, const struct item *i)
{
    bool news = false;
    const char *end = i->at + i->size, *at = i->at;
    while ((at = strstr(at, prefix)) && at < end) {
        size_t n = name_size(at);
        news |= want(items, at, n);
        at += n;
    }
    return news;
}

bool
gpu_mathematics(const struct ptx_module *m, struct text *out)
{
    struct items items = {0};
    bool any = false, news = true;
    for (uint32_t k = 0; k < m->func_count; k++) {
        const struct ptx_func *f = m->funcs[k];
        if (f->has_body || strncmp(f->name, prefix, sizeof prefix - 1) != 0)
            continue;
        if (!items.list.count)
            cut(&items);
        any |= want(&items, f->name, strlen(f->name));
    }
    while (any && news) {
        news = false;
        for (size_t k = 0; k < items.list.count; k++)
            if (items.list.at[k].name && items.list.at[k].wanted)
                news |= want_called(&items, &items.list.at[k]);
    }
    for (size_t k = 0; any && k < items.list.count; k++)
        if (items.list.at[k].wanted)
            text_add_bytes(out, items.list.at[k].at, items.list.at[k].size);
    VEC_FREE(&items.list);
    return any;
}
