/* SPDX-License-Identifier: Apache-2.0
 *
 * roots.c: where a kernel's addresses and values come from.
 *
 *   roots   what an address was computed from: walking back from its register through additions and
 *           selections to kernel parameters and variables. An access whose only root is a pointer
 *           parameter has to stay in the allocation that the parameter points to; one whose only
 *           root is a variable, in the variable. Where the walk meets a loaded pointer or two
 * roots, any live memory will do. used    which bytes of a load matter: a value that is only stored
 * again is a copy, and copying what was never written (padding) is no mistake yet; nor is loading
 * what is not selected
 */
#include "check/roots.h"

#include <string.h>

/* -- definitions and uses ---------------------------------------------------------------------- */

/* Instructions that only hand a value on. */
static bool
is_move(const struct ptx_insn *i)
{
    return i->op == PTX_OP_MOV && i->operand_count == 2 && i->operand[0].kind == PTX_O_REG &&
           i->operand[1].kind == PTX_O_REG;
}

static void
see_uses(struct walk *w, uint32_t n)
{
    const struct ptx_insn *i = &w->wir->insns[n].i;
    if (is_move(i))
        return;
    if (i->op == PTX_OP_SELP) {
        /* Compilers load early and select later: only what is selected would matter. */
        if (i->operand[3].kind == PTX_O_REG)
            set_add(w->matters, i->operand[3].reg), set_add(w->surely, i->operand[3].reg);
        return;
    }
    bool logic = i->op == PTX_OP_AND || i->op == PTX_OP_OR || i->op == PTX_OP_XOR;
    bool sure = !(logic && i->type[0] == PTX_PRED) && i->op != PTX_OP_SETP;
    struct span uses = wir_uses(w->wir, n);
    for (uint32_t k = 0; k < uses.count; k++) {
        /* A store uses its guard and its address, and copies its value. */
        if (i->op == PTX_OP_ST && uses.at[k] != i->guard && k < wir_values(w->wir, n).count)
            continue;
        set_add(w->matters, uses.at[k]);
        if (sure)
            set_add(w->surely, uses.at[k]);
    }
}

void
roots_uses(struct walk *w)
{
    const struct wir *f = w->wir;
    for (uint32_t k = 0; k < f->insn_count; k++)
        see_uses(w, k);
    for (uint32_t b = 0; b < f->block_count; b++)
        if (f->blocks[b].end == WIR_BRANCH)
            set_add(w->matters, f->blocks[b].guard), set_add(w->surely, f->blocks[b].guard);
    for (uint32_t k = 0; k < f->insn_count; k++) { /* comparisons whose outcome alone decides */
        const struct ptx_insn *i = &f->insns[k].i;
        for (uint32_t n = 1; i->op == PTX_OP_SETP && n < i->operand_count; n++)
            if (i->operand[n].kind == PTX_O_REG && i->operand[0].kind == PTX_O_REG &&
                set_has(w->surely, i->operand[0].reg))
                set_add(w->surely, i->operand[n].reg);
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t k = f->insn_count; k-- > 0;) {
            const struct ptx_insn *i = &f->insns[k].i;
            if (!is_move(i) || !set_has(w->matters, i->operand[0].reg) ||
                set_has(w->matters, i->operand[1].reg))
                continue;
            set_add(w->matters, i->operand[1].reg);
            more = true;
        }
    }
}

uint32_t
roots_used_bytes(const struct walk *w, const struct ptx_insn *i, const uint64_t *matters)
{
    unsigned size = ptx_type_bytes((enum ptx_type)i->type[i->type_count - 1]);
    const struct ptx_operand *to = &i->operand[0];
    uint32_t used = 0, n = to->kind == PTX_O_VECTOR ? to->count : 1;
    for (uint32_t e = 0; e < n && size; e++) {
        const struct ptx_operand *o = to->kind == PTX_O_VECTOR ? &to->elements[e] : to;
        if (o->kind == PTX_O_REG && set_has(matters, o->reg))
            used |= (uint32_t)(((1ull << size) - 1) << (e * size));
    }
    return used;
}

/* -- roots ------------------------------------------------------------------------------------- */

static void trace(struct walk *w, uint32_t reg);

