/* SPDX-License-Identifier: Apache-2.0
 *
 * plans/select.c: loads from an address that is selected lane by lane of a few that each lie in
 * runs (values/split.c).
 */
#include "jit/plans/choose.h"

const struct wir_insn *
plan_select_before(const struct wir *f, uint32_t block, uint32_t reg, uint32_t before, uint32_t end)
{
    const struct wir_insn *made = wir_maker_before(f, block, reg, before);
    const struct ptx_insn *p = made ? &made->i : NULL;
    bool fits = p && p->op == PTX_OP_SELP && p->operand_count == 4 &&
                ptx_type_bytes((enum ptx_type)p->type[0]) == 8;
    for (unsigned k = 0; fits && k < 4; k++)
        fits = p->operand[k].kind == PTX_O_REG && !p->operand[k].negated &&
               (!k || wir_same_since(f, &p->operand[k], wir_index(f, made), end));
    return fits ? made : NULL;
}

struct parts {
    const struct plan_scope *scope;
    uint32_t reg[PLAN_PARTS], count, end; /* end: the load */
};

/* The registers that are selected in the end; before: where to look for the writer. False: too
 * many. */
static bool
take_apart(struct parts *p, uint32_t reg, uint32_t before)
{
    const struct wir_insn *i =
        plan_select_before(p->scope->wir, p->scope->block, reg, before, p->end);
    if (i) {
        uint32_t n = wir_index(p->scope->wir, i);
        return take_apart(p, i->i.operand[1].reg, n) && take_apart(p, i->i.operand[2].reg, n);
    }
    for (uint32_t k = 0; k < p->count; k++)
        if (p->reg[k] == reg)
            return true;
    if (p->count == PLAN_PARTS)
        return false;
    p->reg[p->count++] = reg;
    return true;
}

unsigned
plan_part_segments(const struct fact *f)
{
    unsigned n = LANES / f->segment;
    return n > 1 ? n : 2;
}

/* Whether the register's addresses lie in runs, if its speculated pattern holds. */
static bool
lies_in_runs(const struct plan_scope *s, const struct plan *p, uint32_t reg)
{
    struct fact f = s->facts->reg[reg];
    int32_t pattern[LANES];
    struct runs r;
    if (f.kind == FACT_NONE || f.segment < 4 || (f.guess && !plan_keeps_guess(s, reg)))
        return false;
    if (f.guess) {
        unsigned segment = LANES / plan_part_segments(&f);
        for (unsigned l = 0; l < LANES; l++)
            pattern[l] = fact_offset(&f, l) - fact_offset(&f, l - l % segment);
        f.segment = (uint8_t)segment;
        f.pattern = pattern;
    }
    return runs_find(&f, p->bytes, &r);
}

bool
plan_find_select(const struct plan_scope *s, const struct plan *p)
{
    uint32_t at = p->number;
    struct parts parts = {.scope = s, .end = at};
    if (!plan_on(s, PASS_SELECTED_LOADS) || p->vec != 1 || p->bytes < 4 || s->called ||
        p->o->base_kind != PTX_BASE_REG || s->facts->reg[p->o->reg].kind != FACT_VECTOR ||
        s->facts->reg[p->o->reg].segment >= 4 ||
        !plan_select_before(s->wir, s->block, p->o->reg, at, at) ||
        !take_apart(&parts, p->o->reg, at))
        return false;
    bool fits = true;
    for (uint32_t k = 0; k < parts.count; k++)
        fits &= lies_in_runs(s, p, parts.reg[k]);
    return fits;
}
