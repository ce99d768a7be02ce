/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_words: the parser's hash tables.
 *
 * `words` maps fixed spellings (mnemonics, dot words, special registers) to numbers; it is filled
 * for each module, which takes some microseconds and needs no state outside of the parser. Symbols
 * are the module's own names: one table for all scopes, in which an inner scope's name hides the
 * outer one's until the scope is closed.
 */
#include "ptx/ptx_priv.h"

#include <string.h>

uint32_t
words_hash(const char *at, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)at[i]) * 16777619u;
    return h ^ h >> 15;
}

void
words_add(struct words *w, struct arena *a, const char *text, uint8_t kind, uint32_t value)
{
    if (w->used * 2 >= w->room) {
        struct words larger = {.room = w->room ? w->room * 2 : 256, .used = w->used};
        larger.slot = ARENA_ARRAY(a, struct word, larger.room);
        for (uint32_t i = 0; i < w->room; i++) {
            if (!w->slot[i].at)
                continue;
            uint32_t s = w->slot[i].hash & (larger.room - 1);
            while (larger.slot[s].at)
                s = (s + 1) & (larger.room - 1);
            larger.slot[s] = w->slot[i];
        }
        *w = larger;
    }
    size_t n = strlen(text);
    uint32_t hash = words_hash(text, n), s = hash & (w->room - 1);
    while (w->slot[s].at)
        s = (s + 1) & (w->room - 1);
    w->slot[s] = (struct word){text, (uint32_t)n, hash, value, kind};
    w->used++;
}

const struct word *
words_find(const struct words *w, const char *at, size_t n)
{
    if (!w->room)
        return NULL;
    uint32_t hash = words_hash(at, n), s = hash & (w->room - 1);
    for (; w->slot[s].at; s = (s + 1) & (w->room - 1))
        if (w->slot[s].hash == hash && w->slot[s].count == n && !memcmp(w->slot[s].at, at, n))
            return &w->slot[s];
    return NULL;
}

/* Words a mnemonic may take: `cp` alone is none, and cp.async.bulk has three. kind of a mnemonic's
 * first word: the largest number of words that begin with it. */
static void
add_mnemonic(struct parser *p, const char *text, uint32_t op)
{
    uint8_t n = 1;
    const char *dot = strchr(text, '.');
    size_t first = dot ? (size_t)(dot - text) : strlen(text);
    for (const char *c = dot; c; c = strchr(c + 1, '.'))
        n++;
    if (n > 1) {
        words_add(&p->table.ops, &p->temporary, text, 0, op);
        text = arena_strndup(&p->temporary, text, first);
    }
    struct word *w = (struct word *)words_find(&p->table.ops, text, first);
    if (!w) {
        words_add(&p->table.ops, &p->temporary, text, 1, PTX_OP_NONE);
        w = (struct word *)words_find(&p->table.ops, text, first);
    }
    if (n == 1)
        w->value = op;
    if (n > w->kind)
        w->kind = n;
}

void
tables_init(struct parser *p)
{
    static const struct {
        const char *text;
        uint8_t space;
    } spaces[] = {
        {"reg", PTX_SPACE_REG},
        {"sreg", PTX_SPACE_SREG},
        {"const", PTX_SPACE_CONST},
        {"global", PTX_SPACE_GLOBAL},
        {"local", PTX_SPACE_LOCAL},
        {"param", PTX_SPACE_PARAM},
        {"param::entry", PTX_SPACE_PARAM},
        {"param::func", PTX_SPACE_PARAM},
        {"shared", PTX_SPACE_SHARED},
        {"shared::cta", PTX_SPACE_SHARED},
        {"shared::cluster", PTX_SPACE_SHARED_CLUSTER},
        {"tex", PTX_SPACE_TEX},
    };
    struct arena *a = &p->temporary;
    for (uint32_t t = 1; t < PTX_TYPE_COUNT; t++)
        words_add(&p->table.dots, a, ptx_type_name(t), WORD_TYPE, t);
    for (uint32_t m = 1; m < PTX_MOD_COUNT; m++)
        words_add(&p->table.dots, a, ptx_mod_name(m), WORD_MOD, m);
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        words_add(&p->table.dots, a, spaces[i].text, WORD_SPACE, spaces[i].space);
    words_add(&p->table.dots, a, "v2", WORD_VEC, 2);
    words_add(&p->table.dots, a, "v4", WORD_VEC, 4);
    words_add(&p->table.dots, a, "v8", WORD_VEC, 8);
    words_add(&p->table.dots, a, "v3", WORD_VEC, 3);
    words_add(&p->table.dots, a, "v16", WORD_VEC, 16);
    for (uint32_t op = 1; op < PTX_OP_COUNT; op++)
        add_mnemonic(p, ptx_op_name(op), op);
    for (uint32_t r = 1; r < PTX_SR_COUNT; r++)
        words_add(&p->table.sregs, a, ptx_sreg_name(r), 0, r);
    p->bucket_count = 1024;
    p->buckets = ls_alloc(sizeof *p->buckets * p->bucket_count);
    VEC_PUSH(&p->parents, 0); /* the module's scope, 0 */
    p->next_scope = 1;
}

