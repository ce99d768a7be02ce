/* SPDX-License-Identifier: Apache-2.0
 *
 * takeover.c: a launch begins with quick code, and goes on with better code (docs/decisions/0022).
 * When the blocks that are left are expected to take longer than that code takes to compile, worker
 * 0 compiles it, while the others go on with quick code; then all leave, and blocks that nobody has
 * begun run in the better code. Blocks that have begun end in the code that they began with.
 * Ordinary runs alone: resident blocks wait for each other.
 */
#include "exec/exec_priv.h"

enum { LEAST_PAUSE = 1000000 }; /* ns */

void
exec_takeover_begin(struct exec_run *run)
{
    struct exec_takeover *t = &run->takeover;
    t->possible = run->code->better && !run->resident && !run->tool && run->blocks > run->cluster;
    if (!t->possible)
        return;
    double enough = jit_enough(run->request->jit, run->code->kernel);
    t->began = exec_now();
    t->possible = enough < 1e9;
    t->due = t->began + (uint64_t)(1e9 * (t->possible ? enough : 0));
    run->chunk = run->cluster; /* so that it is looked at after each block */
}

/* What is left is expected to take as long as it has taken so far, block for block. */
bool
exec_takeover_due(const struct exec_run *run)
{
    const struct exec_takeover *t = &run->takeover;
    if (!t->possible || t->code.kernel || exec_now() < t->due ||
        atomic_load(&run->stop) != UINT64_MAX)
        return false;
    uint64_t done = atomic_load(&run->next);
    double spent = (double)(exec_now() - t->began), enough = (double)(t->due - t->began);
    return done && done < run->blocks &&
           spent / (double)done * (double)(run->blocks - done) > enough;
}

/* The block is set up anew, frames and all, but the launch is not. */
static bool
fits(const struct jit_kernel *old, const struct jit_kernel *k)
{
    return !k->may_wait && k->needs.local_bytes == old->needs.local_bytes &&
           k->needs.shared_bytes == old->needs.shared_bytes && k->recursive == old->recursive;
}

void
exec_takeover_make(struct exec_run *run)
{
    struct exec_takeover *t = &run->takeover;
    struct ls_error ignored; /* quick code goes on, then */
    const struct jit_kernel *k = run->code->better(run->code->context, &ignored);
    uint64_t pause = t->due - t->began;
    if (k == run->code->kernel) { /* another launch's thread makes it: looked at again later */
        t->due = exec_now() + (pause > LEAST_PAUSE ? pause : LEAST_PAUSE);
    } else {
        t->code = *run->code;
        t->code.better = NULL;
        if (k && fits(run->code->kernel, k))
            t->code.kernel = k;
    }
    atomic_store(&t->ready, true);
}

bool
exec_takeover(struct exec_run *run)
{
    struct exec_takeover *t = &run->takeover;
    if (!atomic_load(&t->ready))
        return false;
    atomic_store(&t->ready, false);
    if (t->code.kernel) {
        run->launch.functions = t->code.kernel->functions;
        run->code = &t->code;
        jit_runs(run->request->jit, t->code.kernel);
    }
    return atomic_load(&run->next) < run->blocks && atomic_load(&run->stop) == UINT64_MAX;
}
