/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: how much of LLVM's time a kernel may take. LLVM's passes and its code generator need more than
 * twice the time for twice the size, so what is emitted is measured, and where it is above a limit the kernel
 * is emitted once more, in a form that needs less. Kernels below the limits never meet any of this.
 */
#ifndef LOCKSTEP_JIT_BUDGET_H
#define LOCKSTEP_JIT_BUDGET_H

/* The forms, each cheaper to compile than the one before it, and slower to run. */
enum jit_tier {
    JIT_TIER_FULL,   /* everything that can be tried: functions of whole blocks, warps that run together */
    JIT_TIER_WARP,   /* a function for one warp */
    JIT_TIER_MEMORY, /* the same, whose registers stay in memory (control/home.c) */
};

/* How much the code generator does: the usual; without ordering the instructions of large blocks once more after
 * they have registers; each instruction by itself, values in memory between them. */
enum jit_effort { JIT_EFFORT_USUAL, JIT_EFFORT_LESS, JIT_EFFORT_LEAST, JIT_EFFORTS };

enum jit_budget {
    /* LLVM instructions as they are emitted: above, a form is not even optimised. 100,000 of them are 0.1 s of
     * emitting and about a second of passes. The largest product of the
     * suite has 53,560. */
    JIT_BUDGET_EMITTED = 90000,
    /* After the passes: 512-bit registers that instructions write (others count one), and operands of phis,
     * times their weight. The largest product of the suite has 48,193: 2.4 s. In the last form, which is compiled whatever its size, the code generator takes its
     * quick way above this. */
    JIT_BUDGET_OPTIMISED = 60000,
    JIT_PHI_WEIGHT = 4,
};

#endif
