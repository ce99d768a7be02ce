/* SPDX-License-Identifier: Apache-2.0
 *
 * launch.c: one launch: is it possible on this device, its parameters, its run. Also what a kernel
 * needs: registers, shared memory, occupancy.
 */
#include "device/backend.h"

#include "check/check.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- reasons ----------------------------------------------------------------------------------- */

static enum device_result
fail_kernel(const struct ptx_func *f, enum device_result r, const char *format, va_list args)
{
    struct arena names = {0};
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    device_fail(r, "kernel \"%s\": %s", ls_readable_name(&names, f->name), text);
    arena_free(&names);
    return r;
}

enum device_result
refuse_kernel(const struct ptx_func *f, enum device_result r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_kernel(f, r, format, args);
    va_end(args);
    return r;
}

/* -- what a kernel needs ----------------------------------------------------------------------- */

static uint32_t
bounds_of(const struct ptx_func *f)
{
    const uint32_t *limit = f->limits.maxntid[0] ? f->limits.maxntid : f->limits.reqntid;
    uint32_t most = limit[0];
    for (int d = 1; d < 3; d++)
        most *= limit[d] ? limit[d] : 1;
    return most; /* 0: none */
}

/* What decides on the code of a launch. */
static void
describe(const struct device_launch *l, struct exec_request *out)
{
    const struct device_function *f = l->function;
    *out = (struct exec_request){.jit = device_process()->jit,
                                 .module = f->unit->ptx,
                                 .kernel = f->func,
                                 .cluster = {clusters_wanted(l)},
                                 .cooperative = l->cooperative,
                                 .abreast = f->device->profile->cc_major < 7,
                                 .schedule = device_process()->schedule,
                                 .tool = tool_of_process()};
    memcpy(out->grid, l->grid, sizeof out->grid);
    memcpy(out->block, l->block, sizeof out->block);
}

/* The code that will run. */
static const struct jit_kernel *
compile(const struct device_launch *l)
{
    struct ls_error err = {0};
    struct exec_request r;
    const struct jit_kernel *k = NULL;
    if (process_engine(device_process(), &err)) {
        describe(l, &r);
        k = exec_code(&r, &err);
    }
    if (!k)
        device_fail(DEVICE_INVALID_PTX, "%s", err.text);
    return k;
}

/* The result of a launch whose compile() failed: while the process ends that is no fault of the
 * PTX. */
static enum device_result
no_code(void)
{
    return process_ending() ? DEVICE_UNLOADING : DEVICE_INVALID_PTX;
}

/* For questions that no launch asks; NULL: a failure. */
static const struct jit_needs *
needs_of(struct device_function *f)
{
    struct ls_error err = {0};
    struct jit_needs *known = __atomic_load_n(&f->needs, __ATOMIC_ACQUIRE), found, *mine;
    if (known)
        return known;
    if (!process_engine(device_process(), &err) ||
        !jit_needs(device_process()->jit, f->unit->ptx, f->func, &found, &err)) {
        device_fail(DEVICE_INVALID_PTX, "%s", err.text);
        return NULL;
    }
    mine = ls_alloc(sizeof *mine);
    *mine = found;
    if (__atomic_compare_exchange_n(&f->needs, &known, mine, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return mine;
    ls_release(mine);
    return known;
}

/* Warps get whole units, and are dealt to the SM's schedulers, so that nine of them need the
 * registers of twelve. */
uint32_t
bounded_registers(const struct device_profile *p, uint32_t threads)
{
    if (threads > p->max_threads_per_block) /* .maxntid takes any number */
        threads = p->max_threads_per_block;
    uint32_t warps = (threads + p->warp_size - 1) / p->warp_size;
    if (!p->registers_per_warp)
        return p->registers_per_block / threads;
    uint32_t dealt = p->warp_allocation_granularity, unit = p->register_unit / p->warp_size;
    warps = (warps + dealt - 1) / dealt * dealt;
    return p->registers_per_block / (warps * p->warp_size) / unit * unit;
}

/* The estimate comes from live ranges before register allocation; ptxas would spill beyond what
 * the launch bounds or the device leave per thread. */
static uint32_t
registers_of(const struct device_function *f, const struct jit_needs *n)
{
    const struct device_profile *p = f->device->profile;
    uint32_t threads = bounds_of(f->func), most = p->max_registers_per_thread;
    if (threads && bounded_registers(p, threads) < most)
        most = bounded_registers(p, threads);
    if (f->func->limits.maxnreg && f->func->limits.maxnreg < most)
        most = f->func->limits.maxnreg;
    return n->registers < most ? n->registers : most;
}

static uint32_t
constant_bytes(const struct ptx_module *m)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < m->var_count; k++)
        if (m->vars[k]->space == PTX_SPACE_CONST)
            n += m->vars[k]->size;
    return (uint32_t)n;
}

