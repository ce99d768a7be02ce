/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/compile.c: one kernel is compiled: PTX, LLVM's form, object code. Start at jit_compile(),
 * which is the pipeline in order. Several threads may be in here at once: what a compile changes is
 * its own (struct unit), its code generator too.
 */
#include "jit/engine/engine.h"
#include "jit/engine/budget.h"
#include "jit/build/value.h"
#include "jit/function/function.h"
#include "jit/insn/insn.h"
#include "jit/opt/opt.h"
#include "jit/ops/ops.h"
#include "jit/post/post.h"
#include "jit/tools/tools.h"
#include "jit/versions/versions.h"
#include "analysis/analysis.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Registers become SSA values, masks and patterns fold, address arithmetic leaves loops. No loop
 * transformations: the front end has done them on the scalar program, and vectors of 32 lanes leave
 * little for them. GVN finds the loads that two uses of one address share. */
static const char passes[] =
    "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(licm),gvn,instcombine<no-verify-fixpoint>,simplifycfg,adce)";

/* The same for functions of whole blocks: loops over the warps that are to be unrolled are, and
 * loops of which the block's shape leaves one turn are none (tiles of transposes: 9.4 ms, 8.9). */
static const char block_passes[] =
    "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(licm),loop(loop-unroll-full),instcombine<no-verify-fixpoint>,"
    "loop(loop-deletion),gvn,instcombine<no-verify-fixpoint>,simplifycfg,adce)";

/* For functions whose registers stay in memory: blocks are optimised by themselves. GVN would look
 * for each load through the blocks before it. */
static const char memory_passes[] = "function(sroa,early-cse<memssa>,instcombine<no-verify-"
                                    "fixpoint>,simplifycfg,early-cse<memssa>,adce)";

/* For quick code: what has to be done for memory_passes' form to be small. The code generator,
 * which is quick as well, takes each instruction by itself: to combine them costs more than it
 * saves. */
static const char quick_passes[] = "function(sroa,early-cse,adce)";

/* Registers become SSA values: what comes together in phis shows whether more is worth a try. */
static const char trial_passes[] = "function(sroa)";

/* After jit_forward(): shuffles of shuffles, and what they leave unused. */
static const char forward_passes[] = "function(instcombine<no-verify-fixpoint>,early-cse,adce)";

/* -- one warp function ------------------------------------------------------------------------- */

