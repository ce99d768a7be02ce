/* SPDX-License-Identifier: Apache-2.0
 *
 * What warps.c, steps.c, alike.c and products.c claim of registers over all warps of a block,
 * beside the values that they have when all warps run random kernels (warp.h), and in kernels
 * worked out by hand. Warps are compared as long as they have run the same blocks, each with all of
 * its lanes.
 *
 *     test_analysis_warps [FIRST [COUNT]]      these seeds
 */
#include "common/unit.h"

#include "analysis/products.h"
#include "analysis/warp.h"
#include "common/wir_of.h"

static uint64_t first_seed = 1, seed_count = 150;

static bool
computes(const struct ptx_insn *i)
{
    switch (i->op) {
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_MUL:
    case PTX_OP_MAD:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_NOT:
    case PTX_OP_MIN:
    case PTX_OP_MAX:
    case PTX_OP_DIV:
    case PTX_OP_REM:
    case PTX_OP_SELP:
    case PTX_OP_SETP: return true;
    default: return false;
    }
}

static bool
reads(const struct ptx_insn *i)
{
    return i->op == PTX_OP_LD && !ptx_has(i, PTX_M_VOLATILE);
}

/* -- what a warp did --------------------------------------------------------------------------- */

enum { MOST_EVENTS = 1500, MOST_WARPS = 8, NO_REG = -1 };

/* A block begins (lanes: of it), or an instruction has written a register. */
struct event {
    uint32_t insn, block, lanes;
    int64_t reg; /* NO_REG: a block begins */
    uint64_t value[LANES];
};

struct trace {
    uint32_t count;
    struct event *event; /* [MOST_EVENTS] */
    uint8_t *begun;      /* per block: 1: it has run; 2: with all lanes, */
    uint64_t *value;     /*   and then, per register: the first lane's value */
};

static void
look(struct warp *w, uint32_t insn, uint32_t lanes, bool after)
{
    struct trace *t = w->context;
    struct span defs = wir_defs(w->wir, insn);
    for (uint32_t k = 0; after && k < defs.count && t->count < MOST_EVENTS; k++) {
        struct event *e = &t->event[t->count++];
        *e = (struct event){.insn = insn, .block = w->at, .lanes = lanes, .reg = defs.at[k]};
        for (unsigned l = 0; l < LANES; l++)
            e->value[l] = w->value[l][defs.at[k]];
    }
}

static void
block_begins(struct warp *w, uint32_t lanes)
{
    struct trace *t = w->context;
    const struct wir *f = w->wir;
    if (t->count < MOST_EVENTS)
        t->event[t->count++] = (struct event){.block = w->at, .lanes = lanes, .reg = NO_REG};
    if (t->begun[w->at])
        return;
    t->begun[w->at] = lanes == ~0u ? 2 : 1;
    for (uint32_t r = 0; r < f->reg_count; r++)
        t->value[(size_t)w->at * f->reg_count + r] = w->value[0][r];
}

/* -- claims ------------------------------------------------------------------------------------ */

struct check {
    const struct warps *warps;
    const char *text;
    uint64_t seed;
    struct trace trace[MOST_WARPS];
    uint32_t count, agreements, steps, lines, alike;
};

static void
wrong(const struct check *c, const struct event *e, uint32_t k, const char *claim)
{
    const struct wir *f = c->warps->facts->wir;
    const uint32_t *b = c->warps->facts->shape.block;
    fail_msg("seed %llu, block %u x %u x %u: register %d in line %u, warps %u and %u: %s\n%s",
             (unsigned long long)c->seed, b[0], b[1], b[2], (int)e->reg, f->insns[e->insn].i.line,
             k, k + 1, claim, c->text);
}