static uint32_t
dynamic_limit(const struct device_function *f, uint32_t static_shared)
{
    uint32_t plain = f->device->profile->shared_per_block;
    plain = static_shared < plain ? plain - static_shared : 0;
    return f->max_dynamic_shared > plain ? f->max_dynamic_shared : plain;
}

static enum device_result
info(struct device_function *f, struct device_function_info *out)
{
    const struct device_profile *p = f->device->profile;
    const struct jit_needs *n = needs_of(f);
    if (!n)
        return DEVICE_INVALID_PTX;
    uint32_t bounds = bounds_of(f->func);
    *out = (struct device_function_info){
        .func = f->func,
        .device = f->device,
        .registers = registers_of(f, n),
        .static_shared = n->shared_bytes,
        .local_bytes = n->local_bytes,
        .constant_bytes = constant_bytes(f->unit->ptx),
        .max_threads =
            bounds && bounds < p->max_threads_per_block ? bounds : p->max_threads_per_block,
        .max_dynamic_shared = dynamic_limit(f, n->shared_bytes),
    };
    return DEVICE_OK;
}

enum device_result
launch_check_dynamic(const struct device_function *f, int64_t bytes, uint32_t static_shared)
{
    const struct device_profile *p = f->device->profile;
    uint32_t most = p->shared_per_block_optin > p->shared_per_block ? p->shared_per_block_optin
                                                                    : p->shared_per_block;
    if (bytes >= 0 && (uint64_t)bytes + static_shared <= most)
        return DEVICE_OK;
    return refuse_kernel(
        f->func, DEVICE_INVALID_VALUE,
        "%lld bytes of dynamic shared memory beside %u static ones: %s allows %u together",
        (long long)bytes, static_shared, p->name, most);
}

static enum device_result
set_max_dynamic_shared(struct device_function *f, int64_t bytes)
{
    const struct jit_needs *n = needs_of(f);
    enum device_result r = n ? launch_check_dynamic(f, bytes, n->shared_bytes) : DEVICE_INVALID_PTX;
    if (r == DEVICE_OK)
        f->max_dynamic_shared = (uint32_t)bytes;
    return r;
}

/* cudaFuncSetCacheConfig, else cudaDeviceSetCacheConfig, on the generations whose shared memory and
 * L1 are cut from one array by it (2.x and 3.x; "equal" only 3.x): bytes of shared memory an SM, 0
 * where nothing is wished. Numbers are those of enum cudaFuncCache. */
static uint32_t
wished_shared(const struct device_function *f)
{
    enum { NONE, SHARED, L1, EQUAL };
    const struct device_profile *p = f->device->profile;
    uint32_t config =
        f->settings.cache_config ? f->settings.cache_config : f->device->settings.cache_config;
    if (f->settings.carveout > 0)
        return (uint32_t)((uint64_t)p->shared_per_sm * (uint32_t)f->settings.carveout / 100);
    if (p->cc_major != 2 && p->cc_major != 3)
        return 0;
    if (config == L1)
        return model_carveout(p, 1);
    return config == EQUAL && p->cc_major == 3 ? model_carveout(p, model_carveout(p, 1) + 1) : 0;
}

static void
occupancy_of(const struct device_function *f, const struct jit_needs *n, uint32_t threads,
             uint64_t dynamic_shared, struct occupancy *out)
{
    const struct device_profile *p = f->device->profile;
    struct occupancy_query q = {.threads_per_block = threads,
                                .registers_per_thread = registers_of(f, n),
                                .static_shared = n->shared_bytes,
                                .dynamic_shared = dynamic_shared > UINT32_MAX - n->shared_bytes
                                                      ? UINT32_MAX - n->shared_bytes
                                                      : (uint32_t)dynamic_shared};
    q.shared_carveout = wished_shared(f);
    model_occupancy(p, &q, out);
}