static void
add_attribute(LLVMContextRef context, LLVMValueRef f, const char *key, const char *value)
{
    LLVMAttributeRef a = LLVMCreateStringAttribute(context, key, (unsigned)strlen(key), value,
                                                   (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

/* stackrealign: spilled vectors lie in one line of the cache each; LLVM aligns the stack for them
 * only when it knows before it allocates registers that there will be any. */
void
jit_vector_attributes(LLVMContextRef context, LLVMValueRef f)
{
    add_attribute(context, f, "min-legal-vector-width", "512");
    add_attribute(context, f, "prefer-vector-width", "512");
    add_attribute(context, f, "stackrealign", "");
}

/* An access to address 0 is an error to report, not something that never happens. */
static void
add_null_is_valid(LLVMContextRef context, LLVMValueRef f)
{
    static const char name[] = "null_pointer_is_valid";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, kind, 0));
}

/* The last form may be, until launches have shown that better code pays (engine/kernels.c). */
static bool
may_be_quick(const struct unit *u)
{
    return u->tier == JIT_TIER_MEMORY && !u->better &&
           (u->function || u->request->warps <= JIT_QUICK_WARPS) && !tools_step(u->request) &&
           jit_on(jit_unit_off(u), PASS_QUICK_FIRST);
}

/* It will be, and accesses are calls. */
static bool
shares_accesses(const struct unit *u)
{
    return may_be_quick(u) && u->wir->insn_count >= JIT_QUICK_CALLS &&
           jit_on(jit_unit_off(u), PASS_SHARED_ACCESSES);
}

static void
begin_emit(const struct unit *u, struct emit *e)
{
    *e = (struct emit){.context = u->context,
                       .module = u->module,
                       .ptx = u->request->module,
                       .lanes = LANES,
                       .err = u->err,
                       .narrow = u->engine->narrow,
                       .off = jit_unit_off(u) | (shares_accesses(u) ? JIT_QUICK_BARRED : 0),
                       .most = u->tier == JIT_TIER_MEMORY ? 0 : u->engine->emitted_most,
                       .remarks = u->remarks,
                       .lines = u->lines};
    e->b = LLVMCreateBuilderInContext(u->context);
}

struct core
jit_unit_core(const struct unit *u, const struct wir *wir, struct facts *facts)
{
    struct core c = {.wir = wir,
                     .facts = facts,
                     .tools = tools_new(u->request),
                     .form = {.in_memory = u->tier == JIT_TIER_MEMORY,
                              .defers = u->defers,
                              .shares = shares_accesses(u),
                              .cluster = u->request->cluster,
                              .scheduled = u->request->scheduled,
                              .steps = tools_step(u->request),
                              .passed = tools_passed(u->request)}};
    begin_emit(u, &c.e);
    return c;
}

/* Remarks at one instruction, of the passes that are to be shown. */
static void
print_notes(void *unit, uint32_t place, struct text *out)
{
    const struct unit *u = unit;
    for (size_t k = 0; k < u->remarks->at.count; k++) {
        const struct jit_remark *r = &u->remarks->at.at[k];
        if (r->place == place && r->pass >= u->first && r->pass <= u->last)
            text_add(out, "        // %s: %s: %s\n", jit_passes[r->pass].name,
                     r->fired ? "fired" : "missed", r->text);
    }
}

static bool
emit_variant(struct unit *u, bool partial, const char *name)
{
    struct shape shape = {.partial = partial,
                          .small_grid = u->request->small_grid,
                          .separate = tools_step(u->request),
                          .apart = u->request->apart || tools_step(u->request),
                          .abreast = u->request->abreast};
    memcpy(shape.block, u->request->block, sizeof shape.block);
    struct facts *facts = facts_new(u->wir, &shape, emit_warp_uniform, u->err);
    if (!facts)
        return false;
    if (u->classes) {
        text_add(u->classes, "%s, block %u x %u x %u%s\n", u->request->kernel->name, shape.block[0],
                 shape.block[1], shape.block[2], partial ? ", last warp" : "");
        facts_print(facts, u->classes);
    }
    struct core c = jit_unit_core(u, u->wir, facts);
    if (u->request->whole && !partial && u->tier == JIT_TIER_FULL)
        c.regions = core_regions_new(&c);
    c.form.alone = u->request->whole && !c.regions && core_barriers_pass(&c);
    if (c.form.alone) /* its warps return at none; functions that are called say so by themselves */
        u->image->has_barrier = false;
    u->image->has_block |= c.regions != NULL;
    shape.converged = true;
    bool converged = c.regions && emit_on(&c.e, PASS_CONVERGED_PATTERNS);
    struct facts *without_parting =
        converged ? facts_new(u->wir, &shape, emit_warp_uniform, u->err) : NULL;
    c.converged = without_parting;
    bool ok = core_function(&c, name);
    u->over |= c.e.over;
    LLVMDisposeBuilder(c.e.b);
    facts_free(without_parting);
    core_regions_free(c.regions);
    tools_free(c.tools);
    if (ok && u->graph) {
        jit_remarks_sort(u->remarks);
        facts_print_wir(facts, print_notes, u, u->graph);
    }
    if (ok) {
        add_null_is_valid(u->context, c.e.function);
        jit_vector_attributes(u->context, c.e.function);
        if (c.form.local_words)
            add_attribute(u->context, c.e.function, jit_local_words, "");
        if (c.saved.frame_bytes > u->image->frame_bytes)
            u->image->frame_bytes = c.saved.frame_bytes;
    }
    facts_free(facts);
    return ok;
}

void
jit_names(const char *stem, char full[64], char partial[64])
{
    snprintf(full, 64, "warp_%s_full", stem);
    snprintf(partial, 64, "warp_%s_last", stem);
}

static bool
emit_module(struct unit *u, const char *stem)
{
    const uint32_t *b = u->request->block;
    uint32_t threads = b[0] * b[1] * b[2];
    char full[64], partial[64];
    jit_names(stem, full, partial);
    u->image->has_full = threads >= LANES;
    u->image->has_partial = threads % LANES != 0;
    return (!u->image->has_full || emit_variant(u, false, full)) &&
           (!u->image->has_partial || emit_variant(u, true, partial)) && jit_emit_callees(u, stem);
}

static bool
check_llvm(struct unit *u, LLVMErrorRef e, const char *what)
{
    if (!e)
        return true;
    char *text = LLVMGetErrorMessage(e);
    ls_fail(u->err, LS_ERR_INTERNAL, "%s: %s: %s", u->request->kernel->name, what, text);
    LLVMDisposeErrorMessage(text);
    return false;
}

static bool
run_passes(struct unit *u, const char *which)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e = LLVMRunPasses(u->module, which, u->machine, options);
    LLVMDisposePassBuilderOptions(options);
    return check_llvm(u, e, "optimising");
}