/* Events at the same place of two warps that did the same so far. */
static void
check_pair(struct check *c, const struct event *x, const struct event *y, uint32_t k)
{
    uint32_t reg = (uint32_t)x->reg;
    struct warp_step step = c->warps->step[reg];
    bool same = c->warps->same[reg];
    for (unsigned l = 0; l < LANES; l++) {
        if (!(x->lanes >> l & y->lanes >> l & 1))
            continue;
        if (same && (x->value[l] != y->value[l] || x->value[l] != x->value[0]))
            wrong(c, x, k, "all threads of the block agree");
        if (!same && step.known &&
            (uint32_t)(y->value[l] - x->value[l]) !=
                (reg_width(c->warps->facts->wir, reg) == 1 ? 0 : step.by))
            wrong(c, x, k, "the step");
        if (c->warps->alike[reg] && x->value[l] != y->value[l])
            wrong(c, x, k, "alike");
    }
    c->agreements += same;
    c->steps += !same && step.known;
    c->alike += !same && c->warps->alike[reg];
}

/* The same over four warps: if the last is as far from the first as it should be, all are. */
static void
check_line(struct check *c, uint32_t at, uint32_t k)
{
    const struct event *e[4];
    int64_t step;
    for (unsigned n = 0; n < 4; n++)
        e[n] = &c->trace[k + n].event[at];
    if (reg_width(c->warps->facts->wir, (uint32_t)e[0]->reg) != 64 ||
        !warps_line(c->warps, (uint32_t)e[0]->reg, 4, &step))
        return;
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned n = 0; n < 3 && e[3]->value[l] - e[0]->value[l] == 3 * (uint64_t)step; n++)
            if (e[n + 1]->value[l] - e[n]->value[l] != (uint64_t)step)
                wrong(c, e[0], k, "the line");
    c->lines++;
}

/* How many events at the beginning `count` warps from k on have in common, all lanes of each in
 * every block. */
static uint32_t
common_events(const struct check *c, uint32_t k, uint32_t count)
{
    for (uint32_t n = 0;; n++)
        for (uint32_t w = k; w < k + count; w++) {
            const struct event *x = &c->trace[k].event[n], *y = &c->trace[w].event[n];
            if (n >= c->trace[w].count || x->reg != y->reg || x->insn != y->insn ||
                x->block != y->block || (y->reg == NO_REG && y->lanes != ~0u))
                return n;
        }
}

/* A register that is fixed never changes again. */
static void
check_fixed(const struct check *c, uint32_t k)
{
    const struct trace *t = &c->trace[k];
    for (uint32_t n = 0; n < t->count; n++)
        for (uint32_t o = n + 1;
             t->event[n].reg != NO_REG && c->warps->fixed[t->event[n].reg] && o < t->count; o++)
            for (unsigned l = 0; t->event[o].reg == t->event[n].reg && l < LANES; l++)
                if (t->event[n].lanes >> l & t->event[o].lanes >> l & 1 &&
                    t->event[n].value[l] != t->event[o].value[l])
                    wrong(c, &t->event[o], k, "it never changes");
}

/* Where all threads of the block come, they agree on what they are said to agree on, whatever way
 * they have come. */
static void
check_meetings(struct check *c, const struct wir *f, uint32_t k)
{
    const struct trace *x = &c->trace[0], *y = &c->trace[k];
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t r = 0;
             x->begun[b] == 2 && y->begun[b] == 2 && !c->warps->tangled[b] && r < f->reg_count;
             r++) {
            size_t at = (size_t)b * f->reg_count + r;
            if (c->warps->same[r] && set_has(f->blocks[b].live_in, r) &&
                x->value[at] != y->value[at])
                fail_msg("seed %llu: warps 0 and %u do not agree on register %u where block %u "
                         "begins\n%s",
                         (unsigned long long)c->seed, k, r, b, c->text);
        }
}

