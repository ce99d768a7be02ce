/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/machine.c: LLVM's code generators, one for each compile at a time, and the size of what
 * they are given: the budget (engine/budget.h) is measured here.
 */
#include "jit/engine/engine.h"
#include "jit/engine/budget.h"

#include <llvm-c/Target.h>

#include <string.h>

static LLVMTargetMachineRef
new_machine(bool narrow, enum jit_effort effort, struct ls_error *err)
{
    static const LLVMCodeGenOptLevel level[] = {LLVMCodeGenLevelDefault, LLVMCodeGenLevelLess,
                                                LLVMCodeGenLevelNone};
    char *triple = LLVMGetDefaultTargetTriple(), *cpu = LLVMGetHostCPUName();
    char *features = LLVMGetHostCPUFeatures(), *text = NULL;
    LLVMTargetMachineRef machine = NULL;
    LLVMTargetRef target;
    struct text wanted = {0};
    text_add(&wanted, "%s%s", features,
             narrow ? ",-avx512f" : ""); /* all of AVX-512 builds on it */
    if (!LLVMGetTargetFromTriple(triple, &target, &text))
        machine = LLVMCreateTargetMachine(target, triple, cpu, wanted.at, level[effort],
                                          LLVMRelocPIC, LLVMCodeModelSmall);
    if (!machine)
        ls_fail(err, LS_ERR_SYSTEM, "LLVM has no target for this machine: %s",
                text ? text : triple);
    LLVMDisposeMessage(triple);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    ls_release(wanted.at);
    if (text)
        LLVMDisposeMessage(text);
    return machine;
}

/* A generator keeps notes of the functions that it has seen, so two compiles do not share one. */
LLVMTargetMachineRef
jit_machine_take(struct jit_engine *e, enum jit_effort effort, struct ls_error *err)
{
    LLVMTargetMachineRef machine = NULL;
    if (!jit_llvm_open(err))
        return NULL;
    pthread_mutex_lock(&e->lock);
    LLVMInitializeNativeTarget(); /* under the lock: writes tables of LLVM's, the same each time */
    LLVMInitializeNativeAsmPrinter();
    if (e->machines[effort].count)
        machine = e->machines[effort].at[--e->machines[effort].count];
    pthread_mutex_unlock(&e->lock);
    return machine ? machine : new_machine(e->narrow, effort, err);
}

void
jit_machine_give(struct jit_engine *e, enum jit_effort effort, LLVMTargetMachineRef machine)
{
    pthread_mutex_lock(&e->lock);
    VEC_PUSH(&e->machines[effort], machine);
    pthread_mutex_unlock(&e->lock);
}

void
jit_machines_end(struct jit_engine *e)
{
    for (unsigned k = 0; k < JIT_EFFORTS; k++) {
        while (e->machines[k].count)
            LLVMDisposeTargetMachine(e->machines[k].at[--e->machines[k].count]);
        VEC_FREE(&e->machines[k]);
    }
}

void
jit_machine_generates(LLVMTargetMachineRef machine, LLVMModuleRef m)
{
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(m, layout);
    LLVMDisposeTargetData(layout);
}

/* Predicates are as good as other integers: without "n1" InstCombine takes each phi of one bit for
 * an integer that no register holds, and walks the web of all phis behind it, block by block, to
 * see whether it could be sliced. Of a kernel of 300 instructions (a polygon's edges, unrolled)
 * that was 6 of 7 s. */
void
jit_machine_aim(LLVMTargetMachineRef machine, LLVMModuleRef m)
{
    char *triple = LLVMGetTargetMachineTriple(machine);
    LLVMSetTarget(m, triple);
    LLVMDisposeMessage(triple);
    jit_machine_generates(machine, m);
    const char *layout = LLVMGetDataLayoutStr(m), *integers = strstr(layout, "-n8:");
    struct text predicates = {0};
    if (!integers)
        return;
    text_add(&predicates, "%.*s-n1:%s", (int)(integers - layout), layout, integers + strlen("-n"));
    LLVMSetDataLayout(m, predicates.at);
    ls_release(predicates.at);
}

static uint64_t
registers_for(LLVMTypeRef t)
{
    unsigned bits = 64;
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind)
        return 1;
    LLVMTypeRef element = LLVMGetElementType(t);
    switch (LLVMGetTypeKind(element)) {
    case LLVMIntegerTypeKind: bits = LLVMGetIntTypeWidth(element); break;
    case LLVMFloatTypeKind: bits = 32; break;
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind: bits = 16; break;
    default: break;
    }
    return ((uint64_t)LLVMGetVectorSize(t) * bits + 511) / 512;
}

static uint64_t
size_of(LLVMValueRef i)
{
    return LLVMIsAPHINode(i) ? (uint64_t)JIT_PHI_WEIGHT * LLVMCountIncoming(i)
                             : registers_for(LLVMTypeOf(i));
}

uint64_t
jit_size(LLVMModuleRef m, bool optimised)
{
    uint64_t size = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                size += optimised ? size_of(i) : 1;
    return size;
}