/* A pass over the module: what it changed, as a remark; whether the next one is to follow. */
static bool
note_changes(struct unit *u, enum jit_pass pass, unsigned changes, const char *what)
{
    if (changes)
        jit_remark_kernel(u->remarks, pass, true, "%u %s", changes, what);
    else
        jit_remark_kernel(u->remarks, pass, false, "no %s", what);
    return u->last != pass;
}

/* Passes of the stage LLVM, after LLVM's own. */
static bool
run_llvm_passes(struct unit *u)
{
    uint64_t off = jit_unit_off(u);
    if (u->image->has_block && jit_on(off, PASS_FORWARDED_STORES)) {
        unsigned n = jit_forward(u->module, u->wir->shared_bytes);
        if (n && !run_passes(u, forward_passes))
            return false;
        if (!note_changes(u, PASS_FORWARDED_STORES, n, "loads and stores of shared memory"))
            return true;
    }
    if (jit_on(off, PASS_WINDOW_LOADS) &&
        !note_changes(u, PASS_WINDOW_LOADS, jit_windows(u->module),
                      "windows of overlapping vectors"))
        return true;
    if (jit_on(off, PASS_INDEXED_GATHERS))
        jit_index_near(u->module);
    if (jit_on(off, PASS_ORDERED_SUMS) && !u->image->quick_ms &&
        !note_changes(u, PASS_ORDERED_SUMS, jit_order_sums(u->module),
                      "stretches of independent sums or private accesses that went"))
        return true;
    const struct emit host = {.narrow = u->engine->narrow};
    jit_avoid_defects(u->module, host_has_avx512(&host));
    if (!u->image->has_block && jit_on(off, PASS_PIECES))
        note_changes(u, PASS_PIECES, jit_pieces(u->module), "long basic blocks");
    return true;
}

static bool
take_machine(struct unit *u, enum jit_effort effort)
{
    if (u->machine && u->effort != effort)
        jit_machine_give(u->engine, u->effort, u->machine);
    if (!u->machine || u->effort != effort)
        u->machine = jit_machine_take(u->engine, effort, u->err);
    u->effort = effort;
    return u->machine != NULL;
}

static const char *
passes_of(const struct unit *u)
{
    return u->image->quick_ms || tools_step(u->request) ? quick_passes
           : u->tier == JIT_TIER_MEMORY                 ? memory_passes
           : u->image->has_block                        ? block_passes
                                                        : passes;
}

static bool
verify(struct unit *u)
{
    /* Always: a defect in an emitter ends in a message, not in a crash of LLVM. Under 1 % of the
     * time of a compile. */
    char *text = NULL;
    bool bad = LLVMVerifyModule(u->module, LLVMReturnStatusAction, &text);
    if (bad)
        ls_fail(u->err, LS_ERR_INTERNAL, "%s: the generated code is not valid: %.800s",
                u->request->kernel->name, text);
    LLVMDisposeMessage(text);
    return !bad;
}

/* Where that is large, and where a better form takes too long. */
static void
choose_quick(struct unit *u, uint64_t emitted)
{
    bool large =
        emitted >= JIT_QUICK_EMITTED || u->aim < u->tier || shares_accesses(u) || u->function;
    if (may_be_quick(u))
        jit_remark_kernel(u->remarks, PASS_QUICK_FIRST, large, "%llu instructions",
                          (unsigned long long)emitted);
    u->image->quick_ms = may_be_quick(u) && large;
}

/* Whether quick code is to come instead of this form, which is compiled when it pays. */
static bool
is_put_off(const struct unit *u, uint64_t size, uint64_t most)
{
    return u->hurry && u->tier != JIT_TIER_MEMORY && size > most;
}

