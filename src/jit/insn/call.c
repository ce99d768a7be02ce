/* SPDX-License-Identifier: Apache-2.0
 *
 * insn/call.c: calls that are not inlined: recursion, and pointers to functions.
 *
 * A called function is void f(warp, lanes, area): it runs to its end for the given lanes. The area
 * is the caller's: each parameter and result as 32 lanes of its size, at 32 times its offset in one
 * lane's frame (parameters in order, then results, each aligned to 16). Before it lies a struct
 * jit_call: who called the caller and where, for the report of a stack overflow. A pointer's value
 * is JIT_FUNCTION_TAG and the function's number; lanes with equal pointers are called together.
 */
#include "jit/insn/insn.h"

#include <stdio.h>
#include <string.h>

static LLVMTypeRef
called_type(struct core *c)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMTypeRef params[] = {ptr, core_scalar(c, 32), ptr};
    return LLVMFunctionType(LLVMVoidTypeInContext(c->e.context), params, 3, false);
}

LLVMValueRef
core_callee(struct core *c, const char *name, LLVMTypeRef *type)
{
    *type = called_type(c);
    LLVMValueRef f = LLVMGetNamedFunction(c->e.module, name);
    return f ? f : LLVMAddFunction(c->e.module, name, *type);
}

/* -- the area ---------------------------------------------------------------------------------- */

struct call_area {
    struct core *c;
    const struct wir_insn *i;
    LLVMValueRef at;
    uint64_t offset; /* in one lane's frame */
};

static uint64_t
bytes_of(const struct core *c, const struct ptx_operand *o)
{
    if (o->kind == PTX_O_REG)
        return core_reg_bits(c, o->reg) / 8;
    return o->var ? o->var->size : 4;
}

static uint64_t
take_room(struct call_area *a, uint64_t bytes)
{
    a->offset = (a->offset + 15) & ~15ull;
    uint64_t at = a->offset;
    a->offset += bytes;
    return at;
}

static LLVMValueRef
area_address(struct call_area *a, uint64_t offset)
{
    struct core *c = a->c;
    LLVMValueRef k = core_i64(c, offset);
    return LLVMBuildInBoundsGEP2(c->e.b, core_scalar(c, 8), a->at, &k, 1, "");
}

/* A structure lies in local memory: moved between there and the area
 * in pieces of 1, 2 or 4 bytes. */
static void
move_structure(struct call_area *a, const struct ptx_operand *o, uint64_t offset, bool to_area)
{
    struct core *c = a->c;
    LLVMBuilderRef b = c->e.b;
    uint64_t size = o->var->size;
    unsigned piece = size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : 1;
    int32_t lane[LANES];
    for (int l = 0; l < LANES; l++)
        lane[l] = l * (int32_t)size;
    LLVMValueRef mine = LLVMBuildAdd(
        b, core_local_base(c), core_splat(c, core_i64(c, c->wir->vars[o->var->index].offset)), "");
    LLVMValueRef base =
        LLVMBuildPtrToInt(b, area_address(a, offset * LANES), core_scalar(c, 64), "");
    LLVMValueRef other = core_spread(c, base, lane);
    LLVMTypeRef ptrs = LLVMVectorType(LLVMPointerTypeInContext(c->e.context, 0), LANES);
    LLVMTypeRef values = core_vector(c, piece * 8);
    LLVMTypeRef types[] = {values, ptrs};
    for (uint64_t at = 0; at < size; at += piece) {
        LLVMValueRef k = core_splat(c, core_i64(c, at));
        LLVMValueRef p = LLVMBuildIntToPtr(b, LLVMBuildAdd(b, mine, k, ""), ptrs, "");
        LLVMValueRef q = LLVMBuildIntToPtr(b, LLVMBuildAdd(b, other, k, ""), ptrs, "");
        LLVMValueRef load[] = {to_area ? p : q, core_i32(c, 1), core_all_lanes(c),
                               LLVMConstNull(values)};
        LLVMValueRef v = emit_intrinsic(&c->e, "llvm.masked.gather", types, 2, load, 4);
        LLVMValueRef store[] = {v, to_area ? q : p, core_i32(c, 1), core_all_lanes(c)};
        emit_intrinsic(&c->e, "llvm.masked.scatter", types, 2, store, 4);
    }
}

