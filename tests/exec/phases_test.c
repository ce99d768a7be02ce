/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels as functions of whole blocks (versions/regions.c) where all warps are sure to come to the
 * same barriers or there are none, and as warp functions where not: which of both, and the results,
 * computed here thread by thread. Each runs again for a tool, which takes the other way.
 */
#include "common/ignoring.h"
#include "jit/tool.h"
#include "exec/exec.h"

#include "common/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 3, MOST = 1024 };

#define HEAD                                                                                       \
    ".version 7.8\n.target sm_70\n.address_size 64\n.shared .align 4 .b8 s[5120];\n"               \
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"                                         \
    ".reg .b64 %rd<8>; .reg .b32 %r<32>; .reg .pred %p<8>;\n"                                      \
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\n"                                            \
    "mov.u32 %r2, %tid.x;\nmov.u32 %r3, %tid.y;\nmov.u32 %r4, %ntid.x;\nmov.u32 %r5, %ntid.y;\n"   \
    "mad.lo.u32 %r6, %r3, %r4, %r2;\nmul.lo.u32 %r7, %r4, %r5;\n" /* the thread, and how many */   \
    "mov.u32 %r8, %ctaid.x;\nmad.lo.u32 %r9, %r8, %r7, %r6;\n"    /* of the grid */                \
    "mul.wide.u32 %rd2, %r9, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"     /* where the result goes */      \
    "mov.u32 %r10, s;\nshl.b32 %r11, %r6, 2;\nadd.u32 %r12, %r10, %r11;\n"
#define TAIL "ret;\n}\n"

/* s[t] = 3 t + block; halves are added up while a step that the launch decides is above zero. */
static const char tree[] =
    HEAD "mad.lo.u32 %r13, %r6, 3, %r8;\nst.shared.u32 [%r12], %r13;\nbar.sync 0;\n"
         "shr.u32 %r14, %r7, 1;\n"
         "LOOP:\nsetp.eq.u32 %p1, %r14, 0;\n@%p1 bra OUT;\n"
         "setp.ge.u32 %p2, %r6, %r14;\n@%p2 bra NEXT;\n"
         "shl.b32 %r15, %r14, 2;\nadd.u32 %r16, %r12, %r15;\n"
         "ld.shared.u32 %r17, [%r16];\nld.shared.u32 %r18, [%r12];\nadd.u32 %r18, %r18, %r17;\n"
         "st.shared.u32 [%r12], %r18;\n"
         "NEXT:\nbar.sync 0;\nshr.u32 %r14, %r14, 1;\nbra LOOP;\n"
         "OUT:\nld.shared.u32 %r19, [%r12];\nst.global.u32 [%rd3], %r19;\n" TAIL;

/* n times: each thread takes its neighbour's number and adds what it has kept, the turn and its own
 * number: registers of all kinds are alive at both barriers. */
static const char shift[] =
    HEAD "mul.lo.u32 %r13, %r9, 2654435761;\nmov.u32 %r14, 0;\nmov.u32 %r15, %r6;\n"
         "LOOP:\nsetp.ge.u32 %p1, %r14, %r1;\n@%p1 bra OUT;\n"
         "st.shared.u32 [%r12], %r13;\nbar.sync 1;\n"
         "add.u32 %r16, %r6, 1;\nrem.u32 %r16, %r16, %r7;\nshl.b32 %r16, %r16, 2;\nadd.u32 %r16, "
         "%r16, %r10;\n"
         "ld.shared.u32 %r17, [%r16];\nxor.b32 %r13, %r13, %r17;\nadd.u32 %r13, %r13, %r14;\n"
         "add.u32 %r13, %r13, %r15;\nadd.u32 %r15, %r15, 7;\n"
         "barrier.sync 2;\nadd.u32 %r14, %r14, 1;\nbra LOOP;\n"
         "OUT:\nst.global.u32 [%rd3], %r13;\n" TAIL;

/* Warps that run together in loops (versions/interleave.c). Turn by turn: each thread adds up
 * others' numbers, its first one, and one for each number of threads below a limit that the turn
 * decides: all warps go round as often, or some of them once more, one in part. PARTING: what is
 * added tells lanes apart. */