/* *fits: whether code may be generated of it; else it was left where that became clear. */
static bool
optimise(struct unit *u, bool *fits)
{
    bool last = u->tier == JIT_TIER_MEMORY; /* there is nothing smaller */
    uint64_t emitted = jit_size(u->module, false), most = u->engine->optimised_most;
    *fits = last || emitted <= u->engine->emitted_most;
    u->put_off = *fits && is_put_off(u, emitted, JIT_QUICK_TRIED);
    *fits &= !u->put_off;
    if (!*fits)
        return true;
    choose_quick(u, emitted);
    bool quick = u->image->quick_ms != 0;
    if (!verify(u) || (quick && !take_machine(u, JIT_EFFORT_LEAST)))
        return false;
    jit_machine_aim(u->machine, u->module);
    if (!last && emitted > JIT_TRIAL_EMITTED) {
        if (!run_passes(u, trial_passes))
            return false;
        *fits = jit_size(u->module, true) / JIT_TRIAL_FACTOR <= most;
        if (!*fits)
            return true;
    }
    if (!run_passes(u, passes_of(u)))
        return false;
    uint64_t size = jit_size(u->module, true);
    *fits = last || size <= most;
    u->put_off = *fits && is_put_off(u, size, JIT_QUICK_OPTIMISED);
    *fits &= !u->put_off;
    if (!*fits)
        return true;
    return run_llvm_passes(u) && (size <= most || take_machine(u, JIT_EFFORT_LEAST));
}

static void
describe(struct unit *u)
{
    const struct wir *f = u->wir;
    const struct jit_request *r = u->request;
    u->image->needs = (struct jit_needs){f->local_bytes, f->shared_bytes, u->registers};
    struct jit_needs plain;
    struct ls_error ignored;
    if (!(tools_code(r) & TOOLS_LIVE) &&
        jit_needs(u->engine, r->module, r->kernel, &plain, &ignored))
        u->image->needs.registers = plain.registers;
    jit_image_waits(u->image, jit_waits(f));
}

/* Pass own-waits: blocks whose loops wait for warps of their own block or cluster alone are dealt
 * as such as never wait. */
static void
choose_dealing(struct unit *u)
{
    struct jit_image *m = u->image;
    if (!m->polls)
        return;
    if (!jit_on(jit_unit_off(u), PASS_OWN_WAITS))
        m->may_wait = true;
    else if (m->may_wait)
        jit_remark_kernel(u->remarks, PASS_OWN_WAITS, false, "a loop may wait for other blocks");
    else
        jit_remark_kernel(u->remarks, PASS_OWN_WAITS, true, "loops wait for the block's own warps");
}

/* Emits one form of the kernel and runs LLVM's passes over it. *fits: it is no larger than the
 * budget allows. */
static bool
build_form(struct unit *u, const char *stem, bool *fits)
{
    u->context = LLVMContextCreate();
    u->module = LLVMModuleCreateWithNameInContext(u->request->kernel->name, u->context);
    u->over = false;
    if (!u->function)
        describe(u);
    u->lines = u->engine->debugger ? lines_new(u->module, u->request->module) : NULL;
    bool whole = u->function ? jit_emit_function(u, stem) : emit_module(u, stem);
    lines_end(u->lines);
    if (!u->function)
        choose_dealing(u);
    if (whole)
        return optimise(u, fits);
    *fits = u->put_off = false;
    return u->over;
}

static void
drop_form(struct unit *u)
{
    if (u->module)
        LLVMDisposeModule(u->module);
    if (u->context)
        LLVMContextDispose(u->context);
    u->module = NULL;
    u->context = NULL;
    VEC_FREE(&u->image->functions);
    *u->image = (struct jit_image){0};
}

static enum jit_effort
effort_of(const struct unit *u)
{
    return tools_step(u->request)       ? JIT_EFFORT_LEAST /* a debugger is not to be waited for */
           : u->tier == JIT_TIER_MEMORY ? JIT_EFFORT_LESS
                                        : JIT_EFFORT_USUAL;
}

/* The form after one that was left. Of one that was put off better code is tried first. */
static enum jit_tier
next_tier(struct unit *u, bool block)
{
    enum jit_tier next = block ? JIT_TIER_WARP : JIT_TIER_MEMORY;
    u->aim = u->put_off ? u->tier : next;
    return u->put_off ? JIT_TIER_MEMORY : next;
}

/* The first form that is within the budget. A kernel that has no function of whole blocks is the
 * same in the second one as in the first. */
