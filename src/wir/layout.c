/* SPDX-License-Identifier: Apache-2.0
 *
 * layout.c: where variables lie in local and in shared memory.
 */
#include "wir/wir_priv.h"

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

bool
wir_lay_out(struct flat *b)
{
    struct wir *f = b->wir;
    uint64_t local = 0, shared = 0;
    struct used used = {f->module, ARENA_ARRAY(&f->arena, bool, f->module->var_count + 1)};
    for (size_t n = 0; n < b->insns.count; n++)
        for (uint32_t k = 0; k < b->insns.at[n].i.operand_count; k++)
            mark_shared(&used, &b->insns.at[n].i.operand[k]);
    f->shared_offset = ARENA_ARRAY(&f->arena, uint64_t, f->module->var_count + 1);
    uint64_t dynamic_align = 16;
    for (uint32_t k = 0; k < f->module->var_count; k++) {
        const struct ptx_var *v = f->module->vars[k];
        if (v->space == PTX_SPACE_SHARED && used.shared[k] && !v->unsized)
            f->shared_offset[k] = place_after(&shared, v);
        if (v->space == PTX_SPACE_SHARED && used.shared[k] && v->unsized &&
            v->align > dynamic_align)
            dynamic_align = v->align;
    }
    for (size_t k = 0; k < b->vars.count; k++) {
        struct wir_var *v = &b->vars.at[k];
        if (v->place == WIR_SHARED && !v->var->unsized)
            v->offset = place_after(&shared, v->var);
        else if (v->place == WIR_LOCAL)
            v->offset = place_after(&local, v->var);
    }
    shared = (shared + dynamic_align - 1) & ~(dynamic_align - 1);
    for (uint32_t k = 0; k < f->module->var_count; k++)
        if (f->module->vars[k]->space == PTX_SPACE_SHARED && f->module->vars[k]->unsized)
            f->shared_offset[k] = shared;
    for (size_t k = 0; k < b->vars.count; k++)
        if (b->vars.at[k].place == WIR_SHARED && b->vars.at[k].var->unsized)
            b->vars.at[k].offset = shared;
    f->shared_used = used.shared;
    if (local > (512u << 10) || shared > UINT32_MAX / 2)
        return ls_fail(
            b->err, LS_ERR_INPUT,
            "%s:%u: kernel \"%s\" has %llu bytes of local and %llu bytes of shared memory: "
            "more than any device has",
            f->module->path, f->kernel->line, f->kernel->name, (unsigned long long)local,
            (unsigned long long)shared);
    f->local_bytes = (uint32_t)((local + 15) & ~15ull);
    f->shared_bytes = (uint32_t)shared;
    return true;
}
