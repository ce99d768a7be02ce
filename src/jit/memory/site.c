/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/site.c: where a load or a store goes, and what tools are told of it. What is known of the
 * address becomes one scalar, one for each segment of lanes, or a vector of 32 (struct site).
 */
#include "jit/memory/memory.h"

#include "jit/tools/tools.h"

/* What the space adds to an address that is an offset; NULL: nothing. */
LLVMValueRef
site_space_base(struct core *c, enum ptx_space space, const struct ptx_operand *o)
{
    switch (space) {
    case PTX_SPACE_SHARED: return o->base_kind == PTX_BASE_VAR ? c->in.own_shared : c->in.shared;
    case PTX_SPACE_PARAM: return LLVMBuildPtrToInt(c->e.b, c->in.params, core_scalar(c, 64), "");
    default:
        if (o->base_kind == PTX_BASE_VAR && !o->var->func)
            return core_load_field(c, c->in.symbols, 8 * (size_t)o->var->index, core_scalar(c, 64));
        return NULL;
    }
}

uint64_t
site_known_offset(struct core *c, const struct ptx_operand *o)
{
    uint64_t offset = (uint64_t)o->offset;
    if (o->base_kind == PTX_BASE_VAR && o->var->func)
        offset += c->wir->vars[o->var->index].offset;
    else if (o->base_kind == PTX_BASE_VAR && o->var->space == PTX_SPACE_SHARED)
        offset += c->wir->shared_offset[o->var->index];
    return offset;
}

LLVMValueRef
site_lanes(struct site *s)
{
    if (!s->lanes && s->firsts)
        s->lanes = core_spread_firsts(s->c, s->firsts, &s->fact, LANES);
    else if (!s->lanes)
        s->lanes = core_spread(s->c, s->base, s->fact.pattern);
    return s->lanes;
}

LLVMValueRef
core_frozen_lane(struct core *c, LLVMValueRef v, unsigned l)
{
    LLVMValueRef one = LLVMBuildExtractElement(c->e.b, v, core_i32(c, l), "");
    return LLVMBuildFreeze(c->e.b, one, "");
}

/* A called function's parameter or result: lane 0's copy in the caller's area. */
static LLVMValueRef
argument_base(struct core *c, const struct ptx_operand *o)
{
    uint64_t offset = c->wir->vars[o->var->index].offset * LANES + (uint64_t)o->offset;
    return LLVMBuildAdd(c->e.b, LLVMBuildPtrToInt(c->e.b, c->in.arguments, core_scalar(c, 64), ""),
                        core_i64(c, offset), "");
}

/* Where in each lane's local memory, the same for all. */
static LLVMValueRef
local_offset(struct site *s, const struct ptx_operand *o)
{
    struct core *c = s->c;
    LLVMValueRef offset = core_i64(c, site_known_offset(c, o));
    if (o->base_kind != PTX_BASE_REG)
        return offset;
    struct ptx_operand r = {.kind = PTX_O_REG, .reg = o->reg};
    return LLVMBuildAdd(c->e.b, core_value(c, s->i, &r, 64, true), offset, "");
}

void
site_find(struct site *s, const struct ptx_operand *o)
{
    const struct plan_scope scope = core_scope(s->c);
    struct plan_address at;
    plan_address(&scope, s->i, o, &at);
    site_at(s, o, &at);
}

/* v + offset, for each of n segments. By itself: what is taken out of a vector of sums is a sum of
 * scalars, but the offset is no part of the address any more. */
static LLVMValueRef
add_offset(struct core *c, LLVMValueRef v, LLVMValueRef offset, unsigned n)
{
    LLVMBuilderRef b = c->e.b;
    if (n == 1 || n == LANES)
        return LLVMBuildAdd(b, v, n == 1 ? offset : core_splat(c, offset), "");
    LLVMValueRef all = LLVMGetPoison(LLVMTypeOf(v));
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef one = LLVMBuildExtractElement(b, v, core_i32(c, k), "");
        one = LLVMBuildAdd(b, one, offset, "");
        all = LLVMBuildInsertElement(b, all, one, core_i32(c, k), "");
    }
    return all;
}