static void
pass_in(struct call_area *a, const struct ptx_operand *o)
{
    struct core *c = a->c;
    uint64_t bytes = bytes_of(c, o), at = take_room(a, bytes);
    if (o->kind == PTX_O_SYMBOL && o->var) {
        move_structure(a, o, at, true);
        return;
    }
    LLVMValueRef v = core_value(c, a->i, o, (unsigned)bytes * 8, false);
    LLVMSetAlignment(LLVMBuildStore(c->e.b, v, area_address(a, at * LANES)), 16);
}

static void
take_out(struct call_area *a, const struct ptx_operand *o)
{
    struct core *c = a->c;
    uint64_t bytes = bytes_of(c, o), at = take_room(a, bytes);
    if (o->kind == PTX_O_SYMBOL && o->var) {
        move_structure(a, o, at, false);
        return;
    }
    LLVMValueRef v = LLVMBuildLoad2(c->e.b, core_vector(c, (unsigned)bytes * 8),
                                    area_address(a, at * LANES), "");
    LLVMSetAlignment(v, 16);
    core_write(c, a->i, o, v, false);
}

/* -- pointers ---------------------------------------------------------------------------------- */

/* What a launch has as the code of function `index`, which may be made only now; NULL: nothing. */
static LLVMValueRef
code_at(struct core *c, LLVMValueRef index, LLVMValueRef lanes, uint32_t place)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef ptr = LLVMPointerTypeInContext(c->e.context, 0);
    LLVMValueRef table = core_load_field(c, c->in.launch_ptr, FIELD(jit_launch, functions), ptr);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(b, ptr, table, &index, 1, "");
    LLVMValueRef code = LLVMBuildLoad2(b, ptr, at, "");
    if (!c->form.defers)
        return code;
    LLVMSetOrdering(code, LLVMAtomicOrderingAcquire);
    LLVMSetAlignment(code, sizeof(void *));
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b), make = core_new_block(c, "make"),
                      made = core_new_block(c, "made");
    LLVMBuildCondBr(b, LLVMBuildIsNull(b, code, ""), make, made);
    LLVMPositionBuilderAtEnd(b, make);
    LLVMValueRef number = LLVMBuildTrunc(b, index, core_scalar(c, 32), "");
    LLVMValueRef args[] = {c->e.warp, lanes, number, core_i32(c, place)};
    LLVMValueRef new = core_service(c, FIELD(jit_services, function), ptr, args, 4);
    LLVMBuildBr(b, made);
    LLVMPositionBuilderAtEnd(b, made);
    LLVMValueRef either = LLVMBuildPhi(b, ptr, ""), values[] = {code, new};
    LLVMAddIncoming(either, values, (LLVMBasicBlockRef[]){here, make}, 2);
    return either;
}

/* The code behind a pointer's value; ends the kernel when it is no function's. */
static LLVMValueRef
code_of(struct core *c, LLVMValueRef value, LLVMValueRef lanes, uint32_t place)
{
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef index = LLVMBuildLShr(
        b, LLVMBuildSub(b, value, core_i64(c, JIT_FUNCTION_TAG + 16), ""), core_i64(c, 4), "");
    LLVMBasicBlockRef look = core_new_block(c, "look"), bad = core_new_block(c, "bad"),
                      good = core_new_block(c, "good");
    LLVMValueRef in = LLVMBuildICmp(b, LLVMIntULT, index, core_i64(c, c->e.ptx->func_count), "");
    LLVMBuildCondBr(b, in, look, bad);
    LLVMPositionBuilderAtEnd(b, look);
    LLVMValueRef code = code_at(c, index, lanes, place);
    LLVMBuildCondBr(b, LLVMBuildIsNull(b, code, ""), bad, good);
    LLVMPositionBuilderAtEnd(b, bad);
    core_trap(c, lanes, JIT_TRAP_CALL, place);
    LLVMPositionBuilderAtEnd(b, good);
    return code;
}