static void
check_block(struct check *c, const struct wir *f, const uint32_t block[3], struct dice *dice)
{
    static const uint32_t arguments[] = {0, 1, 3, 7, 20, 64, 1000, 0x7fffffff, 0xfffffffe};
    struct shape shape = {.block = {block[0], block[1], block[2]}, .small_grid = true};
    struct ls_error err;
    struct facts *facts = facts_new(f, &shape, never_uniform, &err);
    struct warps *warps = warps_new(facts, computes);
    uint32_t n = arguments[roll(dice, sizeof arguments / sizeof *arguments)],
             ctaid = roll(dice, 40);
    warps_find_alike(warps, reads);
    c->warps = warps;
    c->count = block[0] * block[1] * block[2] / LANES;
    for (uint32_t k = 0; k < c->count; k++) {
        struct warp w = {.wir = f,
                         .block = {block[0], block[1], block[2]},
                         .look = look,
                         .context = &c->trace[k],
                         .block_begins = block_begins,
                         .first = k * LANES,
                         .lanes = ~0u,
                         .n = n,
                         .ctaid = ctaid,
                         .base = 0x7f0000001000};
        c->trace[k].count = 0;
        c->trace[k].begun = ls_alloc(f->block_count + 1);
        c->trace[k].value = ls_alloc(sizeof(uint64_t) * (f->block_count + 1) * f->reg_count);
        warp_run(&w);
        check_fixed(c, k);
        check_meetings(c, f, k);
    }
    for (uint32_t k = 0; k + 1 < c->count; k++)
        for (uint32_t at = 0, end = common_events(c, k, 2); at < end; at++)
            if (c->trace[k].event[at].reg != NO_REG)
                check_pair(c, &c->trace[k].event[at], &c->trace[k + 1].event[at], k);
    for (uint32_t k = 0; k + 3 < c->count; k++)
        for (uint32_t at = 0, end = common_events(c, k, 4); at < end; at++)
            if (c->trace[k].event[at].reg != NO_REG)
                check_line(c, at, k);
    for (uint32_t k = 0; k < c->count; k++) {
        ls_release(c->trace[k].begun);
        ls_release(c->trace[k].value);
    }
    warps_free(warps);
    facts_free(facts);
}

static void
random_kernels(void **state)
{
    static const uint32_t shapes[][3] = {{256, 1, 1}, {32, 8, 1}, {16, 16, 1}, {8, 8, 4},
                                         {64, 4, 1},  {24, 4, 1}, {2, 16, 4},  {4, 8, 8},
                                         {128, 1, 2}, {16, 4, 4}};
    struct check c = {.seed = first_seed};
    (void)state;
    for (unsigned k = 0; k < MOST_WARPS; k++)
        c.trace[k].event = ls_alloc(sizeof *c.trace[k].event * (MOST_EVENTS + 1));
    for (; c.seed < first_seed + seed_count; c.seed++) {
        struct dice dice = {c.seed * 1234567};
        struct text text = kernel_text(c.seed);
        struct ptx_module *m;
        struct wir *f = wir_of(text.at, text.count, "k.ptx", &m);
        c.text = text.at;
        for (unsigned k = 0; k < 3; k++)
            check_block(&c, f, shapes[roll(&dice, sizeof shapes / sizeof *shapes)], &dice);
        wir_free(f);
        ptx_free(m);
        text_free(&text);
    }
    for (unsigned k = 0; k < MOST_WARPS; k++)
        ls_release(c.trace[k].event);
    assert_true(seed_count < 100 ||
                (c.agreements > 1000 && c.steps > 1000 && c.lines > 100 && c.alike > 1000));
}

/* -- by hand ----------------------------------------------------------------------------------- */

/* What is known of the register that the last instruction writes: its step, or UINT32_MAX; *line:
 * as a whole over four warps, or -1. */
