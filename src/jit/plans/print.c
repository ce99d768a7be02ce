/* SPDX-License-Identifier: Apache-2.0
 *
 * plans/print.c: the table of forms, a plan as text and as remarks.
 */
#include "jit/plans/plans.h"

const struct plan_form_row plan_forms[PLAN_FORMS] = {
#define FORM(id, name, pass, text) [PLAN_##id] = {name, PASS_##pass, text},
#include "jit/plans/forms.def"
#undef FORM
};

/* -- text ------------------------------------------------------------------------------------- */

static void
print_runs(const struct runs *r, struct text *out)
{
    unsigned broadcast = 0, parts = LANES / r->run;
    for (unsigned g = 0; g < parts; g++)
        broadcast += r->broadcast[g];
    text_add(out, "%u %s of %u lanes, %s", parts, parts == 1 ? "run" : "segments", r->run,
             broadcast == parts ? "each at one address"
             : broadcast        ? "consecutive or at one address"
                                : "consecutive");
}

static void
print_way(const struct plan *p, const struct plan_way *w, struct text *out)
{
    static const char *const tests[] = {"", ", if the lanes came one way",
                                        ", if 32-bit arithmetic has not wrapped",
                                        ", if a comparison of the lanes says so", ", if it fits"};
    switch (w->form) {
    case PLAN_SCALAR:
        text_add(out, p->store ? "one scalar: the last active lane's value stays"
                               : "one scalar: all lanes read one address");
        break;
    case PLAN_RUNS: print_runs(&w->runs, out); break;
    case PLAN_GROUPED:
        text_add(out, "word %u of %u neighbouring ones", p->group.own + 1, p->group.words);
        break;
    case PLAN_TRANSPOSED: text_add(out, "columns of %u warps", p->warps); break;
    case PLAN_KEPT:
        text_add(out, p->warps ? "kept with those of %u warps" : "kept until lines are full",
                 p->warps);
        break;
    case PLAN_EACH:
        text_add(out, "lane by lane (%s)%s%s", p->store ? "scatter" : "gather", p->why ? ": " : "",
                 p->why ? p->why : "");
        break;
    default: text_add(out, "%s", plan_forms[w->form].name);
    }
    text_add(out, "%s%s", tests[w->test], w->stream ? ", past the caches" : "");
}

void
plan_print(const struct plan *p, struct text *out)
{
    static const char *const fetch[] = {[FETCH_NONE] = NULL,
                                        [FETCH_ITERATION] = "the next iteration",
                                        [FETCH_INNER] = "the next outer iteration",
                                        [FETCH_BLOCKS] = "blocks to come",
                                        [FETCH_LOOP] = "iterations to come"};
    static const char *const announced[] = {"",
                                            "the pattern",
                                            "all lanes",
                                            "the first lane",
                                            "both halves",
                                            "the pattern if it holds",
                                            "the offset"};
    for (unsigned k = 0; k < p->ways; k++) {
        text_add(out, k ? "; else " : "");
        print_way(p, &p->way[k], out);
    }
    if (p->index.index)
        text_add(out, "; by a 32-bit index times %u", 1u << p->index.shift);
    if (p->masked && p->way[0].form != PLAN_SCALAR)
        text_add(out, ", under a mask");
    if (p->tell.how != TELL_NOTHING)
        text_add(out, "; told %s%s", announced[p->tell.how],
                 p->tell.gated && p->tell.how <= TELL_LANES ? " outside of the gate" : "");
    if (p->tell.flush != FLUSH_NONE)
        text_add(out, "; sums before it");
    text_add(out, "%s%s", p->ordered ? "; between fences" : "",
             p->guarded ? "; lanes that the tool denies left out" : "");
    if (p->fetch.what != FETCH_NONE &&
        (p->fetch.what != FETCH_BLOCKS || p->fetch.slot != PLAN_NO_SLOT))
        text_add(out, "; fetches %s", fetch[p->fetch.what]);
}

void
plan_print_sum(const struct plan_sum *p, struct text *out)
{
    if (p->table)
        text_add(out, "a table of at most %llu bytes%s; else ", (unsigned long long)p->high + 4,
                 p->scaled ? ", its index in 16 bits" : "");
    text_add(out, p->pending ? "added up in the worker's window first" : "lane by lane (atomic)");
}

