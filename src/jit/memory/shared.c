/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/shared.c: in quick code, accesses of which nothing is known but that their lanes may be
 * consecutive are calls: one function of the module for each kind, made when first asked for, with
 * the lanes' addresses, their mask and values as arguments. What tests and makes an access is some
 * 30 instructions of LLVM; a kernel that copies a matrix byte by byte had 2,560 of them, three
 * quarters of its code.
 */
#include "jit/memory/memory.h"

#include <stdio.h>

enum { MANY_RUNS = 4 };

/* Lanes that may be consecutive, or that lie in many runs or apart: then as if nothing were known
 * of them. By an index, the access is not much longer than a call of it. */
static bool
is_shared(struct site *s, const struct plan_way *w)
{
    if (!s->c->form.shares || s->index)
        return false;
    if (w->test == PLAN_ALWAYS)
        return (w->form == PLAN_EACH ||
                (w->form == PLAN_RUNS && LANES / w->runs.run >= MANY_RUNS)) &&
               site_lanes(s);
    return s->lanes && w[0].assumed && w[0].form == PLAN_RUNS && w[0].test == PLAN_COMPARED &&
           w[1].test == PLAN_ALWAYS && w[1].form == PLAN_EACH;
}

enum { MOST_STORED = 8, STORED = 8 * LANES }; /* vectors of a call; bytes of one */

/* Vectors that LLVM would not pass in registers: on the stack it wants them at multiples of 64, and
 * in quick code a function's own variables leave the stack at a multiple of 16. */
static bool
passes_memory(const struct site *s, bool store)
{
    enum { REGISTERS = 8, BYTES = 64 };
    return store && LANES * (8 + s->bytes * s->vec) > REGISTERS * BYTES;
}

static LLVMValueRef
stored_at(struct core *c, LLVMValueRef all, unsigned e)
{
    LLVMValueRef k = core_i64(c, (uint64_t)STORED * e);
    return LLVMBuildInBoundsGEP2(c->e.b, core_scalar(c, 8), all, &k, 1, "");
}

static LLVMValueRef
put_stored(struct site *s, const LLVMValueRef *v)
{
    struct core *c = s->c;
    if (!c->memory.stored) {
        c->memory.stored = core_alloca(c, LLVMArrayType2(core_scalar(c, 8), MOST_STORED * STORED));
        LLVMSetAlignment(c->memory.stored, STORED);
    }
    for (unsigned e = 0; e < s->vec; e++)
        LLVMBuildStore(c->e.b, v[e], stored_at(c, c->memory.stored, e));
    return c->memory.stored;
}

static void
make_body(const struct site *s, const struct plan_way *w, const struct core_outline *o, bool store,
          site_form *make)
{
    struct core *c = s->c;
    LLVMValueRef f = c->e.function, values[8];
    struct plan_way ways[2] = {w[0], w[1]};
    ways[0].stream = false;
    if (w->test == PLAN_ALWAYS)
        ways[0] = (struct plan_way){.form = PLAN_EACH, .test = PLAN_ALWAYS};
    struct site own = {.c = c,
                       .i = s->i,
                       .bytes = s->bytes,
                       .vec = s->vec,
                       .align = s->align,
                       .fact = {.kind = FACT_VECTOR, .segment = 1},
                       .lanes = LLVMGetParam(f, 0),
                       .mask = emit_bits_to_mask(&c->e, LLVMGetParam(f, 1))};
    for (unsigned e = 0; store && e < s->vec; e++)
        values[e] = passes_memory(s, true) ? LLVMBuildLoad2(c->e.b, core_vector(c, s->bytes * 8),
                                                            stored_at(c, LLVMGetParam(f, 2), e), "")
                                           : LLVMGetParam(f, 2 + e);
    c->form.shares = false;
    make(&own, ways, values);
    c->form.shares = true;
    core_outline_end(c, o, values, store ? 0 : s->vec);
}

/* The function is called as what it depends on: "access.load.1x4.1": bytes of an element, elements
 * of a lane, alignment. */
static LLVMValueRef
call(struct site *s, const struct plan_way *w, const LLVMValueRef *v, site_form *make)
{
    struct core *c = s->c;
    LLVMValueRef bits = s->mask ? emit_mask_to_bits(&c->e, s->mask) : core_i32(c, ~0u);
    LLVMValueRef args[10] = {s->lanes, bits};
    LLVMTypeRef types[10], results[8], result = LLVMVoidTypeInContext(c->e.context);
    struct core_outline o;
    char name[64];
    unsigned n = 2;
    if (passes_memory(s, v != NULL))
        args[n++] = put_stored(s, v);
    for (unsigned e = 0; v && e < s->vec && !passes_memory(s, true); e++)
        args[n++] = v[e];
    for (unsigned k = 0; k < n; k++)
        types[k] = LLVMTypeOf(args[k]);
    for (unsigned e = 0; e < s->vec; e++)
        results[e] = core_vector(c, s->bytes * 8);
    if (!v)
        result = LLVMStructTypeInContext(c->e.context, results, s->vec, false);
    LLVMTypeRef type = LLVMFunctionType(result, types, n, false);
    snprintf(name, sizeof name, "access.%s%s.%ux%u.%u", v ? "store" : "load",
             w->test == PLAN_ALWAYS ? ".each" : "", s->bytes, s->vec, s->align);
    emit_fired(&c->e, PASS_SHARED_ACCESSES, "a call");
    LLVMValueRef f = core_outline(c, name, type, &o);
    if (o.made)
        make_body(s, w, &o, v != NULL, make);
    return LLVMBuildCall2(c->e.b, type, f, args, n, "");
}

bool
site_load_shared(struct site *s, const struct plan_way *w, LLVMValueRef out[], site_form *make)
{
    if (!is_shared(s, w))
        return false;
    LLVMValueRef all = call(s, w, NULL, make);
    for (unsigned e = 0; e < s->vec; e++)
        out[e] = LLVMBuildExtractValue(s->c->e.b, all, e, "");
    return true;
}

bool
site_store_shared(struct site *s, const struct plan_way *w, LLVMValueRef *v, site_form *make)
{
    for (unsigned e = 0; e < s->vec; e++)
        if (LLVMTypeOf(v[e]) != core_vector(s->c, s->bytes * 8))
            return false;
    if (!is_shared(s, w))
        return false;
    call(s, w, v, make);
    return true;
}
