/* SPDX-License-Identifier: Apache-2.0
 *
 * advice.c: what the figures of a kernel say. advice.def has a row for each rule, advice_line.c and
 * advice_kernel.c the rules. A rule looks at one figure, speaks only when that figure is bad enough
 * to matter, and names it. What the remedy would save is the model's estimate, made again with the
 * remedy's figures (report_model.h): of this launch, and of one that fills the device, since a
 * small launch mostly waits for itself.
 */
#include "report/report_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double
advice_counter(const struct subject *s, const char *name)
{
    return report_number(s->line ? s->line : s->kernel, "counters", name, NULL);
}

double
advice_per_launch(const struct subject *s, const char *name)
{
    return advice_counter(s, name) / s->launches;
}

struct remedy
advice_remedy(const struct subject *s)
{
    return (struct remedy){s->model, s->full};
}

struct report_model *
advice_each(struct remedy *r, const struct subject *s, int which, double *scale)
{
    *scale = which && s->model.work.blocks
                 ? (double)s->full.work.blocks / (double)s->model.work.blocks
                 : 1;
    return which ? &r->full : &r->now;
}

void
advice_less(uint64_t *amount, double by)
{
    double left = (double)*amount - by;
    *amount = left > 0 ? (uint64_t)left : 0;
}

void
advice_less_l2(struct work *w, double sectors)
{
    double before = (double)w->l2_sectors;
    advice_less(&w->l2_sectors, sectors);
    double left = before > 0 ? (double)w->l2_sectors / before : 1;
    w->l2_load_requests = (uint64_t)((double)w->l2_load_requests * left);
    w->l2_store_requests = (uint64_t)((double)w->l2_store_requests * left);
}

static double
gain_of(const struct subject *s, const struct report_model *changed, const struct report_times *was,
        bool launch)
{
    struct report_times t;
    report_times_of(s->d, changed, &t);
    double before = was->estimate - (launch ? 0 : was->launch),
           after = t.estimate - (launch ? 0 : t.launch);
    return before > 0 && after < before ? 1 - after / before : 0;
}

void
advice_say(struct subject *s, const struct remedy *r, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    struct report_advice x = {.kind = s->kind,
                              .title = s->title,
                              .text = arena_strdup(s->arena, text),
                              .file = s->line ? report_text(s->line, "file") : NULL,
                              .line = s->line ? (int)report_number(s->line, "line", NULL) : 0,
                              .gain = NAN,
                              .gain_full = NAN,
                              .weight = s->weight};
    if (s->known && r) {
        x.gain = gain_of(s, &r->now, &s->times, true);
        x.gain_full = gain_of(s, &r->full, &s->full_times, false);
    }
    VEC_PUSH(&s->out->list, x);
}

/* -- samples: the worst access of a line ------------------------------------------------------- */

bool
report_sample(const json_t *line, const char *space, const char *op, struct access *out)
{
    size_t k;
    json_t *sample;
    memset(out, 0, sizeof *out);
    out->space = strcmp(space, "shared") == 0 ? ACCESS_SHARED : ACCESS_GLOBAL;
    out->op = strcmp(op, "load") == 0    ? ACCESS_LOAD
              : strcmp(op, "store") == 0 ? ACCESS_STORE
                                         : ACCESS_ATOMIC;
    json_array_foreach (json_object_get(line, "samples"), k, sample) {
        if (strcmp(report_text(sample, "space"), space) != 0 ||
            strcmp(report_text(sample, "op"), op) != 0)
            continue;
        const json_t *address = json_object_get(sample, "addresses");
        out->width = (uint32_t)report_number(sample, "size", NULL);
        for (size_t l = 0; l < 32 && l < json_array_size(address); l++) {
            const json_t *at = json_array_get(address, l);
            out->address[l] = (uint64_t)json_integer_value(at);
            out->mask |= json_is_integer(at) ? 1u << l : 0;
        }
        return out->mask && out->width && out->width <= 16;
    }
    return false;
}

int64_t
advice_distance(const struct access *a)
{
    int64_t distance[32];
    uint32_t count = 0, best = 0;
    int64_t found = 0;
    for (uint32_t l = 1; l < 32; l++)
        if ((a->mask >> l & 1) && (a->mask >> (l - 1) & 1))
            distance[count++] = (int64_t)(a->address[l] - a->address[l - 1]);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t same = 0;
        for (uint32_t k = 0; k < count; k++)
            same += distance[k] == distance[i];
        if (same > best) {
            best = same;
            found = distance[i];
        }
    }
    return best * 2 > count ? found : 0;
}