/* -- scopes and symbols ------------------------------------------------------------------------ */

void
scope_open(struct parser *p)
{
    if (p->depth + 1 >= PTX_LIMIT_DEPTH) {
        fail_here(p, "scopes are nested more than %d deep", PTX_LIMIT_DEPTH - 2);
        return;
    }
    uint32_t parent = p->scopes[p->depth].id;
    p->depth++;
    p->scopes[p->depth] = (struct scope){.id = p->next_scope++, .parent = parent};
    VEC_PUSH(&p->parents, parent);
}

void
scope_close(struct parser *p)
{
    if (p->depth == 0)
        return;
    for (struct symbol *s = p->scopes[p->depth].symbols; s; s = s->in_scope) {
        struct symbol **at = &p->buckets[s->hash & (p->bucket_count - 1)];
        while (*at && *at != s)
            at = &(*at)->next;
        if (*at)
            *at = s->next;
        p->symbol_count--;
    }
    p->depth--;
}

struct symbol *
symbol_find(struct parser *p, const char *at, size_t n)
{
    uint32_t hash = words_hash(at, n);
    for (struct symbol *s = p->buckets[hash & (p->bucket_count - 1)]; s; s = s->next)
        if (s->hash == hash && strncmp(s->name, at, n) == 0 && s->name[n] == 0)
            return s;
    return NULL;
}

struct symbol *
symbol_find_in(struct parser *p, const char *at, size_t n, uint32_t scope)
{
    uint32_t hash = words_hash(at, n);
    for (struct symbol *s = p->buckets[hash & (p->bucket_count - 1)]; s; s = s->next)
        if (s->hash == hash && s->scope == scope && strncmp(s->name, at, n) == 0 && !s->name[n])
            return s;
    return NULL;
}

/* Doubles the buckets; a bucket's order (inner scopes first) stays. */
static void
buckets_grow(struct parser *p)
{
    uint32_t n = p->bucket_count * 2;
    struct symbol **larger = ls_alloc(sizeof *larger * n);
    for (uint32_t b = 0; b < p->bucket_count; b++) {
        struct symbol **low = &larger[b], **high = &larger[b + p->bucket_count];
        for (struct symbol *s = p->buckets[b], *next; s; s = next) {
            next = s->next;
            struct symbol ***tail = s->hash & p->bucket_count ? &high : &low;
            **tail = s;
            *tail = &s->next;
        }
        *low = *high = NULL;
    }
    ls_release(p->buckets);
    p->buckets = larger;
    p->bucket_count = n;
}

static struct symbol *
add(struct parser *p, const char *name, enum symbol_kind kind, uint32_t depth, uint32_t line,
    uint32_t column)
{
    struct scope *scope = &p->scopes[depth];
    size_t n = strlen(name);
    struct symbol *old = symbol_find_in(p, name, n, scope->id);
    if (old) {
        fail_at(p, line, column, "'%s' is already declared on line %u", name, old->line);
        return NULL;
    }
    if (p->symbol_count >= p->bucket_count)
        buckets_grow(p);
    struct symbol *s = ARENA_NEW(&p->temporary, struct symbol);
    *s = (struct symbol){.name = name,
                         .hash = words_hash(name, n),
                         .kind = (uint8_t)kind,
                         .scope = scope->id,
                         .line = line,
                         .column = column};
    struct symbol **at = &p->buckets[s->hash & (p->bucket_count - 1)];
    if (depth == 0) /* behind the inner scopes' names */
        while (*at)
            at = &(*at)->next;
    s->next = *at;
    *at = s;
    s->in_scope = scope->symbols;
    scope->symbols = s;
    p->symbol_count++;
    return s;
}

struct symbol *
symbol_add(struct parser *p, const char *name, enum symbol_kind kind, uint32_t line,
           uint32_t column)
{
    return add(p, name, kind, p->depth, line, column);
}

struct symbol *
symbol_add_global(struct parser *p, const char *name, enum symbol_kind kind, uint32_t line,
                  uint32_t column)
{
    return add(p, name, kind, 0, line, column);
}

struct symbol *
symbol_of_function(struct parser *p, const char *name, uint32_t line, uint32_t column)
{
    struct symbol *s = symbol_find(p, name, strlen(name));
    if (s)
        return s;
    s = symbol_add_global(p, name, SYMBOL_FUNC, line, column);
    if (!s)
        return NULL;
    s->undeclared = true;
    s->func = ARENA_NEW(p->arena, struct ptx_func);
    s->func->name = name;
    s->func->module = p->m;
    VEC_PUSH(&p->module.undeclared, s);
    return s;
}
