/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/words.c: local memory laid out in words, 32 lanes side by side: its loads and stores, and
 * what tools are told of them.
 */
#include "jit/memory/memory.h"

#include "jit/tools/tools.h"

/* The word of each lane that holds byte `plus` behind the operand's
 * address; *shift: where in it. */
static void
find_word(struct site *s, const struct ptx_operand *o, unsigned plus, LLVMValueRef *shift)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    struct fact f = facts_operand(c->facts, s->i, o);
    bool scalar = fact_uniform(&f);
    int32_t *lane = ARENA_ARRAY((struct arena *)&c->facts->arena, int32_t, LANES);
    for (int l = 0; l < LANES; l++)
        lane[l] = 4 * l;
    LLVMValueRef offset = core_i64(c, site_known_offset(c, o) + plus);
    offset = scalar ? offset : core_splat(c, offset);
    if (o->base_kind == PTX_BASE_REG) {
        struct ptx_operand r = {.kind = PTX_O_REG, .reg = o->reg};
        offset = LLVMBuildAdd(b, core_value(c, s->i, &r, 64, scalar), offset, "");
    }
    LLVMValueRef three = core_i64(c, 3), five = core_i64(c, 5), up = core_i64(c, ~3ull);
    LLVMValueRef warp =
        LLVMBuildMul(b, LLVMBuildZExt(b, c->in.warp_index, core_scalar(c, 64), ""),
                     LLVMBuildZExt(b, c->in.local_stride, core_scalar(c, 64), ""), "");
    warp = LLVMBuildAdd(b, c->in.local, LLVMBuildShl(b, warp, five, ""), "");
    LLVMValueRef word = LLVMBuildAnd(b, offset, scalar ? up : core_splat(c, up), "");
    word = LLVMBuildShl(b, word, scalar ? five : core_splat(c, five), "");
    word = LLVMBuildAdd(b, word, scalar ? warp : core_splat(c, warp), "");
    *shift = LLVMBuildAnd(b, offset, scalar ? three : core_splat(c, three), "");
    *shift = LLVMBuildShl(b, *shift, scalar ? three : core_splat(c, three), "");
    *shift = LLVMBuildTrunc(b, *shift, scalar ? core_scalar(c, 32) : core_vector(c, 32), "");
    *shift = scalar ? core_splat(c, *shift) : *shift;
    s->lanes = NULL;
    s->base = NULL;
    if (scalar) {
        s->fact = (struct fact){.kind = FACT_SCALAR, .segment = LANES, .pattern = lane};
        s->base = word;
    } else {
        s->fact = (struct fact){.kind = FACT_VECTOR, .segment = 1};
        s->lanes = LLVMBuildAdd(b, word, core_pattern(c, lane, 64), "");
    }
}

/* Lanes that use the same offset are a pattern for tools that only count (jit_services.pattern). */
static void
announce_words(const struct site *s, const struct ptx_operand *o, enum jit_access_op op)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    LLVMValueRef first = LLVMBuildMul(b, LLVMBuildZExt(b, c->in.warp_index, i64, ""),
                                      LLVMBuildZExt(b, c->in.local_stride, i64, ""), "");
    first = LLVMBuildAdd(b, c->in.local, LLVMBuildShl(b, first, core_i64(c, 5), ""), "");
    LLVMValueRef at = core_i64(c, site_known_offset(c, o));
    if (o->base_kind == PTX_BASE_REG) {
        struct ptx_operand r = {.kind = PTX_O_REG, .reg = o->reg};
        at = LLVMBuildAdd(b, at, core_value(c, s->i, &r, 64, true), "");
    }
    struct core_announced t = {.base = LLVMBuildAdd(b, first, at, ""),
                               .lanes = core_mask_bits(c),
                               .local = at,
                               .known = site_known_offset(c, o),
                               .bytes = s->bytes * s->vec,
                               .space = s->i->i.space,
                               .op = op,
                               .place = s->i->place};
    if (core_batch_add(c, s->i, &t))
        return;
    core_batch_flush(c);
    core_tell(c, &t);
}

/* -- loads -- */