#define ROUND(PARTING)                                                                             \
    HEAD "mul.lo.u32 %r13, %r9, 2654435761;\nmov.u32 %r14, 0;\nmov.u32 %r15, %r6;\n"               \
         "setp.lt.u32 %p4, %r6, 45;\n"                                                             \
         "LOOP:\nsetp.ge.u32 %p1, %r14, %r1;\n@%p1 bra OUT;\n"                                     \
         "st.shared.u32 [%r12], %r13;\nbar.sync 1;\n"                                              \
         "and.b32 %r20, %r14, 3;\nmul.lo.u32 %r20, %r20, %r7;\nmad.lo.u32 %r21, %r14, 37, %r1;\n"  \
         "rem.u32 %r21, %r21, %r7;\nadd.u32 %r20, %r20, %r21;\nmov.u32 %r22, %r6;\nmov.u32 %r23, " \
         "%r14;\n"                                                                                 \
         "INNER:\nsetp.ge.u32 %p2, %r22, %r20;\n@%p2 bra DONE;\n"                                  \
         "mad.lo.u32 %r16, %r22, 5, %r14;\nrem.u32 %r16, %r16, %r7;\nshl.b32 %r16, %r16, 2;\n"     \
         "add.u32 %r16, %r16, %r10;\nld.shared.u32 %r17, [%r16];\nmad.lo.u32 %r23, %r23, 3, "      \
         "%r17;\n" PARTING "add.u32 %r22, %r22, %r7;\nbra INNER;\n"                                \
         "DONE:\nadd.u32 %r23, %r23, %r15;\n@%p4 add.u32 %r23, %r23, 1;\nadd.u32 %r15, %r15, 7;\n" \
         "bar.sync 2;\nxor.b32 %r13, %r13, %r23;\nadd.u32 %r14, %r14, 1;\nbra LOOP;\n"             \
         "OUT:\nst.global.u32 [%rd3], %r13;\n" TAIL
static const char together[] = ROUND("");
static const char parting[] =
    ROUND("and.b32 %r18, %r17, 7;\nsetp.eq.u32 %p3, %r18, 0;\n@%p3 bra NEXT;\n"
          "xor.b32 %r23, %r23, %r22;\nNEXT:\n");

/* The same for all warps: n numbers of the block, times the thread's; threads up to the nth
 * write nothing. */
static const char rows[] = HEAD
    "mad.lo.u32 %r13, %r9, 7, 3;\nst.shared.u32 [%r12], %r13;\nbar.sync 0;\n"
    "mov.u32 %r14, 0;\nmov.u32 %r15, 0;\nmov.u32 %r16, %r10;\n"
    "LOOP:\nsetp.ge.u32 %p1, %r14, %r1;\n@%p1 bra OUT;\n"
    "ld.shared.u32 %r17, [%r16];\nmad.lo.u32 %r15, %r17, %r6, %r15;\nld.shared.u32 %r18, [%r12];\n"
    "add.u32 %r15, %r15, %r18;\nadd.u32 %r16, %r16, 4;\nadd.u32 %r14, %r14, 1;\nbra LOOP;\n"
    "OUT:\nsetp.gt.u32 %p2, %r6, %r1;\n@!%p2 bra END;\nst.global.u32 [%rd3], %r15;\nEND:\n" TAIL;

/* No block reaches 2048: the barrier is certain, and %r14 the thread's number. Whether all reach 40
 * depends on the block. */
static const char settled[] =
    HEAD "setp.lt.u32 %p1, %r2, 2048;\nsetp.ge.s32 %p2, %r2, 40;\nmul.lo.u32 %r13, %r9, 3;\n"
         "@%p1 bra NEAR;\nmov.u32 %r14, 77;\nbra BOTH;\nNEAR:\nmov.u32 %r14, %r6;\n"
         "BOTH:\n@%p2 bra FAR;\nadd.u32 %r13, %r13, 1000;\nFAR:\nst.shared.u32 [%r12], %r13;\n"
         "@!%p1 bra OUT;\nbar.sync 0;\n"
         "add.u32 %r15, %r14, 1;\nrem.u32 %r15, %r15, %r7;\nshl.b32 %r15, %r15, 2;\nadd.u32 %r15, "
         "%r15, %r10;\n"
         "ld.shared.u32 %r16, [%r15];\nadd.u32 %r16, %r16, %r14;\nst.global.u32 [%rd3], "
         "%r16;\nOUT:\n" TAIL;