/* Lanes with the first active lane's pointer, then the next ones, until all have been called. */
static void
call_pointers(struct core *c, const struct wir_insn *i, LLVMValueRef target, LLVMValueRef area)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef type = called_type(c);
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), loop = core_new_block(c, "callees"),
                      after = core_new_block(c, "called");
    LLVMValueRef all = core_mask_bits(c);
    LLVMBuildBr(b, loop);
    LLVMPositionBuilderAtEnd(b, loop);
    LLVMValueRef rest = LLVMBuildPhi(b, i32, "");
    LLVMValueRef count[] = {rest, LLVMConstInt(core_scalar(c, 1), 1, false)};
    LLVMValueRef lane = emit_intrinsic(&c->e, "llvm.cttz", &i32, 1, count, 2);
    LLVMValueRef value = LLVMBuildExtractElement(b, target, lane, "");
    LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, target, core_splat(c, value), "");
    LLVMValueRef lanes = LLVMBuildAnd(b, rest, emit_mask_to_bits(&c->e, same), "");
    LLVMValueRef code = code_of(c, value, lanes, i->place);
    LLVMValueRef args[] = {c->e.warp, lanes, area};
    LLVMBuildCall2(b, type, code, args, 3, "");
    LLVMValueRef left = LLVMBuildAnd(b, rest, LLVMBuildNot(b, lanes, ""), "");
    LLVMValueRef values[] = {all, left};
    LLVMBasicBlockRef from[] = {before, LLVMGetInsertBlock(b)};
    LLVMAddIncoming(rest, values, from, 2);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, left, core_i32(c, 0), ""), loop, after);
    LLVMPositionBuilderAtEnd(b, after);
}

static void
call_known(struct core *c, const struct wir_insn *i, const struct ptx_func *f, LLVMValueRef area)
{
    LLVMTypeRef type;
    char name[32] = "";
    core_function_name(f, name);
    LLVMValueRef lanes = core_mask_bits(c), args[] = {c->e.warp, lanes, area};
    LLVMValueRef code = c->form.defers ? code_at(c, core_i64(c, f->index), lanes, i->place)
                                       : core_callee(c, name, &type);
    LLVMBuildCall2(c->e.b, called_type(c), code, args, 3, "");
}

/* The area that a called function was given; NULL in a kernel. */
static LLVMValueRef
core_own_area(struct core *c)
{
    return c->form.called ? c->in.arguments
                          : LLVMConstNull(LLVMPointerTypeInContext(c->e.context, 0));
}

/* `count` times 16 bytes behind a struct jit_call that is filled in. */
static LLVMValueRef
new_area(struct core *c, const struct wir_insn *i, uint64_t count)
{
    _Static_assert(sizeof(struct jit_call) == 16, "the area behind it stays aligned");
    LLVMValueRef call = core_alloca(c, LLVMArrayType2(core_scalar(c, 128), count + 1));
    LLVMValueRef k = core_i64(c, sizeof(struct jit_call));
    core_store_field(c, call, FIELD(jit_call, caller), core_own_area(c));
    core_store_field(c, call, FIELD(jit_call, place), core_i32(c, i->place));
    return LLVMBuildInBoundsGEP2(c->e.b, core_scalar(c, 8), call, &k, 1, "");
}

/* What a kernel behind a pointer, which only launches it, leaves as they are. */
static void
clear_results(struct call_area a, const struct ptx_operand *results)
{
    struct core *c = a.c;
    for (uint32_t k = 0; results && k < results->count; k++) {
        uint64_t bytes = bytes_of(c, &results->elements[k]), at = take_room(&a, bytes);
        if (results->elements[k].kind != PTX_O_REG)
            continue;
        LLVMValueRef none = LLVMConstNull(core_vector(c, (unsigned)bytes * 8));
        LLVMSetAlignment(LLVMBuildStore(c->e.b, none, area_address(&a, at * LANES)), 16);
    }
}

bool
core_call(struct core *c, const struct wir_insn *i, const struct ptx_operand *results,
          const struct ptx_operand *target, const struct ptx_operand *args)
{
    c->e.lanes = LANES;
    c->e.mask = core_mask(c);
    uint64_t room = 64;
    for (uint32_t k = 0; args && k < args->count; k++)
        room += bytes_of(c, &args->elements[k]) + 15;
    for (uint32_t k = 0; results && k < results->count; k++)
        room += bytes_of(c, &results->elements[k]) + 15;
    struct call_area a = {.c = c, .i = i};
    a.at = new_area(c, i, room / 16 * LANES + LANES);
    if (!c->form.called) /* barriers in calls count the lanes that have not exited */
        core_store_field(c, c->e.warp, FIELD(jit_warp, lanes),
                         LLVMBuildLoad2(c->e.b, core_scalar(c, 32), c->lanes.alive, ""));
    for (uint32_t k = 0; args && k < args->count; k++)
        pass_in(&a, &args->elements[k]);
    if (target->kind != PTX_O_FUNC)
        clear_results(a, results);
    if (target->kind == PTX_O_FUNC)
        call_known(c, i, target->func, a.at);
    else
        call_pointers(c, i, core_value(c, i, target, 64, false), a.at);
    for (uint32_t k = 0; results && k < results->count; k++)
        take_out(&a, &results->elements[k]);
    return true;
}

