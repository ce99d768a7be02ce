/* SPDX-License-Identifier: Apache-2.0
 *
 * faults.c: kernels that fail: which instruction of which lane it was, and a stop before what there
 * is of the launch is given up. It may be a signal's handler that calls.
 */
#include "debug/debug_priv.h"

#include <string.h>

/* Of those lanes the first whose operand reaches the address, as a bit; 0: none does. */
static uint32_t
reaches(const struct jit_warp *w, const struct jit_code_map *code, const struct ptx_insn *p,
        const struct ptx_operand *o, uint32_t lanes, uint64_t address)
{
    const struct jit_activation *a = w->activation;
    const struct jit_block *b = w->block;
    bool reg = o->base_kind == PTX_BASE_REG, local = p->space == PTX_SPACE_LOCAL;
    uint32_t width = reg ? jit_code_map_bytes(code, o->reg) : 0;
    uint64_t bytes = p->vec ? p->vec : 1, stride = b->launch->local_stride;
    bytes *= p->type_count ? ptx_type_bytes((enum ptx_type)p->type[p->type_count - 1]) : 1;
    if (o->kind != PTX_O_ADDRESS || !reg || (width != 8 && width != 4))
        return 0;
    uint64_t base = p->space == PTX_SPACE_SHARED ? (uint64_t)(uintptr_t)b->shared
                    : local                      ? (uint64_t)(uintptr_t)b->local + a->stack
                                                 : 0;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes);
        uint64_t at = 0, own = local ? (w->warp * JIT_LANES + l) * stride : 0;
        memcpy(&at, (const uint8_t *)a + code->reg[o->reg] + (size_t)width * l, width);
        if (address - (at + base + own + (uint64_t)o->offset) < bytes)
            return 1u << l;
    }
    return 0;
}

/* The lane whose access is to that address, of those that execute the instruction: by its operand.
 * 0: not known. */
static uint32_t
lane_at(struct debug *d, const struct jit_warp *w, uint64_t address)
{
    const struct jit_activation *a = w->activation;
    const struct wir_insn *i = debug_next(d, a);
    const struct jit_code_map *code =
        debug_map_of(d, d->run->code, d->run->of.module->funcs[a->function])->code;
    const struct wir *f = code->wir;
    uint32_t lanes = debug_lanes(d, a), found = lanes & (lanes - 1) ? 0 : lanes;
    for (uint32_t n = wir_index(f, i); n < f->insn_count && f->insns[n].place == i->place; n++)
        for (uint32_t k = 0; k < f->insns[n].i.operand_count && !found; k++)
            found = reaches(w, code, &f->insns[n].i, &f->insns[n].i.operand[k], lanes, address);
    return found;
}

void
debug_on_fault(struct jit_fault *f)
{
    struct debug_run *run = f->warp->block->launch->tool;
    struct debug *d = run->debug;
    const struct jit_activation *a = f->warp->activation;
    if (f->warp->block->passed)
        debug_pass_leave(d, RESUME_ON);
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
    if (d->mode == MODE_SEARCH && d->steps.position - within >= d->target)
        debug_search_over(d);
    d->steps.position -= within && d->steps.position;
    d->failed = true;
    d->hits.count = 0;
    d->runs = within ? f->warp : NULL;
    debug_stop_failed(d, f);
}
