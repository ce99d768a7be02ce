/* SPDX-License-Identifier: Apache-2.0
 *
 * services.c: what generated code may call (struct jit_services), as functions of this folder.
 */
#include "exec/exec_priv.h"

static void
arrive(struct jit_warp *w, uint32_t lanes, uint32_t barrier, uint32_t threads, uint32_t kind,
       uint32_t votes, uint32_t waits, uint32_t place)
{
    exec_arrive(w->owner, w->warp, lanes, barrier, threads, kind, votes, waits != 0, place);
}

static void *
function(struct jit_warp *w, uint32_t lanes, uint32_t number, uint32_t place)
{
    const struct exec_slot *s = w->owner;
    struct ls_error err;
    void *code = NULL;
    if (!jit_function(s->run->request->jit, s->run->code->kernel, number, &code, &err))
        exec_escape(w->owner, w->warp, lanes, place, true, EXEC_INVALID_CALL,
                    "call of a function that cannot be compiled", err.text);
    return code;
}

const struct jit_services exec_services = {
    .trap = exec_trap,
    .external = exec_external,
    .arrive = arrive,
    .access = exec_access,
    .pattern = exec_pattern,
    .combine = exec_combine,
    .flush = exec_combine_flush,
    .image = exec_image,
    .tensor = exec_tensor,
    .tmem = exec_tmem,
    .cancel = exec_cancel,
    .held = exec_held,
    .pause = exec_pause,
    .launch = exec_nested_launch,
    .function = function,
    .compare = exec_compare,
};