/* Reductions over the block; in between a loop that every thread runs another number of times. */
static const char votes[] =
    HEAD "rem.u32 %r13, %r9, 3;\nsetp.eq.u32 %p1, %r13, 0;\n"
         "barrier.red.popc.u32 %r14, 0, %p1;\n"
         "and.b32 %r15, %r6, 7;\nmov.u32 %r16, 1;\n"
         "LOOP:\nsetp.eq.u32 %p2, %r15, 0;\n@%p2 bra OUT;\n"
         "mad.lo.u32 %r16, %r16, 5, 1;\nsub.u32 %r15, %r15, 1;\nbra LOOP;\n"
         "OUT:\nsetp.lt.u32 %p3, %r16, %r1;\n"
         "bar.red.and.pred %p4, 0, %p3;\nbar.red.or.pred %p5, 0, !%p3;\n"
         "selp.u32 %r17, 1000000, 0, %p4;\nselp.u32 %r18, 2000000, 0, %p5;\n"
         "add.u32 %r19, %r14, %r17;\nadd.u32 %r19, %r19, %r18;\nadd.u32 %r19, %r19, %r16;\n"
         "setp.gt.u32 %p6, %r6, 40;\n@%p6 ret;\nst.global.u32 [%rd3], %r19;\n" TAIL;

/* What lies in memory decides whether there is a second barrier: nobody can know that it is the
 * same for all. It is, so that both ways lead to the same. */
static const char loaded[] = HEAD
    "st.shared.u32 [%r12], %r9;\nbar.sync 0;\nld.shared.u32 %r13, [s];\nand.b32 %r14, %r13, 1;\n"
    "setp.eq.u32 %p1, %r14, 0;\n@%p1 bra OUT;\nbar.sync 0;\nadd.u32 %r13, %r13, 5;\n"
    "OUT:\nst.global.u32 [%rd3], %r13;\n" TAIL;

/* Threads exit before the barrier; the others still see each other's numbers. */
static const char leaving[] =
    HEAD "st.shared.u32 [%r12], %r9;\nsetp.ge.u32 %p1, %r6, %r1;\n@%p1 ret;\nbar.sync 0;\n"
         "sub.u32 %r13, %r1, 1;\nmin.u32 %r14, %r7, %r1;\nsub.u32 %r14, %r14, 1;\nsub.u32 %r14, "
         "%r14, %r6;\n"
         "shl.b32 %r14, %r14, 2;\nadd.u32 %r14, %r14, %r10;\nld.shared.u32 %r15, [%r14];\n"
         "st.global.u32 [%rd3], %r15;\n" TAIL;

/* Even warps and odd ones stand at different places for the same barrier. */
static const char places[] =
    HEAD "st.shared.u32 [%r12], %r9;\nshr.u32 %r13, %r6, 5;\nand.b32 %r13, %r13, 1;\n"
         "setp.eq.u32 %p1, %r13, 0;\n@%p1 bra EVEN;\nbar.sync 0;\nmov.u32 %r14, 3;\nbra BOTH;\n"
         "EVEN:\nbar.sync 0;\nmov.u32 %r14, 4;\n"
         "BOTH:\nsub.u32 %r15, %r7, 1;\nsub.u32 %r15, %r15, %r6;\nshl.b32 %r15, %r15, 2;\n"
         "add.u32 %r15, %r15, %r10;\nld.shared.u32 %r16, [%r15];\nadd.u32 %r16, %r16, %r14;\n"
         "st.global.u32 [%rd3], %r16;\n" TAIL;

/* Writes to a register that others keep, and a value carried over the barrier under a mask. */
static const char masks[] =
    HEAD "mov.u32 %r13, 11;\nand.b32 %r14, %r6, 3;\nsetp.eq.u32 %p1, %r14, 1;\n"
         "@%p1 add.u32 %r13, %r6, %r8;\nst.shared.u32 [%r12], %r13;\nbar.sync 0;\n"
         "@!%p1 bra AFTER;\nadd.u32 %r13, %r13, 100;\n"
         "AFTER:\nbar.sync 0;\n@%p1 add.u32 %r13, %r13, 1;\nld.shared.u32 %r15, [%r12];\n"
         "add.u32 %r16, %r13, %r15;\nst.global.u32 [%rd3], %r16;\n" TAIL;

