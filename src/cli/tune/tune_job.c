/* SPDX-License-Identifier: Apache-2.0
 *
 * tune_job.c: one combination on one device, in a process of its own: compiled, run once and judged
 * (exit status, and the line "verified" of programs that print one), then ranked: by the model from
 * the profile of that run, or by the time of the kernels of more runs. Start with tune_compute().
 */
#define _GNU_SOURCE /* memfd_create */
#include "cli/tune/tune.h"

#include "cc/cc.h"
#include "cli/run/program.h"
#include "model/model.h"
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const tune_status_words[TUNE_STATUSES] = {
#define STATUS(name, word, text) word,
#include "cli/tune/tune_status.def"
#undef STATUS
};
const char *const tune_status_texts[TUNE_STATUSES] = {
#define STATUS(name, word, text) text,
#include "cli/tune/tune_status.def"
#undef STATUS
};

struct labour {
    const struct tune_call *call;
    const struct tune_job *job;
    struct arena arena;
    const char *path; /* the program */
    const char **argv;
    const char *out_file; /* what the library inside it writes */
    json_t *result;
};

/* -- texts ------------------------------------------------------------------------------------- */

/* UTF-8 or not: JSON takes no other. */
static json_t *
safe_string(const char *text)
{
    char *copy = strdup(text);
    json_t *j = copy ? json_string(copy) : NULL;
    for (char *c = copy; c && !j && *c; c++)
        if ((unsigned char)*c >= 128)
            *c = '?';
    if (!j)
        j = json_string(copy ? copy : "");
    free(copy);
    return j;
}

static void set_status(struct labour *w, enum tune_status s, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void
set_status(struct labour *w, enum tune_status s, const char *format, ...)
{
    char why[400];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    why[strcspn(why, "\n")] = '\0';
    json_object_set_new(w->result, "status", json_string(tune_status_words[s]));
    if (why[0])
        json_object_set_new(w->result, "why", safe_string(why));
}

static char *
last_line(struct arena *a, const char *text)
{
    size_t end = strlen(text), begin;
    while (end && strchr("\n ", text[end - 1]))
        end--;
    for (begin = end; begin && text[begin - 1] != '\n'; begin--)
        ;
    return arena_strndup(a, text + begin, end - begin);
}

/* Of the first line that holds `mark`: what follows it; NULL: no line does. */
static char *
behind(struct arena *a, const char *text, const char *mark)
{
    const char *at = text ? strstr(text, mark) : NULL;
    at = at ? at + strlen(mark) : NULL;
    return at ? arena_strndup(a, at, strcspn(at, "\n")) : NULL;
}

/* -- building ---------------------------------------------------------------------------------- */

/* The compiler's messages, which it writes to our standard error. */
static char *
messages(struct labour *w, int fd)
{
    enum { MOST = 65536 };
    char *text = arena_alloc(&w->arena, MOST + 1);
    ssize_t n = fd >= 0 ? pread(fd, text, MOST, 0) : 0;
    text[n > 0 ? n : 0] = '\0';
    return text;
}

static bool
build(struct labour *w)
{
    struct ls_error err = {0};
    const char **extra;
    size_t n = tune_definitions(w->call, w->job, &w->arena, &extra);
    int fd = memfd_create("messages", MFD_CLOEXEC);
    if (fd >= 0)
        dup2(fd, 2);
    w->path = program_path(&w->arena, w->call->program, extra, n, &err);
    if (!w->path) {
        char *text = messages(w, fd), *line = behind(&w->arena, text, "error: ");
        set_status(w, TUNE_COMPILE, "%s", line ? line : err.text);
    }
    if (fd >= 0)
        close(fd);
    return w->path != NULL;
}

/* -- running ----------------------------------------------------------------------------------- */

static void
set_environment(struct labour *w)
{
    const struct tune_call *c = w->call;
    struct cli_common common = c->line->common;
    common.cc = w->job->device->cc;
    common.gpu = w->job->device->gpu;
    common.quiet = false;
    program_environment(&common);
    unsetenv("LOCKSTEP_QUIET");
    setenv("LOCKSTEP_VERBOSE", "1", 1); /* refused calls say why */
    setenv("LOCKSTEP_DEVICE", c->real ? "gpu" : "virtual", 1);
    if (c->by == TUNE_BY_MODEL) {
        setenv("LOCKSTEP_TOOL", "profile", 1);
        setenv("LOCKSTEP_TOOL_OUT", w->out_file, 1);
        char sample[40];
        snprintf(sample, sizeof sample, "sample=%llu", (unsigned long long)c->sample);
        setenv("LOCKSTEP_TOOL_OPTIONS", sample, 1);
    } else {
        unsetenv("LOCKSTEP_TOOL");
        setenv("LOCKSTEP_TIMES", w->out_file, 1);
    }
    if (!common.workers && !getenv("LOCKSTEP_WORKERS") && c->workers_at_once > 1) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN) / c->workers_at_once;
        char digits[24];
        snprintf(digits, sizeof digits, "%ld", cores > 0 ? cores : 1);
        setenv("LOCKSTEP_WORKERS", digits, 1);
    }
}

