/* SPDX-License-Identifier: Apache-2.0
 *
 * post/defects.c: what LLVM 19 gets wrong, kept away from it, between the passes and the code
 * generator.
 *
 * Masks: a select between lanes' bits, by lanes' bits, one of them the complement of another, is
 * turned to and fro between two forms for ever by the combiner of selection graphs (found by both
 * fuzzers: the compiler never ended). It is written as and, or and not, which is what becomes of it
 * anyway. The same happens to and, or and xor of two masks that were numbers before: one of the
 * numbers is made opaque.
 *
 * Bits: (x & C) | (y & ~C) is one instruction on AVX-512 (vpternlog); when lanes that are off keep
 * x, the constant comes from memory and is the first operand, the instruction selector
 * permutes the table in the wrong direction and lanes get y where x was meant and x where y was
 * (llvm-project issue 157929, mended in 2026; two patterns' transforms were swapped). The selector
 * finds the form by its constants. So they are made opaque where a select keeps x or y: two
 * instructions instead of one, and rare. (lop3 asks for vpternlog by name, and hides its result:
 * ops/bits.c.)
 *
 * Masked loads: without AVX-512, a load of more than a register is split; a part whose lanes are
 * all known to be off becomes a load without a mask, which reads where nothing may be, and its
 * lanes do not keep what they held (17 of 400 random loads of 16 and 32 lanes with constants in
 * their masks). So they are split here, and their masks are made opaque.
 *
 * Start with jit_avoid_defects().
 */
#include "jit/post/post.h"

#include <llvm-c/Core.h>
#include <string.h>

#ifdef __x86_64__
enum { X86 = true };
#else
enum { X86 = false }; /* masked loads are taken apart lane by lane */
#endif
enum { MOST_LANES = 128, WIDEST = 512, AVX2 = 256 }; /* bits of a vector register */

/* A part of the form: value & constant. */
struct masked {
    LLVMValueRef value, mask;
};

static bool
match_and(LLVMValueRef v, struct masked *out)
{
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != LLVMAnd)
        return false;
    LLVMValueRef a = LLVMGetOperand(v, 0), b = LLVMGetOperand(v, 1);
    bool first = LLVMIsConstant(a);
    *out = first ? (struct masked){b, a} : (struct masked){a, b};
    return first != (bool)LLVMIsConstant(b);
}

static bool
match_bit_select(LLVMValueRef v, struct masked part[2])
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind &&
           match_and(LLVMGetOperand(v, 0), &part[0]) && match_and(LLVMGetOperand(v, 1), &part[1]) &&
           LLVMConstNot(part[0].mask) == part[1].mask;
}

/* Does a select by lanes choose between v and one of its parts' values? */
static bool
is_kept(LLVMValueRef v, const struct masked part[2])
{
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAInstruction(user) || LLVMGetInstructionOpcode(user) != LLVMSelect ||
            LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(user, 0))) != LLVMVectorTypeKind)
            continue;
        for (unsigned k = 1; k <= 2; k++)
            for (unsigned p = 0; p < 2; p++)
                if (LLVMGetOperand(user, k) == part[p].value)
                    return true;
    }
    return false;
}

/* The constant through an empty piece of assembly: nobody knows any more that it is one. */
static LLVMValueRef
through_assembly(LLVMBuilderRef b, LLVMValueRef constant, const char *constraint)
{
    LLVMTypeRef t = LLVMTypeOf(constant), f = LLVMFunctionType(t, &t, 1, false);
    LLVMValueRef empty = LLVMGetInlineAsm(f, "", 0, constraint, strlen(constraint), false, false,
                                          LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(b, f, empty, &constant, 1, "");
}

static LLVMValueRef
joined(LLVMBuilderRef b, LLVMValueRef low, LLVMValueRef high)
{
    unsigned n = 2 * LLVMGetVectorSize(LLVMTypeOf(low));
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(low)));
    LLVMValueRef order[MOST_LANES];
    for (unsigned k = 0; k < n; k++)
        order[k] = LLVMConstInt(word, k, false);
    return LLVMBuildShuffleVector(b, low, high, LLVMConstVector(order, n), "");
}

/* Lanes [first, first + n) of the constant, made opaque in pieces that a register holds. */
static LLVMValueRef
opaque_vector(LLVMBuilderRef b, const LLVMValueRef *lane, unsigned n)
{
    if (n * LLVMGetIntTypeWidth(LLVMTypeOf(lane[0])) <= WIDEST)
        return through_assembly(b, LLVMConstVector((LLVMValueRef *)lane, n), "=v,0");
    LLVMValueRef low = opaque_vector(b, lane, n / 2);
    return joined(b, low, opaque_vector(b, lane + n / 2, n / 2));
}

