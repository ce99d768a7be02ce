/* SPDX-License-Identifier: Apache-2.0
 *
 * print.c: the warp IR as text, a PTX module with one kernel:
 *
 *     b1:                                          // loop b1..b2
 *         ld.global.f32 %f1, [%rd4];
 *         @%p1 bra b2;
 *         bra b3;
 *
 * A web has the name of the register that it was cut out of, with a number where several webs share
 * it; variables likewise.
 */
#include "wir/wir.h"

#include <stdio.h>
#include <string.h>

struct printer {
    const struct wir *f;
    const struct wir_notes *notes;
    struct ptx_print_names names;
    struct text *out;
};

/* -- names ------------------------------------------------------------------------------------- */

/* How often each name came before, counted in a table of names by their hash. */
struct counts {
    struct {
        const char *name;
        uint32_t count;
    } * slot;
    uint32_t mask;
};

static uint32_t
count_name(struct counts *c, const char *name)
{
    uint32_t at = 2166136261u;
    for (const char *s = name; *s; s++)
        at = (at ^ (unsigned char)*s) * 16777619u;
    for (at &= c->mask; c->slot[at].name && strcmp(c->slot[at].name, name); at = (at + 1) & c->mask)
        ;
    c->slot[at].name = name;
    return c->slot[at].count++;
}

/* The name, from the second time on with a number that no name of the kernel has. */
static const char *
unique(struct counts *c, struct arena *a, const char *name)
{
    for (uint32_t k = count_name(c, name); k; k++) {
        const char *other = arena_printf(a, "%s_%u", name, k);
        if (!count_name(c, other))
            return other;
    }
    return name;
}

static void
make_names(struct printer *p, struct arena *a)
{
    const struct wir *f = p->f;
    uint32_t size = 16;
    while (size < 4 * (f->reg_count + f->var_count))
        size *= 2;
    struct counts c = {.slot = ls_alloc(sizeof *c.slot * size), .mask = size - 1};
    const char **reg = ARENA_ARRAY(a, const char *, f->reg_count + 1);
    const char **var = ARENA_ARRAY(a, const char *, f->var_count + 1);
    bool *predicate = ARENA_ARRAY(a, bool, f->reg_count + 1);
    for (uint32_t k = 0; k < f->var_count; k++)
        var[k] = unique(&c, a, f->vars[k].var->name);
    for (uint32_t r = 0; r < f->reg_count; r++) {
        const char *own = f->regs[r].name;
        reg[r] = unique(&c, a, own && *own ? own : "copy");
        predicate[r] = f->regs[r].type == PTX_PRED;
    }
    p->names = (struct ptx_print_names){.reg = reg, .predicate = predicate, .var = var};
    ls_release(c.slot);
}

/* -- declarations ------------------------------------------------------------------------------ */

/* Declares the registers that instructions name, those of one type together. */
static void
print_registers(const struct printer *p)
{
    const struct wir *f = p->f;
    int type = -1, column = 0;
    for (uint32_t r = 0; r < f->reg_count; r++) {
        if (!wir_writers(f, r).count && !wir_readers(f, r).count)
            continue;
        bool fits = f->regs[r].type == type && column < 12;
        if (fits)
            text_add(p->out, ", %s", p->names.reg[r]);
        else
            text_add(p->out, "%s    .reg .%s %s", type < 0 ? "" : ";\n",
                     ptx_type_name((enum ptx_type)f->regs[r].type), p->names.reg[r]);
        type = f->regs[r].type;
        column = fits ? column + 1 : 0;
    }
    text_add(p->out, type < 0 ? "" : ";\n");
}

/* Those that are in the function's text, not in its head; slots that are registers are gone. */
static void
print_variables(const struct printer *p)
{
    for (uint32_t k = 0; k < p->f->var_count; k++) {
        const struct wir_var *v = &p->f->vars[k];
        if (v->place != WIR_LOCAL && v->place != WIR_SHARED)
            continue;
        text_add(p->out, "    %s.%s .align %u .b8 %s[", v->var->unsized ? ".extern " : "",
                 v->place == WIR_LOCAL ? "local" : "shared", v->var->align, p->names.var[k]);
        if (!v->var->unsized)
            text_add(p->out, "%llu", (unsigned long long)v->var->size);
        text_add(p->out, "];\n");
    }
}

struct wanted {
    const struct ptx_module *m;
    bool *vars, functions;
};

static void
want_var(struct wanted *w, const struct ptx_var *v)
{
    if (v->func || w->vars[v->index])
        return;
    w->vars[v->index] = true;
    for (uint32_t k = 0; k < v->reloc_count; k++) {
        w->functions |= v->relocs[k].func != NULL;
        if (v->relocs[k].var)
            want_var(w, v->relocs[k].var);
    }
}

