/* SPDX-License-Identifier: Apache-2.0
 *
 * plans/plan.c: the ways of a load or store, the best first. Measured on AVX-512: a vector load of
 * 32 floats takes 1.4 ns, a gather 34 (docs/decisions).
 */
#include "jit/plans/plans.h"
#include "jit/plans/choose.h"

#include <string.h>

/* -- where an access goes --------------------------------------------------------------------- */

enum ptx_space
plan_space(const struct wir *f, const struct ptx_insn *p, const struct ptx_operand *o)
{
    if (o->base_kind == PTX_BASE_VAR && o->var->func) {
        switch (f->vars[o->var->index].place) {
        case WIR_LOCAL: return PTX_SPACE_LOCAL;
        case WIR_SHARED: return PTX_SPACE_SHARED;
        default: return PTX_SPACE_PARAM;
        }
    }
    return p->space == PTX_SPACE_SHARED_CLUSTER ? PTX_SPACE_SHARED : (enum ptx_space)p->space;
}

static unsigned
reg_bytes(const struct wir *f, uint32_t reg)
{
    enum ptx_type t = (enum ptx_type)f->regs[reg].type;
    unsigned bytes = t == PTX_PRED ? 1 : ptx_type_bytes(t);
    return bytes ? bytes : 8; /* opaque references are handles */
}

unsigned
plan_values(const struct facts *facts, uint32_t reg)
{
    const struct fact *f = &facts->reg[reg];
    if (f->kind == FACT_SCALAR)
        return 1;
    unsigned segment = f->guess ? f->sure : f->segment;
    bool few = f->kind == FACT_VECTOR && reg_bytes(facts->wir, reg) == 8 && !facts->merge[reg] &&
               segment >= 8;
    return few ? LANES / segment : LANES;
}

bool
plan_keeps_guess(const struct plan_scope *s, uint32_t reg)
{
    const struct fact *f = &s->facts->reg[reg];
    return plan_on(s, PASS_SPECULATED_PATTERNS) && !s->in_memory && f->kind == FACT_VECTOR &&
           f->guess && f->segment >= 4 && reg_bytes(s->wir, reg) == 8 && !s->facts->merge[reg];
}

bool
plan_keeps_converged(const struct plan_scope *s, uint32_t reg)
{
    if (!s->converged)
        return false;
    const struct fact *f = &s->facts->reg[reg], *t = &s->converged->reg[reg];
    unsigned bytes = reg_bytes(s->wir, reg);
    return !s->warps->same[reg] && (bytes == 4 || bytes == 8) && f->kind == FACT_VECTOR &&
           f->segment == 1 && t->kind != FACT_NONE && t->segment == LANES && t->pattern;
}

/* A called function's parameter or result: each lane's copy in the caller's area. */
static bool
argument_address(const struct plan_scope *s, const struct ptx_operand *o, struct plan_address *out)
{
    if (o->base_kind != PTX_BASE_VAR || !o->var->func ||
        s->wir->vars[o->var->index].place != WIR_ARGUMENT)
        return false;
    int32_t *pattern = ARENA_ARRAY((struct arena *)&s->facts->arena, int32_t, LANES);
    for (int l = 0; l < LANES; l++)
        pattern[l] = l * (int32_t)o->var->size;
    out->fact = (struct fact){.kind = FACT_SCALAR, .segment = LANES, .pattern = pattern};
    out->argument = true;
    out->values = 1;
    return true;
}

void
plan_address(const struct plan_scope *s, const struct wir_insn *i, const struct ptx_operand *o,
             struct plan_address *out)
{
    bool plain = i->i.op == PTX_OP_LD || i->i.op == PTX_OP_ST, reg = o->base_kind == PTX_BASE_REG;
    *out = (struct plan_address){.space = plan_space(s->wir, &i->i, o), .values = LANES};
    if (argument_address(s, o, out))
        return;
    out->fact = facts_operand(s->facts, i, o);
    if (out->space == PTX_SPACE_LOCAL) { /* each lane's begins elsewhere */
        out->one_offset = s->words && i->tells & TELL_GUARD && fact_uniform(&out->fact);
        out->fact = (struct fact){.kind = FACT_VECTOR, .segment = 1};
        return;
    }
    if (out->fact.kind == FACT_SCALAR || reg)
        out->values = out->fact.kind == FACT_SCALAR ? 1 : plan_values(s->facts, o->reg);
    out->kept = out->fact.guess && reg && plan_keeps_guess(s, o->reg);
    if (plain && reg && out->fact.kind == FACT_VECTOR && out->fact.segment == 1 && s->full &&
        plan_on(s, PASS_CONVERGED_PATTERNS) && plan_keeps_converged(s, o->reg) &&
        reg_bytes(s->wir, o->reg) == 8)
        out->converged = s->converged->reg[o->reg].pattern;
}

/* -- ways ------------------------------------------------------------------------------------- */

static struct plan_way *
add_way(struct plan *p, enum plan_form form, enum plan_test test, const struct fact *fact)
{
    struct plan_way *w = &p->way[p->ways++];
    w->form = form;
    w->test = test;
    w->fact = *fact;
    w->stream = w->assumed = false;
    w->runs.run = 0;
    return w;
}

