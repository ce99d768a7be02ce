/* SPDX-License-Identifier: Apache-2.0
 *
 * control/home.c: registers that stay in memory. As values of LLVM's, a kernel's registers cost a
 * phi for each block in which several ways meet that carry another value, and a copy at each place
 * where the function is left and entered again: 450 vectors and 76 such places are 270,000 operands
 * of phis, over which LLVM's code generator sits for 50 seconds. Above a budget (engine/budget.h) a
 * register that is alive where a block begins has a home in the warp's frame, from which each block
 * loads it and to which it stores it; a suspended function has nothing to save. What is compiled
 * grows with the text then, and with nothing else.
 *
 * Homes lie behind the part of the frame that functions for lanes that stand apart share with the
 * usual ones (frame_apart).
 *
 * Sums of wgmma have homes in other code, too (pass frame-sums): 64 to 128 vectors, which a warp
 * would save and load again at each of its waits.
 *
 * Code for a debugger has a home for every register, in an order that follows from the warp IR
 * alone (struct jit_code_map), behind a record of what the warp does. There are no functions for
 * lanes that stand apart: its own lets them.
 */
#include "jit/control/control.h"

#include "jit/ops/sync.h"

#include <string.h>

/* -- for a debugger ---------------------------------------------------------------------------- */

uint32_t
jit_code_map_bytes(const struct jit_code_map *map, uint32_t reg)
{
    enum ptx_type type = (enum ptx_type)map->wir->regs[reg].type;
    uint32_t bytes = ptx_type_bytes(type);
    return type == PTX_PRED ? 0 : bytes ? bytes : 8;
}

void
homes_lay_out(struct jit_code_map *map)
{
    const struct wir *f = map->wir;
    uint32_t end = sizeof(struct jit_activation);
    map->reg = ls_alloc(sizeof *map->reg * (f->reg_count + 1));
    map->held = ls_alloc(sizeof *map->held * (f->block_count + 1));
    for (uint32_t r = 0; r < f->reg_count; r++) { /* vectors first: they are aligned */
        map->reg[r] = end;
        end += (jit_code_map_bytes(map, r) * LANES + 63) & ~63u;
    }
    for (uint32_t r = 0; r < f->reg_count; r++)
        if (!jit_code_map_bytes(map, r)) {
            map->reg[r] = end;
            end += 4;
        }
    map->lanes = end;
    end = (end + 8 * f->block_count + 63) & ~63u;
    for (uint32_t b = 0; b < f->block_count; b++) {
        bool waits = f->blocks[b].sync && f->kernel->is_kernel;
        map->held[b] = waits ? end + (uint32_t)offsetof(struct sync_site, held) : UINT32_MAX;
        end += waits ? (uint32_t)sizeof(struct sync_site) : 0;
    }
    map->bytes = (end + 63) & ~63u;
}

void
homes_end(struct jit_code_map *map)
{
    ls_release(map->reg);
    ls_release(map->held);
}

/* -- the usual homes --------------------------------------------------------------------------- */

static uint32_t
room_of(struct core *c, uint32_t reg, uint32_t *end)
{
    unsigned bits = core_reg_bits(c, reg), count = core_reg_count(c, reg);
    uint32_t bytes = bits == 1 ? 4 : bits / 8 * count, align = 16;
    while (align < bytes && align < 64) /* as LLVM expects of a vector so long */
        align *= 2;
    uint32_t at = (*end + align - 1) & ~(align - 1);
    *end = at + bytes;
    return at;
}

/* A function that is called has no frame: its homes lie on the stack. LLVM must not see that it
 * could make values of them after all: the address passes through an instruction that it knows
 * nothing of. */
static LLVMValueRef
stack_room(struct core *c, uint32_t bytes)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMTypeRef type = LLVMFunctionType(ptr, &ptr, 1, false);
    LLVMValueRef room = core_alloca(c, LLVMArrayType2(core_scalar(c, 8), bytes));
    LLVMSetAlignment(room, 64);
    LLVMValueRef hide =
        LLVMGetInlineAsm(type, "", 0, "=r,0", 4, false, false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(c->e.b, type, hide, &room, 1, "homes");
}

