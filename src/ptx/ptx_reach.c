/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_reach: the functions and variables that a kernel reaches: by calls, by addresses that its
 * code takes, and by those in initial values of variables. Start at ptx_reach.
 */
#include "ptx/ptx_priv.h"

struct walk {
    struct ptx_reached *out;
    VEC(const struct ptx_func *) todo;
};

static void
reach_func(struct walk *w, const struct ptx_func *f)
{
    if (!f || w->out->func[f->index])
        return;
    w->out->func[f->index] = true;
    VEC_PUSH(&w->todo, f);
}

static void
reach_var(struct walk *w, const struct ptx_var *v)
{
    if (!v || v->func || w->out->var[v->index])
        return;
    w->out->var[v->index] = true;
    for (uint32_t k = 0; k < v->reloc_count; k++) {
        reach_func(w, v->relocs[k].func);
        reach_var(w, v->relocs[k].var);
    }
}

static void
reach_operand(struct walk *w, const struct ptx_operand *o)
{
    reach_func(w, o->func);
    reach_var(w, o->var);
    for (uint32_t k = 0; k < o->count && o->elements; k++)
        reach_operand(w, &o->elements[k]);
}

struct ptx_reached
ptx_reach(const struct ptx_module *m, const struct ptx_func *kernel)
{
    struct ptx_reached out = {.var = ls_alloc(m->var_count + 1),
                              .func = ls_alloc(m->func_count + 1)};
    struct walk w = {.out = &out};
    reach_func(&w, kernel);
    while (w.todo.count) {
        const struct ptx_func *f = w.todo.at[--w.todo.count];
        for (uint32_t n = 0; n < f->insn_count; n++) {
            const struct ptx_insn *i = &f->insns[n];
            bool named = i->op != PTX_OP_CALL;
            for (uint32_t k = 0; k < i->operand_count; k++) {
                named |= i->operand[k].kind == PTX_O_FUNC;
                reach_operand(&w, &i->operand[k]);
            }
            out.anywhere |= !named;
        }
        for (uint32_t k = 0; k < f->target_count; k++)
            for (uint32_t n = 0; f->targets[k].funcs && n < f->targets[k].count; n++)
                reach_func(&w, f->targets[k].funcs[n]);
    }
    VEC_FREE(&w.todo);
    return out;
}

void
ptx_reached_free(struct ptx_reached *r)
{
    ls_release(r->var);
    ls_release(r->func);
}
