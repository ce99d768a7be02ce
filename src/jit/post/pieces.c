/* SPDX-License-Identifier: Apache-2.0
 *
 * pieces.c: long basic blocks are cut into pieces before code is generated. LLVM selects and orders
 * instructions block by block, with lists that it searches: the time grows with the square of a
 * block's length. One warp function of thrust::partition has blocks of 5,778, 2,630 and 1,907
 * instructions: 6.5 s in LLVM 19's code generator at its level "less", 2.2 s in pieces of 400, and
 * the code is as long (332,604 bytes, 334,185).
 */
#include "jit/post/post.h"

enum {
    LONG = 1000, /* instructions of a block that is cut */
    PIECE = 400,
};

static unsigned
length_of(LLVMBasicBlockRef block)
{
    unsigned n = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        n++;
    return n;
}

/* The block's first instructions, with its phis, go to a new one before it, to which all its
 * predecessors lead from now on. Phis of its successors go on to name the block itself: it has no
 * end while its uses are replaced, so that LLVM finds no successors. */
static void
cut_head(LLVMBuilderRef b, LLVMBasicBlockRef block)
{
    LLVMValueRef label = LLVMBasicBlockAsValue(block), i = LLVMGetFirstInstruction(block);
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(label));
    LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(context, block, "piece");
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    LLVMInstructionRemoveFromParent(end);
    LLVMReplaceAllUsesWith(label, LLVMBasicBlockAsValue(head));
    LLVMPositionBuilderAtEnd(b, block);
    LLVMInsertIntoBuilder(b, end);
    LLVMPositionBuilderAtEnd(b, head);
    for (unsigned n = 0; n < PIECE || LLVMIsAPHINode(i); n++) {
        LLVMValueRef next = LLVMGetNextInstruction(i);
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(b, i);
        i = next;
    }
    LLVMBuildBr(b, block);
}

/* LLVM's code generator merges a block with its only predecessor unless somebody may know its
 * address. The array of these addresses is defined elsewhere, as far as the module says, so that it
 * takes no room. */
static void
keep_apart(LLVMModuleRef m, LLVMValueRef *address, unsigned count)
{
    LLVMTypeRef type = LLVMArrayType(LLVMTypeOf(address[0]), count);
    LLVMValueRef kept = LLVMAddGlobal(m, type, "pieces");
    LLVMSetInitializer(kept, LLVMConstArray(LLVMTypeOf(address[0]), address, count));
    LLVMSetGlobalConstant(kept, true);
    LLVMSetLinkage(kept, LLVMAvailableExternallyLinkage);
}

unsigned
jit_pieces(LLVMModuleRef m)
{
    VEC(LLVMValueRef) address = {0};
    unsigned cut = 0;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
             block = LLVMGetNextBasicBlock(block)) {
            unsigned length = length_of(block);
            cut += length > LONG;
            for (bool is_long = length > LONG; is_long && length > PIECE;
                 length = length_of(block)) {
                cut_head(b, block);
                VEC_PUSH(&address, LLVMBlockAddress(f, block));
            }
        }
    }
    if (address.count)
        keep_apart(m, address.at, (unsigned)address.count);
    LLVMDisposeBuilder(b);
    VEC_FREE(&address);
    return cut;
}
