/* SPDX-License-Identifier: Apache-2.0
 *
 * post/address.c: which memory an address of generated code leads to, by the loads and sums that it
 * is made of.
 */
#include "jit/post/post.h"

#include <string.h>
#include "jit/build/value.h"

#include <stddef.h>

enum {
    DEEPEST = 24,      /* of an address, */
    MOST_INCOMING = 4, /*   that from several blocks joins */
};

static struct address resolve(LLVMTargetDataRef layout, LLVMValueRef v, unsigned depth);

static bool
is_number(LLVMValueRef v, uint64_t *out)
{
    if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
        return false;
    *out = (uint64_t)LLVMConstIntGetSExtValue(v);
    return true;
}

/* Memory that a pointer leads to which lies in memory of the engine itself. */
static enum root
pointee(const struct address *a)
{
    switch (a->root) {
    case ROOT_WARP: /* of any of the block's warps: no field is the shared memory's address */
        if (!a->known || a->offset % sizeof(struct jit_warp) != offsetof(struct jit_warp, block))
            return ROOT_OWN;
        return ROOT_BLOCK;
    case ROOT_BLOCK:
        if (a->known && a->offset == offsetof(struct jit_block, shared))
            return ROOT_SHARED;
        if (a->known && a->offset == offsetof(struct jit_block, launch))
            return ROOT_LAUNCH;
        return a->known && a->offset == offsetof(struct jit_block, local) ? ROOT_OWN : ROOT_OTHER;
    case ROOT_LAUNCH:
        return a->known && a->offset == offsetof(struct jit_launch, params) ? ROOT_OWN : ROOT_OTHER;
    default: return ROOT_OTHER;
    }
}

/* The sum of an address and something that is no number. */
static struct address
resolve_sum(LLVMTargetDataRef layout, LLVMValueRef a, LLVMValueRef b, unsigned depth)
{
    struct address x = resolve(layout, a, depth), y = resolve(layout, b, depth);
    if (x.root != ROOT_OTHER && y.root != ROOT_OTHER)
        return (struct address){.root = ROOT_OTHER};
    return (struct address){.root = x.root == ROOT_OTHER ? y.root : x.root};
}

static struct address
resolve_gep(LLVMTargetDataRef layout, LLVMValueRef v, unsigned depth)
{
    struct address a = resolve(layout, LLVMGetOperand(v, 0), depth);
    uint64_t n = 0;
    a.known &= LLVMGetNumOperands(v) == 2 && is_number(LLVMGetOperand(v, 1), &n);
    a.offset += n * LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(v));
    return a;
}

/* The same address from wherever one comes: LLVM joins sums that it made twice. */
static struct address
resolve_phi(LLVMTargetDataRef layout, LLVMValueRef v, unsigned depth)
{
    struct address a = {.root = ROOT_OTHER};
    unsigned n = LLVMCountIncoming(v);
    if (n > MOST_INCOMING)
        return a;
    for (unsigned k = 0; k < n; k++) {
        struct address x = resolve(layout, LLVMGetIncomingValue(v, k), depth + DEEPEST / 4);
        if (k && (x.root != a.root || x.known != a.known || x.offset != a.offset))
            return (struct address){.root = ROOT_OTHER};
        a = x;
    }
    return a;
}

static struct address
resolve_instruction(LLVMTargetDataRef layout, LLVMValueRef v, unsigned depth)
{
    struct address a = {.root = ROOT_OTHER};
    uint64_t n;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMIntToPtr:
    case LLVMPtrToInt: return resolve(layout, LLVMGetOperand(v, 0), depth);
    case LLVMGetElementPtr: return resolve_gep(layout, v, depth);
    case LLVMOr:
        if (!LLVMGetIsDisjoint(v))
            return a;
        [[fallthrough]];
    case LLVMAdd:
        if (!is_number(LLVMGetOperand(v, 1), &n))
            return resolve_sum(layout, LLVMGetOperand(v, 0), LLVMGetOperand(v, 1), depth);
        a = resolve(layout, LLVMGetOperand(v, 0), depth);
        a.offset += n;
        return a;
    case LLVMLoad:
        if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind) {
            struct address from = resolve(layout, LLVMGetOperand(v, 0), depth);
            return (struct address){.root = pointee(&from), .known = true};
        }
        return a;
    case LLVMPHI: return resolve_phi(layout, v, depth);
    case LLVMAlloca: return (struct address){.root = ROOT_OWN};
    default: return a;
    }
}

static struct address
resolve(LLVMTargetDataRef layout, LLVMValueRef v, unsigned depth)
{
    if (LLVMTypeOf(v) && LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind)
        return (struct address){.root = ROOT_OTHER};
    if (LLVMIsAArgument(v)) /* the only one */
        return (struct address){.root = ROOT_WARP, .known = true};
    if (LLVMIsAGlobalVariable(v))
        return (struct address){.root = ROOT_OWN};
    if (!LLVMIsAInstruction(v) || depth >= DEEPEST)
        return (struct address){.root = ROOT_OTHER};
    return resolve_instruction(layout, v, depth + 1);
}

struct address
address_resolve(LLVMTargetDataRef layout, LLVMValueRef v)
{
    return resolve(layout, v, 0);
}

unsigned
element_bytes(LLVMTypeRef t)
{
    if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
        t = LLVMGetElementType(t);
    switch (LLVMGetTypeKind(t)) {
    case LLVMFloatTypeKind: return 4;
    case LLVMDoubleTypeKind: return 8;
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(t) == 32 ? 4 : LLVMGetIntTypeWidth(t) == 64 ? 8 : 0;
    default: return 0;
    }
}

unsigned
element_count(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
}

bool
calls_intrinsic(LLVMValueRef v, const char *name)
{
    LLVMValueRef f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
    unsigned id = f && LLVMIsAFunction(f) ? LLVMGetIntrinsicID(f) : 0;
    return id && id == LLVMLookupIntrinsicID(name, strlen(name));
}
