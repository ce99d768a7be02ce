/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_link: several modules into one (separate compilation). Start at ptx_link.
 *
 * Names with linkage are one thing in all parts: a definition goes before a weak one, that before a
 * .common one, and that before a mere declaration; two definitions are an error. Kernels are
 * found by name, so they have linkage however they are declared. What a part keeps to itself stays
 * apart, under a name with the part's number when the name is taken. What no part defines
 * (vprintf) stays a declaration.
 */
#define _GNU_SOURCE /* memmem */
#include "ptx/ptx_priv.h"

#include <string.h>

/* A name with linkage, and the part's thing that gives it its content. */
struct entry {
    struct ptx_var *var; /* one of both */
    struct ptx_func *func;
    size_t part;
    uint32_t align; /* the largest of all declarations */
    struct ptx_var *out_var;
    struct ptx_func *out_func;
};

struct linker {
    struct ptx_module *m;
    struct ptx_module *const *parts;
    size_t count;
    struct ls_error *err;
    struct arena temporary;
    struct words names; /* to indexes of entries */
    VEC(struct entry) entries;
    struct ptx_var ***vars; /* by part and index: the copies */
    struct ptx_func ***funcs;
    uint32_t var_count, func_count;
};

static void *
copy(struct arena *a, const void *at, size_t size)
{
    void *c = arena_alloc(a, size + 1);
    if (size)
        memcpy(c, at, size);
    return c;
}

#define COPY(a, at, n) ((__typeof__(at))copy((a), (at), sizeof *(at) * (size_t)(n)))

/* -- names ------------------------------------------------------------------------------------- */

static bool
var_is_global(const struct ptx_var *v)
{
    return v->linkage != PTX_LOCAL_LINKAGE;
}

static bool
func_is_global(const struct ptx_func *f)
{
    return f->linkage != PTX_LOCAL_LINKAGE || f->is_kernel || !f->has_body;
}

static int
var_rank(const struct ptx_var *v)
{
    return v->linkage == PTX_EXTERN   ? 0
           : v->linkage == PTX_COMMON ? 1
           : v->linkage == PTX_WEAK   ? 2
                                      : 3;
}

static int
func_rank(const struct ptx_func *f)
{
    return !f->has_body ? 0 : f->linkage == PTX_WEAK ? 2 : 3;
}

static bool
fail_pair(struct linker *l, const struct entry *e, size_t part, uint32_t line, const char *name,
          const char *what)
{
    return ls_fail(l->err, LS_ERR_INPUT, "%s:%u: '%s' is %s %s:%u", l->parts[part]->path, line,
                   name, what, l->parts[e->part]->path, e->var ? e->var->line : e->func->line);
}

/* The name's entry; a new one is this part's. */
static struct entry *
find_entry(struct linker *l, const char *name, size_t part, struct ptx_var *v, struct ptx_func *f)
{
    const struct word *w = words_find(&l->names, name, strlen(name));
    if (w)
        return &l->entries.at[w->value];
    words_add(&l->names, &l->temporary, name, 0, (uint32_t)l->entries.count);
    VEC_PUSH(&l->entries,
             ((struct entry){.var = v, .func = f, .part = part, .align = v ? v->align : 0}));
    return &l->entries.at[l->entries.count - 1];
}

static bool
add_var(struct linker *l, size_t part, struct ptx_var *v)
{
    struct entry *e = find_entry(l, v->name, part, v, NULL);
    const struct ptx_var *o = e->var;
    if (o == v)
        return true;
    /* .extern .shared .b8 s[]: every kernel's file may declare it with a type of its own. */
    bool dynamic = o && o->unsized && v->unsized;
    bool sizes = o && (o->unsized || v->unsized || o->size == v->size || o->linkage == PTX_COMMON);
    if (!o || o->space != v->space || (!dynamic && (o->type != v->type || !sizes)))
        return fail_pair(l, e, part, v->line, v->name, "declared differently in");
    if (var_rank(o) == 3 && var_rank(v) == 3)
        return fail_pair(l, e, part, v->line, v->name, "defined in");
    e->align = v->align > e->align ? v->align : e->align;
    if (var_rank(v) > var_rank(o) ||
        (v->linkage == PTX_COMMON && o->linkage == PTX_COMMON && v->size > o->size)) {
        e->var = v;
        e->part = part;
    }
    return true;
}

