/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_memory.c: loads and stores of a warp.
 *
 * What is known of the address decides the form, the best first:
 *
 *   uniform            one scalar access
 *   runs               lanes fall into segments, each one address (broadcast) or consecutive ones:
 *                      one scalar or vector access a segment; equal segments are loaded once
 *   strides            of shared memory: the vectors that lie around the words, permuted
 *   runs, to be tested the same, when a comparison of all addresses says so; else one by one
 *   anything           consecutive if a comparison says so; else gather and scatter
 *
 * Measured on AVX-512: a vector load of 32 floats takes 1.4 ns, a gather 34 (docs/decisions).
 */
#include "jit/jit_guess.h"
#include "jit/jit_phases.h"
#include "jit/jit_value.h"

#include <string.h>

#define FIELD(type, field) offsetof(struct type, field)

enum { LINE = 64, VECTOR_BYTES = 64 };

struct site {
    struct core *c;
    const struct flow_insn *i;
    struct fact fact;        /* of the address */
    LLVMValueRef base;       /* SCALAR: lane 0's host address */
    LLVMValueRef firsts;     /* else, where the fact has segments: of their first lanes, */
    LLVMValueRef lanes;      /* and all addresses, <32 x i64> (made when needed) */
    LLVMValueRef holds;      /* a guess: whether it holds, NULL: to be compared; */
    LLVMValueRef guessed;    /*   then the addresses of the segments' first lanes */
    unsigned bytes, vec;     /* of an element; elements per lane */
    unsigned align;
    LLVMValueRef mask;       /* <32 x i1>, NULL: all */
    unsigned run;            /* lanes per segment, when laid out in runs */
    int32_t start[LANES];    /* per segment: offset of its first lane from base (SCALAR) */
    bool broadcast[LANES];   /* per segment */
    LLVMValueRef some;       /* i32: the lanes that access memory, NULL: all active ones */
    LLVMValueRef size;       /* i32: bytes of a lane, NULL: bytes * vec */
    LLVMValueRef local;      /* local memory, watched: where in each lane's, NULL: not the same in all */
};

/* -- addresses ---------------------------------------------------------------------------------------- */

LLVMValueRef
core_local_base(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    int32_t lane[LANES];
    for (int l = 0; l < LANES; l++)
        lane[l] = l;
    LLVMValueRef first = LLVMBuildMul(b, c->warp_index, core_i32(c, LANES), "");
    LLVMValueRef thread = LLVMBuildZExt(b, core_spread(c, first, lane), core_vector(c, 64), "");
    LLVMValueRef stride = LLVMBuildZExt(b, c->local_stride, core_scalar(c, 64), "");
    LLVMValueRef offset = LLVMBuildMul(b, thread, core_splat(c, stride), "");
    if (c->called) {
        LLVMValueRef used = LLVMBuildZExt(b, c->stack, core_scalar(c, 64), "");
        offset = LLVMBuildAdd(b, offset, core_splat(c, used), "");
    }
    return LLVMBuildAdd(b, offset, core_splat(c, c->local), "");
}

/* The space an access really goes to: parameters of functions that did not fit in registers are
 * local memory. */
static enum ptx_space
real_space(const struct core *c, const struct ptx_insn *p, const struct ptx_operand *o)
{
    if (o->base_kind == PTX_BASE_VAR && o->var->func) {
        switch (c->flow->vars[o->var->index].place) {
        case FLOW_LOCAL: return PTX_SPACE_LOCAL;
        case FLOW_SHARED: return PTX_SPACE_SHARED;
        default: return PTX_SPACE_PARAM;
        }
    }
    return p->space == PTX_SPACE_SHARED_CLUSTER ? PTX_SPACE_SHARED : (enum ptx_space)p->space;
}

/* What the space adds to an address that is an offset; NULL: nothing. */
static LLVMValueRef
space_base(struct core *c, enum ptx_space space, const struct ptx_operand *o)
{
    switch (space) {
    case PTX_SPACE_SHARED:
        return c->shared;
    case PTX_SPACE_PARAM:
        return LLVMBuildPtrToInt(c->e.b, c->params, core_scalar(c, 64), "");
    default:
        if (o->base_kind == PTX_BASE_VAR && !o->var->func)
            return core_load_field(c, c->symbols, 8 * (size_t)o->var->index, core_scalar(c, 64));
        return NULL;
    }
}

static uint64_t
known_offset(struct core *c, const struct ptx_operand *o)
{
    uint64_t offset = (uint64_t)o->offset;
    if (o->base_kind == PTX_BASE_VAR && o->var->func)
        offset += c->flow->vars[o->var->index].offset;
    else if (o->base_kind == PTX_BASE_VAR && o->var->space == PTX_SPACE_SHARED)
        offset += c->flow->shared_offset[o->var->index];
    return offset;
}

static LLVMValueRef
lane_addresses(struct site *s)
{
    if (!s->lanes && s->firsts)
        s->lanes = core_spread_firsts(s->c, s->firsts, &s->fact, LANES);
    else if (!s->lanes)
        s->lanes = core_spread(s->c, s->base, s->fact.pattern);
    return s->lanes;
}

/* A called function's parameter or result: each lane's copy in the caller's area. */
static bool
argument_address(struct site *s, const struct ptx_operand *o)
{
    struct core *c = s->c;
    if (o->base_kind != PTX_BASE_VAR || !o->var->func ||
        c->flow->vars[o->var->index].place != FLOW_ARGUMENT)
        return false;
    int32_t *pattern = ARENA_ARRAY((struct arena *)&c->facts->arena, int32_t, LANES);
    for (int l = 0; l < LANES; l++)
        pattern[l] = l * (int32_t)o->var->size;
    uint64_t offset = c->flow->vars[o->var->index].offset * LANES + (uint64_t)o->offset;
    s->fact = (struct fact){.kind = FACT_SCALAR, .segment = LANES, .pattern = pattern};
    s->base = LLVMBuildAdd(c->e.b, LLVMBuildPtrToInt(c->e.b, c->arguments, core_scalar(c, 64), ""),
                           core_i64(c, offset), "");
    return true;
}

static LLVMValueRef
splat_some(struct core *c, LLVMValueRef v, unsigned n)
{
    struct fact f = {.kind = FACT_SCALAR, .segment = LANES};
    return n == LANES ? core_splat(c, v) : core_spread_firsts(c, v, &f, n);
}

/* Where in each lane's local memory, when it is the same for all; else NULL. */
static LLVMValueRef
local_offset(struct site *s, const struct ptx_operand *o)
{
    struct core *c = s->c;
    if (!c->local_words || !(c->events & JIT_EVENT_GUARD) || !fact_uniform(&s->fact))
        return NULL;
    LLVMValueRef offset = core_i64(c, known_offset(c, o));
    if (o->base_kind != PTX_BASE_REG)
        return offset;
    struct ptx_operand r = {.kind = PTX_O_REG, .reg = o->reg};
    return LLVMBuildAdd(c->e.b, core_value(c, s->i, &r, 64, true), offset, "");
}

static void
find_address(struct site *s, const struct ptx_operand *o)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    if (argument_address(s, o))
        return;
    enum ptx_space space = real_space(c, &s->i->i, o);
    s->fact = facts_operand(c->facts, s->i, o);
    bool scalar = s->fact.kind == FACT_SCALAR;
    LLVMValueRef offset = core_i64(c, known_offset(c, o)), base = space_base(c, space, o);
    if (base)
        offset = LLVMBuildAdd(b, offset, base, "");
    if (space == PTX_SPACE_LOCAL) {
        s->local = local_offset(s, o);
        scalar = false;
        s->fact = (struct fact){.kind = FACT_VECTOR, .segment = 1};
    }
    unsigned n = scalar ? 1 : LANES;
    if (!scalar && o->base_kind == PTX_BASE_REG && space != PTX_SPACE_LOCAL)
        n = core_reg_count(c, o->reg);
    LLVMValueRef v = n == 1 ? offset : splat_some(c, offset, n), holds, firsts;
    if (s->fact.guess && o->base_kind == PTX_BASE_REG && core_guess(c, o->reg, &holds, &firsts)) {
        unsigned count = LANES / s->fact.segment;
        s->holds = holds;
        s->guessed = LLVMBuildAdd(b, firsts, count == 1 ? offset : splat_some(c, offset, count), "");
    }
    if (o->base_kind == PTX_BASE_REG) {
        struct ptx_operand r = {.kind = PTX_O_REG, .reg = o->reg};
        v = LLVMBuildAdd(b, core_firsts(c, s->i, &r, 64, n), v, "");
    }
    if (space == PTX_SPACE_LOCAL)
        v = LLVMBuildAdd(b, v, core_local_base(c), "");
    if (scalar)
        s->base = v;
    else if (n < LANES)
        s->firsts = v;
    else
        s->lanes = v;
}

static LLVMValueRef
to_ptr(struct core *c, LLVMValueRef address)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    if (LLVMGetTypeKind(LLVMTypeOf(address)) == LLVMVectorTypeKind)
        ptr = LLVMVectorType(ptr, LANES);
    return LLVMBuildIntToPtr(c->e.b, address, ptr, "");
}

/* The offsets of the lanes as a constant of the module; NULL: all 0. */
static LLVMValueRef
pattern_constant(struct core *c, const int32_t *pattern)
{
    if (!pattern)
        return LLVMConstNull(LLVMPointerTypeInContext(c->e.context, 0));
    LLVMValueRef v[LANES];
    for (unsigned l = 0; l < LANES; l++)
        v[l] = core_i32(c, (uint32_t)pattern[l]);
    LLVMValueRef k = LLVMConstArray2(core_scalar(c, 32), v, LANES);
    LLVMValueRef g = LLVMAddGlobal(c->e.module, LLVMTypeOf(k), "pattern");
    LLVMSetInitializer(g, k);
    LLVMSetGlobalConstant(g, true);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    return g;
}

/* Sums that are kept back for what this access touches go to memory first. */
static void
settle(struct site *s)
{
    struct core *c = s->c;
    const struct ptx_insn *p = &s->i->i;
    if (!c->combines || (p->space != PTX_SPACE_GLOBAL && p->space != PTX_SPACE_NONE) ||
        ptx_has(p, PTX_M_NC))
        return;
    uint64_t bytes = (uint64_t)s->bytes * s->vec;
    bool guessed = s->holds && s->fact.segment == LANES;
    if (!guessed && (!s->base || s->fact.guess)) {
        core_combine_before(c, lane_addresses(s), bytes);
        return;
    }
    LLVMBasicBlockRef done = NULL;
    if (guessed) { /* one comparison for the lanes; where they do not follow, nothing is compared */
        LLVMBasicBlockRef follow = core_new_block(c, "follow"), strays = core_new_block(c, "strays");
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
    LLVMValueRef args[] = {c->e.warp, lanes, room, bytes, core_i32(c, s->i->i.space), core_i32(c, op),
                           core_i32(c, s->i->place)};
    LLVMBuildStore(c->e.b, lane_addresses(s), room);
    core_service(c, FIELD(jit_services, access), LLVMVoidTypeInContext(c->e.context), args, 7);
}

static void
tell_segments(struct site *s, LLVMValueRef firsts, LLVMValueRef lanes, enum jit_access_op op)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    struct core_told t = {.base = firsts, .lanes = lanes, .offset = pattern_constant(c, s->fact.pattern),
                          .bytes = s->bytes * s->vec, .space = s->i->i.space, .op = op, .place = s->i->place};
    if (LLVMGetTypeKind(LLVMTypeOf(firsts)) == LLVMVectorTypeKind) {
        t.base = LLVMBuildExtractElement(b, firsts, core_i32(c, 0), "");
        t.apart = LLVMBuildSub(b, LLVMBuildExtractElement(b, firsts, core_i32(c, 1), ""), t.base, "");
    }
    core_tell(c, &t);
}