static void
want_operand(struct wanted *w, const struct ptx_operand *o)
{
    w->functions |= o->kind == PTX_O_SYMBOL && o->func;
    if ((o->kind == PTX_O_SYMBOL || o->kind == PTX_O_ADDRESS) && o->var)
        want_var(w, o->var);
    for (uint32_t k = 0; k < o->count && o->elements; k++)
        want_operand(w, &o->elements[k]);
}

/* -- instructions ------------------------------------------------------------------------------ */

static const char *
reg_name(const struct printer *p, uint32_t reg)
{
    return p->names.reg[reg];
}

/* One element of an access to a parameter slot that is a register: no more than a move, perhaps to
 * another width. */
static void
print_slot_move(const struct printer *p, const struct ptx_operand *to,
                const struct ptx_operand *from, enum ptx_type type)
{
    unsigned bytes = ptx_type_bytes(type);
    enum ptx_type t = (enum ptx_type)p->f->regs[to->reg].type;
    unsigned to_bytes = ptx_type_bytes(t);
    char sign = ptx_type_kind(type) == 's' ? 's' : 'u';
    unsigned from_bytes = from->kind == PTX_O_REG
                              ? ptx_type_bytes((enum ptx_type)p->f->regs[from->reg].type)
                              : to_bytes;
    if (to_bytes == from_bytes)
        text_add(p->out, "mov.b%u %s, ", 8 * to_bytes, reg_name(p, to->reg));
    else
        text_add(p->out, "cvt.%c%u.%c%u %s, ", sign, 8 * (to_bytes < from_bytes ? bytes : to_bytes),
                 sign, 8 * (to_bytes < from_bytes ? from_bytes : bytes), reg_name(p, to->reg));
    if (from->kind == PTX_O_REG)
        text_add(p->out, "%s;", reg_name(p, from->reg));
    else
        text_add(p->out, "%lld;", (long long)from->imm);
}

static bool
is_slot_access(const struct ptx_insn *i)
{
    return ((i->op == PTX_OP_LD && i->operand[1].kind != PTX_O_ADDRESS) ||
            (i->op == PTX_OP_ST && i->operand[0].kind != PTX_O_ADDRESS)) &&
           i->space == PTX_SPACE_PARAM;
}

static void
print_slot_access(const struct printer *p, const struct ptx_insn *i)
{
    const struct ptx_operand *to = &i->operand[0], *from = &i->operand[1];
    enum ptx_type type = (enum ptx_type)i->type[i->type_count - 1];
    bool many = to->kind == PTX_O_VECTOR;
    for (uint32_t k = 0; k < (many ? to->count : 1); k++) {
        text_add(p->out, k ? " " : "");
        print_slot_move(p, many ? &to->elements[k] : to, many ? &from->elements[k] : from, type);
    }
}

/* Of a call through a pointer what it may call, in the words of the function where it stands. */
static void
print_targets(const struct printer *p, uint32_t n, const char *name)
{
    const struct wir_insn *i = &p->f->insns[n];
    for (uint32_t k = 0; k < i->i.operand_count; k++)
        if (i->i.operand[k].kind == PTX_O_TARGETS) {
            ptx_print_targets(i->func, i->i.operand[k].target, name, p->out);
            text_add(p->out, "    ");
        }
}

static void
print_other(const struct printer *p, uint32_t n)
{
    char targets[32];
    struct ptx_print_names names = p->names;
    snprintf(targets, sizeof targets, "i%u_targets", n);
    names.targets = targets;
    print_targets(p, n, targets);
    ptx_print_insn_as(&p->f->insns[n].i, &names, p->out);
}

/* Prints behind instruction n, as a comment, what tools are told of it and the caller's notes. */
static void
print_comment(const struct printer *p, uint32_t n)
{
    static const char *const names[] = {"count", "sync",   "access", "guard",
                                        "new",   "offset", "compare"};
    size_t bare = p->out->count;
    if (p->notes->insn)
        p->notes->insn(p->notes->context, n, p->out);
    const char *join = p->out->count > bare ? "; told: " : "told: ";
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        if (p->f->insns[n].tells >> k & 1) {
            text_add(p->out, "%s%s", join, names[k]);
            join = ", ";
        }
}

static void
print_insn(const struct printer *p, uint32_t n)
{
    const struct wir_insn *i = &p->f->insns[n];
    size_t before = p->out->count;
    text_add(p->out, "    ");
    if (is_slot_access(&i->i))
        print_slot_access(p, &i->i);
    else
        print_other(p, n);
    size_t end = p->out->count;
    int width = (int)(end - before);
    text_add(p->out, "%*s  // ", width < 44 ? 44 - width : 0, "");
    size_t bare = p->out->count;
    print_comment(p, n);
    if (p->out->count == bare)
        p->out->at[p->out->count = end] = 0;
    text_add(p->out, "\n");
    if (p->notes->after)
        p->notes->after(p->notes->context, n, p->out);
}

