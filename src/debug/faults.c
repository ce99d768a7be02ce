/* SPDX-License-Identifier: Apache-2.0
 *
 * faults.c: kernels that fail: which instruction of which lane it was, and a stop before what there
 * is of the launch is given up. It may be a signal's handler that calls.
 */
#include "debug/debug_priv.h"

#include <string.h>

/* The lane whose access is to that address, of those that execute the instruction: by its operand.
 * 0: not known. */
static uint32_t
lane_at(struct debug *d, const struct jit_warp *w, uint64_t address)
{
    const struct jit_activation *a = w->activation;
    const struct wir_insn *i = debug_next(d, a);
    const struct jit_code_map *code =
        debug_map_of(d, d->run->code, d->run->of.module->funcs[a->function])->code;
    uint32_t lanes = debug_lanes(d, a), n = wir_index(code->wir, i);
    for (; n < code->wir->insn_count && code->wir->insns[n].place == i->place; n++)
        for (uint32_t k = 0; k < code->wir->insns[n].i.operand_count; k++) {
            const struct ptx_insn *p = &code->wir->insns[n].i;
            const struct ptx_operand *o = &p->operand[k];
            if (o->kind != PTX_O_ADDRESS || o->base_kind != PTX_BASE_REG ||
                jit_code_map_bytes(code, o->reg) != 8)
                continue;
            uint64_t base =
                p->space == PTX_SPACE_SHARED ? (uint64_t)(uintptr_t)w->block->shared : 0;
            uint64_t bytes =
                p->type_count ? (uint64_t)ptx_type_bytes((enum ptx_type)p->type[0]) : 1;
            bytes *= p->vec ? p->vec : 1;
            for (uint32_t l = lanes; l; l &= l - 1) {
                uint64_t at;
                memcpy(&at, (const uint8_t *)a + code->reg[o->reg] + 8 * __builtin_ctz(l), 8);
                if (address - (at + base + (uint64_t)o->offset) < bytes)
                    return l & -l;
            }
        }
    return lanes & (lanes - 1) ? 0 : lanes;
}

void
debug_on_fault(struct jit_fault *f)
{
    struct debug_run *run = f->warp->block->launch->tool;
    struct debug *d = run->debug;
    const struct jit_activation *a = f->warp->activation;
    bool within = a && a->mask; /* in the middle of its instruction */
    if (!f->text) {
        if (!f->has_place && within) {
            f->place = debug_next(d, a)->place;
            f->has_place = true;
            f->lanes = f->has_address ? lane_at(d, f->warp, f->address) : debug_lanes(d, a);
        }
        return;
    }
    if (d->mode == MODE_LAST)
        debug_last_over(d);
    d->steps.position -= within && d->steps.position;
    d->failed = true;
    d->hits.count = 0;
    d->runs = within ? f->warp : NULL;
    debug_stop_failed(d, f);
}