/* For tools that are told of what they have not seen yet. False: to be announced as for others. */
static bool
announce_unseen(struct site *s, LLVMValueRef lanes, enum jit_access_op op)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    unsigned count = s->fact.segment ? LANES / s->fact.segment : LANES; /* 0: addresses from elsewhere */
    if (!(c->events & JIT_EVENT_SEEN) || s->size)
        return false;
    if (s->i->i.space == PTX_SPACE_PARAM)
        return true;
    bool halves = !s->base && s->firsts && !s->fact.guess && count == 2 &&
                  LLVMGetTypeKind(LLVMTypeOf(s->firsts)) == LLVMVectorTypeKind &&
                  LLVMGetVectorSize(LLVMTypeOf(s->firsts)) == 2;
    if (s->base || halves) {
        tell_segments(s, s->base ? s->base : s->firsts, lanes, op);
        return true;
    }
    if (!s->holds || count > 2)
        return false;
    LLVMBasicBlockRef follow = core_new_block(c, "follow"), stray = core_new_block(c, "stray");
    LLVMBasicBlockRef over = core_new_block(c, "over");
    lane_addresses(s); /* not only where they are told */
    LLVMBuildCondBr(b, s->holds, follow, stray);
    LLVMPositionBuilderAtEnd(b, follow);
    tell_segments(s, s->guessed, lanes, op);
    LLVMBuildBr(b, over);
    LLVMPositionBuilderAtEnd(b, stray);
    announce_lanes(s, lanes, core_i32(c, s->bytes * s->vec), op);
    LLVMBuildBr(b, over);
    LLVMPositionBuilderAtEnd(b, over);
    return true;
}

static void
announce(struct site *s, enum jit_access_op op)
{
    struct core *c = s->c;
    if (op != JIT_ATOMIC || !core_can_combine(&s->i->i))
        settle(s);
    if (!(c->events & JIT_EVENT_ACCESS) || announce_unseen(s, s->some ? s->some : core_mask_bits(c), op))
        return;
    LLVMTypeRef none = LLVMVoidTypeInContext(c->e.context);
    LLVMValueRef bytes = s->size ? s->size : core_i32(c, s->bytes * s->vec), space = core_i32(c, s->i->i.space);
    LLVMValueRef place = core_i32(c, s->i->place), how = core_i32(c, op);
    LLVMValueRef lanes = s->some ? s->some : core_mask_bits(c);
    if (s->base) {
        LLVMValueRef offset = pattern_constant(c, s->fact.pattern);
        LLVMValueRef args[] = {c->e.warp, lanes, s->base, offset, bytes, space, how, place};
        struct core_gate g = {s->base, offset, lanes, s->fact.pattern, s->bytes * s->vec,
                              (enum ptx_space)s->i->i.space, s->i->place, NULL, op == JIT_STORE};
        LLVMBasicBlockRef over = op != JIT_ATOMIC && !s->size ? core_gate(c, &g) : NULL;
        core_service(c, FIELD(jit_services, pattern), none, args, 8);
        if (over) {
            LLVMBuildBr(c->e.b, over);
            LLVMPositionBuilderAtEnd(c->e.b, over);
        }
        return;
    }
    struct core_gate g = {lane_addresses(s), NULL, lanes, NULL, s->bytes * s->vec,
                          (enum ptx_space)s->i->i.space, s->i->place, s->local, op == JIT_STORE};
    LLVMBasicBlockRef over = op != JIT_ATOMIC && !s->size ? core_gate(c, &g) : NULL;
    announce_lanes(s, lanes, bytes, op);
    if (over) {
        LLVMBuildBr(c->e.b, over);
        LLVMPositionBuilderAtEnd(c->e.b, over);
    }
}

LLVMValueRef
core_denied(struct core *c)
{
    if (!(c->events & JIT_EVENT_GUARD))
        return NULL;
    return core_load_field(c, c->e.warp, FIELD(jit_warp, denied), core_scalar(c, 32));
}

/* Denied lanes get the address of memory that does not matter. */
static LLVMValueRef
allowed_addresses(struct core *c, LLVMValueRef addresses)
{
    LLVMValueRef denied = core_denied(c);
    if (!denied)
        return addresses;
    LLVMTypeRef spare_type = LLVMArrayType2(core_scalar(c, 64), 8);
    LLVMValueRef spare = core_alloca(c, spare_type);
    LLVMBuildStore(c->e.b, LLVMConstNull(spare_type), spare);
    spare = core_splat(c, LLVMBuildPtrToInt(c->e.b, spare, core_scalar(c, 64), ""));
    return LLVMBuildSelect(c->e.b, emit_bits_to_mask(&c->e, denied), spare, addresses, "");
}

LLVMValueRef
core_addresses(struct core *c, const struct flow_insn *i, const struct ptx_operand *o, unsigned bytes,
               enum jit_access_op op)
{
    struct site s = {.c = c, .i = i, .bytes = bytes, .vec = 1};
    find_address(&s, o);
    announce(&s, op);
    LLVMValueRef denied = core_denied(c), lanes = lane_addresses(&s);
    c->e.mask_bits = core_mask_bits(c);
    if (denied) {
        c->e.mask_bits = LLVMBuildAnd(c->e.b, c->e.mask_bits, LLVMBuildNot(c->e.b, denied, ""), "");
        c->e.mask = emit_bits_to_mask(&c->e, c->e.mask_bits);
    }
    return lanes;
}

LLVMValueRef
core_addresses_some(struct core *c, const struct flow_insn *i, const struct ptx_operand *o,
                    unsigned bytes, enum jit_access_op op, uint32_t some)
{
    struct site s = {.c = c, .i = i, .bytes = bytes, .vec = 1};
    find_address(&s, o);
    s.some = LLVMBuildAnd(c->e.b, core_mask_bits(c), core_i32(c, some), "");
    if (!some)
        return lane_addresses(&s);
    announce(&s, op);
    return allowed_addresses(c, lane_addresses(&s));
}

/* Tools are told one size for all lanes; those of an instruction on bulks mostly are one lane. */
LLVMValueRef
core_addresses_sized(struct core *c, const struct flow_insn *i, const struct ptx_operand *o,
                     LLVMValueRef size, enum jit_access_op op)
{
    struct site s = {.c = c, .i = i, .bytes = 1, .vec = 1};
    find_address(&s, o);
    if (c->events & JIT_EVENT_ACCESS) {
        LLVMTypeRef i32 = core_scalar(c, 32);
        LLVMValueRef args[] = {core_mask_bits(c), LLVMConstInt(core_scalar(c, 1), 0, false)};
        LLVMValueRef lane = emit_intrinsic(&c->e, "llvm.cttz", &i32, 1, args, 2);
        lane = LLVMBuildAnd(c->e.b, lane, core_i32(c, LANES - 1), "");
        s.size = LLVMBuildTrunc(c->e.b, LLVMBuildExtractElement(c->e.b, size, lane, ""), i32, "");
    }
    announce(&s, op);
    return lane_addresses(&s);
}

LLVMValueRef
core_announce_access(struct core *c, const struct flow_insn *i, LLVMValueRef addresses,
                     unsigned bytes, enum jit_access_op op)
{
    struct site s = {.c = c, .i = i, .bytes = bytes, .vec = 1, .lanes = addresses};
    announce(&s, op);
    return allowed_addresses(c, addresses);
}

/* -- layout ---------------------------------------------------------------------------------------------- */

static int32_t
offset_of(const struct site *s, unsigned lane)
{
    return s->fact.pattern ? s->fact.pattern[lane] : 0;
}

/* The longest segments in which lanes read one address or consecutive ones. */
static bool
find_runs(struct site *s)
{
    int32_t step = (int32_t)(s->bytes * s->vec);
    for (unsigned run = s->fact.segment; run >= 4; run /= 2) {
        bool ok = true;
        for (unsigned g = 0; ok && g < LANES; g += run) {
            bool same = true, next = true;
            for (unsigned l = 1; l < run; l++) {
                int32_t d = offset_of(s, g + l) - offset_of(s, g);
                same &= d == 0;
                next &= d == (int32_t)l * step;
            }
            ok = same || next;
            s->start[g / run] = offset_of(s, g);
            s->broadcast[g / run] = same;
        }
        if (ok) {
            s->run = run;
            return true;
        }
    }
    return false;
}

/* The site where its guess is known to hold: no lane's own address is needed. */
static struct site
sure_site(const struct site *s)
{
    struct site sure = *s;
    if (!s->holds)
        return sure;
    sure.fact.guess = false;
    sure.base = s->fact.segment == LANES ? s->guessed : NULL;
    sure.firsts = s->fact.segment == LANES ? NULL : s->guessed;
    return sure;
}

static LLVMValueRef
segment_base(struct site *s, unsigned g)
{
    struct core *c = s->c;
    if (s->base)
        return LLVMBuildAdd(c->e.b, s->base, core_i64(c, (uint64_t)(int64_t)s->start[g]), "");
    if (!s->firsts || s->fact.guess)
        return LLVMBuildExtractElement(c->e.b, lane_addresses(s), core_i32(c, g * s->run), "");
    LLVMValueRef first = LLVMBuildExtractElement(c->e.b, s->firsts,
                                                 core_i32(c, g * s->run / s->fact.segment), "");
    return LLVMBuildAdd(c->e.b, first, core_i64(c, (uint64_t)(int64_t)s->start[g]), "");
}

/* -- vectors of other lengths than 32 ---------------------------------------------------------------------- */

static LLVMValueRef
int_vector(struct core *c, const int32_t *v, unsigned n)
{
    LLVMValueRef *k = ls_alloc(sizeof *k * n);
    for (unsigned l = 0; l < n; l++)
        k[l] = v[l] < 0 ? LLVMGetPoison(core_scalar(c, 32)) : core_i32(c, (uint32_t)v[l]);
    LLVMValueRef r = LLVMConstVector(k, n);
    ls_release(k);
    return r;
}

static LLVMValueRef
shuffle(struct core *c, LLVMValueRef a, LLVMValueRef b, const int32_t *v, unsigned n)
{
    if (!b)
        b = LLVMGetPoison(LLVMTypeOf(a));
    return LLVMBuildShuffleVector(c->e.b, a, b, int_vector(c, v, n), "");
}

/* Lanes first..first+run of the mask, each repeated vec times. */
static LLVMValueRef
mask_part(struct site *s, unsigned first, unsigned run)
{
    int32_t v[LANES * 8];
    for (unsigned k = 0; k < run * s->vec; k++)
        v[k] = (int32_t)(first + k / s->vec);
    return shuffle(s->c, s->mask, NULL, v, run * s->vec);
}

