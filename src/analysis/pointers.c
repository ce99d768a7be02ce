/* SPDX-License-Identifier: Apache-2.0
 *
 * pointers.c: where a kernel's addresses come from: a walk back from the base of each access along
 * the def-use chains, through sums and selections, whatever the paths.
 *
 *     ld.param.u64 %d0, [p];          word 0 of the parameters
 *     mul.wide.u32 %d1, %r0, 8;       an index: the walk ends
 *     add.s64 %d2, %d0, %d1;
 *     ld.global.u64 %d3, [%d2];       memory
 *     st.global.u32 [%d3], %r1;
 */
#include "analysis/analysis.h"

#include <string.h>

struct walk {
    const struct wir *f;
    struct pointers *out;
    bool *seen;            /* per register */
    VEC(uint32_t) waiting; /* registers whose writers have not been looked at */
    bool stores_followed;
};

static void
follow(struct walk *w, uint32_t reg)
{
    if (w->seen[reg] || ptx_type_bytes((enum ptx_type)w->f->regs[reg].type) != 8)
        return; /* what has fewer bits is an index */
    w->seen[reg] = true;
    VEC_PUSH(&w->waiting, reg);
}

static void
take_words(struct walk *w, uint64_t first, uint64_t bytes)
{
    for (uint64_t k = first / 8; k < w->out->words && k * 8 < first + bytes; k++)
        w->out->word[k] = true;
}

static void
take_all(struct walk *w)
{
    w->out->loaded = true;
    take_words(w, 0, UINT64_MAX);
}

static void
follow_operand(struct walk *w, const struct ptx_operand *o)
{
    if (o->kind == PTX_O_REG)
        follow(w, o->reg);
    else if (o->kind == PTX_O_SYMBOL && o->var && o->var->func &&
             w->f->vars[o->var->index].place == WIR_KERNEL_PARAM)
        take_words(w, w->f->vars[o->var->index].offset, o->var->size);
    else if (o->kind == PTX_O_VECTOR || o->kind == PTX_O_PAIR || o->kind == PTX_O_LIST)
        take_all(w); /* a pointer put together from parts */
}

/* A pointer from memory may be one that the kernel has put there: parameters in local memory. */
static void
follow_stores(struct walk *w)
{
    if (w->stores_followed)
        return;
    w->stores_followed = true;
    for (uint32_t n = 0; n < w->f->insn_count; n++) {
        const struct ptx_insn *i = &w->f->insns[n].i;
        if (i->op != PTX_OP_ST || i->operand_count < 2)
            continue;
        const struct ptx_operand *v = &i->operand[1];
        for (uint32_t e = 0; v->kind == PTX_O_VECTOR && e < v->count; e++)
            follow_operand(w, &v->elements[e]);
        if (v->kind == PTX_O_REG || v->kind == PTX_O_SYMBOL)
            follow_operand(w, v);
    }
}

static void
through_load(struct walk *w, const struct ptx_insn *i)
{
    const struct ptx_operand *from = &i->operand[1];
    if (from->kind == PTX_O_REG) { /* the parameter of an inlined call */
        follow(w, from->reg);
        return;
    }
    if (i->space != PTX_SPACE_PARAM) {
        w->out->loaded = true;
        follow_stores(w);
    } else if (wir_is_parameter(w->f, from)) {
        take_words(w, w->f->vars[from->var->index].offset + (uint64_t)from->offset,
                   8ull * (i->vec ? i->vec : 1));
    } else {
        take_all(w);
    }
}

static void
through(struct walk *w, const struct ptx_insn *i)
{
    switch (i->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU: through_load(w, i); break;
    case PTX_OP_ST: follow_operand(w, &i->operand[1]); break; /* an argument of an inlined call */
    case PTX_OP_MUL:
    case PTX_OP_SHL:
    case PTX_OP_SHR:
    case PTX_OP_DIV:
    case PTX_OP_REM: break; /* an index */
    case PTX_OP_MAD: follow_operand(w, &i->operand[3]); break;
    case PTX_OP_CALL:
    case PTX_OP_ATOM: take_all(w); break;
    default:
        for (uint32_t k = 1; k < i->operand_count; k++)
            follow_operand(w, &i->operand[k]);
    }
}

/* Bases of addresses in the instruction's space, where that may be device memory. */
static void
from_access(struct walk *w, uint32_t n)
{
    const struct ptx_insn *i = &w->f->insns[n].i;
    if (i->space == PTX_SPACE_PARAM || i->space == PTX_SPACE_SHARED ||
        i->space == PTX_SPACE_LOCAL || i->space == PTX_SPACE_CONST)
        return;
    for (uint32_t k = 0; k < i->operand_count; k++)
        if (i->operand[k].kind == PTX_O_ADDRESS && i->operand[k].base_kind == PTX_BASE_REG)
            follow(w, i->operand[k].reg);
    if (i->op == PTX_OP_CALL) /* what has no body here: memcpy and the like */
        take_all(w);
}

bool
pointers_find(const struct ptx_module *m, const struct ptx_func *kernel,
              bool (*known)(const char *name), struct pointers *out, struct ls_error *err)
{
    struct wir *f = wir_new(m, kernel, known, err);
    if (!f)
        return false;
    *out = (struct pointers){.words = (uint32_t)((kernel->param_bytes + 7) / 8)};
    out->word = ls_alloc(out->words + 1);
    struct walk w = {.f = f, .out = out, .seen = ls_alloc(f->reg_count + 1)};
    if (f->call_count || f->indirect)
        take_all(&w);
    for (uint32_t n = 0; n < f->insn_count; n++)
        from_access(&w, n);
    for (size_t k = 0; k < w.waiting.count; k++) {
        struct span writers = wir_writers(f, w.waiting.at[k]);
        for (uint32_t n = 0; n < writers.count; n++)
            through(&w, &f->insns[writers.at[n]].i);
    }
    VEC_FREE(&w.waiting);
    ls_release(w.seen);
    wir_free(f);
    return true;
}
