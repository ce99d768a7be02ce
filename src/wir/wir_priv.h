/* SPDX-License-Identifier: Apache-2.0
 *
 * wir, inside: a kernel as one flat list of instructions, before it is cut into blocks.
 */
#ifndef LOCKSTEP_WIR_PRIV_H
#define LOCKSTEP_WIR_PRIV_H

#include "wir/wir.h"

#include <stdio.h>

struct flat {
    struct wir *wir;
    VEC(struct wir_insn) insns;
    VEC(struct wir_reg) regs;
    VEC(struct wir_var) vars;
    VEC(const struct ptx_var *) origin; /* per variable: what it is a copy of */
    VEC(uint32_t) labels;               /* instruction that each label stands before */
    bool (*known)(const char *name);
    bool scheduled; /* wir_new_scheduled */
    bool debug;     /* wir_new_debug */
    bool met;       /* behind a wgmma, and what follows it so far is arithmetic (waits.c) */
    bool marks;     /* wir_new_debug, wir_new_passed: an inlined call is an instruction */
    VEC(struct wir_frame) frames;
    uint32_t frame; /* that instructions are added to */
    VEC(const struct ptx_func *) calls;
    bool *stays; /* per function of the module: is called, not inlined; NULL: none (sizes.c) */
    struct ptx_var *exited; /* exits.c: of the function that is made; NULL: no function exits */
    struct ls_error *err;
};

/* build.c: adds an instruction, a jump, a label; operands for one; what cannot be. */
struct wir_insn *wir_push_insn(struct flat *b, const struct ptx_insn *i,
                               const struct ptx_func *func, uint32_t place);
/* A move of `type` from operand `from` to `to`, either of which may be a slot (SYMBOL). */
void wir_push_move(struct flat *b, const struct wir_insn *at, struct ptx_operand to,
                   struct ptx_operand from, uint8_t type);
void wir_push_jump(struct flat *b, const struct wir_insn *at, uint32_t label, uint32_t guard,
                   bool negated);
uint32_t wir_new_label(struct flat *b);
struct ptx_operand *wir_operands(struct flat *b, uint32_t n);
bool wir_fail_at(struct flat *b, const struct wir_insn *at, const char *format, const char *name);
/* exits.c: sets b->exited; a store to it; what comes behind a call, the last instruction so far. */
void wir_find_exits(struct flat *b);
void wir_set_exited(struct flat *b, const struct wir_insn *at, bool value);
void wir_exit_behind(struct flat *b);
/* sizes.c: fills b->stays; the definition behind a declaration, in this module; f where there is
 * none. */
void wir_choose_calls(struct flat *b);
const struct ptx_func *wir_with_body(const struct ptx_module *m, const struct ptx_func *f);
/* waits.c: adds an instruction, or the loop that it becomes. */
bool wir_push(struct flat *b, const struct wir_insn *at);
/* build.c: whether an instruction with a guard becomes one behind a branch. */
bool wir_needs_branch(const struct ptx_insn *i);
/* blocks.c: nothing of a block comes behind it. */
bool wir_ends_block(const struct ptx_insn *i);
/* slots.c: ld.param and st.param of slots get register operands. */
void wir_keep_slots(struct flat *b);
/* layout.c: local and shared memory; false: more than any device has. */
bool wir_lay_out(struct flat *b);
/* shared.c: of shared variables that functions name which the kernel, or function, may call. The
 * module's variables come first, then each function's own. */
struct wir_common {
    uint32_t *first_own; /* per function: where its own begin */
    uint64_t *offset;
    bool *named;         /* is one of them */
    uint64_t end;        /* of them all */
    bool dynamic;        /* one of the functions names dynamic shared memory, or may */
    uint64_t dynamic_at; /* then: where that begins at the earliest */
};
struct wir_common wir_common_of(struct wir *f);
/* blocks.c: fills b->wir. */
bool wir_cut(struct flat *b);
/* order.c: blocks in weak topological order, of `count` in text order whose first is the entry;
 * loops, predecessors, post-dominators. */
void wir_order(struct wir *f, const struct wir_block *raw, uint32_t count);
/* webs.c: registers of their own for uses that do not meet; b->regs grows. Not for a debugger. */
void wir_split_webs(struct flat *b);
/* parameters.c: loads by the address of a kernel's parameter name it. Not for a debugger. */
void wir_name_parameters(struct flat *b);
/* chains.c: fills f->chains, once the instructions are what they stay. */
void wir_chain(struct wir *f);
/* live.c: with chains, what is alive where each block begins. */
void wir_find_live(struct wir *f);

#endif