static bool
add_func(struct linker *l, size_t part, struct ptx_func *f)
{
    struct entry *e = find_entry(l, f->name, part, NULL, f);
    const struct ptx_func *o = e->func;
    if (o == f)
        return true;
    /* clang declares another unit's kernel, whose address is taken, as a function. */
    bool kinds = o && (o->is_kernel == f->is_kernel || !(o->is_kernel ? f : o)->has_body);
    if (!o || !kinds || o->param_count != f->param_count || o->result_count != f->result_count)
        return fail_pair(l, e, part, f->line, f->name, "declared differently in");
    if (func_rank(o) == 3 && func_rank(f) == 3)
        return fail_pair(l, e, part, f->line, f->name, "defined in");
    if (func_rank(f) > func_rank(o)) {
        e->func = f;
        e->part = part;
    }
    return true;
}

/* The name for what a part keeps to itself. */
static const char *
local_name(struct linker *l, const char *name, size_t part)
{
    if (words_find(&l->names, name, strlen(name)))
        name = arena_printf(&l->m->arena, "%s$part%zu", name, part);
    words_add(&l->names, &l->temporary, name, 0, UINT32_MAX);
    return arena_strdup(&l->m->arena, name);
}

/* -- places for the copies --------------------------------------------------------------------- */

/* A variable stands where the part that gives it its content has it, behind what its initial value
 * names there. */
static void
place_var(struct linker *l, size_t part, struct ptx_var *v)
{
    struct entry *e = var_is_global(v) ? find_entry(l, v->name, part, v, NULL) : NULL;
    struct ptx_var *out = e ? e->out_var : NULL;
    if (!out) {
        out = ARENA_NEW(&l->m->arena, struct ptx_var);
        out->name = e ? arena_strdup(&l->m->arena, v->name) : local_name(l, v->name, part);
        if (e)
            e->out_var = out;
    }
    if (!e || e->var == v) {
        out->index = l->var_count;
        l->m->vars[l->var_count++] = out;
    }
    l->vars[part][v->index] = out;
}

static void
place_func(struct linker *l, size_t part, struct ptx_func *f)
{
    struct entry *e = func_is_global(f) ? find_entry(l, f->name, part, NULL, f) : NULL;
    struct ptx_func *out = e ? e->out_func : NULL;
    if (!out) {
        out = ARENA_NEW(&l->m->arena, struct ptx_func);
        out->name = e ? arena_strdup(&l->m->arena, f->name) : local_name(l, f->name, part);
        out->index = l->func_count;
        l->m->funcs[l->func_count++] = out;
        if (e)
            e->out_func = out;
    }
    l->funcs[part][f->index] = out;
}

/* -- copies ------------------------------------------------------------------------------------ */

/* A function being copied. */
struct copying {
    struct linker *l;
    size_t part;
    uint32_t file_base;
    const struct ptx_func *from;
    struct ptx_func *to;
};

static struct ptx_var *
map_var(const struct copying *c, struct ptx_var *v)
{
    if (!v)
        return NULL;
    if (!v->func)
        return c->l->vars[c->part][v->index];
    if (v->index != UINT32_MAX)
        return c->to->vars[v->index];
    for (uint32_t k = 0; k < c->from->param_count; k++)
        if (c->from->params[k] == v)
            return c->to->params[k];
    for (uint32_t k = 0; k < c->from->result_count; k++)
        if (c->from->results[k] == v)
            return c->to->results[k];
    return NULL;
}

static struct ptx_func *
map_func(const struct copying *c, const struct ptx_func *f)
{
    return f ? c->l->funcs[c->part][f->index] : NULL;
}

/* Everything but name, index and function, which the copy has already. */
static void
fill_var(const struct copying *c, struct ptx_var *out, const struct ptx_var *v)
{
    struct arena *a = &c->l->m->arena;
    const char *name = out->name;
    uint32_t index = out->index;
    *out = *v;
    out->name = name;
    out->index = index;
    out->func = c->to;
    if (!v->init)
        return;
    out->init = copy(a, v->init, v->size + 16);
    out->relocs = COPY(a, v->relocs, v->reloc_count);
    for (uint32_t k = 0; k < v->reloc_count; k++) {
        out->relocs[k].var = map_var(c, v->relocs[k].var);
        out->relocs[k].func = map_func(c, v->relocs[k].func);
    }
}

