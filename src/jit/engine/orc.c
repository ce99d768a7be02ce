/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/orc.c: LLVM's linker, for objects that engine/link.c does not take. Started when one
 * comes.
 */
#include "jit/engine/engine.h"

#include <llvm-c/Error.h>

static bool
take_llvm_error(LLVMErrorRef e, const char *what, struct ls_error *err)
{
    if (!e)
        return true;
    char *text = LLVMGetErrorMessage(e);
    ls_fail(err, LS_ERR_INTERNAL, "%s: %s", what, text);
    LLVMDisposeErrorMessage(text);
    return false;
}

static bool
define_symbols(struct jit_engine *e, struct ls_error *err)
{
    VEC(LLVMOrcCSymbolMapPair) pairs = {0};
    const char *name;
    void *address;
    for (size_t i = 0; jit_own_symbol(i, &name, &address); i++) {
        LLVMOrcCSymbolMapPair p = {.Name = LLVMOrcLLJITMangleAndIntern(e->orc, name)};
        p.Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)address;
        p.Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported;
        VEC_PUSH(&pairs, p);
    }
    LLVMOrcJITDylibRef lib = LLVMOrcLLJITGetMainJITDylib(e->orc);
    bool ok = take_llvm_error(
        LLVMOrcJITDylibDefine(lib, LLVMOrcAbsoluteSymbols(pairs.at, pairs.count)), "symbols", err);
    VEC_FREE(&pairs);
    /* What LLVM itself calls: memcpy, fmodf, ... */
    LLVMOrcDefinitionGeneratorRef process;
    if (ok && (ok = take_llvm_error(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
                                        &process, LLVMOrcLLJITGetGlobalPrefix(e->orc), NULL, NULL),
                                    "symbols", err)))
        LLVMOrcJITDylibAddGenerator(lib, process);
    return ok;
}

static bool
start(struct jit_engine *e, struct ls_error *err)
{
    if (e->orc)
        return true;
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    if (!take_llvm_error(LLVMOrcCreateLLJIT(&e->orc, NULL), "starting the JIT", err))
        return false;
    if (define_symbols(e, err))
        return true;
    jit_orc_end(e);
    return false;
}

static LLVMOrcResourceTrackerRef
link_object(struct jit_engine *e, const struct jit_image *image, const char *stem,
            struct jit_wanted *wanted, size_t count, struct ls_error *err)
{
    if (!jit_llvm_open(err) || !start(e, err))
        return NULL;
    LLVMMemoryBufferRef copy =
        LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)image->code, image->size, stem);
    LLVMOrcJITDylibRef lib = LLVMOrcLLJITGetMainJITDylib(e->orc);
    LLVMOrcResourceTrackerRef code = LLVMOrcJITDylibCreateResourceTracker(lib);
    bool ok =
        take_llvm_error(LLVMOrcLLJITAddObjectFileWithRT(e->orc, code, copy), "loading code", err);
    for (size_t k = 0; ok && k < count; k++) {
        LLVMOrcExecutorAddress at = 0;
        ok = take_llvm_error(LLVMOrcLLJITLookup(e->orc, &at, wanted[k].name), "linking code", err);
        wanted[k].at = (void *)(uintptr_t)at;
    }
    if (ok)
        return code;
    jit_orc_unlink(code);
    return NULL;
}

LLVMOrcResourceTrackerRef
jit_orc_link(struct jit_engine *e, const struct jit_image *image, const char *stem,
             struct jit_wanted *wanted, size_t count, struct ls_error *err)
{
    pthread_mutex_lock(&e->orc_lock);
    LLVMOrcResourceTrackerRef code = link_object(e, image, stem, wanted, count, err);
    pthread_mutex_unlock(&e->orc_lock);
    return code;
}

void
jit_orc_unlink(LLVMOrcResourceTrackerRef code)
{
    if (!code)
        return;
    take_llvm_error(LLVMOrcResourceTrackerRemove(code), "freeing code", NULL);
    LLVMOrcReleaseResourceTracker(code);
}

void
jit_orc_end(struct jit_engine *e)
{
    if (e->orc)
        take_llvm_error(LLVMOrcDisposeLLJIT(e->orc), "ending the JIT", NULL);
    e->orc = NULL;
}