/* -- remarks ---------------------------------------------------------------------------------- */

static void __attribute__((format(printf, 5, 6)))
say(const struct plan_scope *s, const struct plan *p, enum jit_pass pass, bool fired,
    const char *format, ...)
{
    va_list args;
    va_start(args, format);
    jit_remark(s->remarks, pass, fired, p->i->place, format, args);
    va_end(args);
}

/* What the passes behind its forms did. */
static void
remark_way(const struct plan_scope *s, const struct plan *p, const struct plan_way *w)
{
    if (w->stream)
        say(s, p, PASS_STREAMING_STORES, true, "whole lines, in launches that are large enough");
    switch (w->form) {
    case PLAN_RUNS:
        if (w->assumed)
            say(s, p, PASS_CONSECUTIVE_TEST, true,
                "consecutive if a comparison of the lanes says so, else lane by lane");
        break;
    case PLAN_GROUPED: say(s, p, PASS_GROUPED_LOADS, true, "%u words", p->group.words); break;
    case PLAN_TRANSPOSED:
        say(s, p, PASS_TRANSPOSED_LOADS, true, "%u warps read a column each", p->warps);
        break;
    case PLAN_SELECTED:
        say(s, p, PASS_SELECTED_LOADS, true, "one masked load of each of two addresses");
        break;
    case PLAN_FIELDS: say(s, p, PASS_RECORD_FIELDS, true, "vectors over the lanes' records"); break;
    case PLAN_STRIDED:
        say(s, p, PASS_STRIDED_LOADS, true, "vectors around the words, permuted");
        break;
    default: break;
    }
}

static void
remark_fetch(const struct plan_scope *s, const struct plan *p)
{
    static const char *const loop[] = {[FETCH_ITERATION] =
                                           "the next iteration of a loop with barriers",
                                       [FETCH_INNER] = "the next iteration of a loop with barriers",
                                       [FETCH_LOOP] = "iterations to come"};
    const struct plan_fetch *f = &p->fetch;
    unsigned count = f->what == FETCH_BLOCKS ? LANES / f->runs.run : 0;
    if (count && f->slot != PLAN_NO_SLOT)
        say(s, p, PASS_PREFETCH_BLOCKS, true, "%u %s of %u bytes", count,
            count == 1 ? "run" : "runs", f->runs.run * p->bytes * p->vec);
    if (!count && f->what != FETCH_NONE)
        say(s, p, f->what == FETCH_LOOP ? PASS_PREFETCH_LOOPS : PASS_PREFETCH_TILES, true, "%s",
            loop[f->what]);
    if (f->what == FETCH_LOOP && f->over_blocks)
        say(s, p, PASS_PREFETCH_BLOCKS, true, "from one block's loop into the next one's");
    if (f->rows)
        say(s, p, PASS_PREFETCH_LOOPS, true, "the rows of the next warp");
}

void
plan_remark(const struct plan_scope *s, const struct plan *p)
{
    struct text text = {0};
    if (!s->remarks)
        return;
    remark_fetch(s, p);
    if (p->index.index)
        say(s, p, PASS_INDEXED_GATHERS, true, "a uniform base and a 32-bit index a lane, times %u",
            1u << p->index.shift);
    for (unsigned k = 0; k < p->ways; k++)
        remark_way(s, p, &p->way[k]);
    plan_print(p, &text);
    if (p->i->i.space != PTX_SPACE_PARAM)
        say(s, p, PASS_ACCESS_PLAN, p->way[0].form != PLAN_EACH, "%s", text.at);
    text_free(&text);
}

void
plan_remark_sum(const struct plan_scope *s, const struct plan_sum *p)
{
    const struct plan at = {.i = p->i};
    struct text text = {0};
    if (!s->remarks)
        return;
    if (p->table)
        say(s, &at, PASS_TABLE_SUMS, true, "a table of at most %llu bytes",
            (unsigned long long)p->high + 4);
    if (p->pending)
        say(s, &at, PASS_PENDING_SUMS, true, "added up in the worker's window first");
    plan_print_sum(p, &text);
    say(s, &at, PASS_ACCESS_PLAN, p->table || p->pending, "%s", text.at);
    text_free(&text);
}