static LLVMValueRef
place(struct core *c, LLVMValueRef base, uint32_t at)
{
    LLVMValueRef k = core_i64(c, at);
    return LLVMBuildInBoundsGEP2(c->e.b, core_scalar(c, 8), base, &k, 1, "");
}

/* The address of registers' homes: the warp's frame, or stack in a function that is called. */
static LLVMValueRef
begin_of(struct core *c, uint32_t bytes)
{
    return c->form.called ? stack_room(c, bytes)
                          : core_load_field(c, c->e.warp, offsetof(struct jit_warp, frame),
                                            LLVMPointerTypeInContext(c->e.context, 0));
}

static void
stepped_storage(struct core *c)
{
    const struct wir *f = c->wir;
    struct jit_code_map map = {.func = f->kernel, .wir = f};
    homes_lay_out(&map);
    LLVMValueRef base = c->saved.activation = begin_of(c, map.bytes);
    for (uint32_t r = 0; r < f->reg_count; r++)
        c->regs.reg[r] = place(c, base, map.reg[r]);
    for (uint32_t b = 0; b < f->block_count; b++) {
        c->lanes.pending[b] = place(c, base, map.lanes + 8 * b);
        c->lanes.waiting[b] = place(c, base, map.lanes + 8 * b + 4);
    }
    c->lanes.mask = place(c, base, FIELD(jit_activation, mask));
    c->lanes.alive = place(c, base, FIELD(jit_activation, alive));
    c->saved.site = ls_alloc(sizeof *c->saved.site * (f->block_count + 1));
    c->saved.sites_at = map.lanes;
    for (uint32_t b = 0; b < f->block_count; b++) {
        c->saved.site[b] = map.held[b] == UINT32_MAX ? UINT32_MAX : c->saved.site_count++;
        if (c->saved.site[b] == 0)
            c->saved.sites_at = map.held[b] - (uint32_t)offsetof(struct sync_site, held);
    }
    if (!c->form.called)
        c->saved.frame_bytes = map.bytes;
    homes_end(&map);
}

void
core_home_storage(struct core *c)
{
    if (c->form.steps) {
        stepped_storage(c);
        return;
    }
    const struct wir *f = c->wir;
    uint32_t *at = ls_alloc(sizeof *at * (f->reg_count + 2 * f->block_count + 1));
    uint64_t *live = ls_alloc(sizeof *live * (f->reg_words + 1));
    uint32_t end = c->form.called ? 0 : frame_apart(c, at);
    memset(at, 0, sizeof *at * f->reg_count);
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t w = 0; w < f->reg_words; w++)
            live[w] |= f->blocks[b].live_in[w];
    for (uint32_t r = 0; r < f->reg_count; r++)
        if (set_has(live, r) && c->facts->reg[r].kind != FACT_NONE)
            at[r] = room_of(c, r, &end);
    uint32_t lanes = (end + 63) & ~63u;
    end = lanes + 8 * f->block_count;
    LLVMValueRef base = begin_of(c, end);
    for (uint32_t r = 0; r < f->reg_count; r++)
        if (c->facts->reg[r].kind != FACT_NONE)
            c->regs.reg[r] =
                set_has(live, r) ? place(c, base, at[r]) : core_alloca(c, core_reg_type(c, r));
    for (uint32_t b = 0; b < f->block_count; b++) {
        c->lanes.pending[b] = place(c, base, lanes + 8 * b);
        c->lanes.waiting[b] = place(c, base, lanes + 8 * b + 4);
    }
    if (!c->form.called)
        c->saved.frame_bytes = end;
    ls_release(at);
    ls_release(live);
}

/* -- sums of wgmma ----------------------------------------------------------------------------- */

