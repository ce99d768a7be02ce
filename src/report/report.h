/* SPDX-License-Identifier: Apache-2.0
 *
 * report: what people are shown of a profile: names of kernels, advice. Works on the JSON that the
 * profile tool writes (cli.md's `profile --json`), so that saved results can be shown too.
 */
#ifndef LOCKSTEP_REPORT_H
#define LOCKSTEP_REPORT_H

#include "base/base.h"
#include "model/model.h"

#include <jansson.h>

/* -- reading results --------------------------------------------------------------------------- */

/* The number at a path of keys ("counters", "barriers", NULL); 0 where there is none. */
double report_number(const json_t *j, ...) __attribute__((sentinel));
const char *report_text(const json_t *j, const char *key); /* "" where there is none */
/* The line of a kernel's "lines" for which `amount` is largest; NULL: it is 0 for all. */
const json_t *report_line_of_most(const json_t *kernel,
                                  double (*amount)(const json_t *line, const void *context),
                                  const void *context);

/* The device that the result was made for. NULL: not a known one. */
const struct device_profile *report_device(const json_t *result);
/* "1.23 M", "45.6 k", "789" */
char *report_count(struct arena *a, double n);
/* "12.3 us" */
char *report_seconds(struct arena *a, double s);

/* -- advice ------------------------------------------------------------------------------------ */

/* What a figure of the result says, with that figure. Only what the figures support. */
struct report_advice {
    const char *kind;  /* a row of advice.def: "bank_conflicts", */
    const char *title; /*   and how people call it */
    const char *text;
    const char *file; /* NULL: of the whole kernel */
    int line;
    double gain; /* the share of a launch's estimated time that the remedy saves; NAN: not known */
    double gain_full; /* the same share for a grid that fills the device */
    double weight;    /* the share of the kernel's time bound that it is about */
};
struct report_advices {
    VEC(struct report_advice) list;
};
/* Advice for one element of "kernels", what saves most first. Texts live in the arena. */
void report_advise(const struct device_profile *d, const json_t *kernel, struct arena *a,
                   struct report_advices *out);
/* Is it worth a line on the first screen? */
bool report_worthwhile(const struct report_advice *a);
/* "saves 62 %", "saves 3 %, 61 % where blocks fill the device"; "" where nothing is known. */
char *report_gain(struct arena *a, const struct report_advice *advice);
/* The same as JSON, for the kernel's "advice". */
json_t *report_advice_json(const struct device_profile *d, const json_t *kernel);

/* -- a kernel in short ------------------------------------------------------------------------- */

struct report_share {
    const char *name;
    double share; /* of 1 */
};
/* What every view of a kernel begins with. Texts live in the arena. */
struct report_summary {
    const char *name, *shape; /* "tiled<16>"; "grid 4x4, block 32x8, 1 launch" */
    double seconds;        /* the estimate of one launch; the bound where nothing more is known */
    double low, high;      /* nine of ten kernels lie between; 0: not known */
    double bound;          /* no launch can be faster */
    const char *certainty; /* "nine of ten within 18 to 95 us" */
    const char *sampled;   /* "6336 of 60000 blocks, ..."; NULL: no sample was asked for */
    /* of each resource's full rate, in that time: DRAM, L2, L1, shared, ... */
    struct report_share peaks[12];
    size_t peak_count;
    struct report_share states[8]; /* where a warp's time goes; they add up to 1 */
    size_t state_count;
    const char *verdict;          /* a sentence: what binds it, or what it waits for */
    const char *residency;        /* "8 blocks, 64 of 64 warps per SM (100 %), limited by warps" */
    const char *resources;        /* "32 registers a thread, 4096 bytes of shared memory a block" */
    struct report_advices advice; /* all of it */
    size_t worthwhile;            /* how many of them, the first ones, are */
};
void report_summarise(const struct device_profile *d, const json_t *kernel, struct arena *a,
                      struct report_summary *out);
void report_summary_fini(struct report_summary *s);
/* What a word in those means: "L2" or "issue". NULL: not in glossary.def. */
const char *report_term(const char *word);

/* -- figures that several views show ----------------------------------------------------------- */

/* The files that have lines of a kernel, each from the first of those lines to the last, in the
 * order in which "lines" names them. The list lives in the arena. */
struct report_source {
    const char *file;
    int first, last;
};
size_t report_sources(const json_t *kernel, struct arena *a, struct report_source **out);
/* What is known of a line; NULL: nothing. */
const json_t *report_line(const json_t *kernel, const char *file, int number);
/* The least time that its accesses take, of all launches. */
double report_line_seconds(const json_t *line);
double report_lines_seconds(const json_t *kernel); /* of all its lines */
/* The kernel of another result that stands for this one; NULL: none does. any_shape: one that was
 * launched otherwise, where none has this grid and block. */
const json_t *report_same_kernel(const json_t *result, const json_t *kernel, bool any_shape);
/* A line's accesses in short, and what a warp waits for: "512 shared load x 32 wavefronts (ideal
 * 1), 1.2 M flop; a warp waits 90 clocks: 60 shared memory, 30 arithmetic". */
void report_line_facts(const json_t *line, struct arena *a, struct text *out);
/* The worst access of a line: false where it has none of that space ("shared", "global"). */
bool report_sample(const json_t *line, const char *space, const char *op, struct access *out);
/* Bytes behind each row of *row bytes that take the conflicts of a shared access away; 0: none
 * does. */
uint32_t report_padding(const struct device_profile *d, const struct access *a, uint64_t *row);

/* -- findings ---------------------------------------------------------------------------------- */

/* "Race in shared memory" of shared-race. */
const char *report_finding_title(const char *kind);
/* The finding's own title, else its kind's. */
const char *report_title(const json_t *finding);
/* The block of a suppressions file that names the finding. */
void report_suppression(const json_t *finding, struct text *out);

/* -- pages: one self-contained HTML page each -------------------------------------------------- */

/* before: an earlier result that each kernel is compared with; NULL: none. */
void report_profile_html(const json_t *result, const json_t *before, const char *title,
                         struct text *out);
/* Of `check --json`'s object. */
void report_check_html(const json_t *result, const char *title, struct text *out);
/* The pattern of `lockstep access`, a part a warp: banks or sectors drawn as in the report of a
 * profile. */
struct report_pattern {
    const struct device_profile *device;
    const char *title; /* "shared load of 4 bytes, stride 32" */
    const struct access *warp;
    size_t warps;
    const char *const *notes; /* what removes a conflict; ended by NULL */
};
void report_access_html(const struct report_pattern *p, struct text *out);
/* One warp as a drawing of its own, in colours that every program shows. False: there is no drawing
 * of that space. */
bool report_access_svg(const struct device_profile *d, const struct access *a, struct text *out);
/* Rows of `suite run`, `check`, `profile` or `bench`; those of check and profile have what that
 * command says of the rung as "answer". */
void report_suite_html(const char *verb, const json_t *rows, const char *title, struct text *out);

#endif
