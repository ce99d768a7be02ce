/* SPDX-License-Identifier: Apache-2.0
 *
 * shared.c: where shared variables lie that called functions name. A function is compiled once, and
 * finds them at one place whichever kernel it works for; a kernel has those that functions name
 * which it reaches by calls, and no others: variables of which no kernel has two may overlap.
 * Dynamic shared memory that a function names begins behind all that any kernel has which reaches
 * it. All is worked out from the module's text, so that each kernel and function, compiled alone,
 * comes to the same.
 */
#include "wir/wir_priv.h"

#include <string.h>

typedef uint64_t set;

/* A variable's number: the module's by their index, then functions' own. A slot is a shared one:
 * modules have thousands of others. */
struct graph {
    const struct ptx_module *m;
    uint32_t variables, slots, slot_words, func_words, users, user_words;
    uint32_t *slot;             /* per variable; UINT32_MAX: it is not shared */
    const struct ptx_var **var; /* per slot */
    uint32_t *own;              /* per function: its first variable's number */
    set *named, *calls;         /* per function: slots, functions */
    set *pointed;               /* functions that a pointer may lead to, and what they reach */
    bool *indirect, *dynamic;   /* per function: calls by pointer; names what has no size */
    uint32_t *naming;           /* functions that name slots */
    uint32_t naming_count;
    set *user;        /* per slot: kernels that reach it; the last: nobody does */
    uint64_t *offset; /* per slot */
};

static bool
has(const set *s, uint32_t k)
{
    return s[k / 64] >> k % 64 & 1;
}
static void
add(set *s, uint32_t k)
{
    s[k / 64] |= 1ull << k % 64;
}

static void
scan_operand(struct graph *g, const struct ptx_func *f, const struct ptx_operand *o)
{
    if (o->var && o->var->space == PTX_SPACE_SHARED) {
        const struct ptx_func *in = o->var->func;
        g->dynamic[f->index] |= o->var->unsized;
        uint32_t number = (in ? g->own[in->index] : 0) + o->var->index;
        add(g->named + f->index * g->slot_words, g->slot[number]);
    }
    for (uint32_t k = 0; k < o->count && o->elements; k++)
        scan_operand(g, f, &o->elements[k]);
}

static void
scan(struct graph *g, const struct ptx_func *f)
{
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const struct ptx_insn *i = &f->insns[n];
        const struct ptx_func *to = NULL;
        for (uint32_t k = 0; k < i->operand_count; k++) {
            scan_operand(g, f, &i->operand[k]);
            if (i->op == PTX_OP_CALL && i->operand[k].kind == PTX_O_FUNC)
                to = wir_with_body(g->m, i->operand[k].func);
        }
        g->indirect[f->index] |= i->op == PTX_OP_CALL && !to;
        if (to && !to->is_kernel)
            add(g->calls + f->index * g->func_words, to->index);
    }
}

/* Adds the functions that f calls, and those they call; a call by pointer may reach all. Modules
 * with a run-time library in them have a thousand functions, and as many kernels. */
static void
reach(const struct graph *g, uint32_t f, set *reached)
{
    for (uint32_t w = 0; w < g->func_words; w++) {
        if (g->indirect[f])
            reached[w] |= g->pointed[w];
        set new = g->calls[f * g->func_words + w] & ~reached[w];
        for (; new; new &= new - 1) {
            uint32_t k = 64 * w + (uint32_t)__builtin_ctzll(new);
            if (has(reached, k))
                continue;
            add(reached, k);
            reach(g, k, reached);
        }
    }
}

/* What a pointer may lead to: all functions, and those they call. */
static void
find_pointed(struct graph *g)
{
    const struct ptx_module *m = g->m;
    for (uint32_t k = 0; k < m->func_count; k++)
        if (!m->funcs[k]->is_kernel && m->funcs[k]->has_body)
            add(g->pointed, k);
    for (uint32_t k = 0; k < m->func_count; k++)
        if (!m->funcs[k]->is_kernel && m->funcs[k]->has_body)
            reach(g, k, g->pointed);
}

/* The slots of these functions; true: one names dynamic shared memory. */
static bool
slots_of(const struct graph *g, const set *reached, set *slots)
{
    bool dynamic = false;
    for (uint32_t n = 0; n < g->naming_count; n++) {
        uint32_t k = g->naming[n];
        if (!has(reached, k))
            continue;
        dynamic |= g->dynamic[k];
        for (uint32_t w = 0; w < g->slot_words; w++)
            slots[w] |= g->named[k * g->slot_words + w];
    }
    return dynamic;
}

static uint64_t
aligned(uint64_t at, const struct ptx_var *v)
{
    uint64_t align = v->align ? v->align : 1;
    return (at + align - 1) & ~(align - 1);
}

