/* SPDX-License-Identifier: Apache-2.0
 *
 * load_forms.c: loads in the form that the site allows. What is known of the address decides, the best first:
 *
 *   uniform            one scalar access
 *   runs               lanes fall into segments, each one address (broadcast) or consecutive ones:
 *                      one scalar or vector access a segment; equal segments are loaded once
 *   strides            of shared memory: the vectors that lie around the words, permuted
 *   runs, to be tested the same, when a comparison of all addresses says so; else one by one
 *   anything           consecutive if a comparison says so; else gather
 *
 * Measured on AVX-512: a vector load of 32 floats takes 1.4 ns, a gather 34 (docs/decisions).
 */
#include "jit/memory/memory.h"

#include "jit/build/value.h"

#include <string.h>

LLVMValueRef
site_load_scalar(struct site *s, LLVMValueRef address, unsigned element)
{
    struct core *c = s->c;
    LLVMValueRef at = LLVMBuildAdd(c->e.b, address, core_i64(c, (uint64_t)element * s->bytes), "");
    LLVMValueRef v = LLVMBuildLoad2(c->e.b, core_scalar(c, s->bytes * 8), core_ptr(c, at), "");
    LLVMSetAlignment(v, s->align);
    return v;
}

LLVMValueRef
site_load_consecutive(struct site *s, LLVMValueRef address, unsigned first, unsigned run)
{
    struct core *c = s->c;
    LLVMTypeRef type = LLVMVectorType(core_scalar(c, s->bytes * 8), run * s->vec);
    LLVMValueRef p = core_ptr(c, address);
    if (!s->mask) {
        LLVMValueRef v = LLVMBuildLoad2(c->e.b, type, p, "");
        LLVMSetAlignment(v, s->align);
        return v;
    }
    LLVMTypeRef types[] = {type, LLVMTypeOf(p)};
    LLVMValueRef args[] = {p, core_i32(c, s->align), site_mask_part(s, first, run),
                           LLVMConstNull(type)};
    return emit_intrinsic(&c->e, "llvm.masked.load", types, 2, args, 4);
}

/* An address that may be read even if no lane of the segment is active. */
static LLVMValueRef
safe_address(struct site *s, LLVMValueRef address, unsigned first, unsigned run)
{
    struct core *c = s->c;
    if (!s->mask)
        return address;
    LLVMValueRef spare = LLVMBuildPtrToInt(c->e.b, c->e.warp, core_scalar(c, 64), "");
    return LLVMBuildSelect(c->e.b, site_any(s, first, run), address, spare, "");
}

void
site_load_runs(struct site *s, LLVMValueRef out[])
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
        LLVMValueRef at = site_segment(s, g);
        if (s->broadcast[g]) {
            at = safe_address(s, at, g * s->run, s->run);
            for (unsigned e = 0; e < s->vec; e++) {
                LLVMValueRef x = site_load_scalar(s, at, e);
                LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(x), s->run);
                x = LLVMBuildInsertElement(c->e.b, LLVMGetPoison(type), x, core_i32(c, 0), "");
                memset(v, 0, sizeof v);
                part[e][g] = core_shuffle(c, x, NULL, v, s->run);
            }
            continue;
        }
        LLVMValueRef all = site_load_consecutive(s, at, g * s->run, s->run);
        for (unsigned e = 0; e < s->vec; e++) {
            for (unsigned l = 0; l < s->run; l++)
                v[l] = (int32_t)(l * s->vec + e);
            part[e][g] = s->vec == 1 ? all : core_shuffle(c, all, NULL, v, s->run);
        }
    }
    for (unsigned e = 0; e < s->vec; e++)
        out[e] = core_concatenate(c, part[e], parts, s->run);
}

/* Bytes and halves out of the aligned words they lie in: the processor gathers no smaller ones, and
 * LLVM makes 32 branches of each such gather, in time that grows with the square of their number.
 */
static LLVMValueRef
gather_small(struct site *s, LLVMValueRef at, LLVMValueRef mask)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef low = core_splat(c, core_i64(c, 3));
    LLVMValueRef p = core_ptr(c, LLVMBuildAnd(b, at, LLVMBuildNot(b, low, ""), ""));
    LLVMTypeRef word = core_vector(c, 32), types[] = {word, LLVMTypeOf(p)};
    LLVMValueRef args[] = {p, core_i32(c, 4), mask, LLVMConstNull(word)};
    LLVMValueRef words = emit_intrinsic(&c->e, "llvm.masked.gather", types, 2, args, 4);
    LLVMValueRef bits = LLVMBuildTrunc(b, LLVMBuildAnd(b, at, low, ""), word, "");
    bits = LLVMBuildShl(b, bits, core_splat(c, core_i32(c, 3)), "");
    return LLVMBuildTrunc(b, LLVMBuildLShr(b, words, bits, ""), core_vector(c, s->bytes * 8), "");
}

void
site_load_each(struct site *s, LLVMValueRef out[])
{
    struct core *c = s->c;
    LLVMTypeRef type = core_vector(c, s->bytes * 8);
    for (unsigned e = 0; e < s->vec; e++) {
        LLVMValueRef mask = s->mask ? s->mask : LLVMConstAllOnes(core_vector(c, 1));
        if (s->bytes < 4 && s->align >= s->bytes) {
            LLVMValueRef more = core_splat(c, core_i64(c, (uint64_t)e * s->bytes));
            out[e] = gather_small(s, LLVMBuildAdd(c->e.b, site_lanes(s), more, ""), mask);
            continue;
        }
        LLVMValueRef p = site_pointers(s, e);
        LLVMTypeRef types[] = {type, LLVMTypeOf(p)};
        LLVMValueRef args[] = {p, core_i32(c, s->align), mask, LLVMConstNull(type)};
        out[e] = emit_intrinsic(&c->e, "llvm.masked.gather", types, 2, args, 4);
    }
}