static LLVMValueRef
any_active(struct site *s, unsigned first, unsigned run)
{
    struct core *c = s->c;
    uint32_t lanes = run >= 32 ? ~0u : ((1u << run) - 1) << first;
    LLVMValueRef m = LLVMBuildAnd(c->e.b, emit_mask_to_bits(&c->e, s->mask), core_i32(c, lanes), "");
    return LLVMBuildICmp(c->e.b, LLVMIntNE, m, core_i32(c, 0), "");
}

static LLVMValueRef
masked(struct core *c, const char *name, LLVMTypeRef *types, unsigned ntypes, LLVMValueRef *args,
       unsigned n)
{
    return emit_intrinsic(&c->e, name, types, ntypes, args, n);
}

/* -- loads -------------------------------------------------------------------------------------------------- */

static LLVMValueRef
load_scalar(struct site *s, LLVMValueRef address, unsigned element)
{
    struct core *c = s->c;
    LLVMValueRef at = LLVMBuildAdd(c->e.b, address, core_i64(c, (uint64_t)element * s->bytes), "");
    LLVMValueRef v = LLVMBuildLoad2(c->e.b, core_scalar(c, s->bytes * 8), to_ptr(c, at), "");
    LLVMSetAlignment(v, s->align);
    return v;
}

static LLVMValueRef
load_consecutive(struct site *s, LLVMValueRef address, unsigned first, unsigned run)
{
    struct core *c = s->c;
    LLVMTypeRef type = LLVMVectorType(core_scalar(c, s->bytes * 8), run * s->vec);
    LLVMValueRef p = to_ptr(c, address);
    if (!s->mask) {
        LLVMValueRef v = LLVMBuildLoad2(c->e.b, type, p, "");
        LLVMSetAlignment(v, s->align);
        return v;
    }
    LLVMTypeRef types[] = {type, LLVMTypeOf(p)};
    LLVMValueRef args[] = {p, core_i32(c, s->align), mask_part(s, first, run), LLVMConstNull(type)};
    return masked(c, "llvm.masked.load", types, 2, args, 4);
}

/* An address that may be read even if no lane of the segment is active. */
static LLVMValueRef
safe_address(struct site *s, LLVMValueRef address, unsigned first, unsigned run)
{
    struct core *c = s->c;
    if (!s->mask)
        return address;
    LLVMValueRef spare = LLVMBuildPtrToInt(c->e.b, c->e.warp, core_scalar(c, 64), "");
    return LLVMBuildSelect(c->e.b, any_active(s, first, run), address, spare, "");
}

/* Joins segment vectors of `run` lanes to one of 32. */
static LLVMValueRef
concatenate(struct core *c, LLVMValueRef *part, unsigned parts, unsigned run)
{
    int32_t v[LANES];
    for (; parts > 1; parts /= 2, run *= 2) {
        for (unsigned k = 0; k < 2 * run; k++)
            v[k] = (int32_t)k;
        for (unsigned k = 0; k < parts / 2; k++)
            part[k] = shuffle(c, part[2 * k], part[2 * k + 1], v, 2 * run);
    }
    return part[0];
}

static void
load_runs(struct site *s, LLVMValueRef out[])
{
    struct core *c = s->c;
    unsigned parts = LANES / s->run;
    LLVMValueRef part[8][LANES];
    int32_t v[LANES];
    for (unsigned g = 0; g < parts; g++) {
        /* The same addresses again (rows of a tile read by several rows of threads)? */
        unsigned same = g;
        for (unsigned h = 0; s->base && !s->mask && h < g; h++)
            if (s->start[h] == s->start[g] && s->broadcast[h] == s->broadcast[g])
                same = h;
        if (same < g) {
            for (unsigned e = 0; e < s->vec; e++)
                part[e][g] = part[e][same];
            continue;
        }
        LLVMValueRef at = segment_base(s, g);
        if (s->broadcast[g]) {
            at = safe_address(s, at, g * s->run, s->run);
            for (unsigned e = 0; e < s->vec; e++) {
                LLVMValueRef x = load_scalar(s, at, e);
                LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(x), s->run);
                x = LLVMBuildInsertElement(c->e.b, LLVMGetPoison(type), x, core_i32(c, 0), "");
                memset(v, 0, sizeof v);
                part[e][g] = shuffle(c, x, NULL, v, s->run);
            }
            continue;
        }
        LLVMValueRef all = load_consecutive(s, at, g * s->run, s->run);
        for (unsigned e = 0; e < s->vec; e++) {
            for (unsigned l = 0; l < s->run; l++)
                v[l] = (int32_t)(l * s->vec + e);
            part[e][g] = s->vec == 1 ? all : shuffle(c, all, NULL, v, s->run);
        }
    }
    for (unsigned e = 0; e < s->vec; e++)
        out[e] = concatenate(c, part[e], parts, s->run);
}

/* Bytes and halves out of the aligned words they lie in: the processor gathers no smaller ones, and LLVM
 * makes 32 branches of each such gather, in time that grows with the square of their number. */
static LLVMValueRef
gather_small(struct site *s, LLVMValueRef at, LLVMValueRef mask)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef low = core_splat(c, core_i64(c, 3));
    LLVMValueRef p = to_ptr(c, LLVMBuildAnd(b, at, LLVMBuildNot(b, low, ""), ""));
    LLVMTypeRef word = core_vector(c, 32), types[] = {word, LLVMTypeOf(p)};
    LLVMValueRef args[] = {p, core_i32(c, 4), mask, LLVMConstNull(word)};
    LLVMValueRef words = masked(c, "llvm.masked.gather", types, 2, args, 4);
    LLVMValueRef bits = LLVMBuildTrunc(b, LLVMBuildAnd(b, at, low, ""), word, "");
    bits = LLVMBuildShl(b, bits, core_splat(c, core_i32(c, 3)), "");
    return LLVMBuildTrunc(b, LLVMBuildLShr(b, words, bits, ""), core_vector(c, s->bytes * 8), "");
}

static void
load_each(struct site *s, LLVMValueRef out[])
{
    struct core *c = s->c;
    LLVMTypeRef type = core_vector(c, s->bytes * 8);
    for (unsigned e = 0; e < s->vec; e++) {
        LLVMValueRef at = LLVMBuildAdd(c->e.b, lane_addresses(s),
                                       core_splat(c, core_i64(c, (uint64_t)e * s->bytes)), "");
        LLVMValueRef p = to_ptr(c, at);
        LLVMTypeRef types[] = {type, LLVMTypeOf(p)};
        LLVMValueRef mask = s->mask ? s->mask : LLVMConstAllOnes(core_vector(c, 1));
        LLVMValueRef args[] = {p, core_i32(c, s->align), mask, LLVMConstNull(type)};
        out[e] = s->bytes < 4 && s->align >= s->bytes
                     ? gather_small(s, at, mask)
                     : masked(c, "llvm.masked.gather", types, 2, args, 4);
    }
}

/* Do all active lanes hold what the pattern says, counted from their segment's first lane? */
static LLVMValueRef
test_pattern(struct site *s, const int32_t *pattern, unsigned segment)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    int32_t first[LANES], relative[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        first[l] = (int32_t)(l - l % segment);
        relative[l] = pattern ? pattern[l] - pattern[l - l % segment] : 0;
    }
    LLVMValueRef expected = LLVMBuildAdd(b, shuffle(c, s->lanes, NULL, first, LANES),
                                         core_pattern(c, relative, 64), "");
    LLVMValueRef differs = LLVMBuildICmp(b, LLVMIntNE, expected, s->lanes, "");
    if (s->mask)
        differs = LLVMBuildAnd(b, differs, s->mask, "");
    return LLVMBuildICmp(b, LLVMIntEQ, emit_mask_to_bits(&c->e, differs), core_i32(c, 0), "");
}

static LLVMValueRef
holds(struct site *s)
{
    if (s->holds)
        return s->holds;
    lane_addresses(s);
    return test_pattern(s, s->fact.pattern, s->fact.segment);
}

/* Whether the first two lanes or the last two are as far apart as the pattern says: mostly that is
 * enough to know that lanes do not follow it (a sparse product has three such tests an element). */
static LLVMValueRef
looks_so(struct site *s)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef at = lane_addresses(s), any = NULL;
    for (unsigned l = 0; l < LANES; l += LANES - 2) {
        LLVMValueRef first = LLVMBuildExtractElement(b, at, core_i32(c, l), "");
        LLVMValueRef next = LLVMBuildExtractElement(b, at, core_i32(c, l + 1), "");
        int64_t d = (int64_t)s->fact.pattern[l + 1] - s->fact.pattern[l];
        LLVMValueRef is = LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildSub(b, next, first, ""),
                                        core_i64(c, (uint64_t)d), "");
        any = any ? LLVMBuildOr(b, any, is, "") : is;
    }
    return any;
}

struct fork {
    LLVMBasicBlockRef fast, slow, join, fast_end, slow_end;
};

static struct fork
begin_fork(struct core *c, LLVMValueRef cond)
{
    struct fork f = {core_new_block(c, "runs"), core_new_block(c, "each"), core_new_block(c, "joined"),
                     NULL, NULL};
    LLVMBuildCondBr(c->e.b, cond, f.fast, f.slow);
    LLVMPositionBuilderAtEnd(c->e.b, f.fast);
    return f;
}

/* Pattern to test when nothing is known: consecutive lanes. */
static void
assume_consecutive(struct site *s, int32_t pattern[LANES])
{
    for (unsigned l = 0; l < LANES; l++)
        pattern[l] = (int32_t)(l * s->bytes * s->vec);
    s->fact.pattern = pattern;
    s->fact.segment = LANES;
    s->fact.guess = true;
    s->holds = NULL;
}

/* A fork for such a pattern. */
static struct fork
fork_on_pattern(struct site *s)
{
    struct core *c = s->c;
    if (s->holds || s->fact.segment < LANES || !s->fact.pattern)
        return begin_fork(c, holds(s));
    LLVMBasicBlockRef here, test = core_new_block(c, "test");
    LLVMValueRef likely = looks_so(s);
    here = LLVMGetInsertBlock(c->e.b);
    LLVMPositionBuilderAtEnd(c->e.b, test);
    struct fork f = begin_fork(c, holds(s));
    LLVMPositionBuilderAtEnd(c->e.b, here);
    LLVMBuildCondBr(c->e.b, likely, test, f.slow);
    LLVMPositionBuilderAtEnd(c->e.b, f.fast);
    return f;
}

static void
load_tested(struct site *s, LLVMValueRef out[])
{
    struct core *c = s->c;
    LLVMValueRef fast[8], slow[8];
    struct fork f = fork_on_pattern(s);
    struct site sure = sure_site(s);
    load_runs(&sure, fast);
    f.fast_end = LLVMGetInsertBlock(c->e.b);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.slow);
    load_each(s, slow);
    f.slow_end = LLVMGetInsertBlock(c->e.b);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.join);
    for (unsigned e = 0; e < s->vec; e++) {
        out[e] = LLVMBuildPhi(c->e.b, LLVMTypeOf(fast[e]), "");
        LLVMValueRef v[] = {fast[e], slow[e]};
        LLVMBasicBlockRef from[] = {f.fast_end, f.slow_end};
        LLVMAddIncoming(out[e], v, from, 2);
    }
}