static enum device_result
occupancy(struct device_function *f, uint32_t threads, uint64_t dynamic_shared,
          struct occupancy *out)
{
    const struct jit_needs *n = needs_of(f);
    if (!n)
        return DEVICE_INVALID_PTX;
    occupancy_of(f, n, threads, dynamic_shared, out);
    return DEVICE_OK;
}

/* -- is it possible ---------------------------------------------------------------------------- */

static enum device_result refuse(const struct device_launch *l, enum device_result r,
                                 const char *format, ...) __attribute__((format(printf, 3, 4)));

static enum device_result
refuse(const struct device_launch *l, enum device_result r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_kernel(l->function->func, r, format, args);
    va_end(args);
    return r;
}

static enum device_result
check_shape(const struct device_profile *p, const struct device_launch *l)
{
    static const char axis[] = "xyz";
    enum device_result too_large =
        clusters_wanted(l) ? DEVICE_INVALID_VALUE : DEVICE_INVALID_CONFIGURATION;
    uint64_t threads = 1;
    for (int d = 0; d < 3; d++) {
        threads *= l->block[d];
        if (!l->grid[d] || !l->block[d])
            return refuse(l, DEVICE_INVALID_CONFIGURATION,
                          "grid (%u,%u,%u) of blocks (%u,%u,%u) is empty", l->grid[0], l->grid[1],
                          l->grid[2], l->block[0], l->block[1], l->block[2]);
        if (l->grid[d] > p->max_grid[d])
            return refuse(l, DEVICE_INVALID_CONFIGURATION, "%u blocks in %c: %s allows %u",
                          l->grid[d], axis[d], p->name, p->max_grid[d]);
        if (l->block[d] > p->max_block[d])
            return refuse(l, too_large, "%u threads in %c: %s allows %u", l->block[d], axis[d],
                          p->name, p->max_block[d]);
    }
    if (threads > p->max_threads_per_block)
        return refuse(l, too_large, "%llu threads per block: %s allows %u",
                      (unsigned long long)threads, p->name, p->max_threads_per_block);
    uint32_t bounds = bounds_of(l->function->func);
    if (bounds && threads > bounds)
        return refuse(l, DEVICE_OUT_OF_RESOURCES,
                      "%llu threads per block: its launch bounds allow %u",
                      (unsigned long long)threads, bounds);
    const uint32_t *exact = l->function->func->limits.reqntid;
    for (int d = 0; d < 3 && exact[0]; d++)
        if (l->block[d] != (exact[d] ? exact[d] : 1))
            return refuse(l, DEVICE_INVALID_VALUE, "block (%u,%u,%u): it requires (%u,%u,%u)",
                          l->block[0], l->block[1], l->block[2], exact[0], exact[1] ? exact[1] : 1,
                          exact[2] ? exact[2] : 1);
    return DEVICE_OK;
}

enum device_result
launch_check_shared(const struct device_launch *l, uint32_t static_shared)
{
    const struct device_profile *p = l->function->device->profile;
    uint32_t limit = dynamic_limit(l->function, static_shared);
    uint32_t most = p->shared_per_block > p->shared_per_block_optin ? p->shared_per_block
                                                                    : p->shared_per_block_optin;
    if (static_shared <= most && l->dynamic_shared <= limit)
        return DEVICE_OK;
    bool more = p->shared_per_block_optin >= static_shared + l->dynamic_shared;
    return refuse(l, DEVICE_INVALID_VALUE,
                  "%llu bytes of shared memory (%u static, %llu dynamic): %s allows %u%s",
                  (unsigned long long)(static_shared + l->dynamic_shared), static_shared,
                  (unsigned long long)l->dynamic_shared, p->name,
                  static_shared <= most ? static_shared + limit : most,
                  more ? "; more after cudaFuncSetAttribute(..., "
                         "cudaFuncAttributeMaxDynamicSharedMemorySize, ...)"
                       : "");
}

/* A kernel without launch bounds gets as many registers as ptxas likes, and a block for which they
 * are too many is refused. The estimate may be up to twice as many as ptxas takes (all of 1,240
 * kernels that it compiled: docs/model.md), so that less than that is no reason. */
