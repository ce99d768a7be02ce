/* SPDX-License-Identifier: Apache-2.0
 *
 * build.c: from a kernel's text to one flat list of instructions: calls of functions with a body
 * are replaced by the body (each time with registers and variables of its own), parameter slots
 * become registers where every access agrees (slots.c), guarded instructions with effects become
 * branches. The list is then cut into blocks (blocks.c). Start at wir_new.
 */
#include "wir/wir_priv.h"

#include <string.h>

/* -- inlining ---------------------------------------------------------------------------------- */

enum { MAX_DEPTH = 64, MAX_INSNS = 4 << 20 };

struct instance {
    const struct ptx_func *func;
    uint32_t reg_base;
    uint32_t label_base;
    uint32_t end_label;      /* where ret goes; UINT32_MAX in the kernel itself */
    struct ptx_var **vars;   /* per func->vars: the copy */
    struct ptx_var **params; /* per func->params: the copy or the caller's slot */
    struct ptx_var **results;
    struct instance *caller;
    uint32_t depth;
    uint32_t place; /* of the call */
};

static uint32_t
first_place(const struct ptx_func *f)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < f->index; k++)
        n += f->module->funcs[k]->insn_count;
    return n;
}

static struct ptx_var *
copy_var(struct flat *b, const struct ptx_var *v, enum wir_place place)
{
    struct ptx_var *copy = ARENA_NEW(&b->wir->arena, struct ptx_var);
    *copy = *v;
    copy->index = (uint32_t)b->vars.count;
    copy->func = (struct ptx_func *)b->wir->kernel;
    VEC_PUSH(&b->vars, ((struct wir_var){.var = copy, .place = (uint8_t)place}));
    VEC_PUSH(&b->origin, v);
    return copy;
}

static enum wir_place
place_of_space(uint8_t space)
{
    return space == PTX_SPACE_SHARED ? WIR_SHARED : space == PTX_SPACE_LOCAL ? WIR_LOCAL : WIR_SLOT;
}

static struct ptx_var *
map_var(struct flat *b, struct instance *in, struct ptx_var *v)
{
    (void)b;
    if (!v || !v->func)
        return v;
    const struct ptx_func *f = in->func;
    if (v->index < f->var_count && f->vars[v->index] == v)
        return in->vars[v->index];
    for (uint32_t k = 0; k < f->param_count; k++)
        if (f->params[k] == v)
            return in->params[k];
    for (uint32_t k = 0; k < f->result_count; k++)
        if (f->results[k] == v)
            return in->results[k];
    return v;
}

static void
map_operand(struct flat *b, struct instance *in, struct ptx_operand *o)
{
    if (o->kind == PTX_O_REG || (o->kind == PTX_O_ADDRESS && o->base_kind == PTX_BASE_REG))
        o->reg += in->reg_base;
    if (o->kind == PTX_O_LABEL)
        o->label += in->label_base;
    if (o->kind == PTX_O_SYMBOL || o->kind == PTX_O_ADDRESS)
        o->var = map_var(b, in, o->var);
    if (o->count && o->elements) {
        struct ptx_operand *copy = ARENA_ARRAY(&b->wir->arena, struct ptx_operand, o->count);
        memcpy(copy, o->elements, sizeof *copy * o->count);
        o->elements = copy;
        for (uint32_t k = 0; k < o->count; k++)
            map_operand(b, in, &copy[k]);
    }
}

struct wir_insn *
wir_push_insn(struct flat *b, const struct ptx_insn *i, const struct ptx_func *func, uint32_t place)
{
    VEC_PUSH(&b->insns,
             ((struct wir_insn){.i = *i, .func = func, .place = place, .frame = b->frame}));
    return &b->insns.at[b->insns.count - 1];
}

struct ptx_operand *
wir_operands(struct flat *b, uint32_t n)
{
    return ARENA_ARRAY(&b->wir->arena, struct ptx_operand, n);
}