/* Words of half a warp that lie up to WINDOW vectors of 16 apart: those vectors are loaded and the words
 * picked out of them. False: another pattern. */
static bool
load_half(struct site *s, unsigned first, LLVMValueRef *out)
{
    enum { HALF = LANES / 2, WINDOW = 4, WORD = 4 };
    struct core *c = s->c;
    int32_t low = INT32_MAX, high = INT32_MIN, pick[2][HALF], blend[HALF];
    LLVMValueRef v[WINDOW], pair[2] = {NULL, NULL};
    for (unsigned l = first; l < first + HALF; l++) {
        low = offset_of(s, l) < low ? offset_of(s, l) : low;
        high = offset_of(s, l) > high ? offset_of(s, l) : high;
    }
    int32_t words = (high - low) / WORD + 1;
    if (words <= HALF || words > WINDOW * HALF)
        return false;
    for (unsigned l = 0; l < HALF; l++) {
        int32_t from = offset_of(s, first + l) - low, at = from / WORD / HALF, start = at * HALF;
        if (from % WORD)
            return false;
        start = start + HALF > words ? words - HALF : start; /* nothing beyond the last lane is read */
        for (int p = 0; p < 2; p++)
            pick[p][l] = at / 2 == p ? from / WORD - start + at % 2 * HALF : -1;
        blend[l] = (int32_t)l + at / 2 * HALF;
    }
    unsigned count = (unsigned)(words + HALF - 1) / HALF;
    for (unsigned k = 0; k < count; k++) {
        int32_t start = (int32_t)k * HALF + HALF > words ? words - HALF : (int32_t)k * HALF;
        LLVMValueRef at = core_i64(c, (uint64_t)(int64_t)(low + start * WORD));
        v[k] = load_consecutive(s, LLVMBuildAdd(c->e.b, s->base, at, ""), 0, HALF);
    }
    for (unsigned p = 0; 2 * p < count; p++)
        pair[p] = shuffle(c, v[2 * p], 2 * p + 1 < count ? v[2 * p + 1] : NULL, pick[p], HALF);
    *out = pair[1] ? shuffle(c, pair[0], pair[1], blend, HALF) : pair[0];
    return true;
}

/* Columns of a tile, some words apart: a gather takes 34 ns, four loads and three permutations 3. Only of
 * shared memory, where what lies between the lanes' words may be read, too. */
static bool
load_strided(struct site *s, LLVMValueRef *out)
{
    LLVMValueRef half[2];
    if (!s->base || s->fact.guess || s->mask || s->bytes != 4 || s->vec != 1 ||
        s->i->i.space != PTX_SPACE_SHARED || !host_has_avx512(&s->c->e))
        return false;
    bool same = true;
    for (unsigned l = 0; l < LANES / 2; l++)
        same &= offset_of(s, l) == offset_of(s, l + LANES / 2);
    if (!load_half(s, 0, &half[0]))
        return false;
    half[1] = half[0];
    if (!same && !load_half(s, LANES / 2, &half[1]))
        return false;
    *out = concatenate(s->c, half, 2, LANES / 2);
    return true;
}

static void
load_value(struct site *s, LLVMValueRef out[])
{
    int32_t pattern[LANES];
    if (s->fact.kind == FACT_SCALAR && !s->fact.pattern) {
        for (unsigned e = 0; e < s->vec; e++)
            out[e] = load_scalar(s, s->base, e);
        return;
    }
    if (s->fact.segment >= 4 && find_runs(s)) {
        if (s->fact.guess)
            load_tested(s, out);
        else
            load_runs(s, out);
        return;
    }
    if (load_strided(s, out))
        return;
    bool local = s->i->i.space == PTX_SPACE_LOCAL;
    if (s->fact.segment == 1 && !local && s->bytes * s->vec <= 16) {
        assume_consecutive(s, pattern);
        find_runs(s);
        load_tested(s, out);
        return;
    }
    load_each(s, out);
}

void
core_prefetch(struct core *c, LLVMValueRef at)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMValueRef args[] = {to_ptr(c, at), core_i32(c, 0), core_i32(c, 3), core_i32(c, 1)};
    emit_intrinsic(&c->e, "llvm.prefetch", &ptr, 1, args, 4);
}

/* -- loads of neighbouring words -------------------------------------------------------------------------- */

/* n words from the lanes' addresses on, two with each gather. */
static void
gather_words(struct site *s, unsigned n, LLVMValueRef *out)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef mask = s->mask ? s->mask : LLVMConstAllOnes(core_vector(c, 1));
    for (unsigned k = 0; k < n; k += 2) {
        bool pair = k + 1 < n;
        LLVMTypeRef type = core_vector(c, pair ? 64 : 32), words = LLVMVectorType(core_scalar(c, 32), 2 * LANES);
        LLVMValueRef at = LLVMBuildAdd(b, lane_addresses(s), core_splat(c, core_i64(c, 4 * k)), "");
        LLVMValueRef p = to_ptr(c, at), args[] = {p, core_i32(c, s->align), mask, LLVMConstNull(type)};
        LLVMTypeRef types[] = {type, LLVMTypeOf(p)};
        LLVMValueRef v = masked(c, "llvm.masked.gather", types, 2, args, 4);
        if (!pair) {
            out[k] = v;
            continue;
        }
        v = LLVMBuildBitCast(b, v, words, "");
        for (unsigned half = 0; half < 2; half++) {
            int32_t lane[LANES];
            for (unsigned l = 0; l < LANES; l++)
                lane[l] = (int32_t)(2 * l + half);
            out[k + half] = shuffle(c, v, NULL, lane, LANES);
        }
    }
}

static void
join_words(struct site *s, const struct fork *f, unsigned n, LLVMValueRef *fast, LLVMValueRef *slow, LLVMValueRef *out)
{
    LLVMBuilderRef b = s->c->e.b;
    for (unsigned k = 0; k < n; k++) {
        out[k] = LLVMBuildPhi(b, LLVMTypeOf(fast[k]), "");
        LLVMValueRef v[] = {fast[k], slow[k]};
        LLVMBasicBlockRef from[] = {f->fast_end, f->slow_end};
        LLVMAddIncoming(out[k], v, from, 2);
    }
}

/* Where each lane reads on in a row of its own, a warp that begins with its rows waits for all of them: they
 * are fetched a warp ahead, as far as the last warp's rows are from this one's (two or three warps ahead
 * is no better). */
static void
prefetch_rows(struct site *s)
{
    enum { LINE_BYTES = 64, FAR = 1 << 20 };
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    if (!c->phases || c->flow->blocks[c->current].loop == UINT32_MAX)
        return;
    /* Kept from block to block, in the frame of the first warp. */
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMValueRef frame = core_load_field(c, c->phases->first, FIELD(jit_warp, frame), ptr);
    uint32_t last = frame_room(c, 8), start = frame_room(c, 8);
    LLVMBasicBlockRef begins = core_new_block(c, "rows"), fetch = core_new_block(c, "fetch"),
                      on = core_new_block(c, "rows_on");
    LLVMValueRef now = LLVMBuildExtractElement(b, lane_addresses(s), core_i32(c, 0), "");
    LLVMValueRef moved = LLVMBuildSub(b, now, core_load_field(c, frame, last, i64), "");
    core_store_field(c, frame, last, now);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntUGT, moved, core_i64(c, LINE_BYTES), ""), begins, on);
    LLVMPositionBuilderAtEnd(b, begins);
    LLVMValueRef step = LLVMBuildSub(b, now, core_load_field(c, frame, start, i64), "");
    core_store_field(c, frame, start, now);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, step, core_i64(c, FAR), ""), fetch, on);
    LLVMPositionBuilderAtEnd(b, fetch);
    LLVMValueRef ahead = LLVMBuildAdd(b, lane_addresses(s), core_splat(c, step), "");
    for (unsigned l = 0; l < LANES; l++)
        core_prefetch(c, LLVMBuildExtractElement(b, ahead, core_i32(c, l), ""));
    LLVMBuildBr(b, on);
    LLVMPositionBuilderAtEnd(b, on);
}

/* Loads that follow in the block, of words beside this one's, together with it: theirs are kept until it is
 * their turn. False: there are none, or the lanes are known to be side by side. */
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
        c->ahead_count + 8 > sizeof c->ahead / sizeof *c->ahead)
        return false;
    n = core_group(c, s->i, member, &own);
    if (n < 2)
        return false;
    struct site from = *s;
    from.lanes = LLVMBuildSub(b, lane_addresses(s), core_splat(c, core_i64(c, 4 * own)), "");
    assume_consecutive(&from, pattern);
    find_runs(&from);
    prefetch_rows(&from);
    struct fork f = fork_on_pattern(&from);
    for (unsigned k = 0; k < n; k++) {
        struct site word = from;
        word.lanes = LLVMBuildAdd(b, from.lanes, core_splat(c, core_i64(c, 4 * k)), "");
        load_runs(&word, &fast[k]);
    }
    f.fast_end = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, f.join);
    LLVMPositionBuilderAtEnd(b, f.slow);
    gather_words(&from, n, slow);
    f.slow_end = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, f.join);
    LLVMPositionBuilderAtEnd(b, f.join);
    join_words(&from, &f, n, fast, slow, all);
    for (unsigned k = 0; k < n; k++)
        if (k != own)
            core_ahead_put(c, member[k], all[k]);
    *out = all[own];
    return true;
}

/* -- loads from what is selected lane by lane ------------------------------------------------------------ */

/* A part of such a load, laid out in runs of a vector register at most; false: not in runs. */
static bool
part_site(struct site *s, const struct split_part *part, struct site *out)
{
    *out = *s;
    out->fact = part->fact;
    out->holds = NULL;
    out->lanes = NULL;
    out->mask = part->mask;
    if (!find_runs(out))
        return false;
    for (; out->run > VECTOR_BYTES / s->bytes; out->run /= 2)
        for (unsigned g = LANES / out->run; g-- > 0;) {
            out->broadcast[2 * g] = out->broadcast[2 * g + 1] = out->broadcast[g];
            out->start[2 * g] = offset_of(out, g * out->run);
            out->start[2 * g + 1] = offset_of(out, g * out->run + out->run / 2);
        }
    return true;
}

/* Addresses of the part's runs. A vector that is loaded under a mask and reaches into a page that is not there
 * costs hundreds of cycles, even if no lane of the mask is in it. So a part of which no lane is selected is
 * loaded from where something is; and shared memory, which begins with a page (rows of a tile above its
 * first one), is loaded so within a page only: bit PAGE_BIT of *cross tells. */
