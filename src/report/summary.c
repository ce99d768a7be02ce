/* SPDX-License-Identifier: Apache-2.0
 *
 * summary.c: a kernel in short, for terminal and page alike: its time, how near it comes to each
 * peak, one sentence on what binds it or what it waits for, advice. Start with report_summarise().
 */
#include "report/report_model.h"

#include <math.h>
#include <string.h>

const char *
report_term(const char *word)
{
    static const struct {
        const char *word, *meaning;
    } terms[] = {
#define TERM(word, meaning) {word, meaning},
#include "report/glossary.def"
#undef TERM
    };
    for (size_t k = 0; k < sizeof terms / sizeof *terms; k++)
        if (strcmp(terms[k].word, word) == 0)
            return terms[k].meaning;
    return NULL;
}

/* -- who it is --------------------------------------------------------------------------------- */

static double
at(const json_t *list, size_t k)
{
    return json_number_value(json_array_get(list, k));
}

static char *
dimensions(struct arena *a, const json_t *list)
{
    if (at(list, 2) > 1)
        return arena_printf(a, "%.0fx%.0fx%.0f", at(list, 0), at(list, 1), at(list, 2));
    return at(list, 1) > 1 ? arena_printf(a, "%.0fx%.0f", at(list, 0), at(list, 1))
                           : arena_printf(a, "%.0f", at(list, 0));
}

static void
identify(const struct device_profile *d, const json_t *k, struct arena *a, struct report_summary *s)
{
    double launches = report_number(k, "launches", NULL), failed = report_number(k, "failed", NULL);
    const json_t *o = json_object_get(k, "occupancy");
    s->name = ls_readable_name(a, report_text(k, "name"));
    s->shape = arena_printf(
        a, "grid %s, block %s, %.0f launch%s%s", dimensions(a, json_object_get(k, "grid")),
        dimensions(a, json_object_get(k, "block")), launches, launches == 1 ? "" : "es",
        failed > 0 ? arena_printf(a, ", %.0f of them failed", failed) : "");
    s->residency =
        arena_printf(a, "%.0f blocks, %.0f of %u warps per SM (%.0f %%), limited by %s",
                     report_number(o, "blocks_per_sm", NULL),
                     report_number(o, "warps_per_sm", NULL), d->max_warps_per_sm,
                     100 * report_number(o, "occupancy", NULL), report_text(o, "limited_by"));
    s->resources = arena_printf(a, "%.0f registers a thread, %.0f bytes of shared memory a block",
                                report_number(o, "registers_per_thread", NULL),
                                report_number(o, "shared_bytes", NULL));
}

/* -- time -------------------------------------------------------------------------------------- */

/* By which of its blocks a kernel's figures are known. */
static const char *
sampled_text(const json_t *kernel, struct arena *a)
{
    static const char *const counters[] = {"instructions", "l1_sectors", "l2_sectors"};
    const json_t *s = json_object_get(kernel, "sampled");
    double blocks = report_number(s, "blocks", NULL), of = report_number(s, "of", NULL), most = 0;
    if (!s)
        return NULL;
    if (blocks == of)
        return arena_printf(a, "all of %.0f blocks are counted: %s", of, report_text(s, "why_all"));
    for (size_t k = 0; k < sizeof counters / sizeof *counters; k++)
        most = fmax(most, report_number(s, "errors", counters[k], NULL));
    return arena_printf(a,
                        "%.0f of %.0f blocks, in %.0f rounds; counters ± %.1f %%, bytes read from "
                        "device memory ± %.1f %%",
                        blocks, of, report_number(s, "rounds", NULL), 100 * most,
                        100 * report_number(s, "errors", "dram_bytes_read", NULL));
}

/* Before 7.0 neither launches nor their blocks' start are known. */
static void
judge_time(const struct device_profile *d, const struct report_times *t, bool known, double off,
           struct arena *a, struct report_summary *s)
{
    bool measured = d->cc_major == 9;
    s->bound = t->bound.seconds;
    s->seconds = known ? t->estimate : t->bound.seconds;
    if (!known || !t->states.wait) {
        s->certainty = "a lower bound: waiting is not known";
        return;
    }
    s->low = fmax(s->seconds / MODEL_INTERVAL, s->bound) / off;
    s->high = s->seconds * MODEL_INTERVAL * off;
    if (measured)
        s->certainty = arena_printf(a, "9 of 10 such estimates within %s to %s",
                                    report_seconds(a, s->low), report_seconds(a, s->high));
    else
        s->certainty =
            arena_printf(a, "not measured on %u.%u: perhaps %s to %s%s", d->cc_major, d->cc_minor,
                         report_seconds(a, s->low), report_seconds(a, s->high),
                         d->cc_major < 7 ? ", without the launch" : "");
}

/* -- peaks and states -------------------------------------------------------------------------- */

static void
add_share(struct report_share *list, size_t *count, const char *name, double share)
{
    list[(*count)++] = (struct report_share){name, share < 0 ? 0 : share > 1 ? 1 : share};
}

