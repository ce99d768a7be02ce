/* SPDX-License-Identifier: Apache-2.0
 *
 * profile_assert: memory budgets: `--assert 'shared_load_bank_conflicts == 0'`,
 * `--assert 'transpose: global_store_sectors / global_store_requests <= 4'`. What does not occur in
 * a kernel counts as 0; a ratio of which the lower part is 0 holds.
 */
#include "cli/profile/profile_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const counters[] = {
#define COUNTER(name, space, op, metric, nsight, meaning) #name,
#define RATIO COUNTER
#include "profile/counters.def"
#undef RATIO
#undef COUNTER
};

/* Figures beside the counters. */
static const struct {
    const char *name, *object, *key;
} figures[] = {
    {"blocks_per_sm", "occupancy", "blocks_per_sm"},
    {"warps_per_sm", "occupancy", "warps_per_sm"},
    {"occupancy", "occupancy", "occupancy"},
    {"registers_per_thread", "occupancy", "registers_per_thread"},
    {"shared_bytes", "occupancy", "shared_bytes"},
    {"local_bytes", "occupancy", "local_bytes"},
    {"seconds", "roofline", "seconds"},
    {"intensity", "roofline", "intensity"},
    {"partition_camping", "roofline", "partition_camping"},
};

enum {
    COUNTER_COUNT = sizeof counters / sizeof *counters,
    FIGURES = sizeof figures / sizeof *figures
};

static bool
known(const char *name, struct ls_error *err)
{
    const char *all[COUNTER_COUNT + FIGURES];
    for (size_t k = 0; k < COUNTER_COUNT + FIGURES; k++) {
        all[k] = k < COUNTER_COUNT ? counters[k] : figures[k - COUNTER_COUNT].name;
        if (strcmp(all[k], name) == 0)
            return true;
    }
    const char *near = ls_nearest(name, all, COUNTER_COUNT + FIGURES);
    return ls_fail(err, LS_ERR_USAGE, "--assert: there is no counter \"%s\"%s%s%s", name,
                   near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static double
figure(const json_t *kernel, const char *name)
{
    for (size_t k = 0; k < FIGURES; k++)
        if (strcmp(figures[k].name, name) == 0)
            return report_number(kernel, figures[k].object, figures[k].key, NULL);
    return report_number(kernel, "counters", name, NULL);
}

static char *
trimmed(struct arena *a, const char *from, size_t length)
{
    while (length && strchr(" \t", *from)) {
        from++;
        length--;
    }
    while (length && strchr(" \t", from[length - 1]))
        length--;
    return arena_strndup(a, from, length);
}

/* "transpose: ..." up to the colon; one of "ns::kernel" is not it. */
static const char *
take_kernel(const char *text, struct arena *a, struct profile_condition *out)
{
    const char *colon = strrchr(text, ':');
    if (!colon || (colon > text && colon[-1] == ':'))
        return text;
    out->kernel = trimmed(a, text, (size_t)(colon - text));
    return colon + 1;
}

bool
condition_parse(const char *text, struct arena *a, struct profile_condition *out,
                struct ls_error *err)
{
    static const char *const ops[] = {"==", "!=", "<=", ">=", "<", ">"};
    *out = (struct profile_condition){.text = text};
    const char *begin = take_kernel(text, a, out), *end = begin + strcspn(begin, "=!<>");
    for (size_t k = 0; k < sizeof ops / sizeof *ops && !out->op; k++)
        if (ls_starts_with(end, ops[k]))
            out->op = ops[k];
    const char *value = out->op ? end + strlen(out->op) : NULL;
    if (!value || !ls_parse_f64(trimmed(a, value, strlen(value)), &out->value))
        return ls_fail(
            err, LS_ERR_USAGE,
            "--assert takes [KERNEL:] COUNTER [/ COUNTER] ==|!=|<=|>=|<|> NUMBER, not \"%s\"",
            text);
    const char *slash = memchr(begin, '/', (size_t)(end - begin));
    out->counter = trimmed(a, begin, (size_t)((slash ? slash : end) - begin));
    out->over = slash ? trimmed(a, slash + 1, (size_t)(end - slash - 1)) : NULL;
    return known(out->counter, err) && (!out->over || known(out->over, err));
}

static bool
holds(const struct profile_condition *c, double value)
{
    switch (c->op[0]) {
    case '=': return value == c->value;
    case '!': return value != c->value;
    case '<': return c->op[1] ? value <= c->value : value < c->value;
    default: return c->op[1] ? value >= c->value : value > c->value;
    }
}

uint32_t
condition_test(const struct profile_condition *c, const struct profile_view *v, uint32_t *tested,
               struct text *said)
{
    uint32_t failed = 0;
    size_t k;
    json_t *kernel;
    json_array_foreach (json_object_get(v->result, "kernels"), k, kernel) {
        if (!view_wants(v, kernel) || !ls_name_contains(report_text(kernel, "name"), c->kernel))
            continue;
        double value = figure(kernel, c->counter), over = c->over ? figure(kernel, c->over) : 1;
        ++*tested;
        if (over == 0 || holds(c, value / over))
            continue;
        struct arena a = {0};
        text_add(said, "%s: %s%s%s is %.*g, not %s %.10g\n",
                 ls_readable_name(&a, report_text(kernel, "name")), c->counter,
                 c->over ? " / " : "", c->over ? c->over : "", c->over ? 6 : 10, value / over,
                 c->op, c->value);
        arena_free(&a);
        failed++;
    }
    return failed;
}