/* D of the products, as they are written: vectors of 32 bits. */
static uint32_t
find_sums(const struct core *c, uint64_t *out)
{
    const struct wir *f = c->wir;
    uint32_t count = 0;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        struct span d = wir_defs(f, n);
        bool product =
            f->insns[n].i.op == PTX_OP_WGMMA_MMA_ASYNC && f->chains.block_of[n] != UINT32_MAX;
        for (uint32_t k = 0; product && k < d.count; k++) {
            if (set_has(out, d.at[k]) || c->facts->reg[d.at[k]].kind == FACT_NONE ||
                core_reg_count(c, d.at[k]) != LANES || core_reg_bits(c, d.at[k]) != 32)
                continue;
            set_add(out, d.at[k]);
            count++;
        }
    }
    return count;
}

void
core_home_sums(struct core *c)
{
    const struct wir *f = c->wir;
    if (c->form.called || c->regions || c->facts->shape.apart || !emit_on(&c->e, PASS_FRAME_SUMS))
        return;
    uint64_t *sums = ls_alloc(sizeof *sums * (f->reg_words + 1));
    uint32_t count = find_sums(c, sums);
    if (!count) {
        ls_release(sums);
        return;
    }
    uint32_t *at = ls_alloc(sizeof *at * (f->reg_count + 2 * f->block_count + 1));
    uint32_t end = frame_apart(c, at);
    ls_release(at);
    c->saved.homed = sums;
    c->saved.frame_bytes = c->saved.frame_bytes > end ? c->saved.frame_bytes : end;
    LLVMValueRef base = begin_of(c, 0);
    for (uint32_t r = 0; r < f->reg_count; r++)
        if (set_has(sums, r))
            c->regs.reg[r] = place(c, base, frame_room(c, sizeof(uint32_t) * LANES));
    jit_remark_kernel(c->e.remarks, PASS_FRAME_SUMS, true, "%u registers", count);
}

/* Registers are 0 at first: a debugger shows them before they are written. */
static void
stepped_begin(struct core *c)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    struct jit_code_map map = {.func = c->wir->kernel, .wir = c->wir};
    homes_lay_out(&map);
    uint64_t from = sizeof(struct jit_activation);
    LLVMBuildMemSet(c->e.b, place(c, c->saved.activation, (uint32_t)from),
                    LLVMConstNull(core_scalar(c, 8)), core_i64(c, map.bytes - from), 64);
    homes_end(&map);
    LLVMValueRef caller = LLVMConstNull(ptr);
    if (c->form.called)
        caller = core_load_field(c, c->e.warp, FIELD(jit_warp, activation), ptr);
    core_store_field(c, c->saved.activation, FIELD(jit_activation, caller), caller);
    core_store_field(c, c->saved.activation, FIELD(jit_activation, function),
                     core_i32(c, c->wir->kernel->index));
    core_store_field(c, c->saved.activation, FIELD(jit_activation, site), core_i32(c, 0));
    core_store_field(c, c->saved.activation, FIELD(jit_activation, stack),
                     c->form.called ? c->in.stack : core_i32(c, 0));
    core_store_field(c, c->e.warp, FIELD(jit_warp, activation), c->saved.activation);
}

void
core_home_leave(struct core *c)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    if (c->form.steps && c->form.called)
        core_store_field(
            c, c->e.warp, FIELD(jit_warp, activation),
            core_load_field(c, c->saved.activation, FIELD(jit_activation, caller), ptr));
}

void
core_home_begin(struct core *c)
{
    if (c->form.steps) {
        stepped_begin(c);
        return;
    }
    const struct wir *f = c->wir;
    for (uint32_t r = 0; r < f->reg_count; r++)
        if (core_is_home(c, r) && c->regs.reg[r] &&
            set_has(f->blocks[0].live_in, r)) /* read before it is written */
            LLVMBuildStore(c->e.b, LLVMConstNull(core_reg_type(c, r)), c->regs.reg[r]);
    for (uint32_t b = 0; b < f->block_count && c->form.in_memory; b++) {
        LLVMBuildStore(c->e.b, core_i32(c, 0), c->lanes.pending[b]);
        LLVMBuildStore(c->e.b, core_i32(c, 0), c->lanes.waiting[b]);
    }
}