/* Wavefronts when every row of `row` bytes is followed by `pad` bytes more. */
static uint32_t
padded_conflicts(const struct device_profile *d, const struct access *a, uint64_t row, uint64_t pad)
{
    struct access b = *a;
    struct access_cost cost;
    for (uint32_t l = 0; l < 32; l++)
        b.address[l] += b.address[l] / row * pad;
    model_access(d, &b, &cost);
    return cost.bank_conflicts;
}

uint32_t
report_padding(const struct device_profile *d, const struct access *a, uint64_t *row)
{
    int64_t stride = llabs(advice_distance(a));
    uint32_t pad = a->width > 4 ? a->width : 4;
    *row = (uint64_t)stride;
    return stride > (int64_t)a->width && padded_conflicts(d, a, *row, pad) == 0 ? pad : 0;
}

/* -- all rules --------------------------------------------------------------------------------- */

struct rule {
    const char *kind, *title;
    bool of_line;
    void (*ask)(struct subject *s);
};

static const struct rule rules[] = {
#define LINE true
#define KERNEL false
#define ADVICE(name, scope, title, when) {#name, title, scope, rule_##name},
#include "report/advice.def"
#undef ADVICE
#undef KERNEL
#undef LINE
};

static void
ask_all(struct subject *s)
{
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (rules[k].of_line == (s->line != NULL)) {
            s->kind = rules[k].kind;
            s->title = rules[k].title;
            rules[k].ask(s);
        }
}

/* The order of advice: seconds saved, plus half of those saved were the device full. */
static double
worth(const struct report_advice *a)
{
    return isnan(a->gain) ? a->weight * 1e-3 : a->gain + a->gain_full / 2 + a->weight * 1e-6;
}

static int
by_worth(const void *x, const void *y)
{
    double a = worth(x), b = worth(y);
    return a < b ? 1 : a > b ? -1 : 0;
}

void
report_advise(const struct device_profile *d, const json_t *kernel, struct arena *a,
              struct report_advices *out)
{
    struct subject s = {.d = d, .kernel = kernel, .arena = a, .out = out};
    double all = report_number(kernel, "roofline", "seconds", NULL);
    size_t k;
    json_t *line;
    s.launches = report_number(kernel, "launches", NULL);
    s.launches = s.launches > 0 ? s.launches : 1;
    s.known = report_model_of(kernel, &s.model);
    s.full = report_model_full(d, &s.model);
    report_times_of(d, &s.model, &s.times);
    report_times_of(d, &s.full, &s.full_times);
    json_array_foreach (json_object_get(kernel, "lines"), k, line) {
        s.line = line;
        s.weight = all > 0 ? report_number(line, "bound", "seconds", NULL) / all : 0;
        ask_all(&s);
    }
    s.line = NULL;
    s.weight = 1;
    ask_all(&s);
    if (out->list.count)
        qsort(out->list.at, out->list.count, sizeof *out->list.at, by_worth);
}

bool
report_worthwhile(const struct report_advice *a)
{
    return isnan(a->gain) || a->gain >= 0.02 || a->gain_full >= 0.02;
}

char *
report_gain(struct arena *a, const struct report_advice *x)
{
    if (isnan(x->gain))
        return arena_strdup(a, "");
    double here = 100 * x->gain, full = 100 * x->gain_full;
    if (here < 0.5 && full < 0.5)
        return arena_strdup(a, "saves nothing as it is: something else binds");
    if (full > 1.5 * here && full > here + 5)
        return here < 0.5
                   ? arena_printf(a, "saves %.0f %% with a full device", full)
                   : arena_printf(a, "saves %.0f %%, with a full device %.0f %%", here, full);
    return here < 0.5 ? arena_strdup(a, "saves under 1 %") : arena_printf(a, "saves %.0f %%", here);
}

json_t *
report_advice_json(const struct device_profile *d, const json_t *kernel)
{
    struct arena a = {0};
    struct report_advices advice = {0};
    json_t *out = json_array();
    report_advise(d, kernel, &a, &advice);
    for (size_t k = 0; k < advice.list.count; k++) {
        const struct report_advice *x = &advice.list.at[k];
        json_t *j =
            json_pack("{s:s, s:s, s:s}", "kind", x->kind, "title", x->title, "text", x->text);
        if (x->file)
            json_object_set_new(j, "file", json_string(x->file));
        if (x->file)
            json_object_set_new(j, "line", json_integer(x->line));
        if (!isnan(x->gain)) {
            json_object_set_new(j, "gain", json_real(x->gain));
            json_object_set_new(j, "gain_full", json_real(x->gain_full));
        }
        json_array_append_new(out, j);
    }
    VEC_FREE(&advice.list);
    arena_free(&a);
    return out;
}
