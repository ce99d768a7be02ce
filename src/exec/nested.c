/* SPDX-License-Identifier: Apache-2.0
 *
 * exec: launches from kernels (Programming Guide, "CUDA Dynamic Parallelism"). A child grid is a
 * run of its own, made by the thread that runs its parent's warp, to its end: the guide promises a
 * parent no more than that its children have ended when it has, and that they run in the order of
 * one stream. So there is nothing to wait for in the parent. Children for cudaStreamTailLaunch run
 * when it has ended.
 */
#include "exec/exec_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_NESTED = 24,        /* the guide's limit */
    MOST_PARAMETERS = 32768, /* bytes; the parser allows no more */
    TAIL_LAUNCH = 3,         /* cudaStreamTailLaunch */
    WAIT = -1,               /* cudaDeviceSynchronize() in a kernel, with a grid of none */
};

void
exec_configure(struct jit_warp *w, uint32_t lanes, const void *args)
{
    struct exec_slot *s = w->owner;
    const uint32_t *small = args;
    const uint64_t *large = (const uint64_t *)(const void *)(small + 6 * JIT_LANES);
    if (large[JIT_LANES + __builtin_ctz(lanes)] == (uint64_t)WAIT) {
        const struct jit_tool *t = s->run->request->tool;
        if (t && t->joined)
            t->joined(w);
        return;
    }
    if (!s->configuration)
        s->configuration = calloc(EXEC_MAX_THREADS, sizeof *s->configuration);
    if (!s->configuration)
        exec_escape(s, w->warp, lanes, 0, false, EXEC_FAILED, "", "out of memory");
    for (; lanes; lanes &= lanes - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes);
        struct exec_configuration *c = &s->configuration[w->warp * JIT_LANES + l];
        for (int d = 0; d < 3; d++) {
            c->grid[d] = small[d * JIT_LANES + (int)l];
            c->block[d] = small[(3 + d) * JIT_LANES + (int)l];
        }
        c->shared = large[l];
        c->stream = large[JIT_LANES + l];
    }
}

/* Copies the parameters that one lane has stored into a parameter block for its launch. */
static void
gather_params(const struct ptx_func *f, const uint8_t *area, uint32_t lane, uint8_t *out)
{
    uint64_t at = 0;
    for (uint32_t k = 0; k < f->param_count; k++) {
        const struct ptx_var *p = f->params[k];
        uint64_t stride =
            p->size < 4 && ptx_type_bytes((enum ptx_type)p->type) == p->size ? 4 : p->size;
        at = (at + 15) & ~15ull;
        memcpy(out + p->param_offset, area + at * JIT_LANES + lane * stride, p->size);
        at += stride;
    }
}

/* A child grid's output goes behind what its parent's block has printed so far. */
static void
print_in_parent(const char *text, size_t size, void *context)
{
    text_add_bytes(&((struct exec_slot *)context)->out, text, size);
}

/* w: the parent's; NULL: it has ended. */
static bool
run_child(const struct exec_run *parent, struct jit_warp *w, const struct ptx_func *kernel,
          const struct exec_configuration *c, const uint8_t *params, struct exec_report *report)
{
    struct exec_request r = *parent->request;
    r.kernel = kernel;
    memcpy(r.grid, c->grid, sizeof r.grid);
    memcpy(r.block, c->block, sizeof r.block);
    r.dynamic_shared = (uint32_t)c->shared;
    r.params = params;
    r.cooperative = false;
    r.resident_blocks = 0;
    r.nested++;
    r.parent = w;
    r.stream = c->stream;
    if (w) {
        r.print = print_in_parent;
        r.print_context = w->owner;
    }
    return parent->code->run(parent->pool, &r, report);
}

static void
launch_one(struct jit_warp *w, uint32_t lane, const struct ptx_func *f, const uint8_t *params)
{
    struct exec_slot *s = w->owner;
    const struct exec_configuration *c = &s->configuration[w->warp * JIT_LANES + lane];
    struct exec_report report;
    if (c->stream == TAIL_LAUNCH) {
        struct exec_tail t = {
            .kernel = f, .configuration = *c, .params = ls_alloc_lines(f->param_bytes)};
        memcpy(t.params, params, f->param_bytes);
        pthread_mutex_lock(&s->run->fault_lock);
        VEC_PUSH(&s->run->tail, t);
        pthread_mutex_unlock(&s->run->fault_lock);
        return;
    }
    if (!run_child(s->run, w, f, c, params, &report))
        exec_escape(s, w->warp, 1u << lane, 0, false, report.status, "a launch failed",
                    report.text);
}

void
exec_nested_launch(struct jit_warp *w, uint32_t lanes, uint32_t function, const void *area)
{
    struct exec_slot *s = w->owner;
    const struct exec_request *r = s->run->request;
    const struct ptx_func *f = r->module->funcs[function];
    if (!s->configuration || r->nested >= MOST_NESTED || f->param_bytes > MOST_PARAMETERS) {
        char text[400];
        struct arena names = {0};
        snprintf(text, sizeof text, "%s: \"%s\"",
                 s->configuration ? "launches from kernels are nested more than 24 deep"
                                  : "a kernel is called that is not launched",
                 ls_readable_name(&names, f->name));
        arena_free(&names);
        exec_escape(s, w->warp, lanes, 0, false, EXEC_FAILED, "", text);
    }
    if (s->run->replay.on) /* done by the first run */
        return;
    struct jit_warp *volatile in = s->worker->warp;
    s->worker->warp = NULL; /* what goes wrong in here is the child's */
    _Alignas(128)
        uint8_t params[MOST_PARAMETERS]; /* not from the heap: an error jumps out of here */
    for (; lanes; lanes &= lanes - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(lanes);
        gather_params(f, area, l, params);
        launch_one(w, l, f, params);
    }
    s->worker->warp = in;
}

bool
exec_nested_tail(struct exec_run *run, bool fine, struct exec_report *report)
{
    for (size_t k = 0; k < run->tail.count; k++) {
        struct exec_tail *t = &run->tail.at[k];
        fine = fine && run_child(run, NULL, t->kernel, &t->configuration, t->params, report);
        ls_release(t->params);
    }
    VEC_FREE(&run->tail);
    return fine;
}
