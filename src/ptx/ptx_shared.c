/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_shared: the static shared memory of kernels against what their architecture allows
 * (Programming Guide, "Technical Specifications per Compute Capability": 16 KiB before 2.0, else 48
 * KiB; more than that must be dynamic). Start at ptx_check_shared.
 */
#include "ptx/ptx_priv.h"

enum { LIMIT_OLD = 16 << 10, LIMIT = 48 << 10 };

/* Bytes of what the kernel reaches, and the largest of it. */
struct sum {
    uint64_t bytes;
    const struct ptx_var *largest;
};

static void
add_var(struct sum *s, const struct ptx_var *v)
{
    uint64_t align = v->align ? v->align : 1;
    if (v->space != PTX_SPACE_SHARED || v->unsized)
        return;
    s->bytes = ((s->bytes + align - 1) & ~(align - 1)) + v->size;
    if (!s->largest || v->size > s->largest->size)
        s->largest = v;
}

static struct sum
sum_of(const struct ptx_module *m, const struct ptx_func *kernel)
{
    struct sum s = {0};
    struct ptx_reached r = ptx_reach(m, kernel);
    for (uint32_t k = 0; k < m->func_count; k++)
        for (uint32_t n = 0; r.func[k] && n < m->funcs[k]->var_count; n++)
            add_var(&s, m->funcs[k]->vars[n]);
    for (uint32_t k = 0; k < m->var_count; k++)
        if (r.var[k])
            add_var(&s, m->vars[k]);
    ptx_reached_free(&r);
    return s;
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
    struct sum s = sum_of(m, kernel);
    bool fine = s.bytes <= limit;
    if (!fine)
        ls_fail(
            err, LS_ERR_INPUT,
            "%s: kernel \"%s\" uses too much shared data (0x%llx bytes, 0x%llx max for sm_%u): "
            "\"%s\" "
            "has %llu; more than %llu must be dynamic: extern __shared__, its size in the launch",
            source_place(&a, kernel), ls_readable_name(&a, kernel->name),
            (unsigned long long)s.bytes, (unsigned long long)limit, m->target,
            ls_readable_name(&a, s.largest->name), (unsigned long long)s.largest->size,
            (unsigned long long)limit);
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