/* Resources that are always shown come first, then the others where they are used enough to
 * matter. */
static void
add_peaks(const struct report_times *t, struct report_summary *s)
{
    static const struct {
        const char *name;
        enum bound_resource resource;
        bool always;
    } rows[] = {{"DRAM", BOUND_DRAM, true},
                {"L2", BOUND_L2, true},
                {"L1", BOUND_L1, true},
                {"shared", BOUND_SHARED, true},
                {"FP32", BOUND_FP32, true},
                {"tensor", BOUND_TENSOR, true},
                {"issue", BOUND_ISSUE, true},
                {"FP64", BOUND_FP64, false},
                {"int", BOUND_INT, false},
                {"SFU", BOUND_SFU, false},
                {"constant", BOUND_CONSTANT, false},
                {"atomics", BOUND_ATOMIC, false},
                {"texture", BOUND_TEXTURE, false}};
    const double matters = 0.1;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        double seconds = t->bound.each[rows[k].resource];
        if (rows[k].resource == BOUND_L1 && t->pipe > seconds)
            seconds = t->pipe;
        double share = s->seconds > 0 ? seconds / s->seconds : 0;
        if (rows[k].always || share >= matters)
            add_share(s->peaks, &s->peak_count, rows[k].name, share);
    }
}

struct waits {
    double memory, shared, arithmetic;
};

static double
line_wait(const json_t *line, const void *kind)
{
    return report_number(line, "waits", (const char *)kind, NULL);
}

/* The time that the line's work takes of `resource`; 0: another resource bounds the line. resource
 * NULL: of whichever bounds it. */
static double
line_bound(const json_t *line, const void *resource)
{
    const json_t *bound = json_object_get(line, "bound");
    bool same = !resource || strcmp(report_text(bound, "busiest"), (const char *)resource) == 0;
    return same ? report_number(bound, "seconds", NULL) : 0;
}

static struct waits
add_waits(const json_t *kernel)
{
    struct waits w = {0};
    size_t k;
    json_t *line;
    json_array_foreach (json_object_get(kernel, "lines"), k, line) {
        w.memory += line_wait(line, "memory");
        w.shared += line_wait(line, "shared");
        w.arithmetic += line_wait(line, "arithmetic");
    }
    return w;
}

static void
add_states(const struct waits *w, const struct report_model *m, const struct report_times *t,
           struct report_summary *s)
{
    const struct warp_states *x = &t->states;
    double wavefronts = (double)m->work.shared_wavefronts, pipe = m->waiting.pipe_wavefronts;
    double shared =
        pipe > 0 ? x->pipe * fmin(1, wavefronts / pipe) : 0; /* the rest of the pipe's is L1's */
    double chain = w->memory + w->shared + w->arithmetic, rest = 0, sum;
    if (x->wait <= 0 || chain <= 0)
        return;
    double scale = x->wait / chain; /* the chain knows also of what is only issued */
    for (int r = 0; r < BOUND_COUNT; r++)
        rest += x->at[r];
    rest -= x->at[BOUND_ISSUE] + x->at[BOUND_DRAM] + x->at[BOUND_L2] + x->at[BOUND_SHARED] +
            x->at[BOUND_L1];
    sum = x->wait + rest + x->pipe + x->at[BOUND_ISSUE] + x->at[BOUND_DRAM] + x->at[BOUND_L2] +
          x->at[BOUND_SHARED] + x->at[BOUND_L1];
    add_share(s->states, &s->state_count, "memory",
              (w->memory * scale + x->at[BOUND_DRAM] + x->at[BOUND_L2] + x->at[BOUND_L1] + x->pipe -
               shared) /
                  sum);
    add_share(s->states, &s->state_count, "shared memory",
              (w->shared * scale + x->at[BOUND_SHARED] + shared) / sum);
    add_share(s->states, &s->state_count, "arithmetic", w->arithmetic * scale / sum);
    add_share(s->states, &s->state_count, "issue", x->at[BOUND_ISSUE] / sum);
    add_share(s->states, &s->state_count, "other units", rest / sum);
}

/* -- the sentence ------------------------------------------------------------------------------ */

/* "file.cu:12" */
static char *
place_of(struct arena *a, const json_t *line)
{
    const char *file = report_text(line, "file"), *slash = strrchr(file, '/');
    return arena_printf(a, "%s:%.0f", slash ? slash + 1 : file, report_number(line, "line", NULL));
}

