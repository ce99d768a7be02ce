/* SPDX-License-Identifier: Apache-2.0
 *
 * warp.c: one call of a warp's generated code, and warps in which lanes wait for others of the same
 * warp (bar.warp.sync, shfl.sync, ... whose member mask names lanes that are elsewhere). Such a
 * warp goes on in code of its own, which the jit makes when the first one is met, with a larger
 * frame that begins as the old one.
 */
#include "exec/exec_priv.h"

#include <stdlib.h>
#include <string.h>

void
exec_set_code(struct exec_slot *s, uint32_t i, jit_warp_fn fn)
{
    s->call.inner[i] = fn;
    s->call.code[i] = s->run->code->kernel->pauses ? exec_fiber_call : fn;
}

static const struct jit_kernel *
apart_kernel(struct exec_slot *s, uint32_t i)
{
    const struct exec_code *code = s->run->code;
    struct ls_error err = {0};
    const struct jit_kernel *k =
        code->apart ? code->apart(code->context, code->events, &err) : NULL;
    if (!k)
        exec_escape(s, i, 0, 0, false, EXEC_FAILED, "", err.text);
    return k;
}

uint32_t
exec_warp_apart(struct exec_slot *s, uint32_t i)
{
    struct jit_warp *w = &s->warp[i];
    const struct jit_kernel *usual = s->run->code->kernel, *k = apart_kernel(s, i);
    uint8_t *frame = aligned_alloc(64, k->frame_bytes);
    if (!frame)
        exec_escape(s, i, 0, 0, false, EXEC_FAILED, "",
                    "out of memory for the registers of a warp");
    uint32_t both = usual->frame_bytes < k->frame_bytes ? usual->frame_bytes : k->frame_bytes;
    memcpy(frame, w->frame, both);
    free(s->call.apart[i]);
    s->call.apart[i] = w->frame = frame;
    s->call.any_apart = true;
    exec_set_code(s, i, s->call.inner[i] == usual->partial ? k->partial : k->full);
    return exec_warp_call(s, i);
}

uint32_t
exec_warp_call(struct exec_slot *s, uint32_t i)
{
    struct jit_warp *w = &s->warp[i];
    w->fuel = s->block.launch->fuel;
    s->worker->warp = w;
    uint32_t outcome = s->call.code[i](w);
    s->worker->warp = NULL;
    if (s->block.ran)
        s->block.ran(w);
    return outcome == JIT_APART ? exec_warp_apart(s, i) : outcome;
}

/* Before the next block. */
void
exec_apart_free(struct exec_slot *s)
{
    for (uint32_t i = 0; s->call.any_apart && i < EXEC_MAX_WARPS; i++) {
        free(s->call.apart[i]);
        s->call.apart[i] = NULL;
    }
    s->call.any_apart = false;
}
