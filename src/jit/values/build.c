/* SPDX-License-Identifier: Apache-2.0
 *
 * build.c: values of a warp function by name: numbers, vectors, patterns, fields of the structs
 * that C and generated code share, calls of services.
 */
#include "jit/values/values.h"

#include <llvm-c/Analysis.h>
#include <string.h>
#include <math.h>
#include <stdio.h>

/* -- moving lanes ------------------------------------------------------------------------------ */

LLVMValueRef
core_load_i32(struct core *c, LLVMValueRef at)
{
    return LLVMBuildLoad2(c->e.b, core_scalar(c, 32), at, "");
}

LLVMValueRef
core_is_nonzero(struct core *c, LLVMValueRef v)
{
    return LLVMBuildICmp(c->e.b, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

/* -- types and constants ----------------------------------------------------------------------- */

LLVMTypeRef
core_scalar(struct core *c, unsigned bits)
{
    return LLVMIntTypeInContext(c->e.context, bits);
}

LLVMTypeRef
core_vector(struct core *c, unsigned bits)
{
    return LLVMVectorType(core_scalar(c, bits), LANES);
}

LLVMValueRef
core_i32(struct core *c, uint32_t v)
{
    return LLVMConstInt(core_scalar(c, 32), v, false);
}

LLVMValueRef
core_i64(struct core *c, uint64_t v)
{
    return LLVMConstInt(core_scalar(c, 64), v, false);
}

bool
core_is_vector(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

LLVMValueRef
core_splat(struct core *c, LLVMValueRef s)
{
    if (LLVMIsConstant(s)) {
        LLVMValueRef all[LANES];
        for (unsigned l = 0; l < LANES; l++)
            all[l] = s;
        return LLVMConstVector(all, LANES);
    }
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(s), LANES);
    LLVMValueRef one = LLVMBuildInsertElement(c->e.b, LLVMGetPoison(type), s, core_i32(c, 0), "");
    return LLVMBuildShuffleVector(c->e.b, one, LLVMGetPoison(type),
                                  LLVMConstNull(core_vector(c, 32)), "");
}

LLVMValueRef
core_pattern(struct core *c, const int32_t *pattern, unsigned bits)
{
    LLVMValueRef lane[LANES];
    for (unsigned l = 0; l < LANES; l++)
        lane[l] =
            LLVMConstInt(core_scalar(c, bits), (uint64_t)(int64_t)(pattern ? pattern[l] : 0), true);
    return LLVMConstVector(lane, LANES);
}

LLVMValueRef
core_spread(struct core *c, LLVMValueRef s, const int32_t *pattern)
{
    LLVMValueRef v = core_splat(c, s);
    if (!pattern)
        return v;
    return LLVMBuildAdd(c->e.b, v, core_pattern(c, pattern, LLVMGetIntTypeWidth(LLVMTypeOf(s))),
                        "");
}

LLVMValueRef
core_alloca(struct core *c, LLVMTypeRef type)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->e.b);
    LLVMValueRef first = LLVMGetFirstInstruction(c->entry);
    if (first)
        LLVMPositionBuilderBefore(c->e.b, first);
    else
        LLVMPositionBuilderAtEnd(c->e.b, c->entry);
    LLVMValueRef a = LLVMBuildAlloca(c->e.b, type, "");
    LLVMPositionBuilderAtEnd(c->e.b, here);
    return a;
}

LLVMValueRef
core_operands(struct core *c, LLVMValueRef *kept, size_t bytes)
{
    if (!*kept) {
        LLVMTypeRef line = LLVMVectorType(core_scalar(c, 64), 8);
        *kept = core_alloca(c, LLVMArrayType2(line, bytes / 64));
        LLVMSetAlignment(*kept, 256);
    }
    return *kept;
}

LLVMValueRef
core_in_memory(struct core *c, LLVMValueRef v)
{
    LLVMValueRef slot = core_alloca(c, LLVMTypeOf(v));
    LLVMBuildStore(c->e.b, v, slot);
    return slot;
}

LLVMValueRef
core_alloca_zero(struct core *c, LLVMTypeRef type)
{
    LLVMValueRef variable = core_alloca(c, type);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->e.b);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(c->entry);
    if (end)
        LLVMPositionBuilderBefore(c->e.b, end);
    else
        LLVMPositionBuilderAtEnd(c->e.b, c->entry);
    LLVMBuildStore(c->e.b, LLVMConstNull(type), variable);
    LLVMPositionBuilderAtEnd(c->e.b, here);
    return variable;
}

LLVMBasicBlockRef
core_new_block(struct core *c, const char *name)
{
    return LLVMAppendBasicBlockInContext(c->e.context, c->e.function, name);
}

LLVMValueRef
core_field_at(struct core *c, LLVMValueRef base, size_t offset)
{
    LLVMValueRef at = core_i64(c, offset);
    return LLVMBuildInBoundsGEP2(c->e.b, core_scalar(c, 8), base, &at, 1, "");
}

