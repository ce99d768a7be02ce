/* SPDX-License-Identifier: Apache-2.0
 *
 * profile_view: a result in the terminal: per kernel what it is bound by, its counters with their
 * Nsight Compute metrics, its hot lines, what the figures say; the source with figures beside it;
 * blocks over SMs; a comparison. Start with view_print().
 */
#include "cli/profile/profile_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct out {
    const struct profile_view *view;
    const struct device_profile *d;
    struct arena arena;
    uint32_t left_out; /* kernels whose counters were not shown */
};

bool
view_wants(const struct profile_view *v, const json_t *kernel)
{
    return ls_name_contains(report_text(kernel, "name"), v->kernel);
}

static double
at(const json_t *list, size_t k)
{
    return json_number_value(json_array_get(list, k));
}

/* -- a kernel ---------------------------------------------------------------------------------- */

static void
print_time(struct out *o, const json_t *k)
{
    const json_t *r = json_object_get(k, "roofline");
    double most = report_number(r, "seconds", NULL);
    const char *name;
    json_t *value;
    printf("  bound       at least %s a launch, by the busiest resource, %s",
           report_seconds(&o->arena, most), report_text(r, "busiest"));
    json_object_foreach (json_object_get(r, "resources"), name, value) {
        double s = json_number_value(value);
        if (s > 0.1 * most && strcmp(name, report_text(r, "busiest")) != 0)
            printf("; %s %.0f %%", name, 100 * s / most);
    }
    printf("\n");
    if (report_number(r, "intensity", NULL) > 0)
        printf("  roofline    %.3g operations per byte of device memory (ridge %.3g): at most %s "
               "flop/s, "
               "%s\n",
               report_number(r, "intensity", NULL), report_number(r, "ridge", NULL),
               report_count(&o->arena, report_number(r, "attainable_flops", NULL)),
               report_number(r, "intensity", NULL) < report_number(r, "ridge", NULL)
                   ? "left of the ridge, bound by device memory if by one of the two"
                   : "right of the ridge, where device memory is not the limit");
    if (report_number(r, "cache_coverage", NULL) < 1)
        printf(
            "  caches      saw %.1f %% of the traffic (--trace MIB for more); time and bytes are "
            "scaled to all of it\n",
            100 * report_number(r, "cache_coverage", NULL));
}

static void
print_counters(struct out *o, const json_t *k)
{
    const char *name;
    json_t *value;
    const json_t *metrics = json_object_get(o->view->result, "metrics");
    printf("  %-30s %16s  %s\n", "counter, all launches", "", "Nsight Compute metric");
    json_object_foreach (json_object_get(k, "counters"), name, value) {
        if (json_is_integer(value))
            printf("  %-30s %16lld  %s\n", name, (long long)json_integer_value(value),
                   report_text(metrics, name));
        else
            printf("  %-30s %16.4f  %s\n", name, json_number_value(value),
                   report_text(metrics, name));
    }
}

/* -- lines ------------------------------------------------------------------------------------- */

struct ranked {
    const json_t *line;
    double seconds;
};

static int
hotter(const void *x, const void *y)
{
    double a = ((const struct ranked *)x)->seconds, b = ((const struct ranked *)y)->seconds;
    return a < b ? 1 : a > b ? -1 : 0;
}

static size_t
rank_lines(struct out *o, const json_t *k, struct ranked **out)
{
    const json_t *lines = json_object_get(k, "lines");
    size_t n = json_array_size(lines);
    *out = ARENA_ARRAY(&o->arena, struct ranked, n + 1);
    for (size_t i = 0; i < n; i++) {
        const json_t *line = json_array_get(lines, i);
        (*out)[i] = (struct ranked){line, report_line_seconds(line)};
    }
    qsort(*out, n, sizeof **out, hotter);
    return n;
}

