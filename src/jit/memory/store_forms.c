/* SPDX-License-Identifier: Apache-2.0
 *
 * store_forms.c: stores in the forms of loads (load_forms.c); whole lines that are written once go
 * past the caches.
 */
#include "jit/memory/memory.h"

void
site_store_scalar(struct site *s, LLVMValueRef address, LLVMValueRef v, unsigned element)
{
    struct core *c = s->c;
    LLVMValueRef at = LLVMBuildAdd(c->e.b, address, core_i64(c, (uint64_t)element * s->bytes), "");
    LLVMSetAlignment(LLVMBuildStore(c->e.b, v, core_ptr(c, at)), s->align);
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
        return run == LANES ? v[0] : core_shuffle(c, v[0], NULL, k, run);
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
            part[e] = core_shuffle(c, part[2 * e], part[2 * e + 1], k, 2 * length);
    }
    for (unsigned l = 0; l < run; l++)
        for (unsigned e = 0; e < s->vec; e++)
            k[l * s->vec + e] = (int32_t)(e * LANES + first + l);
    return core_shuffle(c, part[0], NULL, k, run * s->vec);
}

static void
store_segments(struct site *s, LLVMValueRef *v)
{
    struct core *c = s->c;
    for (unsigned g = 0; g < LANES / s->runs.run; g++) {
        LLVMValueRef x = interleave(s, v, g * s->runs.run, s->runs.run);
        LLVMValueRef p = core_ptr(c, site_segment(s, g));
        if (!s->mask) {
            LLVMSetAlignment(LLVMBuildStore(c->e.b, x, p), s->align);
            continue;
        }
        LLVMTypeRef types[] = {LLVMTypeOf(x), LLVMTypeOf(p)};
        LLVMValueRef args[] = {x, p, core_i32(c, s->align),
                               site_mask_part(s, g * s->runs.run, s->runs.run)};
        emit_intrinsic(&c->e, "llvm.masked.store", types, 2, args, 4);
    }
}

/* -- past the caches -- */

LLVMValueRef
site_streams(struct core *c, unsigned bytes)
{
    LLVMValueRef least =
        core_load_field(c, c->in.launch_ptr, FIELD(jit_launch, streams), core_scalar(c, 32));
    LLVMValueRef below = LLVMBuildSub(c->e.b, least, core_i32(c, 1), ""); /* 0: none */
    return LLVMBuildICmp(c->e.b, LLVMIntULT, below, core_i32(c, bytes), "");
}

/* All lanes, and segments that begin with a line of the cache, in a launch that is large enough. */
static LLVMValueRef
streaming_now(struct site *s)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef low = site_segment(s, 0);
    for (unsigned g = 1; g < LANES / s->runs.run; g++)
        low = LLVMBuildOr(b, low, site_segment(s, g), "");
    LLVMValueRef bad = LLVMBuildAnd(b, low, core_i64(c, LINE - 1), "");
    LLVMValueRef on = site_streams(c, s->bytes * s->vec);
    LLVMValueRef cond = LLVMBuildAnd(b, LLVMBuildIsNull(b, bad, ""), on, "");
    if (!s->mask)
        return cond;
    LLVMValueRef all =
        LLVMBuildICmp(b, LLVMIntEQ, emit_mask_to_bits(&c->e, s->mask), core_i32(c, ~0u), "");
    return LLVMBuildAnd(b, cond, all, "");
}

static void
stream_segments(struct site *s, LLVMValueRef *v)
{
    struct core *c = s->c;
    unsigned kind = LLVMGetMDKindIDInContext(c->e.context, "nontemporal", 11);
    LLVMMetadataRef one = LLVMValueAsMetadata(core_i32(c, 1));
    LLVMValueRef node =
        LLVMMetadataAsValue(c->e.context, LLVMMDNodeInContext2(c->e.context, &one, 1));
    for (unsigned g = 0; g < LANES / s->runs.run; g++) {
        LLVMValueRef x = interleave(s, v, g * s->runs.run, s->runs.run);
        LLVMValueRef store = LLVMBuildStore(c->e.b, x, core_ptr(c, site_segment(s, g)));
        LLVMSetAlignment(store, LINE);
        LLVMSetMetadata(store, kind, node);
    }
}

static void
store_runs(struct site *s, LLVMValueRef *v, bool stream)
{
    struct core *c = s->c;
    if (!stream) {
        store_segments(s, v);
        return;
    }
    struct fork f = fork_begin(c, streaming_now(s));
    stream_segments(s, v);
    fork_other(c, &f);
    store_segments(s, v);
    fork_join(c, &f, 0, NULL, NULL, NULL);
}

/* -- fields of the lanes' records -- */