static uint32_t
step_of(const char *body, uint32_t x, uint32_t y, bool *same, bool *again, int64_t *line)
{
    struct text text = {0};
    struct ls_error err = {0};
    text_add(&text,
             ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 n)\n{\n"
             ".reg .pred %%p<4>; .reg .b32 %%r<16>; .reg .b64 %%d<16>;\nld.param.u32 %%r1, "
             "[n];\nmov.u32 %%r2, %%tid.x;\n"
             "mov.u32 %%r3, %%tid.y;\n%s\nret;\n}\n",
             body);
    struct ptx_module *m;
    struct wir *f = wir_of(text.at, text.count, "k.ptx", &m);
    struct shape shape = {.block = {x, y, 1}, .small_grid = true};
    struct facts *facts = facts_new(f, &shape, never_uniform, &err);
    struct warps *w = warps_new(facts, computes);
    uint32_t n = f->insn_count, step;
    while (n-- > 0 && !wir_defs(f, n).count)
        ;
    struct ptx_operand o = {.kind = PTX_O_REG, .reg = wir_defs(f, n).at[0]};
    *same = w->same[o.reg];
    *again = w->again[o.reg];
    step = warps_step(w, &o, &step) ? step : UINT32_MAX;
    *line = reg_width(f, o.reg) == 64 && warps_line(w, o.reg, 4, line) ? *line : -1;
    warps_free(w);
    facts_free(facts);
    wir_free(f);
    ptx_free(m);
    text_free(&text);
    return step;
}

static void
steps(void **state)
{
    static const struct {
        const char *body;
        uint32_t x, y, step;
        bool same, again;
        int64_t line; /* 0: not looked at */
    } rows[] = {
        {"add.s32 %r4, %r2, %r1;", 256, 1, 32, false, true, 0},
        {"add.s32 %r4, %r2, %r1;", 16, 16, 0, false, true, 0},
        {"mad.lo.s32 %r4, %r3, 16, %r2;", 16, 16, 32, false, true, 0},
        {"add.s32 %r4, %r1, 7;", 256, 1, 0, true, false, 0},
        {"add.s32 %r4, %r2, %r3;", 20, 16, UINT32_MAX, false, false, 0}, /* rows across warps */
        {"mul.lo.s32 %r4, %r2, %r1;", 256, 1, UINT32_MAX, false, false, 0},
        {"sub.s32 %r4, %r1, %r2;", 256, 1, -32u, false, true, 0},
        {"shr.u32 %r4, %r2, 2;", 256, 1, UINT32_MAX, false, true, 0},
        {"shr.u32 %r4, %r3, 2;", 64, 4, UINT32_MAX, false, true, 0},
        {"mul.wide.s32 %d1, %r2, 8;", 256, 1, 256, false, true, 256},
        /* One number of 32 bits may wrap on the way; of two, one might make up for the other. */
        {"add.s32 %r4, %r2, %r1;\ncvt.s64.s32 %d1, %r4;\nmul.lo.s64 %d2, %d1, 4;", 256, 1, 128,
         false, false, 128},
        {"add.s32 %r4, %r2, %r1;\ncvt.s64.s32 %d1, %r4;\nsub.s32 %r5, %r2, %r1;\ncvt.s64.s32 %d2, "
         "%r5;\n"
         "add.s64 %d3, %d1, %d2;",
         256, 1, 64, false, false, -1},
        /* Low halves are the same in all warps, but not what is made of the upper ones. */
        {"cvt.u64.u32 %d1, %r2;\nshl.b64 %d2, %d1, 16;\nshl.b64 %d3, %d2, 16;", 256, 1, 0, false,
         false, 0},
        {"cvt.u64.u32 %d1, %r2;\nshl.b64 %d2, %d1, 16;\nshl.b64 %d3, %d2, 16;\nshr.u64 %d4, %d3, "
         "32;",
         256, 1, UINT32_MAX, false, false, 0},
        {"cvt.u64.u32 %d1, %r2;\nshl.b64 %d2, %d1, 16;\nshl.b64 %d3, %d2, 16;\nsetp.lt.u64 %p1, "
         "%d3, 77;",
         256, 1, UINT32_MAX, false, false, 0},
        {"cvt.u64.u32 %d1, %r1;\nmin.u64 %d2, %d1, 1234;", 256, 1, 0, true, false, 0},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        bool same, again;
        int64_t line;
        uint32_t step = step_of(rows[k].body, rows[k].x, rows[k].y, &same, &again, &line);
        if (rows[k].line && line != rows[k].line)
            fail_msg("%s\n  %lld from warp to warp, not %lld\n", rows[k].body, (long long)line,
                     (long long)rows[k].line);
        if (step != rows[k].step || same != rows[k].same || again != rows[k].again)
            fail_msg("%s\n  block %u x %u: step %d, same %d, again %d\n", rows[k].body, rows[k].x,
                     rows[k].y, (int)step, same, again);
    }
}

