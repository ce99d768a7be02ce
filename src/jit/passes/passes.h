/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: the passes of passes/passes.def, which of them are on, and what they remark.
 *
 * A pass asks emit_on() (build/build.h) or jit_on() before it does anything, and says with
 * emit_fired() or emit_missed() what it did at an instruction, or why it did nothing there:
 *
 *     if (!emit_on(&c->e, PASS_INTERLEAVE))
 *         return 1;
 *     ...
 *     emit_fired(&c->e, PASS_INTERLEAVE, "%u warps together", k);
 *
 * Remarks cost nothing unless somebody asked for them (jit_options.remark, the stage "remarks").
 */
#ifndef LOCKSTEP_JIT_PASSES_H
#define LOCKSTEP_JIT_PASSES_H

#include "base/base.h"
#include "ptx/ptx.h"

#include <stdarg.h>

enum jit_pass {
#define PASS(id, name, stage, tools, needs, file, text) PASS_##id,
#include "jit/passes/passes.def"
#undef PASS
    PASS_COUNT,
    PASS_NONE = PASS_COUNT
};

enum pass_stage { STAGE_WIR, STAGE_PLAN, STAGE_LLVM, STAGE_REPORT };

/* Kinds of code by what a tool is told of it. */
enum pass_code {
    CODE_PLAIN = 1,   /* nothing */
    CODE_CHECK = 2,   /* accesses, and it says which lanes may make them */
    CODE_PROFILE = 4, /* executions are counted */
    CODE_REPLAY = 8,  /* accesses and nothing more: the run that finds the place of a fault */
    CODE_STEPS = 16,  /* any of these; but the warp gives way before each access, for a schedule */
    CODE_DEBUG = 32,  /* each instruction by itself, registers in memory, for a debugger */
    CODE_PASSED = 64, /* of blocks that a debugger passes over */
};
/* A column of the table: the kinds that the pass may run in. */
enum pass_tools {
    TOOLS_PLAIN = CODE_PLAIN,
    TOOLS_CHECK = CODE_CHECK,
    TOOLS_PROFILE = CODE_PROFILE,
    TOOLS_LIVE = CODE_PLAIN | CODE_CHECK | CODE_PROFILE,
    TOOLS_PASSED = CODE_PASSED,
    TOOLS_ALL = TOOLS_LIVE | CODE_REPLAY | CODE_STEPS,
    TOOLS_ANY = TOOLS_ALL | CODE_DEBUG
};

struct pass_row {
    const char *name;
    enum pass_stage stage;
    enum pass_tools tools;
    enum jit_pass needs;
    const char *file, *text;
};
extern const struct pass_row jit_passes[PASS_COUNT];

enum jit_pass jit_pass_named(const char *name); /* PASS_NONE: no such pass */

/* Those that may not run in code of these kinds (set of enum pass_code; in code of two, what may
 * run in one may run): set of enum jit_pass. */
uint64_t jit_passes_barred(unsigned code);
/* off: set of enum jit_pass that are switched off, or barred. */
static inline bool
jit_on(uint64_t off, enum jit_pass pass)
{
    return !(off >> pass & 1);
}

/* -- remarks ----------------------------------------------------------------------------------- */

enum { REMARK_KERNEL = UINT32_MAX }; /* a place: the kernel as a whole */

struct jit_remark {
    uint8_t pass; /* enum jit_pass */
    bool fired;
    uint32_t place; /* as jit_place(), or REMARK_KERNEL */
    uint32_t times; /* versions of one instruction remark alike */
    char *text;     /* owned */
};

/* Of one compile. NULL stands for nobody who reads them in every function below. */
struct jit_remarks {
    VEC(struct jit_remark) at;
};

void jit_remark(struct jit_remarks *r, enum jit_pass pass, bool fired, uint32_t place,
                const char *format, va_list args);
/* Of the kernel as a whole. */
void jit_remark_kernel(struct jit_remarks *r, enum jit_pass pass, bool fired, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));
/* In the order of the program's text and of the passes; those that say the same become one. */
void jit_remarks_sort(struct jit_remarks *r);
/* A line each, and one for each pass that is off, or may not run in code of this kind (enum
 * pass_code):
 *     k.cu:12: interleave: fired: 4 warps together */
void jit_remarks_print(const struct jit_remarks *r, const struct ptx_module *m, const char *kernel,
                       uint64_t off, unsigned code, struct text *out);
void jit_remarks_free(struct jit_remarks *r);

#endif
