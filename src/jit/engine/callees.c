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

/* -- what callers need of a function ------------------------------------------------------------
 *
 * Kept with the module: a kernel that defers its functions needs no more, and all of a module's
 * kernels may call the same ones (GCC's OpenMP: 408 kernels, each through libgomp's).
 */

/* What warp IR depends on but for the function (jit_unit_wir). */
struct called_as {
    uint64_t off;
    enum jit_pass last;
    unsigned code;
    bool scheduled, gives_way;
};

struct called {
    struct called *next;
    struct called_as as;
    struct waits waits;
    uint32_t instructions;
    bool indirect; /* pointers are called */
    uint32_t count;
    const struct ptx_func *calls[];
};

struct called_functions {
    struct ptx_derived derived; /* first */
    uint32_t count;
    struct called *of[]; /* per function of the module; atomic; grows at its head */
};

static void
called_release(struct ptx_derived *d)
{
    struct called_functions *all = (struct called_functions *)d;
    for (uint32_t k = 0; k < all->count; k++) {
        for (struct called *c = all->of[k], *next; c; c = next) {
            next = c->next;
            ls_release(c);
        }
    }
    ls_release(all);
}

static struct ptx_derived *
called_new(const struct ptx_module *m)
{
    struct called_functions *all = ls_alloc(sizeof *all + m->func_count * sizeof *all->of);
    all->derived.release = called_release;
    all->count = m->func_count;
    return &all->derived;
}

static struct called **
called_of(const struct unit *u, const struct ptx_func *f)
{
    struct ptx_derived *d = ptx_derive(u->request->module, PTX_CALLED_FUNCTIONS, called_new);
    return &((struct called_functions *)d)->of[f->index];
}

static struct called_as
called_as(const struct unit *u)
{
    const struct jit_request *r = u->request;
    return (struct called_as){jit_unit_off(u), u->last, tools_code(r), r->scheduled,
                              tools_give_way(r)};
}

static const struct called *
find_called(const struct unit *u, const struct ptx_func *f)
{
    struct called_as as = called_as(u);
    const struct called *c = __atomic_load_n(called_of(u, f), __ATOMIC_ACQUIRE);
    while (c && (c->as.off != as.off || c->as.last != as.last || c->as.code != as.code ||
                 c->as.scheduled != as.scheduled || c->as.gives_way != as.gives_way))
        c = c->next;
    return c;
}

static const struct called *
add_called(const struct unit *u, const struct ptx_func *f, const struct wir *wir)
{
    struct called **head = called_of(u, f);
    struct called *c = ls_alloc(sizeof *c + wir->call_count * sizeof *c->calls);
    *c = (struct called){.next = __atomic_load_n(head, __ATOMIC_ACQUIRE),
                         .as = called_as(u),
                         .waits = jit_waits(wir),
                         .instructions = wir->insn_count,
                         .indirect = wir->indirect,
                         .count = wir->call_count};
    c->waits.turn &= u->request->scheduled;
    if (wir->call_count)
        memcpy(c->calls, wir->calls, wir->call_count * sizeof *c->calls);
    while (
        !__atomic_compare_exchange_n(head, &c->next, c, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
    return c;
}

struct waits
jit_waits(const struct wir *f)
{
    struct waits w = {0};
    for (uint32_t b = 0; b < f->block_count; b++)
        w.barrier |= f->blocks[b].end == WIR_BARRIER;
    for (uint32_t l = 0; l < f->loop_count; l++) {
        w.polls |= f->loops[l].waits;
        w.outside |= f->loops[l].outside;
    }
    for (uint32_t k = 0; k < f->insn_count; k++) {
        w.turn |= wir_gives_way(&f->insns[k].i);
        /* blocks that have not begun are taken over */
        w.outside |= f->insns[k].i.op == PTX_OP_CLUSTERLAUNCHCONTROL_TRY_CANCEL;
    }
    return w;
}

void
jit_image_waits(struct jit_image *m, struct waits w)
{
    m->has_barrier |= w.barrier;
    m->polls |= w.polls;
    m->may_wait |= w.outside;
}

/* -- which functions, and whether they are deferred -------------------------------------------- */

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
want_calls(struct unit *u, const struct ptx_func *const *calls, uint32_t count, bool indirect)
{
    for (uint32_t k = 0; k < count; k++)
        want(u, calls[k]);
    const struct ptx_module *m = u->request->module;
    if (!indirect || u->wants_pointed)
        return;
    bool *taken = ls_alloc(m->func_count + 1);
    u->wants_pointed = true; /* any of them may be behind a pointer */
    wir_addresses(m, taken);
    for (uint32_t k = 0; k < m->func_count; k++)
        if (taken[k])
            want(u, m->funcs[k]);
    ls_release(taken);
}

/* Needs the warp IR of those alone of which nothing is kept. */
static bool
find_callee(struct unit *u, struct jit_callee *callee)
{
    callee->called = find_called(u, callee->func);
    if (callee->called)
        return true;
    callee->wir = jit_unit_wir(u, callee->func);
    callee->called = callee->wir ? add_called(u, callee->func, callee->wir) : NULL;
    return callee->wir != NULL;
}

bool
jit_unit_callees(struct unit *u)
{
    uint64_t instructions = 0;
    want_calls(u, u->wir->calls, u->wir->call_count, u->wir->indirect);
    for (size_t k = 0; k < u->callees.count; k++) {
        struct jit_callee callee = u->callees.at[k];
        if (callee.func->is_kernel)
            continue;
        bool found = find_callee(u, &callee);
        u->callees.at[k] = callee; /* before others are wanted: the array may move */
        if (!found)
            return false;
        const struct called *c = callee.called;
        want_calls(u, c->calls, c->count, c->indirect);
        instructions += c->instructions;
    }
    bool may = !tools_step(u->request) && !tools_passed(u->request) &&
               jit_on(jit_unit_off(u), PASS_DEFERRED_FUNCTIONS);
    u->defers = may && instructions >= JIT_DEFERRED;
    if (may && u->callees.count)
        jit_remark_kernel(u->remarks, PASS_DEFERRED_FUNCTIONS, u->defers,
                          "%llu instructions of %zu functions", (unsigned long long)instructions,
                          u->callees.count);
    bool ok = true;
    for (size_t k = 0; k < u->callees.count && ok && !u->defers; k++) {
        struct jit_callee *f = &u->callees.at[k];
        if (f->called && !f->wir)
            ok = (f->wir = jit_unit_wir(u, f->func)) != NULL;
    }
    return ok;
}

void
jit_callees_free(struct unit *u)
{
    for (size_t k = 0; k < u->callees.count; k++)
        wir_free(u->callees.at[k].wir);
    VEC_FREE(&u->callees);
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
        if (f->called) {
            struct waits w = f->called->waits;
            jit_image_waits(m, w);
            m->pauses |= w.barrier || w.polls || w.turn;
        }
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