LLVMValueRef
core_load_field(struct core *c, LLVMValueRef base, size_t offset, LLVMTypeRef type)
{
    return LLVMBuildLoad2(c->e.b, type, core_field_at(c, base, offset), "");
}

void
core_store_field(struct core *c, LLVMValueRef base, size_t offset, LLVMValueRef v)
{
    LLVMBuildStore(c->e.b, v, core_field_at(c, base, offset));
}

LLVMValueRef
core_service(struct core *c, size_t offset, LLVMTypeRef result, LLVMValueRef *args, unsigned n)
{
    LLVMTypeRef types[12], ptr = LLVMPointerTypeInContext(c->e.context, 0);
    for (unsigned k = 0; k < n; k++)
        types[k] = LLVMTypeOf(args[k]);
    LLVMTypeRef type = LLVMFunctionType(result, types, n, false);
    LLVMValueRef f = core_load_field(c, c->e.services, offset, ptr);
    return LLVMBuildCall2(c->e.b, type, f, args, n, "");
}

void
core_trap(struct core *c, LLVMValueRef lanes, uint32_t kind, uint32_t place)
{
    LLVMValueRef args[] = {c->e.warp, lanes, core_i32(c, kind), core_i32(c, place)};
    core_service(c, FIELD(jit_services, trap), LLVMVoidTypeInContext(c->e.context), args, 4);
    LLVMBuildUnreachable(c->e.b);
}

/* -- vectors of other lengths than 32 -- */

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

LLVMValueRef
core_shuffle(struct core *c, LLVMValueRef a, LLVMValueRef b, const int32_t *v, unsigned n)
{
    if (!b)
        b = LLVMGetPoison(LLVMTypeOf(a));
    return LLVMBuildShuffleVector(c->e.b, a, b, int_vector(c, v, n), "");
}

/* Joins segment vectors of `run` lanes to one of 32. */
LLVMValueRef
core_concatenate(struct core *c, LLVMValueRef *part, unsigned parts, unsigned run)
{
    int32_t v[LANES];
    for (; parts > 1; parts /= 2, run *= 2) {
        for (unsigned k = 0; k < 2 * run; k++)
            v[k] = (int32_t)k;
        for (unsigned k = 0; k < parts / 2; k++)
            part[k] = core_shuffle(c, part[2 * k], part[2 * k + 1], v, 2 * run);
    }
    return part[0];
}

LLVMValueRef
core_ptr(struct core *c, LLVMValueRef address)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    if (LLVMGetTypeKind(LLVMTypeOf(address)) == LLVMVectorTypeKind)
        ptr = LLVMVectorType(ptr, LANES);
    return LLVMBuildIntToPtr(c->e.b, address, ptr, "");
}

LLVMValueRef
core_constant_bytes(struct core *c, const void *bytes, unsigned count, const char *name)
{
    LLVMValueRef all = LLVMConstStringInContext(c->e.context, bytes, count, true);
    LLVMValueRef g = LLVMAddGlobal(c->e.module, LLVMTypeOf(all), name);
    LLVMSetInitializer(g, all);
    LLVMSetGlobalConstant(g, true);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetAlignment(g, 8);
    return g;
}

/* -- what tools are told -- */

LLVMValueRef
core_constants(struct core *c, LLVMValueRef *word, uint32_t count, const char *name)
{
    LLVMValueRef k = LLVMConstArray2(core_scalar(c, 32), word, count);
    LLVMValueRef g = LLVMAddGlobal(c->e.module, LLVMTypeOf(k), name);
    LLVMSetInitializer(g, k);
    LLVMSetGlobalConstant(g, true);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    return g;
}

/* The offsets of the lanes as a constant of the module; NULL: all 0. */
LLVMValueRef
site_pattern(struct core *c, const int32_t *pattern)
{
    if (!pattern)
        return LLVMConstNull(LLVMPointerTypeInContext(c->e.context, 0));
    LLVMValueRef v[LANES];
    for (unsigned l = 0; l < LANES; l++)
        v[l] = core_i32(c, (uint32_t)pattern[l]);
    return core_constants(c, v, LANES, "pattern");
}

void
core_fence(struct core *c, bool strong)
{
    LLVMBuildFence(c->e.b,
                   strong ? LLVMAtomicOrderingSequentiallyConsistent
                          : LLVMAtomicOrderingAcquireRelease,
                   false, "");
}

void
core_mark_rare(struct core *c, LLVMValueRef branch)
{
    LLVMContextRef x = c->e.context;
    LLVMMetadataRef w[] = {LLVMMDStringInContext2(x, "branch_weights", 14),
                           LLVMValueAsMetadata(core_i32(c, 1)),
                           LLVMValueAsMetadata(core_i32(c, 100000))};
    LLVMMetadataRef node = LLVMMDNodeInContext2(x, w, 3);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(x, "prof", 4), LLVMMetadataAsValue(x, node));
}