/* A move of `type` from operand `from` to `to`, either of which may be a slot (SYMBOL). */
void
wir_push_move(struct flat *b, const struct wir_insn *at, struct ptx_operand to,
              struct ptx_operand from, uint8_t type)
{
    struct ptx_insn i = {.op = PTX_OP_MOV,
                         .type_count = 1,
                         .vec = 1,
                         .operand_count = 2,
                         .guard = PTX_NO_REG,
                         .line = at->i.line,
                         .column = at->i.column,
                         .loc = at->i.loc};
    i.type[0] = type;
    i.operand = wir_operands(b, 2);
    if (from.kind == PTX_O_SYMBOL) {
        i.op = PTX_OP_LD;
        i.space = PTX_SPACE_PARAM;
        from =
            (struct ptx_operand){.kind = PTX_O_ADDRESS, .base_kind = PTX_BASE_VAR, .var = from.var};
    } else if (to.kind == PTX_O_SYMBOL) {
        i.op = PTX_OP_ST;
        i.space = PTX_SPACE_PARAM;
        to = (struct ptx_operand){.kind = PTX_O_ADDRESS, .base_kind = PTX_BASE_VAR, .var = to.var};
    }
    i.operand[0] = to;
    i.operand[1] = from;
    wir_push_insn(b, &i, at->func, at->place);
}

void
wir_push_jump(struct flat *b, const struct wir_insn *at, uint32_t label, uint32_t guard,
              bool negated)
{
    struct ptx_insn i = {.op = PTX_OP_BRA,
                         .vec = 1,
                         .operand_count = 1,
                         .guard = guard,
                         .guard_negated = negated,
                         .line = at->i.line,
                         .column = at->i.column,
                         .loc = at->i.loc};
    i.operand = wir_operands(b, 1);
    i.operand[0] = (struct ptx_operand){.kind = PTX_O_LABEL, .label = label};
    wir_push_insn(b, &i, at->func, at->place);
}

uint32_t
wir_new_label(struct flat *b)
{
    VEC_PUSH(&b->labels, UINT32_MAX);
    return (uint32_t)b->labels.count - 1;
}

bool
wir_fail_at(struct flat *b, const struct wir_insn *at, const char *format, const char *name)
{
    char what[512];
    snprintf(what, sizeof what, format, name);
    return ls_fail(b->err, LS_ERR_UNSUPPORTED, "%s:%u: %s", b->wir->module->path, at->i.line, what);
}

/* -- calls ------------------------------------------------------------------------------------- */

static bool inline_body(struct flat *b, struct instance *in);

struct call_parts {
    struct ptx_operand *results, *target, *args;
};

static struct call_parts
call_parts(const struct ptx_insn *i)
{
    struct call_parts p = {0};
    for (uint32_t k = 0; k < i->operand_count; k++) {
        struct ptx_operand *o = &i->operand[k];
        if (o->kind == PTX_O_LIST && !p.target)
            p.results = o;
        else if (o->kind == PTX_O_LIST)
            p.args = o;
        else if (o->kind == PTX_O_FUNC || o->kind == PTX_O_REG)
            p.target = o;
    }
    return p;
}

/* The slot or register that stands for parameter k of the callee. */
static void
bind_params(struct flat *b, const struct wir_insn *at, struct instance *callee,
            const struct call_parts *p)
{
    const struct ptx_func *f = callee->func;
    for (uint32_t k = 0; k < f->param_count; k++) {
        struct ptx_operand arg = p->args->elements[k];
        if (f->param_regs[k] != PTX_NO_REG) {
            struct ptx_operand to = {.kind = PTX_O_REG, .reg = callee->reg_base + f->param_regs[k]};
            wir_push_move(b, at, to, arg, f->params[k]->type);
        } else if (arg.kind == PTX_O_SYMBOL && arg.var) {
            callee->params[k] = arg.var;
        } else {
            callee->params[k] = copy_var(b, f->params[k], WIR_SLOT);
            struct ptx_operand to = {.kind = PTX_O_SYMBOL, .var = callee->params[k]};
            wir_push_move(b, at, to, arg, f->params[k]->type);
        }
    }
    for (uint32_t k = 0; k < f->result_count; k++) {
        struct ptx_operand *r = p->results ? &p->results->elements[k] : NULL;
        if (f->result_regs[k] == PTX_NO_REG)
            callee->results[k] = r && r->kind == PTX_O_SYMBOL && r->var
                                     ? r->var
                                     : copy_var(b, f->results[k], WIR_SLOT);
    }
}

