/* SPDX-License-Identifier: Apache-2.0
 *
 * takeover.h: the code that a request runs; better code takes over from quick code in the middle of
 * a launch (takeover.c).
 */
#ifndef LOCKSTEP_EXEC_TAKEOVER_H
#define LOCKSTEP_EXEC_TAKEOVER_H

#include "exec/exec.h"
#include "jit/jit.h"

struct exec_run;

/* The code that a request runs, and where more of it comes from. */
struct exec_code {
    const struct jit_kernel *kernel;
    /* `kernel` is quick code: better code of it, for the blocks to come; NULL: none to be had. */
    const struct jit_kernel *(*better)(void *context, struct ls_error *err);
    /* The same kernel for warps whose lanes wait for each other (JIT_APART). */
    const struct jit_kernel *(*apart)(void *context, uint32_t events, struct ls_error *err);
    uint32_t events; /* of `kernel` */
    /* The same kernel with JIT_EVENT_ACCESS; NULL: none to be had. */
    const struct jit_kernel *(*instrumented)(void *context, struct ls_error *err);
    /* The same kernel with JIT_EVENT_TURNS; NULL: none to be had. */
    const struct jit_kernel *(*turns)(void *context, struct ls_error *err);
    /* The same kernel with JIT_EVENT_PASSED; NULL: none to be had. */
    const struct jit_kernel *(*passed)(void *context, struct ls_error *err);
    void *context;
    /* exec_run, for launches from the kernel. */
    bool (*run)(struct exec_pool *p, const struct exec_request *r, struct exec_report *report);
};

struct exec_takeover {
    _Atomic uint64_t spent; /* ns of all workers */
    bool possible;
    uint64_t began, due;   /* ns of exec_now(): the run; when better code pays */
    struct exec_code code; /* .kernel NULL: not made yet */
    _Atomic bool ready;    /* workers leave after the block they are at: a second run of the pool */
};

/* Before the first block. */
void exec_takeover_begin(struct exec_run *run);
/* Worker 0, between blocks: whether it is to leave its blocks to the others and call _make(). */
bool exec_takeover_due(const struct exec_run *run);
void exec_takeover_make(struct exec_run *run);
/* Once all workers have left: whether blocks go on in better code, which is the run's now. */
bool exec_takeover(struct exec_run *run);

#endif
