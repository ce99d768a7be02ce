/* SPDX-License-Identifier: Apache-2.0
 *
 * What facts.c claims of registers, beside the values that they have in the lanes of warps that run
 * random kernels (warp.h): patterns, constants, bounds, zeros of the lowest bits, what the thread's
 * coordinates add, blocks that all lanes run, branches that part none. Values are looked at where
 * an instruction writes them and where one reads them. A speculated pattern must hold as long as no
 * 32-bit number that was widened had wrapped.
 *
 *     test_analysis_values [FIRST [COUNT]]      these seeds
 */
#include "common/unit.h"

#include "analysis/warp.h"
#include "common/wir_of.h"

#include <stdlib.h>

static uint64_t first_seed = 1, seed_count = 250;

struct check {
    const struct facts *facts;
    const char *text;
    uint64_t seed;
    bool wrapped;
    uint32_t patterns, segments, speculated, bounds; /* how many claims were looked at */
};

static void
wrong(const struct warp *w, uint32_t insn, uint32_t reg, const char *claim)
{
    const struct check *c = w->context;
    const struct fact *f = &c->facts->reg[reg];
    struct text all = {0};
    facts_print(c->facts, &all);
    print_error("seed %llu, block %u x %u x %u, n %u, ctaid %u, warp from thread %u: register %u "
                "in line %u is not "
                "what is claimed: %s\n",
                (unsigned long long)c->seed, w->block[0], w->block[1], w->block[2], w->n, w->ctaid,
                w->first, reg, w->wir->insns[insn].i.line, claim);
    print_error("kind %u segment %u align %u known %u base %lld guess %u sure %u bounds %u "
                "%lld..%lld by %u %d %d %d\n",
                f->kind, f->segment, f->align, f->known, (long long)f->base, f->guess, f->sure,
                f->bounded, (long long)f->low, (long long)f->high, f->threads, f->by[0], f->by[1],
                f->by[2]);
    for (unsigned l = 0; l < LANES; l++)
        print_error("%lld ", (long long)as_signed(w->value[l][reg], reg_width(w->wir, reg)));
    print_error("\n%s\n%s\n", c->text, all.at);
    text_free(&all);
    fail();
}

/* Whether all lanes of each segment have the same value when `less` is taken from each. */
static bool
segments_agree(const uint64_t value[LANES], uint32_t lanes, unsigned segment, unsigned bits,
               const int64_t less[LANES])
{
    for (unsigned a = 0; a < LANES; a++)
        for (unsigned b = a + 1; b < LANES && b / segment == a / segment; b++)
            if (lanes >> a & lanes >> b & 1 &&
                cut(value[a] - (uint64_t)less[a], bits) != cut(value[b] - (uint64_t)less[b], bits))
                return false;
    return true;
}

static void
check_lane(struct warp *w, uint32_t insn, uint32_t reg, unsigned lane, int64_t plus)
{
    struct check *c = w->context;
    const struct fact *f = &c->facts->reg[reg];
    unsigned bits = reg_width(w->wir, reg), align = f->align < bits ? f->align : bits;
    uint64_t v = w->value[lane][reg], first = cut(v - (uint64_t)plus, bits);
    int64_t number = as_signed(v, bits);
    if (f->kind == FACT_SCALAR && f->known && first != cut((uint64_t)f->base, bits))
        wrong(w, insn, reg, "the constant");
    if (f->bounded && (number < f->low || number > f->high))
        wrong(w, insn, reg, "the bounds");
    if (!(f->guess && c->wrapped) && cut(first, align) != 0)
        wrong(w, insn, reg, "the zeros of its lowest bits");
    c->bounds += f->bounded;
}

static void
check_register(struct warp *w, uint32_t insn, uint32_t reg, uint32_t lanes)
{
    struct check *c = w->context;
    const struct fact *f = &c->facts->reg[reg];
    unsigned bits = reg_width(w->wir, reg);
    uint64_t value[LANES];
    int64_t pattern[LANES], threads[LANES], zero[LANES] = {0};
    for (unsigned l = 0; l < LANES; l++) {
        if (!w->written[l][reg])
            lanes &= ~(1u << l);
        value[l] = w->value[l][reg];
        pattern[l] = f->pattern ? f->pattern[l] : 0;
        threads[l] = 0;
        for (unsigned d = 0; d < 3; d++)
            threads[l] += (int64_t)f->by[d] * thread_of(w, l, d);
    }
    if (lanes && f->kind == FACT_NONE)
        wrong(w, insn, reg, "never written");
    bool lost = f->guess && c->wrapped;
    if (!segments_agree(value, lanes, lost ? f->sure : f->segment, bits, lost ? zero : pattern))
        wrong(w, insn, reg, lost ? "segments that are sure" : "the pattern");
    if (f->guess && !segments_agree(value, lanes, f->sure, bits, zero))
        wrong(w, insn, reg, "segments that are sure");
    if (f->threads && !segments_agree(value, lanes, LANES, bits, threads))
        wrong(w, insn, reg, "the thread's coordinates");
    for (unsigned l = 0; l < LANES; l++)
        if (lanes >> l & 1)
            check_lane(w, insn, reg, l, pattern[l]);
    c->patterns += f->kind == FACT_SCALAR;
    c->segments += f->kind == FACT_VECTOR && f->segment > 1;
    c->speculated += f->guess && !c->wrapped;
}