/* Sums in a table of 256 behind the numbers: of the threads' numbers, of ones, and of threes. */
static const char table[] =
    HEAD "mul.lo.u32 %r13, %r9, 40503;\nst.shared.u32 [%r12], %r13;\nmov.u32 %r14, %r6;\nmov.u32 "
         "%r15, 0;\n"
         "LOOP:\nsetp.ge.u32 %p1, %r14, 256;\n@%p1 bra OUT;\nshl.b32 %r16, %r14, 2;\nadd.u32 %r16, "
         "%r16, %r10;\n"
         "st.shared.u32 [%r16+4096], %r15;\nadd.u32 %r14, %r14, %r7;\nbra LOOP;\n"
         "OUT:\nbar.sync 0;\n"
         "cvt.u64.u32 %rd4, %r12;\nld.shared.u8 %r17, [%rd4+1];\nmul.wide.u32 %rd5, %r17, "
         "4;\nmov.u64 %rd6, s;\n"
         "add.s64 %rd7, %rd6, %rd5;\nred.shared.add.u32 [%rd7+4096], %r6;\n"
         "setp.lt.u32 %p2, %r17, %r1;\n@%p2 red.shared.add.u32 [%rd7+4096], 1;\n"
         "shl.b64 %rd5, %rd5, 0;\nadd.s64 %rd7, %rd5, %rd6;\nadd.u64 %rd6, %rd6, 64;\n"
         "red.shared.add.u32 [%rd7+4096], 3;\nbar.sync 0;\n"
         "and.b32 %r18, %r6, 255;\nshl.b32 %r18, %r18, 2;\nadd.u32 %r18, %r18, %r10;\n"
         "ld.shared.u32 %r19, [%r18+4096];\nst.global.u32 [%rd3], %r19;\n" TAIL;

/* The same in global memory, where the results lie, without a barrier. */
static const char sums[] =
    HEAD "mul.lo.u32 %r13, %r9, 40503;\nst.shared.u32 [%r12], %r13;\n"
         "cvt.u64.u32 %rd4, %r12;\nld.shared.u8 %r17, [%rd4+1];\nand.b32 %r17, %r17, 63;\n"
         "mul.wide.u32 %rd5, %r17, 4;\nadd.s64 %rd6, %rd1, %rd5;\nadd.u32 %r18, %r6, %r1;\n"
         "red.global.add.u32 [%rd6], %r18;\nred.global.add.u32 [%rd6], %r18;\n" TAIL;

/* -- what is right ----------------------------------------------------------------------------- */

struct shape {
    uint32_t x, y, n;
};

static void
want_tree(const struct shape *f, uint32_t block, uint32_t *out)
{
    uint32_t threads = f->x * f->y;
    for (uint32_t t = 0; t < threads; t++)
        out[t] = 3 * t + block;
    for (uint32_t step = threads / 2; step; step /= 2)
        for (uint32_t t = 0; t < step; t++)
            out[t] += out[t + step];
}

static void
want_shift(const struct shape *f, uint32_t block, uint32_t *out)
{
    uint32_t threads = f->x * f->y, old[MOST];
    for (uint32_t t = 0; t < threads; t++)
        out[t] = (block * threads + t) * 2654435761u;
    for (uint32_t k = 0; k < f->n; k++) {
        memcpy(old, out, 4 * threads);
        for (uint32_t t = 0; t < threads; t++)
            out[t] = (old[t] ^ old[(t + 1) % threads]) + k + t + 7 * k;
    }
}

static void
want_round(const struct shape *f, uint32_t block, uint32_t *out, bool parts)
{
    uint32_t threads = f->x * f->y, old[MOST];
    for (uint32_t t = 0; t < threads; t++)
        out[t] = (block * threads + t) * 2654435761u;
    for (uint32_t k = 0; k < f->n; k++) {
        uint32_t limit = (k & 3) * threads + (k * 37 + f->n) % threads;
        memcpy(old, out, 4 * threads);
        for (uint32_t t = 0; t < threads; t++) {
            uint32_t sum = k;
            for (uint32_t i = t; i < limit; i += threads) {
                uint32_t x = old[(i * 5 + k) % threads];
                sum = sum * 3 + x;
                sum ^= parts && x % 8 ? i : 0;
            }
            out[t] = old[t] ^ (sum + t + 7 * k + (t < 45));
        }
    }
}

