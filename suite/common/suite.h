/* SPDX-License-Identifier: Apache-2.0
 *
 * suite.h: what the programs of the suite share, so that a program's file is mostly its kernel:
 * checked calls, options, test data, timing by events, comparison with a reference within a stated
 * tolerance, the report. Host code in plain C style; compiles with any CUDA C compiler.
 *
 *     int main(int argc, char **argv)
 *     {
 *         struct suite s = suite_begin("scale/naive", "y = a x + b", 1, NULL, 0, argc, argv);
 *         int n = s.size[0];
 *         ...
 *         if (n) SUITE_TIME(&s, scale<<<suite_div_up(n, 256), 256>>>(x, y, n));
 *         suite_download(found, y, n);
 *         suite_compare_floats(&s, "y", found, right, n, 1e-6);
 *         return suite_end(&s);
 *     }
 *
 * Exit status: 0 verified, 1 not (or a call failed), 2 usage. With --json one line of JSON.
 * product.h has the main program of all matrix products, image.h and sparse.h read and write files.
 */
#ifndef SUITE_H
#define SUITE_H

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cuda_runtime.h>

/* A runtime call that must succeed: else its text, its place and the error's name, and exit 1. */
#define CHECK(call) suite_check((call), #call, __FILE__, __LINE__)

static inline void
suite_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s failed: %s (%s)\n", file, line, call, cudaGetErrorName(error),
            cudaGetErrorString(error));
    exit(1);
}

static inline int
suite_div_up(int a, int b)
{
    return (a + b - 1) / b;
}

static inline double
suite_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whether the device can run such blocks of that kernel at all: with its threads, registers and
 * shared memory (shared: the dynamic part). A program with several shapes takes the first that
 * fits. */
template <typename K>
static inline int
suite_fits(K *kernel, int threads, size_t shared)
{
    int blocks = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared));
    return blocks > 0;
}

/* -- test data --------------------------------------------------------------------------------- */

/* A number for index i: the same on every machine, without a pattern that hides an index that is
 * off by one row or column. */
static inline uint32_t
suite_random(uint64_t i, uint32_t seed)
{
    uint64_t x = i * 0x9e3779b97f4a7c15ull + seed;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    return (uint32_t)x;
}

/* Between -1 and 1. */
static inline void
suite_fill(float *at, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++)
        at[i] = (float)((int32_t)suite_random(i, seed)) * (1.0f / 2147483648.0f);
}

/* From 0 to below. */
static inline void
suite_fill_ints(int *at, size_t count, int below, uint32_t seed)
{
    for (size_t i = 0; i < count; i++)
        at[i] = (int)(suite_random(i, seed) % (uint32_t)below);
}

/* -- memory ------------------------------------------------------------------------------------ */

/* An element more than asked for, so that none is never a null pointer. */

template <typename T>
static inline T *
suite_host(size_t count)
{
    T *at = (T *)calloc(count + 1, sizeof(T));
    if (!at) {
        fprintf(stderr, "out of memory: %zu bytes\n", count * sizeof(T));
        exit(1);
    }
    return at;
}

/* Filled with 0xff (for floats NaN): an element never written shows. */
template <typename T>
static inline T *
suite_device(size_t count)
{
    T *at = NULL;
    CHECK(cudaMalloc((void **)&at, (count ? count : 1) * sizeof(T)));
    if (count)
        CHECK(cudaMemset(at, 0xff, count * sizeof(T)));
    return at;
}

template <typename T>
static inline void
suite_to_device(T *device, const T *host, size_t count)
{
    if (count)
        CHECK(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice));
}

template <typename T>
static inline T *
suite_upload(const T *host, size_t count)
{
    T *at = NULL;
    CHECK(cudaMalloc((void **)&at, (count ? count : 1) * sizeof(T)));
    suite_to_device(at, host, count);
    return at;
}

template <typename T>
static inline void
suite_download(T *host, const T *device, size_t count)
{
    if (count)
        CHECK(cudaMemcpy(host, device, count * sizeof(T), cudaMemcpyDeviceToHost));
}

