/* SPDX-License-Identifier: Apache-2.0
 *
 * layout.c: where variables lie in local and in shared memory.
 */
#include "wir/wir_priv.h"

#include <string.h>

static uint64_t
place_after(uint64_t *end, const struct ptx_var *v)
{
    uint64_t align = v->align ? v->align : 1;
    uint64_t at = (*end + align - 1) & ~(align - 1);
    *end = at + v->size;
    return at;
}

struct used {
    const struct ptx_module *m;
    bool *shared;
};

static void
mark_shared(struct used *u, const struct ptx_operand *o)
{
    if (o->var && !o->var->func && o->var->space == PTX_SPACE_SHARED)
        u->shared[o->var->index] = true;
    for (uint32_t k = 0; k < o->count && o->elements; k++)
        mark_shared(u, &o->elements[k]);
}

/* -- all --------------------------------------------------------------------------------------- */

/* What the kernel's variables are copies of, and where functions find those. */
static bool
is_common(const struct wir_common *c, const struct ptx_var *v, uint64_t *out_at)
{
    uint32_t slot = c->offset && v->func ? c->first_own[v->func->index] + v->index : v->index;
    bool common = c->offset && c->named[slot];
    if (common)
        *out_at = c->offset[slot];
    return common;
}

static void
place_shared(struct flat *b, const struct wir_common *common, const bool *used)
{
    struct wir *f = b->wir;
    const struct ptx_module *m = f->module;
    uint64_t end = common->end, align = 16;
    for (uint32_t k = 0; k < m->var_count; k++) {
        const struct ptx_var *v = m->vars[k];
        if (v->space != PTX_SPACE_SHARED || !(used[k] || (common->offset && v->unsized)))
            continue;
        if (v->unsized)
            align = v->align > align ? v->align : align;
        else if (!is_common(common, v, &f->shared_offset[k]))
            f->shared_offset[k] = place_after(&end, v);
    }
    for (size_t k = 0; k < b->vars.count; k++) {
        struct wir_var *v = &b->vars.at[k];
        if (v->place == WIR_SHARED && !v->var->unsized &&
            !is_common(common, b->origin.at[k], &v->offset))
            v->offset = place_after(&end, v->var);
    }
    if (common->dynamic && end < common->dynamic_at)
        end = common->dynamic_at;
    end = (end + align - 1) & ~(align - 1);
    for (uint32_t k = 0; k < m->var_count; k++)
        if (m->vars[k]->space == PTX_SPACE_SHARED && m->vars[k]->unsized)
            f->shared_offset[k] = end;
    for (size_t k = 0; k < b->vars.count; k++)
        if (b->vars.at[k].place == WIR_SHARED && b->vars.at[k].var->unsized)
            b->vars.at[k].offset = end;
    f->shared_bytes = (uint32_t)(end < UINT32_MAX ? end : UINT32_MAX);
}

bool
wir_lay_out(struct flat *b)
{
    struct wir *f = b->wir;
    const struct ptx_module *m = f->module;
    bool calls = b->calls.count || f->indirect || !f->kernel->is_kernel;
    struct wir_common common = calls ? wir_common_of(f) : (struct wir_common){0};
    struct used used = {m, ARENA_ARRAY(&f->arena, bool, m->var_count + 1)};
    uint64_t local = 0;
    f->shared_offset = ARENA_ARRAY(&f->arena, uint64_t, m->var_count + 1);
    for (uint32_t k = 0; calls && k < m->var_count; k++)
        used.shared[k] = common.named[k];
    for (size_t n = 0; n < b->insns.count; n++)
        for (uint32_t k = 0; k < b->insns.at[n].i.operand_count; k++)
            mark_shared(&used, &b->insns.at[n].i.operand[k]);
    place_shared(b, &common, used.shared);
    f->shared_used = used.shared;
    for (size_t k = 0; k < b->vars.count; k++)
        if (b->vars.at[k].place == WIR_LOCAL)
            b->vars.at[k].offset = place_after(&local, b->vars.at[k].var);
    if (local > (512u << 10) || f->shared_bytes > UINT32_MAX / 2)
        return ls_fail(
            b->err, LS_ERR_INPUT,
            "%s:%u: kernel \"%s\" has %llu bytes of local and %llu bytes of shared memory: "
            "more than any device has",
            m->path, f->kernel->line, f->kernel->name, (unsigned long long)local,
            (unsigned long long)f->shared_bytes);
    f->local_bytes = (uint32_t)((local + 15) & ~15ull);
    return true;
}
