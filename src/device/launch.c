/* SPDX-License-Identifier: Apache-2.0
 *
 * launch.c: one launch: is it possible on this device, its parameters, its run.
 */
#include "device/device_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum device_status
refuse(struct exec_report *r, enum device_status s, const char *kernel, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static enum device_status
refuse(struct exec_report *r, enum device_status s, const char *kernel, const char *format, ...)
{
    va_list args;
    int n = snprintf(r->text, sizeof r->text, "kernel \"%s\": ", kernel);
    va_start(args, format);
    vsnprintf(r->text + n, sizeof r->text - (size_t)n, format, args);
    va_end(args);
    r->status = EXEC_FAILED;
    return s;
}

static enum device_status
check_shape(const struct device_profile *p, const struct device_launch *l, struct exec_report *r)
{
    const struct ptx_func *f = l->function->func;
    static const char axis[] = "xyz";
    uint64_t threads = 1, most = 1;
    for (int d = 0; d < 3; d++) {
        threads *= l->block[d];
        if (!l->grid[d] || !l->block[d])
            return refuse(r, DEVICE_INVALID_CONFIGURATION, f->name,
                          "grid (%u,%u,%u) of blocks (%u,%u,%u) is empty", l->grid[0], l->grid[1],
                          l->grid[2], l->block[0], l->block[1], l->block[2]);
        if (l->grid[d] > p->max_grid[d])
            return refuse(r, DEVICE_INVALID_CONFIGURATION, f->name,
                          "%u blocks in %c: %s allows %u", l->grid[d], axis[d], p->name,
                          p->max_grid[d]);
        if (l->block[d] > p->max_block[d])
            return refuse(r, DEVICE_INVALID_CONFIGURATION, f->name,
                          "%u threads in %c: %s allows %u", l->block[d], axis[d], p->name,
                          p->max_block[d]);
    }
    if (threads > p->max_threads_per_block)
        return refuse(r, DEVICE_INVALID_CONFIGURATION, f->name,
                      "%llu threads per block: %s allows %u", (unsigned long long)threads, p->name,
                      p->max_threads_per_block);
    const uint32_t *limit = f->maxntid[0] ? f->maxntid : f->reqntid;
    for (int d = 0; d < 3; d++)
        most *= limit[d] ? limit[d] : 1;
    if (limit[0] && threads > most)
        return refuse(r, DEVICE_OUT_OF_RESOURCES, f->name,
                      "%llu threads per block: its launch bounds allow %llu",
                      (unsigned long long)threads, (unsigned long long)most);
    return DEVICE_OK;
}

static enum device_status
check_shared(const struct device_profile *p, const struct device_launch *l,
             const struct jit_kernel *k, struct exec_report *r)
{
    const struct ptx_func *f = l->function->func;
    uint64_t limit = p->shared_per_block;
    if (l->function->max_dynamic_shared) {
        limit = (uint64_t)k->shared_bytes + l->function->max_dynamic_shared;
        limit = limit < p->shared_per_block ? p->shared_per_block : limit;
    }
    if (k->shared_bytes + l->dynamic_shared > limit)
        return refuse(r, DEVICE_INVALID_VALUE, f->name,
                      "%llu bytes of shared memory (%u static, %llu dynamic): %s allows %llu%s",
                      (unsigned long long)(k->shared_bytes + l->dynamic_shared), k->shared_bytes,
                      (unsigned long long)l->dynamic_shared, p->name, (unsigned long long)limit,
                      p->shared_per_block_optin > limit ? " (more with cudaFuncSetAttribute)" : "");
    return DEVICE_OK;
}

const struct jit_kernel *
device_kernel(const struct device_function *f, const uint32_t block[3], struct ls_error *err)
{
    const struct ptx_module *m = device_module_ptx(f->module, err);
    if (!m)
        return NULL;
    struct jit_request r = {.module = m, .kernel = f->func};
    memcpy(r.block, block, sizeof r.block);
    return jit_get(device_process()->jit, &r, err);
}

static bool
gather_params(const struct device_launch *l, uint8_t *params, struct exec_report *r)
{
    const struct ptx_func *f = l->function->func;
    if (!l->args && l->params) {
        if (l->params_size < f->param_bytes) {
            refuse(r, DEVICE_INVALID_VALUE, f->name, "%zu bytes of parameters: it takes %llu",
                   l->params_size, (unsigned long long)f->param_bytes);
            return false;
        }
        memcpy(params, l->params, f->param_bytes);
        return true;
    }
    for (uint32_t k = 0; k < f->param_count; k++) {
        if (!l->args || !l->args[k]) {
            refuse(r, DEVICE_INVALID_VALUE, f->name, "parameter %u is missing", k);
            return false;
        }
        memcpy(params + f->params[k]->param_offset, l->args[k], f->params[k]->size);
    }
    return true;
}

static uint32_t
resident_blocks(const struct device_profile *p, const struct device_launch *l,
                const struct jit_kernel *k)
{
    struct occupancy o;
    struct occupancy_query q = {.threads_per_block = l->block[0] * l->block[1] * l->block[2],
                                .registers_per_thread = k->registers,
                                .static_shared = k->shared_bytes,
                                .dynamic_shared = (uint32_t)l->dynamic_shared};
    if (q.registers_per_thread > p->max_registers_per_thread)
        q.registers_per_thread = p->max_registers_per_thread;
    model_occupancy(p, &q, &o);
    uint32_t blocks = o.blocks_per_sm ? o.blocks_per_sm : 1;
    return blocks * (p->sm_count ? p->sm_count : 1);
}

static void
print_text(const char *text, size_t size, void *context)
{
    (void)context;
    fwrite(text, 1, size, stdout);
}

enum device_status
device_run(struct device *d, const struct device_launch *l, struct exec_report *report)
{
    struct process *p = device_process();
    const struct ptx_func *f = l->function->func;
    struct ls_error err = {0};
    memset(report, 0, sizeof *report);
    enum device_status status = check_shape(d->profile, l, report);
    if (status != DEVICE_OK)
        return status;
    const uint64_t *symbols = device_module_symbols(d, l->function->module, &err);
    const struct jit_kernel *k = symbols ? device_kernel(l->function, l->block, &err) : NULL;
    if (!k) {
        snprintf(report->text, sizeof report->text, "%s", err.text);
        report->status = EXEC_FAILED;
        return DEVICE_BAD_MODULE;
    }
    status = check_shared(d->profile, l, k, report);
    if (status != DEVICE_OK)
        return status;
    uint32_t resident = resident_blocks(d->profile, l, k);
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    if (l->cooperative && blocks > resident)
        return refuse(report, DEVICE_OUT_OF_RESOURCES, f->name,
                      "a cooperative launch of %llu blocks: %s holds %u at once",
                      (unsigned long long)blocks, d->profile->name, resident);
    uint8_t *params = aligned_alloc(64, (f->param_bytes + 127) & ~63ull);
    if (!params || !gather_params(l, params, report)) {
        free(params);
        return DEVICE_INVALID_VALUE;
    }
    struct exec_request r = {.jit = p->jit, .memory = d->memory, .module = f->module, .kernel = f,
                             .dynamic_shared = (uint32_t)l->dynamic_shared, .params = params,
                             .symbols = symbols, .cooperative = l->cooperative,
                             .sm_count = d->profile->sm_count, .resident_blocks = resident,
                             .gridid = ++d->launches, .print = print_text};
    memcpy(r.grid, l->grid, sizeof r.grid);
    memcpy(r.block, l->block, sizeof r.block);
    bool fine = exec_run(p->pool, &r, report);
    free(params);
    return fine ? DEVICE_OK : report->status == EXEC_FAILED ? DEVICE_BAD_MODULE : DEVICE_FAILED;
}