static enum device_result
check_registers(const struct device_profile *p, const struct device_launch *l,
                const struct jit_kernel *k)
{
    uint32_t threads = l->block[0] * l->block[1] * l->block[2],
             most = bounded_registers(p, threads), has = registers_of(l->function, &k->needs);
    return has <= 2 * most ? DEVICE_OK
                           : refuse(l, DEVICE_OUT_OF_RESOURCES, "about " DEVICE_TOO_MANY_REGISTERS,
                                    has, threads, most, threads);
}

static uint64_t
resident_blocks(const struct device_launch *l, const struct jit_kernel *k)
{
    struct occupancy o;
    const struct device_profile *p = l->function->device->profile;
    occupancy_of(l->function, &k->needs, l->block[0] * l->block[1] * l->block[2], l->dynamic_shared,
                 &o);
    return (uint64_t)(o.blocks_per_sm ? o.blocks_per_sm : 1) * (p->sm_count ? p->sm_count : 1);
}

enum device_result
launch_check_cooperative(const struct device_launch *l, uint64_t resident)
{
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    if (blocks <= resident)
        return DEVICE_OK;
    return refuse(l, DEVICE_COOPERATIVE_TOO_LARGE,
                  "a cooperative launch of %llu blocks: %s holds %llu at once",
                  (unsigned long long)blocks, l->function->device->profile->name,
                  (unsigned long long)resident);
}

static enum device_result
check(const struct device_launch *l, const struct jit_kernel **out_kernel)
{
    const struct device_profile *p = l->function->device->profile;
    const struct jit_kernel *k = *out_kernel = compile(l);
    if (!k)
        return no_code();
    uint32_t cluster[3];
    enum device_result r = clusters_of(l, cluster);
    r = r == DEVICE_OK ? launch_check_shared(l, k->needs.shared_bytes) : r;
    r = r == DEVICE_OK ? check_registers(p, l, k) : r;
    if (r != DEVICE_OK || !l->cooperative)
        return r;
    if (!p->cooperative_launch)
        return refuse(l, DEVICE_NOT_SUPPORTED, "%s has no cooperative launch", p->name);
    return launch_check_cooperative(l, resident_blocks(l, k));
}

static enum device_result
check_all(const struct device_launch *l, const struct jit_kernel **out_kernel)
{
    const struct device *d = l->function->device;
    enum device_result r = check_shape(d->profile, l);
    return r == DEVICE_OK ? d->backend->code->check(l, out_kernel) : r;
}

enum device_result
launch_check(const struct device_launch *l)
{
    const struct jit_kernel *k;
    if (!device_function_is(l->function))
        return device_fail(DEVICE_INVALID_HANDLE, "%p is no kernel", (void *)l->function);
    return check_all(l, &k);
}

/* -- parameters -------------------------------------------------------------------------------- */

/* Aligned as a tensor map must be. */
static uint8_t *
new_params(const struct ptx_func *f)
{
    return ls_alloc_lines(f->param_bytes);
}

enum device_result
device_params(const struct device_function *f, void **args, uint8_t **out)
{
    const struct ptx_func *func = f->func;
    *out = new_params(func);
    for (uint32_t k = 0; k < func->param_count; k++) {
        if (!args || !args[k]) {
            ls_release(*out);
            *out = NULL;
            return refuse_kernel(func, DEVICE_INVALID_VALUE,
                                 "parameter %u is missing (it takes %u)", k, func->param_count);
        }
        memcpy(*out + func->params[k]->param_offset, args[k], func->params[k]->size);
    }
    return DEVICE_OK;
}

enum device_result
launch_params(struct device_launch *l, const void *block, uint64_t size)
{
    const struct ptx_func *f = l->function->func;
    if (size > f->param_bytes)
        size = f->param_bytes;
    if (size < f->param_bytes)
        return refuse_kernel(f, DEVICE_INVALID_VALUE, "%llu bytes of parameters: it takes %llu",
                             (unsigned long long)size, (unsigned long long)f->param_bytes);
    l->params = new_params(f);
    memcpy(l->params, block, size);
    return DEVICE_OK;
}

/* -- running ----------------------------------------------------------------------------------- */