void
site_at(struct site *s, const struct ptx_operand *o, const struct plan_address *at)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    s->fact = at->fact;
    if (at->argument) {
        s->base = argument_base(c, o);
        return;
    }
    bool scalar = at->fact.kind == FACT_SCALAR;
    LLVMValueRef offset = core_i64(c, site_known_offset(c, o)),
                 base = site_space_base(c, at->space, o);
    if (base)
        offset = LLVMBuildAdd(b, offset, base, "");
    if (at->one_offset)
        s->local = local_offset(s, o);
    unsigned n = at->values;
    LLVMValueRef v = NULL, holds, firsts;
    if (at->kept && core_guess(c, o->reg, &holds, &firsts)) {
        unsigned count = LANES / s->fact.segment;
        bool sure = c->now.version.assume & ASSUME_STEADY &&
                    set_has(c->now.version.sure, wir_index(c->wir, s->i));
        s->holds = sure ? LLVMConstInt(core_scalar(c, 1), 1, false) : holds;
        s->guessed =
            LLVMBuildAdd(b, firsts, count == 1 ? offset : core_splat_some(c, offset, count), "");
    }
    if (at->converged) {
        s->converged = LLVMBuildLoad2(b, core_scalar(c, 1), c->regs.guess[o->reg].converged, "");
        LLVMValueRef first = LLVMBuildLoad2(b, core_scalar(c, 64), c->regs.guess[o->reg].first, "");
        s->first = LLVMBuildAdd(b, first, offset, "");
        s->pattern = at->converged;
    }
    if (o->base_kind == PTX_BASE_REG) {
        struct ptx_operand r = {.kind = PTX_O_REG, .reg = o->reg};
        v = add_offset(c, core_firsts(c, s->i, &r, 64, n), offset, n);
    } else {
        v = n == 1 ? offset : core_splat_some(c, offset, n);
    }
    if (at->space == PTX_SPACE_LOCAL)
        v = LLVMBuildAdd(b, v, core_local_base(c), "");
    if (scalar)
        s->base = v;
    else if (n < LANES)
        s->firsts = v;
    else
        s->lanes = v;
}

bool
site_begin(struct site *s, struct core *c, const struct wir_insn *i)
{
    *s = (struct site){.c = c, .i = i};
    s->bytes = ptx_type_bytes((enum ptx_type)i->i.type[i->i.type_count - 1]);
    s->vec = i->i.vec ? i->i.vec : 1;
    if (!s->bytes || s->vec > 8)
        return emit_fail(&c->e, "%s.%s is not supported", ptx_op_name((enum ptx_op)i->i.op),
                         ptx_type_name((enum ptx_type)i->i.type[0]));
    /* Alignment is not relied on: a misaligned access is an error that instrumented code reports,
     * and x86 does not make aligned ones faster. */
    s->align = 1;
    s->mask = core_mask(c);
    return true;
}

/* -- what tools are told -- */

/* Sums that are kept back for what this access touches go to memory first. */
static void
flush_sums(struct site *s, enum plan_flush how)
{
    struct core *c = s->c;
    uint64_t bytes = (uint64_t)s->bytes * s->vec;
    bool guessed = how == FLUSH_SPECULATED;
    if (how == FLUSH_NONE)
        return;
    if (how == FLUSH_LANES) {
        core_combine_before(c, site_lanes(s), bytes);
        return;
    }
    LLVMBasicBlockRef done = NULL;
    if (guessed) { /* one comparison for the lanes; where they do not follow, nothing is compared */
        LLVMBasicBlockRef follow = core_new_block(c, "follow"),
                          strays = core_new_block(c, "strays");
        done = core_new_block(c, "settled");
        LLVMBuildCondBr(c->e.b, s->holds, follow, strays);
        LLVMPositionBuilderAtEnd(c->e.b, strays);
        core_combine_flush(c);
        LLVMBuildBr(c->e.b, done);
        LLVMPositionBuilderAtEnd(c->e.b, follow);
    }
    int32_t low = 0, high = 0;
    for (unsigned l = 0; s->fact.pattern && l < LANES; l++) {
        low = s->fact.pattern[l] < low ? s->fact.pattern[l] : low;
        high = s->fact.pattern[l] > high ? s->fact.pattern[l] : high;
    }
    LLVMValueRef first = LLVMBuildAdd(c->e.b, guessed ? s->guessed : s->base,
                                      core_i64(c, (uint64_t)(int64_t)low), "");
    core_combine_before(c, first, bytes + (uint64_t)((int64_t)high - low));
    if (done) {
        LLVMBuildBr(c->e.b, done);
        LLVMPositionBuilderAtEnd(c->e.b, done);
    }
}

/* Each lane's address. */
static void
announce_lanes(struct site *s, LLVMValueRef lanes, LLVMValueRef bytes, enum jit_access_op op)
{
    struct core *c = s->c;
    LLVMValueRef room = core_alloca(c, core_vector(c, 64));
    LLVMValueRef args[] = {c->e.warp,
                           lanes,
                           room,
                           bytes,
                           core_i32(c, s->i->i.space),
                           core_i32(c, op),
                           core_i32(c, s->i->place)};
    LLVMBuildStore(c->e.b, site_lanes(s), room);
    core_service(c, FIELD(jit_services, access), LLVMVoidTypeInContext(c->e.context), args, 7);
}

