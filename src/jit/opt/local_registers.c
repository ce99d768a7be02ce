/* SPDX-License-Identifier: Apache-2.0
 *
 * opt/local_registers.c: variables of a front end that does not optimise (-G) lie in local memory,
 * at constant places of one array. Where the array's address is used for nothing but loads and
 * stores of these, they become registers:
 *
 *     mov.u64 %SPL, __local_depot0;         mov.u64 %SPL, __local_depot0;
 *     cvta.local.u64 %SP, %SPL;             cvta.local.u64 %SP, %SPL;
 *     st.u32 [%SP+36], %r4;                 st.param.u32 %depot36, %r4;
 *     ld.u32 %r8, [%SP+36];                 ld.param.u32 %r8, %depot36;
 *
 * All of an array or nothing of it: where accesses overlap, its address goes elsewhere, or a load
 * may come before any store (it reads what the block before has left there), it stays as it is.
 */
#include "jit/opt/opt.h"

#include <string.h>

struct depot_word {
    uint32_t offset, bytes, reg;
};

/* One array of local memory. */
struct depot {
    const struct wir *f;
    const struct ptx_var *var;
    uint32_t made;        /* the instruction that first names it */
    bool *base, *generic; /* per register: it holds the array's address; a generic one */
    VEC(struct depot_word) words;
    const char *missed; /* NULL: nothing speaks against it so far */
};

/* -- what is done with its address --------------------------------------------------------------
 */

static uint32_t
access_bytes(const struct ptx_insn *p)
{
    return p->type_count ? ptx_type_bytes((enum ptx_type)p->type[p->type_count - 1]) : 0;
}

/* An access to a word of the array: its address. NULL: it is none. */
static const struct ptx_operand *
word_access(const struct depot *d, const struct ptx_insn *p)
{
    if ((p->op != PTX_OP_LD && p->op != PTX_OP_ST) || p->operand_count != 2) /* a cache policy */
        return NULL;
    const struct ptx_operand *o = &p->operand[p->op == PTX_OP_LD];
    if (o->kind != PTX_O_ADDRESS)
        return NULL;
    bool local = p->space == PTX_SPACE_LOCAL;
    bool by_reg = o->base_kind == PTX_BASE_REG && d->base[o->reg] &&
                  p->space == (d->generic[o->reg] ? PTX_SPACE_NONE : PTX_SPACE_LOCAL);
    return by_reg || (o->base_kind == PTX_BASE_VAR && o->var == d->var && local) ? o : NULL;
}

static void
note_word(struct depot *d, int64_t offset, uint32_t bytes)
{
    if (offset < 0 || !bytes || bytes > 8 || (uint64_t)offset + bytes > d->var->size) {
        d->missed = "an access goes beyond it";
        return;
    }
    for (size_t k = 0; k < d->words.count; k++) {
        const struct depot_word *w = &d->words.at[k];
        if (w->offset == offset && w->bytes == bytes)
            return;
        if (offset < w->offset + w->bytes && w->offset < offset + bytes) {
            d->missed = "accesses overlap";
            return;
        }
    }
    VEC_PUSH(&d->words, ((struct depot_word){(uint32_t)offset, bytes, UINT32_MAX}));
}

static bool
names(const struct depot *d, const struct ptx_operand *o)
{
    if ((o->kind == PTX_O_REG && d->base[o->reg]) ||
        (o->kind == PTX_O_ADDRESS && o->base_kind == PTX_BASE_REG && d->base[o->reg]) ||
        ((o->kind == PTX_O_SYMBOL || o->kind == PTX_O_ADDRESS) && o->var == d->var))
        return true;
    for (uint32_t k = 0; o->elements && k < o->count; k++)
        if (names(d, &o->elements[k]))
            return true;
    return false;
}

/* `mov %SPL, array` and `cvta.local %SP, %SPL`: the register that holds its address then. */
static bool
makes_base(const struct depot *d, const struct ptx_insn *p)
{
    const struct ptx_operand *o = p->operand;
    if (p->operand_count != 2 || o[0].kind != PTX_O_REG || p->guard != PTX_NO_REG ||
        wir_writers(d->f, o[0].reg).count != 1)
        return false;
    if (p->op == PTX_OP_MOV)
        return o[1].kind == PTX_O_SYMBOL && o[1].var == d->var && !o[1].offset;
    return p->op == PTX_OP_CVTA && p->space == PTX_SPACE_LOCAL && !ptx_has(p, PTX_M_TO) &&
           ((o[1].kind == PTX_O_REG && d->base[o[1].reg] && !d->generic[o[1].reg]) ||
            (o[1].kind == PTX_O_SYMBOL && o[1].var == d->var && !o[1].offset));
}

/* Uses come behind what makes a base in the text, but for loops of irreducible graphs. */
static void
look(struct depot *d)
{
    for (uint32_t n = 0; n < d->f->insn_count; n++) {
        const struct ptx_insn *p = &d->f->insns[n].i;
        if (d->f->chains.block_of[n] != UINT32_MAX && makes_base(d, p)) {
            d->base[p->operand[0].reg] = true;
            d->generic[p->operand[0].reg] = p->op == PTX_OP_CVTA;
            d->made = d->made == UINT32_MAX ? n : d->made;
        }
    }
    for (uint32_t n = 0; n < d->f->insn_count && !d->missed; n++) {
        const struct ptx_insn *p = &d->f->insns[n].i;
        const struct ptx_operand *at = word_access(d, p);
        if (d->f->chains.block_of[n] == UINT32_MAX || makes_base(d, p))
            continue;
        for (uint32_t k = 0; k < p->operand_count; k++)
            if (&p->operand[k] != at && names(d, &p->operand[k]))
                d->missed = "its address is used for something else";
        if (!at || d->missed)
            continue;
        if (p->vec > 1 || ptx_has(p, PTX_M_VOLATILE))
            d->missed = "an access is no plain load or store of one word";
        else
            note_word(d, at->offset, access_bytes(p));
    }
}