static void
part_addresses(struct site *one, const struct split_part *part, const struct ptx_operand *o, LLVMValueRef *at,
               LLVMValueRef *cross)
{
    struct core *c = one->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef offset = core_i64(c, known_offset(c, o)), base = space_base(c, real_space(c, &one->i->i, o), o);
    unsigned n = LANES / part->fact.segment, parts = LANES / one->run;
    offset = base ? LLVMBuildAdd(b, offset, base, "") : offset;
    LLVMValueRef first = LLVMBuildAdd(b, part->firsts, n == 1 ? offset : splat_some(c, offset, n), "");
    one->base = n == 1 ? first : NULL;
    one->firsts = n == 1 ? NULL : first;
    LLVMValueRef spare = LLVMBuildPtrToInt(b, c->e.warp, core_scalar(c, 64), "");
    spare = LLVMBuildAnd(b, spare, core_i64(c, ~(uint64_t)(LINE - 1)), "");
    LLVMValueRef any = any_active(one, 0, LANES);
    bool row = n == 1 && one->start[parts - 1] == (int32_t)((parts - 1) * one->run * one->bytes);
    for (unsigned g = 0; g < parts; g++) {
        /* What all lanes of a run read is read without a mask. */
        LLVMValueRef some = one->broadcast[g] ? any_active(one, g * one->run, one->run) : any;
        at[g] = LLVMBuildSelect(b, some, segment_base(one, g), spare, "");
        uint32_t bytes = one->broadcast[g] ? one->bytes : one->bytes * one->run;
        bytes = row ? one->bytes * LANES : bytes;
        if (!part->shared || (row && g))
            continue;
        LLVMValueRef end = LLVMBuildAdd(b, at[g], core_i64(c, bytes - 1), "");
        *cross = LLVMBuildOr(b, *cross, LLVMBuildXor(b, at[g], end, ""), "");
    }
}

static void
load_part(struct site *one, const LLVMValueRef *at, LLVMValueRef *out)
{
    struct core *c = one->c;
    LLVMValueRef part[LANES];
    int32_t zero[LANES] = {0};
    for (unsigned g = 0; g < LANES / one->run; g++) {
        if (!one->broadcast[g]) {
            part[g] = load_consecutive(one, at[g], g * one->run, one->run);
            continue;
        }
        LLVMValueRef x = load_scalar(one, at[g], 0);
        LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(x), one->run);
        x = LLVMBuildInsertElement(c->e.b, LLVMGetPoison(type), x, core_i32(c, 0), "");
        part[g] = shuffle(c, x, NULL, zero, one->run);
    }
    LLVMValueRef v = concatenate(c, part, LANES / one->run, one->run);
    *out = *out ? LLVMBuildSelect(c->e.b, one->mask, v, *out, "") : v;
}

/* False: the address is not such a one; nothing that has an effect was emitted. */
static bool
load_split(struct site *s, const struct ptx_operand *o, LLVMValueRef *out)
{
    enum { PAGE_BIT = 12 };
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    struct split split;
    struct site one[sizeof split.part / sizeof *split.part];
    LLVMValueRef fast = NULL, slow, at[sizeof split.part / sizeof *split.part][LANES];
    if (s->vec != 1 || s->bytes < 4 || !core_split(c, s->i, o, &split))
        return false;
    for (unsigned k = 0; k < split.count; k++)
        if (!part_site(s, &split.part[k], &one[k]))
            return false;
    LLVMValueRef cross = core_i64(c, 0);
    for (unsigned k = 0; k < split.count; k++)
        part_addresses(&one[k], &split.part[k], o, at[k], &cross);
    cross = LLVMBuildAnd(b, cross, core_i64(c, 1ull << PAGE_BIT), "");
    struct fork f = begin_fork(c, LLVMBuildAnd(b, split.fine, LLVMBuildIsNull(b, cross, ""), ""));
    for (unsigned k = 0; k < split.count; k++)
        load_part(&one[k], at[k], &fast);
    f.fast_end = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, f.join);
    LLVMPositionBuilderAtEnd(b, f.slow);
    load_each(s, &slow);
    f.slow_end = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, f.join);
    LLVMPositionBuilderAtEnd(b, f.join);
    join_words(s, &f, 1, &fast, &slow, out);
    return true;
}

/* -- local memory in words ---------------------------------------------------------------------------------- */

/* Where no generic pointer to local memory can exist, a warp's local memory is laid out as on the
 * hardware (CUDA C Programming Guide, "Local Memory"): word by word, the 32 lanes' side by side. Then
 * lanes that use the same variable access consecutive words, and an access is a vector load instead
 * of a gather: 40 times faster for an array of sums (docs/decisions/0009). */
bool
core_local_words(const struct flow *f)
{
    if (f->call_count || f->indirect)
        return false;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const struct ptx_insn *p = &f->insns[n].i;
        if (p->op == PTX_OP_CVTA && (p->space == PTX_SPACE_LOCAL || p->space2 == PTX_SPACE_LOCAL))
            return false;
        if (p->op == PTX_OP_ALLOCA)
            return false;
    }
    return true;
}

/* The word of each lane that holds byte `plus` behind the operand's address; *shift: where in it. */
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
    LLVMValueRef offset = core_i64(c, known_offset(c, o) + plus);
    offset = scalar ? offset : core_splat(c, offset);
    if (o->base_kind == PTX_BASE_REG) {
        struct ptx_operand r = {.kind = PTX_O_REG, .reg = o->reg};
        offset = LLVMBuildAdd(b, core_value(c, s->i, &r, 64, scalar), offset, "");
    }
    LLVMValueRef three = core_i64(c, 3), five = core_i64(c, 5), up = core_i64(c, ~3ull);
    LLVMValueRef warp = LLVMBuildMul(b, LLVMBuildZExt(b, c->warp_index, core_scalar(c, 64), ""),
                                     LLVMBuildZExt(b, c->local_stride, core_scalar(c, 64), ""), "");
    warp = LLVMBuildAdd(b, c->local, LLVMBuildShl(b, warp, five, ""), "");
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

static bool
in_words(const struct site *s, const struct ptx_operand *o)
{
    return s->c->local_words && real_space(s->c, &s->i->i, o) == PTX_SPACE_LOCAL;
}

static void
load_words(struct site *s, const struct ptx_operand *o, LLVMValueRef out[])
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
            find_word(&word, o, e * bytes + 4 * w, &shift);
            load_value(&word, &v);
            if (bytes < 4)
                v = LLVMBuildTrunc(b, LLVMBuildLShr(b, v, shift, ""), core_vector(c, 8 * bytes), "");
            if (words > 1) {
                LLVMTypeRef wide = core_vector(c, 8 * bytes);
                LLVMValueRef up = LLVMConstInt(core_scalar(c, 8 * bytes), 32 * w, false);
                v = LLVMBuildShl(b, LLVMBuildZExt(b, v, wide, ""), core_splat(c, up), "");
            }
            out[e] = out[e] ? LLVMBuildOr(b, out[e], v, "") : v;
        }
    }
}

/* Lanes that may make the access: the slow way, when the tool denied it to some. */
static void
allow_some(struct site *s, LLVMValueRef denied)
{
    struct core *c = s->c;
    LLVMValueRef bits = LLVMBuildAnd(c->e.b, core_mask_bits(c), LLVMBuildNot(c->e.b, denied, ""), "");
    s->mask = emit_bits_to_mask(&c->e, bits);
}

static void
load_guarded(struct site *s, LLVMValueRef denied, LLVMValueRef out[])
{
    struct core *c = s->c;
    LLVMValueRef fast[8], slow[8];
    bool scalar = s->fact.kind == FACT_SCALAR && !s->fact.pattern;
    if (!scalar)
        lane_addresses(s);
    struct site few = *s;
    struct fork f = begin_fork(c, LLVMBuildICmp(c->e.b, LLVMIntEQ, denied, core_i32(c, 0), ""));
    load_value(s, fast);
    f.fast_end = LLVMGetInsertBlock(c->e.b);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.slow);
    allow_some(&few, denied);
    for (unsigned e = 0; scalar && e < s->vec; e++) /* lanes with one address share its fate */
        slow[e] = LLVMConstNull(LLVMTypeOf(fast[e]));
    if (!scalar)
        load_each(&few, slow);
    f.slow_end = LLVMGetInsertBlock(c->e.b);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.join);
    for (unsigned e = 0; e < s->vec; e++) {
        out[e] = LLVMBuildPhi(c->e.b, LLVMTypeOf(fast[e]), "");
        LLVMValueRef v[] = {fast[e], slow[e]};
        LLVMBasicBlockRef from[] = {f.fast_end, f.slow_end};
        LLVMAddIncoming(out[e], v, from, 2);
    }
}

static bool
is_ordered(const struct ptx_insn *p)
{
    return ptx_has(p, PTX_M_VOLATILE) || ptx_has(p, PTX_M_RELAXED) || ptx_has(p, PTX_M_ACQUIRE) ||
           ptx_has(p, PTX_M_RELEASE) || ptx_has(p, PTX_M_MMIO) || ptx_has(p, PTX_M_CV) ||
           ptx_has(p, PTX_M_SC);
}

void
core_fence(struct core *c, bool strong)
{
    LLVMBuildFence(c->e.b,
                   strong ? LLVMAtomicOrderingSequentiallyConsistent
                          : LLVMAtomicOrderingAcquireRelease,
                   false, "");
}

static bool
begin_site(struct site *s, struct core *c, const struct flow_insn *i)
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

/* How far the site has gone on since the loop's last turn; 0 in the first. Warps that run together (jit_jam.c) go
 * on together: asked of the first of them (9 instructions each in a loop with two additions). */
static LLVMValueRef
pace_of(struct site *s, LLVMValueRef now)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    if (jam_follows(c, c->pace.reg) && c->pace.insn == s->i)
        return c->pace.step;
    LLVMValueRef last = core_alloca_zero(c, i64), zero = core_i64(c, 0);
    LLVMValueRef before = LLVMBuildLoad2(b, i64, last, "");
    LLVMValueRef step = LLVMBuildSub(b, now, before, "");
    step = LLVMBuildSelect(b, LLVMBuildIsNull(b, before, ""), zero, step, "");
    LLVMBuildStore(b, now, last);
    c->pace.insn = s->i;
    c->pace.reg = c->reg;
    c->pace.step = step;
    return step;
}

/* In a loop the next addresses are likely as far apart as the last two were. The host's prefetchers
 * see no stride above half a page, and in a grid-stride loop each is larger: without help, a warp
 * waits for memory at every turn (histogram of 64 MiB: 71 % of the time). */
static void
prefetch_ahead(struct site *s)
{
    enum { TURNS = 8 };
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    bool lanes_follow = s->base || (s->fact.guess && s->fact.segment >= 8);
    if (!lanes_follow || c->called || c->flow->blocks[c->current].loop == UINT32_MAX ||
        (s->i->i.space != PTX_SPACE_GLOBAL && s->i->i.space != PTX_SPACE_NONE))
        return;
    LLVMValueRef now = s->base;
    if (!now && s->holds && s->fact.segment == LANES)
        now = s->guessed;
    else if (!now)
        now = LLVMBuildExtractElement(b, lane_addresses(s), core_i32(c, 0), "");
    LLVMValueRef at = LLVMBuildAdd(b, now, LLVMBuildMul(b, pace_of(s, now), core_i64(c, TURNS), ""), "");
    core_prefetch(c, at);
    struct site whole = *s;
    if (s->fact.segment == LANES && find_runs(&whole) && whole.run == LANES && !whole.broadcast[0] &&
        s->bytes * s->vec * LANES == 2 * LINE) /* a warp's second line */
        core_prefetch(c, LLVMBuildAdd(b, at, core_i64(c, LINE), ""));
}

