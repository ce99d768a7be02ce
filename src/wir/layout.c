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

static void
mark_text(struct used *u, const struct ptx_func *f)
{
    for (uint32_t n = 0; n < f->insn_count; n++)
        for (uint32_t k = 0; k < f->insns[n].operand_count; k++)
            mark_shared(u, &f->insns[n].operand[k]);
}

/* -- functions that are called ----------------------------------------------------------------- */

/* Kernel and called functions must find a variable at one place, though each is laid out alone:
 * what any function names comes first, in the module's order. marked: whose module's variables
 * these are. Where such a variable of one function lies: function_shared. */
static uint64_t
place_functions(struct wir *f, struct used *marked)
{
    const struct ptx_module *m = f->module;
    uint64_t end = 0;
    for (uint32_t k = 0; k < m->func_count; k++)
        if (!m->funcs[k]->is_kernel)
            mark_text(marked, m->funcs[k]);
    for (uint32_t k = 0; k < m->var_count; k++)
        if (marked->shared[k] && !m->vars[k]->unsized)
            f->shared_offset[k] = place_after(&end, m->vars[k]);
    return end;
}

static uint64_t
function_shared(const struct wir *f, uint64_t end, const struct ptx_var *wanted, uint64_t *at)
{
    const struct ptx_module *m = f->module;
    for (uint32_t k = 0; k < m->func_count; k++)
        for (uint32_t n = 0; !m->funcs[k]->is_kernel && n < m->funcs[k]->var_count; n++) {
            const struct ptx_var *v = m->funcs[k]->vars[n];
            if (v->space != PTX_SPACE_SHARED || v->unsized)
                continue;
            uint64_t place = place_after(&end, v);
            if (v == wanted)
                *at = place;
        }
    return end;
}

/* Dynamic shared memory begins behind the kernel's variables, which a called function does not
 * know: it may name it where the kernel has none of its own. */
static bool
dynamic_known(struct flat *b, const struct used *functions, bool own)
{
    const struct ptx_module *m = b->wir->module;
    for (uint32_t k = 0; own && k < m->var_count; k++)
        if (functions->shared[k] && m->vars[k]->unsized)
            return ls_fail(b->err, LS_ERR_UNSUPPORTED,
                           "%s:%u: kernel \"%s\" has shared variables of its own and calls "
                           "functions that name the dynamic shared memory \"%s\"",
                           m->path, b->wir->kernel->line, b->wir->kernel->name, m->vars[k]->name);
    return true;
}

/* -- all --------------------------------------------------------------------------------------- */

bool
wir_lay_out(struct flat *b)
{
    struct wir *f = b->wir;
    const struct ptx_module *m = f->module;
    bool calls = b->calls.count || f->indirect || !f->kernel->is_kernel;
    uint64_t local = 0, shared = 0, dynamic_align = 16;
    struct used used = {m, ARENA_ARRAY(&f->arena, bool, m->var_count + 1)};
    struct used functions = {m, ARENA_ARRAY(&f->arena, bool, m->var_count + 1)};
    f->shared_offset = ARENA_ARRAY(&f->arena, uint64_t, m->var_count + 1);
    uint64_t first = calls ? place_functions(f, &functions) : 0, common = 0;
    if (calls)
        shared = common = function_shared(f, first, NULL, NULL);
    memcpy(used.shared, functions.shared, m->var_count);
    for (size_t n = 0; n < b->insns.count; n++)
        for (uint32_t k = 0; k < b->insns.at[n].i.operand_count; k++)
            mark_shared(&used, &b->insns.at[n].i.operand[k]);
    for (uint32_t k = 0; k < m->var_count; k++) {
        const struct ptx_var *v = m->vars[k];
        if (v->space == PTX_SPACE_SHARED && used.shared[k] && !v->unsized && !functions.shared[k])
            f->shared_offset[k] = place_after(&shared, v);
        if (v->space == PTX_SPACE_SHARED && (calls || used.shared[k]) && v->unsized &&
            v->align > dynamic_align)
            dynamic_align = v->align;
    }
    for (size_t k = 0; k < b->vars.count; k++) {
        struct wir_var *v = &b->vars.at[k];
        uint64_t at = UINT64_MAX;
        if (v->place == WIR_SHARED && !v->var->unsized && calls)
            function_shared(f, first, b->origin.at[k], &at);
        if (at != UINT64_MAX)
            v->offset = at;
        else if (v->place == WIR_SHARED && !v->var->unsized)
            v->offset = place_after(&shared, v->var);
        else if (v->place == WIR_LOCAL)
            v->offset = place_after(&local, v->var);
    }
    if (calls && !dynamic_known(b, &functions, shared != common))
        return false;
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