static void
add_root(struct walk *w, enum root_kind kind, uint32_t at)
{
    for (uint32_t k = 0; k < w->roots; k++)
        if (w->root[k].kind == kind && w->root[k].at == at)
            return;
    if (w->roots == MOST_ROOTS)
        w->unknown = true;
    else
        w->root[w->roots++] = (struct root){kind, at};
}

static void
add_variable(struct walk *w, const struct ptx_var *var)
{
    for (uint32_t k = 0; k < w->kernel->shared_count; k++)
        if (w->kernel->shared[k].var == var) {
            add_root(w, ROOT_SHARED, k);
            return;
        }
    if (var->func)
        w->unknown = true; /* local */
    else
        add_root(w, ROOT_GLOBAL, var->index);
}

static void
trace_operand(struct walk *w, const struct ptx_operand *o)
{
    if (o->kind == PTX_O_REG)
        trace(w, o->reg);
    else if (o->kind == PTX_O_SYMBOL && o->var)
        add_variable(w, o->var);
    else if (o->kind == PTX_O_SYMBOL)
        w->unknown = true;
}

static unsigned
bits_of(const struct walk *w, uint32_t reg)
{
    return 8 * ptx_type_bytes((enum ptx_type)w->wir->regs[reg].type);
}

static void
trace_load(struct walk *w, const struct ptx_insn *i, uint32_t reg)
{
    const struct ptx_operand *from = &i->operand[1], *to = &i->operand[0];
    if (from->kind == PTX_O_REG) { /* a parameter of an inlined function */
        trace(w, from->reg);
        return;
    }
    if (bits_of(w, reg) < 64)
        return; /* an index */
    if (!wir_is_parameter(w->wir, from)) {
        w->unknown = true;
        return;
    }
    uint64_t offset = w->wir->vars[from->var->index].offset + (uint64_t)from->offset;
    for (uint32_t e = 0; to->kind == PTX_O_VECTOR && e < to->count; e++)
        if (to->elements[e].kind == PTX_O_REG && to->elements[e].reg == reg)
            offset += 8ull * e;
    add_root(w, ROOT_PARAM, (uint32_t)offset);
}

static void
trace_insn(struct walk *w, const struct ptx_insn *i, uint32_t reg)
{
    w->constant =
        w->constant && (i->op == PTX_OP_MOV || i->op == PTX_OP_ADD || i->op == PTX_OP_CVTA);
    switch (i->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU: trace_load(w, i, reg); break;
    case PTX_OP_ST: /* an argument of an inlined function */
        trace_operand(w, &i->operand[1]);
        break;
    case PTX_OP_MOV:
    case PTX_OP_CVTA:
    case PTX_OP_CVT:
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_ADD:
    case PTX_OP_SUB:
    case PTX_OP_SELP:
        for (uint32_t k = 1; k < i->operand_count; k++)
            if (i->op != PTX_OP_SELP || k < 3)
                trace_operand(w, &i->operand[k]);
        if (i->op == PTX_OP_MOV && i->operand[1].kind == PTX_O_VECTOR && bits_of(w, reg) == 64)
            w->unknown = true;
        break;
    case PTX_OP_MAD: trace_operand(w, &i->operand[3]); break;
    case PTX_OP_SHL:
    case PTX_OP_MUL:
    case PTX_OP_SHR:
    case PTX_OP_REM:
    case PTX_OP_DIV: break; /* an index */
    default:
        if (bits_of(w, reg) == 64)
            w->unknown = true;
    }
}

static void
trace(struct walk *w, uint32_t reg)
{
    if (w->seen[reg] == w->round)
        return;
    w->seen[reg] = w->round;
    if (++w->steps > MOST_STEPS) {
        w->unknown = true;
        return;
    }
    struct span writers = wir_writers(w->wir, reg);
    if (!writers.count && bits_of(w, reg) == 64)
        w->unknown = true;
    for (uint32_t k = writers.count; k-- > 0;)
        trace_insn(w, &w->wir->insns[writers.at[k]].i, reg);
}

