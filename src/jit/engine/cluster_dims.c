/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/cluster_dims.c: __cluster_dims__(x, y, z) on a kernel. Neither clang nor LLVM's printer of
 * PTX knows it (LLVM 19). The header (include/crt/host_defines.h) makes it an annotation with up to
 * three numbers, which becomes a comment of the PTX here, and the kernel's directive when the
 * compiler's driver reads that (cc/cc_ptx.c):
 *
 *     // lockstep_cluster_dims kernel 2 1 1
 */
#include "jit/engine/engine.h"

#include <string.h>

static const char mark[] = "lockstep_cluster_dims";

/* What a global holds; NULL: nothing that is known. */
static LLVMValueRef
held(LLVMValueRef global)
{
    return LLVMIsAGlobalVariable(global) ? LLVMGetInitializer(global) : NULL;
}

static bool
is_marked(LLVMValueRef name)
{
    size_t size = 0;
    LLVMValueRef text = held(name);
    const char *at = text && LLVMIsAConstantDataSequential(text) && LLVMIsConstantString(text)
                         ? LLVMGetAsString(text, &size)
                         : NULL;
    return at && size == sizeof mark && !memcmp(at, mark, sizeof mark);
}

void
jit_cluster_dims(LLVMModuleRef m)
{
    LLVMValueRef all = LLVMGetNamedGlobal(m, "llvm.global.annotations");
    LLVMValueRef rows = all ? held(all) : NULL;
    int count = rows ? LLVMGetNumOperands(rows) : 0;
    for (int k = 0; k < count; k++) {
        LLVMValueRef row = LLVMGetOperand(rows, (unsigned)k);
        LLVMValueRef numbers = LLVMGetNumOperands(row) == 5 ? held(LLVMGetOperand(row, 4)) : NULL;
        if (!numbers || !is_marked(LLVMGetOperand(row, 1)))
            continue;
        size_t size;
        struct text line = {0};
        text_add(&line, "// %s %s", mark, LLVMGetValueName2(LLVMGetOperand(row, 0), &size));
        for (int d = 0, given = LLVMGetNumOperands(numbers); d < 3; d++) {
            LLVMValueRef n = d < given ? LLVMGetOperand(numbers, (unsigned)d) : NULL;
            text_add(&line, " %llu", n && LLVMIsAConstantInt(n) ? LLVMConstIntGetZExtValue(n) : 1);
        }
        text_add(&line, "\n");
        LLVMAppendModuleInlineAsm(m, line.at, line.count);
        text_free(&line);
    }
}