/* -- blocks ------------------------------------------------------------------------------------ */

static void
print_jump(const struct printer *p, uint32_t b, uint32_t to)
{
    if (to != b + 1 || p->f->blocks[to].end == WIR_EXIT) /* which stands last */
        text_add(p->out, "    bra b%u;\n", to);
}

static void
print_switch(const struct printer *p, uint32_t b)
{
    const struct wir_block *blk = &p->f->blocks[b];
    text_add(p->out, "b%u_targets: .branchtargets", b);
    for (uint32_t k = 0; k < blk->succ_count; k++)
        text_add(p->out, "%s b%u", k ? "," : "", blk->succ[k]);
    text_add(p->out, ";\n    brx.idx %s, b%u_targets;\n",
             reg_name(p, p->f->insns[blk->end_insn].i.operand[0].reg), b);
}

static void
print_end(const struct printer *p, uint32_t b)
{
    const struct wir_block *blk = &p->f->blocks[b];
    const struct ptx_insn *i = blk->end_insn != UINT32_MAX ? &p->f->insns[blk->end_insn].i : NULL;
    const char *guard = blk->guard_negated ? "!" : "";
    switch ((enum wir_end)blk->end) {
    case WIR_JUMP:
        if (i && i->op != PTX_OP_BRA)
            text_add(p->out, "    %s;\n", ptx_op_name((enum ptx_op)i->op));
        else if (i)
            text_add(p->out, "    bra b%u;\n", blk->succ[0]);
        else
            print_jump(p, b, blk->succ[0]);
        break;
    case WIR_BRANCH:
        if (i->op != PTX_OP_BRA)
            text_add(p->out, "    @%s%s %s;\n", guard, reg_name(p, blk->guard),
                     ptx_op_name((enum ptx_op)i->op));
        else
            text_add(p->out, "    @%s%s bra b%u;\n", guard, reg_name(p, blk->guard), blk->succ[0]);
        print_jump(p, b, blk->succ[1]);
        break;
    case WIR_SWITCH: print_switch(p, b); break;
    case WIR_BARRIER:
        print_insn(p, blk->end_insn);
        print_jump(p, b, blk->succ[0]);
        return;
    case WIR_TRAP: print_insn(p, blk->end_insn); return;
    case WIR_EXIT: return;
    }
    if (i && p->notes->after)
        p->notes->after(p->notes->context, blk->end_insn, p->out);
}

static void
print_block(const struct printer *p, uint32_t b)
{
    const struct wir_block *blk = &p->f->blocks[b];
    text_add(p->out, "b%u:", b);
    if (p->notes->block) {
        text_add(p->out, "  // ");
        p->notes->block(p->notes->context, b, p->out);
    }
    text_add(p->out, "\n");
    for (uint32_t n = blk->first; n < blk->first + blk->count; n++)
        print_insn(p, n);
    print_end(p, b);
}

/* -- the whole --------------------------------------------------------------------------------- */

static void
print_body(void *context, struct text *out)
{
    struct printer *p = context;
    if (p->notes->head) {
        text_add(out, "    // ");
        p->notes->head(p->notes->context, out);
        text_add(out, "\n");
    }
    print_registers(p);
    print_variables(p);
    for (unsigned last = 0; last < 2; last++)
        for (uint32_t b = 0; b < p->f->block_count; b++)
            if ((p->f->blocks[b].end == WIR_EXIT) == last)
                print_block(p, b);
}

void
wir_print(const struct wir *f, const struct wir_notes *notes, struct text *out)
{
    struct arena arena = {0};
    struct printer p = {f, notes ? notes : &(struct wir_notes){0}, {0}, out};
    struct wanted w = {f->module, ARENA_ARRAY(&arena, bool, f->module->var_count + 1),
                       f->call_count || f->indirect};
    make_names(&p, &arena);
    for (uint32_t n = 0; n < f->insn_count; n++)
        for (uint32_t k = 0; f->chains.block_of[n] != UINT32_MAX && k < f->insns[n].i.operand_count;
             k++)
            want_operand(&w, &f->insns[n].i.operand[k]);
    if (w.functions) /* what their text names is not looked at */
        memset(w.vars, true, f->module->var_count * sizeof *w.vars);
    struct ptx_print_part part = {f->kernel, "lockstep wir", w.vars, w.functions, print_body, &p};
    ptx_print_around(f->module, &part, out);
    arena_free(&arena);
}
