/* SPDX-License-Identifier: Apache-2.0
 *
 * read.c: numbers and names out of a result, and how they are written for people.
 */
#include "report/report.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

double
report_number(const json_t *j, ...)
{
    va_list keys;
    const char *key;
    va_start(keys, j);
    while ((key = va_arg(keys, const char *)))
        j = json_object_get(j, key);
    va_end(keys);
    return json_number_value(j);
}

const char *
report_text(const json_t *j, const char *key)
{
    const char *text = json_string_value(json_object_get(j, key));
    return text ? text : "";
}

const json_t *
report_line_of_most(const json_t *kernel, double (*amount)(const json_t *line, const void *context),
                    const void *context)
{
    const json_t *best = NULL;
    double most = 0;
    size_t k;
    json_t *line;
    json_array_foreach (json_object_get(kernel, "lines"), k, line) {
        double n = amount(line, context);
        if (n > most) {
            most = n;
            best = line;
        }
    }
    return best;
}

const struct device_profile *
report_device(const json_t *result)
{
    const json_t *d = json_object_get(result, "device");
    const struct device_profile *found = model_find_device(report_text(d, "name"));
    return found ? found : model_find_cc(report_text(d, "cc"));
}

char *
report_count(struct arena *a, double n)
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P"};
    size_t unit = 0;
    while ((n >= 99999.5 || (unit && n >= 999.5)) && unit + 1 < sizeof units / sizeof *units) {
        n /= 1000;
        unit++;
    }
    return unit == 0 && n == (double)(int64_t)n ? arena_printf(a, "%.0f", n)
                                                : arena_printf(a, "%.3g%s", n, units[unit]);
}

char *
report_seconds(struct arena *a, double s)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};
    size_t unit = 0;
    while (s > 0 && s < 0.9995 && unit + 1 < sizeof units / sizeof *units) {
        s *= 1000;
        unit++;
    }
    return arena_printf(a, "%.3g %s", s, units[unit]);
}

/* -- lines ------------------------------------------------------------------------------------- */

size_t
report_sources(const json_t *kernel, struct arena *a, struct report_source **out)
{
    const json_t *line, *lines = json_object_get(kernel, "lines");
    size_t i, n = 0;
    *out = ARENA_ARRAY(a, struct report_source, json_array_size(lines) + 1);
    json_array_foreach (lines, i, line) {
        const char *file = report_text(line, "file");
        int number = (int)report_number(line, "line", NULL);
        size_t k = 0;
        while (k < n && strcmp((*out)[k].file, file) != 0)
            k++;
        struct report_source *s = &(*out)[k];
        if (k == n)
            (*out)[n++] = (struct report_source){file, number, number};
        s->first = number < s->first ? number : s->first;
        s->last = number > s->last ? number : s->last;
    }
    return n;
}

const json_t *
report_line(const json_t *kernel, const char *file, int number)
{
    const json_t *line;
    size_t i;
    json_array_foreach (json_object_get(kernel, "lines"), i, line)
        if ((int)report_number(line, "line", NULL) == number &&
            strcmp(report_text(line, "file"), file) == 0)
            return line;
    return NULL;
}

double
report_line_seconds(const json_t *line)
{
    return report_number(line, "bound", "seconds", NULL);
}

double
report_lines_seconds(const json_t *kernel)
{
    double sum = 0;
    size_t k;
    json_t *line;
    json_array_foreach (json_object_get(kernel, "lines"), k, line)
        sum += report_line_seconds(line);
    return sum;
}

/* A saved result has the name for people as "name". */
static const char *
symbol_of(const json_t *kernel)
{
    return report_text(kernel, json_object_get(kernel, "symbol") ? "symbol" : "name");
}

const json_t *
report_same_kernel(const json_t *result, const json_t *kernel, bool any_shape)
{
    const json_t *otherwise = NULL;
    size_t k;
    json_t *other;
    json_array_foreach (json_object_get(result, "kernels"), k, other) {
        if (strcmp(symbol_of(other), symbol_of(kernel)) != 0)
            continue;
        if (json_equal(json_object_get(other, "grid"), json_object_get(kernel, "grid")) &&
            json_equal(json_object_get(other, "block"), json_object_get(kernel, "block")))
            return other;
        if (any_shape && !otherwise)
            otherwise = other;
    }
    return otherwise;
}

/* "a warp waits 1021 clocks: 950 memory, 71 arithmetic" */
static void
add_waits(const json_t *line, struct text *t)
{
    static const char *const kinds[][2] = {
        {"memory", "memory"}, {"shared", "shared memory"}, {"arithmetic", "arithmetic"}};
    double clocks[3], all = 0;
    for (size_t k = 0; k < 3; k++)
        all += clocks[k] = report_number(line, "waits", kinds[k][0], NULL);
    if (all < 1)
        return;
    text_add(t, "%sa warp waits %.0f clocks: ", t->count ? "; " : "", all);
    for (size_t k = 0, n = 0; k < 3; k++)
        if (clocks[k] >= 0.5)
            text_add(t, "%s%.0f %s", n++ ? ", " : "", clocks[k], kinds[k][1]);
}

void
report_line_facts(const json_t *line, struct arena *a, struct text *t)
{
    static const char *const spaces[] = {"shared", "global", "local", "constant"};
    static const char *const ops[] = {"load", "store", "atomic"};
    const json_t *c = json_object_get(line, "counters");
    for (size_t s = 0; s < 4; s++)
        for (size_t p = 0; p < 3; p++) {
            char name[64];
            snprintf(name, sizeof name, "%s_%s_requests", spaces[s], ops[p]);
            double requests = report_number(c, name, NULL), unit = 0, best = 0;
            if (requests == 0)
                continue;
            const char *what = s == 1 || s == 2 ? "sectors" : "wavefronts";
            snprintf(name, sizeof name, "%s_%s_%s", spaces[s], ops[p], what);
            unit = report_number(c, name, NULL);
            snprintf(name, sizeof name, "%s_%s_%s_ideal", spaces[s], ops[p], what);
            best = report_number(c, name, NULL);
            if (!unit) {
                what = "transactions";
                snprintf(name, sizeof name, "%s_%s_transactions", spaces[s], ops[p]);
                unit = report_number(c, name, NULL);
            }
            text_add(t, "%s%s %s %s x %.3g %s", t->count ? ", " : "", report_count(a, requests),
                     spaces[s], ops[p], unit / requests, what);
            if (best > 0 && best < unit)
                text_add(t, " (ideal %.3g)", best / requests);
        }
    if (report_number(c, "flops_f32", NULL) + report_number(c, "flops_f64", NULL) > 0)
        text_add(t, "%s%s flop", t->count ? ", " : "",
                 report_count(a, report_number(c, "flops_f32", NULL) +
                                     report_number(c, "flops_f64", NULL)));
    if (report_number(c, "branches_divergent", NULL) > 0)
        text_add(t, "%s%s of %s branches divergent", t->count ? ", " : "",
                 report_count(a, report_number(c, "branches_divergent", NULL)),
                 report_count(a, report_number(c, "branches", NULL)));
    if (!t->count)
        text_add(t, "%s instructions", report_count(a, report_number(c, "instructions", NULL)));
    add_waits(line, t);
}