static enum device_result
result_of(const struct exec_report *r)
{
    switch (r->status) {
    case EXEC_OK: return DEVICE_OK;
    case EXEC_ILLEGAL_ADDRESS: return DEVICE_ILLEGAL_ADDRESS;
    case EXEC_MISALIGNED: return DEVICE_MISALIGNED;
    case EXEC_SURFACE:
    case EXEC_TRAP: return DEVICE_LAUNCH_FAILURE;
    case EXEC_ASSERT: return DEVICE_ASSERT;
    case EXEC_STACK: return DEVICE_STACK;
    case EXEC_INVALID_CALL: return DEVICE_INVALID_PC;
    case EXEC_ENDLESS:
    case EXEC_DEADLOCK: return DEVICE_LAUNCH_TIMEOUT;
    case EXEC_INVALID_MASK:
    case EXEC_INVALID_TENSOR:
    case EXEC_INVALID_BARRIER: return DEVICE_ILLEGAL_INSTRUCTION;
    case EXEC_FAILED: return DEVICE_LAUNCH_FAILURE;
    }
    return DEVICE_UNKNOWN;
}

static void
print_text(const char *text, size_t size, void *context)
{
    fwrite(text, 1, size, stdout);
    *(bool *)context = true;
}

/* The kernel's own failure is told at once and remembered: on a GPU it would be found later. */
static void
lose(struct device *d, const struct device_function *f, const struct exec_report *r)
{
    int none = DEVICE_OK;
    enum check_end how = r->status == EXEC_DEADLOCK          ? CHECK_END_DEADLOCK
                         : r->status == EXEC_ENDLESS         ? CHECK_END_ENDLESS
                         : r->status == EXEC_INVALID_BARRIER ? CHECK_END_BARRIER
                         : r->status == EXEC_ILLEGAL_ADDRESS || r->status == EXEC_MISALIGNED ||
                                 r->status == EXEC_SURFACE
                             ? CHECK_END_BOUNDS
                         : r->status == EXEC_ASSERT ? CHECK_END_ASSERT
                                                    : CHECK_END_OTHER;
    check_kernel_failed(tool_check(), how, f->unit->ptx, f->func, r->has_place, r->place, r->block,
                        r->thread, r->text + (r->status == EXEC_ASSERT ? r->detail : 0));
    if (!device_silenced() || !tool_check()) { /* a kernel that fails is never silent */
        fflush(stdout);
        ls_warn("%s", r->text);
    }
    atomic_compare_exchange_strong(&d->lost, &none, (int)result_of(r));
}

/* What exec is asked for; *printed: set when the kernel prints. */
static enum device_result
request_of(const struct device_launch *l, const struct jit_kernel *k, struct exec_request *r,
           bool *printed)
{
    struct device_function *f = l->function;
    struct device *d = f->device;
    const uint64_t *symbols = unit_symbols(d, f->unit);
    if (!symbols)
        return DEVICE_INVALID_IMAGE;
    uint64_t resident = resident_blocks(l, k);
    describe(l, r);
    r->memory = d->memory;
    r->dynamic_shared = (uint32_t)l->dynamic_shared;
    r->params = l->params;
    r->symbols = symbols;
    r->sm_count = d->profile->sm_count;
    r->resident_blocks = resident < UINT32_MAX ? (uint32_t)resident : UINT32_MAX;
    r->stack_limit = (uint32_t)d->limit[DEVICE_LIMIT_STACK];
    r->gridid = r->tool_id = ++d->launches;
    r->print = print_text;
    r->print_context = printed;
    enum device_result possible = clusters_of(l, r->cluster);
    for (int axis = 0; axis < 3 && f->func->limits.blocks_are_clusters && r->cluster[0]; axis++)
        r->grid[axis] *= r->cluster[axis];
    return possible;
}

enum device_result
launch_run_chain(const struct device_launch *const *launch, const uint64_t *behind, uint32_t count,
                 uint64_t piece)
{
    struct exec_link *link = ls_alloc(sizeof *link * count);
    struct device_function *f = launch[0]->function;
    struct exec_report report;
    uint64_t blocks = 0;
    uint32_t failed = 0;
    bool printed = false;
    enum device_result result = DEVICE_OK;
    for (uint32_t k = 0; k < count && result == DEVICE_OK; k++) {
        const struct jit_kernel *code;
        result = check_all(launch[k], &code);
        if (result == DEVICE_OK)
            result = request_of(launch[k], code, &link[k].request, &printed);
        link[k].behind = behind[k];
        blocks += launch[k]->grid[0];
    }
    _Atomic uint64_t *begun = result == DEVICE_OK ? progress_begin(f->func->name, blocks) : NULL;
    link[0].request.begun = begun;
    if (result == DEVICE_OK &&
        !exec_run_chain(device_process()->pool, link, count, piece, &failed, &report))
        lose(f->device, launch[failed]->function, &report);
    else if (printed)
        output_printed(f->func);
    progress_end(begun);
    ls_release(link);
    return result;
}