/* -- the stack --------------------------------------------------------------------------------- */

void
core_stack_overflow(struct core *c, LLVMValueRef lanes, uint32_t place)
{
    core_store_field(c, c->e.warp, FIELD(jit_warp, calls), core_own_area(c));
    core_trap(c, lanes, JIT_TRAP_STACK, place);
}

/* The largest of the active lanes' values. */
static LLVMValueRef
largest(struct core *c, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMValueRef mine = LLVMBuildSelect(c->e.b, core_all_lanes(c), v, LLVMConstNull(type), "");
    return emit_intrinsic(&c->e, "llvm.vector.reduce.umax", &type, 1, &mine, 1);
}

/* Lanes share one stack pointer, that of the lane that needs most. A restore counts when all lanes
 * that are alive come to it: others may still use what lies above. */
static void
restore_stack(struct core *c, const struct wir_insn *i, LLVMValueRef base)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMValueRef to =
        LLVMBuildAdd(b, largest(c, core_value(c, i, &i->i.operand[0], 32, false)), base, "");
    LLVMValueRef now = core_load_field(c, c->e.warp, FIELD(jit_warp, stack), i32);
    LLVMValueRef alive = LLVMBuildLoad2(b, i32, c->lanes.alive, "");
    LLVMValueRef all = LLVMBuildICmp(b, LLVMIntEQ, core_mask_bits(c), alive, "");
    core_store_field(c, c->e.warp, FIELD(jit_warp, stack), LLVMBuildSelect(b, all, to, now, ""));
}

static void
take_stack(struct core *c, const struct wir_insn *i, LLVMValueRef base)
{
    LLVMBuilderRef b = c->e.b;
    const struct ptx_insn *p = &i->i;
    LLVMTypeRef i32 = core_scalar(c, 32);
    uint32_t align =
        p->operand_count > 2 && p->operand[2].imm > 16 ? (uint32_t)p->operand[2].imm : 16;
    LLVMValueRef now = core_load_field(c, c->e.warp, FIELD(jit_warp, stack), i32);
    LLVMValueRef first = LLVMBuildAdd(b, now, core_i32(c, align - 1), "");
    first = LLVMBuildAnd(b, first, core_i32(c, ~(align - 1)), "");
    LLVMValueRef size = largest(c, core_value(c, i, &p->operand[1], 32, false));
    LLVMValueRef top = LLVMBuildAdd(b, first, size, "");
    LLVMValueRef deep = LLVMBuildICmp(b, LLVMIntUGT, top, c->in.local_stride, "");
    deep = LLVMBuildOr(b, deep, LLVMBuildICmp(b, LLVMIntULT, top, size, ""), "");
    LLVMBasicBlockRef bad = core_new_block(c, "deep"), fine = core_new_block(c, "fine");
    LLVMBuildCondBr(b, deep, bad, fine);
    LLVMPositionBuilderAtEnd(b, bad);
    core_stack_overflow(c, core_mask_bits(c), i->place);
    LLVMPositionBuilderAtEnd(b, fine);
    core_store_field(c, c->e.warp, FIELD(jit_warp, stack), top);
    core_write(c, i, &p->operand[0], LLVMBuildSub(b, first, base, ""), false);
}

bool
core_stack(struct core *c, const struct wir_insn *i)
{
    LLVMTypeRef i32 = core_scalar(c, 32);
    LLVMValueRef base = c->form.called ? c->in.stack : core_i32(c, 0);
    if (i->i.op == PTX_OP_ALLOCA) {
        take_stack(c, i, base);
    } else if (i->i.op == PTX_OP_STACKRESTORE) {
        restore_stack(c, i, base);
    } else {
        LLVMValueRef now = core_load_field(c, c->e.warp, FIELD(jit_warp, stack), i32);
        core_write(c, i, &i->i.operand[0], LLVMBuildSub(c->e.b, now, base, ""), false);
    }
    return true;
}