/* Several at once. */
static inline void
suite_free_host(void *a, void *b, void *c = NULL, void *d = NULL, void *e = NULL, void *f = NULL)
{
    void *all[] = {a, b, c, d, e, f};
    for (int i = 0; i < 6; i++)
        free(all[i]);
}

static inline void
suite_free_device(void *a, void *b, void *c = NULL, void *d = NULL, void *e = NULL, void *f = NULL)
{
    void *all[] = {a, b, c, d, e, f};
    for (int i = 0; i < 6; i++)
        if (all[i])
            CHECK(cudaFree(all[i]));
}

/* -- options ----------------------------------------------------------------------------------- */

/* An option of one program alone: a number, or (where text is set) a word. */
struct suite_extra {
    const char *name; /* "--tile" */
    int *value;
    int least, most;
    const char *help;
    const char **text;
};

enum { SUITE_FIGURES = 48, SUITE_MOST = 1 << 28 };

struct suite_figure {
    char name[40];
    double value;
};

/* What was found, in few words, so that runs on two devices can be compared: of all values a hash
 * and their sums, and some of them, evenly spread (every step-th). */
enum { SUITE_KEPT = 64 };

struct suite_found {
    size_t count, step;
    uint64_t hash; /* FNV-1a of the values as doubles, 8 bytes at a time */
    double sum, squares;
    double value[SUITE_KEPT];
    int kept;
};

struct suite {
    const char *name;  /* "transpose/padded" */
    const char *title; /* "transpose through a padded tile" */
    int size[3];       /* --size A, AxB, AxBxC; what is not given is as the one before */
    char size_text[40];
    int repeat; /* timed launches after the first; the best one counts */
    int batch;  /* launches in one timing, for what takes microseconds; 0: for some milliseconds */
    int turn;   /* launches so far: which of several sets of buffers is next */
    int verify, json, quiet;
    struct cudaDeviceProp device;
    double first_ms;                 /* the first launch on the host's clock: with compiling */
    double best_ms;                  /* by events */
    double *all_ms;                  /* each timing, sorted when they are done */
    double median_ms, spread_ms;     /* spread: between the quartiles */
    int good;                        /* every comparison so far */
    size_t checked;                  /* values compared */
    double worst;                    /* largest error as a share of the tolerance */
    char why[240];                   /* the first thing that is wrong */
    struct suite_found exact, close; /* values that must be equal; that have a tolerance */
    struct suite_figure figures[SUITE_FIGURES];
    int figure_count;
};

static inline void
suite_usage(const struct suite *s, const struct suite_extra *extra, int count, const char *program,
            FILE *to)
{
    fprintf(to,
            "usage: %s [options]\n%s: %s\n"
            "  --size A[xB[xC]]    size of the problem; --n A is the same (now %s)\n"
            "  --repeat R          timed launches after the first, the best counts (%d)\n"
            "  --batch B           launches in one timing, 0: as many as take 3 ms (%d)\n"
            "  --verify 0|1        compare with plain C (%d)\n"
            "  --json              the result as JSON\n"
            "  --quiet             no pictures and tables\n",
            program, s->name, s->title, s->size_text, s->repeat, s->batch, s->verify);
    for (int i = 0; i < count; i++)
        fprintf(to, "  %-20s%s\n", extra[i].name, extra[i].help);
}

static inline int
suite_number(const char *program, const char *name, const char *text, int least, int most)
{
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : 0;
    if (text && *text && !*end && value >= least && value <= most)
        return (int)value;
    fprintf(stderr, "%s: %s takes a number from %d to %d\n", program, name, least, most);
    exit(2);
}

/* "17", "100x33", "5x6x7". */
static inline void
suite_take_size(struct suite *s, const char *program, const char *text)
{
    char word[40], *at = word;
    snprintf(word, sizeof word, "%s", text ? text : "");
    for (int i = 0; i < 3; i++) {
        char *next = at ? strchr(at, 'x') : NULL;
        if (next)
            *next++ = '\0';
        s->size[i] =
            at || i == 0 ? suite_number(program, "--size", at, 0, SUITE_MOST) : s->size[i - 1];
        at = next;
    }
    snprintf(s->size_text, sizeof s->size_text, "%s", text);
}

