/* SPDX-License-Identifier: Apache-2.0
 *
 * catches.c: places where the launch stops for one thread alone, which the debugger cannot ask
 * about at each warp's coming by: what `lockstep check` found is caught so.
 */
#include "debug/debug_priv.h"

#include <string.h>

static struct debug_code *
code_at(const struct debug *d, uint32_t number)
{
    struct debug_code *c = number < d->codes.count ? d->codes.at[number] : NULL;
    return c && c->ptx ? c : NULL;
}

bool
debug_catch_set(struct debug *d, const struct debug_catch *all, uint32_t count,
                struct ls_error *err)
{
    struct debug_shared *s = d->shared;
    if (count > CATCHES)
        return ls_fail(err, LS_ERR_INPUT, "%d catches are all there can be", CATCHES);
    for (uint32_t k = 0; k < count; k++) {
        const struct debug_code *c = code_at(d, all[k].module);
        if (!c || all[k].place >= c->places)
            return ls_fail(err, LS_ERR_INPUT, "no place %u in module %u", all[k].place,
                           all[k].module);
    }
    for (uint32_t k = 0; k < s->catch_count; k++) {
        struct debug_code *c = code_at(d, s->catches[k].module);
        if (c)
            c->flags[s->catches[k].place] &= (uint8_t)~FLAG_CATCH;
    }
    for (uint32_t k = 0; k < count; k++)
        code_at(d, all[k].module)->flags[all[k].place] |= FLAG_CATCH;
    memcpy(s->catches, all, sizeof *all * count);
    s->catch_count = count;
    return true;
}

bool
debug_catch_launch(const struct debug *d)
{
    const struct debug_shared *s = d->shared;
    for (uint32_t k = 0; k < s->catch_count; k++)
        if (s->catches[k].launch == d->launch)
            return true;
    return false;
}

bool
debug_catch_hit(struct debug *d, const struct jit_warp *w, uint32_t place)
{
    const struct debug_shared *s = d->shared;
    const uint32_t *dim = d->run->of.launch->block;
    uint32_t lanes = debug_lanes(d, w->activation);
    for (uint32_t k = 0; k < s->catch_count; k++) {
        const struct debug_catch *c = &s->catches[k];
        const uint32_t *t = c->thread.thread;
        uint32_t n = t[0] + dim[0] * (t[1] + dim[1] * t[2]);
        if (c->place == place && c->module == d->run->code->number && c->launch == d->launch &&
            n / JIT_LANES == w->warp && lanes >> n % JIT_LANES & 1 &&
            !memcmp(c->thread.block, w->block->ctaid, sizeof c->thread.block))
            return true;
    }
    return false;
}