static bool
meet(const struct graph *g, uint32_t a, uint32_t b)
{
    bool some = false;
    for (uint32_t w = 0; w < g->user_words; w++)
        some |= g->user[a * g->user_words + w] & g->user[b * g->user_words + w];
    return some;
}

/* Each at the lowest place that no variable before it has in a kernel with both. */
static void
place_slots(struct graph *g)
{
    for (uint32_t s = 0; s < g->slots; s++) {
        const struct ptx_var *v = g->var[s];
        uint64_t at = 0;
        for (uint32_t t = 0; !v->unsized && t < s; t++) {
            uint64_t end = g->var[t]->unsized ? 0 : g->offset[t] + g->var[t]->size;
            if (at >= end || g->offset[t] >= at + v->size || !meet(g, s, t))
                continue;
            at = aligned(end, v);
            t = UINT32_MAX; /* from the first one again */
        }
        g->offset[s] = at;
    }
}

static uint64_t
end_of(const struct graph *g, const set *slots)
{
    uint64_t end = 0;
    for (uint32_t s = 0; s < g->slots; s++)
        if (!g->var[s]->unsized && has(slots, s) && g->offset[s] + g->var[s]->size > end)
            end = g->offset[s] + g->var[s]->size;
    return end;
}

/* The end of what kernel f has, its own behind what it reaches. */
static uint64_t
end_with_own(const struct graph *g, const struct ptx_func *f, const set *slots)
{
    uint64_t end = end_of(g, slots);
    for (uint32_t s = 0; s < g->slots; s++)
        if (!g->var[s]->unsized && !has(slots, s) && has(g->named + f->index * g->slot_words, s))
            end = aligned(end, g->var[s]) + g->var[s]->size;
    return end;
}

static void
add_slots(struct graph *g, struct ptx_var *const *vars, uint32_t count, uint32_t first)
{
    for (uint32_t n = 0; n < count; n++) {
        bool shared = vars[n]->space == PTX_SPACE_SHARED;
        g->slot[first + n] = shared ? g->slots : UINT32_MAX;
        if (shared)
            g->var[g->slots++] = vars[n];
    }
}

static void
find_slots(struct graph *g, struct arena *arena)
{
    const struct ptx_module *m = g->m;
    g->variables = m->var_count;
    g->own = ARENA_ARRAY(arena, uint32_t, m->func_count + 1);
    for (uint32_t k = 0; k < m->func_count; k++) {
        g->own[k] = g->variables;
        g->variables += m->funcs[k]->var_count;
        g->users += m->funcs[k]->is_kernel;
    }
    g->users++;
    g->slot = ARENA_ARRAY(arena, uint32_t, g->variables + 1);
    g->var = ARENA_ARRAY(arena, const struct ptx_var *, g->variables + 1);
    add_slots(g, m->vars, m->var_count, 0);
    for (uint32_t k = 0; k < m->func_count; k++)
        add_slots(g, m->funcs[k]->vars, m->funcs[k]->var_count, g->own[k]);
}

static struct graph
graph_of(const struct ptx_module *m, struct arena *arena)
{
    struct graph g = {.m = m};
    find_slots(&g, arena);
    g.slot_words = g.slots / 64 + 1;
    g.func_words = m->func_count / 64 + 1;
    g.user_words = g.users / 64 + 1;
    g.named = ARENA_ARRAY(arena, set, (size_t)m->func_count * g.slot_words + 1);
    g.calls = ARENA_ARRAY(arena, set, (size_t)m->func_count * g.func_words + 1);
    g.pointed = ARENA_ARRAY(arena, set, g.func_words);
    g.naming = ARENA_ARRAY(arena, uint32_t, m->func_count + 1);
    g.indirect = ARENA_ARRAY(arena, bool, m->func_count + 1);
    g.dynamic = ARENA_ARRAY(arena, bool, m->func_count + 1);
    g.user = ARENA_ARRAY(arena, set, (size_t)g.slots * g.user_words + 1);
    g.offset = ARENA_ARRAY(arena, uint64_t, g.slots + 1);
    for (uint32_t k = 0; k < m->func_count; k++) {
        const struct ptx_func *f = m->funcs[k];
        scan(&g, f);
        for (uint32_t n = 0; n < f->var_count; n++)
            if (f->vars[n]->space == PTX_SPACE_SHARED)
                add(g.named + k * g.slot_words, g.slot[g.own[k] + n]);
        bool names = g.dynamic[k];
        for (uint32_t w = 0; w < g.slot_words; w++)
            names |= g.named[k * g.slot_words + w] != 0;
        if (names)
            g.naming[g.naming_count++] = k;
    }
    find_pointed(&g);
    return g;
}