static LLVMValueRef
opaque(LLVMBuilderRef b, LLVMValueRef constant)
{
    LLVMTypeRef t = LLVMTypeOf(constant);
    unsigned n = LLVMGetVectorSize(t);
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(t));
    LLVMValueRef lane[MOST_LANES], zero = LLVMConstInt(word, 0, false), zeros[MOST_LANES];
    bool same = true;
    for (unsigned k = 0; k < n; k++) {
        lane[k] = LLVMGetAggregateElement(constant, k);
        zeros[k] = zero;
        same &= lane[k] == lane[0];
    }
    if (!same)
        return opaque_vector(b, lane, n);
    LLVMValueRef v =
        LLVMBuildInsertElement(b, LLVMGetPoison(t), through_assembly(b, lane[0], "=r,0"), zero, "");
    return LLVMBuildShuffleVector(b, v, LLVMGetPoison(t), LLVMConstVector(zeros, n), "");
}

/* Widths and numbers of lanes that the instruction has. */
static bool
is_at_risk(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    unsigned n = LLVMGetVectorSize(t), bits = LLVMGetIntTypeWidth(LLVMGetElementType(t));
    return (bits == 32 || bits == 64) && n <= MOST_LANES && (n & (n - 1)) == 0 && n * bits >= 128;
}

static void
avoid_bit_select(LLVMBuilderRef b, LLVMValueRef v)
{
    struct masked part[2];
    if (!match_bit_select(v, part) || !is_at_risk(v) || !is_kept(v, part))
        return;
    LLVMPositionBuilderBefore(b, v);
    LLVMValueRef mask = opaque(b, part[0].mask);
    LLVMValueRef low = LLVMBuildAnd(b, part[0].value, mask, "");
    LLVMValueRef high = LLVMBuildAnd(b, part[1].value, LLVMBuildNot(b, mask, ""), "");
    LLVMReplaceAllUsesWith(v, LLVMBuildOr(b, low, high, ""));
    LLVMInstructionEraseFromParent(v);
}

static bool
is_lanes_bits(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind &&
           LLVMGetElementType(t) == LLVMInt1TypeInContext(LLVMGetTypeContext(t));
}

static bool
is_number_as_lanes(LLVMValueRef v)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMBitCast &&
           is_lanes_bits(LLVMTypeOf(v)) &&
           LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) == LLVMIntegerTypeKind;
}

/* The number that these lanes' bits are made of, or their complement; NULL: they are made of
 * something else. */
static LLVMValueRef
number_of(LLVMValueRef v, bool *negated)
{
    *negated = false;
    for (;;) {
        if (is_number_as_lanes(v))
            return LLVMGetOperand(v, 0);
        LLVMOpcode op = LLVMIsAInstruction(v) ? LLVMGetInstructionOpcode(v) : LLVMRet;
        if (op == LLVMXor && LLVMGetOperand(v, 1) == LLVMConstAllOnes(LLVMTypeOf(v)))
            *negated = !*negated;
        else if (op != LLVMFreeze)
            return NULL;
        v = LLVMGetOperand(v, 0);
    }
}

static void
avoid_logic_of_numbers(LLVMBuilderRef b, LLVMValueRef v)
{
    bool negated;
    LLVMValueRef number;
    if (!LLVMIsABinaryOperator(v) || !is_lanes_bits(LLVMTypeOf(v)) ||
        !number_of(LLVMGetOperand(v, 0), &negated) ||
        !(number = number_of(LLVMGetOperand(v, 1), &negated)))
        return;
    LLVMPositionBuilderBefore(b, v);
    LLVMValueRef lanes =
        LLVMBuildBitCast(b, through_assembly(b, number, "=r,0"), LLVMTypeOf(v), "");
    LLVMSetOperand(v, 1, negated ? LLVMBuildNot(b, lanes, "") : lanes);
}

/* Frozen: a select hides what the side not taken leaves undefined, and and or do not. */
static void
avoid_mask_select(LLVMBuilderRef b, LLVMValueRef v)
{
    LLVMValueRef choice = LLVMGetOperand(v, 0);
    if (!is_lanes_bits(LLVMTypeOf(v)) || !is_lanes_bits(LLVMTypeOf(choice)))
        return;
    LLVMPositionBuilderBefore(b, v);
    LLVMValueRef yes = LLVMBuildFreeze(b, LLVMGetOperand(v, 1), "");
    LLVMValueRef no = LLVMBuildFreeze(b, LLVMGetOperand(v, 2), "");
    LLVMValueRef off = LLVMBuildAnd(b, LLVMBuildNot(b, choice, ""), no, "");
    LLVMValueRef on = LLVMBuildAnd(b, choice, yes, "");
    LLVMReplaceAllUsesWith(v, LLVMBuildOr(b, on, off, ""));
    LLVMInstructionEraseFromParent(v);
    avoid_logic_of_numbers(b, off);
    avoid_logic_of_numbers(b, on);
}

/* Lanes [first, first + n) of a vector. */
static LLVMValueRef
slice(LLVMBuilderRef b, LLVMValueRef v, unsigned first, unsigned n)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(v)));
    LLVMValueRef order[MOST_LANES];
    for (unsigned k = 0; k < n; k++)
        order[k] = LLVMConstInt(word, first + k, false);
    return LLVMBuildShuffleVector(b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(order, n),
                                  "");
}