static const char *
base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void
print_lines(struct out *o, const json_t *k)
{
    struct ranked *r;
    double sum = report_lines_seconds(k);
    size_t n = rank_lines(o, k, &r);
    printf("  hot lines   share of the lines' bounds\n");
    for (size_t i = 0; i < n && i < o->view->lines && r[i].seconds > 0; i++) {
        struct text t = {0};
        char where[64];
        report_line_facts(r[i].line, &o->arena, &t);
        snprintf(where, sizeof where, "%s:%.0f", base_name(report_text(r[i].line, "file")),
                 report_number(r[i].line, "line", NULL));
        printf("  %-20s %4.0f %%  %-6s %s\n", where, sum > 0 ? 100 * r[i].seconds / sum : 0,
               report_text(json_object_get(r[i].line, "bound"), "busiest"), t.at);
        text_free(&t);
    }
}

static void
print_states(const struct report_summary *k)
{
    if (k->state_count)
        printf("  a warp waits");
    for (size_t n = 0; n < k->state_count; n++)
        printf("%s %s %.0f %%", n ? "," : "", k->states[n].name, 100 * k->states[n].share);
    if (k->state_count)
        printf("\n");
}

/* -- the source with figures ------------------------------------------------------------------- */

static void
print_file(struct out *o, const json_t *k, const char *file, int first, int last, double sum)
{
    size_t size;
    struct ls_error err = {0};
    char *text = ls_read_file(file, &size, &err), *rest = text;
    if (!text) {
        printf("  %s: the source is not here (%s)\n", file, err.text);
        return;
    }
    printf("  %s\n", file);
    for (int n = 1; rest && n <= last + 1; n++) {
        char *source = strsep(&rest, "\n");
        if (n < first - 1)
            continue;
        const json_t *line = report_line(k, file, n);
        struct text facts = {0};
        if (line)
            report_line_facts(line, &o->arena, &facts);
        double share = line ? report_line_seconds(line) / (sum > 0 ? sum : 1) : 0;
        if (line)
            printf("  %4.0f %% %5d  %-70s | %s\n", 100 * share, n, source, facts.at);
        else
            printf("         %5d  %s\n", n, source);
        text_free(&facts);
    }
    ls_release(text);
}

/* Each file that has lines of the kernel, from its first to its last. */
static void
print_source(struct out *o, const json_t *k)
{
    struct report_source *s;
    double sum = report_lines_seconds(k);
    size_t n = report_sources(k, &o->arena, &s);
    for (size_t i = 0; i < n; i++)
        print_file(o, k, s[i].file, s[i].first, s[i].last, sum);
}

/* -- blocks over SMs --------------------------------------------------------------------------- */

enum { TIMELINE_SMS = 32, TIMELINE_CELLS = 16 };

static void
print_timeline(struct out *o, const json_t *k)
{
    const json_t *grid = json_object_get(k, "grid");
    double total = at(grid, 0) * at(grid, 1) * at(grid, 2);
    uint32_t sms = o->d->sm_count;
    uint32_t per = (uint32_t)report_number(k, "occupancy", "blocks_per_sm", NULL);
    if (total > 1 << 20 || !per) {
        printf("  timeline    %.0f blocks: too many to show\n", total);
        return;
    }
    size_t n = (size_t)total;
    struct placement *p = ARENA_ARRAY(&o->arena, struct placement, n + 1);
    double end = model_schedule(sms, per, n, NULL, NULL, p);
    printf(
        "  timeline    %zu blocks on %u SMs, %u at once on each: %.0f wave%s; blocks by SM, waves "
        "apart by |\n",
        n, sms, per, end, end == 1 ? "" : "s");
    for (uint32_t sm = 0; sm < sms && sm < TIMELINE_SMS; sm++) {
        uint32_t cells = 0, wave = 0;
        printf("  SM %3u ", sm);
        for (size_t b = 0; b < n && cells <= TIMELINE_CELLS; b++) {
            if (p[b].sm != sm)
                continue;
            if (cells++ == TIMELINE_CELLS) {
                printf(" ...");
                break;
            }
            printf("%s %zu", p[b].wave != wave ? " |" : "", b);
            wave = p[b].wave;
        }
        printf("%s\n", cells ? "" : " idle");
    }
    if (sms > TIMELINE_SMS)
        printf("  ... and %u SMs more\n", sms - TIMELINE_SMS);
}