/* Fetches for blocks to come, where the lanes are known to read whole runs. */
static bool
fetch_blocks(struct site *s)
{
    struct core *c = s->c;
    LLVMValueRef at[LANES];
    if (s->mask || fact_uniform(&s->fact) || !core_fetches(c, s->i) || s->fact.segment < 8 || !find_runs(s))
        return false;
    struct site sure = sure_site(s);
    for (unsigned g = 0; g < LANES / s->run; g++)
        at[g] = segment_base(&sure, g);
    core_fetch(c, s->i, at, LANES / s->run, s->run * s->bytes * s->vec);
    return true;
}

/* The innermost loop around the current block that has a barrier in it; UINT32_MAX: none. */
static uint32_t
barrier_loop(const struct core *c)
{
    const struct flow *f = c->flow;
    for (uint32_t l = f->blocks[c->current].loop; l != UINT32_MAX; l = f->loops[l].parent)
        for (uint32_t b = f->loops[l].head; b <= f->loops[l].last; b++)
            if (f->blocks[b].end == FLOW_BARRIER)
                return l;
    return UINT32_MAX;
}

/* How far the site's address is from where it was in the last turn of the loop with a barrier. That is
 * known from the first access after a barrier, an inner loop's first turn. */
static LLVMValueRef
turn_step(struct site *s, LLVMValueRef now, bool inner)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    uint32_t at = frame_room(c, 8);
    LLVMValueRef start = core_load_field(c, c->frame, at, i64), step = LLVMBuildSub(b, now, start, "");
    if (inner) {
        LLVMValueRef kept = core_alloca_zero(c, i64);
        LLVMValueRef before = LLVMBuildLoad2(b, i64, kept, "");
        LLVMValueRef first = LLVMBuildIsNull(b, before, "");
        step = LLVMBuildSelect(b, first, step, before, "");
        now = LLVMBuildSelect(b, first, now, start, "");
        LLVMBuildStore(b, step, kept);
    }
    core_store_field(c, c->frame, at, now);
    return step;
}

/* Tiles are loaded turn by turn, with barriers: what the next turn will load is fetched while the block
 * computes. Of both halves of the warp: rows of 16, or two lines of the cache. */
static bool
prefetch_turn(struct site *s)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    uint32_t loop = barrier_loop(c);
    bool inner = loop != c->flow->blocks[c->current].loop;
    if (c->called || c->events || c->facts->shape.apart || loop == UINT32_MAX ||
        (inner && c->phases) || (s->i->i.space != PTX_SPACE_GLOBAL && s->i->i.space != PTX_SPACE_NONE) ||
        fact_uniform(&s->fact))
        return false;
    LLVMValueRef now = s->base, half = s->base;
    if (now) {
        half = LLVMBuildAdd(b, now, core_i64(c, (uint64_t)(int64_t)offset_of(s, LANES / 2)), "");
    } else {
        now = LLVMBuildExtractElement(b, lane_addresses(s), core_i32(c, 0), "");
        half = LLVMBuildExtractElement(b, lane_addresses(s), core_i32(c, LANES / 2), "");
    }
    LLVMValueRef step = turn_step(s, now, inner);
    core_prefetch(c, LLVMBuildAdd(b, now, step, ""));
    core_prefetch(c, LLVMBuildAdd(b, half, step, ""));
    return true;
}

/* Lanes that use the same offset are a pattern for tools that only count (jit_services.pattern); false: they
 * are not, or the tool decides on accesses. */
static bool
announce_words(const struct site *s, const struct ptx_operand *o, enum jit_access_op op)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i64 = core_scalar(c, 64);
    struct fact f = facts_operand(c->facts, s->i, o);
    if ((c->events & (JIT_EVENT_COUNT | JIT_EVENT_GUARD)) != JIT_EVENT_COUNT || !fact_uniform(&f))
        return false;
    LLVMValueRef first = LLVMBuildMul(b, LLVMBuildZExt(b, c->warp_index, i64, ""),
                                      LLVMBuildZExt(b, c->local_stride, i64, ""), "");
    first = LLVMBuildAdd(b, c->local, LLVMBuildShl(b, first, core_i64(c, 5), ""), "");
    LLVMValueRef at = core_i64(c, known_offset(c, o));
    if (o->base_kind == PTX_BASE_REG) {
        struct ptx_operand r = {.kind = PTX_O_REG, .reg = o->reg};
        at = LLVMBuildAdd(b, at, core_value(c, s->i, &r, 64, true), "");
    }
    struct core_told t = {.base = LLVMBuildAdd(b, first, at, ""), .lanes = core_mask_bits(c), .local = at,
                          .offset = pattern_constant(c, NULL), .bytes = s->bytes * s->vec,
                          .space = s->i->i.space, .op = op, .place = s->i->place};
    core_tell(c, &t);
    return true;
}

static void
load_words_watched(struct site *s, const struct ptx_operand *o, LLVMValueRef out[])
{
    struct core *c = s->c;
    struct site told = *s, few = *s;
    if (c->events & JIT_EVENT_GUARD && core_sure(c, s->i, o, s->bytes * s->vec)) {
        load_words(s, o, out);
        return;
    }
    if (c->events & JIT_EVENT_ACCESS && !announce_words(s, o, JIT_LOAD)) {
        find_address(&told, o);
        announce(&told, JIT_LOAD);
    }
    LLVMValueRef denied = core_denied(c), slow[8];
    if (!denied) {
        load_words(s, o, out);
        return;
    }
    struct fork f = begin_fork(c, LLVMBuildICmp(c->e.b, LLVMIntEQ, denied, core_i32(c, 0), ""));
    load_words(s, o, out);
    f.fast_end = LLVMGetInsertBlock(c->e.b);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.slow);
    allow_some(&few, denied);
    load_words(&few, o, slow);
    f.slow_end = LLVMGetInsertBlock(c->e.b);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.join);
    for (unsigned e = 0; e < s->vec; e++) {
        LLVMValueRef v[] = {out[e], slow[e]};
        LLVMBasicBlockRef from[] = {f.fast_end, f.slow_end};
        out[e] = LLVMBuildPhi(c->e.b, LLVMTypeOf(v[0]), "");
        LLVMAddIncoming(out[e], v, from, 2);
    }
}

bool
core_load(struct core *c, const struct flow_insn *i)
{
    struct site s;
    const struct ptx_operand *from = &i->i.operand[1], *to = &i->i.operand[0];
    LLVMValueRef out[8];
    if (!begin_site(&s, c, i))
        return false;
    bool sign = ptx_type_kind((enum ptx_type)i->i.type[i->i.type_count - 1]) == 's';
    LLVMValueRef ahead = core_ahead_take(c, i);
    if (ahead) {
        core_write(c, i, to, ahead, sign);
        return true;
    }
    if (from->kind == PTX_O_ADDRESS && in_words(&s, from)) {
        load_words_watched(&s, from, out);
    } else if (from->kind == PTX_O_ADDRESS) {
        find_address(&s, from);
        announce(&s, JIT_LOAD);
        LLVMValueRef denied = core_denied(c);
        if (!prefetch_turn(&s) && !fetch_blocks(&s))
            prefetch_ahead(&s);
        if (is_ordered(&i->i)) {
            core_combine_flush(c);
            core_fence(c, false);
        }
        if (denied)
            load_guarded(&s, denied, out);
        else if (!load_group(&s, out) && !load_split(&s, from, out))
            load_value(&s, out);
        if (is_ordered(&i->i))
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

/* -- stores ------------------------------------------------------------------------------------------------- */

static void
store_scalar(struct site *s, LLVMValueRef address, LLVMValueRef v, unsigned element)
{
    struct core *c = s->c;
    LLVMValueRef at = LLVMBuildAdd(c->e.b, address, core_i64(c, (uint64_t)element * s->bytes), "");
    LLVMSetAlignment(LLVMBuildStore(c->e.b, v, to_ptr(c, at)), s->align);
}

/* The lanes of one segment, elements of a lane side by side. */
static LLVMValueRef
interleave(struct site *s, LLVMValueRef *v, unsigned first, unsigned run)
{
    struct core *c = s->c;
    int32_t k[LANES * 8];
    if (s->vec == 1) {
        for (unsigned l = 0; l < run; l++)
            k[l] = (int32_t)(first + l);
        return run == LANES ? v[0] : shuffle(c, v[0], NULL, k, run);
    }
    /* Join pairs of vectors until one holds everything, then put it in order. */
    LLVMValueRef part[8];
    unsigned n = s->vec, length = LANES;
    for (unsigned e = 0; e < n; e++)
        part[e] = v[e];
    for (; n > 1; n /= 2, length *= 2) {
        for (unsigned l = 0; l < 2 * length; l++)
            k[l] = (int32_t)l;
        for (unsigned e = 0; e < n / 2; e++)
            part[e] = shuffle(c, part[2 * e], part[2 * e + 1], k, 2 * length);
    }
    for (unsigned l = 0; l < run; l++)
        for (unsigned e = 0; e < s->vec; e++)
            k[l * s->vec + e] = (int32_t)(e * LANES + first + l);
    return shuffle(c, part[0], NULL, k, run * s->vec);
}

static void
store_segments(struct site *s, LLVMValueRef *v)
{
    struct core *c = s->c;
    for (unsigned g = 0; g < LANES / s->run; g++) {
        LLVMValueRef x = interleave(s, v, g * s->run, s->run);
        LLVMValueRef p = to_ptr(c, segment_base(s, g));
        if (!s->mask) {
            LLVMSetAlignment(LLVMBuildStore(c->e.b, x, p), s->align);
            continue;
        }
        LLVMTypeRef types[] = {LLVMTypeOf(x), LLVMTypeOf(p)};
        LLVMValueRef args[] = {x, p, core_i32(c, s->align), mask_part(s, g * s->run, s->run)};
        masked(c, "llvm.masked.store", types, 2, args, 4);
    }
}

/* -- past the caches ------------------------------------------------------------------------------------------ */

bool
core_streams(const struct flow *f)
{
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const struct ptx_insn *p = &f->insns[n].i;
        bool other = is_ordered(p) || p->op == PTX_OP_ATOM || p->op == PTX_OP_RED ||
                     p->op == PTX_OP_CALL || p->op == PTX_OP_MEMBAR || p->op == PTX_OP_FENCE ||
                     p->op == PTX_OP_MBARRIER;
        if (other)
            return false;
    }
    return !f->call_count && !f->indirect;
}

/* Each thread comes to a place once: not in a loop, or in one that is in no other and moves the address. */
static bool
moves_on(const struct core *c, const struct ptx_operand *to)
{
    uint32_t k = c->flow->blocks[c->current].loop;
    if (k == UINT32_MAX)
        return true;
    const struct flow_loop *loop = &c->flow->loops[k];
    bool moves = false;
    for (uint32_t b = loop->head; b <= loop->last; b++)
        for (uint32_t n = 0; n < c->flow->blocks[b].count; n++)
            moves |= flow_writes(&c->flow->insns[c->flow->blocks[b].first + n], to->reg);
    return moves && loop->parent == UINT32_MAX && to->base_kind == PTX_BASE_REG;
}

/* Whole lines that are written once. */
static bool
may_stream(const struct site *s)
{
    const struct core *c = s->c;
    const struct ptx_operand *to = &s->i->i.operand[0];
    return c->streams && !c->called && s->i->i.op == PTX_OP_ST && to->kind == PTX_O_ADDRESS &&
           (s->i->i.space == PTX_SPACE_GLOBAL || s->i->i.space == PTX_SPACE_NONE) &&
           s->run * s->bytes * s->vec % LINE == 0 && moves_on(c, to);
}

/* All lanes, and segments that begin with a line of the cache, in a launch that is large enough. */
static LLVMValueRef
streaming_now(struct site *s)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef low = segment_base(s, 0);
    for (unsigned g = 1; g < LANES / s->run; g++)
        low = LLVMBuildOr(b, low, segment_base(s, g), "");
    LLVMValueRef bad = LLVMBuildAnd(b, low, core_i64(c, LINE - 1), "");
    LLVMValueRef on = core_load_field(c, c->launch_ptr, FIELD(jit_launch, streams), core_scalar(c, 32));
    LLVMValueRef cond = LLVMBuildAnd(b, LLVMBuildIsNull(b, bad, ""), LLVMBuildIsNotNull(b, on, ""), "");
    if (!s->mask)
        return cond;
    LLVMValueRef all = LLVMBuildICmp(b, LLVMIntEQ, emit_mask_to_bits(&c->e, s->mask), core_i32(c, ~0u), "");
    return LLVMBuildAnd(b, cond, all, "");
}

