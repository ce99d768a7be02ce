/* SPDX-License-Identifier: Apache-2.0
 *
 * memory/pick.c: loads whose address is selected lane by lane (values/split.c): one load of each of
 * the addresses, under the mask of the lanes that select it.
 */
#include "jit/memory/memory.h"
#include "jit/build/value.h"

enum { VECTOR_BYTES = 64 };

/* A part of such a load, laid out in runs of a vector register at most. */
static void
part_site(struct site *s, const struct split_part *part, struct site *out)
{
    *out = *s;
    out->fact = part->fact;
    out->holds = NULL;
    out->lanes = NULL;
    out->mask = part->mask;
    runs_find(&out->fact, s->bytes, &out->runs);
    runs_cut(&out->fact, VECTOR_BYTES / s->bytes, &out->runs);
}

/* Whether lanes of run g may be selected. */
static LLVMValueRef
some_of(struct site *one, const struct split_part *part, unsigned g)
{
    const unsigned half = LANES / 2;
    if (!part->some[0]) /* what all lanes of a run read is read without a mask */
        return one->runs.broadcast[g] || part->shared
                   ? site_any(one, g * one->runs.run, one->runs.run)
                   : site_any(one, 0, LANES);
    if (one->runs.run > half)
        return LLVMBuildOr(one->c->e.b, part->some[0], part->some[1], "");
    return part->some[g * one->runs.run / half];
}

/* Lanes at the start of run g that are known not to be selected, where the others are side by side:
 * what they would read - words before a tile's row, of its first row in a page that is not there -
 * need not be touched. */
static unsigned
skipped(const struct site *one, const struct split_part *part, unsigned g)
{
    uint32_t own = one->runs.run == LANES
                       ? part->lanes
                       : part->lanes >> g * one->runs.run & ((1u << one->runs.run) - 1);
    if (!part->shared || !own || one->runs.broadcast[g] ||
        one->bytes * one->runs.run != VECTOR_BYTES || !host_has_avx512(&one->c->e))
        return 0;
    unsigned low = (unsigned)__builtin_ctz(own);
    uint32_t rest = own >> low;
    return rest & (rest + 1) ? 0 : low;
}

/* Whether run g, of which the first lane that is loaded is selected, ends on a page of shared
 * memory: no lane that is selected lies behind the kernel's variables, and a vector ends less than
 * one behind that lane. Dynamic shared memory, of which nothing is known here, lies behind them;
 * there it is a matter of time alone. */
static bool
stays_inside(const struct site *one, const struct split_part *part, unsigned g)
{
    enum { PAGE = 4096 };
    uint32_t own = one->runs.run == LANES
                       ? part->lanes
                       : part->lanes >> g * one->runs.run & ((1u << one->runs.run) - 1);
    uint32_t used = one->c->wir->shared_bytes % PAGE;
    return own && (own & 1 || skipped(one, part, g)) && !one->runs.broadcast[g] && used &&
           used + VECTOR_BYTES <= PAGE;
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
                 base = site_space_base(c, plan_space(c->wir, &one->i->i, o), o);
    unsigned n = LANES / part->fact.segment, parts = LANES / one->runs.run;
    offset = base ? LLVMBuildAdd(b, offset, base, "") : offset;
    one->base = n == 1 ? part->firsts : NULL;
    one->firsts = n == 1 ? NULL : part->firsts;
    LLVMValueRef spare = LLVMBuildPtrToInt(b, c->e.warp, core_scalar(c, 64), "");
    spare = LLVMBuildAnd(b, spare, core_i64(c, ~(uint64_t)(LINE - 1)), "");
    for (unsigned g = 0; g < parts; g++) {
        LLVMValueRef from = site_segment(one, g),
                     skip = core_i64(c, skipped(one, part, g) * one->bytes);
        from = LLVMBuildAdd(b, LLVMBuildAdd(b, from, offset, ""), skip, "");
        at[g] = LLVMBuildSelect(b, some_of(one, part, g), from, spare, "");
        if (!part->shared || stays_inside(one, part, g))
            continue;
        uint32_t bytes = one->runs.broadcast[g] ? one->bytes : one->bytes * one->runs.run;
        LLVMValueRef end = LLVMBuildAdd(b, at[g], core_i64(c, bytes - 1), "");
        *cross = LLVMBuildOr(b, *cross, LLVMBuildXor(b, at[g], end, ""), "");
    }
}

