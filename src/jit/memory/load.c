/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/load.c: loads of a warp.
 *
 * A load is found among those of its neighbours (grouped), of a tile (tile.c), of two selected addresses (pick.c),
 * or by itself; load_forms.c has the forms.
 */
#include "jit/memory/memory.h"

#include <string.h>

/* -- loads of neighbouring words -- */

/* n words from the lanes' addresses on, two with each gather. */
static void
gather_words(struct site *s, unsigned n, LLVMValueRef *out)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef mask = s->mask ? s->mask : LLVMConstAllOnes(core_vector(c, 1));
    for (unsigned k = 0; k < n; k += 2) {
        bool pair = k + 1 < n;
        LLVMTypeRef type = core_vector(c, pair ? 64 : 32),
                    words = LLVMVectorType(core_scalar(c, 32), 2 * LANES);
        LLVMValueRef at = LLVMBuildAdd(b, site_lanes(s), core_splat(c, core_i64(c, 4 * k)), "");
        LLVMValueRef p = core_ptr(c, at),
                     args[] = {p, core_i32(c, s->align), mask, LLVMConstNull(type)};
        LLVMTypeRef types[] = {type, LLVMTypeOf(p)};
        LLVMValueRef v = emit_intrinsic(&c->e, "llvm.masked.gather", types, 2, args, 4);
        if (!pair) {
            out[k] = v;
            continue;
        }
        v = LLVMBuildBitCast(b, v, words, "");
        for (unsigned half = 0; half < 2; half++) {
            int32_t lane[LANES];
            for (unsigned l = 0; l < LANES; l++)
                lane[l] = (int32_t)(2 * l + half);
            out[k + half] = core_shuffle(c, v, NULL, lane, LANES);
        }
    }
}

/* Loads that follow in the block, of words beside this one's, together with it: theirs are kept
 * until it is their turn. False: there are none, or the lanes are known to be side by side. */
static bool
load_group(struct site *s, LLVMValueRef *out)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    const struct flow_insn *member[8];
    LLVMValueRef fast[8], slow[8], all[8];
    int32_t pattern[LANES];
    unsigned own, n;
    if (s->fact.segment != 1 || s->fact.kind == FACT_SCALAR || s->holds || core_denied(c) ||
        c->memory->ahead_count + 8 > sizeof c->memory->ahead / sizeof *c->memory->ahead)
        return false;
    n = core_group(c, s->i, member, &own);
    if (n < 2)
        return false;
    emit_fired(&c->e, PASS_GROUPED_LOADS, "%u words", n);
    struct site from = *s;
    from.lanes = LLVMBuildSub(b, site_lanes(s), core_splat(c, core_i64(c, 4 * own)), "");
    site_assume_consecutive(&from, pattern);
    site_runs(&from);
    site_fetch_rows(&from);
    struct fork f = site_fork(&from);
    struct site sure = site_sure(&from);
    for (unsigned k = 0; k < n; k++) {
        struct site word = sure;
        word.base = LLVMBuildAdd(b, sure.base, core_i64(c, 4 * k), "");
        site_load_runs(&word, &fast[k]);
    }
    f.fast_end = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, f.join);
    LLVMPositionBuilderAtEnd(b, f.slow);
    gather_words(&from, n, slow);
    f.slow_end = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, f.join);
    LLVMPositionBuilderAtEnd(b, f.join);
    fork_join(c, &f, n, fast, slow, all);
    for (unsigned k = 0; k < n; k++)
        if (k != own)
            core_ahead_put(c, member[k], all[k]);
    *out = all[own];
    return true;
}

/* -- what the kernel asks for -- */

static void
load_guarded(struct site *s, LLVMValueRef denied, LLVMValueRef out[])
{
    struct core *c = s->c;
    LLVMValueRef fast[8], slow[8];
    bool scalar = s->fact.kind == FACT_SCALAR && !s->fact.pattern;
    if (!scalar)
        site_lanes(s);
    struct site few = *s;
    struct fork f = fork_begin(c, LLVMBuildICmp(c->e.b, LLVMIntEQ, denied, core_i32(c, 0), ""));
    site_load(s, fast);
    f.fast_end = LLVMGetInsertBlock(c->e.b);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.slow);
    site_allow_some(&few, denied);
    for (unsigned e = 0; scalar && e < s->vec; e++) /* lanes with one address share its fate */
        slow[e] = LLVMConstNull(LLVMTypeOf(fast[e]));
    if (!scalar)
        site_load_each(&few, slow);
    f.slow_end = LLVMGetInsertBlock(c->e.b);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.join);
    fork_join(c, &f, s->vec, fast, slow, out);
}

bool
core_load(struct core *c, const struct flow_insn *i)
{
    struct site s;
    const struct ptx_operand *from = &i->i.operand[1], *to = &i->i.operand[0];
    LLVMValueRef out[8];
    if (!site_begin(&s, c, i))
        return false;
    bool sign = ptx_type_kind((enum ptx_type)i->i.type[i->i.type_count - 1]) == 's';
    LLVMValueRef ahead = core_ahead_take(c, i);
    if (ahead) {
        core_write(c, i, to, ahead, sign);
        return true;
    }
    if (from->kind == PTX_O_ADDRESS && site_in_words(&s, from)) {
        site_load_words(&s, from, out);
    } else if (from->kind == PTX_O_ADDRESS) {
        site_find(&s, from);
        site_announce(&s, JIT_LOAD);
        LLVMValueRef denied = core_denied(c);
        if (!site_fetch_turn(&s) && !site_fetch_blocks(&s))
            site_fetch_ahead(&s);
        if (core_is_ordered(&i->i)) {
            core_combine_flush(c);
            core_fence(c, false);
        }
        if (denied)
            load_guarded(&s, denied, out);
        else if (!load_group(&s, out) && !site_load_tile(&s, from, out) &&
                 !site_load_split(&s, from, out)) {
            site_index(&s, from);
            site_load(&s, out);
        }
        if (core_is_ordered(&i->i))
            core_fence(c, false);
    } else {
        for (unsigned e = 0; e < s.vec; e++) {
            const struct ptx_operand *o = from->kind == PTX_O_VECTOR ? &from->elements[e] : from;
            bool scalar = o->kind != PTX_O_REG || core_reg_scalar(c, o->reg);
            out[e] = core_value(c, i, o, s.bytes * 8, scalar);
        }
    }
    for (unsigned e = 0; e < s.vec; e++)
        core_write(c, i, to->kind == PTX_O_VECTOR ? &to->elements[e] : to, out[e], sign);
    return true;
}
