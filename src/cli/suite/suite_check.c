/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep suite check and profile: the commands of these names on every rung. check: a right rung
 * must be silent, a listing that is wrong on purpose must be reported with the kinds of findings
 * that its header names, and no others.
 */
#include "cli/suite/suite.h"

#include "model/model.h"

#include <stdio.h>
#include <string.h>

/* -- check ------------------------------------------------------------------------------------- */

static bool
is_expected(const struct suite_rung *r, const char *kind)
{
    for (size_t i = 0; i < r->expect.count; i++)
        if (strcmp(r->expect.at[i], kind) == 0)
            return true;
    return false;
}

/* {"kind": count} over the findings. */
static json_t *
count_kinds(json_t *answer)
{
    json_t *kinds = json_object(), *finding;
    size_t i;
    json_array_foreach (json_object_get(answer, "findings"), i, finding) {
        const char *kind = json_string_value(json_object_get(finding, "kind"));
        json_int_t n = json_integer_value(json_object_get(finding, "count"));
        if (kind)
            json_object_set_new(
                kinds, kind,
                json_integer(json_integer_value(json_object_get(kinds, kind)) + (n > 0 ? n : 1)));
    }
    return kinds;
}

/* What is missing or too much; true: as expected. Not every mistake shows at every size (a missing
 * test for the edge where the tile fits): at one of the rung's own it must. */
static bool
compare(const struct suite_rung *r, json_t *kinds, bool own_size, struct text *why)
{
    const char *kind;
    json_t *count;
    bool good = true, missing = false;
    json_object_foreach (kinds, kind, count)
        if (!is_expected(r, kind)) {
            text_add(why, "%sunexpected %s", good ? "" : ", ", kind);
            good = false;
        }
    for (size_t i = 0; i < r->expect.count; i++)
        if (!json_object_get(kinds, r->expect.at[i])) {
            text_add(why, "%sno %s", good && !missing ? "" : ", ", r->expect.at[i]);
            missing = true;
        }
    if (missing && !own_size)
        text_add(why, " at this size");
    return good && !(missing && own_size);
}

static void
print_check(const struct suite_rung *r, const char *size, const struct suite_device *d,
            json_t *kinds, bool good, const char *why)
{
    const char *kind;
    json_t *count;
    printf("%-30s %-12s %u.%-3u %-10s %-4s", r->name, suite_ids(r), d->profile->cc_major,
           d->profile->cc_minor, size, good ? "yes" : "NO");
    if (!json_object_size(kinds))
        printf(" silent");
    json_object_foreach (kinds, kind, count)
        printf(" %s (%lld)", kind, (long long)json_integer_value(count));
    printf(*why ? "  %s\n" : "\n", why);
    fflush(stdout);
}

/* One rung at one size; 1: not as expected. -1: the command could not do it. */
static int
check_one(struct suite_call *c, const struct suite_rung *r, const char *size,
          const struct suite_device *d, json_t *rows)
{
    struct ls_error err = {0};
    struct text why = {0};
    suite_progress(c, r, size, d);
    json_t *answer = suite_command_json(c, "check", r, size, d, &err);
    suite_progress(c, NULL, NULL, NULL);
    if (!answer && err.status == LS_ERR_UNSUPPORTED) {
        cli_error(c->usage->name, &err);
        return -1;
    }
    json_t *kinds = answer ? count_kinds(answer) : json_object();
    text_add(&why, "%s", answer ? "" : err.text);
    bool good = answer && compare(r, kinds, !c->sizes.count, &why);
    json_t *row = suite_row(r, size, d), *expected = json_array();
    for (size_t i = 0; i < r->expect.count; i++)
        json_array_append_new(expected, json_string(r->expect.at[i]));
    json_object_set_new(row, "expected", expected);
    json_object_set(row, "found", kinds);
    json_object_set_new(row, "as_expected", json_boolean(good));
    if (*why.at)
        json_object_set_new(row, "message", json_string(why.at));
    if (answer) {
        json_object_set(row, "findings", json_object_get(answer, "findings"));
        json_object_set(row, "summary", json_object_get(answer, "summary"));
    }
    suite_show(c, row, answer);
    json_array_append_new(rows, row);
    if (!c->json)
        print_check(r, size, d, kinds, good, why.at);
    json_decref(kinds);
    json_decref(answer);
    text_free(&why);
    return !good;
}

/* What one of the two commands does with a rung: -1 nothing can be done, 1 bad, 0 good. */
typedef int one_run(struct suite_call *c, const struct suite_rung *r, const char *size,
                    const struct suite_device *d, json_t *rows);

static int profile_one(struct suite_call *c, const struct suite_rung *r, const char *size,
                       const struct suite_device *d, json_t *rows);

static const suite_words *
sizes_for(const struct suite_call *c, const struct suite_rung *r, one_run *one)
{
    if (c->sizes.count)
        return &c->sizes;
    return one == profile_one && r->profile_sizes.count ? &r->profile_sizes : &r->check_sizes;
}