/* Lanes [first, first + n) of up to 32 lanes' bits as a number, for values of so many bits: by a
 * comparison, which is what a masked load wants of them without AVX-512. */
static LLVMValueRef
lanes_of(LLVMBuilderRef b, LLVMValueRef number, unsigned first, unsigned n, unsigned bits)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(number));
    LLVMTypeRef t = LLVMIntTypeInContext(context, bits), vector = LLVMVectorType(t, n);
    LLVMValueRef power[MOST_LANES], all = LLVMGetPoison(vector), zero = LLVMConstInt(t, 0, false);
    for (unsigned k = 0; k < n; k++)
        power[k] = LLVMConstInt(t, 1ull << (first + k), false);
    number = LLVMBuildIntCast2(b, number, t, false, "");
    all = LLVMBuildInsertElement(b, all, number, zero, "");
    all = LLVMBuildShuffleVector(b, all, LLVMGetPoison(vector),
                                 LLVMConstNull(LLVMVectorType(LLVMInt32TypeInContext(context), n)),
                                 "");
    all = LLVMBuildAnd(b, all, LLVMConstVector(power, n), "");
    return LLVMBuildICmp(b, LLVMIntNE, all, LLVMConstNull(vector), "");
}

/* Lanes' bits, of which nothing is known any more. */
struct number {
    LLVMValueRef bits; /* NULL: not made yet */
    unsigned first;
};

static struct number
opaque_number(LLVMBuilderRef b, LLVMValueRef mask, unsigned first, unsigned n)
{
    LLVMTypeRef t = LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(mask)), n);
    if (n != LLVMGetVectorSize(LLVMTypeOf(mask)))
        mask = slice(b, mask, first, n);
    return (struct number){through_assembly(b, LLVMBuildBitCast(b, mask, t, ""), "=r,0"), first};
}

/* Lanes [first, first + n) of the masked load, in pieces that a register holds. */
static LLVMValueRef
load_pieces(LLVMBuilderRef b, LLVMValueRef load, struct number mask, unsigned first, unsigned n)
{
    enum { WORD = 32 };
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(load)), type = LLVMVectorType(element, n);
    unsigned bytes = element_bytes(type);
    if (!mask.bits && n <= WORD)
        mask = opaque_number(b, LLVMGetOperand(load, 2), first, n);
    if (n * bytes * 8 > AVX2) {
        LLVMValueRef low = load_pieces(b, load, mask, first, n / 2);
        return joined(b, low, load_pieces(b, load, mask, first + n / 2, n / 2));
    }
    LLVMValueRef from = LLVMGetOperand(load, 0), align = LLVMGetOperand(load, 1);
    LLVMTypeRef word = LLVMTypeOf(align), overloads[] = {type, LLVMTypeOf(from)};
    LLVMValueRef index = LLVMConstInt(word, first, false);
    if (first && LLVMConstIntGetZExtValue(align) > AVX2 / 8)
        align = LLVMConstInt(word, AVX2 / 8, false);
    LLVMValueRef args[] = {LLVMBuildGEP2(b, element, from, &index, 1, ""), align,
                           lanes_of(b, mask.bits, first - mask.first, n, bytes * 8),
                           slice(b, LLVMGetOperand(load, 3), first, n)};
    LLVMModuleRef m = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(load)));
    unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(load));
    LLVMTypeRef f = LLVMIntrinsicGetType(LLVMGetTypeContext(type), id, overloads, 2);
    return LLVMBuildCall2(b, f, LLVMGetIntrinsicDeclaration(m, id, overloads, 2), args, 4, "");
}

static void
avoid_wide_masked_load(LLVMBuilderRef b, LLVMValueRef v)
{
    if (!calls_intrinsic(v, "llvm.masked.load"))
        return;
    unsigned n = element_count(LLVMTypeOf(v)), bits = element_bytes(LLVMTypeOf(v)) * 8;
    if (n * bits <= AVX2 || n & (n - 1) || n > MOST_LANES) /* bits 0: bytes, lane by lane there */
        return;
    LLVMPositionBuilderBefore(b, v);
    LLVMReplaceAllUsesWith(v, load_pieces(b, v, (struct number){NULL, 0}, 0, n));
    LLVMInstructionEraseFromParent(v);
}

static void
avoid(LLVMBuilderRef b, LLVMValueRef v, bool avx512)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMCall:
        if (X86 && !avx512)
            avoid_wide_masked_load(b, v);
        break;
    case LLVMSelect: avoid_mask_select(b, v); break;
    case LLVMAnd:
    case LLVMXor: avoid_logic_of_numbers(b, v); break;
    case LLVMOr:
        avoid_logic_of_numbers(b, v);
        if (avx512)
            avoid_bit_select(b, v);
        break;
    default: break;
    }
}

void
jit_avoid_defects(LLVMModuleRef m, bool avx512)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef v = LLVMGetFirstInstruction(block), next; v; v = next) {
                next = LLVMGetNextInstruction(v);
                avoid(b, v, avx512);
            }
    LLVMDisposeBuilder(b);
}
