/* SPDX-License-Identifier: Apache-2.0
 *
 * tune_view.c: what a sweep found: for each device a table, the best first, with a bar as long as a
 * combination is fast; then those that cannot be used, each with its reason; then the best one as
 * the flags to give. The same as JSON and CSV.
 */
#include "cli/tune/tune.h"

#include "model/model.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- order ------------------------------------------------------------------------------------- */

/* Equal ones stay in the order of the parameters' values: qsort is not stable, so by address. */
static int
better(const void *x, const void *y)
{
    const struct tune_job *a = *(struct tune_job *const *)x, *b = *(struct tune_job *const *)y;
    bool fails_a = a->status != TUNE_OK, fails_b = b->status != TUNE_OK;
    if (fails_a != fails_b)
        return fails_a ? 1 : -1;
    if (!fails_a && a->milliseconds != b->milliseconds)
        return a->milliseconds < b->milliseconds ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* The device's jobs, the best first, those that failed last; returns how many are ranked. */
static size_t
tune_rank(const struct tune_call *c, const struct suite_device *d, struct tune_job **out,
          size_t *out_count)
{
    size_t n = 0, ranked = 0;
    for (size_t k = 0; k < c->jobs.count; k++)
        if (c->jobs.at[k].device == d)
            out[n++] = &c->jobs.at[k];
    qsort(out, n, sizeof *out, better);
    while (ranked < n && out[ranked]->status == TUNE_OK)
        ranked++;
    *out_count = n;
    return ranked;
}

/* Times slower than the best, and how sure that is (as hyperfine has it). */
static double
relative(const struct tune_job *j, const struct tune_job *best, double *spread)
{
    double r = best->milliseconds > 0 ? j->milliseconds / best->milliseconds : 1;
    double a = j->milliseconds > 0 ? j->spread / j->milliseconds : 0;
    double b = best->milliseconds > 0 ? best->spread / best->milliseconds : 0;
    *spread = j == best ? 0 : r * sqrt(a * a + b * b);
    return r;
}

/* The runs of a combination lie further apart than its time is long: what it is ranked by says
 * little. */
static bool
is_unsure(const struct tune_call *c, const struct tune_job *j)
{
    return c->by == TUNE_BY_TIME && j->spread > j->milliseconds;
}

/* Estimates of two choices that are nearer to each other do not tell which is faster: of those
 * further apart 95 % have the order of a GPU (docs/model.md, tests/data/model_sweeps.csv). */
static const double model_level = 1.05;

/* Whether the job cannot be told apart from the best one: their ranges, time plus and less spread,
 * overlap; by model, their estimates are too near to each other. */
static bool
is_level(const struct tune_call *c, const struct tune_job *j, const struct tune_job *best)
{
    if (c->by == TUNE_BY_MODEL)
        return j->milliseconds <= best->milliseconds * model_level;
    return j->milliseconds - j->spread <= best->milliseconds + best->spread;
}

/* -- the table --------------------------------------------------------------------------------- */

/* Digits behind the point that leave the best one four that count. */
static int
decimals(double best)
{
    int n = best > 0 ? 3 - (int)floor(log10(best)) : 3;
    return n < 0 ? 0 : n > 7 ? 7 : n;
}

/* The kernel that takes most of the time: what bounds it, and what is resident; in short without
 * warps. */
static const char *
bound_text(const struct tune_job *j, bool brief, struct arena *a)
{
    const json_t *kernels = json_object_get(j->result, "kernels"), *most = NULL, *k;
    size_t n;
    json_array_foreach (kernels, n, k) {
        if (!most ||
            report_number(k, "milliseconds", NULL) > report_number(most, "milliseconds", NULL))
            most = k;
    }
    if (!most)
        return "";
    double blocks = report_number(most, "blocks_per_sm", NULL);
    return brief ? arena_printf(a, "  %s; %.0f blocks an SM (%s)", report_text(most, "bound_by"),
                                blocks, report_text(most, "limited_by"))
                 : arena_printf(a, "  %s; %.0f blocks, %.0f warps an SM (%s)",
                                report_text(most, "bound_by"), blocks,
                                report_number(most, "warps_per_sm", NULL),
                                report_text(most, "limited_by"));
}

static size_t
widest(struct tune_job *const *jobs, size_t n)
{
    size_t most = 11;
    for (size_t k = 0; k < n; k++)
        most = strlen(jobs[k]->flags) > most ? strlen(jobs[k]->flags) : most;
    return most < 60 ? most : 60;
}

static void
print_ranked(const struct tune_call *c, struct tune_job *const *jobs, size_t n, int width)
{
    enum { BAR = 24, LEAST_BAR = 4 };
    bool recorded = false, brief = false;
    struct arena a = {0};
    int columns = (int)columns_of(stdout), longest[2] = {0}, most = BAR;
    int digits = n ? decimals(jobs[0]->milliseconds) : 0;
    for (size_t k = 0; k < n; k++) {
        recorded |= jobs[k]->recorded > 0;
        for (int b = 0; b < 2; b++) {
            int length = (int)strlen(bound_text(jobs[k], b, &a));
            longest[b] = length > longest[b] ? length : longest[b];
        }
    }
    int fixed = 2 + width + 13 + (c->by == TUNE_BY_TIME ? 24 : 9) + (recorded ? 14 : 0) + 2;
    if (columns) { /* what the terminal leaves for the bar */
        brief = columns < fixed + BAR + longest[0];
        most = columns - fixed - longest[brief] - 1;
        most = most > BAR ? BAR : most < LEAST_BAR ? 0 : most;
    }
    printf("  %-*s %12s%s %s%s\n", width, "combination",
           c->by == TUNE_BY_MODEL ? "model, ms" : "median, ms",
           c->by == TUNE_BY_TIME ? "   spread" : "",
           c->by == TUNE_BY_TIME ? "       relative" : "relative",
           recorded ? "  recorded, ms" : "");
    for (size_t k = 0; k < n; k++) {
        double spread, r = relative(jobs[k], jobs[0], &spread);
        printf("%c %-*s %12.*f", is_unsure(c, jobs[k]) ? '?' : ' ', width, jobs[k]->flags, digits,
               jobs[k]->milliseconds);
        if (c->by == TUNE_BY_TIME)
            printf(" ± %6.*f %7.2f ± %4.2f", digits, jobs[k]->spread, r, spread);
        else
            printf(" %8.2f", r);
        if (recorded && jobs[k]->recorded > 0)
            printf("  %12.4f", jobs[k]->recorded);
        else if (recorded)
            printf("  %12s", "-");
        int bar = (int)(most / (r > 0 ? r : 1) + 0.5);
        printf("  %.*s%*s%s\n", bar, "########################", most - bar, "",
               bound_text(jobs[k], brief, &a));
    }
    arena_free(&a);
}

static void
print_failed(struct tune_job *const *jobs, size_t n, int width)
{
    for (size_t k = 0; k < n; k++) {
        const char *why = report_text(jobs[k]->result, "why");
        struct text t = {0};
        text_add(&t, "  %-*s %12s  %s%s%s\n", width, jobs[k]->flags, "-",
                 tune_status_texts[jobs[k]->status], *why ? ": " : "", why);
        columns_print(stdout, t.at, false);
        text_free(&t);
    }
}

/* The flags that give this combination, and the program's arguments where those are swept. */
static void
print_best(const struct tune_call *c, const struct tune_job *j)
{
    struct arena a = {0};
    char **arguments = tune_arguments(c, j, &a);
    bool swept = false;
    for (size_t k = 0; k < c->parameters.count; k++) {
        swept |= c->parameters.at[k].argument;
        if (!c->parameters.at[k].argument)
            printf(" -D%s=%s", c->parameters.at[k].name, j->value[k]);
    }
    for (size_t k = 0; swept && arguments[k]; k++)
        printf("%s %s", k ? "" : " --", arguments[k]);
    arena_free(&a);
}

/* By model, those that may be as fast are offered beside it. */
static void
print_others(const struct tune_call *c, struct tune_job *const *jobs, size_t ranked)
{
    for (size_t k = 1; k < ranked && c->by == TUNE_BY_MODEL && is_level(c, jobs[k], jobs[0]); k++) {
        printf("  or:");
        print_best(c, jobs[k]);
        printf("\n");
    }
}

/* What it costs to do as the ranking says, by the recorded times of the same combinations. */
static void
print_loss(struct tune_job *const *jobs, size_t n)
{
    const struct tune_job *best = NULL;
    size_t known = 0;
    for (size_t k = 0; k < n; k++) {
        known += jobs[k]->recorded > 0;
        if (jobs[k]->recorded > 0 && (!best || jobs[k]->recorded < best->recorded))
            best = jobs[k];
    }
    if (!best)
        return;
    if (jobs[0]->recorded <= 0)
        printf("recorded: no time for the choice %s\n", jobs[0]->flags);
    else
        printf("recorded: the choice %s took %.4f ms, the best of %zu, %s, %.4f ms: loss %.1f %%\n",
               jobs[0]->flags, jobs[0]->recorded, known, best->flags, best->recorded,
               100 * (jobs[0]->recorded / best->recorded - 1));
}

/* The largest error that samples of blocks bring to the job's counters; -1: all are counted. */
static double
sampling_error(const struct tune_job *j)
{
    double most = -1;
    const json_t *k;
    size_t n;
    json_array_foreach (json_object_get(j->result, "kernels"), n, k) {
        const json_t *s = json_object_get(k, "sampled");
        if (report_number(s, "blocks", NULL) < report_number(s, "of", NULL))
            most = fmax(most, report_number(s, "error", NULL));
    }
    return most;
}

/* What keeps the first of a ranking from being the best for sure. */
static void
print_doubts(const struct tune_call *c, struct tune_job *const *jobs, size_t n, FILE *out)
{
    size_t level = 0, unsure = 0, verified = 0, sampled = 0;
    double error = 0;
    for (size_t k = 0; k < n; k++) {
        sampled += sampling_error(jobs[k]) >= 0;
        error = fmax(error, sampling_error(jobs[k]));
        level += k && is_level(c, jobs[k], jobs[0]);
        unsure += is_unsure(c, jobs[k]);
        verified += json_is_true(json_object_get(jobs[k]->result, "verified"));
    }
    struct text t = {0};
    if (unsure)
        text_add(&t,
                 "not sure: %zu of %zu have a spread larger than their time (marked ?): measure on "
                 "a quiet "
                 "machine, or with more --runs\n",
                 unsure, n);
    if (level && c->by == TUNE_BY_TIME)
        text_add(&t, "not sure: %zu other%s as fast within the spread\n", level,
                 level == 1 ? " is" : "s are");
    else if (level)
        text_add(&t,
                 "not sure: %zu other%s within the %.0f %% that the model does not tell apart\n",
                 level, level == 1 ? " is" : "s are", 100 * (model_level - 1));
    if (sampled)
        text_add(&t,
                 "sampled: of %zu some blocks alone are counted (--sample %llu), which their "
                 "counters are known by within %.1f %%\n",
                 sampled, (unsigned long long)c->sample, 100 * error);
    if (!verified)
        text_add(&t, "not verified: the program prints no line \"verified\"; its exit status alone "
                     "was looked at\n");
    else if (verified < n)
        text_add(&t, "not verified: %zu of %zu print no line \"verified\"\n", n - verified, n);
    columns_print(out, t.at ? t.at : "", false);
    text_free(&t);
}

static void
print_device(const struct tune_call *c, const struct suite_device *d, struct tune_job **jobs)
{
    size_t n, ranked = tune_rank(c, d, jobs, &n);
    int width = (int)widest(jobs, n);
    printf("%s", d == c->devices.at ? "" : "\n");
    if (c->real)
        printf("a real GPU\n");
    else
        printf(c->by == TUNE_BY_TIME ? "this processor (as %s, %u.%u)\n" : "%s, %u.%u\n",
               d->profile->name, d->profile->cc_major, d->profile->cc_minor);
    if (ranked)
        print_ranked(c, jobs, ranked, width);
    print_failed(jobs + ranked, n - ranked, width);
    if (!ranked) {
        printf("none of the %zu combinations can be used\n", n);
        return;
    }
    printf("best:");
    print_best(c, jobs[0]);
    printf("%s\n", is_unsure(c, jobs[0]) ? " ?" : "");
    print_others(c, jobs, ranked);
    print_doubts(c, jobs, ranked, stdout);
    print_loss(jobs, n);
}

void
tune_print(const struct tune_call *c)
{
    struct tune_job **jobs = ls_alloc(c->jobs.count * sizeof *jobs);
    for (size_t d = 0; d < c->devices.count; d++)
        print_device(c, &c->devices.at[d], jobs);
    if (c->excluded)
        printf("%llu combinations left out by --where\n", (unsigned long long)c->excluded);
    ls_release(jobs);
}

void
tune_tell_doubts(const struct tune_call *c)
{
    struct tune_job **jobs = ls_alloc(c->jobs.count * sizeof *jobs);
    for (size_t d = 0; d < c->devices.count; d++) {
        size_t n, ranked = tune_rank(c, &c->devices.at[d], jobs, &n);
        if (ranked)
            print_doubts(c, jobs, ranked, stderr);
    }
    ls_release(jobs);
}

/* -- JSON -------------------------------------------------------------------------------------- */

static json_t *
row(const struct tune_call *c, const struct tune_job *j, const struct tune_job *best, size_t place)
{
    static const char *const kept[] = {"why",   "verified", "milliseconds", "least", "most",
                                       "times", "kernels",  "seconds",      "begun", "computed_by"};
    char cc[24];
    double spread;
    json_t *parameters = json_object();
    snprintf(cc, sizeof cc, "%u.%u", j->device->profile->cc_major, j->device->profile->cc_minor);
    for (size_t k = 0; k < c->parameters.count; k++)
        json_object_set_new(parameters, c->parameters.at[k].name, json_string(j->value[k]));
    json_t *r = json_pack("{s:o, s:s, s:o, s:s, s:s, s:s, s:s}", "place",
                          place ? json_integer((json_int_t)place) : json_null(), "flags", j->flags,
                          "parameters", parameters, "device", j->device->profile->name, "cc", cc,
                          "by", c->by == TUNE_BY_MODEL ? "model" : "time", "status",
                          tune_status_words[j->status]);
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
        json_t *value = json_object_get(j->result, kept[k]);
        if (value)
            json_object_set(r, kept[k], value);
    }
    if (place) {
        json_object_set_new(r, "relative", json_real(relative(j, best, &spread)));
        if (c->by == TUNE_BY_TIME) {
            json_object_set_new(r, "relative_spread", json_real(spread));
            json_object_set_new(r, "unsure", json_boolean(is_unsure(c, j)));
        }
        json_object_set_new(r, "level", json_boolean(j != best && is_level(c, j, best)));
    }
    if (j->recorded > 0)
        json_object_set_new(r, "recorded_milliseconds", json_real(j->recorded));
    json_object_set_new(r, "reused", json_boolean(!j->mine));
    return r;
}

