/* SPDX-License-Identifier: Apache-2.0
 *
 * engine/needs.c: a kernel's warp IR, rewritten by the passes that this code has, and what the
 * kernel needs, for which no code is made.
 */
#include "jit/engine/engine.h"
#include "jit/insn/insn.h"
#include "jit/opt/opt.h"
#include "jit/tools/tools.h"
#include "analysis/analysis.h"

uint64_t
jit_unit_off(const struct unit *u)
{
    return u->engine->off | jit_passes_barred(tools_code(u->request));
}

/* Of the stage WIR: what plain, checked and profiled code do not have alike. */
static uint64_t
passes_of_some(void)
{
    return jit_passes_barred(CODE_PLAIN) | jit_passes_barred(CODE_CHECK) |
           jit_passes_barred(CODE_PROFILE);
}

struct wir *
jit_unit_wir(struct unit *u, const struct ptx_func *f)
{
    const struct jit_request *r = u->request;
    struct wir *wir = (tools_step(r)     ? wir_new_debug
                       : r->scheduled    ? wir_new_scheduled
                       : tools_passed(r) ? wir_new_passed
                                         : wir_new)(r->module, f, core_known_function, u->err);
    if (wir && (r->scheduled || tools_give_way(r)))
        wir_all_wait(wir);
    uint64_t off = jit_unit_off(u), some = passes_of_some();
    bool ok = wir && opt_run(wir, off | some, u->last, u->remarks, u->err);
    if (ok && f == r->kernel)
        u->registers = analysis_registers(wir);
    ok = ok && opt_run(wir, off | ~some, u->last, u->remarks, u->err);
    if (ok) {
        tools_tell(wir, r, off, u->remarks);
        ok = opt_verify(wir, u->err);
    }
    if (ok)
        return wir;
    wir_free(wir);
    return NULL;
}

bool
jit_needs(struct jit_engine *e, const struct ptx_module *m, const struct ptx_func *kernel,
          struct jit_needs *out, struct ls_error *err)
{
    const struct jit_request plain = {.module = m, .kernel = kernel};
    struct unit u = {.engine = e, .request = &plain, .err = err, .last = PASS_NONE};
    struct wir *wir = jit_unit_wir(&u, kernel);
    if (wir)
        *out = (struct jit_needs){wir->local_bytes, wir->shared_bytes, u.registers};
    wir_free(wir);
    return wir != NULL;
}