/* An access whose lanes lie as `firsts`, its segments' first lanes, say. */
static void
tell_segments(struct site *s, LLVMValueRef firsts, LLVMValueRef lanes, enum jit_access_op op)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    const struct ptx_operand *o = &s->i->i.operand[op == JIT_LOAD];
    struct core_announced t = {.base = firsts,
                               .lanes = lanes,
                               .pattern = s->fact.pattern,
                               .bytes = s->bytes * s->vec,
                               .space = s->i->i.space,
                               .op = op,
                               .place = s->i->place};
    if (LLVMGetTypeKind(LLVMTypeOf(firsts)) == LLVMVectorTypeKind) {
        t.base = LLVMBuildExtractElement(b, firsts, core_i32(c, 0), "");
        t.apart =
            LLVMBuildSub(b, LLVMBuildExtractElement(b, firsts, core_i32(c, 1), ""), t.base, "");
    }
    if (o->kind == PTX_O_ADDRESS)
        t.known = site_known_offset(c, o);
    if (firsts == s->guessed) {
        t.holds = s->holds;
        t.each = site_lanes(s);
    }
    if (!s->some && core_batch_add(c, s->i, &t))
        return;
    core_batch_flush(c);
    core_tell(c, &t);
}

/* All lanes' addresses, or the first one's and a pattern. */
static void
tell_now(struct site *s, const struct plan_tell *t, LLVMValueRef lanes, enum jit_access_op op)
{
    struct core *c = s->c;
    bool pattern = t->how == TELL_PATTERN;
    LLVMValueRef bytes = s->size ? s->size : core_i32(c, s->bytes * s->vec);
    struct core_gate g = {.base = pattern ? s->base : site_lanes(s),
                          .offset = pattern ? site_pattern(c, s->fact.pattern) : NULL,
                          .lanes = lanes,
                          .pattern = pattern ? s->fact.pattern : NULL,
                          .bytes = s->bytes * s->vec,
                          .space = (enum ptx_space)s->i->i.space,
                          .place = s->i->place,
                          .local = pattern ? NULL : s->local,
                          .store = op == JIT_STORE};
    LLVMBasicBlockRef over = t->gated ? core_gate(c, &g) : NULL;
    LLVMValueRef space = core_i32(c, g.space), how = core_i32(c, op), place = core_i32(c, g.place);
    LLVMValueRef args[] = {c->e.warp, lanes, g.base, g.offset, bytes, space, how, place};
    if (pattern)
        core_service(c, FIELD(jit_services, pattern), LLVMVoidTypeInContext(c->e.context), args, 8);
    else
        announce_lanes(s, lanes, bytes, op);
    if (over) {
        LLVMBuildBr(c->e.b, over);
        LLVMPositionBuilderAtEnd(c->e.b, over);
    }
}

void
site_tell(struct site *s, const struct plan_tell *t, enum jit_access_op op)
{
    struct core *c = s->c;
    flush_sums(s, t->flush);
    if (t->how == TELL_NOTHING)
        return;
    LLVMValueRef lanes = s->some ? s->some : core_mask_bits(c);
    if (t->how == TELL_PATTERN || t->how == TELL_LANES) {
        core_batch_flush(c);
        if (t->how == TELL_LANES)
            site_lanes(s); /* not only where a debugger wants them */
        LLVMBasicBlockRef over = core_step_telling(c);
        tell_now(s, t, lanes, op);
        core_step_over(c, over);
        return;
    }
    tell_segments(s,
                  t->how == TELL_FIRST    ? s->base
                  : t->how == TELL_HALVES ? s->firsts
                                          : s->guessed,
                  lanes, op);
}

void
site_announce(struct site *s, enum jit_access_op op)
{
    const struct plan_scope scope = core_scope(s->c);
    const struct plan_address at = {.fact = s->fact,
                                    .kept = s->holds != NULL,
                                    .values = s->base     ? 1
                                              : s->firsts ? core_value_count(s->firsts)
                                                          : LANES};
    struct plan_tell t;
    plan_telling(&scope, s->i, &at, op, s->size != NULL, &t);
    site_tell(s, &t, op);
}

LLVMValueRef
core_denied(struct core *c, const struct wir_insn *i)
{
    if (!(i->tells & TELL_GUARD))
        return NULL;
    return core_load_field(c, c->e.warp, FIELD(jit_warp, denied), core_scalar(c, 32));
}

