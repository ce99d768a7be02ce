/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c: where the bytes lie that the debugger means: of all spaces, and registers.
 */
#include "debug/debug_priv.h"

#include <string.h>

/* Whether [at, at + bytes) is within [base, base + size). */
static bool
within(uint64_t at, uint64_t bytes, uint64_t base, uint64_t size)
{
    return at >= base && at - base <= size && bytes <= size - (at - base);
}

static uint8_t *
part(uint8_t *base, uint64_t size, const struct debug_memory *m, const char *what,
     struct ls_error *err)
{
    if (base && within(m->address, m->bytes, 0, size))
        return base + m->address;
    ls_fail(err, LS_ERR_INPUT, "offset %llu is outside of %s: %llu bytes",
            (unsigned long long)m->address, what, (unsigned long long)size);
    return NULL;
}

static uint64_t
lane_local(const struct jit_block *b, uint32_t warp, uint32_t lane)
{
    return (uint64_t)(warp * JIT_LANES + lane) * b->launch->local_stride;
}

/* An address as kernels hold it: of device memory, or in the windows of a block in flight. */
static uint8_t *
generic(struct debug *d, const struct debug_memory *m, uint64_t *block, struct ls_error *err)
{
    struct allocation found;
    const struct debug_run *run = d->run;
    for (size_t k = 0; run && k < run->blocks.count; k++) {
        const struct jit_block *b = run->blocks.at[k];
        uint64_t local = (uint64_t)b->launch->local_stride * JIT_LANES * b->launch->warps;
        if (within(m->address, m->bytes, (uint64_t)(uintptr_t)b->shared, run->of.shared_bytes) ||
            (b->local && within(m->address, m->bytes, (uint64_t)(uintptr_t)b->local, local))) {
            *block = b->index;
            return (uint8_t *)(uintptr_t)m->address;
        }
    }
    if (d->memory && memory_find_reached(d->memory, m->address, &found) &&
        within(m->address, m->bytes, found.base, found.size))
        return (uint8_t *)(uintptr_t)m->address;
    ls_fail(err, LS_ERR_INPUT, "no memory: %llu bytes at 0x%llx", (unsigned long long)m->bytes,
            (unsigned long long)m->address);
    return NULL;
}

/* address: number of the register in the frame's function. NULL: its warp has not begun. */
static uint8_t *
home_of(struct debug *d, const struct debug_memory *m, struct debug_place *p, uint32_t *reg,
        struct ls_error *err)
{
    if (!debug_locate(d, &m->who, p, err))
        return NULL;
    const struct wir_frame *f = &p->map->code->wir->frames[p->frame];
    *reg = f->reg_base + (uint32_t)m->address;
    if (m->address >= f->func->reg_count) {
        ls_fail(err, LS_ERR_INPUT, "no register %llu", (unsigned long long)m->address);
        return NULL;
    }
    uint32_t bytes = jit_code_map_bytes(p->map->code, *reg);
    if (m->bytes > (bytes ? bytes : 1) || !p->at) {
        ls_fail(err, LS_ERR_INPUT, "%s has no %llu bytes", p->map->code->wir->regs[*reg].name,
                (unsigned long long)m->bytes);
        return NULL;
    }
    return (uint8_t *)p->at + p->map->code->reg[*reg] + (size_t)bytes * p->lane;
}

/* Predicates have no byte of their own. */
static uint8_t *
in_register(struct debug *d, const struct debug_memory *m, uint64_t *block, struct ls_error *err)
{
    struct debug_place p;
    uint32_t reg;
    uint8_t *home = home_of(d, m, &p, &reg, err);
    if (home && !jit_code_map_bytes(p.map->code, reg)) {
        ls_fail(err, LS_ERR_INPUT, "%s has no %llu bytes", p.map->code->wir->regs[reg].name,
                (unsigned long long)m->bytes);
        return NULL;
    }
    if (home)
        *block = p.block->index;
    return home;
}