static void
stream_segments(struct site *s, LLVMValueRef *v)
{
    struct core *c = s->c;
    unsigned kind = LLVMGetMDKindIDInContext(c->e.context, "nontemporal", 11);
    LLVMMetadataRef one = LLVMValueAsMetadata(core_i32(c, 1));
    LLVMValueRef node = LLVMMetadataAsValue(c->e.context, LLVMMDNodeInContext2(c->e.context, &one, 1));
    for (unsigned g = 0; g < LANES / s->run; g++) {
        LLVMValueRef x = interleave(s, v, g * s->run, s->run);
        LLVMValueRef store = LLVMBuildStore(c->e.b, x, to_ptr(c, segment_base(s, g)));
        LLVMSetAlignment(store, LINE);
        LLVMSetMetadata(store, kind, node);
    }
}

static void
store_runs(struct site *s, LLVMValueRef *v)
{
    struct core *c = s->c;
    if (!may_stream(s)) {
        store_segments(s, v);
        return;
    }
    struct fork f = begin_fork(c, streaming_now(s));
    stream_segments(s, v);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.slow);
    store_segments(s, v);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.join);
}

/* A loop over the lanes that write: LLVM makes 32 branches of a scatter of bytes or halves. */
static void
scatter_small(struct site *s, LLVMValueRef at, LLVMValueRef v)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32), i64 = core_scalar(c, 64), element = core_scalar(c, s->bytes * 8);
    if (!c->scatter_places) {
        c->scatter_places = core_alloca(c, core_vector(c, 64));
        c->scatter_values = core_alloca(c, core_vector(c, 16));
    }
    LLVMValueRef places = c->scatter_places, values = c->scatter_values;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), loop = core_new_block(c, "scatter"),
                      after = core_new_block(c, "scattered");
    LLVMBuildStore(b, at, places);
    LLVMBuildStore(b, v, values);
    LLVMValueRef all = LLVMBuildBitCast(b, s->mask, i32, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, all, core_i32(c, 0), ""), after, loop);
    LLVMPositionBuilderAtEnd(b, loop);
    LLVMValueRef left = LLVMBuildPhi(b, i32, "");
    LLVMValueRef args[] = {left, LLVMConstAllOnes(core_scalar(c, 1))};
    LLVMValueRef lane = emit_intrinsic(&c->e, "llvm.cttz", &i32, 1, args, 2);
    LLVMValueRef place = LLVMBuildLoad2(b, i64, LLVMBuildGEP2(b, i64, places, &lane, 1, ""), "");
    LLVMValueRef x = LLVMBuildLoad2(b, element, LLVMBuildGEP2(b, element, values, &lane, 1, ""), "");
    LLVMSetAlignment(LLVMBuildStore(b, x, to_ptr(c, place)), s->align);
    LLVMValueRef rest = LLVMBuildAnd(b, left, LLVMBuildSub(b, left, core_i32(c, 1), ""), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, rest, core_i32(c, 0), ""), after, loop);
    LLVMAddIncoming(left, (LLVMValueRef[]){all, rest}, (LLVMBasicBlockRef[]){before, loop}, 2);
    LLVMPositionBuilderAtEnd(b, after);
}

/* Lanes in order, so that the last one wins where several write one place. */
static void
store_each(struct site *s, LLVMValueRef *v)
{
    struct core *c = s->c;
    for (unsigned e = 0; e < s->vec; e++) {
        LLVMValueRef at = LLVMBuildAdd(c->e.b, lane_addresses(s),
                                       core_splat(c, core_i64(c, (uint64_t)e * s->bytes)), "");
        if (s->bytes < 4 && s->mask) {
            scatter_small(s, at, v[e]);
            continue;
        }
        LLVMValueRef p = to_ptr(c, at);
        LLVMTypeRef types[] = {LLVMTypeOf(v[e]), LLVMTypeOf(p)};
        LLVMValueRef mask = s->mask ? s->mask : LLVMConstAllOnes(core_vector(c, 1));
        LLVMValueRef args[] = {v[e], p, core_i32(c, s->align), mask};
        masked(c, "llvm.masked.scatter", types, 2, args, 4);
    }
}

static void
store_tested(struct site *s, LLVMValueRef *v)
{
    struct core *c = s->c;
    struct fork f = fork_on_pattern(s);
    struct site sure = sure_site(s);
    store_runs(&sure, v);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.slow);
    if (s->bytes == 4 && s->vec == 1 && core_columns_fit(c, s->i))
        core_columns_store(c, s->i, lane_addresses(s), v[0], s->mask);
    else
        store_each(s, v);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.join);
}

static bool
no_broadcast(const struct site *s)
{
    for (unsigned g = 0; g < LANES / s->run; g++)
        if (s->broadcast[g])
            return false;
    /* Segments that overlap must be written lane by lane, too. */
    for (unsigned g = 1; s->base && g < LANES / s->run; g++)
        for (unsigned h = 0; h < g; h++) {
            int64_t d = (int64_t)s->start[g] - s->start[h], size = s->run * s->bytes * s->vec;
            if (d < size && -d < size && d < 0)
                return false;
        }
    return true;
}

/* One address for all lanes: the last active lane's value stays. */
static void
store_uniform(struct site *s, const struct ptx_operand *from)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    for (unsigned e = 0; e < s->vec; e++) {
        const struct ptx_operand *o = from->kind == PTX_O_VECTOR ? &from->elements[e] : from;
        struct fact f = facts_operand(c->facts, s->i, o);
        LLVMValueRef v;
        if (fact_uniform(&f)) {
            v = core_value(c, s->i, o, s->bytes * 8, true);
        } else {
            LLVMTypeRef i32 = core_scalar(c, 32);
            LLVMValueRef args[] = {core_mask_bits(c), LLVMConstInt(core_scalar(c, 1), 1, false)};
            LLVMValueRef zeros = emit_intrinsic(&c->e, "llvm.ctlz", &i32, 1, args, 2);
            LLVMValueRef last = LLVMBuildSub(b, core_i32(c, 31), zeros, "");
            v = LLVMBuildExtractElement(b, core_value(c, s->i, o, s->bytes * 8, false), last, "");
        }
        store_scalar(s, s->base, v, e);
    }
}

static void
store_lanes(struct site *s, LLVMValueRef *v)
{
    int32_t pattern[LANES];
    bool local = s->i->i.space == PTX_SPACE_LOCAL;
    if (s->fact.segment >= 4 && find_runs(s) && no_broadcast(s)) {
        if (s->fact.guess)
            store_tested(s, v);
        else
            store_runs(s, v);
    } else if (s->fact.segment == 1 && !local && s->bytes * s->vec <= 16) {
        assume_consecutive(s, pattern);
        find_runs(s);
        store_tested(s, v);
    } else {
        store_each(s, v);
    }
}

static void
store_value(struct site *s, const struct ptx_operand *from)
{
    LLVMValueRef v[8];
    if (s->fact.kind == FACT_SCALAR && !s->fact.pattern) {
        store_uniform(s, from);
        return;
    }
    for (unsigned e = 0; e < s->vec; e++)
        v[e] = core_value(s->c, s->i, from->kind == PTX_O_VECTOR ? &from->elements[e] : from,
                          s->bytes * 8, false);
    store_lanes(s, v);
}

/* v's lowest bytes into the word at shift. */
static LLVMValueRef
insert_bytes(struct site *word, LLVMValueRef v, unsigned bytes, LLVMValueRef shift)
{
    struct core *c = word->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef old, ones = core_splat(c, core_i32(c, (1u << 8 * bytes) - 1));
    load_value(word, &old);
    old = LLVMBuildAnd(b, old, LLVMBuildNot(b, LLVMBuildShl(b, ones, shift, ""), ""), "");
    v = LLVMBuildShl(b, LLVMBuildZExt(b, v, core_vector(c, 32), ""), shift, "");
    return LLVMBuildOr(b, old, v, "");
}

static void
store_words(struct site *s, const struct ptx_operand *o, const struct ptx_operand *from)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    unsigned bytes = s->bytes, words = (bytes + 3) / 4;
    struct site word = *s;
    word.bytes = 4;
    word.vec = 1;
    for (unsigned e = 0; e < s->vec; e++) {
        LLVMValueRef all = core_value(c, s->i, from->kind == PTX_O_VECTOR ? &from->elements[e] : from,
                                      8 * bytes, false);
        for (unsigned w = 0; w < words; w++) {
            LLVMValueRef v = all, shift;
            find_word(&word, o, e * bytes + 4 * w, &shift);
            if (bytes < 4)
                v = insert_bytes(&word, v, bytes, shift);
            if (words > 1) {
                LLVMValueRef down = LLVMConstInt(core_scalar(c, 8 * bytes), 32 * w, false);
                v = LLVMBuildTrunc(b, LLVMBuildLShr(b, v, core_splat(c, down), ""), core_vector(c, 32), "");
            }
            store_lanes(&word, &v);
        }
    }
}

static void
show_values(struct site *s, const struct ptx_operand *from)
{
    struct core *c = s->c;
    if (!(c->events & JIT_EVENT_GUARD))
        return;
    LLVMValueRef room = core_alloca(c, LLVMArrayType2(core_vector(c, s->bytes * 8), s->vec));
    for (unsigned e = 0; e < s->vec; e++) {
        const struct ptx_operand *o = from->kind == PTX_O_VECTOR ? &from->elements[e] : from;
        LLVMValueRef at[] = {core_i64(c, (uint64_t)e * s->bytes * LANES)};
        LLVMValueRef p = LLVMBuildGEP2(c->e.b, core_scalar(c, 8), room, at, 1, "");
        LLVMBuildStore(c->e.b, core_value(c, s->i, o, s->bytes * 8, false), p);
    }
    core_store_field(c, c->e.warp, FIELD(jit_warp, values), room);
}