static void
want_together(const struct shape *f, uint32_t block, uint32_t *out)
{
    want_round(f, block, out, false);
}

static void
want_parting(const struct shape *f, uint32_t block, uint32_t *out)
{
    want_round(f, block, out, true);
}

static void
want_rows(const struct shape *f, uint32_t block, uint32_t *out)
{
    uint32_t threads = f->x * f->y, first = block * threads, n = f->n;
    for (uint32_t t = n + 1; t < threads; t++) {
        out[t] = n * (7 * (first + t) + 3);
        for (uint32_t k = 0; k < n; k++)
            out[t] += (7 * (first + k) + 3) * t;
    }
}

static void
want_settled(const struct shape *f, uint32_t block, uint32_t *out)
{
    uint32_t threads = f->x * f->y;
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t next = (t + 1) % threads;
        out[t] = 3 * (block * threads + next) + (next % f->x < 40 ? 1000 : 0) + t;
    }
}

static void
want_votes(const struct shape *f, uint32_t block, uint32_t *out)
{
    uint32_t threads = f->x * f->y, count = 0, low = 0, kept[MOST];
    for (uint32_t t = 0; t < threads; t++) {
        count += (block * threads + t) % 3 == 0;
        kept[t] = 1;
        for (uint32_t k = 0; k < t % 8; k++)
            kept[t] = kept[t] * 5 + 1;
        low += kept[t] < f->n;
    }
    for (uint32_t t = 0; t < threads && t <= 40; t++)
        out[t] = count + (low == threads ? 1000000 : 0) + (low != threads ? 2000000 : 0) + kept[t];
}

static void
want_loaded(const struct shape *f, uint32_t block, uint32_t *out)
{
    uint32_t first = block * f->x * f->y;
    for (uint32_t t = 0; t < f->x * f->y; t++)
        out[t] = first + first % 2 * 5;
}

static void
want_leaving(const struct shape *f, uint32_t block, uint32_t *out)
{
    uint32_t threads = f->x * f->y, stay = threads < f->n ? threads : f->n;
    for (uint32_t t = 0; t < stay; t++)
        out[t] = block * threads + stay - 1 - t;
}

static void
want_places(const struct shape *f, uint32_t block, uint32_t *out)
{
    uint32_t threads = f->x * f->y;
    for (uint32_t t = 0; t < threads; t++)
        out[t] = block * threads + threads - 1 - t + (t / 32 % 2 ? 3 : 4);
}

static void
want_masks(const struct shape *f, uint32_t block, uint32_t *out)
{
    for (uint32_t t = 0; t < f->x * f->y; t++)
        out[t] = t % 4 == 1 ? 2 * (t + block) + 101 : 22;
}

static void
want_table(const struct shape *f, uint32_t block, uint32_t *out)
{
    uint32_t threads = f->x * f->y, sum[256] = {0};
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t byte = (block * threads + t) * 40503 >> 8 & 255;
        sum[byte] += t + (byte < f->n) + 3;
    }
    for (uint32_t t = 0; t < threads; t++)
        out[t] = sum[t % 256];
}

static void
want_sums(const struct shape *f, uint32_t block, uint32_t *out)
{
    uint32_t threads = f->x * f->y;
    for (uint32_t t = 0; t < threads; t++)
        (out - block * threads)[(block * threads + t) * 40503 >> 8 & 63] += 2 * (t + f->n);
}

/* -- running ----------------------------------------------------------------------------------- */

