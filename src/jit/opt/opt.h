/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/opt: passes that rewrite the warp IR (wir/wir.h) before anything is known of a launch's
 * shape. No LLVM.
 *
 * A pass is a row of the stage WIR in passes/passes.def and a file with
 *
 *     OPT_PASS(SPLIT_COMPARE)
 *     {
 *         for (uint32_t n = 0; n < o->edit.f->insn_count; n++)
 *             if (... insns[n] ...) {
 *                 wir_edit_before(&o->edit, n, &first);
 *                 wir_edit_replace(&o->edit, n, &second);
 *                 opt_fired(o, n, "max of two numbers");
 *             }
 *     }
 *
 * Its tests are text: tests/opt/split-compare.ptx, and in split-compare.wir what the pass makes of
 * it.
 */
#ifndef LOCKSTEP_JIT_OPT_H
#define LOCKSTEP_JIT_OPT_H

#include "jit/passes/passes.h"
#include "wir/wir.h"

struct opt {
    struct wir_edit edit;        /* of the kernel, edit.f */
    enum jit_pass pass;          /* the one that runs */
    struct jit_remarks *remarks; /* NULL: nobody reads them */
};

#define OPT_PASS(id) void opt_##id(struct opt *o)
#define OPT_ROW_WIR(id) OPT_PASS(id);
#define OPT_ROW_PLAN(id)
#define OPT_ROW_LLVM(id)
#define OPT_ROW_REPORT(id)
#define PASS(id, name, stage, tools, needs, file, text) OPT_ROW_##stage(id)
#include "jit/passes/passes.def"
#undef PASS
#undef OPT_ROW_WIR

/* What was done at insns[n], or why nothing was. */
void opt_fired(struct opt *o, uint32_t n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void opt_missed(struct opt *o, uint32_t n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* -- uniform.c --------------------------------------------------------------------------------- */

/* All threads of a block that have it agree on it: numbers, parameters, the block's coordinates,
 * and sums and products of these; an instruction that makes such a value. */
bool opt_uniform(const struct wir *f, const struct ptx_operand *o);
bool opt_makes_uniform(const struct wir *f, const struct ptx_insn *p);

enum { OPT_OPERANDS = 16 };
/* insns[n] with other registers for some that it reads. */
struct opt_renamed {
    const struct ptx_insn *from;
    struct ptx_operand operand[OPT_OPERANDS];
    bool changed;
};
/* Whether another register may stand in insns[n] for each use of reg. */
bool opt_may_rename(const struct wir *f, uint32_t n, uint32_t reg);
struct opt_renamed opt_rename_begin(const struct wir *f, uint32_t n);
void opt_rename(struct opt_renamed *r, uint32_t reg, uint32_t to);
void opt_rename_end(struct opt *o, uint32_t n, struct opt_renamed *r);
/* Before insns[n], an instruction of its line. */
void opt_put(struct opt *o, uint32_t n, enum ptx_op op, enum ptx_type type,
             struct ptx_operand *operand, unsigned count);

/* -- the passes -------------------------------------------------------------------------------- */

/* False and an error: not in the normal form; asked in debug and sanitizer builds alone. */
bool opt_verify(const struct wir *f, struct ls_error *err);
/* The passes of the table that are on (off: set of enum jit_pass), up to `last` if that is one of
 * them. False and an error: one left the normal form (opt_verify). */
bool opt_run(struct wir *f, uint64_t off, enum jit_pass last, struct jit_remarks *remarks,
             struct ls_error *err);

#endif