static void
store_fields(struct site *s, LLVMValueRef v)
{
    struct core *c = s->c;
    struct fields f;
    fields_find(&s->fact, s->bytes, &f);
    const unsigned elements = f.bytes / s->bytes;
    for (unsigned k = 0; k < f.vectors; k++) {
        int32_t from[LINE];
        LLVMValueRef on[LINE], at = core_i64(c, (uint64_t)(int64_t)f.start[k]);
        for (unsigned e = 0; e < elements; e++) {
            from[e] = -1;
            on[e] = LLVMConstNull(core_scalar(c, 1));
        }
        for (unsigned l = 0; l < LANES; l++)
            if (f.of[l] == k) {
                from[f.pick[l]] = (int32_t)l;
                on[f.pick[l]] = LLVMConstAllOnes(core_scalar(c, 1));
            }
        LLVMValueRef x = core_shuffle(c, v, NULL, from, elements);
        LLVMValueRef p = core_ptr(c, LLVMBuildAdd(c->e.b, site_segment(s, 0), at, ""));
        LLVMTypeRef types[] = {LLVMTypeOf(x), LLVMTypeOf(p)};
        LLVMValueRef args[] = {x, p, core_i32(c, s->align), LLVMConstVector(on, elements)};
        emit_intrinsic(&c->e, "llvm.masked.store", types, 2, args, 4);
    }
}

/* -- lane by lane -- */

/* A loop over the lanes that write: LLVM makes 32 branches of a scatter of bytes or halves. */
static void
scatter_small(struct site *s, LLVMValueRef at, LLVMValueRef v)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32), i64 = core_scalar(c, 64),
                element = core_scalar(c, s->bytes * 8);
    if (!c->memory.scatter_places) {
        c->memory.scatter_places = core_alloca(c, core_vector(c, 64));
        c->memory.scatter_values = core_alloca(c, core_vector(c, 16));
    }
    LLVMValueRef places = c->memory.scatter_places, values = c->memory.scatter_values;
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
    LLVMValueRef x =
        LLVMBuildLoad2(b, element, LLVMBuildGEP2(b, element, values, &lane, 1, ""), "");
    LLVMSetAlignment(LLVMBuildStore(b, x, core_ptr(c, place)), s->align);
    LLVMValueRef rest = LLVMBuildAnd(b, left, LLVMBuildSub(b, left, core_i32(c, 1), ""), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, rest, core_i32(c, 0), ""), after, loop);
    LLVMAddIncoming(left, (LLVMValueRef[]){all, rest}, (LLVMBasicBlockRef[]){before, loop}, 2);
    LLVMPositionBuilderAtEnd(b, after);
}

void
site_store_each(struct site *s, LLVMValueRef *v)
{
    struct core *c = s->c;
    for (unsigned e = 0; e < s->vec; e++) {
        if (s->bytes < 4 && s->mask) {
            LLVMValueRef more = core_splat(c, core_i64(c, (uint64_t)e * s->bytes));
            scatter_small(s, LLVMBuildAdd(c->e.b, site_lanes(s), more, ""), v[e]);
            continue;
        }
        LLVMValueRef p = site_pointers(s, e);
        LLVMTypeRef types[] = {LLVMTypeOf(v[e]), LLVMTypeOf(p)};
        LLVMValueRef mask = s->mask ? s->mask : LLVMConstAllOnes(core_vector(c, 1));
        LLVMValueRef args[] = {v[e], p, core_i32(c, s->align), mask};
        emit_intrinsic(&c->e, "llvm.masked.scatter", types, 2, args, 4);
    }
}

/* -- in the plan's form -- */

static void
store_form(struct site *s, const struct plan_way *w, LLVMValueRef *v)
{
    switch (w->form) {
    case PLAN_RUNS: store_runs(s, v, w->stream); break;
    case PLAN_FIELDS: store_fields(s, v[0]); break;
    case PLAN_KEPT: core_columns_store(s->c, s->i, site_lanes(s), v[0], s->mask); break;
    default: site_store_each(s, v);
    }
}

void
site_store_ways(struct site *s, const struct plan_way *w, LLVMValueRef *v)
{
    struct core *c = s->c;
    struct site on;
    if (site_store_shared(s, w, v, site_store_ways))
        return;
    if (w->test == PLAN_ALWAYS) {
        s->runs = w->runs;
        store_form(s, w, v);
        return;
    }
    struct fork f = site_fork_way(s, w, &on);
    store_form(&on, w, v);
    fork_other(c, &f);
    site_store_ways(s, w + 1, v);
    fork_join(c, &f, 0, NULL, NULL, NULL);
}

void
site_store(struct site *s, LLVMValueRef *v)
{
    struct plan p;
    site_plan(s, true, &p);
    site_store_ways(s, p.way, v);
}
