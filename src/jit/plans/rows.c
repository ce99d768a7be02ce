/* SPDX-License-Identifier: Apache-2.0
 *
 * plans/rows.c: loads of lanes that each read along a row of their own.
 *
 *     loop:
 *     ld.global.f32 %f, [%a]        a[i * n + k], i the thread's number: 32 lines of memory, of
 *     add.s64       %a, %a, 4       which the next iterations read the words beside these
 *
 * While a warp reads the rest of its lines they have to stay in the first cache, where rows a power
 * of two apart meet in one set; and 32 rows are about as many as the host's prefetchers follow.
 * Interleaved warps read as many times more rows at once (versions/interleave_choose.c).
 */
#include "jit/plans/choose.h"

enum { HOST_LINE = 64, DEPTH = 8 };

/* -- how a register moves --------------------------------------------------------------------- */

struct motion {
    const struct wir *f;
    const struct wir_loop *loop;
};

static bool
is_inside(const struct motion *m, uint32_t n)
{
    uint32_t b = m->f->chains.block_of[n];
    return b >= m->loop->head && b <= m->loop->last;
}

/* The only instruction of the loop that writes the register; *outside: others do, too. False:
 * several. */
static bool
writer_inside(const struct motion *m, uint32_t reg, const struct wir_insn **out, bool *outside)
{
    struct span w = wir_writers(m->f, reg);
    *out = NULL;
    *outside = false;
    for (uint32_t k = 0; k < w.count; k++) {
        if (!is_inside(m, w.at[k]))
            *outside = true;
        else if (*out)
            return false;
        else
            *out = &m->f->insns[w.at[k]];
    }
    return true;
}

/* What the instruction, and those before it, add to `reg`. */
static bool
added_to(const struct motion *m, const struct wir_insn *i, uint32_t reg, int64_t *sum)
{
    bool outside;
    *sum = 0;
    for (unsigned depth = 0; i && depth < DEPTH; depth++) {
        const struct ptx_operand *o = i->i.operand;
        bool add = i->i.op == PTX_OP_ADD && o[2].kind == PTX_O_INT;
        if (i->i.guard != PTX_NO_REG || (!add && i->i.op != PTX_OP_MOV) || o[1].kind != PTX_O_REG ||
            o[1].negated || o[1].part)
            return false;
        *sum += add ? (int64_t)o[2].imm : 0;
        if (o[1].reg == reg)
            return true;
        if (!writer_inside(m, o[1].reg, &i, &outside) || outside)
            return false;
    }
    return false;
}

static bool step_of(const struct motion *m, uint32_t reg, unsigned depth, int64_t *step);

static bool
operand_step(const struct motion *m, const struct ptx_operand *o, unsigned depth, int64_t *step)
{
    *step = 0;
    return o->kind == PTX_O_REG && !o->part && !o->negated ? step_of(m, o->reg, depth, step)
                                                           : o->kind == PTX_O_INT;
}

/* How far the register goes on from one iteration to the next; wraps are not thought of. */
static bool
step_of(const struct motion *m, uint32_t reg, unsigned depth, int64_t *step)
{
    const struct wir_insn *i;
    bool outside;
    int64_t by[3] = {0};
    *step = 0;
    if (depth == DEPTH || !writer_inside(m, reg, &i, &outside))
        return false;
    if (!i)
        return true;
    if (outside)
        return added_to(m, i, reg, step);
    const struct ptx_operand *o = i->i.operand;
    for (unsigned k = 1; k < i->i.operand_count; k++)
        if (k > 3 || !operand_step(m, &o[k], depth + 1, &by[k - 1]))
            return false;
    int64_t times = i->i.operand_count > 2 && o[2].kind == PTX_O_INT ? (int64_t)o[2].imm : 0;
    switch (i->i.op) {
    case PTX_OP_MOV:
    case PTX_OP_CVT:
    case PTX_OP_CVTA: *step = by[0]; return true;
    case PTX_OP_ADD: *step = by[0] + by[1]; return true;
    case PTX_OP_SUB: *step = by[0] - by[1]; return true;
    case PTX_OP_SHL: *step = (int64_t)((uint64_t)by[0] << (times & 63)); return !by[1];
    case PTX_OP_MUL: *step = by[0] * times; return !by[1] && (times || !by[0]);
    case PTX_OP_MAD: *step = by[0] * times + by[2]; return !by[1] && (times || !by[0]);
    default: return !by[0] && !by[1] && !by[2];
    }
}

/* -- whether it pays -------------------------------------------------------------------------- */

/* Of each line a quarter at least is read before the loop leaves it. */
static bool
uses_lines(const struct plan_scope *s, const struct ptx_operand *o, unsigned element)
{
    const struct wir *f = s->wir;
    uint32_t l = f->blocks[s->block].loop;
    int64_t step;
    if (l == UINT32_MAX)
        return false;
    const struct motion m = {f, &f->loops[l]};
    if (!step_of(&m, o->reg, 0, &step) || !step || step < -HOST_LINE || step > HOST_LINE)
        return false;
    struct span r = wir_readers(f, o->reg);
    int64_t bytes = 0;
    for (uint32_t k = 0; k < r.count; k++)
        if (is_inside(&m, r.at[k]) && f->insns[r.at[k]].i.op == PTX_OP_LD)
            bytes += element;
    return 4 * bytes >= (step < 0 ? -step : step);
}

/* Whether what is loaded decides where the register leads: rows of a sparse matrix, mostly short.
 */
static bool
is_loaded(const struct plan_scope *s, uint32_t reg, uint64_t *seen)
{
    if (set_has(seen, reg) || fact_uniform(&s->facts->reg[reg]))
        return false;
    set_add(seen, reg);
    struct span w = wir_writers(s->wir, reg);
    for (uint32_t k = 0; k < w.count; k++) {
        struct span from = wir_values(s->wir, w.at[k]);
        if (s->wir->insns[w.at[k]].i.op == PTX_OP_LD)
            return true;
        for (uint32_t n = 0; n < from.count; n++)
            if (is_loaded(s, from.at[n], seen))
                return true;
    }
    return false;
}

/* Lanes in lines of their own, as far as that is known. */
static bool
has_rows(const struct plan_scope *s, const struct ptx_operand *o, const struct plan_address *at)
{
    const struct fact *f = &at->fact;
    if (f->kind == FACT_VECTOR && f->segment == 1 && !f->guess) {
        uint64_t *seen = ls_alloc(sizeof *seen * (s->wir->reg_words + 1));
        bool loaded = is_loaded(s, o->reg, seen);
        ls_release(seen);
        return !loaded;
    }
    if (f->segment != LANES || !f->pattern || (f->kind != FACT_SCALAR && !at->kept))
        return false;
    for (unsigned l = 1; l < LANES; l++)
        if (f->pattern[l] - f->pattern[l - 1] <= HOST_LINE &&
            f->pattern[l - 1] - f->pattern[l] <= HOST_LINE)
            return false;
    return true;
}

bool
plan_reads_rows(const struct plan_scope *s, const struct wir_insn *i)
{
    const struct ptx_operand *o = &i->i.operand[1];
    struct plan_address at;
    if (i->i.op != PTX_OP_LD || i->i.space != PTX_SPACE_GLOBAL || o->kind != PTX_O_ADDRESS ||
        o->base_kind != PTX_BASE_REG)
        return false;
    unsigned bytes = ptx_type_bytes((enum ptx_type)i->i.type[i->i.type_count - 1]);
    plan_address(s, i, o, &at);
    return has_rows(s, o, &at) && uses_lines(s, o, bytes * (i->i.vec ? i->i.vec : 1));
}