/* Runs under a test, and lane by lane where it fails. */
static void
add_runs(const struct plan_scope *s, struct plan *p, enum plan_test test, const struct fact *fact,
         const struct runs *r)
{
    struct plan_way *w = add_way(p, PLAN_RUNS, test, fact);
    w->runs = *r;
    w->stream = p->store && plan_may_stream(s, p, r->run);
}

/* A store's runs must not meet: what several lanes write to one place is the last lane's. */
static bool
runs_apart(const struct plan *p, const struct fact *f, const struct runs *r)
{
    for (unsigned g = 0; g < LANES / r->run; g++)
        if (r->broadcast[g])
            return false;
    for (unsigned g = 1; f->kind == FACT_SCALAR && g < LANES / r->run; g++)
        for (unsigned h = 0; h < g; h++) {
            int64_t d = (int64_t)r->start[g] - r->start[h], size = r->run * p->bytes * p->vec;
            if (d < size && -d < size && d < 0)
                return false;
        }
    return true;
}

static bool
add_converged(const struct plan_scope *s, struct plan *p)
{
    struct runs r;
    struct fact f = {.kind = FACT_SCALAR, .segment = LANES, .pattern = p->at.converged};
    if (!p->at.converged || !runs_find(&f, p->bytes * p->vec, &r) ||
        (p->store && !runs_apart(p, &f, &r)))
        return false;
    add_runs(s, p, PLAN_CONVERGED, &f, &r);
    return true;
}

static bool
add_scalar(struct plan *p)
{
    bool copies = p->store && p->i->i.op != PTX_OP_ST; /* the last lane's value is not known */
    if (!fact_uniform(&p->at.fact) || copies)
        return false;
    add_way(p, PLAN_SCALAR, PLAN_ALWAYS, &p->at.fact);
    return true;
}

/* Adds the form that an access takes where the tests of the forms before it fail. */
static void
add_slow(const struct plan_scope *s, struct plan *p)
{
    add_way(p, p->store && plan_may_keep(s, p) ? PLAN_KEPT : PLAN_EACH, PLAN_ALWAYS, &p->at.fact);
}

static bool
add_known_runs(const struct plan_scope *s, struct plan *p)
{
    const struct fact *f = &p->at.fact;
    struct runs r;
    if (f->segment < 4 || !runs_find(f, p->bytes * p->vec, &r) ||
        (p->store && !runs_apart(p, f, &r)))
        return false;
    add_runs(s, p, !f->guess ? PLAN_ALWAYS : p->at.kept ? PLAN_NO_WRAP : PLAN_COMPARED, f, &r);
    if (f->guess)
        add_slow(s, p);
    return true;
}

/* Columns of a tile, some words apart: a gather takes 34 ns, four loads and three permutations 3.
 * Only of shared memory, where what lies between the lanes' words may be read, too. */
static bool
add_strided(const struct plan_scope *s, struct plan *p)
{
    const struct fact *f = &p->at.fact;
    struct strided half;
    if (!plan_on(s, PASS_STRIDED_LOADS) || p->store || f->kind != FACT_SCALAR || f->guess ||
        p->masked || p->bytes != 4 || p->vec != 1 || p->i->i.space != PTX_SPACE_SHARED ||
        !s->avx512 || !strided_find(f, 0, &half) ||
        (!strided_alike(f) && !strided_find(f, STRIDED_HALF, &half)))
        return false;
    add_way(p, PLAN_STRIDED, PLAN_ALWAYS, f);
    return true;
}

/* Bytes of pixels, members of structures, arrays read backwards: what lies between two lanes'
 * elements is on a page that one of them is on. */
static bool
add_fields(const struct plan_scope *s, struct plan *p)
{
    const struct fact *f = &p->at.fact;
    struct fields fields;
    if (!plan_on(s, PASS_RECORD_FIELDS) || p->masked || p->vec != 1 || !s->avx512 || p->bytes > 8 ||
        p->i->i.space == PTX_SPACE_PARAM || !fields_find(f, p->bytes, &fields))
        return false;
    struct plan_way *w = add_way(p, PLAN_FIELDS,
                                 !f->guess    ? PLAN_ALWAYS
                                 : p->at.kept ? PLAN_NO_WRAP
                                              : PLAN_COMPARED,
                                 f);
    w->runs = (struct runs){.run = LANES};
    if (f->guess)
        add_slow(s, p);
    return true;
}

/* Consecutive lanes, to be compared. */
static void
assume_consecutive(const struct plan_scope *s, const struct plan *p, struct plan_way *w)
{
    unsigned step = p->bytes * p->vec;
    int32_t *pattern = ARENA_ARRAY((struct arena *)&s->facts->arena, int32_t, LANES);
    for (unsigned l = 0; l < LANES; l++)
        pattern[l] = (int32_t)(l * step);
    w->assumed = true;
    w->fact.pattern = pattern;
    w->fact.segment = LANES;
    w->fact.guess = true;
    runs_find(&w->fact, step, &w->runs);
}

