/* SPDX-License-Identifier: Apache-2.0
 *
 * passes/place.c: from the number of an instruction to its place in the source.
 */
#include "jit/jit.h"

#include <stdio.h>
#include <string.h>

bool
jit_place(const struct ptx_module *m, uint32_t place, const struct ptx_func **func,
          const struct ptx_insn **insn)
{
    for (uint32_t k = 0; k < m->func_count; k++) {
        const struct ptx_func *f = m->funcs[k];
        if (place < f->insn_count) {
            *func = f;
            *insn = &f->insns[place];
            return true;
        }
        place -= f->insn_count;
    }
    return false;
}

uint32_t
jit_place_of(const struct ptx_func *func, const struct ptx_insn *insn)
{
    uint32_t n = (uint32_t)(insn - func->insns);
    for (uint32_t k = 0; k < func->index; k++)
        n += func->module->funcs[k]->insn_count;
    return n;
}

/* Compilers' headers and ours: what was inlined from there belongs to the line that called it. */
static bool
is_library(const char *file)
{
    return strstr(file, "/lib/clang/") || strstr(file, "/include/crt/") ||
           strstr(file, "/include/lockstep/") || strstr(file, "/triton/language/");
}

/* NULL: no line of the program. */
static const struct ptx_loc *
own_loc(const struct ptx_func *f, const struct ptx_insn *i)
{
    const struct ptx_module *m = f->module;
    const struct ptx_loc *l = i->loc && i->loc < f->loc_count ? &f->locs[i->loc] : NULL;
    while (l && l->inlined_at && l->inlined_at < f->loc_count && l->file < m->file_count &&
           m->files[l->file].name && is_library(m->files[l->file].name))
        l = &f->locs[l->inlined_at];
    bool known = l && l->line && l->file < m->file_count && m->files[l->file].name &&
                 !is_library(m->files[l->file].name);
    return known ? l : NULL;
}

/* Instructions without a line of their own (the compiler says 0) go with the one before, the first
 * ones with the next. */
const struct ptx_loc *
jit_place_loc(const struct ptx_func *f, const struct ptx_insn *i)
{
    const struct ptx_loc *l = NULL;
    uint32_t n = (uint32_t)(i - f->insns);
    for (uint32_t k = n + 1; k-- > 0 && !l;)
        l = own_loc(f, &f->insns[k]);
    for (uint32_t k = n + 1; k < f->insn_count && !l; k++)
        l = own_loc(f, &f->insns[k]);
    return l;
}

void
jit_place_text(const struct ptx_module *m, uint32_t place, char *out, size_t room)
{
    const struct ptx_func *f;
    const struct ptx_insn *i;
    if (!jit_place(m, place, &f, &i)) {
        snprintf(out, room, "%s", m->path);
        return;
    }
    const struct ptx_loc *l = jit_place_loc(f, i);
    if (l)
        snprintf(out, room, "%s:%u", m->files[l->file].name, l->line);
    else
        snprintf(out, room, "%s:%u", m->path, i->line);
}

void
jit_counts_sum(uint64_t *counts, uint32_t places)
{
    for (size_t k = JIT_COUNTS; k < (size_t)JIT_COUNTS * places; k += JIT_COUNTS) {
        counts[k + JIT_COUNT_WARPS] += counts[k - JIT_COUNTS + JIT_COUNT_WARPS];
        counts[k + JIT_COUNT_LANES] += counts[k - JIT_COUNTS + JIT_COUNT_LANES];
    }
}
