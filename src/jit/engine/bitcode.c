/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/bitcode.c: what is done with a unit's device code between clang, which has not optimised
 * it, and LLVM's passes: writes to __constant__ variables are refused (constants.c), structures
 * that are copied whole stay whole (copies.c), kernels get their clusters, and parameters stay
 * where they are that are constant in the grid (annotations.c).
 */
#include "jit/engine/engine.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <stdio.h>

enum { MESSAGE = 200 };

static void
keep_message(LLVMDiagnosticInfoRef info, void *context)
{
    char *text = LLVMGetDiagInfoDescription(info);
    snprintf(context, MESSAGE, "%s", text);
    LLVMDisposeMessage(text);
}

static LLVMModuleRef
read_module(LLVMContextRef context, const char *path, const char *message, struct ls_error *err)
{
    LLVMMemoryBufferRef text;
    LLVMModuleRef m = NULL;
    char *why = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &text, &why)) {
        ls_fail(err, LS_ERR_SYSTEM, "%s: %s", path, why);
        LLVMDisposeMessage(why);
        return NULL;
    }
    if (LLVMParseBitcodeInContext2(context, text, &m)) {
        ls_fail(err, LS_ERR_UNSUPPORTED, "%s: not bitcode that this LLVM reads: %s", path, message);
        m = NULL;
    }
    LLVMDisposeMemoryBuffer(text);
    return m;
}

bool
jit_mend_bitcode(const char *path, struct ls_error *err)
{
    char message[MESSAGE] = "";
    if (!jit_llvm_open(err))
        return false;
    LLVMContextRef context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(context, keep_message, message);
    LLVMModuleRef m = read_module(context, path, message, err);
    bool ok = m && jit_constants_kept(m, err);
    if (ok) {
        jit_widen_copies(m);
        jit_cluster_dims(m);
        jit_grid_constants(m);
        ok = !LLVMWriteBitcodeToFile(m, path) ||
             ls_fail(err, LS_ERR_SYSTEM, "%s: cannot be written", path);
    }
    if (m)
        LLVMDisposeModule(m);
    LLVMContextDispose(context);
    return ok;
}
