/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/tile.c: warps that run together (versions/interleave.c) and read a tile of shared memory
 * by columns.
 *
 *     v = tile[threadIdx.x][threadIdx.y]     each warp a word of each of 32 rows, some words apart;
 *                                            the next warp the words beside them
 *
 * Four warps read four words of each row: a load of 16 bytes a row, four of which make a vector,
 * and 16 permutations within 16 bytes for the four warps, instead of eight gathers of 16 words.
 * That low halves of the warps' addresses are a word apart is known from analysis/steps.c; all of
 * them are compared before.
 */
#include "jit/memory/memory.h"
#include "jit/build/value.h"

enum { SIDE = 4, WORD = 4, HALF = LANES / 2 };

/* 16 rows of 16 bytes each: 4 g + n of them to the g-th part of vector n. */
static LLVMValueRef
load_rows(struct core *c, LLVMValueRef base, const int32_t *row)
{
    LLVMBuilderRef b = c->e.b;
    LLVMTypeRef i32 = core_scalar(c, 32), four = LLVMVectorType(i32, SIDE),
                all = LLVMVectorType(i32, HALF);
    LLVMValueRef v = LLVMGetPoison(all);
    for (unsigned g = 0; g < SIDE; g++) {
        LLVMValueRef at = core_i64(c, (uint64_t)(int64_t)row[SIDE * g]);
        at = LLVMBuildGEP2(b, core_scalar(c, 8), base, &at, 1, "");
        LLVMValueRef part = LLVMBuildLoad2(b, four, at, "");
        LLVMSetAlignment(part, 1);
        LLVMTypeRef types[] = {all, four};
        LLVMValueRef args[] = {v, part, core_i64(c, SIDE * g)};
        v = emit_intrinsic(&c->e, "llvm.vector.insert", types, 2, args, 3);
    }
    return v;
}

/* unit words from x and as many from y in turn, within four words: the low or the high half of
 * them. */
static LLVMValueRef
unpack(struct core *c, LLVMValueRef x, LLVMValueRef y, unsigned unit, unsigned half)
{
    LLVMValueRef k[HALF];
    for (unsigned l = 0; l < HALF; l++) {
        unsigned in = l % SIDE, word = in / (2 * unit) * unit + in % unit + half * 2;
        k[l] = core_i32(c, l / SIDE * SIDE + word + in / unit % 2 * HALF);
    }
    return LLVMBuildShuffleVector(c->e.b, x, y, LLVMConstVector(k, HALF), "");
}

void
core_turn_rows(struct core *c, LLVMValueRef base, const int32_t row[16], LLVMValueRef out[4])
{
    LLVMValueRef r[SIDE], t[SIDE];
    for (unsigned n = 0; n < SIDE; n++)
        r[n] = load_rows(c, base, row + n);
    for (unsigned n = 0; n < SIDE; n++)
        t[n] = unpack(c, r[n & ~1u], r[n | 1], 1, n & 1);
    for (unsigned n = 0; n < SIDE; n++)
        out[n] = unpack(c, t[n >> 1], t[(n >> 1) + 2], 2, n & 1);
}

/* Four columns: lanes' words at base and the pattern, and the three behind them. */
static void
load_columns(struct core *c, LLVMValueRef base, const int32_t *pattern, LLVMValueRef *out)
{
    LLVMValueRef half[2][SIDE], at = core_ptr(c, base);
    for (unsigned h = 0; h < 2; h++)
        core_turn_rows(c, at, pattern + h * HALF, half[h]);
    for (unsigned n = 0; n < SIDE; n++)
        out[n] = core_concatenate(c, (LLVMValueRef[]){half[0][n], half[1][n]}, 2, HALF);
}

void
site_load_tile(struct site *s, const struct plan *p, LLVMValueRef *out)
{
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    struct site each[INTERLEAVE_MOST] = {*s};
    LLVMValueRef fast[INTERLEAVE_MOST], slow[INTERLEAVE_MOST], apart = core_i64(c, 0);
    unsigned n = p->warps;
    for (unsigned k = 1; k < n; k++) {
        regions_use(c, &c->regions->interleaved_warp[k]);
        each[k] = (struct site){.c = c, .i = s->i, .bytes = WORD, .vec = 1, .align = s->align};
        site_at(&each[k], p->o, &p->at);
        LLVMValueRef d = LLVMBuildSub(b, each[k].base, s->base, "");
        apart = LLVMBuildOr(b, apart, LLVMBuildXor(b, d, core_i64(c, k * WORD), ""), "");
    }
    struct fork f = fork_begin(c, LLVMBuildIsNull(b, apart, ""));
    for (unsigned k = 0; k < n; k += SIDE)
        load_columns(c, LLVMBuildAdd(b, s->base, core_i64(c, k * WORD), ""), s->fact.pattern,
                     &fast[k]);
    fork_other(c, &f);
    for (unsigned k = 0; k < n; k++)
        site_load_each(&each[k], &slow[k]);
    fork_join(c, &f, n, fast, slow, fast);
    for (unsigned k = n; k-- > 0;) {
        regions_use(c, &c->regions->interleaved_warp[k]);
        if (k)
            core_ahead_put(c, s->i, fast[k]);
    }
    *out = fast[0];
}
