/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_host.c: what code is generated for, as a text: part of every key of the cache. On x86-64 it
 * is what the processor says of itself, from which LLVM takes its name and features; so LLVM need
 * not be asked.
 */
#include "jit/jit_engine.h"

#include <llvm-c/TargetMachine.h>
#include <llvm/Config/llvm-config.h>

#include <string.h>

#ifdef __x86_64__
#include <cpuid.h>

/* Leaves that name the processor and its instructions. Of leaf 1's second word the upper half says
 * on which processor we happen to run. Leaf 13's are sizes that follow from the rest. */
static bool
host_text(struct text *out, struct ls_error *err)
{
    static const uint32_t leaves[][2] = {
        {0, 0},  {1, 0},  {7, 0},  {7, 1},          {13, 1},         {20, 0},
        {25, 0}, {30, 1}, {36, 0}, {0x80000001, 0}, {0x80000007, 0}, {0x80000008, 0}};
    uint32_t a, b, c, d, low = 0, high = 0;
    for (size_t k = 0; k < sizeof leaves / sizeof *leaves; k++) {
        uint32_t leaf = leaves[k][0];
        if (!__get_cpuid_count(leaf, leaves[k][1], &a, &b, &c, &d))
            continue;
        if (leaf == 1) {
            b &= 0xffff;
            if (c & bit_OSXSAVE)
                __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        }
        text_add(out, "%x.%u:", leaf, leaves[k][1]);
        if (leaf == 13)
            text_add(out, "%x ", a);
        else
            text_add(out, "%x,%x,%x,%x ", a, b, c, d);
    }
    text_add(out, "xcr0:%x%08x", high, low);
    return true;
}
#else
static bool
host_text(struct text *out, struct ls_error *err)
{
    if (!jit_llvm_open(err))
        return false;
    char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
    text_add(out, "%s %s", cpu, features);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    return true;
}
#endif

char *
jit_host(struct ls_error *err)
{
    struct text out = {0};
    text_add(&out, "%s LLVM %s ", jit_cache_version, LLVM_VERSION_STRING);
    if (!host_text(&out, err)) {
        ls_release(out.at);
        return NULL;
    }
    return out.at;
}