/* Denied lanes get the address of memory that does not matter. */
LLVMValueRef
site_allowed(struct core *c, const struct wir_insn *i, LLVMValueRef addresses)
{
    LLVMValueRef denied = core_denied(c, i);
    if (!denied)
        return addresses;
    LLVMTypeRef spare_type = LLVMArrayType2(core_scalar(c, 64), 8);
    LLVMValueRef spare = core_alloca(c, spare_type);
    LLVMBuildStore(c->e.b, LLVMConstNull(spare_type), spare);
    spare = core_splat(c, LLVMBuildPtrToInt(c->e.b, spare, core_scalar(c, 64), ""));
    return LLVMBuildSelect(c->e.b, emit_bits_to_mask(&c->e, denied), spare, addresses, "");
}

/* Lanes that may make the access: the slow way, when the tool denied it to some. */
void
site_allow_some(struct site *s, LLVMValueRef denied)
{
    struct core *c = s->c;
    LLVMValueRef bits =
        LLVMBuildAnd(c->e.b, core_mask_bits(c), LLVMBuildNot(c->e.b, denied, ""), "");
    s->mask = emit_bits_to_mask(&c->e, bits);
}

/* -- addresses for other instructions -- */

LLVMValueRef
core_addresses(struct core *c, const struct wir_insn *i, const struct ptx_operand *o,
               unsigned bytes, enum jit_access_op op)
{
    struct site s = {.c = c, .i = i, .bytes = bytes, .vec = 1};
    site_find(&s, o);
    site_announce(&s, op);
    LLVMValueRef denied = core_denied(c, i), lanes = site_lanes(&s);
    c->e.mask_bits = core_mask_bits(c);
    if (denied) {
        c->e.mask_bits = LLVMBuildAnd(c->e.b, c->e.mask_bits, LLVMBuildNot(c->e.b, denied, ""), "");
        c->e.mask = emit_bits_to_mask(&c->e, c->e.mask_bits);
    }
    return lanes;
}

LLVMValueRef
core_addresses_some(struct core *c, const struct wir_insn *i, const struct ptx_operand *o,
                    unsigned bytes, enum jit_access_op op, uint32_t some)
{
    struct site s = {.c = c, .i = i, .bytes = bytes, .vec = 1};
    site_find(&s, o);
    s.some = LLVMBuildAnd(c->e.b, core_mask_bits(c), core_i32(c, some), "");
    if (!some)
        return site_lanes(&s);
    site_announce(&s, op);
    return site_allowed(c, i, site_lanes(&s));
}

LLVMValueRef
core_first_lane(struct core *c, LLVMValueRef lanes, LLVMValueRef values)
{
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMValueRef args[] = {lanes, LLVMConstInt(core_scalar(c, 1), 0, false)};
    LLVMValueRef lane = emit_intrinsic(&c->e, "llvm.cttz", &i32, 1, args, 2);
    lane = LLVMBuildAnd(c->e.b, lane, core_i32(c, LANES - 1), "");
    return LLVMBuildExtractElement(c->e.b, values, lane, "");
}

/* Tools are told one size for all lanes; those of an instruction on bulks mostly are one lane. */
static void
announce_sized(struct site *s, LLVMValueRef lanes, LLVMValueRef size, enum jit_access_op op)
{
    if (s->i->tells & TELL_ACCESS)
        s->size = LLVMBuildTrunc(s->c->e.b, core_first_lane(s->c, lanes, size),
                                 core_scalar(s->c, 32), "");
    site_announce(s, op);
}

LLVMValueRef
core_addresses_sized(struct core *c, const struct wir_insn *i, const struct ptx_operand *o,
                     LLVMValueRef size, enum jit_access_op op)
{
    struct site s = {.c = c, .i = i, .bytes = 1, .vec = 1};
    site_find(&s, o);
    announce_sized(&s, core_mask_bits(c), size, op);
    return site_lanes(&s);
}

LLVMValueRef
core_address_lanes(struct core *c, const struct wir_insn *i, const struct ptx_operand *o)
{
    struct site s = {.c = c, .i = i, .bytes = 1, .vec = 1};
    site_find(&s, o);
    return site_lanes(&s);
}

void
core_announce_sized(struct core *c, const struct wir_insn *i, LLVMValueRef addresses,
                    LLVMValueRef lanes, LLVMValueRef size, enum jit_access_op op)
{
    struct site s = {.c = c, .i = i, .bytes = 1, .vec = 1, .lanes = addresses, .some = lanes};
    announce_sized(&s, lanes, size, op);
}

LLVMValueRef
core_announce_access(struct core *c, const struct wir_insn *i, LLVMValueRef addresses,
                     unsigned bytes, enum jit_access_op op)
{
    struct site s = {.c = c, .i = i, .bytes = bytes, .vec = 1, .lanes = addresses};
    site_announce(&s, op);
    return site_allowed(c, i, addresses);
}
