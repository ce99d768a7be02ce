/* SPDX-License-Identifier: Apache-2.0
 *
 * jit_pick.c: loads whose address is selected lane by lane (jit_split.c): one load of each of the
 * addresses, under the mask of the lanes that select it.
 */
#include "jit/jit_guess.h"
#include "jit/jit_site.h"

enum { VECTOR_BYTES = 64 };

/* A part of such a load, laid out in runs of a vector register at most; false: not in runs. */
static bool
part_site(struct site *s, const struct split_part *part, struct site *out)
{
    *out = *s;
    out->fact = part->fact;
    out->holds = NULL;
    out->lanes = NULL;
    out->mask = part->mask;
    if (!site_runs(out))
        return false;
    for (; out->run > VECTOR_BYTES / s->bytes; out->run /= 2)
        for (unsigned g = LANES / out->run; g-- > 0;) {
            out->broadcast[2 * g] = out->broadcast[2 * g + 1] = out->broadcast[g];
            out->start[2 * g] = site_offset(out, g * out->run);
            out->start[2 * g + 1] = site_offset(out, g * out->run + out->run / 2);
        }
    return true;
}

/* Addresses of the part's runs. A vector that is loaded under a mask and reaches into a page that
 * is not there costs hundreds of cycles, even if no lane of the mask is in it. So a part of which
 * no lane is selected is loaded from where something is; and shared memory, which begins with a
 * page (rows of a tile above its first one), is loaded so within a page only: bit PAGE_BIT of
 * *cross tells. */
static void
part_addresses(struct site *one, const struct split_part *part, const struct ptx_operand *o,
               LLVMValueRef *at, LLVMValueRef *cross)
{
    struct core *c = one->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef offset = core_i64(c, site_known_offset(c, o)),
                 base = site_space_base(c, site_space(c, &one->i->i, o), o);
    unsigned n = LANES / part->fact.segment, parts = LANES / one->run;
    offset = base ? LLVMBuildAdd(b, offset, base, "") : offset;
    LLVMValueRef first =
        LLVMBuildAdd(b, part->firsts, n == 1 ? offset : core_splat_some(c, offset, n), "");
    one->base = n == 1 ? first : NULL;
    one->firsts = n == 1 ? NULL : first;
    LLVMValueRef spare = LLVMBuildPtrToInt(b, c->e.warp, core_scalar(c, 64), "");
    spare = LLVMBuildAnd(b, spare, core_i64(c, ~(uint64_t)(LINE - 1)), "");
    LLVMValueRef any = site_any(one, 0, LANES);
    bool row = n == 1 && one->start[parts - 1] == (int32_t)((parts - 1) * one->run * one->bytes);
    for (unsigned g = 0; g < parts; g++) {
        /* What all lanes of a run read is read without a mask. */
        LLVMValueRef some = one->broadcast[g] ? site_any(one, g * one->run, one->run) : any;
        at[g] = LLVMBuildSelect(b, some, site_segment(one, g), spare, "");
        uint32_t bytes = one->broadcast[g] ? one->bytes : one->bytes * one->run;
        bytes = row ? one->bytes * LANES : bytes;
        if (!part->shared || (row && g))
            continue;
        LLVMValueRef end = LLVMBuildAdd(b, at[g], core_i64(c, bytes - 1), "");
        *cross = LLVMBuildOr(b, *cross, LLVMBuildXor(b, at[g], end, ""), "");
    }
}

static void
load_part(struct site *one, const LLVMValueRef *at, LLVMValueRef *out)
{
    struct core *c = one->c;
    LLVMValueRef part[LANES];
    int32_t zero[LANES] = {0};
    for (unsigned g = 0; g < LANES / one->run; g++) {
        if (!one->broadcast[g]) {
            part[g] = site_load_consecutive(one, at[g], g * one->run, one->run);
            continue;
        }
        LLVMValueRef x = site_load_scalar(one, at[g], 0);
        LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(x), one->run);
        x = LLVMBuildInsertElement(c->e.b, LLVMGetPoison(type), x, core_i32(c, 0), "");
        part[g] = core_shuffle(c, x, NULL, zero, one->run);
    }
    LLVMValueRef v = core_concatenate(c, part, LANES / one->run, one->run);
    *out = *out ? LLVMBuildSelect(c->e.b, one->mask, v, *out, "") : v;
}

/* False: the address is not such a one; nothing that has an effect was emitted. */
bool
site_load_split(struct site *s, const struct ptx_operand *o, LLVMValueRef *out)
{
    enum { PAGE_BIT = 12 };
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    struct split split;
    struct site one[sizeof split.part / sizeof *split.part];
    LLVMValueRef fast = NULL, slow, at[sizeof split.part / sizeof *split.part][LANES];
    if (s->vec != 1 || s->bytes < 4 || !core_split(c, s->i, o, &split))
        return false;
    for (unsigned k = 0; k < split.count; k++)
        if (!part_site(s, &split.part[k], &one[k]))
            return false;
    LLVMValueRef cross = core_i64(c, 0);
    for (unsigned k = 0; k < split.count; k++)
        part_addresses(&one[k], &split.part[k], o, at[k], &cross);
    cross = LLVMBuildAnd(b, cross, core_i64(c, 1ull << PAGE_BIT), "");
    struct fork f = fork_begin(c, LLVMBuildAnd(b, split.fine, LLVMBuildIsNull(b, cross, ""), ""));
    for (unsigned k = 0; k < split.count; k++)
        load_part(&one[k], at[k], &fast);
    f.fast_end = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, f.join);
    LLVMPositionBuilderAtEnd(b, f.slow);
    site_load_each(s, &slow);
    f.slow_end = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, f.join);
    LLVMPositionBuilderAtEnd(b, f.join);
    fork_join(c, &f, 1, &fast, &slow, out);
    return true;
}