static struct ptx_var **
copy_vars(const struct copying *c, struct ptx_var *const *from, uint32_t n)
{
    struct arena *a = &c->l->m->arena;
    struct ptx_var **to = ARENA_ARRAY(a, struct ptx_var *, n + 1);
    for (uint32_t k = 0; k < n; k++) {
        to[k] = ARENA_NEW(a, struct ptx_var);
        to[k]->name = arena_strdup(a, from[k]->name);
        to[k]->index = from[k]->index;
    }
    return to;
}

static void
fill_vars(const struct copying *c, struct ptx_var **to, struct ptx_var *const *from, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        fill_var(c, to[k], from[k]);
}

static struct ptx_operand *
copy_operands(const struct copying *c, const struct ptx_operand *from, uint32_t n)
{
    struct ptx_operand *to = COPY(&c->l->m->arena, (struct ptx_operand *)from, n);
    for (uint32_t k = 0; k < n; k++) {
        to[k].var = map_var(c, from[k].var);
        to[k].func = map_func(c, from[k].func);
        if (from[k].elements)
            to[k].elements = copy_operands(c, from[k].elements, from[k].count);
    }
    return to;
}

static void
copy_signature(const struct copying *c)
{
    const struct ptx_func *f = c->from;
    struct arena *a = &c->l->m->arena;
    c->to->params = copy_vars(c, f->params, f->param_count);
    c->to->results = copy_vars(c, f->results, f->result_count);
    c->to->vars = copy_vars(c, f->vars, f->var_count);
    c->to->param_regs = COPY(a, f->param_regs, f->param_count);
    c->to->result_regs = COPY(a, f->result_regs, f->result_count);
    fill_vars(c, c->to->params, f->params, f->param_count);
    fill_vars(c, c->to->results, f->results, f->result_count);
    fill_vars(c, c->to->vars, f->vars, f->var_count);
}

static void
copy_targets(const struct copying *c)
{
    struct arena *a = &c->l->m->arena;
    for (uint32_t k = 0; k < c->to->target_count; k++) {
        struct ptx_targets *t = &c->to->targets[k];
        t->name = arena_strdup(a, t->name);
        if (t->labels)
            t->labels = COPY(a, t->labels, t->count);
        if (t->funcs)
            t->funcs = COPY(a, t->funcs, t->count);
        for (uint32_t n = 0; t->funcs && n < t->count; n++)
            t->funcs[n] = map_func(c, t->funcs[n]);
        if (!t->prototype)
            continue;
        struct copying inner = *c;
        inner.from = t->prototype;
        inner.to = t->prototype = COPY(a, t->prototype, 1);
        inner.to->module = c->l->m;
        inner.to->name = "_";
        copy_signature(&inner);
    }
}

static void
copy_func(struct linker *l, size_t part, uint32_t file_base, const struct ptx_func *f,
          struct ptx_func *out)
{
    struct arena *a = &l->m->arena;
    struct copying c = {l, part, file_base, f, out};
    const char *name = out->name;
    uint32_t index = out->index;
    *out = *f;
    out->name = name;
    out->index = index;
    out->module = l->m;
    copy_signature(&c);
    out->regs = COPY(a, f->regs, f->reg_count);
    out->labels = COPY(a, f->labels, f->label_count);
    out->locs = COPY(a, f->locs, f->loc_count);
    out->insns = COPY(a, f->insns, f->insn_count);
    out->targets = COPY(a, f->targets, f->target_count);
    for (uint32_t k = 0; k < f->reg_count; k++)
        out->regs[k].name = arena_strdup(a, f->regs[k].name);
    for (uint32_t k = 0; k < f->label_count; k++)
        out->labels[k].name = arena_strdup(a, f->labels[k].name);
    for (uint32_t k = 0; k < f->loc_count; k++) {
        out->locs[k].file += k ? file_base : 0;
        if (f->locs[k].inlined_function)
            out->locs[k].inlined_function = arena_strdup(a, f->locs[k].inlined_function);
    }
    for (uint32_t k = 0; k < f->insn_count; k++)
        out->insns[k].operand = copy_operands(&c, f->insns[k].operand, f->insns[k].operand_count);
    copy_targets(&c);
}

/* -- the module -------------------------------------------------------------------------------- */