/* A 32-bit number is widened that is not, as a number, what its pattern says. */
static void
note_wraps(struct warp *w, const struct ptx_insn *p, uint32_t lanes)
{
    struct check *c = w->context;
    bool wide = (p->op == PTX_OP_MUL || p->op == PTX_OP_MAD) && ptx_has(p, PTX_M_WIDE);
    if (p->op == PTX_OP_CVT)
        wide =
            ptx_type_bytes((enum ptx_type)p->type[0]) > ptx_type_bytes((enum ptx_type)p->type[1]);
    bool is_signed = wide && ptx_type_kind((enum ptx_type)p->type[p->type_count - 1]) == 's';
    for (unsigned k = 1; wide && k < p->operand_count && k < 3; k++) {
        const struct fact *f =
            p->operand[k].kind == PTX_O_REG ? &c->facts->reg[p->operand[k].reg] : NULL;
        uint64_t value[LANES];
        int64_t pattern[LANES];
        for (unsigned l = 0; f && l < LANES; l++) {
            uint32_t v = (uint32_t)w->value[l][p->operand[k].reg];
            value[l] = is_signed ? (uint64_t)(int64_t)(int32_t)v : v;
            pattern[l] = f->pattern ? f->pattern[l] : 0;
        }
        c->wrapped |= f && !segments_agree(value, lanes, f->segment, 64, pattern);
    }
}

static void
look(struct warp *w, uint32_t insn, uint32_t lanes, bool after)
{
    struct span regs = after ? wir_defs(w->wir, insn) : wir_uses(w->wir, insn);
    if (!after)
        note_wraps(w, &w->wir->insns[insn].i, lanes);
    for (uint32_t k = 0; k < regs.count; k++)
        check_register(w, insn, regs.at[k], lanes);
}

static void
block_begins(struct warp *w, uint32_t lanes)
{
    const struct check *c = w->context;
    uint32_t b = w->at;
    if (c->facts->complete[b] && lanes != ~0u)
        fail_msg("seed %llu: block %u is run by lanes %x alone\n%s", (unsigned long long)c->seed, b,
                 lanes, c->text);
    for (uint32_t o = 0; o < w->wir->block_count; o++)
        if (w->pending[o] && o != b && !set_has(c->facts->pending[b], o))
            fail_msg("seed %llu: lanes are pending in block %u while %u runs\n%s",
                     (unsigned long long)c->seed, o, b, c->text);
}

static bool
runs(struct check *c, struct warp *w)
{
    bool parts = false;
    c->wrapped = false;
    if (!warp_run(w))
        return false;
    for (uint32_t b = 0; b < w->wir->block_count; b++)
        parts |= c->facts->divergent[b];
    if (w->parted && !parts)
        fail_msg("seed %llu: a branch parts lanes\n%s", (unsigned long long)c->seed, c->text);
    return true;
}

/* Some warps of some blocks, with arguments of all kinds. */
static void
check_shape(struct check *c, const struct wir *f, const uint32_t block[3], struct dice *dice)
{
    static const uint32_t arguments[] = {0,    1,          3,          7,          20,        64,
                                         1000, 0x7fffffff, 0x80000000, 0xfffffffe, 0x40000000};
    uint32_t threads = block[0] * block[1] * block[2];
    for (unsigned part = 0; part < 2; part++) {
        struct shape shape = {
            .block = {block[0], block[1], block[2]}, .small_grid = true, .partial = part};
        uint32_t warps = threads / LANES;
        struct ls_error err;
        if (part ? threads % LANES == 0 : warps == 0)
            continue;
        struct facts *facts = facts_new(f, &shape, never_uniform, &err);
        shape.converged = true; /* claims of warps whose lanes do not part */
        struct facts *together = facts_new(f, &shape, never_uniform, &err);
        for (unsigned k = 0; k < 5; k++) {
            struct warp w = {.wir = f,
                             .block = {block[0], block[1], block[2]},
                             .look = look,
                             .block_begins = block_begins,
                             .context = c};
            w.first = (part ? warps : roll(dice, warps)) * LANES;
            w.lanes = part ? (1u << threads % LANES) - 1 : ~0u;
            w.n = arguments[roll(dice, sizeof arguments / sizeof *arguments)];
            w.ctaid = roll(dice, 3) ? roll(dice, 40) : ((1u << 30) - 1) / block[0];
            w.base = 0x7f0000001000 + 16 * roll(dice, 1000);
            c->facts = facts;
            bool ended = runs(c, &w);
            c->facts = together;
            if (ended && !w.parted)
                runs(c, &w);
        }
        facts_free(facts);
        facts_free(together);
    }
}

static void
random_kernels(void **state)
{
    static const uint32_t shapes[][3] = {
        {256, 1, 1}, {32, 8, 1},  {16, 16, 1}, {8, 8, 4},  {16, 4, 2}, {20, 20, 1},
        {12, 5, 2},  {100, 1, 1}, {33, 1, 1},  {1, 1, 1},  {5, 7, 2},  {4, 8, 4},
        {2, 16, 2},  {64, 3, 1},  {24, 4, 1},  {1, 32, 2}, {3, 3, 3}};
    struct check c = {.seed = first_seed};
    (void)state;
    for (; c.seed < first_seed + seed_count; c.seed++) {
        struct dice dice = {c.seed * 77};
        struct text text = kernel_text(c.seed);
        struct ptx_module *m;
        struct wir *f = wir_of(text.at, text.count, "k.ptx", &m);
        c.text = text.at;
        for (unsigned k = 0; k < 3; k++)
            check_shape(&c, f, shapes[roll(&dice, sizeof shapes / sizeof *shapes)], &dice);
        wir_free(f);
        ptx_free(m);
        text_free(&text);
    }
    /* Claims of each kind were there to be wrong. */
    assert_true(c.patterns > 1000 && c.segments > 1000 && c.bounds > 1000 && c.speculated > 100);
}

int
main(int argc, char **argv)
{
    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 0);
    if (argc > 2)
        seed_count = strtoull(argv[2], NULL, 0);
    return UNIT_TESTS(random_kernels);
}