static void
store_guarded(struct site *s, LLVMValueRef denied, const struct ptx_operand *from)
{
    struct core *c = s->c;
    LLVMValueRef v[8];
    bool scalar = s->fact.kind == FACT_SCALAR && !s->fact.pattern;
    if (!scalar)
        lane_addresses(s);
    for (unsigned e = 0; e < s->vec; e++)
        v[e] = core_value(c, s->i, from->kind == PTX_O_VECTOR ? &from->elements[e] : from,
                          s->bytes * 8, false);
    struct site few = *s;
    struct fork f = begin_fork(c, LLVMBuildICmp(c->e.b, LLVMIntEQ, denied, core_i32(c, 0), ""));
    store_value(s, from);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.slow);
    allow_some(&few, denied);
    if (!scalar)
        store_each(&few, v);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.join);
}

/* What goes to local memory races with nothing: its values are not shown. */
static void
store_words_watched(struct site *s, const struct ptx_operand *o, const struct ptx_operand *from)
{
    struct core *c = s->c;
    struct site told = *s, few = *s;
    if (c->events & JIT_EVENT_GUARD && core_sure(c, s->i, o, s->bytes * s->vec)) {
        store_words(s, o, from);
        return;
    }
    if (c->events & JIT_EVENT_ACCESS && !announce_words(s, o, JIT_STORE)) {
        find_address(&told, o);
        announce(&told, JIT_STORE);
    }
    LLVMValueRef denied = core_denied(c);
    if (!denied) {
        store_words(s, o, from);
        return;
    }
    struct fork f = begin_fork(c, LLVMBuildICmp(c->e.b, LLVMIntEQ, denied, core_i32(c, 0), ""));
    store_words(s, o, from);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.slow);
    allow_some(&few, denied);
    store_words(&few, o, from);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.join);
}

bool
core_store(struct core *c, const struct flow_insn *i)
{
    struct site s;
    const struct ptx_operand *to = &i->i.operand[0], *from = &i->i.operand[1];
    if (!begin_site(&s, c, i))
        return false;
    if (to->kind != PTX_O_ADDRESS) { /* a parameter slot in registers */
        for (unsigned e = 0; e < s.vec; e++) {
            const struct ptx_operand *o = from->kind == PTX_O_VECTOR ? &from->elements[e] : from;
            const struct ptx_operand *d = to->kind == PTX_O_VECTOR ? &to->elements[e] : to;
            bool scalar = d->kind == PTX_O_REG && core_reg_scalar(c, d->reg);
            core_write(c, i, d, core_value(c, i, o, s.bytes * 8, scalar), false);
        }
        return true;
    }
    if (in_words(&s, to)) {
        store_words_watched(&s, to, from);
        return true;
    }
    find_address(&s, to);
    show_values(&s, from);
    announce(&s, JIT_STORE);
    LLVMValueRef denied = core_denied(c);
    if (is_ordered(&i->i)) {
        core_combine_flush(c);
        core_fence(c, false);
    }
    if (denied)
        store_guarded(&s, denied, from);
    else
        store_value(&s, from);
    if (is_ordered(&i->i))
        core_fence(c, false);
    return true;
}

/* -- copies ------------------------------------------------------------------------------------------------- */

/* Lanes whose source is shorter than the copy: byte by byte, on top of the others' words. */
static void
read_parts(struct site *s, LLVMValueRef size, LLVMValueRef lanes, LLVMValueRef *words)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef all = LLVMArrayType2(core_vector(c, 32), s->vec), i32 = core_scalar(c, 32);
    LLVMValueRef out = core_alloca(c, LLVMArrayType2(i32, LANES * 4)), room = core_alloca(c, all);
    LLVMValueRef from = core_alloca(c, core_vector(c, 64));
    LLVMValueRef sizes = core_alloca(c, core_vector(c, 64));
    LLVMBasicBlockRef read = core_new_block(c, "parts"), done = core_new_block(c, "copied");
    for (unsigned e = 0; e < s->vec; e++) {
        LLVMValueRef at = core_i32(c, e);
        LLVMBuildStore(b, words[e], LLVMBuildGEP2(b, core_vector(c, 32), room, &at, 1, ""));
    }
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, lanes, core_i32(c, 0), ""), read, done);
    LLVMPositionBuilderAtEnd(b, read);
    LLVMBuildStore(b, lane_addresses(s), from);
    LLVMBuildStore(b, size, sizes);
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMTypeRef none = LLVMVoidTypeInContext(c->e.context);
    LLVMTypeRef types[] = {i32, ptr, ptr, ptr}, type = LLVMFunctionType(none, types, 4, false);
    LLVMValueRef f = LLVMGetNamedFunction(c->e.module, "lockstep_transfer_part");
    if (!f)
        f = LLVMAddFunction(c->e.module, "lockstep_transfer_part", type);
    LLVMValueRef args[] = {lanes, from, sizes, out};
    LLVMBuildCall2(b, type, f, args, 4, "");
    LLVMValueRef take = emit_bits_to_mask(&c->e, lanes);
    int32_t lane[LANES];
    for (int l = 0; l < LANES; l++)
        lane[l] = 16 * l;
    for (unsigned e = 0; e < s->vec; e++) {
        LLVMValueRef base = LLVMBuildPtrToInt(b, out, core_scalar(c, 64), "");
        LLVMValueRef at = core_spread(c, LLVMBuildAdd(b, base, core_i64(c, 4 * e), ""), lane);
        LLVMTypeRef vector = core_vector(c, 32);
        LLVMValueRef p = to_ptr(c, at), gather[] = {p, core_i32(c, 4), take, words[e]};
        LLVMTypeRef overloads[] = {vector, LLVMTypeOf(p)};
        LLVMValueRef v = masked(c, "llvm.masked.gather", overloads, 2, gather, 4), k = core_i32(c, e);
        LLVMBuildStore(b, v, LLVMBuildGEP2(b, vector, room, &k, 1, ""));
    }
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    for (unsigned e = 0; e < s->vec; e++) {
        LLVMValueRef at = core_i32(c, e);
        words[e] = LLVMBuildLoad2(b, core_vector(c, 32),
                                  LLVMBuildGEP2(b, core_vector(c, 32), room, &at, 1, ""), "");
    }
}

/* The words of the source; size: how many bytes of it there are, the rest is zero. */
static void
read_source(struct site *s, LLVMValueRef size, LLVMValueRef *words)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    if (!size) {
        load_value(s, words);
        for (unsigned e = 0; e < s->vec; e++) /* one address for all lanes gives one value */
            if (LLVMGetTypeKind(LLVMTypeOf(words[e])) != LLVMVectorTypeKind)
                words[e] = core_splat(c, words[e]);
        return;
    }
    LLVMValueRef whole = core_splat(c, core_i64(c, s->bytes * s->vec)), active = core_all_lanes(c);
    LLVMValueRef full = LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntUGE, size, whole, ""), active, "");
    LLVMValueRef some = LLVMBuildICmp(b, LLVMIntNE, size, LLVMConstNull(core_vector(c, 64)), "");
    some = LLVMBuildAnd(b, LLVMBuildAnd(b, some, active, ""), LLVMBuildNot(b, full, ""), "");
    lane_addresses(s);
    s->mask = full;
    s->base = NULL;
    s->firsts = NULL;
    s->fact = (struct fact){.kind = FACT_VECTOR, .segment = 1};
    load_value(s, words);
    for (unsigned e = 0; e < s->vec; e++)
        words[e] = LLVMBuildSelect(b, full, words[e], LLVMConstNull(core_vector(c, 32)), "");
    read_parts(s, size, emit_mask_to_bits(&c->e, some), words);
}

/* Announces one side of a copy, and keeps denied lanes from it. */
static void
announce_side(struct site *s, enum jit_access_op op)
{
    announce(s, op);
    if (!core_denied(s->c))
        return;
    s->lanes = allowed_addresses(s->c, lane_addresses(s));
    s->base = NULL;
    s->firsts = NULL;
    s->fact = (struct fact){.kind = FACT_VECTOR, .segment = 1};
}

/* Sources shorter than the copy, announced in pieces of 8, 4, 2 and 1 bytes: tools are told one size
 * for all lanes. */
static void
announce_parts(struct site *s, LLVMValueRef size, uint64_t whole)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    if (!(c->events & JIT_EVENT_ACCESS))
        return;
    LLVMValueRef part = LLVMBuildICmp(b, LLVMIntULT, size, core_splat(c, core_i64(c, whole)), "");
    part = LLVMBuildAnd(b, part, core_all_lanes(c), "");
    for (uint64_t bytes = whole / 2; bytes; bytes /= 2) {
        LLVMValueRef bit = LLVMBuildAnd(b, size, core_splat(c, core_i64(c, bytes)), "");
        LLVMValueRef some = LLVMBuildICmp(b, LLVMIntNE, bit, LLVMConstNull(LLVMTypeOf(bit)), "");
        LLVMValueRef skip = LLVMBuildAnd(b, size, core_splat(c, core_i64(c, ~(2 * bytes - 1))), "");
        struct site t = {.c = c, .i = s->i, .bytes = (unsigned)bytes, .vec = 1};
        t.lanes = LLVMBuildAdd(b, lane_addresses(s), skip, "");
        t.some = emit_mask_to_bits(&c->e, LLVMBuildAnd(b, some, part, ""));
        announce(&t, JIT_LOAD);
        LLVMValueRef denied = core_denied(c);
        LLVMValueRef kept = denied ? emit_bits_to_mask(&c->e, denied) : NULL;
        if (kept) /* what may not be read is not there */
            s->lanes = LLVMBuildSelect(b, kept, allowed_addresses(c, lane_addresses(s)), s->lanes, "");
    }
}

bool
core_copy(struct core *c, const struct flow_insn *i, unsigned bytes, LLVMValueRef size)
{
    struct flow_insn from = *i, to = *i;
    from.i.space = i->i.space2;
    struct site s = {.c = c, .i = &from, .bytes = 4, .vec = bytes / 4, .align = 1};
    s.mask = core_mask(c);
    struct site d = s;
    LLVMValueRef words[4];
    d.i = &to;
    find_address(&s, &i->i.operand[1]);
    find_address(&d, &i->i.operand[0]);
    if (size) {
        LLVMValueRef whole = core_splat(c, core_i64(c, bytes));
        s.some = emit_mask_to_bits(
            &c->e, LLVMBuildAnd(c->e.b, core_all_lanes(c),
                                LLVMBuildICmp(c->e.b, LLVMIntUGE, size, whole, ""), ""));
    }
    announce_side(&s, JIT_LOAD);
    if (size)
        announce_parts(&s, size, bytes);
    read_source(&s, size, words);
    announce_side(&d, JIT_STORE);
    store_lanes(&d, words);
    return true;
}
