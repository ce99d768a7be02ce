/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/callees.c: functions that a kernel really calls: recursion, pointers, large ones. They are
 * emitted beside the kernel; of many instructions together, deferred: each is a module of its own,
 * compiled when a warp first calls it (engine/functions.c).
 */
#include "jit/engine/engine.h"
#include "jit/ops/ops.h"
#include "analysis/analysis.h"
#include "jit/function/function.h"
#include "jit/insn/insn.h"
#include "jit/tools/tools.h"

#include <stdio.h>
#include <string.h>

static void
want(struct unit *u, const struct ptx_func *f)
{
    for (size_t k = 0; k < u->callees.count; k++)
        if (u->callees.at[k].func == f)
            return;
    if (f->has_body)
        VEC_PUSH(&u->callees, ((struct jit_callee){.func = f}));
}

static void
want_calls(struct unit *u, const struct wir *f)
{
    for (uint32_t k = 0; k < f->call_count; k++)
        want(u, f->calls[k]);
    const struct ptx_module *m = u->request->module;
    if (!f->indirect || u->wants_pointed)
        return;
    bool *taken = ls_alloc(m->func_count + 1);
    u->wants_pointed = true; /* any of them may be behind a pointer */
    wir_addresses(m, taken);
    for (uint32_t k = 0; k < m->func_count; k++)
        if (taken[k])
            want(u, m->funcs[k]);
    ls_release(taken);
}

bool
jit_unit_callees(struct unit *u)
{
    uint64_t instructions = 0;
    want_calls(u, u->wir);
    for (size_t k = 0; k < u->callees.count; k++) {
        const struct ptx_func *f = u->callees.at[k].func;
        struct wir *wir = f->is_kernel ? NULL : jit_unit_wir(u, f);
        if (!wir && !f->is_kernel)
            return false;
        u->callees.at[k].wir = wir;
        if (wir)
            want_calls(u, wir);
        instructions += wir ? wir->insn_count : 0;
    }
    bool may = !tools_step(u->request) && !tools_passed(u->request) &&
               jit_on(jit_unit_off(u), PASS_DEFERRED_FUNCTIONS);
    u->defers = may && instructions >= JIT_DEFERRED;
    if (may && u->callees.count)
        jit_remark_kernel(u->remarks, PASS_DEFERRED_FUNCTIONS, u->defers,
                          "%llu instructions of %zu functions", (unsigned long long)instructions,
                          u->callees.count);
    return true;
}

void
jit_callees_free(struct unit *u)
{
    for (size_t k = 0; k < u->callees.count; k++)
        wir_free(u->callees.at[k].wir);
    VEC_FREE(&u->callees);
}

/* Whether lanes may wait in the function: for a barrier, by polling, or for their turn. */
bool
jit_function_waits(struct jit_image *m, const struct wir *f, bool scheduled)
{
    bool barrier = false, polls = false, outside = false, gives_way = false;
    for (uint32_t b = 0; b < f->block_count; b++)
        barrier |= f->blocks[b].end == WIR_BARRIER;
    for (uint32_t k = 0; scheduled && k < f->insn_count; k++)
        gives_way |= wir_gives_way(&f->insns[k].i);
    for (uint32_t l = 0; l < f->loop_count; l++) {
        polls |= f->loops[l].waits;
        outside |= f->loops[l].outside;
    }
    for (uint32_t k = 0; k < f->insn_count; k++) /* blocks that have not begun are taken over */
        outside |= f->insns[k].i.op == PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL;
    m->has_barrier |= barrier;
    m->polls |= polls;
    m->may_wait |= outside;
    return barrier || polls || gives_way;
}