static void
unbind_results(struct flat *b, const struct wir_insn *at, const struct instance *callee,
               const struct call_parts *p)
{
    const struct ptx_func *f = callee->func;
    for (uint32_t k = 0; p->results && k < f->result_count; k++) {
        struct ptx_operand to = p->results->elements[k];
        if (f->result_regs[k] != PTX_NO_REG) {
            struct ptx_operand from = {.kind = PTX_O_REG,
                                       .reg = callee->reg_base + f->result_regs[k]};
            wir_push_move(b, at, to, from, f->results[k]->type);
        } else if (to.kind == PTX_O_REG) {
            struct ptx_operand from = {.kind = PTX_O_SYMBOL, .var = callee->results[k]};
            wir_push_move(b, at, to, from, f->results[k]->type);
        }
    }
}

/* Recursion, or too large to be repeated: the function stays one of its own. */
static bool
real_call(struct flat *b, const struct wir_insn *at, const struct ptx_func *f)
{
    struct wir_insn *i = wir_push_insn(b, &at->i, at->func, at->place);
    for (uint32_t k = 0; k < i->i.operand_count; k++)
        if (i->i.operand[k].kind == PTX_O_FUNC)
            i->i.operand[k].func = (struct ptx_func *)f;
    wir_exit_behind(b);
    for (size_t k = 0; k < b->calls.count; k++)
        if (b->calls.at[k] == f)
            return true;
    VEC_PUSH(&b->calls, f);
    return true;
}

/* A call that its function's text replaces is an instruction all the same. */
static void
push_call(struct flat *b, const struct wir_insn *at)
{
    struct ptx_insn i = {.op = PTX_OP_PMEVENT,
                         .vec = 1,
                         .guard = PTX_NO_REG,
                         .line = at->i.line,
                         .column = at->i.column,
                         .loc = at->i.loc};
    i.operand = wir_operands(b, 1);
    wir_push_insn(b, &i, at->func, at->place);
}

static bool
inline_call(struct flat *b, struct instance *in, const struct wir_insn *at)
{
    struct call_parts p = call_parts(&at->i);
    if (p.target && p.target->kind == PTX_O_REG) {
        b->wir->indirect = true;
        wir_push_insn(b, &at->i, at->func, at->place);
        wir_exit_behind(b);
        return true;
    }
    if (!p.target || p.target->kind != PTX_O_FUNC)
        return wir_fail_at(b, at, "%s", "a call without a function");
    const struct ptx_func *f = wir_with_body(b->wir->module, p.target->func);
    if (!f->has_body) {
        if (!b->known(f->name))
            return wir_fail_at(b, at, "function \"%s\" has no body and is not known", f->name);
        wir_push_insn(b, &at->i, at->func, at->place);
        return true;
    }
    bool stays = b->wir->module->is_wir /* what could be inlined has been */
                 || (b->stays && b->stays[f->index]);
    for (struct instance *up = in; up; up = up->caller)
        stays |= up->func == f;
    uint32_t args = p.args ? p.args->count : 0;
    if (args != f->param_count)
        return wir_fail_at(
            b, at, "the call of \"%s\" has another number of arguments than the function", f->name);
    if (stays)
        return real_call(b, at, f);
    if (in->depth >= MAX_DEPTH)
        return wir_fail_at(b, at, "calls are nested too deeply at \"%s\"", f->name);
    struct instance callee = {.func = f, .caller = in, .depth = in->depth + 1};
    uint32_t done = wir_new_label(b);
    callee.end_label = done;
    callee.reg_base = (uint32_t)b->regs.count;
    for (uint32_t k = 0; k < f->reg_count; k++)
        VEC_PUSH(&b->regs, ((struct wir_reg){.type = f->regs[k].type, .name = f->regs[k].name}));
    callee.params = ARENA_ARRAY(&b->wir->arena, struct ptx_var *, f->param_count + 1);
    callee.results = ARENA_ARRAY(&b->wir->arena, struct ptx_var *, f->result_count + 1);
    struct wir_insn here = *at; /* `at` may move while instructions are added */
    if (b->marks)
        push_call(b, &here);
    bind_params(b, &here, &callee, &p);
    uint32_t frame = b->frame;
    callee.place = at->place;
    bool fine = inline_body(b, &callee);
    b->frame = frame;
    if (!fine)
        return false;
    b->labels.at[done] = (uint32_t)b->insns.count;
    unbind_results(b, &here, &callee, &p);
    return true;
}

