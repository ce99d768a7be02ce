/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_place.c: from the number of an instruction to its place in the source.
 */
#include "jit/jit.h"

#include <stdio.h>

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

void
jit_place_text(const struct ptx_module *m, uint32_t place, char *out, size_t room)
{
    const struct ptx_func *f;
    const struct ptx_insn *i;
    if (!jit_place(m, place, &f, &i)) {
        snprintf(out, room, "%s", m->path);
        return;
    }
    const struct ptx_loc *l = i->loc && i->loc < f->loc_count ? &f->locs[i->loc] : NULL;
    if (l && l->file < m->file_count && m->files[l->file].name)
        snprintf(out, room, "%s:%u", m->files[l->file].name, l->line);
    else
        snprintf(out, room, "%s:%u", m->path, i->line);
}
