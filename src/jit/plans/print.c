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

/* -- text ------------------------------------------------------------------------------------------------ */

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

void
plan_print(const struct plan *p, struct text *out)
{
    static const char *const tests[] = {"", ", if the lanes came one way", ", if nothing wraps", ", if they compare so",
                                        ", if that fits"};
    for (unsigned k = 0; k < p->ways; k++) {
        const struct plan_way *w = &p->way[k];
        text_add(out, k ? "; else " : "");
        if (w->form == PLAN_RUNS)
            print_runs(&w->runs, out);
        else
            text_add(out, "%s", plan_forms[w->form].name);
        if (w->form == PLAN_EACH && p->index.base)
            text_add(out, " by index times %u", 1u << p->index.shift);
        text_add(out, "%s%s", tests[w->test], w->stream ? ", past the caches" : "");
    }
}

/* -- remarks --------------------------------------------------------------------------------------------- */

static void __attribute__((format(printf, 5, 6)))
say(const struct plan_scope *s, const struct plan *p, enum jit_pass pass, bool fired, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    jit_remark(s->remarks, pass, fired, p->i->place, format, args);
    va_end(args);
}

static void
remark_runs(const struct plan_scope *s, const struct plan *p, const struct plan_way *w)
{
    struct text runs = {0};
    if (w->stream)
        say(s, p, PASS_STREAMING_STORES, true, "whole lines, in launches that are large enough");
    if (w->test == PLAN_CONVERGED)
        return;
    if (w->fact.pattern == w->pattern) {
        say(s, p, PASS_CONSECUTIVE_TEST, true, "consecutive if a comparison of the lanes says so, else lane by lane");
        return;
    }
    print_runs(&w->runs, &runs);
    say(s, p, PASS_ACCESS_PLAN, true, "%s%s%s", runs.at, w->fact.guess ? ", if 32-bit arithmetic has not wrapped" : "",
        p->masked ? ", under a mask" : "");
    text_free(&runs);
}

static void
remark_way(const struct plan_scope *s, const struct plan *p, const struct plan_way *w)
{
    switch (w->form) {
    case PLAN_SCALAR:
        if (p->store || p->i->i.space != PTX_SPACE_PARAM)
            say(s, p, PASS_ACCESS_PLAN, true,
                p->store ? "one scalar: the last active lane's value stays" : "one scalar: all lanes read one address");
        break;
    case PLAN_RUNS:
        remark_runs(s, p, w);
        break;
    case PLAN_STRIDED:
        say(s, p, PASS_STRIDED_LOADS, true, "vectors around the words, permuted");
        break;
    case PLAN_EACH:
        if (p->why)
            say(s, p, PASS_ACCESS_PLAN, false, "lane by lane (%s): %s", p->store ? "scatter" : "gather", p->why);
        break;
    default:
        break;
    }
}

void
plan_remark(const struct plan_scope *s, const struct plan *p)
{
    for (unsigned k = 0; s->remarks && k < p->ways; k++)
        remark_way(s, p, &p->way[k]);
}