/* -- of a module, worked out once: each of its kernels and functions asks for it --------------- */

struct layout {
    struct ptx_derived derived; /* first */
    struct arena arena;
    struct graph graph;
    set *slots;    /* per user */
    bool *dynamic; /* per user: a function that it reaches names dynamic shared memory */
    uint64_t dynamic_at;
};

static void
find_users(struct layout *l)
{
    struct graph *g = &l->graph;
    const struct ptx_module *m = g->m;
    set *reached = ARENA_ARRAY(&l->arena, set, (size_t)g->users * g->func_words);
    uint32_t user = 0;
    for (uint32_t k = 0; k < m->func_count; k++)
        if (m->funcs[k]->is_kernel)
            reach(g, k, reached + user++ * g->func_words);
    for (uint32_t n = 0; n < g->naming_count; n++) { /* what nobody reaches has a user, too */
        bool some = m->funcs[g->naming[n]]->is_kernel;
        for (uint32_t u = 0; u < user && !some; u++)
            some = has(reached + u * g->func_words, g->naming[n]);
        if (!some)
            add(reached + user * g->func_words, g->naming[n]);
    }
    for (uint32_t u = 0; u <= user; u++) {
        set *its = l->slots + u * g->slot_words;
        l->dynamic[u] = slots_of(g, reached + u * g->func_words, its);
        for (uint32_t w = 0; w < g->slot_words; w++)
            for (set left = its[w]; left; left &= left - 1)
                add(g->user + (64 * w + (uint32_t)__builtin_ctzll(left)) * g->user_words, u);
    }
}

static void
layout_free(struct ptx_derived *d)
{
    struct layout *l = (struct layout *)d;
    arena_free(&l->arena);
    ls_release(l);
}

static struct ptx_derived *
layout_new(const struct ptx_module *m)
{
    struct layout *l = ls_alloc(sizeof *l);
    l->derived.release = layout_free;
    l->graph = graph_of(m, &l->arena);
    const struct graph *g = &l->graph;
    l->slots = ARENA_ARRAY(&l->arena, set, (size_t)g->users * g->slot_words);
    l->dynamic = ARENA_ARRAY(&l->arena, bool, g->users);
    find_users(l);
    place_slots(&l->graph);
    for (uint32_t k = 0, user = 0; k < m->func_count; k++) {
        if (!m->funcs[k]->is_kernel)
            continue;
        uint64_t end = end_with_own(g, m->funcs[k], l->slots + user * g->slot_words);
        if (l->dynamic[user++] && end > l->dynamic_at)
            l->dynamic_at = end;
    }
    return &l->derived;
}

static const struct layout *
layout_of(const struct ptx_module *m)
{
    return (const struct layout *)ptx_derive(m, PTX_SHARED_LAYOUT, layout_new);
}

static uint32_t
user_of(const struct ptx_func *kernel)
{
    uint32_t user = 0;
    for (uint32_t k = 0; k < kernel->index; k++)
        user += kernel->module->funcs[k]->is_kernel;
    return user;
}

struct wir_common
wir_common_of(struct wir *f)
{
    const struct ptx_module *m = f->module;
    const struct layout *l = layout_of(m);
    const struct graph *g = &l->graph;
    struct arena scratch = {0};
    set *mine = ARENA_ARRAY(&scratch, set, g->slot_words);
    struct wir_common out = {.first_own = ARENA_ARRAY(&f->arena, uint32_t, m->func_count + 1),
                             .offset = ARENA_ARRAY(&f->arena, uint64_t, g->variables + 1),
                             .named = ARENA_ARRAY(&f->arena, bool, g->variables + 1),
                             .dynamic_at = l->dynamic_at,
                             .dynamic = true};
    if (f->kernel->is_kernel) {
        uint32_t user = user_of(f->kernel);
        memcpy(mine, l->slots + user * g->slot_words, g->slot_words * sizeof *mine);
        out.dynamic = l->dynamic[user];
    } else {
        set *from = ARENA_ARRAY(&scratch, set, g->func_words);
        add(from, f->kernel->index);
        reach(g, f->kernel->index, from);
        slots_of(g, from, mine);
    }
    out.end = end_of(g, mine);
    memcpy(out.first_own, g->own, m->func_count * sizeof *g->own);
    for (uint32_t k = 0; k < g->variables; k++) {
        uint32_t s = g->slot[k];
        out.offset[k] = s == UINT32_MAX ? 0 : g->offset[s];
        out.named[k] = s != UINT32_MAX && has(mine, s);
    }
    arena_free(&scratch);
    return out;
}
