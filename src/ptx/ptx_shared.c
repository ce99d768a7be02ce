/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_shared: the static shared memory of kernels against what their architecture allows
 * (Programming Guide, "Technical Specifications per Compute Capability": 16 KiB before 2.0, else 48
 * KiB; more than that must be dynamic). Start at ptx_check_shared.
 */
#include "ptx/ptx_priv.h"

#include <string.h>

enum { LIMIT_OLD = 16 << 10, LIMIT = 48 << 10 };

/* What a kernel reaches. */
struct reached {
    const struct ptx_module *m;
    bool *var, *func; /* by index in the module */
    VEC(const struct ptx_func *) todo;
    uint64_t bytes;
    const struct ptx_var *largest;
};

static void
reach_func(struct reached *r, const struct ptx_func *f)
{
    if (!f || r->func[f->index])
        return;
    r->func[f->index] = true;
    VEC_PUSH(&r->todo, f);
}

static void
add_var(struct reached *r, const struct ptx_var *v)
{
    uint64_t align = v->align ? v->align : 1;
    if (v->space != PTX_SPACE_SHARED || v->unsized)
        return;
    r->bytes = ((r->bytes + align - 1) & ~(align - 1)) + v->size;
    if (!r->largest || v->size > r->largest->size)
        r->largest = v;
}

static void
reach_operand(struct reached *r, const struct ptx_operand *o)
{
    reach_func(r, o->func);
    if (o->var && !o->var->func && !r->var[o->var->index]) {
        r->var[o->var->index] = true;
        add_var(r, o->var);
    }
    for (uint32_t k = 0; k < o->count && o->elements; k++)
        reach_operand(r, &o->elements[k]);
}

static void
reach_all(struct reached *r, const struct ptx_func *kernel)
{
    reach_func(r, kernel);
    while (r->todo.count) {
        const struct ptx_func *f = r->todo.at[--r->todo.count];
        for (uint32_t k = 0; k < f->var_count; k++)
            add_var(r, f->vars[k]);
        for (uint32_t n = 0; n < f->insn_count; n++)
            for (uint32_t k = 0; k < f->insns[n].operand_count; k++)
                reach_operand(r, &f->insns[n].operand[k]);
        for (uint32_t k = 0; k < f->target_count; k++)
            for (uint32_t n = 0; f->targets[k].funcs && n < f->targets[k].count; n++)
                reach_func(r, f->targets[k].funcs[n]);
    }
}

/* "a.cu:12", where the kernel begins, else its line in the PTX. */
static const char *
source_place(struct arena *a, const struct ptx_func *f)
{
    const struct ptx_loc *l = f->loc_count > 1 ? &f->locs[1] : NULL;
    while (l && l->inlined_at)
        l = &f->locs[l->inlined_at];
    const char *file = l && l->file < f->module->file_count ? f->module->files[l->file].name : NULL;
    return arena_printf(a, "%s:%u", file ? file : f->module->path, file ? l->line : f->line);
}

static bool
check_kernel(const struct ptx_module *m, const struct ptx_func *kernel, uint64_t limit,
             struct ls_error *err)
{
    struct arena a = {0};
    struct reached r = {.m = m,
                        .var = ARENA_ARRAY(&a, bool, m->var_count + 1),
                        .func = ARENA_ARRAY(&a, bool, m->func_count + 1)};
    reach_all(&r, kernel);
    bool fine = r.bytes <= limit;
    if (!fine)
        ls_fail(
            err, LS_ERR_INPUT,
            "%s: kernel \"%s\" uses too much shared data (0x%llx bytes, 0x%llx max for sm_%u): "
            "\"%s\" "
            "has %llu; more than %llu must be dynamic: extern __shared__, its size in the launch",
            source_place(&a, kernel), ls_readable_name(&a, kernel->name),
            (unsigned long long)r.bytes, (unsigned long long)limit, m->target,
            ls_readable_name(&a, r.largest->name), (unsigned long long)r.largest->size,
            (unsigned long long)limit);
    VEC_FREE(&r.todo);
    arena_free(&a);
    return fine;
}

bool
ptx_check_shared(const struct ptx_module *m, struct ls_error *err)
{
    uint64_t limit = m->target < 20 ? LIMIT_OLD : LIMIT, all = 0;
    for (uint32_t k = 0; k < m->var_count; k++)
        all += m->vars[k]->space == PTX_SPACE_SHARED ? m->vars[k]->size + m->vars[k]->align : 0;
    for (uint32_t k = 0; k < m->func_count; k++)
        for (uint32_t n = 0; n < m->funcs[k]->var_count; n++) {
            const struct ptx_var *v = m->funcs[k]->vars[n];
            all += v->space == PTX_SPACE_SHARED ? v->size + v->align : 0;
        }
    if (all <= limit) /* of all kernels together: no need to ask who uses what */
        return true;
    for (uint32_t k = 0; k < m->func_count; k++)
        if (m->funcs[k]->is_kernel && m->funcs[k]->has_body &&
            !check_kernel(m, m->funcs[k], limit, err))
            return false;
    return true;
}