/* Nothing is known: whether it is worth a comparison whether the lanes are consecutive. */
static bool
add_consecutive(const struct plan_scope *s, struct plan *p)
{
    unsigned step = p->bytes * p->vec;
    if (!plan_on(s, PASS_CONSECUTIVE_TEST) || p->at.fact.segment != 1 ||
        p->i->i.space == PTX_SPACE_LOCAL || step > 16 ||
        (p->index.base && step != 1u << p->index.shift))
        return false;
    struct plan_way *w = add_way(p, PLAN_RUNS, PLAN_COMPARED, &p->at.fact);
    assume_consecutive(s, p, w);
    w->stream = p->store && plan_may_stream(s, p, w->runs.run);
    add_slow(s, p);
    return true;
}

static const char *
disorder(const struct fact *f)
{
    if (f->segment == 1)
        return "nothing is known of the lanes' addresses";
    return f->pattern ? "the lanes' addresses are apart by constants, not consecutive"
                      : "the lanes' addresses differ";
}

void
plan_ways(const struct plan_scope *s, struct plan *p)
{
    p->ways = 0;
    p->why = NULL;
    add_converged(s, p);
    if (add_scalar(p) || add_known_runs(s, p) || add_strided(s, p) || add_fields(s, p) ||
        add_consecutive(s, p))
        return;
    p->why = disorder(&p->at.fact);
    add_way(p, PLAN_EACH, PLAN_ALWAYS, &p->at.fact);
}

/* -- the whole -------------------------------------------------------------------------------- */

/* Forms that take other accesses along; lane by lane where they do not fit. */
static bool
find_forms(const struct plan_scope *s, struct plan *p)
{
    struct plan_way *w = &p->way[0];
    if (p->store) {
        if (!s->interleaved || s->kept != p->i)
            return false;
        p->warps = s->first ? s->interleaved : 0;
        add_way(p, PLAN_KEPT, PLAN_ALWAYS, &p->at.fact);
        return true;
    }
    if (plan_find_group(s, p)) {
        add_way(p, PLAN_GROUPED, PLAN_COMPARED, &p->at.fact);
        assume_consecutive(s, p, w);
        p->fetch.rows = plan_on(s, PASS_PREFETCH_LOOPS) && s->warps &&
                        s->wir->blocks[s->block].loop != UINT32_MAX;
    } else if (plan_find_columns(s, p)) {
        add_way(p, PLAN_TRANSPOSED, PLAN_FITS, &p->at.fact);
        p->warps = s->interleaved;
    } else if (plan_find_select(s, p)) {
        bool fits = s->fits && s->fits[p->number];
        add_way(p, PLAN_SELECTED, fits ? PLAN_ALWAYS : PLAN_FITS, &p->at.fact);
    } else {
        return false;
    }
    add_way(p, PLAN_EACH, PLAN_ALWAYS, &p->at.fact);
    return true;
}

/* Of local memory by words, whose address is in every lane's words: each word by itself. */
static void
plan_by_words(const struct plan_scope *s, struct plan *p)
{
    struct fact f = facts_operand(s->facts, p->i, p->o);
    int32_t *lane = ARENA_ARRAY((struct arena *)&s->facts->arena, int32_t, LANES);
    struct plan word = {.i = p->i, .bytes = 4, .vec = 1, .store = p->store, .masked = p->masked};
    for (int l = 0; l < LANES; l++)
        lane[l] = 4 * l;
    word.at.fact = fact_uniform(&f)
                       ? (struct fact){.kind = FACT_SCALAR, .segment = LANES, .pattern = lane}
                       : (struct fact){.kind = FACT_VECTOR, .segment = 1};
    plan_ways(s, &word);
    add_way(p, PLAN_WORDS, PLAN_ALWAYS, &p->at.fact);
    memcpy(p->way + 1, word.way, sizeof *p->way * word.ways);
    plan_telling_words(s, p);
}

void
plan_access(const struct plan_scope *s, const struct wir_insn *i, uint32_t number,
            const struct ptx_operand *o, bool store, struct plan *out)
{
    *out = (struct plan){.i = i,
                         .number = number,
                         .o = o,
                         .store = store,
                         .vec = i->i.vec ? i->i.vec : 1,
                         .masked = !s->full,
                         .ordered = plan_is_ordered(&i->i),
                         .guarded = i->tells & TELL_GUARD};
    out->bytes = ptx_type_bytes((enum ptx_type)i->i.type[i->i.type_count - 1]);
    plan_address(s, i, o, &out->at);
    if (s->words && out->at.space == PTX_SPACE_LOCAL) {
        plan_by_words(s, out);
        plan_remark(s, out);
        return;
    }
    plan_telling(s, i, &out->at, store ? JIT_STORE : JIT_LOAD, false, &out->tell);
    if (!store)
        plan_find_fetch(s, out);
    if (out->guarded || !find_forms(s, out)) {
        if (!out->guarded)
            plan_find_index(s, out);
        plan_ways(s, out);
    }
    plan_remark(s, out);
}