/* mov.v2 {a, b}, {c, d}: a move for each part, by way of new registers, as a may be d. */
static bool
move_parts(struct flat *b, const struct wir_insn *at)
{
    const struct ptx_operand *to = &at->i.operand[0], *from = &at->i.operand[1];
    uint32_t n = at->i.vec;
    if (to->kind != PTX_O_VECTOR || from->kind != PTX_O_VECTOR || to->count != n ||
        from->count != n)
        return wir_fail_at(b, at, "%s", "mov of a vector and of what is none");
    uint32_t first = (uint32_t)b->regs.count;
    for (uint32_t k = 0; k < n; k++)
        VEC_PUSH(&b->regs, ((struct wir_reg){.type = at->i.type[0], .name = ""}));
    for (uint32_t k = 0; k < 2 * n; k++) {
        struct ptx_operand between = {.kind = PTX_O_REG, .reg = first + k % n};
        wir_push_move(b, at, k < n ? between : to->elements[k % n],
                      k < n ? from->elements[k] : between, at->i.type[0]);
        struct ptx_insn *i = &b->insns.at[b->insns.count - 1].i;
        i->guard = at->i.guard;
        i->guard_negated = at->i.guard_negated;
    }
    return true;
}

static bool
inline_insn(struct flat *b, struct instance *in, const struct ptx_insn *text, uint32_t place)
{
    struct wir_insn f = {.i = *text, .func = in->func, .place = place};
    struct ptx_insn *i = &f.i;
    size_t first = b->insns.count;
    if (i->guard != PTX_NO_REG)
        i->guard += in->reg_base;
    i->operand = wir_operands(b, i->operand_count + 1u);
    memcpy(i->operand, text->operand, sizeof *i->operand * i->operand_count);
    bool is_wir = b->wir->module->is_wir;           /* there the rest is in its text */
    if (i->op == PTX_OP_WGMMA_MMA_ASYNC && !is_wir) /* D once more, a source: what it adds to */
        i->operand[i->operand_count++] = text->operand[0];
    for (uint32_t k = 0; k < i->operand_count; k++)
        map_operand(b, in, &i->operand[k]);

    /* By its address in a register a function's parameter is read where it
     * lies, in local memory. */
    if ((i->op == PTX_OP_LD || i->op == PTX_OP_ST) && i->space == PTX_SPACE_PARAM &&
        !in->func->is_kernel)
        for (uint32_t k = 0; k < i->operand_count; k++)
            if (i->operand[k].kind == PTX_O_ADDRESS && i->operand[k].base_kind == PTX_BASE_REG)
                i->space = PTX_SPACE_LOCAL;

    uint32_t around = UINT32_MAX;
    bool leaves = i->op == PTX_OP_EXIT && b->exited && !b->wir->kernel->is_kernel;
    if (i->guard != PTX_NO_REG && (leaves || wir_needs_branch(i))) {
        around = wir_new_label(b);
        wir_push_jump(b, &f, around, i->guard, !i->guard_negated);
        i->guard = PTX_NO_REG;
        i->guard_negated = false;
    }
    if (i->op == PTX_OP_BRX) {
        /* The list of labels belongs to the function: give the instruction its own copy. */
        const struct ptx_targets *t = &in->func->targets[i->operand[1].target];
        i->operand[1].kind = PTX_O_LIST;
        i->operand[1].count = t->count;
        i->operand[1].elements = wir_operands(b, t->count);
        for (uint32_t k = 0; k < t->count; k++)
            i->operand[1].elements[k] =
                (struct ptx_operand){.kind = PTX_O_LABEL, .label = in->label_base + t->labels[k]};
    }
    for (uint32_t k = 0; i->op == PTX_OP_RET && !in->caller && k < in->func->result_count; k++)
        if (in->func->result_regs[k] != PTX_NO_REG) { /* a called function's results in registers */
            struct ptx_operand to = {.kind = PTX_O_SYMBOL, .var = in->results[k]};
            struct ptx_operand from = {.kind = PTX_O_REG, .reg = in->func->result_regs[k]};
            wir_push_move(b, &f, to, from, in->func->results[k]->type);
        }
    if (leaves)
        wir_set_exited(b, &f, true);
    if (i->op == PTX_OP_RET && in->end_label != UINT32_MAX) {
        wir_push_jump(b, &f, in->end_label, i->guard, i->guard_negated);
    } else if (i->op == PTX_OP_CALL) {
        if (!inline_call(b, in, &f))
            return false;
    } else if (i->op == PTX_OP_MOV && i->vec > 1 ? !move_parts(b, &f) : !wir_push(b, &f)) {
        return false;
    }
    b->met = b->met && around == UINT32_MAX && i->op != PTX_OP_CALL && i->op != PTX_OP_RET;
    if (around != UINT32_MAX)
        b->labels.at[around] = (uint32_t)b->insns.count;
    if (b->debug)
        b->insns.at[first].begins = true;
    if (b->insns.count > MAX_INSNS)
        return wir_fail_at(b, &f, "%s: the kernel is too large once its calls are inlined",
                           b->wir->kernel->name);
    return true;
}