static char *
bound_sentence(const json_t *kernel, const struct report_times *t, struct arena *a)
{
    static const char *const words[BOUND_COUNT] = {
        [BOUND_ISSUE] = "instruction issue: the schedulers are busy; only fewer instructions help",
        [BOUND_FP32] =
            "single-precision arithmetic: the units are busy, which is the best there is",
        [BOUND_FP64] = "double-precision arithmetic",
        [BOUND_INT] = "integer arithmetic: indices, divisions, comparisons",
        [BOUND_SFU] = "special functions: divisions, roots, sines, conversions of doubles",
        [BOUND_SHARED] = "shared memory: its banks serve one pass a clock",
        [BOUND_L1] = "the way to L1: a request takes a clock for each line that its threads touch",
        [BOUND_L2] = "L2: the traffic between it and the SMs",
        [BOUND_DRAM] = "device memory: only moving fewer bytes helps",
        [BOUND_TENSOR] = "the matrix units, which is the best there is",
        [BOUND_CONSTANT] = "constant memory, which serves one address at a time",
        [BOUND_ATOMIC] = "atomics on one line of memory, one after the other",
        [BOUND_TEXTURE] = "the texture units, which read so many texels a clock",
    };
    enum bound_resource r = t->bound.busiest;
    double busy = t->bound.seconds;
    if (t->pipe > busy) {
        busy = t->pipe;
        r = t->bound.each[BOUND_SHARED] > t->pipe / 2 ? BOUND_SHARED : BOUND_L1;
    }
    bool of_memory = r == BOUND_DRAM || r == BOUND_L2;
    const json_t *line =
        report_line_of_most(kernel, line_bound, of_memory ? "l1" : model_bound_name(r));
    return arena_printf(a, "Bound by %s (%sbusy %.0f %% of the time%s%s).", words[r],
                        busy > t->bound.seconds ? "the pipe to L1 and shared memory is " : "",
                        100 * fmin(1, busy / t->estimate), line ? ", mostly by " : "",
                        line ? place_of(a, line) : "");
}

static char *
wait_sentence(const json_t *kernel, const struct report_times *t, const struct report_summary *s,
              struct arena *a)
{
    static const struct {
        const char *state, *kind, *words;
    } rows[] = {{"memory", "memory", "for data from memory"},
                {"shared memory", "shared", "for shared memory"},
                {"arithmetic", "arithmetic", "for results of the instructions before"},
                {"issue", "", "for its turn to issue"},
                {"other units", "", "for units that other warps use"}};
    const struct report_share *most = &s->states[0];
    size_t row = 0;
    for (size_t k = 1; k < s->state_count; k++)
        if (s->states[k].share > most->share)
            most = &s->states[k];
    while (strcmp(rows[row].state, most->name) != 0)
        row++;
    const json_t *line = report_line_of_most(kernel, line_wait, rows[row].kind);
    return arena_printf(a, "No resource is full: a warp waits %.0f %% of its time %s%s%s%s.",
                        100 * most->share, rows[row].words, line ? ", mostly at " : "",
                        line ? place_of(a, line) : "",
                        t->states.rounds && report_number(kernel, "counters", "barriers", NULL) > 0
                            ? "; blocks go from barrier to barrier one after the other"
                            : "");
}

static void
judge(const json_t *kernel, const struct report_times *t, bool known, struct arena *a,
      struct report_summary *s)
{
    double most = fmax(t->bound.seconds, t->pipe);
    const char *own = NULL;
    if (!known || !s->state_count) {
        s->verdict = bound_sentence(kernel, t, a);
        return;
    }
    if (report_starts_bind(t) && t->starts > t->launch)
        own = arena_printf(a, "Starting the blocks takes %s, their work %s: each does too little.",
                           report_seconds(a, t->starts), report_seconds(a, t->work));
    else if (t->work > 1.5 * most)
        own = wait_sentence(kernel, t, s, a);
    else
        own = bound_sentence(kernel, t, a);
    if (t->launch > 0.5 * t->estimate)
        own = arena_printf(a, "The launch itself takes %s of it, the work %s. %s",
                           report_seconds(a, t->launch), report_seconds(a, report_own_seconds(t)),
                           own);
    s->verdict = own;
}

void
report_summarise(const struct device_profile *d, const json_t *kernel, struct arena *a,
                 struct report_summary *out)
{
    struct report_model m;
    struct report_times t;
    memset(out, 0, sizeof *out);
    bool known = report_model_of(kernel, &m);
    report_times_of(d, &m, &t);
    if (!known) {
        t.bound.seconds = report_number(kernel, "roofline", "seconds", NULL);
        for (int r = 0; r < BOUND_COUNT; r++) {
            t.bound.each[r] = report_number(kernel, "roofline", "resources",
                                            model_bound_name((enum bound_resource)r), NULL);
            if (t.bound.each[r] == t.bound.seconds)
                t.bound.busiest = (enum bound_resource)r;
        }
        t.estimate = t.work = t.bound.seconds;
    }
    struct waits w = add_waits(kernel);
    identify(d, kernel, a, out);
    judge_time(d, &t, known, 1 + report_number(kernel, "sampled", "error", NULL), a, out);
    out->sampled = sampled_text(kernel, a);
    add_peaks(&t, out);
    add_states(&w, &m, &t, out);
    judge(kernel, &t, known, a, out);
    report_advise(d, kernel, a, &out->advice);
    while (out->worthwhile < out->advice.list.count &&
           report_worthwhile(&out->advice.list.at[out->worthwhile]))
        out->worthwhile++;
}

void
report_summary_fini(struct report_summary *s)
{
    VEC_FREE(&s->advice.list);
}
