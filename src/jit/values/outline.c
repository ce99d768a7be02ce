/* SPDX-License-Identifier: Apache-2.0
 *
 * values/outline.c: functions of the module that quick code calls instead of emitting the same
 * instructions again and again (pass shared-accesses). A body depends on nothing but its arguments.
 * Start with core_outline().
 */
#include "jit/values/values.h"

#include <string.h>

LLVMValueRef
core_outline(struct core *c, const char *name, LLVMTypeRef type, struct core_outline *o)
{
    static const char *const names[] = {"noinline", "nounwind"};
    LLVMValueRef f = LLVMGetNamedFunction(c->e.module, name);
    *o = (struct core_outline){.made = !f};
    if (f)
        return f;
    f = LLVMAddFunction(c->e.module, name, type);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    for (unsigned k = 0; k < 2; k++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[k], strlen(names[k]));
        LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(c->e.context, kind, 0));
    }
    o->function = c->e.function;
    o->entry = c->entry;
    o->here = LLVMGetInsertBlock(c->e.b);
    o->memory = c->memory;
    c->e.function = f;
    c->entry = LLVMAppendBasicBlockInContext(c->e.context, f, "");
    c->memory.scatter_places = c->memory.scatter_values = c->memory.stored = NULL;
    LLVMBasicBlockRef body = core_new_block(c, "body");
    LLVMPositionBuilderAtEnd(c->e.b, c->entry);
    LLVMBuildBr(c->e.b, body);
    LLVMPositionBuilderAtEnd(c->e.b, body);
    return f;
}

void
core_outline_end(struct core *c, const struct core_outline *o, const LLVMValueRef *result,
                 unsigned n)
{
    LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(c->e.function));
    LLVMValueRef all = n ? LLVMGetPoison(type) : NULL;
    for (unsigned k = 0; k < n; k++)
        all = LLVMBuildInsertValue(c->e.b, all, result[k], k, "");
    if (n)
        LLVMBuildRet(c->e.b, all);
    else
        LLVMBuildRetVoid(c->e.b);
    c->memory = o->memory;
    c->entry = o->entry;
    c->e.function = o->function;
    LLVMPositionBuilderAtEnd(c->e.b, o->here);
}