uint8_t *
debug_memory_at(struct debug *d, const struct debug_memory *m, uint64_t *block,
                struct ls_error *err)
{
    uint32_t warp, lane;
    bool own = m->space == PTX_SPACE_SHARED || m->space == PTX_SPACE_SHARED_CLUSTER ||
               m->space == PTX_SPACE_LOCAL;
    struct jit_block *b = own ? debug_find(d, &m->who.thread, &warp, &lane) : NULL;
    *block = UINT64_MAX;
    if (own && !b) {
        ls_fail(err, LS_ERR_INPUT, "the thread's block is not running");
        return NULL;
    }
    switch (m->space) {
    case PTX_SPACE_SHARED:
    case PTX_SPACE_SHARED_CLUSTER:
        *block = b->index;
        return part(b->shared, d->run->of.shared_bytes, m, "the block's shared memory", err);
    case PTX_SPACE_LOCAL:
        *block = b->index;
        return part(b->local ? b->local + lane_local(b, warp, lane) : NULL, b->launch->local_stride,
                    m, "the thread's local memory", err);
    case PTX_SPACE_PARAM:
        if (d->run)
            return part((uint8_t *)(uintptr_t)d->run->of.launch->params,
                        d->run->of.kernel->param_bytes, m, "the kernel's parameters", err);
        ls_fail(err, LS_ERR_INPUT, "no kernel runs");
        return NULL;
    case PTX_SPACE_NONE:
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST: return generic(d, m, block, err);
    case PTX_SPACE_REG: return in_register(d, m, block, err);
    default: ls_fail(err, LS_ERR_INPUT, "no memory of space %u", m->space); return NULL;
    }
}

bool
debug_predicate(struct debug *d, const struct debug_memory *m, uint32_t **word, uint32_t *lane)
{
    struct debug_place p;
    struct ls_error ignored;
    uint32_t reg;
    uint8_t *home =
        m->space == PTX_SPACE_REG && m->bytes == 1 ? home_of(d, m, &p, &reg, &ignored) : NULL;
    if (!home || jit_code_map_bytes(p.map->code, reg))
        return false;
    *word = (uint32_t *)(void *)home;
    *lane = p.lane;
    return true;
}

bool
debug_register_at(struct debug *d, const struct debug_memory *m, struct debug_watching *out,
                  struct ls_error *err)
{
    struct debug_place p;
    uint32_t reg;
    uint8_t *home = home_of(d, m, &p, &reg, err);
    if (!home)
        return false;
    const struct wir *f = p.map->code->wir;
    struct span writers = wir_writers(f, reg);
    for (uint32_t k = 0; k < writers.count; k++)
        if (f->insns[writers.at[k]].i.op == PTX_OP_CALL)
            return ls_fail(err, LS_ERR_UNSUPPORTED,
                           "%s is written by calls, and such a register is not watched",
                           f->regs[reg].name);
    out->low = (uint64_t)(uintptr_t)home;
    out->high = out->low + m->bytes;
    out->block = p.block->index;
    out->reg = (struct debug_register){.frame = (uint64_t)(uintptr_t)p.at,
                                       .function = p.at->function,
                                       .reg = reg,
                                       .warp = p.warp,
                                       .lane = p.lane,
                                       .predicate = !jit_code_map_bytes(p.map->code, reg)};
    return true;
}

bool
debug_where(struct debug *d, const struct debug_memory *m, struct debug_symbol *out,
            struct ls_error *err)
{
    uint32_t warp, lane;
    struct allocation found;
    const struct jit_block *b = debug_find(d, &m->who.thread, &warp, &lane);
    if (!b)
        return ls_fail(err, LS_ERR_INPUT, "the thread's block is not running");
    uint64_t size = d->run->of.shared_bytes, own = lane_local(b, warp, lane), at = m->address;
    uint64_t offset = at - (uint64_t)(uintptr_t)b->shared,
             local = at - (uint64_t)(uintptr_t)b->local - own;
    bool shared = m->space == PTX_SPACE_SHARED || m->space == PTX_SPACE_SHARED_CLUSTER;
    if (shared) /* addresses of this space have 32 bits */
        offset = memory_window_place(b->window, at) - (uint64_t)(uintptr_t)b->shared;
    if (shared || offset < size)
        *out = (struct debug_symbol){
            .space = PTX_SPACE_SHARED, .address = m->bytes ? offset : 0, .bytes = size};
    else if (m->space == PTX_SPACE_LOCAL && !m->bytes)
        *out = (struct debug_symbol){.space = PTX_SPACE_LOCAL,
                                     .bytes = b->local ? b->launch->local_stride : 0};
    else if (b->local && local < b->launch->local_stride)
        *out = (struct debug_symbol){
            .space = PTX_SPACE_LOCAL, .address = local, .bytes = b->launch->local_stride};
    else if (d->memory && memory_find_reached(d->memory, at, &found))
        *out = (struct debug_symbol){.space = PTX_SPACE_GLOBAL, .address = at, .bytes = found.size};
    else
        return ls_fail(err, LS_ERR_INPUT, "no memory at 0x%llx", (unsigned long long)at);
    return true;
}