/* -- all of it --------------------------------------------------------------------------------- */

static void
print_kernel(struct out *o, const json_t *k)
{
    struct report_summary s;
    report_summarise(o->d, k, &o->arena, &s);
    view_screen(o->d, &s);
    if (o->view->counters) {
        printf("\n  %s\n  resources   %s\n", s.name, s.resources);
        print_time(o, k);
        print_states(&s);
    }
    if (o->view->hot)
        print_lines(o, k);
    if (o->view->counters) {
        view_all_advice(&s);
        print_counters(o, k);
    }
    if (o->view->source)
        print_source(o, k);
    if (o->view->timeline)
        print_timeline(o, k);
    if (o->view->phases)
        view_phases(k);
    o->left_out += !o->view->counters;
    report_summary_fini(&s);
}

void
view_print(const struct profile_view *v)
{
    struct out o = {.view = v, .d = report_device(v->result)};
    size_t i, shown = 0;
    json_t *k;
    json_array_foreach (json_object_get(v->result, "kernels"), i, k) {
        if (!view_wants(v, k))
            continue;
        if (shown++)
            printf("\n");
        print_kernel(&o, k);
    }
    if (o.left_out)
        printf("\n-v: counters, hot lines, all advice; --source, --html FILE: line by line\n");
    if (!json_is_true(json_object_get(v->result, "complete")))
        printf("\nThe program was ended before it was done: these are the figures up to then.\n");
    arena_free(&o.arena);
}

/* -- against an earlier result ----------------------------------------------------------------- */

/* How many lines it took. */
static int
print_change(const char *name, double before, double now)
{
    if (before == now)
        return 0;
    if (before > 0)
        printf("  %-30s %16.6g -> %-16.6g %+.1f %%\n", name, before, now, 100 * (now / before - 1));
    else
        printf("  %-30s %16.6g -> %-16.6g\n", name, before, now);
    return 1;
}

static void
compare_kernel(const json_t *k, const json_t *old)
{
    int changes = 0;
    const json_t *now = json_object_get(k, "counters"), *before = json_object_get(old, "counters");
    double launches = report_number(k, "launches", NULL),
           once = report_number(old, "launches", NULL);
    const char *name;
    json_t *value;
    changes += print_change("launches", once, launches);
    json_object_foreach ((json_t *)now, name, value) {
        double was = report_number(before, name, NULL);
        if (json_is_integer(value)) /* sums: per launch */
            changes += print_change(name, was / (once > 0 ? once : 1),
                                    json_number_value(value) / (launches > 0 ? launches : 1));
        else
            changes += print_change(name, was, json_number_value(value));
    }
    json_object_foreach ((json_t *)before, name, value)
        if (!json_object_get(now, name))
            changes += print_change(name, json_number_value(value) / (once > 0 ? once : 1), 0);
    changes += print_change("seconds", report_number(old, "roofline", "seconds", NULL),
                            report_number(k, "roofline", "seconds", NULL));
    changes += print_change("occupancy", report_number(old, "occupancy", "occupancy", NULL),
                            report_number(k, "occupancy", "occupancy", NULL));
    if (!changes)
        printf("  nothing has changed\n");
}

void
view_compare(const struct profile_view *v, const json_t *before)
{
    struct arena a = {0};
    size_t i;
    json_t *k;
    printf("\nAgainst the baseline (%s), per launch:\n",
           report_text(json_object_get(before, "device"), "name"));
    json_array_foreach (json_object_get(v->result, "kernels"), i, k) {
        const json_t *old = report_same_kernel(before, k, false);
        if (!view_wants(v, k))
            continue;
        printf("%s%s\n", ls_readable_name(&a, report_text(k, "name")),
               old ? "" : ": not in the baseline");
        if (old)
            compare_kernel(k, old);
    }
    arena_free(&a);
}