static void
load_tested(struct site *s, LLVMValueRef out[])
{
    struct core *c = s->c;
    LLVMValueRef fast[8], slow[8];
    struct fork f = site_fork(s);
    struct site sure = site_sure(s);
    site_load_runs(&sure, fast);
    f.fast_end = LLVMGetInsertBlock(c->e.b);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.slow);
    site_load_each(s, slow);
    f.slow_end = LLVMGetInsertBlock(c->e.b);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.join);
    fork_join(c, &f, s->vec, fast, slow, out);
}

/* Words of half a warp that lie up to WINDOW vectors of 16 apart: those vectors are loaded and the
 * words picked out of them. False: another pattern. */
static bool
load_half(struct site *s, unsigned first, LLVMValueRef *out)
{
    enum { HALF = LANES / 2, WINDOW = 4, WORD = 4 };
    struct core *c = s->c;
    int32_t low = INT32_MAX, high = INT32_MIN, pick[2][HALF], blend[HALF];
    LLVMValueRef v[WINDOW], pair[2] = {NULL, NULL};
    for (unsigned l = first; l < first + HALF; l++) {
        low = site_offset(s, l) < low ? site_offset(s, l) : low;
        high = site_offset(s, l) > high ? site_offset(s, l) : high;
    }
    int32_t words = (high - low) / WORD + 1;
    if (words <= HALF || words > WINDOW * HALF)
        return false;
    for (unsigned l = 0; l < HALF; l++) {
        int32_t from = site_offset(s, first + l) - low, at = from / WORD / HALF, start = at * HALF;
        if (from % WORD)
            return false;
        start =
            start + HALF > words ? words - HALF : start; /* nothing beyond the last lane is read */
        for (int p = 0; p < 2; p++)
            pick[p][l] = at / 2 == p ? from / WORD - start + at % 2 * HALF : -1;
        blend[l] = (int32_t)l + at / 2 * HALF;
    }
    unsigned count = (unsigned)(words + HALF - 1) / HALF;
    for (unsigned k = 0; k < count; k++) {
        int32_t start = (int32_t)k * HALF + HALF > words ? words - HALF : (int32_t)k * HALF;
        LLVMValueRef at = core_i64(c, (uint64_t)(int64_t)(low + start * WORD));
        v[k] = site_load_consecutive(s, LLVMBuildAdd(c->e.b, s->base, at, ""), 0, HALF);
    }
    for (unsigned p = 0; 2 * p < count; p++)
        pair[p] = core_shuffle(c, v[2 * p], 2 * p + 1 < count ? v[2 * p + 1] : NULL, pick[p], HALF);
    *out = pair[1] ? core_shuffle(c, pair[0], pair[1], blend, HALF) : pair[0];
    return true;
}

/* Columns of a tile, some words apart: a gather takes 34 ns, four loads and three permutations 3.
 * Only of shared memory, where what lies between the lanes' words may be read, too. */
static bool
load_strided(struct site *s, LLVMValueRef *out)
{
    LLVMValueRef half[2];
    if (!emit_on(&s->c->e, PASS_STRIDED_LOADS) || !s->base || s->fact.guess || s->mask || s->bytes != 4 || s->vec != 1 ||
        s->i->i.space != PTX_SPACE_SHARED || !host_has_avx512(&s->c->e))
        return false;
    bool same = true;
    for (unsigned l = 0; l < LANES / 2; l++)
        same &= site_offset(s, l) == site_offset(s, l + LANES / 2);
    if (!load_half(s, 0, &half[0]))
        return false;
    half[1] = half[0];
    if (!same && !load_half(s, LANES / 2, &half[1]))
        return false;
    *out = core_concatenate(s->c, half, 2, LANES / 2);
    emit_fired(&s->c->e, PASS_STRIDED_LOADS, "vectors around the words, permuted");
    return true;
}

static bool
load_together(struct site *s, LLVMValueRef out[])
{
    struct core *c = s->c;
    struct site sure, other;
    LLVMValueRef fast[8], slow[8];
    if (!site_together(s, &sure, &other))
        return false;
    struct fork f = fork_begin(c, s->together);
    site_load_runs(&sure, fast);
    f.fast_end = LLVMGetInsertBlock(c->e.b);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.slow);
    site_load(&other, slow);
    f.slow_end = LLVMGetInsertBlock(c->e.b);
    LLVMBuildBr(c->e.b, f.join);
    LLVMPositionBuilderAtEnd(c->e.b, f.join);
    fork_join(c, &f, s->vec, fast, slow, out);
    return true;
}

void
site_load(struct site *s, LLVMValueRef out[])
{
    int32_t pattern[LANES];
    if (load_together(s, out))
        return;
    if (s->fact.kind == FACT_SCALAR && !s->fact.pattern) {
        if (s->i->i.space != PTX_SPACE_PARAM)
            emit_fired(&s->c->e, PASS_ACCESS_PLAN, "one scalar: all lanes read one address");
        for (unsigned e = 0; e < s->vec; e++)
            out[e] = site_load_scalar(s, s->base, e);
        return;
    }
    if (s->fact.segment >= 4 && site_runs(s)) {
        site_remark_runs(s);
        if (s->fact.guess)
            load_tested(s, out);
        else
            site_load_runs(s, out);
        return;
    }
    if (load_strided(s, out))
        return;
    if (site_may_be_consecutive(s)) {
        site_assume_consecutive(s, pattern);
        site_runs(s);
        load_tested(s, out);
        return;
    }
    emit_missed(&s->c->e, PASS_ACCESS_PLAN, "lane by lane (gather): %s", site_disorder(s));
    site_load_each(s, out);
}
