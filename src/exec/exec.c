/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: the door: a request becomes code (by the jit) and a run of it (grid.c).
 */
#include "exec/exec_priv.h"

#include <stdio.h>
#include <string.h>

static struct jit_request
code_request(const struct exec_request *r, uint32_t events)
{
    struct jit_request j = {.module = r->module,
                            .kernel = r->kernel,
                            .events = events,
                            .abreast = r->abreast,
                            .cluster = r->cluster[0] != 0,
                            .scheduled = r->schedule.kind != EXEC_USUAL,
                            .small_grid = jit_small_grid(r->grid, r->block)};
    memcpy(j.block, r->block, sizeof j.block);
    j.warps = ((uint64_t)r->block[0] * r->block[1] * r->block[2] + JIT_LANES - 1) / JIT_LANES;
    for (int d = 0; d < 3; d++)
        j.warps *= r->grid[d];
    return j;
}

static const struct jit_kernel *
apart(void *context, uint32_t events, struct ls_error *err)
{
    const struct exec_request *r = ((struct exec_source *)context)->request;
    struct jit_request j = code_request(r, events);
    j.apart = true;
    return jit_get(r->jit, &j, err);
}

static const struct jit_kernel *
instrumented(void *context, struct ls_error *err)
{
    const struct exec_request *r = ((struct exec_source *)context)->request;
    struct jit_request j = code_request(r, JIT_EVENT_ACCESS);
    return jit_get(r->jit, &j, err);
}

static const struct jit_kernel *
turns(void *context, struct ls_error *err)
{
    const struct exec_request *r = ((struct exec_source *)context)->request;
    struct jit_request j = code_request(r, JIT_EVENT_TURNS);
    return jit_get(r->jit, &j, err);
}

static const struct jit_kernel *
passed(void *context, struct ls_error *err)
{
    const struct exec_request *r = ((struct exec_source *)context)->request;
    struct jit_request j = code_request(r, JIT_EVENT_COUNT | JIT_EVENT_PASSED);
    return jit_get(r->jit, &j, err);
}

/* What runs where nobody watches. Quick code will do where the run can change to better code
 * between blocks (takeover.c). */
static struct jit_request
usual_request(const struct exec_request *r)
{
    struct jit_request j = code_request(r, r->tool        ? r->tool->events
                                           : r->announced ? JIT_EVENT_ACCESS
                                                          : 0);
    j.whole = !r->tool && !j.events && !r->cooperative && !j.scheduled && !j.cluster;
    return j;
}

static const struct jit_kernel *
better(void *context, struct ls_error *err)
{
    struct jit_request j = usual_request(((struct exec_source *)context)->request);
    j.warps = UINT64_MAX;
    return jit_get(((struct exec_source *)context)->request->jit, &j, err);
}

static const struct jit_kernel *
usual_code(const struct exec_request *r, const struct jit_request *j, struct ls_error *err)
{
    struct jit_request any = *j;
    any.warps = j->whole ? 0 : j->warps;
    const struct jit_kernel *k = jit_get(r->jit, &any, err);
    return k && k->quick && k->may_wait ? jit_get(r->jit, j, err) : k;
}

const struct jit_kernel *
exec_code(const struct exec_request *r, struct ls_error *err)
{
    struct jit_request j = usual_request(r);
    return usual_code(r, &j, err);
}

bool
exec_source_open(struct exec_source *s, const struct exec_request *r, struct exec_report *report)
{
    struct ls_error err = {0};
    struct jit_request j = usual_request(r);
    const struct jit_kernel *k = usual_code(r, &j, &err);
    if (!k) {
        memset(report, 0, sizeof *report);
        report->status = EXEC_FAILED;
        snprintf(report->text, sizeof report->text, "%s", err.text);
        return false;
    }
    if (r->shared_limit && (uint64_t)k->needs.shared_bytes + r->dynamic_shared > r->shared_limit) {
        struct arena names = {0};
        memset(report, 0, sizeof *report);
        report->status = EXEC_FAILED;
        snprintf(report->text, sizeof report->text,
                 "kernel \"%s\" wants %llu bytes of shared memory, a block has at most %u",
                 ls_readable_name(&names, r->kernel->name),
                 (unsigned long long)k->needs.shared_bytes + r->dynamic_shared, r->shared_limit);
        arena_free(&names);
        return false;
    }
    s->request = r;
    s->code = (struct exec_code){.kernel = k,
                                 .better = j.whole && k->quick && !k->may_wait ? better : NULL,
                                 .apart = apart,
                                 .events = j.events,
                                 .instrumented = instrumented,
                                 .turns = turns,
                                 .passed = passed,
                                 .run = exec_run,
                                 .context = s};
    return true;
}

bool
exec_run(struct exec_pool *p, const struct exec_request *r, struct exec_report *report)
{
    struct exec_source source;
    return exec_source_open(&source, r, report) && exec_run_code(p, r, &source.code, report);
}