/* NULL: says nothing about it; else whether its result is right, as
 * the suite's programs print it. */
static const char *
verified_line(struct labour *w, const struct suite_output *o, bool *right)
{
    char *json = behind(&w->arena, o->out.at, "\"verified\":");
    char *line = behind(&w->arena, o->out.at, "\n  verified  ");
    *right = json ? ls_starts_with(json, "true") : line && ls_starts_with(line, "yes");
    if (json) {
        char *why = behind(&w->arena, json, "\"why\":\"");
        if (why)
            why[strcspn(why, "\"")] = '\0';
        return ls_starts_with(json, "null") ? NULL : why ? why : json;
    }
    if (!line || ls_starts_with(line, "not asked"))
        return NULL;
    return ls_starts_with(line, "NO: ") ? line + 4 : line;
}

/* The runtime's reason for a launch that the device cannot do. */
static char *
refused(struct labour *w, const struct suite_output *o)
{
    char *line = behind(&w->arena, o->err.at, ": kernel \"");
    char *end = line ? strstr(line, "\": ") : NULL;
    if (!end)
        return NULL;
    end[strcspn(end, "\n")] = '\0';
    char *place = strrchr(end, '('); /* of the launch: the same for all */
    if (place && place > end && place[-1] == ' ' && strchr(place, ':') && ls_ends_with(place, ")"))
        place[-1] = '\0';
    return end + 3;
}

static bool
judge(struct labour *w, const struct suite_output *o)
{
    bool right;
    const char *verified = verified_line(w, o, &right);
    const char *launch = refused(w, o);
    json_object_set_new(w->result, "verified", verified ? json_boolean(right) : json_null());
    if (o->timed_out)
        set_status(w, TUNE_TIMEOUT, "after %u s", w->call->timeout_s);
    else if (o->status == 0 && (verified ? right : !launch))
        return true; /* a refused launch that nobody noticed counts, unless the result is right */
    else if (launch)
        set_status(w, TUNE_LAUNCH, "%s", launch);
    else if (verified && !right)
        set_status(w, TUNE_WRONG, "%s", verified);
    else if (o->status > 128)
        set_status(w, TUNE_FAILED, "signal %d: %s", o->status - 128,
                   last_line(&w->arena, o->err.at));
    else
        set_status(w, TUNE_FAILED, "exit status %d: %s", o->status,
                   last_line(&w->arena, o->err.at));
    return false;
}

/* Runs it once; what the library inside it wrote. False: it failed, or launched nothing. */
static bool
run_once(struct labour *w, json_t **out)
{
    struct suite_output o;
    struct ls_error err = {0};
    *out = NULL;
    unlink(w->out_file);
    if (!suite_execute(w->argv, w->job->device, w->call->timeout_s, &o, &err)) {
        set_status(w, TUNE_FAILED, "%s", err.text);
        return false;
    }
    bool fine = judge(w, &o);
    const char *list = w->call->by == TUNE_BY_MODEL ? "kernels" : "launches";
    *out = json_load_file(w->out_file, 0, NULL);
    if (fine && !json_array_size(json_object_get(*out, list))) {
        const char *launch = refused(w, &o);
        set_status(w, launch ? TUNE_LAUNCH : TUNE_NOTHING, "%s", launch ? launch : "");
        fine = false;
    }
    unlink(w->out_file);
    suite_output_free(&o);
    return fine;
}

/* -- by the model ------------------------------------------------------------------------------ */

static json_t *
kernel_row(struct labour *w, const json_t *k, double milliseconds)
{
    const json_t *x = json_object_get(k, "occupancy"), *r = json_object_get(k, "roofline");
    return json_pack("{s:s, s:O, s:f, s:s, s:O, s:O, s:s, s:O, s:O, s:O*}", "kernel",
                     ls_readable_name(&w->arena, report_text(k, "name")), "launches",
                     json_object_get(k, "launches"), "milliseconds", milliseconds, "bound_by",
                     report_text(r, "limit"), "blocks_per_sm", json_object_get(x, "blocks_per_sm"),
                     "warps_per_sm", json_object_get(x, "warps_per_sm"), "limited_by",
                     report_text(x, "limited_by"), "registers",
                     json_object_get(x, "registers_per_thread"), "shared_bytes",
                     json_object_get(x, "shared_bytes"), "sampled", json_object_get(k, "sampled"));
}

/* Names of kernels, each once, with commas between. */
static void
add_name(struct labour *w, struct text *names, const char *symbol)
{
    const char *name = ls_readable_name(&w->arena, symbol), *at = names->at;
    size_t n = strlen(name);
    while (at && (at = strstr(at, name)) &&
           ((at > names->at && at[-1] != ' ') || (at[n] && at[n] != ',')))
        at++;
    if (!at)
        text_add(names, "%s%s", names->at ? ", " : "", name);
}

