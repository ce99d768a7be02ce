/* SPDX-License-Identifier: Apache-2.0
 *
 * post/private.c: whether an address leads to memory that only one warp's function sees, by the
 * terms of the sum that it is.
 */
#include "jit/post/post.h"
#include "jit/build/value.h"

#include <stddef.h>
#include <string.h>

enum { DEEPEST = 12 }; /* of an address */

/* Is v loaded from base + offset, as core_load_field does it? */
static bool
is_field(LLVMValueRef v, LLVMValueRef base, size_t offset)
{
    if (!LLVMIsALoadInst(v))
        return false;
    LLVMValueRef at = LLVMGetOperand(v, 0);
    if (!offset)
        return at == base;
    return LLVMIsAGetElementPtrInst(at) && LLVMGetNumOperands(at) == 2 &&
           LLVMGetOperand(at, 0) == base && LLVMIsAConstantInt(LLVMGetOperand(at, 1)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(at, 1)) == offset;
}

/* Is v what the field of the warp's block points to, as a number or a pointer? */
static bool
is_block_memory(const struct private *s, LLVMValueRef v, size_t field)
{
    if (LLVMIsAPtrToIntInst(v))
        v = LLVMGetOperand(v, 0);
    LLVMValueRef at = LLVMIsALoadInst(v) ? LLVMGetOperand(v, 0) : NULL;
    LLVMValueRef block = at && LLVMIsAGetElementPtrInst(at) ? LLVMGetOperand(at, 0) : NULL;
    return block && is_field(v, block, field) &&
           is_field(block, s->warp, offsetof(struct jit_warp, block));
}

static bool
add_term(struct terms *t, LLVMValueRef v)
{
    unsigned at = t->count;
    if (at == ADDRESS_TERMS)
        return false;
    for (; at > 0 && (uintptr_t)t->term[at - 1] > (uintptr_t)v; at--)
        t->term[at] = t->term[at - 1];
    t->term[at] = v;
    t->count++;
    return true;
}

static bool
add_terms(struct terms *t, LLVMValueRef v, unsigned depth)
{
    if (LLVMIsAConstantInt(v)) {
        t->constant += LLVMConstIntGetZExtValue(v);
        return true;
    }
    if (LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMAdd && depth < DEEPEST)
        return add_terms(t, LLVMGetOperand(v, 0), depth + 1) &&
               add_terms(t, LLVMGetOperand(v, 1), depth + 1);
    return add_term(t, v);
}

/* The sum behind a pointer made of a number; false: it is something else. */
static bool
terms_of(LLVMValueRef address, struct terms *out)
{
    *out = (struct terms){0};
    return LLVMIsAIntToPtrInst(address) && add_terms(out, LLVMGetOperand(address, 0), 0);
}

static bool
has_term(const struct private *s, const struct terms *t, size_t field)
{
    for (unsigned k = 0; k < t->count; k++)
        if (is_block_memory(s, t->term[k], field))
            return true;
    return false;
}

bool
private_in_shared(const struct private *s, LLVMValueRef address)
{
    struct terms t;
    return terms_of(address, &t) && has_term(s, &t, offsetof(struct jit_block, shared));
}

static bool
same_terms(const struct terms *a, const struct terms *b)
{
    return a->count == b->count && !memcmp(a->term, b->term, a->count * sizeof *a->term);
}

enum area
private_area(struct private *s, LLVMValueRef address, uint64_t *offset)
{
    struct terms t;
    if (terms_of(address, &t)) {
        if (has_term(s, &t, offsetof(struct jit_block, shared)))
            return AREA_NONE;
        if (!s->local_words || !has_term(s, &t, offsetof(struct jit_block, local)))
            return s->local_stored ? AREA_UNCLEAR : AREA_NONE;
        if (!s->local.count)
            s->local = t;
        *offset = t.constant;
        return same_terms(&s->local, &t) ? AREA_LOCAL : AREA_UNCLEAR;
    }
    *offset = 0;
    bool clear = true;
    while (LLVMIsAGetElementPtrInst(address)) {
        LLVMValueRef k = LLVMGetOperand(address, LLVMGetNumOperands(address) - 1u);
        clear &= LLVMGetNumOperands(address) == 2 && LLVMIsAConstantInt(k);
        *offset += clear ? LLVMConstIntGetZExtValue(k) : 0;
        address = LLVMGetOperand(address, 0);
    }
    bool frame = is_field(address, s->warp, offsetof(struct jit_warp, frame));
    if (frame || address == s->warp)
        return !clear ? AREA_UNCLEAR : frame ? AREA_FRAME : AREA_WARP;
    return LLVMIsALoadInst(address) ? AREA_NONE : AREA_UNCLEAR;
}