bool
jit_unit_begin(struct unit *u, const char *stem)
{
    bool fits = false;
    u->wir = jit_unit_wir(u, u->function ? u->function : u->request->kernel);
    if (!u->wir || (!u->function && !jit_unit_callees(u)))
        return false;
    if (tools_step(u->request))
        u->tier = u->aim = JIT_TIER_MEMORY;
    for (;;) {
        if (!take_machine(u, effort_of(u)) || !build_form(u, stem, &fits))
            return false;
        if (fits)
            break;
        bool block = u->image->has_block;
        drop_form(u);
        u->classes = NULL; /* they are the same */
        u->tier = next_tier(u, block);
    }
    u->image->tier = u->tier;
    u->image->aim = u->aim;
    return true;
}

void
jit_unit_end(struct unit *u)
{
    if (u->module)
        LLVMDisposeModule(u->module);
    if (u->context)
        LLVMContextDispose(u->context);
    if (u->machine)
        jit_machine_give(u->engine, u->effort, u->machine);
    wir_free(u->wir);
    jit_callees_free(u);
}

bool
jit_unit_generate(struct unit *u, LLVMCodeGenFileType type, LLVMMemoryBufferRef *out)
{
    char *text = NULL;
    jit_machine_generates(u->machine, u->module);
    if (!LLVMTargetMachineEmitToMemoryBuffer(u->machine, u->module, type, &text, out))
        return true;
    ls_fail(u->err, LS_ERR_INTERNAL, "%s: generating code: %s", u->request->kernel->name, text);
    LLVMDisposeMessage(text);
    return false;
}

static void
say_remarks(const struct unit *u)
{
    const char *to = u->engine->remarks;
    bool terminal = !*to || !strcmp(to, "1") || !strcmp(to, "-");
    struct text out = {0};
    jit_remarks_sort(u->remarks);
    jit_remarks_print(u->remarks, u->request->module, u->request->kernel->name, u->engine->off,
                      tools_code(u->request), &out);
    FILE *f = terminal ? stderr : fopen(to, "a");
    if (!f)
        ls_warn("remarks cannot be written to %s", to);
    if (f && out.count)
        fputs(out.at, f);
    if (f && !terminal)
        fclose(f);
    text_free(&out);
}

/* Emits, optimises and generates. */
static bool
compile(struct unit *u, const char *stem)
{
    LLVMMemoryBufferRef object = NULL;
    struct jit_image *image = u->image;
    bool ok = jit_unit_begin(u, stem) && jit_unit_generate(u, LLVMObjectFile, &object);
    if (ok) {
        image->size = LLVMGetBufferSize(object);
        image->code = ls_alloc(image->size);
        memcpy(image->code, LLVMGetBufferStart(object), image->size);
        LLVMDisposeMemoryBuffer(object);
    }
    if (ok && u->remarks)
        say_remarks(u);
    jit_unit_end(u);
    return ok;
}

bool
jit_compile(struct jit_engine *engine, const struct jit_request *r, const char *stem, bool better,
            enum jit_tier from, struct jit_image *image, struct ls_error *err)
{
    struct jit_remarks remarks = {0};
    struct unit u = {.engine = engine,
                     .request = r,
                     .tier = from,
                     .aim = from,
                     .better = better,
                     .image = image,
                     .err = err,
                     .last = PASS_NONE,
                     .remarks = engine->remarks ? &remarks : NULL};
    u.hurry = !better && r->whole && r->warps <= JIT_QUICK_WARPS &&
              jit_on(jit_unit_off(&u), PASS_QUICK_FIRST);
    bool ok = compile(&u, stem);
    jit_remarks_free(&remarks);
    return ok;
}

bool
jit_compile_function(struct jit_engine *engine, const struct jit_request *r, const char *stem,
                     bool quick, struct jit_image *image, struct ls_error *err)
{
    struct jit_remarks remarks = {0};
    enum jit_tier tier = quick ? JIT_TIER_MEMORY : JIT_TIER_WARP;
    struct unit u = {.engine = engine,
                     .request = r,
                     .function = r->kernel,
                     .defers = true,
                     .tier = tier,
                     .aim = tier,
                     .better = !quick,
                     .image = image,
                     .err = err,
                     .last = PASS_NONE,
                     .remarks = engine->remarks ? &remarks : NULL};
    bool ok = compile(&u, stem);
    jit_remarks_free(&remarks);
    return ok;
}
