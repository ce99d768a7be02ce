/* SPDX-License-Identifier: Apache-2.0
 *
 * jit, inside: how much of LLVM's time a kernel may take. LLVM's passes and its code generator need
 * more than twice the time for twice the size, so what is emitted is measured, and where it is
 * above a limit the kernel is emitted once more, in a form that needs less. Kernels below the
 * limits never meet any of this.
 */
#ifndef LOCKSTEP_JIT_BUDGET_H
#define LOCKSTEP_JIT_BUDGET_H

/* The forms, each cheaper to compile than the one before it, and slower to run. */
enum jit_tier {
    JIT_TIER_FULL,   /* everything that can be tried: functions of whole blocks, warps that run
                        together */
    JIT_TIER_WARP,   /* a function for one warp */
    JIT_TIER_MEMORY, /* the same, whose registers stay in memory (control/home.c) */
};

/* How much the code generator does: the usual; without ordering the instructions of large blocks
 * once more after they have registers; each instruction by itself, values in memory between them.
 */
enum jit_effort { JIT_EFFORT_USUAL, JIT_EFFORT_LESS, JIT_EFFORT_LEAST, JIT_EFFORTS };

/* Passes that have no place where accesses are calls: what a function computes may not depend on
 * the instruction that it was made for. */
#define JIT_QUICK_BARRED                                                                           \
    (1ull << PASS_PREFETCH_LOOPS | 1ull << PASS_PREFETCH_TILES | 1ull << PASS_NAN_CODES)

enum jit_budget {
    /* LLVM instructions as they are emitted: above, a form is not even optimised. 100,000 of them
     * are 0.1 s of emitting and about a second of passes. The largest product of the suite has
     * 53,560. */
    JIT_BUDGET_EMITTED = 90000,
    /* After the passes: 512-bit registers that instructions write (others count one), and operands
     * of phis, times their weight. The largest product of the suite has 48,193: 2.4 s. In the last
     * form, which is compiled whatever its size, the code generator takes its quick way above this.
     */
    JIT_BUDGET_OPTIMISED = 60000,
    JIT_PHI_WEIGHT = 4,
    /* Above so many instructions as emitted, LLVM's passes begin with the one that makes phis, and
     * end there if the size then is above the limit so many times: what is left of sgemm_reg8's
     * 58,000 in the end are 8,900. */
    JIT_TRIAL_EMITTED = 20000,
    JIT_TRIAL_FACTOR = 8,
    /* Instructions as emitted from which on the last form is compiled quickly first: 0.2 s, where
     * the usual code takes 0.6. */
    JIT_QUICK_EMITTED = 12000,
    /* PTX instructions from which on it is known to be that long before it is emitted, so that its
     * accesses may be calls. */
    JIT_QUICK_CALLS = 1000,
    /* Instructions of the warp IR, of all functions together that a kernel really calls, from which
     * on each is compiled when it is first called: 2,000 of them take half a second. */
    JIT_DEFERRED = 2000,
    /* Of a form that fits: above so many instructions as emitted LLVM's passes take over half a
     * second; above so many as optimised the code generator takes over one. Quick code of the last
     * form comes first, then. */
    JIT_QUICK_TRIED = 60000,
    JIT_QUICK_OPTIMISED = 24000,
    /* Better code is made once the quick code's launches have taken so many times as long as its
     * compile did: better code takes three to five times as long. Where it comes from the disk,
     * another process wanted the kernel before: a quarter is enough. */
    JIT_QUICK_ENOUGH = 3,
    JIT_QUICK_AGAIN = 4,
    /* Launches of more warps get better code at once: it takes over between launches alone. */
    JIT_QUICK_WARPS = 1024,
};

#endif