/* -- what is the same in all warps ------------------------------------------------------------- */

/* Whether the register that the last instruction but the return writes is alike. */
static bool
is_alike(const char *body, uint32_t x, uint32_t y)
{
    struct text text = {0};
    struct ls_error err = {0};
    text_add(&text,
             ".version 7.8\n.target sm_80\n.address_size 64\n"
             ".visible .entry k(.param .u64 at, .param .u32 n)\n{\n"
             ".shared .b32 s[64]; .local .b32 l[64];\n"
             ".reg .pred %%p<4>; .reg .b32 %%r<16>; .reg .b64 %%d<16>; .reg .f32 %%f<8>;\n"
             "ld.param.u32 %%r1, [n];\nld.param.u64 %%d1, [at];\nmov.u32 %%r2, %%tid.x;\n"
             "mov.u32 %%r3, %%tid.y;\nmul.wide.u32 %%d2, %%r2, 4;\nadd.s64 %%d3, %%d1, %%d2;\n"
             "mul.wide.u32 %%d4, %%r3, 4;\nadd.s64 %%d5, %%d3, %%d4;\n%s\nret;\n}\n",
             body);
    struct ptx_module *m;
    struct wir *f = wir_of(text.at, text.count, "k.ptx", &m);
    struct shape shape = {.block = {x, y, 1}, .small_grid = true};
    struct facts *facts = facts_new(f, &shape, never_uniform, &err);
    struct warps *w = warps_new(facts, computes);
    warps_find_alike(w, reads);
    uint32_t n = f->insn_count;
    while (n-- > 0 && !wir_defs(f, n).count)
        ;
    bool alike = warps_alike(w, n);
    warps_free(w);
    facts_free(facts);
    wir_free(f);
    ptx_free(m);
    text_free(&text);
    return alike;
}