/* One option at argv[*i]; moves *i to its value. */
static inline int
suite_take_option(struct suite *s, const struct suite_extra *extra, int count, int argc,
                  char **argv, int *i)
{
    const char *word = argv[*i], *value = *i + 1 < argc ? argv[*i + 1] : NULL;
    if (strcmp(word, "--json") == 0 || strcmp(word, "--quiet") == 0) {
        *(word[2] == 'j' ? &s->json : &s->quiet) = 1;
        return 1;
    }
    if (strcmp(word, "--size") == 0 || strcmp(word, "--n") == 0)
        suite_take_size(s, argv[0], value);
    else if (strcmp(word, "--repeat") == 0)
        s->repeat = suite_number(argv[0], word, value, 0, 100000);
    else if (strcmp(word, "--batch") == 0)
        s->batch = suite_number(argv[0], word, value, 0, 100000);
    else if (strcmp(word, "--verify") == 0)
        s->verify = suite_number(argv[0], word, value, 0, 1);
    else {
        int k = 0;
        while (k < count && strcmp(extra[k].name, word) != 0)
            k++;
        if (k == count)
            return 0;
        if (!extra[k].text)
            *extra[k].value = suite_number(argv[0], word, value, extra[k].least, extra[k].most);
        else if (value)
            *extra[k].text = value;
        else {
            fprintf(stderr, "%s: %s takes a value\n", argv[0], word);
            exit(2);
        }
    }
    ++*i;
    return 1;
}

/* Options and device. size: the one when none is given, as --size takes it. */
static inline struct suite
suite_begin_sized(const char *name, const char *title, const char *size,
                  const struct suite_extra *extra, int count, int argc, char **argv)
{
    struct suite s = {};
    int device = 0;
    s.name = name;
    s.title = title;
    s.repeat = 3;
    s.batch = 1;
    s.verify = s.good = 1;
    suite_take_size(&s, argv[0], size);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            suite_usage(&s, extra, count, argv[0], stdout);
            exit(0);
        }
        if (strcmp(argv[i], "--") != 0 && !suite_take_option(&s, extra, count, argc, argv, &i)) {
            fprintf(stderr, "%s: unknown option %s\n", argv[0], argv[i]);
            suite_usage(&s, extra, count, argv[0], stderr);
            exit(2);
        }
    }
    CHECK(cudaGetDevice(&device));
    CHECK(cudaGetDeviceProperties(&s.device, device));
    return s;
}

/* The same where one number is the size. */
static inline struct suite
suite_begin(const char *name, const char *title, int n, const struct suite_extra *extra, int count,
            int argc, char **argv)
{
    char size[16];
    snprintf(size, sizeof size, "%d", n);
    return suite_begin_sized(name, title, size, extra, count, argc, argv);
}

/* -- timing ------------------------------------------------------------------------------------ */

static inline int
suite_rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Timing i has taken ms; 0 is the first launch, which may compile. */
static inline void
suite_timed(struct suite *s, int i, double ms)
{
    if (i <= 1 || ms < s->best_ms)
        s->best_ms = ms;
    if (i == 0) {
        s->all_ms = s->repeat ? suite_host<double>(s->repeat) : NULL;
        s->median_ms = ms;
        return;
    }
    s->all_ms[i - 1] = ms;
    if (i < s->repeat) {
        s->median_ms = ms;
        return;
    }
    qsort(s->all_ms, s->repeat, sizeof *s->all_ms, suite_rising);
    s->median_ms = s->all_ms[s->repeat / 2];
    s->spread_ms = s->all_ms[3 * s->repeat / 4] - s->all_ms[s->repeat / 4];
    free(s->all_ms);
    s->all_ms = NULL;
}

/* Launches in timing i: after two single ones as many as --batch wants. */
static inline int
suite_launches(const struct suite *s, int batch, int i)
{
    if (batch > 0 || i < 2)
        return i && batch > 0 ? batch : 1;
    double most = s->best_ms > 0.003 ? 3 / s->best_ms : 1000;
    return most > 1 ? (int)most : 1;
}

/* Launches once, then --repeat times by events, --batch launches each. What stands before `launch`
 * in the second form brings the data back to the start each time and is not timed; it makes a
 * batch one launch. */