static void
begin_frame(struct flat *b, const struct instance *in)
{
    uint32_t caller = b->frames.count ? b->frame : UINT32_MAX;
    b->frame = (uint32_t)b->frames.count;
    VEC_PUSH(&b->frames, ((struct wir_frame){.func = in->func,
                                             .caller = caller,
                                             .call = in->place,
                                             .reg_base = in->reg_base,
                                             .vars = in->vars,
                                             .params = in->params,
                                             .results = in->results}));
}

static bool
inline_body(struct flat *b, struct instance *in)
{
    const struct ptx_func *f = in->func;
    in->label_base = (uint32_t)b->labels.count;
    for (uint32_t k = 0; k < f->label_count; k++)
        wir_new_label(b);
    in->vars = ARENA_ARRAY(&b->wir->arena, struct ptx_var *, f->var_count + 1);
    for (uint32_t k = 0; k < f->var_count; k++) {
        uint8_t space = f->vars[k]->space;
        bool own =
            space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL || space == PTX_SPACE_PARAM;
        /* A function's .shared variable is one for the block, however often it is inlined. */
        struct ptx_var *shared = NULL;
        for (size_t v = 0; space == PTX_SPACE_SHARED && v < b->vars.count; v++)
            if (b->vars.at[v].place == WIR_SHARED && b->origin.at[v] == f->vars[k])
                shared = b->vars.at[v].var;
        in->vars[k] = !own     ? f->vars[k]
                      : shared ? shared
                               : copy_var(b, f->vars[k], place_of_space(space));
    }
    begin_frame(b, in);
    /* first[n]: the first label before instruction n; next[]: the others of the same place. */
    uint32_t *first = ls_alloc(sizeof *first * (f->insn_count + 1));
    uint32_t *next = ls_alloc(sizeof *next * (f->label_count + 1));
    for (uint32_t k = 0; k < f->label_count; k++) {
        next[k] = first[f->labels[k].insn];
        first[f->labels[k].insn] = k + 1;
    }
    uint32_t base = first_place(f), label_base = in->label_base;
    bool ok = true;
    for (uint32_t n = 0; ok && n <= f->insn_count; n++) {
        b->met = b->met && !first[n];
        for (uint32_t k = first[n]; k; k = next[k - 1])
            b->labels.at[label_base + k - 1] = (uint32_t)b->insns.count;
        if (n < f->insn_count)
            ok = inline_insn(b, in, &f->insns[n], base + n);
    }
    ls_release(first);
    ls_release(next);
    return ok;
}

/* -- the whole --------------------------------------------------------------------------------- */