static void
load_words(struct site *s, const struct plan *p, LLVMValueRef out[])
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    unsigned bytes = s->bytes, words = (bytes + 3) / 4;
    struct site word = *s;
    word.bytes = 4;
    word.vec = 1;
    for (unsigned e = 0; e < s->vec; e++) {
        out[e] = NULL;
        for (unsigned w = 0; w < words; w++) {
            LLVMValueRef v, shift;
            find_word(&word, p->o, e * bytes + 4 * w, &shift);
            site_load_ways(&word, p->way + 1, &v);
            if (bytes < 4)
                v = LLVMBuildTrunc(b, LLVMBuildLShr(b, v, shift, ""), core_vector(c, 8 * bytes),
                                   "");
            if (words > 1) {
                LLVMTypeRef wide = core_vector(c, 8 * bytes);
                LLVMValueRef up = LLVMConstInt(core_scalar(c, 8 * bytes), 32 * w, false);
                v = LLVMBuildShl(b, LLVMBuildZExt(b, v, wide, ""), core_splat(c, up), "");
            }
            out[e] = out[e] ? LLVMBuildOr(b, out[e], v, "") : v;
        }
    }
}

/* Lanes that may not make the access, told of it; NULL: all may. */
static LLVMValueRef
tell_words(const struct site *s, const struct plan *p)
{
    enum jit_access_op op = p->store ? JIT_STORE : JIT_LOAD;
    struct site announced = *s;
    if (p->tell.how == TELL_ONE_OFFSET) {
        announce_words(s, p->o, op);
    } else if (p->tell.how != TELL_NOTHING) {
        site_at(&announced, p->o, &p->at);
        site_tell(&announced, &p->tell, op);
    }
    return core_denied(s->c, s->i);
}

void
site_load_words(struct site *s, const struct plan *p, LLVMValueRef out[])
{
    struct core *c = s->c;
    struct site few = *s;
    LLVMValueRef denied = tell_words(s, p), slow[8];
    if (!denied) {
        load_words(s, p, out);
        return;
    }
    struct fork f = fork_begin(c, LLVMBuildICmp(c->e.b, LLVMIntEQ, denied, core_i32(c, 0), ""));
    load_words(s, p, out);
    fork_other(c, &f);
    site_allow_some(&few, denied);
    load_words(&few, p, slow);
    fork_join(c, &f, s->vec, out, slow, out);
}

/* -- stores -- */

/* v's lowest bytes into the word at shift. */
static LLVMValueRef
insert_bytes(struct site *word, const struct plan *p, LLVMValueRef v, unsigned bytes,
             LLVMValueRef shift)
{
    struct core *c = word->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef old, ones = core_splat(c, core_i32(c, (1u << 8 * bytes) - 1));
    site_load_ways(word, p->way + 1, &old);
    old = LLVMBuildAnd(b, old, LLVMBuildNot(b, LLVMBuildShl(b, ones, shift, ""), ""), "");
    v = LLVMBuildShl(b, LLVMBuildZExt(b, v, core_vector(c, 32), ""), shift, "");
    return LLVMBuildOr(b, old, v, "");
}

static void
store_words(struct site *s, const struct plan *p, const struct ptx_operand *from)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    unsigned bytes = s->bytes, words = (bytes + 3) / 4;
    struct site word = *s;
    word.bytes = 4;
    word.vec = 1;
    for (unsigned e = 0; e < s->vec; e++) {
        LLVMValueRef all = core_value(
            c, s->i, from->kind == PTX_O_VECTOR ? &from->elements[e] : from, 8 * bytes, false);
        for (unsigned w = 0; w < words; w++) {
            LLVMValueRef v = all, shift;
            find_word(&word, p->o, e * bytes + 4 * w, &shift);
            if (bytes < 4)
                v = insert_bytes(&word, p, v, bytes, shift);
            if (words > 1) {
                LLVMValueRef down = LLVMConstInt(core_scalar(c, 8 * bytes), 32 * w, false);
                v = LLVMBuildTrunc(b, LLVMBuildLShr(b, v, core_splat(c, down), ""),
                                   core_vector(c, 32), "");
            }
            site_store_ways(&word, p->way + 1, &v);
        }
    }
}

/* What goes to local memory races with nothing: its values are not shown. */
void
site_store_words(struct site *s, const struct plan *p, const struct ptx_operand *from)
{
    struct core *c = s->c;
    struct site few = *s;
    LLVMValueRef denied = tell_words(s, p);
    if (!denied) {
        store_words(s, p, from);
        return;
    }
    struct fork f = fork_begin(c, LLVMBuildICmp(c->e.b, LLVMIntEQ, denied, core_i32(c, 0), ""));
    store_words(s, p, from);
    fork_other(c, &f);
    site_allow_some(&few, denied);
    store_words(&few, p, from);
    fork_join(c, &f, 0, NULL, NULL, NULL);
}
