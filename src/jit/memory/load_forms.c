/* SPDX-License-Identifier: Apache-2.0
 *
 * load_forms.c: loads in the forms of their plans (plans/forms.def): one scalar, runs, strides,
 * lane by lane; a way of a plan that holds under a test is a fork.
 *
 * Measured on AVX-512: a vector load of 32 floats takes 1.4 ns, a gather 34 (docs/decisions).
 */
#include "jit/memory/memory.h"

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

/* Lanes first..first+run, side by side from the address on. */
static LLVMValueRef
load_consecutive(struct site *s, LLVMValueRef address, unsigned first, unsigned run)
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
    unsigned parts = LANES / s->runs.run;
    LLVMValueRef part[8][LANES];
    int32_t v[LANES];
    for (unsigned g = 0; g < parts; g++) {
        /* The same addresses again (rows of a tile read by several rows of threads)? */
        unsigned same = g;
        for (unsigned h = 0; s->base && !s->mask && h < g; h++)
            if (s->runs.start[h] == s->runs.start[g] &&
                s->runs.broadcast[h] == s->runs.broadcast[g])
                same = h;
        if (same < g) {
            for (unsigned e = 0; e < s->vec; e++)
                part[e][g] = part[e][same];
            continue;
        }
        LLVMValueRef at = site_segment(s, g);
        if (s->runs.broadcast[g]) {
            at = safe_address(s, at, g * s->runs.run, s->runs.run);
            for (unsigned e = 0; e < s->vec; e++) {
                LLVMValueRef x = site_load_scalar(s, at, e);
                LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(x), s->runs.run);
                x = LLVMBuildInsertElement(c->e.b, LLVMGetPoison(type), x, core_i32(c, 0), "");
                memset(v, 0, sizeof v);
                part[e][g] = core_shuffle(c, x, NULL, v, s->runs.run);
            }
            continue;
        }
        LLVMValueRef all = load_consecutive(s, at, g * s->runs.run, s->runs.run);
        for (unsigned e = 0; e < s->vec; e++) {
            for (unsigned l = 0; l < s->runs.run; l++)
                v[l] = (int32_t)(l * s->vec + e);
            part[e][g] = s->vec == 1 ? all : core_shuffle(c, all, NULL, v, s->runs.run);
        }
    }
    for (unsigned e = 0; e < s->vec; e++)
        out[e] = core_concatenate(c, part[e], parts, s->runs.run);
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

/* Words of half a warp out of the vectors around them. */
static LLVMValueRef
load_half(struct site *s, unsigned first)
{
    struct core *c = s->c;
    struct strided h;
    LLVMValueRef v[STRIDED_VECTORS], pair[2] = {NULL, NULL};
    strided_find(&s->fact, first, &h);
    for (unsigned k = 0; k < h.vectors; k++) {
        LLVMValueRef at = core_i64(c, (uint64_t)(int64_t)(h.low + h.start[k] * 4));
        v[k] = load_consecutive(s, LLVMBuildAdd(c->e.b, s->base, at, ""), 0, STRIDED_HALF);
    }
    for (unsigned p = 0; 2 * p < h.vectors; p++)
        pair[p] = core_shuffle(c, v[2 * p], 2 * p + 1 < h.vectors ? v[2 * p + 1] : NULL, h.pick[p],
                               STRIDED_HALF);
    return pair[1] ? core_shuffle(c, pair[0], pair[1], h.blend, STRIDED_HALF) : pair[0];
}

static LLVMValueRef
load_strided(struct site *s)
{
    LLVMValueRef half[2] = {load_half(s, 0), NULL};
    half[1] = strided_alike(&s->fact) ? half[0] : load_half(s, STRIDED_HALF);
    return core_concatenate(s->c, half, 2, STRIDED_HALF);
}

/* A field of the lanes' records. */
static LLVMValueRef
load_fields(struct site *s)
{
    struct core *c = s->c;
    struct fields f;
    LLVMValueRef out = NULL, v[2];
    fields_find(&s->fact, s->bytes, &f);
    const unsigned elements = f.bytes / s->bytes;
    for (unsigned k = 0; k < f.vectors; k += 2) {
        const unsigned n = k + 1 < f.vectors ? 2 : 1;
        int32_t pick[LANES], blend[LANES];
        for (unsigned m = 0; m < n; m++) {
            LLVMValueRef at = core_i64(c, (uint64_t)(int64_t)f.start[k + m]);
            at = LLVMBuildAdd(c->e.b, site_segment(s, 0), at, "");
            v[m] = load_consecutive(s, at, 0, elements);
        }
        for (unsigned l = 0; l < LANES; l++) {
            bool here = f.of[l] / 2 == k / 2;
            pick[l] = here ? f.pick[l] + (int32_t)(f.of[l] % 2 * elements) : -1;
            blend[l] = (int32_t)(here ? LANES + l : l);
        }
        LLVMValueRef two = core_shuffle(c, v[0], n == 2 ? v[1] : NULL, pick, LANES);
        out = out ? core_shuffle(c, out, two, blend, LANES) : two;
    }
    return out;
}

static void
load_form(struct site *s, const struct plan_way *w, LLVMValueRef out[])
{
    switch (w->form) {
    case PLAN_SCALAR:
        for (unsigned e = 0; e < s->vec; e++)
            out[e] = site_load_scalar(s, s->base, e);
        break;
    case PLAN_RUNS: site_load_runs(s, out); break;
    case PLAN_FIELDS: *out = load_fields(s); break;
    case PLAN_STRIDED: *out = load_strided(s); break;
    default: site_load_each(s, out);
    }
}

void
site_load_ways(struct site *s, const struct plan_way *w, LLVMValueRef out[])
{
    struct core *c = s->c;
    LLVMValueRef fast[8], slow[8];
    struct site on;
    if (site_load_shared(s, w, out, site_load_ways))
        return;
    if (w->test == PLAN_ALWAYS) {
        s->runs = w->runs;
        load_form(s, w, out);
        return;
    }
    struct fork f = site_fork_way(s, w, &on);
    load_form(&on, w, fast);
    fork_other(c, &f);
    site_load_ways(s, w + 1, slow);
    fork_join(c, &f, s->vec, fast, slow, out);
}

void
site_load(struct site *s, LLVMValueRef out[])
{
    struct plan p;
    site_plan(s, false, &p);
    site_load_ways(s, p.way, out);
}