static bool
collect(struct linker *l)
{
    struct ptx_module *m = l->m;
    size_t vars = 0, funcs = 0, files = 0;
    for (size_t p = 0; p < l->count; p++) {
        const struct ptx_module *part = l->parts[p];
        for (uint32_t k = 0; k < part->var_count; k++)
            if (var_is_global(part->vars[k]) && !add_var(l, p, part->vars[k]))
                return false;
        for (uint32_t k = 0; k < part->func_count; k++)
            if (func_is_global(part->funcs[k]) && !add_func(l, p, part->funcs[k]))
                return false;
        m->replicated = part->replicated && (p == 0 || m->replicated);
        m->version = part->version > m->version ? part->version : m->version;
        if (part->target >= m->target) {
            m->target_suffix_a =
                part->target_suffix_a || (part->target == m->target && m->target_suffix_a);
            m->target = part->target;
        }
        m->hash = ls_hash(m->hash, &part->hash, sizeof part->hash);
        vars += part->var_count;
        funcs += part->func_count;
        files += part->file_count;
    }
    m->address_size = 64; /* others do not parse */
    m->vars = ARENA_ARRAY(&m->arena, struct ptx_var *, vars + 1);
    m->funcs = ARENA_ARRAY(&m->arena, struct ptx_func *, funcs + 1);
    m->files = ARENA_ARRAY(&m->arena, struct ptx_file, files + 1);
    return true;
}

static void
place(struct linker *l)
{
    l->vars = ARENA_ARRAY(&l->temporary, struct ptx_var **, l->count + 1);
    l->funcs = ARENA_ARRAY(&l->temporary, struct ptx_func **, l->count + 1);
    for (size_t p = 0; p < l->count; p++) {
        const struct ptx_module *part = l->parts[p];
        l->vars[p] = ARENA_ARRAY(&l->temporary, struct ptx_var *, part->var_count + 1);
        l->funcs[p] = ARENA_ARRAY(&l->temporary, struct ptx_func *, part->func_count + 1);
        for (uint32_t k = 0; k < part->var_count; k++)
            place_var(l, p, part->vars[k]);
        for (uint32_t k = 0; k < part->func_count; k++)
            place_func(l, p, part->funcs[k]);
    }
    l->m->var_count = l->var_count;
    l->m->func_count = l->func_count;
}

/* Fills the copies of a part: of its own things, and of the names that it gives the content. */
static void
fill(struct linker *l, size_t p)
{
    const struct ptx_module *part = l->parts[p];
    uint32_t base = l->m->file_count;
    struct copying c = {.l = l, .part = p};
    for (uint32_t k = 0; k < part->file_count; k++)
        if (part->files[k].name)
            l->m->files[base + k].name = arena_strdup(&l->m->arena, part->files[k].name);
    l->m->file_count += part->file_count;
    for (uint32_t k = 0; k < part->var_count; k++) {
        struct ptx_var *v = part->vars[k];
        struct entry *e = var_is_global(v) ? find_entry(l, v->name, p, v, NULL) : NULL;
        if (e && e->var != v)
            continue;
        fill_var(&c, l->vars[p][k], v);
        if (e)
            l->vars[p][k]->align = e->align;
    }
    for (uint32_t k = 0; k < part->func_count; k++) {
        struct ptx_func *f = part->funcs[k];
        if (!func_is_global(f) || find_entry(l, f->name, p, NULL, f)->func == f)
            copy_func(l, p, base, f, l->funcs[p][k]);
    }
}

const char *
ptx_next_container(const char *at, const char *end, size_t *size)
{
    struct ptx_container head;
    for (; (at = memmem(at, (size_t)(end - at), PTX_CONTAINER_MAGIC, 8)); at += 8) {
        const char *text = at + sizeof head;
        if (text >= end)
            return NULL;
        memcpy(&head, at, sizeof head);
        *size = head.size;
        if (head.version == PTX_CONTAINER_VERSION && head.size &&
            head.size <= (uint64_t)(end - text) && !(head.flags & ~1u))
            return text;
    }
    return NULL;
}

struct ptx_module *
ptx_link(struct ptx_module *const *parts, size_t count, const char *path, struct ls_error *err)
{
    struct linker l = {.parts = parts, .count = count, .err = err};
    l.m = ls_alloc(sizeof *l.m);
    l.m->path = arena_strdup(&l.m->arena, path);
    bool ok = collect(&l);
    if (ok) {
        place(&l);
        for (size_t p = 0; p < count; p++)
            fill(&l, p);
    }
    VEC_FREE(&l.entries);
    arena_free(&l.temporary);
    if (ok)
        return l.m;
    ptx_free(l.m);
    return NULL;
}
