/* SPDX-License-Identifier: Apache-2.0
 *
 * index_near.c: the index of a gather is widened right before it, so that the code generator sees
 * 32 bits.
 */
#include "jit/post/post.h"

#include <string.h>

/* -- after LLVM's passes ----------------------------------------------------------------------- */

/* The operand that holds the pointers of a gather or a scatter; -1: another call. */
static int
pointers_of(LLVMValueRef i)
{
    return calls_intrinsic(i, "llvm.masked.gather")    ? 0
           : calls_intrinsic(i, "llvm.masked.scatter") ? 1
                                                       : -1;
}

/* Code is selected block by block: a number widened in an earlier block, where it was found to be
 * the same as another one, is 64 bits to it, and the gather takes 8 lanes at once. */
static void
bring_near(LLVMBuilderRef b, LLVMValueRef call, unsigned operand)
{
    LLVMValueRef at = LLVMGetOperand(call, operand);
    if (!LLVMIsAGetElementPtrInst(at) || LLVMGetNumOperands(at) != 2)
        return;
    LLVMValueRef base = LLVMGetOperand(at, 0), wide = LLVMGetOperand(at, 1);
    bool here = LLVMGetInstructionParent(at) == LLVMGetInstructionParent(call);
    if (!LLVMIsASExtInst(wide) || LLVMGetTypeKind(LLVMTypeOf(base)) != LLVMPointerTypeKind ||
        (here && LLVMGetInstructionParent(wide) == LLVMGetInstructionParent(call)))
        return;
    LLVMPositionBuilderBefore(b, call);
    wide = LLVMBuildSExt(b, LLVMGetOperand(wide, 0), LLVMTypeOf(wide), "");
    LLVMSetOperand(call, operand,
                   LLVMBuildGEP2(b, LLVMGetGEPSourceElementType(at), base, &wide, 1, ""));
}

void
jit_index_near(LLVMModuleRef m)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef k = LLVMGetFirstBasicBlock(f); k; k = LLVMGetNextBasicBlock(k))
            for (LLVMValueRef i = LLVMGetFirstInstruction(k); i; i = LLVMGetNextInstruction(i)) {
                int operand = pointers_of(i);
                if (operand >= 0)
                    bring_near(b, i, (unsigned)operand);
            }
    LLVMDisposeBuilder(b);
}