static bool
emit_callee(struct unit *u, const struct ptx_func *f, const struct wir *wir)
{
    struct shape shape = {.any = true,
                          .separate = tools_step(u->request),
                          .small_grid = u->request->small_grid,
                          .abreast = u->request->abreast};
    char name[32];
    memcpy(shape.block, u->request->block, sizeof shape.block);
    struct facts *facts = facts_new(wir, &shape, emit_warp_uniform, u->err);
    bool ok = facts != NULL;
    if (ok) {
        struct core c = jit_unit_core(u, wir, facts);
        c.form.called = true;
        core_function_name(f, name);
        ok = core_function(&c, name);
        u->over |= c.e.over;
        LLVMDisposeBuilder(c.e.b);
        tools_free(c.tools);
        if (ok) {
            jit_vector_attributes(u->context, c.e.function);
            VEC_PUSH(&u->image->functions, f->index);
        }
    }
    facts_free(facts);
    return ok;
}

static LLVMValueRef
load_at(LLVMBuilderRef b, LLVMValueRef base, size_t offset)
{
    LLVMContextRef x = LLVMGetTypeContext(LLVMTypeOf(base));
    LLVMValueRef k = LLVMConstInt(LLVMInt64TypeInContext(x), offset, false);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(x), base, &k, 1, "");
    return LLVMBuildLoad2(b, LLVMPointerTypeInContext(x, 0), at, "");
}

/* A kernel behind a pointer: calling it launches it. */
static void
emit_launcher(struct unit *u, const struct ptx_func *f)
{
    LLVMTypeRef ptr = LLVMPointerTypeInContext(u->context, 0),
                i32 = LLVMInt32TypeInContext(u->context);
    LLVMTypeRef none = LLVMVoidTypeInContext(u->context);
    LLVMTypeRef type = LLVMFunctionType(none, (LLVMTypeRef[]){ptr, i32, ptr}, 3, false);
    LLVMTypeRef service = LLVMFunctionType(none, (LLVMTypeRef[]){ptr, i32, i32, ptr}, 4, false);
    char name[32];
    core_function_name(f, name);
    LLVMValueRef fn = LLVMGetNamedFunction(u->module, name);
    fn = fn ? fn : LLVMAddFunction(u->module, name, type);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(u->context);
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(u->context, fn, ""));
    LLVMValueRef warp = LLVMGetParam(fn, 0);
    LLVMValueRef block = load_at(b, warp, offsetof(struct jit_warp, block));
    LLVMValueRef launch = load_at(b, block, offsetof(struct jit_block, launch));
    LLVMValueRef services = load_at(b, launch, offsetof(struct jit_launch, services));
    LLVMValueRef args[] = {warp, LLVMGetParam(fn, 1), LLVMConstInt(i32, f->index, false),
                           LLVMGetParam(fn, 2)};
    LLVMBuildCall2(b, service, load_at(b, services, offsetof(struct jit_services, launch)), args, 4,
                   "");
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    VEC_PUSH(&u->image->functions, f->index);
}

/* Functions have the same names in every object: once everything is in place, they get its own. */
static void
name_function(struct unit *u, const struct ptx_func *f, const char *stem)
{
    char name[32], own[96];
    core_function_name(f, name);
    snprintf(own, sizeof own, "%s_%s", name, stem);
    LLVMSetValueName2(LLVMGetNamedFunction(u->module, name), own, strlen(own));
}

bool
jit_emit_callees(struct unit *u, const char *stem)
{
    struct jit_image *m = u->image;
    m->recursive = u->callees.count > 0 || core_uses_stack(u->wir);
    m->deferred = u->defers;
    for (size_t k = 0; k < u->callees.count; k++) {
        const struct jit_callee *f = &u->callees.at[k];
        if (f->wir)
            m->pauses |= jit_function_waits(m, f->wir, u->request->scheduled);
        if (u->defers)
            VEC_PUSH(&m->functions, f->func->index);
        else if (!f->wir)
            emit_launcher(u, f->func);
        else if (!emit_callee(u, f->func, f->wir))
            return false;
    }
    for (size_t k = 0; k < u->callees.count && !u->defers; k++)
        name_function(u, u->callees.at[k].func, stem);
    return true;
}

bool
jit_emit_function(struct unit *u, const char *stem)
{
    bool ok = true;
    if (u->function->is_kernel)
        emit_launcher(u, u->function);
    else
        ok = emit_callee(u, u->function, u->wir);
    if (ok)
        name_function(u, u->function, stem);
    return ok;
}
