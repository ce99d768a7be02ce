/* SPDX-License-Identifier: Apache-2.0
 *
 * tools/step.c: code for a debugger (struct jit_steps). Before each PTX instruction it calls
 * jit_stepped(), which asks the debugger where it wants to be asked.
 */
#include "jit/tools/plan.h"

void
core_step_begin(struct core *c)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    if (c->form.steps)
        c->tools->steps = core_load_field(c, c->in.launch_ptr, FIELD(jit_launch, steps), ptr);
}

void
core_step_call(struct core *c, const char *name, LLVMValueRef *args, unsigned n)
{
    enum { FIRST = 3, MOST = 8 };
    LLVMValueRef all[FIRST + MOST] = {c->e.warp, c->tools->steps, c->saved.activation};
    LLVMTypeRef types[FIRST + MOST];
    for (unsigned k = 0; k < n; k++)
        all[FIRST + k] = args[k];
    for (unsigned k = 0; k < FIRST + n; k++)
        types[k] = LLVMTypeOf(all[k]);
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(c->e.context), types, FIRST + n, false);
    LLVMValueRef f = LLVMGetNamedFunction(c->e.module, name);
    f = f ? f : LLVMAddFunction(c->e.module, name, type);
    LLVMBuildCall2(c->e.b, type, f, all, FIRST + n, "");
}

void
core_step(struct core *c, const struct wir_insn *i, LLVMValueRef lanes)
{
    LLVMBuilderRef b = c->e.b;
    if (!c->form.steps || !i->begins)
        return;
    LLVMBasicBlockRef over = lanes ? core_new_block(c, "over") : NULL;
    if (lanes) {
        LLVMBasicBlockRef some = core_new_block(c, "some");
        LLVMBuildCondBr(b, core_is_nonzero(c, lanes), some, over);
        LLVMPositionBuilderAtEnd(b, some);
    }
    LLVMValueRef args[] = {core_i32(c, wir_index(c->wir, i)), core_i32(c, i->place)};
    core_step_call(c, "jit_stepped", args, 2);
    if (!over)
        return;
    LLVMBuildBr(b, over);
    LLVMPositionBuilderAtEnd(b, over);
}

LLVMBasicBlockRef
core_step_telling(struct core *c)
{
    LLVMBuilderRef b = c->e.b;
    if (!c->form.steps)
        return NULL;
    LLVMBasicBlockRef tell = core_new_block(c, "tell"), over = core_new_block(c, "untold");
    LLVMValueRef now =
        core_load_field(c, c->tools->steps, FIELD(jit_steps, tell), core_scalar(c, 32));
    core_mark_rare(c, LLVMBuildCondBr(b, core_is_nonzero(c, now), tell, over));
    LLVMPositionBuilderAtEnd(b, tell);
    return over;
}

void
core_step_over(struct core *c, LLVMBasicBlockRef over)
{
    if (!over)
        return;
    LLVMBuildBr(c->e.b, over);
    LLVMPositionBuilderAtEnd(c->e.b, over);
}