json_t *
tune_rows(const struct tune_call *c)
{
    struct tune_job **jobs = ls_alloc(c->jobs.count * sizeof *jobs);
    json_t *rows = json_array();
    for (size_t d = 0; d < c->devices.count; d++) {
        size_t n, ranked = tune_rank(c, &c->devices.at[d], jobs, &n);
        for (size_t k = 0; k < n; k++)
            json_array_append_new(rows, row(c, jobs[k], jobs[0], k < ranked ? k + 1 : 0));
    }
    ls_release(jobs);
    return rows;
}

/* -- CSV --------------------------------------------------------------------------------------- */

static void
cell(struct text *out, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        text_add(out, "%s", text);
        return;
    }
    text_add(out, "\"");
    for (; *text; text++)
        text_add(out, *text == '"' ? "\"\"" : "%c", *text);
    text_add(out, "\"");
}

static void
csv_row(const struct tune_call *c, const json_t *r, struct text *out)
{
    static const char *const numbers[] = {"milliseconds", "least", "most", "relative",
                                          "recorded_milliseconds"};
    cell(out, report_text(r, "device"));
    text_add(out, ",%s", report_text(r, "cc"));
    for (size_t k = 0; k < c->parameters.count; k++) {
        text_add(out, ",");
        cell(out, report_text(json_object_get(r, "parameters"), c->parameters.at[k].name));
    }
    text_add(out, ",%s", report_text(r, "status"));
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const json_t *value = json_object_get(r, numbers[k]);
        bool known = value && strcmp(report_text(r, "status"), "ok") == 0;
        text_add(out, ",");
        if (known)
            text_add(out, "%.9g", json_number_value(value));
    }
    text_add(out, ",");
    cell(out, report_text(r, "why"));
    text_add(out, "\n");
}

void
tune_csv(const struct tune_call *c, struct text *out)
{
    json_t *rows = tune_rows(c), *r;
    size_t k;
    text_add(out, "device,cc");
    for (size_t p = 0; p < c->parameters.count; p++)
        text_add(out, ",%s", c->parameters.at[p].name);
    text_add(out, ",status,milliseconds,least,most,relative,recorded_milliseconds,why\n");
    json_array_foreach (rows, k, r)
        csv_row(c, r, out);
    json_decref(rows);
}