/* Every rung, size and device. */
static int
for_each(struct suite_call *c, const char *what, json_t *rows, one_run *one)
{
    uint32_t bad = 0, runs = 0;
    for (size_t i = 0; i < c->rungs.count; i++)
        c->total += (uint32_t)sizes_for(c, c->rungs.at[i], one)->count *
                    suite_devices_for(c, c->rungs.at[i]);
    for (size_t i = 0; i < c->rungs.count; i++)
        for (size_t k = 0; k < c->devices.count; k++) {
            const struct suite_rung *r = c->rungs.at[i];
            const suite_words *sizes = sizes_for(c, r, one);
            if (suite_leaves_out(c, r, &c->devices.at[k]))
                continue;
            for (size_t s = 0; s < sizes->count; s++) {
                int n = one(c, r, sizes->at[s], &c->devices.at[k], rows);
                if (n < 0) {
                    json_decref(rows);
                    return CLI_NOTHING;
                }
                bad += (uint32_t)n;
                runs++;
            }
        }
    int status = bad ? CLI_FINDINGS : runs ? CLI_OK : CLI_NOTHING;
    if (c->json)
        return suite_write(c, rows, status);
    json_decref(rows);
    printf("%zu rungs, %u runs: %u %s\n", c->rungs.count, runs, bad, what);
    return status;
}

int
suite_check(struct suite_call *c)
{
    if (!c->json)
        printf("%-30s %-12s %-5s %-10s %-4s %s\n", "rung", "systems", "cc", "size", "good",
               "findings");
    return for_each(c, "not as they should be", json_array(), check_one);
}

/* -- profile ----------------------------------------------------------------------------------- */

static double
counter(json_t *kernel, const char *name)
{
    return json_number_value(json_object_get(json_object_get(kernel, "counters"), name));
}

/* The sum of `<space>_<op>_<what>` over the operations. */
static double
total(json_t *kernel, const char *space, const char *what)
{
    static const char *const operations[] = {"load", "store", "atomic"};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        char name[80];
        snprintf(name, sizeof name, "%s_%s_%s", space, operations[i], what);
        sum += counter(kernel, name);
    }
    return sum;
}

static void
print_kernel(const struct suite_rung *r, const char *size, const struct suite_device *d,
             json_t *kernel)
{
    bool old = model_has_transactions(d->profile);
    const char *name = json_string_value(json_object_get(kernel, "name"));
    json_t *occupancy = json_object_get(kernel, "occupancy");
    json_t *roofline = json_object_get(kernel, "roofline");
    json_t *camping = json_object_get(roofline, "partition_camping");
    const char *busiest = json_string_value(json_object_get(roofline, "busiest"));
    char spread[16] = "-";
    if (camping)
        snprintf(spread, sizeof spread, "%.2f", json_number_value(camping));
    printf("%-26s %u.%-3u %-8s %-16.16s %10.0f %10.0f %9.0f %9.0f %6.0f %8.0f %7s %10.2f %s\n",
           r->name, d->profile->cc_major, d->profile->cc_minor, size, name ? name : "?",
           total(kernel, "global", "requests"),
           total(kernel, "global", old ? "transactions" : "sectors"),
           total(kernel, "shared", "wavefronts"), total(kernel, "shared", "bank_conflicts"),
           json_number_value(json_object_get(occupancy, "warps_per_sm")),
           counter(kernel, "branches_divergent"), spread,
           1e6 * json_number_value(json_object_get(roofline, "seconds")), busiest ? busiest : "-");
}

static int
profile_one(struct suite_call *c, const struct suite_rung *r, const char *size,
            const struct suite_device *d, json_t *rows)
{
    struct ls_error err = {0};
    suite_progress(c, r, size, d);
    json_t *answer = suite_command_json(c, "profile", r, size, d, &err);
    suite_progress(c, NULL, NULL, NULL);
    if (!answer) {
        cli_error(c->usage->name, &err);
        if (err.status == LS_ERR_UNSUPPORTED)
            return -1;
    }
    json_t *row = suite_row(r, size, d), *kernels = json_object_get(answer, "kernels"), *kernel;
    size_t i;
    json_object_set(row, "kernels", kernels ? kernels : json_null());
    suite_show(c, row, answer);
    json_array_append_new(rows, row);
    if (!c->json)
        json_array_foreach (kernels, i, kernel)
            print_kernel(r, size, d, kernel);
    json_decref(answer);
    return !answer;
}

int
suite_profile(struct suite_call *c)
{
    if (!c->json)
        printf("%-26s %-5s %-8s %-16s %10s %10s %9s %9s %6s %8s %7s %10s %s\n", "rung", "cc",
               "size", "kernel", "global rq", "sectors/tx", "shared wf", "conflicts", "warps",
               "diverged", "camping", "bound us", "by");
    return for_each(c, "without an answer", json_array(), profile_one);
}
