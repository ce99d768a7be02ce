/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep suite run: every rung at every size on every device. A rung is good when its
 * result is what its header promises: right, or (for the lectures' mistakes) wrong at one of its
 * sizes at least; then the row's "verified" is true, and "result" says what was found. What a real
 * device of that generation lacks is run all the same and said ("emulated"); left out is what calls
 * of the API refuse there ("needs").
 */
#include "cli/suite/suite.h"

#include "model/model.h"

#include <stdio.h>
#include <string.h>

/* One rung on one device. */
struct tally {
    uint32_t runs, good, right;
    double milliseconds; /* at the last size */
    char message[400];
};

static const char *
found(const struct suite_run_result *r)
{
    return r->right ? "right" : r->ran ? "wrong" : "error";
}

/* What a wrong listing may do: a false result, or an error that its
 * program reports. Not a crash. */
static bool
is_good(const struct suite_rung *rung, const struct suite_run_result *r)
{
    return r->right || rung->result != SUITE_RIGHT;
}

static void
run_one(struct suite_call *c, const struct suite_rung *r, const char *size,
        const struct suite_device *d, struct tally *t, json_t *rows)
{
    static const char *const expected[] = {"right", "wrong", "either"};
    struct suite_run_result result;
    struct ls_error err = {0};
    suite_progress(c, r, size, d);
    if (!suite_run_one(c, r, size, d, &result, &err))
        snprintf(result.message, sizeof result.message, "%.290s", err.text);
    bool good = !err.text[0] && is_good(r, &result);
    t->runs++;
    t->good += good;
    t->right += result.right;
    t->milliseconds = result.milliseconds;
    if (!good && !t->message[0])
        snprintf(t->message, sizeof t->message, "size %s: %.300s", size, result.message);
    json_t *row = suite_row(r, size, d);
    json_object_set_new(row, "verified", json_boolean(good));
    json_object_set_new(row, "result", json_string(found(&result)));
    json_object_set_new(row, "expected", json_string(expected[r->result]));
    json_object_set_new(row, "milliseconds", json_real(result.milliseconds));
    if (suite_emulated(r, d->profile))
        json_object_set_new(row, "emulated", json_string(suite_emulated(r, d->profile)));
    if (result.message[0])
        json_object_set_new(row, "message", json_string(result.message));
    if (result.report)
        json_object_set_new(row, "report", result.report);
    suite_show(c, row, NULL);
    json_array_append_new(rows, row);
}

/* A listing that is stated to be wrong but is right everywhere is misdescribed. */
static bool
finish(const struct suite_rung *r, struct tally *t)
{
    if (t->good == t->runs && r->result == SUITE_WRONG && t->right == t->runs)
        snprintf(t->message, sizeof t->message, "stated to be wrong, but right at every size");
    return !t->message[0];
}

static void
print_tally(const struct suite_rung *r, const struct suite_device *d, const struct tally *t)
{
    char verified[40], cc[16];
    snprintf(cc, sizeof cc, "%u.%u", d->profile->cc_major, d->profile->cc_minor);
    snprintf(verified, sizeof verified, "%s %u/%u", t->message[0] ? "NO" : "yes", t->right,
             t->runs);
    const char *emulated = suite_emulated(r, d->profile);
    printf("%-30s %-12s %-5s %-10s %12.3f%s%s%s%s\n", r->name, suite_ids(r), cc, verified,
           t->milliseconds,
           t->message[0]              ? "  "
           : r->result != SUITE_RIGHT ? "  wrong on purpose"
                                      : "",
           t->message, emulated ? "  emulated: " : "", emulated ? emulated : "");
    fflush(stdout);
}

int
suite_run(struct suite_call *c)
{
    json_t *rows = json_array();
    uint32_t failed = 0, runs = 0;
    for (size_t i = 0; i < c->rungs.count; i++)
        c->total += (uint32_t)((c->sizes.count ? c->sizes.count : c->rungs.at[i]->sizes.count) *
                               suite_devices_for(c, c->rungs.at[i]));
    if (!c->json)
        printf("%-30s %-12s %-5s %-10s %12s\n", "rung", "systems", "cc", "verified", "ms, largest");
    for (size_t i = 0; i < c->rungs.count; i++) {
        const struct suite_rung *r = c->rungs.at[i];
        const suite_words *sizes = c->sizes.count ? &c->sizes : &r->sizes;
        for (size_t k = 0; k < c->devices.count; k++) {
            struct tally t = {0};
            if (suite_leaves_out(c, r, &c->devices.at[k]))
                continue;
            for (size_t s = 0; s < sizes->count; s++)
                run_one(c, r, sizes->at[s], &c->devices.at[k], &t, rows);
            suite_progress(c, NULL, NULL, NULL);
            /* Sizes of the caller's choice need not show a listing's mistake. */
            failed += !(c->sizes.count ? !t.message[0] : finish(r, &t));
            runs += t.runs;
            if (!c->json)
                print_tally(r, &c->devices.at[k], &t);
            else if (t.message[0])
                columns_say("lockstep suite: %s on %s: %s\n", r->name,
                            c->devices.at[k].profile->name, t.message);
        }
    }
    int status = failed ? CLI_FINDINGS : runs ? CLI_OK : CLI_NOTHING;
    if (c->json)
        return suite_write(c, rows, status);
    json_decref(rows);
    printf("%zu rungs, %zu devices, %u runs: %u not as they should be\n", c->rungs.count,
           c->devices.count, runs, failed);
    return status;
}
