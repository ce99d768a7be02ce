/* SPDX-License-Identifier: Apache-2.0
 *
 * html_compare.c: two runs of one kernel beside each other: its time, the share of each peak, the
 * counters of one launch, and which advice is gone or new. Start with page_change().
 */
#include "report/pages.h"

#include <math.h>
#include <string.h>

struct change {
    struct text *t;
    struct arena arena;
};

/* less: less of it is better; 0: neither. */
static void
row(struct change *c, const char *name, const char *before, const char *now, double was, double is,
    int less)
{
    double share = was > 0 ? is / was - 1 : 0;
    bool same = fabs(share) < 0.005 && (was > 0 || is == was);
    const char *class = same || !less              ? ""
                        : (is < was) == (less > 0) ? " class=\"better\""
                                                   : " class=\"worse\"";
    text_add(c->t, "<tr%s>", class);
    html_cell(c->t, NULL, "%s", name);
    html_cell(c->t, "n", "%s", before);
    html_cell(c->t, "n", "%s", now);
    if (same)
        text_add(c->t, "<td></td>");
    else if (was > 0)
        html_cell(c->t, "n change", "%+.1f %%", 100 * share);
    else
        html_cell(c->t, "n change", "new");
    text_add(c->t, "</tr>\n");
}

static double
share_of(const struct report_summary *s, const char *name)
{
    for (size_t k = 0; k < s->peak_count; k++)
        if (strcmp(s->peaks[k].name, name) == 0)
            return s->peaks[k].share;
    return 0;
}

static void
compare_summaries(struct change *c, const struct report_summary *was,
                  const struct report_summary *is)
{
    html_table(c->t, "the estimate and the share of each peak", "of one launch", "before", "after",
               "change", NULL);
    row(c, "time", report_seconds(&c->arena, was->seconds), report_seconds(&c->arena, is->seconds),
        was->seconds, is->seconds, 1);
    for (size_t k = 0; k < is->peak_count; k++) {
        double before = share_of(was, is->peaks[k].name), now = is->peaks[k].share;
        row(c, is->peaks[k].name, arena_printf(&c->arena, "%.0f %%", 100 * before),
            arena_printf(&c->arena, "%.0f %%", 100 * now), before, now, 0);
    }
    html_table_end(c->t);
}

static void
compare_counters(struct change *c, const json_t *before, const json_t *kernel)
{
    const json_t *was = json_object_get(before, "counters"),
                 *is = json_object_get(kernel, "counters");
    double launches[] = {report_number(before, "launches", NULL),
                         report_number(kernel, "launches", NULL)};
    const char *name;
    json_t *value;
    html_table(c->t, "counters that differ", "of one launch", "before", "after", "change", NULL);
    json_object_foreach ((json_t *)is, name, value) {
        bool sum = json_is_integer(value);
        double a = report_number(was, name, NULL) / (sum && launches[0] > 0 ? launches[0] : 1);
        double b = json_number_value(value) / (sum && launches[1] > 0 ? launches[1] : 1);
        if (a != b)
            row(c, name, arena_printf(&c->arena, "%.10g", a), arena_printf(&c->arena, "%.10g", b),
                a, b,
                strstr(name, "conflicts") || strstr(name, "sectors") || strstr(name, "dram") ? 1
                                                                                             : 0);
    }
    json_object_foreach ((json_t *)was, name, value)
        if (!json_object_get(is, name))
            row(c, name,
                arena_printf(&c->arena, "%.10g", json_number_value(value) / fmax(launches[0], 1)),
                "0", json_number_value(value), 0, 1);
    html_table_end(c->t);
}

/* Whether s has advice of x's kind on x's line number. Where an edit moves a line, its advice is
 * listed twice: as gone, and as new. */
static bool
says(const struct report_summary *s, const struct report_advice *x)
{
    for (size_t k = 0; k < s->advice.list.count; k++)
        if (strcmp(s->advice.list.at[k].kind, x->kind) == 0 && s->advice.list.at[k].line == x->line)
            return true;
    return false;
}

/* Advice of one run that the other does not have; returns how much there is. */
static size_t
say_only_in(struct change *c, const struct report_summary *one, const struct report_summary *other,
            const char *class, const char *word)
{
    size_t said = 0;
    for (size_t k = 0; k < one->advice.list.count; k++) {
        const struct report_advice *x = &one->advice.list.at[k];
        if (says(other, x))
            continue;
        text_add(c->t, "<li><span class=\"%s\">%s</span> ", class, word);
        html_print(c->t, "%s: %s", x->title, x->text);
        text_add(c->t, "</li>\n");
        said++;
    }
    return said;
}

static void
compare_advice(struct change *c, const struct report_summary *was, const struct report_summary *is)
{
    text_add(c->t, "<ul class=\"advice\">\n");
    size_t said = say_only_in(c, was, is, "yes", "gone");
    said += say_only_in(c, is, was, "no", "new");
    text_add(c->t, "%s</ul>\n", said ? "" : "<li>The same advice as before.</li>\n");
}

void
page_change(struct text *t, const struct page_run *before, const struct page_run *now)
{
    struct change c = {.t = t};
    struct report_summary was, is;
    report_summarise(before->device, before->kernel, &c.arena, &was);
    report_summarise(now->device, now->kernel, &c.arena, &is);
    html_card(t, "Before and after");
    text_add(t, "<p class=\"time\">");
    html_print(t, "%s, now %s: %.2f times as fast", report_seconds(&c.arena, was.seconds),
               report_seconds(&c.arena, is.seconds), is.seconds > 0 ? was.seconds / is.seconds : 1);
    text_add(t, "</p>\n<p><span class=\"note\">before:</span> ");
    html_print(t, "%s%s%s. %s", before->device == now->device ? "" : before->device->name,
               before->device == now->device ? "" : ", ", was.shape, was.verdict);
    text_add(t, "<br />\n<span class=\"note\">after:</span> ");
    html_print(t, "%s. %s", is.shape, is.verdict);
    text_add(t, "</p>\n");
    compare_advice(&c, &was, &is);
    text_add(t, "<div class=\"cards\"><div class=\"wide\">\n");
    compare_summaries(&c, &was, &is);
    text_add(t, "</div>\n<div class=\"wide\">\n");
    compare_counters(&c, before->kernel, now->kernel);
    text_add(t, "</div></div>\n");
    html_card_end(t);
    report_summary_fini(&was);
    report_summary_fini(&is);
    arena_free(&c.arena);
}
