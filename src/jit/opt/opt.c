/* SPDX-License-Identifier: Apache-2.0
 *
 * opt/opt.c: the passes over the warp IR, in the order of the table.
 */
#include "jit/opt/opt.h"

#ifdef LOCKSTEP_VERIFY
enum { VERIFY = 1 };
#else
enum { VERIFY = 0 };
#endif

static const struct {
    enum jit_pass pass;
    void (*run)(struct opt *o);
} rows[] = {
#define OPT_ROW_WIR(id) {PASS_##id, opt_##id},
#define PASS(id, name, stage, tools, needs, file, text) OPT_ROW_##stage(id)
#include "jit/passes/passes.def"
#undef PASS
};

bool
opt_verify(const struct wir *f, struct ls_error *err)
{
    return !VERIFY || wir_verify(f, err);
}

bool
opt_run(struct wir *f, uint64_t off, enum jit_pass last, struct jit_remarks *remarks,
        struct ls_error *err)
{
    if (!opt_verify(f, err))
        return false;
    for (size_t k = 0; k < sizeof rows / sizeof *rows && rows[k].pass <= last; k++) {
        struct opt o = {.edit = {.f = f}, .pass = rows[k].pass, .remarks = remarks};
        if (!jit_on(off, rows[k].pass))
            continue;
        rows[k].run(&o);
        if (wir_edit_apply(&o.edit) && !opt_verify(f, err))
            return false;
    }
    return true;
}