static uint32_t
word_at(const struct depot *d, int64_t offset)
{
    for (uint32_t k = 0; k < d->words.count; k++)
        if (d->words.at[k].offset == offset)
            return k;
    return UINT32_MAX;
}

/* -- a load before any store --------------------------------------------------------------------
 */

/* Words that may be read from the block's begin on before they are written. */
static bool
walk_back(const struct depot *d, uint32_t b, uint64_t *live, const uint64_t *begins, size_t words)
{
    const struct wir_block *blk = &d->f->blocks[b];
    uint64_t *now = ls_alloc(sizeof *now * (words + 1));
    for (uint32_t k = 0; k < blk->succ_count; k++)
        for (size_t w = 0; w < words; w++)
            now[w] |= begins[blk->succ[k] * words + w];
    for (uint32_t n = wir_block_end(d->f, b); n-- > blk->first;) {
        const struct ptx_insn *p = &d->f->insns[n].i;
        const struct ptx_operand *at = word_access(d, p);
        if (at && p->op == PTX_OP_LD)
            set_add(now, word_at(d, at->offset));
        else if (at)
            set_remove(now, word_at(d, at->offset));
    }
    bool changed = memcmp(now, live, sizeof *now * words) != 0;
    memcpy(live, now, sizeof *now * words);
    ls_release(now);
    return changed;
}

static bool
reads_unset(const struct depot *d)
{
    size_t words = (d->words.count + 63) / 64;
    uint64_t *begins = ls_alloc(sizeof *begins * (words * d->f->block_count + 1));
    bool changed = true, any = false;
    while (changed) {
        changed = false;
        for (uint32_t b = d->f->block_count; b-- > 0;)
            changed |= walk_back(d, b, begins + b * words, begins, words);
    }
    for (size_t w = 0; w < words; w++) /* where the kernel begins */
        any |= begins[w] != 0;
    ls_release(begins);
    return any;
}

/* -- registers -----------------------------------------------------------------------------------
 */

static void
add_registers(struct opt *o, struct depot *d)
{
    static const uint8_t types[] = {[1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64};
    for (size_t k = 0; k < d->words.count; k++) {
        struct depot_word *w = &d->words.at[k];
        w->reg = wir_edit_register(&o->edit, (enum ptx_type)types[w->bytes], d->var->name);
        o->edit.regs.at[o->edit.regs.count - 1].param = true;
    }
    opt_fired(o, d->made, "%zu words of %s are registers", d->words.count, d->var->name);
}

/* The access, if it is one to the array. */
static bool
replace(struct opt *o, const struct depot *d, uint32_t n)
{
    struct ptx_insn p = d->f->insns[n].i;
    struct ptx_operand operand[2];
    const struct ptx_operand *at = word_access(d, &p);
    if (!at)
        return false;
    memcpy(operand, p.operand, sizeof operand);
    operand[p.op == PTX_OP_LD] =
        (struct ptx_operand){.kind = PTX_O_REG, .reg = d->words.at[word_at(d, at->offset)].reg};
    p.operand = operand;
    p.space = PTX_SPACE_PARAM;
    wir_edit_replace(&o->edit, n, &p);
    return true;
}

/* Whether the array is one that becomes registers. */
static bool
examine(struct opt *o, struct depot *d)
{
    d->base = ls_alloc(d->f->reg_count + 1);
    d->generic = ls_alloc(d->f->reg_count + 1);
    look(d);
    if (!d->missed && d->words.count && reads_unset(d))
        d->missed = "a load may come before any store";
    if (d->made != UINT32_MAX && d->missed)
        opt_missed(o, d->made, "%s: %s", d->var->name, d->missed);
    return d->made != UINT32_MAX && !d->missed && d->words.count;
}

static void
free_depot(struct depot *d)
{
    VEC_FREE(&d->words);
    ls_release(d->base);
    ls_release(d->generic);
}

OPT_PASS(LOCAL_REGISTERS)
{
    const struct wir *f = o->edit.f;
    VEC(struct depot) depots = {0};
    for (uint32_t v = 0; v < f->var_count; v++) {
        struct depot d = {.f = f, .var = f->vars[v].var, .made = UINT32_MAX};
        if (f->vars[v].place != WIR_LOCAL)
            continue;
        if (examine(o, &d)) {
            add_registers(o, &d);
            VEC_PUSH(&depots, d);
        } else {
            free_depot(&d);
        }
    }
    for (uint32_t n = 0; n < f->insn_count; n++)
        for (size_t k = 0; k < depots.count && f->chains.block_of[n] != UINT32_MAX; k++)
            if (replace(o, &depots.at[k], n))
                break;
    for (size_t k = 0; k < depots.count; k++)
        free_depot(&depots.at[k]);
    VEC_FREE(&depots);
}
