/* SPDX-License-Identifier: Apache-2.0
 *
 * jit/tools: code that tells a tool what a warp does, and leaves out what it need not
 * hear of (struct jit_tool in jit.h). Nothing of it is emitted where no tool watches.
 *
 * What is told of each instruction is a field of it (wir_insn.tells), filled in before code is
 * emitted (plan.c); passes that may not run in code that a tool watches are off in it (the column
 * of passes/passes.def). No other folder knows which events a tool asked for
 * (tests/repository/structure_test.py).
 */
#ifndef LOCKSTEP_JIT_TOOLS_H
#define LOCKSTEP_JIT_TOOLS_H

#include "jit/values/values.h"

/* gate.c: a load that may pass without being announced. The builder is left where it is
 * announced; the result is where both ways meet. NULL: always announced. */
struct core_gate {
    LLVMValueRef base, offset, lanes; /* base: <32 x i64>: all addresses, no pattern */
    const int32_t *pattern;           /* NULL: all lanes at base */
    uint32_t bytes;
    enum ptx_space space;
    uint32_t place;
    LLVMValueRef local; /* local memory: where in each lane's; NULL: not the same in all */
    bool store;         /* only of local and shared memory */
};

/* seen.c: an access whose lanes differ by constants, at least within halves of the warp. */
struct core_announced {
    LLVMValueRef base, apart, lanes; /* apart: NULL: the upper half is no different */
    LLVMValueRef local;       /* local memory: lane 0's offset from its first byte; else NULL */
    const int32_t *pattern;   /* the lanes' distances from there; NULL: none */
    uint64_t known;           /* of base: the part that is known when the kernel is compiled */
    LLVMValueRef holds, each; /* a guess: whether it holds; NULL: it does. Else all addresses */
    uint32_t bytes, space, op, place;
};

/* -- plan.c ------------------------------------------------------------------------------------ */

/* What a tool that asked for this is told; NULL: nothing. tools_free. */
struct tools *tools_new(const struct jit_request *r);
void tools_free(struct tools *t);
/* Set of enum pass_code. */
unsigned tools_code(const struct jit_request *r);
/* Whether it is code for a debugger. */
bool tools_step(const struct jit_request *r);
/* Whether it is for blocks that a debugger passes over. */
bool tools_passed(const struct jit_request *r);
/* Whether every loop counts as one that may wait for others. */
bool tools_give_way(const struct jit_request *r);
/* Decides what a tool is told of each instruction of the kernel: wir_insn.tells, empty so far. */
void tools_tell(struct wir *f, const struct jit_request *r, uint64_t off,
                struct jit_remarks *remarks);
/* The instruction's code comes next: it is counted, and what was kept back is told where it may not
 * wait longer. */
void tools_before(struct core *c, const struct wir_insn *i);

/* -- batch.c ----------------------------------------------------------------------------------- */

/* tools/batch.c: the access is told with others, later; false: it must not be, nothing was done. */
bool core_batch_add(struct core *c, const struct wir_insn *i, const struct core_announced *t);
/* Tells what is kept: where anything else is told, and the block of code ends. */
void core_batch_flush(struct core *c);

/* -- events.c ---------------------------------------------------------------------------------- */

/* At the function's entry; where a block of code begins. */
void core_count_begin(struct core *c);
void core_count_block(struct core *c);
void core_count(struct core *c, const struct wir_insn *i);
/* Executed by these lanes, if any. */
void core_count_lanes(struct core *c, const struct wir_insn *i, LLVMValueRef lanes);
/* lanes: the ones that go each way. */
void core_count_divergence(struct core *c, const struct wir_insn *i, const LLVMValueRef *lanes,
                           unsigned n);
/* lanes: i32; NULL: the active ones. */
void core_announce_sync(struct core *c, const struct wir_insn *i, LLVMValueRef lanes);
/* barrier: <32 x i64>, or NULL; lanes: i32. */
void core_announce_async(struct core *c, const struct wir_insn *i, enum jit_async what,
                         LLVMValueRef lanes, LLVMValueRef barrier, uint32_t number);
/* The same of two numbers a lane, <32 x i64> each: JIT_ASYNC_MBARRIER, JIT_ASYNC_MOVE. number: i32.
 */
void core_announce_pairs(struct core *c, const struct wir_insn *i, enum jit_async what,
                         LLVMValueRef address, LLVMValueRef second, LLVMValueRef number);

/* -- step.c ------------------------------------------------------------------------------------ */

/* form.steps: at the function's entry. */
void core_step_begin(struct core *c);
/* The position goes up, and the debugger is asked, before instruction i; lanes (i32, NULL: all) are
 * those of the active ones that come to it: none of them: nothing is done. */
void core_step(struct core *c, const struct wir_insn *i, LLVMValueRef lanes);
/* Calls one of jit/ops/stepped.h: of the warp, its steps and record, and these. */
void core_step_call(struct core *c, const char *name, LLVMValueRef *args, unsigned n);
/* What is emitted from here on is done only while accesses are told; core_step_over ends that.
 * NULL: no debugger. */
LLVMBasicBlockRef core_step_telling(struct core *c);
void core_step_over(struct core *c, LLVMBasicBlockRef over);

/* -- gate.c ------------------------------------------------------------------------------------ */

LLVMBasicBlockRef core_gate(struct core *c, const struct core_gate *g);

/* -- seen.c ------------------------------------------------------------------------------------ */

void core_tell(struct core *c, const struct core_announced *t);
/* The same without a look at what has been told before. */
void core_tell_plain(struct core *c, const struct core_announced *t);
void core_seen_begin(struct core *c);
LLVMValueRef core_seen_lanes(struct core *c, LLVMValueRef lanes);

#endif