static bool
names_var(const struct ptx_operand *o, const struct ptx_var *v)
{
    bool found = o->kind == PTX_O_SYMBOL && o->var == v;
    for (uint32_t k = 0; k < o->count && o->elements && !found; k++)
        found = names_var(&o->elements[k], v);
    return found;
}

static bool
address_taken(const struct ptx_func *f, const struct ptx_var *v)
{
    for (uint32_t n = 0; n < f->insn_count; n++)
        for (uint32_t k = 0; k < f->insns[n].operand_count; k++)
            if (names_var(&f->insns[n].operand[k], v))
                return true;
    return false;
}

/* A parameter whose address is taken needs one: a copy in local memory. */
static struct ptx_var *
copy_to_memory(struct flat *b, const struct wir_insn *at, struct ptx_var *from)
{
    struct ptx_var *v = copy_var(b, from, WIR_LOCAL);
    uint32_t piece = v->size % 4 == 0 ? 4 : v->size % 2 == 0 ? 2 : 1;
    uint8_t type = piece == 4 ? PTX_B32 : piece == 2 ? PTX_B16 : PTX_B8;
    for (uint64_t offset = 0; offset < v->size; offset += piece) {
        VEC_PUSH(&b->regs, ((struct wir_reg){.type = type, .name = ""}));
        struct ptx_operand reg = {.kind = PTX_O_REG, .reg = (uint32_t)b->regs.count - 1};
        wir_push_move(b, at, reg, (struct ptx_operand){.kind = PTX_O_SYMBOL, .var = from}, type);
        b->insns.at[b->insns.count - 1].i.operand[1].offset = (int64_t)offset;
        wir_push_move(b, at, (struct ptx_operand){.kind = PTX_O_SYMBOL, .var = v}, reg, type);
        b->insns.at[b->insns.count - 1].i.operand[0].offset = (int64_t)offset;
    }
    return v;
}

/* A function of its own finds its parameters in its caller's area, and leaves its results there. */
static void
take_arguments(struct flat *b, struct instance *in)
{
    const struct ptx_func *f = in->func;
    uint64_t at = 0;
    struct wir_insn here = {.func = f, .place = first_place(f)};
    for (uint32_t k = 0; k < f->param_count + f->result_count; k++) {
        bool param = k < f->param_count;
        uint32_t n = param ? k : k - f->param_count;
        struct ptx_var *v = copy_var(b, param ? f->params[n] : f->results[n], WIR_ARGUMENT);
        at = (at + 15) & ~15ull;
        b->vars.at[v->index].offset = at;
        at += v->size;
        *(param ? &in->params[n] : &in->results[n]) = v;
        if (param && f->param_regs[n] != PTX_NO_REG) {
            struct ptx_operand to = {.kind = PTX_O_REG, .reg = f->param_regs[n]};
            struct ptx_operand from = {.kind = PTX_O_SYMBOL, .var = v};
            wir_push_move(b, &here, to, from, v->type);
        } else if (param && address_taken(f, f->params[n])) {
            in->params[n] = copy_to_memory(b, &here, v);
        }
    }
    if (b->exited) {
        b->exited = copy_var(b, b->exited, WIR_ARGUMENT);
        at = (at + 15) & ~15ull;
        b->vars.at[b->exited->index].offset = at;
        at += b->exited->size;
        wir_set_exited(b, &here, false);
    }
    b->wir->argument_bytes = (uint32_t)((at + 15) & ~15ull);
}

/* Which kind of warp IR is made. */
enum wir_kind { WIR_USUAL, WIR_SCHEDULED, WIR_DEBUG, WIR_PASSED };

static void
keep_frames(struct flat *b)
{
    struct wir *f = b->wir;
    f->frame_count = (uint32_t)b->frames.count;
    f->frames = ARENA_ARRAY(&f->arena, struct wir_frame, f->frame_count + 1);
    if (b->debug && f->frame_count)
        memcpy(f->frames, b->frames.at, sizeof *f->frames * f->frame_count);
    VEC_FREE(&b->frames);
}

