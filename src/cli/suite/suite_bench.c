/* SPDX-License-Identifier: Apache-2.0
 *
 * lockstep suite bench: times of every rung, the median of --repeat timings by events and the
 * distance of their quartiles; on a GPU (--device gpu) at the sizes that a rung names for it, first
 * verified at its bench size, beside the libraries that suite/peers.py finds there.
 */
#include "cli/suite/suite.h"

#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bench {
    struct suite_call *c;
    json_t *rows;
    bool gpu;
    uint32_t failed;
    const char *system; /* of the last rung, and the first median of that system and entry */
    double first;
};

static double
real_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* The figure that says how fast, in the table's words. */
static void
speed(const json_t *figures, char *out, size_t room)
{
    double gflops = real_of(figures, "gflops"), gb = real_of(figures, "gigabytes_per_second");
    out[0] = '\0';
    if (gb > 0)
        snprintf(out, room, "%.0f GB/s", gb);
    else if (gflops > 0)
        snprintf(out, room, "%.0f GFLOP/s", gflops);
}

static void
print_row(struct bench *b, const struct suite_rung *r, const struct suite_device *d,
          const char *entry, json_t *row)
{
    const json_t *report = json_object_get(row, "report");
    double median = real_of(row, "median_milliseconds");
    char rate[40];
    speed(json_object_get(report, "figures"), rate, sizeof rate);
    if (!b->system || strcmp(b->system, r->system) != 0)
        b->first = median;
    b->system = r->system;
    const char *why = json_string_value(json_object_get(row, "message"));
    printf("%-24s %-12s %u.%-3u %-28s %11.4f %9.4f %9.2f %14s%s%s\n", r->name, suite_ids(r),
           d->profile->cc_major, d->profile->cc_minor, entry, median,
           real_of(row, "spread_milliseconds"), median > 0 ? b->first / median : 0, rate,
           why ? "  " : "", why ? why : "");
    fflush(stdout);
}

/* Times one rung at one size and prints its row. */
static void
time_one(struct bench *b, const struct suite_rung *r, const char *entry,
         const struct suite_device *d, bool verify)
{
    struct suite_call *c = b->c;
    struct suite_run_result result;
    struct ls_error err = {0};
    suite_words words = {0};
    suite_split(&c->table->arena, entry, &words);
    suite_progress(c, r, entry, d);
    if (b->gpu) { /* what takes microseconds is timed several times over */
        VEC_PUSH(&words, "--batch");
        VEC_PUSH(&words, "0");
    }
    VEC_PUSH(&words, "--verify");
    VEC_PUSH(&words, verify ? "1" : "0");
    if (!suite_run_words(c, r, &words, d, &result, &err))
        snprintf(result.message, sizeof result.message, "%.290s", err.text);
    suite_progress(c, NULL, NULL, NULL);
    bool good =
        !err.text[0] && (result.right || r->result != SUITE_RIGHT || (!verify && result.finished));
    json_t *row = suite_row(r, entry, d);
    json_object_set_new(row, "entry", json_string(entry));
    json_object_set_new(row, "verified", verify ? json_boolean(good) : json_null());
    json_object_set_new(row, "milliseconds", json_real(result.milliseconds));
    json_object_set_new(row, "median_milliseconds",
                        json_real(real_of(result.report, "median_milliseconds")));
    json_object_set_new(row, "spread_milliseconds",
                        json_real(real_of(result.report, "spread_milliseconds")));
    if (!good)
        json_object_set_new(row, "message", json_string(result.message));
    if (result.report)
        json_object_set_new(row, "report", result.report);
    b->failed += !good;
    if (!c->json)
        print_row(b, r, d, entry, row);
    suite_show(c, row, NULL);
    json_array_append_new(b->rows, row);
    VEC_FREE(&words);
}

/* On a GPU the large sizes are timed only: their references would take minutes on the host. */
static void
bench_rung(struct bench *b, const struct suite_rung *r, const struct suite_device *d)
{
    const suite_words *sizes = &b->c->sizes;
    if (sizes->count)
        for (size_t i = 0; i < sizes->count; i++)
            time_one(b, r, sizes->at[i], d, true);
    else
        time_one(b, r, r->bench_size, d, true);
    for (size_t i = 0; b->gpu && !sizes->count && i < r->gpu.count; i++)
        time_one(b, r, r->gpu.at[i], d, false);
}

/* -- peers ------------------------------------------------------------------------------------- */

static bool
wanted(const struct suite_call *c, const char *system)
{
    for (size_t i = 0; i < c->rungs.count; i++)
        if (strcmp(c->rungs.at[i]->system, system) == 0)
            return true;
    return c->rungs.count == c->table->rungs.count;
}

/* The peer's entry, or that with options of the rung's own behind it. */
static bool
same_work(const char *ours, const char *peer)
{
    size_t n = strlen(peer);
    return ours && strncmp(ours, peer, n) == 0 &&
           (!ours[n] || strncmp(ours + n, " --tile ", 8) == 0);
}