void
roots_find(struct walk *w, const struct ptx_operand *o, struct place_facts *p, bool again)
{
    w->round++;
    w->steps = 0;
    w->roots = 0;
    w->unknown = false;
    w->constant = true;
    if (o->base_kind == PTX_BASE_VAR)
        add_variable(w, o->var);
    else if (o->base_kind == PTX_BASE_REG)
        trace(w, o->reg);
    else
        w->unknown = true;
    /* Inlined twice with different arguments: not known. */
    bool same =
        p->root_count == w->roots && memcmp(p->root, w->root, sizeof w->root[0] * w->roots) == 0;
    p->root_count = w->unknown || (again && !same) ? 0 : (uint8_t)w->roots;
    memcpy(p->root, w->root, sizeof p->root);
}

/* -- where a stored value comes from ----------------------------------------------------------- */

enum { MOST_SOURCES = 8 };

struct value_walk {
    struct kernel_facts *kernel;
    struct copy_source source[MOST_SOURCES];
    uint32_t count;
    uint8_t to, size;
};

static void from_register(struct walk *w, uint32_t reg, struct value_walk *s);

static void
from_load(const struct wir_insn *f, uint32_t reg, struct value_walk *s)
{
    const struct ptx_insn *i = &f->i;
    const struct ptx_operand *to = &i->operand[0];
    uint32_t n = to->kind == PTX_O_VECTOR ? to->count : 1;
    if (s->count == MOST_SOURCES || f->place >= s->kernel->place_count ||
        ptx_type_bytes((enum ptx_type)i->type[i->type_count - 1]) != s->size)
        return;
    for (uint32_t e = 0; e < n; e++) {
        const struct ptx_operand *o = to->kind == PTX_O_VECTOR ? &to->elements[e] : to;
        if (o->kind != PTX_O_REG || o->reg != reg)
            continue;
        s->source[s->count++] =
            (struct copy_source){f->place, (uint8_t)(e * s->size), s->to, s->size};
        s->kernel->place[f->place].copied = true;
        return;
    }
}

static void
from_operand(struct walk *w, const struct ptx_operand *o, struct value_walk *s)
{
    if (o->kind == PTX_O_REG)
        from_register(w, o->reg, s);
}

static void
from_register(struct walk *w, uint32_t reg, struct value_walk *s)
{
    if (!walk_enters(w, reg))
        return;
    struct span writers = wir_writers(w->wir, reg);
    for (uint32_t d = writers.count; d-- > 0;) {
        const struct wir_insn *f = &w->wir->insns[writers.at[d]];
        if (f->i.op == PTX_OP_LD && f->i.operand[1].kind == PTX_O_ADDRESS)
            from_load(f, reg, s);
        else if (is_move(&f->i))
            from_operand(w, &f->i.operand[1], s);
        else if (f->i.op == PTX_OP_SELP)
            from_operand(w, &f->i.operand[1], s), from_operand(w, &f->i.operand[2], s);
    }
}

void
roots_sources(struct walk *w, struct kernel_facts *k, const struct ptx_insn *i,
              struct place_facts *p)
{
    const struct ptx_operand *value = &i->operand[1];
    struct value_walk s = {.kernel = k, .size = p->unit};
    uint32_t n = value->kind == PTX_O_VECTOR ? value->count : 1;
    if (!p->unit || p->unit > 16)
        return;
    for (uint32_t e = 0; e < n; e++) {
        w->round++;
        w->steps = 0;
        s.to = (uint8_t)(e * p->unit);
        from_operand(w, value->kind == PTX_O_VECTOR ? &value->elements[e] : value, &s);
    }
    if (s.count <= p->sources) /* inlined again: the same loads */
        return;
    p->source_of = ARENA_ARRAY(&k->arena, struct copy_source, s.count);
    memcpy(p->source_of, s.source, sizeof *s.source * s.count);
    p->sources = (uint8_t)s.count;
}

void
roots_copy(struct kernel_facts *k, struct place_facts *p, uint32_t bytes)
{
    enum { WORD = 4 };
    if (p->sources)
        return;
    p->sources = (uint8_t)(bytes / WORD);
    p->source_of = ARENA_ARRAY(&k->arena, struct copy_source, p->sources);
    for (uint8_t n = 0; n < p->sources; n++)
        p->source_of[n] =
            (struct copy_source){p->source, (uint8_t)(n * WORD), (uint8_t)(n * WORD), WORD};
    k->place[p->source].copied = true;
}
