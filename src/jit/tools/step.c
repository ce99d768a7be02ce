/* SPDX-License-Identifier: Apache-2.0
 *
 * tools/step.c: code for a debugger (struct jit_steps). Before each PTX instruction the warp's
 * record says which one it is, and one comparison and one byte of a table decide whether the
 * debugger is asked. Loads and stores of that are volatile: the signal of a fault, and of the user,
 * must find them as they stand in the text.
 */
#include "jit/tools/plan.h"

static LLVMValueRef
volatile_load(struct core *c, LLVMValueRef base, size_t offset, LLVMTypeRef type)
{
    LLVMValueRef v = core_load_field(c, base, offset, type);
    LLVMSetVolatile(v, true);
    return v;
}

static void
volatile_store(struct core *c, LLVMValueRef at, LLVMValueRef v)
{
    LLVMValueRef s = LLVMBuildStore(c->e.b, v, at);
    LLVMSetVolatile(s, true);
}

void
core_step_begin(struct core *c)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    if (!c->form.steps)
        return;
    c->tools->steps = core_load_field(c, c->in.launch_ptr, FIELD(jit_launch, steps), ptr);
}

/* Whether the debugger is asked at this place. */
static LLVMValueRef
asks(struct core *c, uint32_t place, LLVMValueRef position)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i8 = core_scalar(c, 8), ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMValueRef steps = c->tools->steps, at = core_i64(c, place);
    LLVMValueRef stop = volatile_load(c, steps, FIELD(jit_steps, stop), core_scalar(c, 64));
    LLVMValueRef flags = volatile_load(c, steps, FIELD(jit_steps, flags), ptr);
    LLVMValueRef flag = LLVMBuildLoad2(b, i8, LLVMBuildInBoundsGEP2(b, i8, flags, &at, 1, ""), "");
    LLVMValueRef there = LLVMBuildICmp(b, LLVMIntEQ, stop, position, "");
    return LLVMBuildOr(b, there, LLVMBuildICmp(b, LLVMIntNE, flag, LLVMConstNull(i8), ""), "");
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
    LLVMBasicBlockRef ask = core_new_block(c, "ask"), go = core_new_block(c, "step");
    LLVMValueRef at = core_field_at(c, c->tools->steps, FIELD(jit_steps, position));
    volatile_store(c, core_field_at(c, c->saved.activation, FIELD(jit_activation, site)),
                   core_i32(c, wir_index(c->wir, i)));
    LLVMValueRef position = volatile_load(c, at, 0, core_scalar(c, 64));
    core_mark_rare(c, LLVMBuildCondBr(b, asks(c, i->place, position), ask, go));
    LLVMPositionBuilderAtEnd(b, ask);
    core_service(c, FIELD(jit_services, step), LLVMVoidTypeInContext(c->e.context), &c->e.warp, 1);
    LLVMBuildBr(b, go);
    LLVMPositionBuilderAtEnd(b, go);
    volatile_store(c, at, LLVMBuildAdd(b, position, core_i64(c, 1), ""));
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
        volatile_load(c, c->tools->steps, FIELD(jit_steps, tell), core_scalar(c, 32));
    core_mark_rare(c, LLVMBuildCondBr(b, core_is_nonzero(c, now), tell, over));
    LLVMPositionBuilderAtEnd(b, tell);
    return over;
}

void
core_step_told(struct core *c, LLVMBasicBlockRef over)
{
    if (!over)
        return;
    LLVMBuildBr(c->e.b, over);
    LLVMPositionBuilderAtEnd(c->e.b, over);
}