static void
alike(void **state)
{
    static const struct {
        const char *body;
        uint32_t x, y;
        bool alike;
    } rows[] = {
        {"add.s32 %r4, %r2, %r1;", 16, 16, true},
        {"add.s32 %r4, %r2, %r1;", 32, 8, true},
        {"add.s32 %r4, %r2, %r1;", 256, 1, false},
        {"add.s32 %r4, %r2, %r1;", 24, 4, false}, /* rows lie across warps */
        {"add.s32 %r4, %r2, %r3;", 16, 16, false},
        {"and.b32 %r4, %r2, 31;", 256, 1, true},
        {"and.b32 %r4, %r2, 15;", 256, 1, true},
        {"and.b32 %r4, %r2, 63;", 256, 1, false},
        {"and.b32 %r4, %r2, 30;", 256, 1, false},
        {"shl.b32 %r5, %r2, 2;\nand.b32 %r4, %r5, 127;", 256, 1, true},
        {"ld.global.u32 %r4, [%d3+8];", 16, 16, true},
        {"ld.global.u32 %r4, [%d1];", 256, 1, true},
        {"ld.global.v2.u32 {%r4, %r5}, [%d3];", 16, 16, true},
        {"ld.global.u32 %r4, [%d5];", 16, 16, false},
        {"ld.volatile.global.u32 %r4, [%d3];", 16, 16, false},
        {"ld.shared.u32 %r4, [s+4];", 16, 16, true},
        {"ld.local.u32 %r4, [l+4];", 16, 16, false}, /* each thread has its own */
        {"setp.lt.u32 %p1, %r2, 7;\n@%p1 ld.global.u32 %r4, [%d3];\nadd.u32 %r5, %r4, 1;", 16, 16,
         false}, /* read before it is written */
        {"mov.u32 %r4, 0;\nsetp.lt.u32 %p1, %r2, 7;\n@%p1 ld.global.u32 %r4, [%d3];\n"
         "add.u32 %r5, %r4, 1;",
         16, 16, true},
        {"setp.lt.u32 %p1, %r2, 7;\nselp.u32 %r4, %r2, 9, %p1;", 16, 16, true},
        {"setp.lt.u32 %p1, %r3, 7;\nselp.u32 %r4, %r2, 9, %p1;", 16, 16, false},
        /* Where warps may part: alike in those that go the same way. */
        {"mov.u32 %r4, 0;\nsetp.lt.u32 %p1, %r3, 7;\n@%p1 bra L;\nld.global.u32 %r4, [%d3];\n"
         "L: add.u32 %r5, %r4, 1;",
         16, 16, true},
        /* A counter, and what is loaded, where each warp has its own number of turns: in the same
         * turn they are alike, behind a barrier not. */
        {"mov.u32 %r4, 0;\nL: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, %r3;\n@%p1 bra L;\n"
         "add.u32 %r5, %r4, 1;",
         16, 16, true},
        {"mov.u32 %r4, 0;\nL: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, %r3;\n@%p1 bra L;\n"
         "bar.sync 0;\nadd.u32 %r5, %r4, 1;",
         16, 16, false},
        {"ld.global.u32 %r4, [%d3];\nbar.sync 0;\nadd.u32 %r5, %r4, 1;", 16, 16, false},
        {"add.u32 %r4, %r2, 3;\nbar.sync 0;\nadd.u32 %r5, %r4, 1;", 16, 16, true},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++)
        if (is_alike(rows[k].body, rows[k].x, rows[k].y) != rows[k].alike)
            fail_msg("%s\n  block %u x %u: alike should be %d\n", rows[k].body, rows[k].x,
                     rows[k].y, rows[k].alike);
}

/* -- sums of products -------------------------------------------------------------------------- */

enum { MADE = 14, FIRST_MADE = 5 };

static struct text
products_text(struct dice *d)
{
    static const char *const operations[] = {"add.s32", "sub.s32",    "mul.lo.s32",
                                             "add.s32", "mad.lo.s32", "shl.b32"};
    struct text out = {0};
    text_add(&out, ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 "
                   "n, .param .u64 base)\n{\n"
                   ".reg .b32 %%r<32>;\nld.param.u32 %%r1, [n];\nmov.u32 %%r2, %%tid.x;\nmov.u32 "
                   "%%r3, %%tid.y;\n"
                   "mov.u32 %%r4, %%ctaid.x;\n");
    for (unsigned k = FIRST_MADE; k < FIRST_MADE + MADE; k++) {
        const char *o = operations[roll(d, 6)];
        text_add(&out, "%s %%r%u, %%r%u, ", o, k, 1 + roll(d, k - 1));
        if (!strcmp(o, "shl.b32") || roll(d, 3) == 0)
            text_add(&out, "%u", roll(d, 9));
        else
            text_add(&out, "%%r%u", 1 + roll(d, k - 1));
        text_add(&out, strcmp(o, "mad.lo.s32") ? ";\n" : ", %%r%u;\n", 1 + roll(d, k - 1));
    }
    text_add(&out, "ret;\n}\n");
    return out;
}

static struct index
index_of(const struct index *reg, const struct ptx_operand *o)
{
    return o->kind == PTX_O_REG ? reg[o->reg] : index_number((int32_t)o->imm);
}