/* Loads the run of lanes that select address `at`. over: the values that other lanes keep; NULL:
 * theirs do not matter. */
static LLVMValueRef
load_run(struct site *one, unsigned g, LLVMValueRef at, unsigned skip, LLVMValueRef over)
{
    struct core *c = one->c;
    LLVMBuilderRef b = c->e.b;
    const int32_t zero[LANES] = {0};
    LLVMTypeRef type = LLVMVectorType(core_scalar(c, one->bytes * 8), one->runs.run);
    LLVMValueRef mask = site_mask_part(one, g * one->runs.run, one->runs.run), p = core_ptr(c, at);
    if (one->runs.broadcast[g]) {
        LLVMValueRef x = site_load_scalar(one, at, 0);
        x = LLVMBuildInsertElement(b, LLVMGetPoison(LLVMVectorType(LLVMTypeOf(x), one->runs.run)),
                                   x, core_i32(c, 0), "");
        x = core_shuffle(c, x, NULL, zero, one->runs.run);
        return over ? LLVMBuildSelect(b, mask, x, over, "") : x;
    }
    over = over ? over : LLVMConstNull(type);
    if (skip) {
        LLVMValueRef args[] = {p, mask, over};
        return emit_intrinsic(&c->e, "llvm.masked.expandload", &type, 1, args, 3);
    }
    LLVMTypeRef types[] = {type, LLVMTypeOf(p)};
    LLVMValueRef args[] = {p, core_i32(c, one->align), mask, over};
    return emit_intrinsic(&c->e, "llvm.masked.load", types, 2, args, 4);
}

enum { PARTS = sizeof((struct split *)0)->part / sizeof *((struct split *)0)->part };

/* A load in parts, while it is made. */
struct pick {
    struct split split;
    struct site one[PARTS];
    LLVMValueRef at[PARTS][LANES], fine; /* fine: i1, it may be made so */
};

static void
find_parts(struct site *s, const struct ptx_operand *o, struct pick *p)
{
    enum { PAGE_BIT = 12 };
    struct core *c = s->c;
    LLVMBuilderRef b = c->e.b;
    LLVMValueRef cross = core_i64(c, 0);
    core_split(c, s->i, o, &p->split);
    for (unsigned k = 0; k < p->split.count; k++)
        part_site(s, &p->split.part[k], &p->one[k]);
    for (unsigned k = 0; k < p->split.count; k++)
        part_addresses(&p->one[k], &p->split.part[k], o, p->at[k], &cross);
    cross = LLVMBuildAnd(b, cross, core_i64(c, 1ull << PAGE_BIT), "");
    p->fine = LLVMBuildAnd(b, p->split.fine, LLVMBuildIsNull(b, cross, ""), "");
}

static LLVMValueRef
load_parts(struct pick *p)
{
    struct core *c = p->one[0].c;
    LLVMValueRef run[LANES], v = NULL;
    for (unsigned k = 0; k < p->split.count; k++) {
        struct site *one = &p->one[k];
        bool alike = k && one->runs.run == one[-1].runs.run; /* each run goes over the one before */
        unsigned runs = LANES / one->runs.run;
        LLVMValueRef joined[LANES];
        for (unsigned g = 0; g < runs; g++)
            joined[g] = run[g] = load_run(one, g, p->at[k][g], skipped(one, &p->split.part[k], g),
                                          alike ? run[g] : NULL);
        LLVMValueRef all = core_concatenate(c, joined, runs, one->runs.run);
        v = !v || alike ? all : LLVMBuildSelect(c->e.b, one->mask, all, v, "");
    }
    return v;
}

void
site_load_split(struct site *s, const struct plan *plan, LLVMValueRef *out)
{
    struct core *c = s->c;
    struct pick p;
    LLVMValueRef fast, slow;
    find_parts(s, plan->o, &p);
    if (plan->way[0].test == PLAN_ALWAYS) {
        *out = load_parts(&p);
        return;
    }
    struct fork f = fork_begin(c, p.fine);
    fast = load_parts(&p);
    fork_other(c, &f);
    site_load_each(s, &slow);
    fork_join(c, &f, 1, &fast, &slow, out);
}

LLVMValueRef
core_split_fine(struct core *c, const struct plan *plan, LLVMValueRef *rows)
{
    struct site s;
    struct pick p;
    site_begin(&s, c, plan->i);
    find_parts(&s, plan->o, &p);
    *rows = p.split.rows;
    return p.fine;
}