static const struct kernel {
    const char *name, *text;
    bool whole; /* a function for the block is expected */
    bool stops; /* a block of one warp waits at its barriers, too */
    void (*want)(const struct shape *f, uint32_t block, uint32_t *out);
} kernels[] = {
    {"tree", tree, true, false, want_tree},
    {"shift", shift, true, false, want_shift},
    {"votes", votes, true, true, want_votes},
    {"masks", masks, true, false, want_masks},
    {"loaded", loaded, false, false, want_loaded},
    {"leaving", leaving, false, true, want_leaving},
    {"places", places, false, false, want_places},
    {"table", table, true, false, want_table},
    {"sums", sums, true, false, want_sums},
    {"together", together, true, false, want_together},
    {"parting", parting, true, false, want_parting},
    {"rows", rows, true, false, want_rows},
    {"settled", settled, true, false, want_settled},
};
/* Some whose last warp is not whole: those run as warps in any case. */
static const struct shape shapes[] = {{32, 1, 0},  {64, 1, 1},   {256, 1, 5}, {16, 16, 40},
                                      {8, 12, 3},  {1024, 1, 9}, {40, 1, 6},  {7, 5, 20},
                                      {20, 8, 50}, {128, 1, 13}, {16, 1, 7}};

static bool
run(struct jit_engine *jit, const struct kernel *k, const struct ptx_module *m,
    const struct shape *f, struct jit_tool *tool)
{
    static uint32_t got[BLOCKS * MOST], want[BLOCKS * MOST];
    struct ls_error err;
    struct exec_pool *pool = exec_new(2, &err);
    struct {
        uint64_t out;
        uint32_t n;
    } params = {(uint64_t)(uintptr_t)got, f->n};
    uint64_t symbols[4] = {0};
    struct exec_report report = {0};
    struct exec_request r = {.jit = jit,
                             .module = m,
                             .kernel = ptx_find_func(m, "k"),
                             .grid = {BLOCKS, 1, 1},
                             .block = {f->x, f->y, 1},
                             .params = (uint8_t *)&params,
                             .symbols = symbols,
                             .sm_count = 2,
                             .resident_blocks = 4,
                             .tool = tool};
    uint32_t threads = f->x * f->y;
    memset(got, 0, sizeof got);
    memset(want, 0, sizeof want);
    for (uint32_t b = 0; b < BLOCKS; b++)
        k->want(f, b, want + b * threads);
    bool ran = exec_run(pool, &r, &report), fine = ran && !memcmp(got, want, sizeof got);
    for (uint32_t t = 0; ran && t < BLOCKS * threads; t++)
        if (got[t] != want[t]) {
            printf("%s, %u x %u: thread %u has %u, not %u\n", k->name, f->x, f->y, t, got[t],
                   want[t]);
            break;
        }
    if (!ran)
        printf("%s, %u x %u: %s\n", k->name, f->x, f->y, report.text);
    exec_free(pool);
    return fine;
}

static void
both_ways(void **state)
{
    struct ls_error err;
    struct jit_engine *jit = jit_new(&(struct jit_options){0}, &err);
    struct jit_tool tool = {
        .events = JIT_EVENT_ACCESS, .access = ignore_access, .pattern = ignore_pattern};
    unsigned wrong = 0;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        struct ptx_module *m =
            ptx_parse(kernels[k].text, strlen(kernels[k].text), kernels[k].name, &err);
        if (!m)
            fail_msg("%s", err.text);
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            const struct shape *f = &shapes[s];
            struct jit_request r = {.module = m,
                                    .kernel = ptx_find_func(m, "k"),
                                    .block = {f->x, f->y, 1},
                                    .small_grid = true,
                                    .whole = true};
            const struct jit_kernel *code = jit_get(jit, &r, &err);
            if (!code)
                fail_msg("%s", err.text);
            bool whole = kernels[k].whole && f->x * f->y % 32 == 0;
            if ((code->block != NULL) != whole)
                printf("%s, %u x %u: %s\n", kernels[k].name, f->x, f->y,
                       whole ? "no function for the block" : "one for the block");
            wrong += (code->block != NULL) != whole;
            bool stops = kernels[k].stops && f->x * f->y < 32;
            if (f->x * f->y < 32 && code->has_barrier != stops)
                printf("%s, %u threads: %s\n", kernels[k].name, f->x * f->y,
                       stops ? "no barrier" : "waits at barriers");
            wrong += f->x * f->y < 32 && code->has_barrier != stops;
            wrong += !run(jit, &kernels[k], m, f, NULL);
            wrong += (s % 3 == 0) && !run(jit, &kernels[k], m, f, &tool);
        }
        jit_forget(jit, m);
        ptx_free(m);
    }
    jit_free(jit);
    assert_int_equal(wrong, 0);
    (void)state;
}

int
main(void)
{
    return UNIT_TESTS(both_ways);
}