static struct index
index_made(const struct warps *w, const struct index *reg, const struct ptx_insn *p)
{
    if (p->op == PTX_OP_LD || p->op == PTX_OP_MOV)
        return index_register(w, p->operand[0].reg);
    struct index x = index_of(reg, &p->operand[1]), y = index_of(reg, &p->operand[2]), z;
    switch (p->op) {
    case PTX_OP_ADD: return index_sum(&x, &y, 1);
    case PTX_OP_SUB: return index_sum(&x, &y, -1);
    case PTX_OP_SHL: y = index_number(1 << p->operand[2].imm); return index_product(&x, &y);
    default: break;
    }
    x = index_product(&x, &y);
    if (p->op != PTX_OP_MAD)
        return x;
    z = index_of(reg, &p->operand[3]);
    return index_sum(&x, &z, 1);
}

/* In lane l of warp k, from the registers' values in the first lane of the first warp. */
static uint32_t
index_value(const struct index *x, const uint32_t *first, unsigned l, uint32_t k)
{
    uint32_t sum = 0;
    for (unsigned t = 0; t < x->count; t++) {
        const struct index_term *m = &x->term[t];
        uint32_t on = (uint32_t)(m->pattern ? m->pattern[l] : 0) + (uint32_t)m->step * k;
        uint32_t times = (uint32_t)m->times + (uint32_t)m->scale * on;
        times *= m->x == PTX_NO_REG ? 1 : first[m->x];
        sum += times * (m->y == PTX_NO_REG ? 1 : first[m->y]);
    }
    return sum;
}

static uint32_t
check_products(struct check *c, const struct wir *f, struct dice *dice, const uint32_t block[3])
{
    struct index *reg = ls_alloc(sizeof *reg * (f->reg_count + 1));
    uint32_t *first = ls_alloc(sizeof *first * (f->reg_count + 1)), known = 0;
    check_block(c, f, block, dice);
    struct shape shape = {.block = {block[0], block[1], block[2]}, .small_grid = true};
    struct ls_error err;
    struct facts *facts = facts_new(f, &shape, never_uniform, &err);
    struct warps *w = warps_new(facts, computes);
    for (uint32_t at = 0; at < c->trace[0].count; at++) {
        const struct event *e = &c->trace[0].event[at];
        if (e->reg == NO_REG)
            continue;
        first[e->reg] = (uint32_t)e->value[0];
        reg[e->reg] = index_made(w, reg, &f->insns[e->insn].i);
        for (uint32_t k = 0; reg[e->reg].known && k < c->count; k++)
            for (unsigned l = 0; l < LANES; l++)
                if (index_value(&reg[e->reg], first, l, k) !=
                    (uint32_t)c->trace[k].event[at].value[l])
                    fail_msg("line %u, warp %u, lane %u\n%s", f->insns[e->insn].i.line, k, l,
                             c->text);
        known += reg[e->reg].known;
    }
    warps_free(w);
    facts_free(facts);
    ls_release(reg);
    ls_release(first);
    return known;
}

static void
products(void **state)
{
    static const uint32_t shapes[][3] = {
        {256, 1, 1}, {32, 8, 1}, {16, 16, 1}, {64, 4, 1}, {8, 8, 1}};
    struct check c = {.seed = 0};
    uint32_t known = 0;
    (void)state;
    for (unsigned k = 0; k < MOST_WARPS; k++)
        c.trace[k].event = ls_alloc(sizeof *c.trace[k].event * (MOST_EVENTS + 1));
    for (c.seed = 1; c.seed <= 200; c.seed++) {
        struct dice dice = {c.seed};
        struct text text = products_text(&dice);
        struct ptx_module *m;
        struct wir *f = wir_of(text.at, text.count, "k.ptx", &m);
        c.text = text.at;
        known += check_products(&c, f, &dice, shapes[roll(&dice, 5)]);
        wir_free(f);
        ptx_free(m);
        text_free(&text);
    }
    for (unsigned k = 0; k < MOST_WARPS; k++)
        ls_release(c.trace[k].event);
    assert_true(known > 1000);
}

int
main(int argc, char **argv)
{
    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 0);
    if (argc > 2)
        seed_count = strtoull(argv[2], NULL, 0);
    return UNIT_TESTS(steps, alike, products, random_kernels);
}
