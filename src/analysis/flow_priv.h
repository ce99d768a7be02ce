/* SPDX-License-Identifier: Apache-2.0
 *
 * analysis, inside: a kernel as one flat list of instructions, before it is cut into blocks.
 */
#ifndef LOCKSTEP_FLOW_PRIV_H
#define LOCKSTEP_FLOW_PRIV_H

#include "analysis/analysis.h"

#include <stdio.h>

struct flat {
    struct flow *flow;
    VEC(struct flow_insn) insns;
    VEC(struct flow_reg) regs;
    VEC(struct flow_var) vars;
    VEC(const struct ptx_var *) origin; /* per variable: what it is a copy of */
    VEC(uint32_t) labels;               /* instruction that each label stands before */
    bool (*known)(const char *name);
    VEC(const struct ptx_func *) calls;
    struct ls_error *err;
};

/* slots.c: ld.param and st.param of slots get register operands. */
void flow_keep_slots(struct flat *b);
/* blocks.c: blocks, order, loops, post-dominators; fills b->flow. */
bool flow_cut(struct flat *b);
/* webs.c: the flow's instructions with registers of their own for uses that do not meet; then, with chains, what is
 * alive where each block begins. */
void flow_split_webs(struct flat *b);
void flow_find_live(struct flow *f);
/* chains.c: fills f->chains, once the instructions are what they stay. */
void flow_chain(struct flow *f);

#endif