/* The sum over kernels of launches times what the model says of one. */
static void
rank_by_model(struct labour *w, const json_t *profile)
{
    json_t *kernels = json_array(), *k;
    struct text ran = {0};
    double sum = 0;
    size_t n;
    json_array_foreach (json_object_get(profile, "kernels"), n, k) {
        if (!ls_name_contains(report_text(k, "name"), w->call->kernel)) {
            add_name(w, &ran, report_text(k, "name"));
            continue;
        }
        double seconds = report_number(k, "roofline", "estimate", NULL);
        double all = 1e3 * seconds * report_number(k, "launches", NULL);
        sum += all;
        json_array_append_new(kernels, kernel_row(w, k, all));
    }
    if (json_array_size(kernels))
        set_status(w, TUNE_OK, "%s", "");
    else
        set_status(w, TUNE_NOTHING, "none whose name contains %s, but %s", w->call->kernel, ran.at);
    text_free(&ran);
    json_object_set_new(w->result, "milliseconds", json_real(sum));
    json_object_set_new(w->result, "kernels", kernels);
}

/* -- by time ----------------------------------------------------------------------------------- */

static int
smaller(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static double
median(double *v, size_t n)
{
    qsort(v, n, sizeof *v, smaller);
    return n ? n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2 : 0;
}

/* The kernels' time in one run of the program: for each kernel and shape its launches times their
 * median. The first launch of several warms up and is left out of the median. */
static double
time_of(struct labour *w, const json_t *times, struct text *ran, bool *any)
{
    json_t *l;
    size_t n;
    double sum = 0;
    json_array_foreach (json_object_get(times, "launches"), n, l) {
        const json_t *list = json_object_get(l, "milliseconds");
        size_t count = json_array_size(list), first = count > 1;
        double *v = ARENA_ARRAY(&w->arena, double, count + 1);
        if (!ls_name_contains(report_text(l, "kernel"), w->call->kernel)) {
            add_name(w, ran, report_text(l, "kernel"));
            continue;
        }
        for (size_t k = first; k < count; k++)
            v[k - first] = json_number_value(json_array_get(list, k));
        sum += report_number(l, "count", NULL) * median(v, count - first);
        *any = true;
    }
    return sum;
}

static void
rank_by_time(struct labour *w)
{
    uint32_t runs = w->call->runs;
    double *v = ARENA_ARRAY(&w->arena, double, runs);
    json_t *list = json_array();
    struct text ran = {0};
    bool fine = true, any = false;
    for (uint32_t k = 0; fine && k < runs; k++) {
        json_t *times;
        fine = run_once(w, &times);
        if (fine)
            json_array_append_new(list, json_real(v[k] = time_of(w, times, &ran, &any)));
        json_decref(times);
    }
    json_object_set_new(w->result, "times", list);
    if (fine && !any) {
        set_status(w, TUNE_NOTHING, "none whose name contains %s, but %s", w->call->kernel, ran.at);
    } else if (fine) {
        set_status(w, TUNE_OK, "%s", "");
        json_object_set_new(w->result, "milliseconds", json_real(median(v, runs)));
        json_object_set_new(w->result, "least", json_real(v[0]));
        json_object_set_new(w->result, "most", json_real(v[runs - 1]));
    }
    text_free(&ran);
}

/* -- all of it --------------------------------------------------------------------------------- */

static void
prepare(struct labour *w)
{
    size_t n = 0;
    char **arguments = tune_arguments(w->call, w->job, &w->arena);
    while (arguments[n])
        n++;
    w->argv = ARENA_ARRAY(&w->arena, const char *, n + 2);
    w->argv[0] = w->path;
    memcpy(w->argv + 1, arguments, n * sizeof *w->argv);
    w->out_file = tune_state_path(w->call, w->job,
                                  arena_printf(&w->arena, "%ld.tmp", (long)getpid()), &w->arena);
    set_environment(w);
}

/* Programs read nothing from the terminal. */
static void
close_input(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd > 0) {
        dup2(fd, 0);
        close(fd);
    }
}

json_t *
tune_compute(const struct tune_call *c, const struct tune_job *j)
{
    struct labour w = {.call = c, .job = j, .result = json_object()};
    double begin = cli_now();
    close_input();
    if (build(&w)) {
        json_t *written;
        prepare(&w);
        if (run_once(&w, &written)) {
            if (c->by == TUNE_BY_MODEL)
                rank_by_model(&w, written);
            else
                rank_by_time(&w);
        }
        json_decref(written);
    }
    json_object_set_new(w.result, "seconds", json_real(cli_now() - begin));
    arena_free(&w.arena);
    return w.result;
}

void
tune_build_alone(const struct tune_call *c, const struct tune_job *j)
{
    struct labour w = {.call = c, .job = j, .result = json_object()};
    close_input();
    build(&w);
    json_decref(w.result);
    arena_free(&w.arena);
}

void
tune_understand(struct tune_job *j, json_t *result)
{
    const char *word = report_text(result, "status");
    j->result = result;
    j->status = TUNE_FAILED;
    for (int s = 0; s < TUNE_STATUSES; s++)
        if (strcmp(tune_status_words[s], word) == 0)
            j->status = (enum tune_status)s;
    j->milliseconds = report_number(result, "milliseconds", NULL);
    j->spread = (report_number(result, "most", NULL) - report_number(result, "least", NULL)) / 2;
}
