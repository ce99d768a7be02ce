/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/annotations.c: what neither clang nor LLVM's printer of PTX knows (LLVM 19), and the
 * header include/crt/host_defines.h makes annotations of.
 *
 * __cluster_dims__(x, y, z) on a kernel becomes a comment of the PTX here, and the kernel's
 * directive when the compiler's driver reads that (cc/cc_ptx.c):
 *
 *     // lockstep_cluster_dims kernel 2 1 1
 *
 * __grid_constant__ on a parameter becomes what LLVM's lowering of parameters looks for,
 * !nvvm.annotations = {kernel, "grid_constant", {numbers of parameters from 1}}. Without it a
 * parameter whose address is taken is copied to local memory, where a real GPU refuses a tensor
 * map.
 */
#include "jit/engine/engine.h"

#include <string.h>

static const char cluster_mark[] = "lockstep_cluster_dims",
                  constant_mark[] = "lockstep_grid_constant";

/* The initial value of a global variable; NULL: `global` is no variable, or has none. */
static LLVMValueRef
held(LLVMValueRef global)
{
    return LLVMIsAGlobalVariable(global) ? LLVMGetInitializer(global) : NULL;
}

static bool
is_marked(LLVMValueRef name, const char *mark)
{
    size_t size = 0;
    LLVMValueRef text = held(name);
    const char *at = text && LLVMIsAConstantDataSequential(text) && LLVMIsConstantString(text)
                         ? LLVMGetAsString(text, &size)
                         : NULL;
    return at && size == strlen(mark) + 1 && !memcmp(at, mark, size);
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
        if (!numbers || !is_marked(LLVMGetOperand(row, 1), cluster_mark))
            continue;
        size_t size;
        struct text line = {0};
        text_add(&line, "// %s %s", cluster_mark, LLVMGetValueName2(LLVMGetOperand(row, 0), &size));
        for (int d = 0, given = LLVMGetNumOperands(numbers); d < 3; d++) {
            LLVMValueRef n = d < given ? LLVMGetOperand(numbers, (unsigned)d) : NULL;
            text_add(&line, " %llu", n && LLVMIsAConstantInt(n) ? LLVMConstIntGetZExtValue(n) : 1);
        }
        text_add(&line, "\n");
        LLVMAppendModuleInlineAsm(m, line.at, line.count);
        text_free(&line);
    }
}

/* -- parameters -------------------------------------------------------------------------------- */

/* llvm.var.annotation(variable, mark, ...) */
static bool
marks_constant(LLVMValueRef i)
{
    size_t n;
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    const char *name = callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &n) : "";
    return ls_starts_with(name, "llvm.var.annotation.") &&
           is_marked(LLVMGetOperand(i, 1), constant_mark);
}

/* Takes the marks of a function's variables out; the numbers of those that are parameters in
 * memory, counted from 1, into out, which has room for all its parameters. */
static unsigned
take_marks(LLVMValueRef f, LLVMMetadataRef *out)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
    unsigned count = 0, params = LLVMCountParams(f);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!marks_constant(i))
                continue;
            for (unsigned k = 0; k < params; k++)
                if (LLVMGetParam(f, k) == LLVMGetOperand(i, 0))
                    out[count++] = LLVMValueAsMetadata(LLVMConstInt(i32, k + 1, false));
            LLVMInstructionEraseFromParent(i);
        }
    return count;
}

void
jit_grid_constants(LLVMModuleRef m)
{
    static const char key[] = "grid_constant";
    LLVMContextRef context = LLVMGetModuleContext(m);
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
        LLVMMetadataRef *numbers = ls_alloc(sizeof *numbers * (LLVMCountParams(f) + 1));
        unsigned count = take_marks(f, numbers);
        LLVMMetadataRef row[] = {LLVMValueAsMetadata(f),
                                 LLVMMDStringInContext2(context, key, sizeof key - 1),
                                 LLVMMDNodeInContext2(context, numbers, count)};
        if (count)
            LLVMAddNamedMetadataOperand(
                m, "nvvm.annotations",
                LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, row, 3)));
        ls_release(numbers);
    }
}
