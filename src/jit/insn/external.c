/* SPDX-License-Identifier: Apache-2.0
 *
 * external.c: calls of functions without a body: mathematics, printf, malloc and others that exec
 * implements (jit_externals.def).
 */
#include "jit/insn/insn.h"

#include "jit/memory/memory.h"
#include "jit/ops/ops.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- calls ------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint8_t result;
    const char *params;
} externals[] = {
#define EXTERNAL(name, text, result, params) {text, result, params},
#include "jit/jit_externals.def"
#undef EXTERNAL
};

bool
core_known_function(const char *name)
{
    for (unsigned k = 0; k < JIT_EXTERNAL_COUNT; k++)
        if (!strcmp(externals[k].name, name))
            return true;
    return emit_math_known(name);
}

bool
jit_knows_function(const char *name)
{
    return core_known_function(name);
}

static bool
emit_external(struct core *c, const struct wir_insn *i, unsigned which,
              const struct ptx_operand *results, const struct ptx_operand *args)
{
    LLVMBuilderRef b = c->e.b;
    size_t n = strlen(externals[which].params), room = 0, at = 0;
    if ((args ? args->count : 0) != n)
        return emit_fail(&c->e, "%s takes %zu arguments", externals[which].name, n);
    for (size_t k = 0; k < n; k++)
        room += LANES * (size_t)(externals[which].params[k] - '0');
    LLVMValueRef in = core_alloca(c, LLVMArrayType2(core_scalar(c, 64), room / 8 + 1));
    LLVMValueRef out = core_alloca(c, LLVMArrayType2(core_scalar(c, 64), LANES));
    for (size_t k = 0; k < n; k++) {
        unsigned bytes = (unsigned)(externals[which].params[k] - '0');
        LLVMValueRef v = core_value(c, i, &args->elements[k], bytes * 8, false);
        LLVMSetAlignment(LLVMBuildStore(b, v, core_field_at(c, in, at)), 8);
        at += (size_t)LANES * bytes;
    }
    core_combine_flush(c);
    LLVMValueRef call[] = {
        c->e.warp, core_mask_bits(c), core_i32(c, which), core_i32(c, i->place), in, out};
    core_service(c, FIELD(jit_services, external), LLVMVoidTypeInContext(c->e.context), call, 6);
    if (results && results->count && externals[which].result) {
        LLVMValueRef v = LLVMBuildLoad2(b, core_vector(c, externals[which].result * 8u), out, "");
        LLVMSetAlignment(v, 8);
        core_write(c, i, &results->elements[0], v, false);
    }
    return true;
}

/* The list of arguments behind the pointer at operand k. */
static const struct ptx_operand *
results_behind(const struct ptx_insn *p, unsigned k)
{
    for (k++; k < p->operand_count; k++)
        if (p->operand[k].kind == PTX_O_LIST)
            return &p->operand[k];
    return NULL;
}

/* Mathematics that stores results through pointers, as accesses. */
static void
announce_results(struct core *c, const struct wir_insn *i, const char *name, const LLVMValueRef *in,
                 unsigned n)
{
    static const struct {
        const char *part;
        uint8_t first, count, bytes; /* bytes 0: as wide as the argument */
    } stores[] = {{"sincos", 1, 2, 0}, {"modf", 1, 1, 0}, {"frexp", 1, 1, 4}, {"remquo", 2, 1, 4}};
    for (size_t k = 0; k < sizeof stores / sizeof *stores && i->tells & TELL_ACCESS; k++) {
        const char *part = strstr(name, stores[k].part); /* fmodf is not modf */
        if (!part || (part > name && part[-1] != '_') || n < stores[k].first + stores[k].count)
            continue;
        LLVMTypeRef t = LLVMTypeOf(in[0]);
        t = LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
        unsigned wide = LLVMGetTypeKind(t) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(t) / 8 : 8;
        for (unsigned a = stores[k].first; a < stores[k].first + stores[k].count; a++)
            core_announce_access(c, i, in[a], stores[k].bytes ? stores[k].bytes : wide, JIT_STORE);
    }
}

/* What an argument of a call was set to before it in its block, where that is a number; else the
 * argument itself. */
static const struct ptx_operand *
argument_number(const struct core *c, const struct wir_insn *call, const struct ptx_operand *o)
{
    const struct wir_insn *i =
        o->kind == PTX_O_REG
            ? wir_maker_before(c->wir, c->now.current, o->reg, wir_index(c->wir, call))
            : NULL;
    if (!i || (i->i.op != PTX_OP_MOV && i->i.op != PTX_OP_ST) || i->i.operand[0].kind != PTX_O_REG)
        return o;
    const struct ptx_operand *from = &i->i.operand[1];
    return from->kind == PTX_O_INT || from->kind == PTX_O_FLOAT ? from : o;
}

bool
core_external_call(struct core *c, const struct wir_insn *i)
{
    const struct ptx_insn *p = &i->i;
    const struct ptx_operand *results = NULL, *args = NULL, *target = NULL;
    for (unsigned k = 0; k < p->operand_count; k++) {
        if (p->operand[k].kind == PTX_O_FUNC)
            target = &p->operand[k];
        else if (p->operand[k].kind == PTX_O_LIST && !target)
            results = &p->operand[k];
        else if (p->operand[k].kind == PTX_O_LIST)
            args = &p->operand[k];
    }
    if (!target)
        for (unsigned k = 0; k < p->operand_count; k++)
            if (p->operand[k].kind == PTX_O_REG)
                return core_call(c, i,
                                 k && p->operand[0].kind == PTX_O_LIST ? &p->operand[0] : NULL,
                                 &p->operand[k], args ? args : results_behind(p, k));
    if (target->func->has_body)
        return core_call(c, i, results, target, args);
    const char *name = target->func->name;
    for (unsigned k = 0; k < JIT_EXTERNAL_COUNT; k++)
        if (!strcmp(externals[k].name, name))
            return emit_external(c, i, k, results, args);
    LLVMValueRef in[8] = {0}, out[8] = {0};
    unsigned n = 0;
    bool scalar = results && results->count && core_destination_scalar(c, results);
    c->e.lanes = scalar ? 1 : LANES;
    c->e.mask = scalar ? NULL : core_mask(c);
    for (uint32_t k = 0; args && k < args->count && n < 8; k++) {
        const struct ptx_operand *o = &args->elements[k];
        unsigned bits = o->kind == PTX_O_REG ? core_reg_bits(c, o->reg) : 32;
        o = argument_number(c, i, o);
        in[n++] = core_value(c, i, o, bits, scalar);
    }
    c->e.mask_bits = core_mask_bits(c);
    announce_results(c, i, name, in, n);
    if (!emit_math(&c->e, name, in, n, out))
        return false;
    for (uint32_t k = 0; results && k < results->count; k++)
        if (out[k])
            core_write(c, i, &results->elements[k], out[k], false);
    return true;
}