static struct wir *
make(const struct ptx_module *m, const struct ptx_func *kernel, bool (*known)(const char *),
     enum wir_kind kind, struct ls_error *err)
{
    struct wir *f = ls_alloc(sizeof *f);
    f->module = m;
    f->kernel = kernel;
    struct flat b = {.wir = f,
                     .known = known,
                     .scheduled = kind == WIR_SCHEDULED,
                     .debug = kind == WIR_DEBUG,
                     .marks = kind == WIR_DEBUG || kind == WIR_PASSED,
                     .err = err};
    struct instance top = {.func = kernel, .end_label = UINT32_MAX};
    wir_choose_calls(&b);
    wir_find_exits(&b);
    top.params = ARENA_ARRAY(&f->arena, struct ptx_var *, kernel->param_count + 1);
    top.results = ARENA_ARRAY(&f->arena, struct ptx_var *, kernel->result_count + 1);
    for (uint32_t k = 0; k < kernel->reg_count; k++)
        VEC_PUSH(&b.regs,
                 ((struct wir_reg){.type = kernel->regs[k].type, .name = kernel->regs[k].name}));
    if (kernel->is_kernel)
        for (uint32_t k = 0; k < kernel->param_count; k++) {
            top.params[k] = copy_var(&b, kernel->params[k], WIR_KERNEL_PARAM);
            b.vars.at[top.params[k]->index].offset = kernel->params[k]->param_offset;
        }
    else
        take_arguments(&b, &top);
    bool ok = inline_body(&b, &top);
    if (ok) {
        wir_keep_slots(&b);
        ok = wir_lay_out(&b) && wir_cut(&b);
    }
    VEC_FREE(&b.insns);
    VEC_FREE(&b.regs);
    VEC_FREE(&b.vars);
    VEC_FREE(&b.labels);
    VEC_FREE(&b.origin);
    f->calls = ARENA_ARRAY(&f->arena, const struct ptx_func *, b.calls.count + 1);
    for (size_t k = 0; k < b.calls.count; k++)
        f->calls[k] = b.calls.at[k];
    f->call_count = (uint32_t)b.calls.count;
    VEC_FREE(&b.calls);
    keep_frames(&b);
    if (!ok) {
        wir_free(f);
        return NULL;
    }
    return f;
}

struct wir *
wir_new(const struct ptx_module *m, const struct ptx_func *kernel, bool (*known)(const char *),
        struct ls_error *err)
{
    return make(m, kernel, known, WIR_USUAL, err);
}

struct wir *
wir_new_scheduled(const struct ptx_module *m, const struct ptx_func *kernel,
                  bool (*known)(const char *), struct ls_error *err)
{
    return make(m, kernel, known, WIR_SCHEDULED, err);
}

struct wir *
wir_new_debug(const struct ptx_module *m, const struct ptx_func *kernel,
              bool (*known)(const char *), struct ls_error *err)
{
    return make(m, kernel, known, WIR_DEBUG, err);
}

struct wir *
wir_new_passed(const struct ptx_module *m, const struct ptx_func *kernel,
               bool (*known)(const char *), struct ls_error *err)
{
    return make(m, kernel, known, WIR_PASSED, err);
}

void
wir_free(struct wir *f)
{
    ARENA_RELEASE(f);
}

/* -- addresses of functions -------------------------------------------------------------------- */

static void
address_in(const struct ptx_operand *o, bool *taken)
{
    if (o->kind == PTX_O_SYMBOL && o->func)
        taken[o->func->index] = true;
    for (uint32_t k = 0; k < o->count && o->elements; k++)
        address_in(&o->elements[k], taken);
}

void
wir_addresses(const struct ptx_module *m, bool *taken)
{
    for (uint32_t f = 0; f < m->func_count; f++)
        for (uint32_t n = 0; n < m->funcs[f]->insn_count; n++)
            for (uint32_t k = 0; k < m->funcs[f]->insns[n].operand_count; k++)
                address_in(&m->funcs[f]->insns[n].operand[k], taken);
    for (uint32_t v = 0; v < m->var_count; v++)
        for (uint32_t k = 0; k < m->vars[v]->reloc_count; k++)
            if (m->vars[v]->relocs[k].func)
                taken[m->vars[v]->relocs[k].func->index] = true;
}