static enum device_result
launch(struct device_stream *s, const struct device_launch *l, const struct jit_kernel *k)
{
    struct device_function *f = l->function;
    struct exec_report report;
    struct exec_request r;
    bool printed = false;
    enum device_result result = request_of(l, k, &r, &printed);
    if (result != DEVICE_OK)
        return result;
    r.announced = pageable_reached(l);
    r.begun = progress_begin(f->func->name, (uint64_t)r.grid[0] * r.grid[1] * r.grid[2]);
    double begin = times_wanted() ? times_now() : 0;
    bool fine = exec_run(device_process()->pool, &r, &report);
    progress_end(r.begun);
    if (!fine)
        lose(f->device, f, &report);
    else if (times_wanted())
        times_launched(l, times_now() - begin);
    if (fine)
        outcome_launched(f->device, f->func);
    if (fine)
        clock_launched(s, tool_of_process());
    if (printed)
        fflush(stdout);
    if (printed && fine)
        output_printed(f->func);
    tool_launched();
    return DEVICE_OK;
}

enum device_result
launch_run(struct device_stream *s, const struct device_launch *l)
{
    const struct jit_kernel *k;
    enum device_result r = check_all(l, &k);
    return r == DEVICE_OK ? s->device->backend->code->launch(s, l, k) : r;
}

/* -- the back ends ----------------------------------------------------------------------------- */

static void
unload(struct device *d, struct unit *u)
{
}

const struct backend_code virtual_code = {
    .load = unit_allocate,
    .unload = unload,
    .info = info,
    .set_max_dynamic_shared = set_max_dynamic_shared,
    .occupancy = occupancy,
    .set_cluster_attribute = clusters_set_attribute,
    .active_clusters = clusters_active,
    .potential_cluster = clusters_potential,
    .check = check,
    .launch = launch,
};

enum device_result
device_function_info(struct device_function *f, struct device_function_info *out)
{
    return f->device->backend->code->info(f, out);
}

enum device_result
device_set_function_attribute(struct device_function *f, int number, int value)
{
    enum { MAX_DYNAMIC_SHARED = 8, CARVEOUT = 9 };
    const struct backend_code *code = f->device->backend->code;
    if (number == MAX_DYNAMIC_SHARED)
        return code->set_max_dynamic_shared(f, value);
    if (number >= DEVICE_CLUSTER_MUST_BE_SET && number <= DEVICE_CLUSTER_POLICY)
        return code->set_cluster_attribute(f, (enum device_cluster_attribute)number, value);
    if (number != CARVEOUT)
        return device_fail(DEVICE_INVALID_VALUE, "attribute %d cannot be set", number);
    if (value < -1 || value > 100)
        return device_fail(DEVICE_INVALID_VALUE, "a carveout of %d percent", value);
    device_function_settings_of(f)->carveout = value;
    return DEVICE_OK;
}

enum device_result
device_occupancy(struct device_function *f, uint32_t threads, uint64_t dynamic_shared,
                 struct occupancy *out)
{
    return f->device->backend->code->occupancy(f, threads, dynamic_shared, out);
}

/* Occupancy falls with the size. */
enum device_result
device_available_shared(struct device_function *f, uint32_t blocks, uint32_t threads, size_t *out)
{
    struct occupancy o;
    size_t low = 0, high = f->device->profile->shared_per_sm;
    enum device_result r = device_occupancy(f, threads, 0, &o);
    if (r != DEVICE_OK)
        return r;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        bool fit = device_occupancy(f, threads, middle, &o) == DEVICE_OK;
        if (fit && o.blocks_per_sm >= blocks)
            low = middle;
        else
            high = middle - 1;
    }
    *out = low;
    return DEVICE_OK;
}
