/* SPDX-License-Identifier: Apache-2.0
 *
 * print.c: the flow graph and the shapes of its values as text.
 *
 *     b1:                                          // loop b1..b2, branch divergent
 *         ld.global.f32 %f1, [%rd4];               // varying
 *         @%p1 bra b2;
 *         bra b3;
 *
 * A web has the name of the register that it was cut out of, with a number where several webs share it.
 */
#include "analysis/analysis.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* -- shapes -------------------------------------------------------------------------------------------- */

/* Distance of neighbouring lanes where it is one number within every run of `run` lanes. */
static bool
is_linear(const int32_t *pattern, unsigned run, int32_t *step)
{
    *step = pattern[1] - pattern[0];
    for (unsigned l = 0; l < LANES; l++)
        if (l % run && pattern[l] - pattern[l - 1] != *step)
            return false;
    return true;
}

static void
print_pattern(const int32_t *pattern, unsigned segment, struct text *out)
{
    int32_t step;
    for (unsigned run = segment; run >= 2; run /= 2) {
        if (!is_linear(pattern, run, &step))
            continue;
        text_add(out, "affine %" PRId32, step);
        if (run == segment)
            return;
        text_add(out, " in runs of %u, which begin at", run);
        for (unsigned l = 0; l < segment; l += run)
            text_add(out, " %" PRId32, pattern[l]);
        return;
    }
    text_add(out, "affine with lanes at");
    for (unsigned l = 0; l < segment; l++)
        text_add(out, " %" PRId32, pattern[l]);
}

void
fact_print(const struct fact *x, struct text *out)
{
    if (x->kind == FACT_NONE) {
        text_add(out, "never made");
        return;
    }
    if (x->kind == FACT_VECTOR && x->segment > 1)
        text_add(out, "varying, segments of %u%s: ", x->segment, x->guess ? " if nothing wraps" : "");
    if (x->pattern)
        print_pattern(x->pattern, x->segment, out);
    else
        text_add(out, x->kind == FACT_SCALAR || x->segment > 1 ? "uniform" : "varying");
    if (x->kind == FACT_SCALAR && x->guess)
        text_add(out, " if nothing wraps");
    if (x->known)
        text_add(out, " from %" PRId64, x->base);
    else if (x->bounded)
        text_add(out, ", in [%" PRId64 ", %" PRId64 "]", x->low, x->high);
}

/* -- names --------------------------------------------------------------------------------------------- */

/* One a web: its register's name, from the second web of a name on with a number. */
static const char **
make_names(const struct flow *f, struct arena *a)
{
    const char **name = ARENA_ARRAY(a, const char *, f->reg_count + 1);
    for (uint32_t r = 0; r < f->reg_count; r++) {
        const char *own = f->regs[r].name;
        uint32_t before = 0;
        for (uint32_t k = 0; own && k < r; k++)
            before += f->regs[k].name && !strcmp(f->regs[k].name, own);
        name[r] = !own ? arena_printf(a, "slot_%u", r) : before ? arena_printf(a, "%s_%u", own, before) : own;
    }
    return name;
}

/* -- the flow graph ------------------------------------------------------------------------------------ */

struct printer {
    const struct flow *f;
    const struct facts *facts;
    struct ptx_print_regs regs;
    struct text *out;
};

static void
print_insn(const struct printer *p, const struct flow_insn *i)
{
    struct span defs = flow_defs(p->f, flow_index(p->f, i));
    size_t before = p->out->count;
    text_add(p->out, "    ");
    ptx_print_insn_as(i->func, &i->i, &p->regs, p->out);
    int width = (int)(p->out->count - before);
    text_add(p->out, "%*s", width < 44 ? 44 - width : 0, "");
    for (uint32_t k = 0; k < defs.count; k++) {
        text_add(p->out, k ? "; " : "  // ");
        fact_print(&p->facts->reg[defs.at[k]], p->out);
        text_add(p->out, "%s", p->facts->merge[defs.at[k]] ? ", merged" : "");
    }
    while (p->out->count > before && p->out->at[p->out->count - 1] == ' ')
        p->out->at[--p->out->count] = 0;
    text_add(p->out, "\n");
}

static void
print_head(const struct printer *p, uint32_t b)
{
    const struct flow_block *blk = &p->f->blocks[b];
    const char *between = "  // ";
    text_add(p->out, "b%u:", b);
    if (blk->loop != UINT32_MAX && p->f->loops[blk->loop].head == b) {
        text_add(p->out, "%sloop b%u..b%u%s", between, b, p->f->loops[blk->loop].last,
                 p->f->loops[blk->loop].waits ? " that may wait for other warps" : "");
        between = ", ";
    }
    text_add(p->out, "%s%s", between, p->facts->complete[b] ? "all lanes" : "under a mask");
    if (p->facts->divergent[b])
        text_add(p->out, ", its branch may part lanes");
    if (p->facts->parks[b])
        text_add(p->out, ", lanes may wait here");
    text_add(p->out, "\n");
}

static void
print_end(const struct printer *p, uint32_t b)
{
    const struct flow_block *blk = &p->f->blocks[b];
    if (blk->end_insn != UINT32_MAX && blk->end != FLOW_BRANCH && blk->end != FLOW_JUMP)
        print_insn(p, &p->f->insns[blk->end_insn]);
    if (blk->end == FLOW_BRANCH)
        text_add(p->out, "    @%s%s bra b%u;\n    bra b%u;\n", blk->guard_negated ? "!" : "", p->regs.name[blk->guard],
                 blk->succ[0], blk->succ[1]);
    else if (blk->end == FLOW_JUMP || blk->end == FLOW_BARRIER)
        text_add(p->out, "    bra b%u;\n", blk->succ[0]);
    else if (blk->end == FLOW_SWITCH)
        for (uint32_t k = 0; k < blk->succ_count; k++)
            text_add(p->out, "    // %u: b%u\n", k, blk->succ[k]);
    else if (blk->end == FLOW_EXIT && blk->end_insn == UINT32_MAX)
        text_add(p->out, "    ret;\n");
}

void
flow_print(const struct flow *f, const struct facts *facts,
           void (*note)(void *context, uint32_t place, struct text *out), void *context, struct text *out)
{
    struct arena arena = {0};
    bool *predicate = ARENA_ARRAY(&arena, bool, f->reg_count + 1);
    for (uint32_t r = 0; r < f->reg_count; r++)
        predicate[r] = f->regs[r].type == PTX_PRED;
    struct printer p = {f, facts, {make_names(f, &arena), predicate}, out};
    const uint32_t *dim = facts->shape.block;
    text_add(out, "%s: blocks of %u x %u x %u%s\n", f->kernel->name, dim[0], dim[1], dim[2],
             facts->shape.partial ? ", the last warp" : "");
    for (uint32_t b = 0; b < f->block_count; b++) {
        const struct flow_block *blk = &f->blocks[b];
        print_head(&p, b);
        for (uint32_t n = blk->first; n < blk->first + blk->count; n++) {
            print_insn(&p, &f->insns[n]);
            if (note)
                note(context, f->insns[n].place, out);
        }
        print_end(&p, b);
        if (note && blk->end_insn != UINT32_MAX)
            note(context, f->insns[blk->end_insn].place, out);
    }
    arena_free(&arena);
}