#define SUITE_TIME(s, ...) SUITE_TIME_BATCH(s, (s)->batch, (void)0, __VA_ARGS__)
#define SUITE_TIME_AFTER(s, prepare, ...) SUITE_TIME_BATCH(s, 1, prepare, __VA_ARGS__)
#define SUITE_TIME_BATCH(s, batch, prepare, ...)                                                   \
    do {                                                                                           \
        cudaEvent_t suite_from, suite_to;                                                          \
        CHECK(cudaEventCreate(&suite_from));                                                       \
        CHECK(cudaEventCreate(&suite_to));                                                         \
        for (int suite_i = 0; suite_i <= (s)->repeat; suite_i++) {                                 \
            float suite_ms = 0;                                                                    \
            int suite_count = suite_launches((s), (batch), suite_i);                               \
            prepare;                                                                               \
            double suite_start = suite_seconds();                                                  \
            CHECK(cudaEventRecord(suite_from, 0));                                                 \
            for (int suite_k = 0; suite_k < suite_count; suite_k++, (s)->turn++) {                 \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
            CHECK(cudaGetLastError());                                                             \
            CHECK(cudaEventRecord(suite_to, 0));                                                   \
            CHECK(cudaEventSynchronize(suite_to));                                                 \
            CHECK(cudaEventElapsedTime(&suite_ms, suite_from, suite_to));                          \
            if (suite_i == 0)                                                                      \
                (s)->first_ms = 1e3 * (suite_seconds() - suite_start);                             \
            suite_timed((s), suite_i, (double)suite_ms / suite_count);                             \
        }                                                                                          \
        CHECK(cudaEventDestroy(suite_from));                                                       \
        CHECK(cudaEventDestroy(suite_to));                                                         \
    } while (0)

/* -- comparison -------------------------------------------------------------------------------- */

/* Something is wrong; the first reason is reported. */
static inline void __attribute__((format(printf, 2, 3)))
suite_wrong(struct suite *s, const char *format, ...)
{
    if (s->good) {
        va_list list;
        va_start(list, format);
        vsnprintf(s->why, sizeof s->why, format, list);
        va_end(list);
    }
    s->good = 0;
}

/* What must hold, said in words. */
static inline void
suite_expect(struct suite *s, int holds, const char *what)
{
    s->checked++;
    if (!holds)
        suite_wrong(s, "does not hold: %s", what);
}

static inline void
suite_keep(struct suite_found *f, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (f->count == 0) {
        f->hash = 0xcbf29ce484222325ull;
        f->step = 1;
    }
    f->hash = (f->hash ^ bits) * 0x100000001b3ull;
    f->sum += value;
    f->squares += value * value;
    if (f->count++ % f->step)
        return;
    if (f->kept == SUITE_KEPT) { /* twice as far apart from here on */
        for (int i = 0; i < SUITE_KEPT / 2; i++)
            f->value[i] = f->value[2 * i];
        f->kept = SUITE_KEPT / 2;
        f->step *= 2;
    }
    f->value[f->kept++] = value;
}

/* One value with its own tolerance; at: its place in the text of an error. */
static inline void
suite_compare_one(struct suite *s, const char *what, size_t at, double found, double right,
                  double tolerance)
{
    double error = fabs(found - right);
    double share = error == 0 ? 0 : error / (tolerance > 0 ? tolerance : 1e-300);
    if (!(share <= 1)) /* written so that a NaN counts as wrong */
        suite_wrong(s, "%s[%zu] is %.9g, should be %.9g", what, at, found, right);
    if (!(share <= s->worst))
        s->worst = share;
    suite_keep(&s->close, found);
    s->checked++;
}

/* |found - right| <= relative * |right| + relative: values of the order of 1. */
template <typename T>
static inline void
suite_compare_floats(struct suite *s, const char *what, const float *found, const T *right,
                     size_t count, double relative)
{
    for (size_t i = 0; i < count && s->verify; i++)
        suite_compare_one(s, what, i, found[i], right[i], relative * (1 + fabs((double)right[i])));
}

/* Integers of any type: equal. */
template <typename T>
static inline void
suite_compare_equal(struct suite *s, const char *what, const T *found, const T *right, size_t count)
{
    for (size_t i = 0; i < count && s->verify; i++) {
        if (!(found[i] == right[i]))
            suite_wrong(s, "%s[%zu] is %.9g, should be %.9g", what, i, (double)found[i],
                        (double)right[i]);
        suite_keep(&s->exact, (double)found[i]);
        s->checked++;
    }
}

/* -- the report -------------------------------------------------------------------------------- */

/* Pictures and tables: for people only. */
static inline int
suite_talks(const struct suite *s)
{
    return !s->json && !s->quiet;
}

static inline void __attribute__((format(printf, 2, 3)))
suite_say(const struct suite *s, const char *format, ...)
{
    va_list list;
    if (!suite_talks(s))
        return;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
}

/* A figure that the program found: a line of the report, a member of "figures" in the JSON. */
static inline void
suite_figure(struct suite *s, const char *name, double value)
{
    if (s->figure_count == SUITE_FIGURES)
        return;
    struct suite_figure *f = &s->figures[s->figure_count++];
    snprintf(f->name, sizeof f->name, "%s", name);
    f->value = value;
}

static inline void
suite_json_text(const char *text)
{
    putchar('"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned char)*text);
        else
            putchar(*text);
    putchar('"');
}

static inline void
suite_json_number(double value)
{
    if (isfinite(value))
        printf("%.12g", value);
    else
        printf("null");
}

static inline void
suite_found_json(const char *name, const struct suite_found *f)
{
    if (!f->count)
        return;
    printf(",\"%s\":{\"count\":%zu,\"hash\":\"%016llx\",\"sum\":", name, f->count,
           (unsigned long long)f->hash);
    suite_json_number(f->sum);
    printf(",\"squares\":");
    suite_json_number(f->squares);
    printf(",\"step\":%zu,\"values\":[", f->step);
    for (int i = 0; i < f->kept; i++) {
        printf(i ? "," : "");
        suite_json_number(f->value[i]);
    }
    printf("]}");
}

static inline void
suite_report_json(const struct suite *s)
{
    printf("{\"version\":1,\"program\":");
    suite_json_text(s->name);
    printf(",\"size\":");
    suite_json_text(s->size_text);
    printf(",\"device\":");
    suite_json_text(s->device.name);
    printf(",\"verified\":%s,\"checked\":%zu,\"first_milliseconds\":%.4f,\"milliseconds\":%.6f"
           ",\"median_milliseconds\":%.6f,\"spread_milliseconds\":%.6f",
           !s->verify ? "null"
           : s->good  ? "true"
                      : "false",
           s->checked, s->first_ms, s->best_ms, s->median_ms, s->spread_ms);
    if (!s->good) {
        printf(",\"why\":");
        suite_json_text(s->why);
    }
    suite_found_json("exact", &s->exact);
    suite_found_json("close", &s->close);
    printf(",\"figures\":{");
    for (int i = 0; i < s->figure_count; i++) {
        printf(i ? "," : "");
        suite_json_text(s->figures[i].name);
        putchar(':');
        suite_json_number(s->figures[i].value);
    }
    printf("}}\n");
}

/* Prints the report; the exit status. */
static inline int
suite_end(const struct suite *s)
{
    if (s->json) {
        suite_report_json(s);
        return s->good ? 0 : 1;
    }
    printf("%s, size %s\n  device    %s, compute capability %d.%d\n", s->title, s->size_text,
           s->device.name, s->device.major, s->device.minor);
    if (!s->verify)
        printf("  verified  not asked for\n");
    else if (s->good)
        printf("  verified  yes: %zu values, largest error %.2f of the tolerance\n", s->checked,
               s->worst);
    else
        printf("  verified  NO: %s\n", s->why);
    printf("  time      %.3f ms (best of %d; the first launch took %.1f ms)\n", s->best_ms,
           s->repeat, s->first_ms);
    for (int i = 0; i < s->figure_count; i++)
        printf("  %-40s %.9g\n", s->figures[i].name, s->figures[i].value);
    return s->good ? 0 : 1;
}

#endif