/* Our best time for the same work, 0 where there is none. */
static double
best_of(const json_t *rows, const char *system, const char *entry)
{
    size_t i;
    json_t *row;
    double best = 0;
    json_array_foreach ((json_t *)rows, i, row) {
        const char *name = json_string_value(json_object_get(row, "rung"));
        const json_t *size = json_object_get(row, "entry");
        double ms = real_of(row, "median_milliseconds");
        if (name && strncmp(name, system, strlen(system)) == 0 && name[strlen(system)] == '/' &&
            same_work(json_string_value(size), entry) && ms > 0 && (best == 0 || ms < best))
            best = ms;
    }
    return best;
}

static void
print_peer(const struct bench *b, const json_t *row)
{
    const char *system = json_string_value(json_object_get(row, "system"));
    const char *entry = json_string_value(json_object_get(row, "entry"));
    const char *peer = json_string_value(json_object_get(row, "peer"));
    const char *skipped = json_string_value(json_object_get(row, "skipped"));
    double median = real_of(row, "median_milliseconds"), ours = 0;
    char rate[40];
    if (!system || !entry || !peer) {
        if (skipped)
            printf("peers: %s\n", skipped);
        return;
    }
    speed(row, rate, sizeof rate);
    ours = best_of(b->rows, system, entry);
    printf("%-24s %-24s %-28s %11.4f %9.4f %14s  ", system, peer, entry, median,
           real_of(row, "spread_milliseconds"), rate);
    if (skipped)
        printf("skipped: %s\n", skipped);
    else if (ours > 0)
        printf("ours %.4f ms: %.0f %% of its speed\n", ours, 100 * median / ours);
    else
        printf("\n");
}

static void
bench_peers(struct bench *b)
{
    struct suite_call *c = b->c;
    struct suite_output o;
    struct ls_error err = {0};
    suite_words argv = {0};
    VEC_PUSH(&argv, "/usr/bin/env");
    VEC_PUSH(&argv, "python3");
    VEC_PUSH(&argv, arena_printf(&c->table->arena, "%s/peers.py", c->table->folder));
    for (size_t i = 0; i < c->rungs.count; i++)
        if (i == 0 || strcmp(c->rungs.at[i]->system, c->rungs.at[i - 1]->system) != 0)
            VEC_PUSH(&argv, c->rungs.at[i]->system);
    VEC_PUSH(&argv, NULL);
    bool ok = wanted(c, c->rungs.at[0]->system) &&
              suite_execute(argv.at, &c->devices.at[0], c->timeout_s, &o, &err);
    VEC_FREE(&argv);
    if (!ok)
        return;
    if (!c->json)
        printf("\n%-24s %-24s %-28s %11s %9s\n", "work", "peer", "size", "median ms", "spread");
    char *save = NULL;
    for (char *line = strtok_r(o.out.at, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        json_t *row = json_loads(line, 0, NULL);
        if (row && !c->json)
            print_peer(b, row);
        if (row)
            json_array_append_new(b->rows, row);
    }
    if (o.status && !c->json)
        printf("peers: none (%s)\n", o.timed_out ? "not finished in time" : o.err.at);
    suite_output_free(&o);
}

/* -- the verb ---------------------------------------------------------------------------------- */

int
suite_bench(struct suite_call *c)
{
    const char *device = getenv("LOCKSTEP_DEVICE");
    struct bench b = {.c = c, .rows = json_array(), .gpu = device && strcmp(device, "gpu") == 0};
    for (size_t i = 0; i < c->rungs.count; i++)
        c->total += suite_devices_for(c, c->rungs.at[i]) *
                    (uint32_t)(1 + (b.gpu ? c->rungs.at[i]->gpu.count : 0));
    if (!c->json)
        printf("%-24s %-12s %-5s %-28s %11s %9s %9s %14s\n", "rung", "systems", "cc", "size",
               "median ms", "spread", "speed-up", "speed");
    for (size_t k = 0; k < c->devices.count; k++)
        for (size_t i = 0; i < c->rungs.count; i++)
            if (!suite_leaves_out(c, c->rungs.at[i], &c->devices.at[k]))
                bench_rung(&b, c->rungs.at[i], &c->devices.at[k]);
    if (b.gpu && c->rungs.count)
        bench_peers(&b);
    if (b.gpu && c->devices.count)
        suite_roofline(c, c->devices.at[0].profile, b.rows);
    int status = b.failed ? CLI_FINDINGS : json_array_size(b.rows) ? CLI_OK : CLI_NOTHING;
    if (c->json)
        return suite_write(c, b.rows, status);
    json_decref(b.rows);
    printf("times %s; speed-up: against the first rung of the folder; spread: between quartiles\n",
           b.gpu ? "on the GPU" : "on this computer's processor");
    return status;
}
