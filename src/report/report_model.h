/* SPDX-License-Identifier: Apache-2.0
 *
 * The estimate of a kernel's time, made again from what a result keeps of it ("model"), as it is or
 * with something changed: what advice promises.
 */
#ifndef LOCKSTEP_REPORT_MODEL_H
#define LOCKSTEP_REPORT_MODEL_H

#include "report/report.h"

struct report_model {
    struct work work; /* of one launch */
    struct waiting waiting;
};
struct report_times {
    double estimate; /* seconds of a launch: */
    double work;     /*   the greater of this */
    double starts;   /*   and of this: starting its blocks */
    double launch;   /*   and of this in addition: the launch itself */
    double pipe;     /* that the pipe to L1 and shared memory is busy */
    struct time_bound bound;
    struct warp_states states;
};
/* Whether starting the blocks bounds the launch. `work` already counts warps that queue for a
 * start, so that the comparison needs a margin (MODEL_STARTS_BIND). */
static inline bool
report_starts_bind(const struct report_times *t)
{
    return t->starts > MODEL_STARTS_BIND * t->work;
}
/* Seconds of a launch without its own cost: with t->launch the estimate, so figures of one page add
 * up. */
static inline double
report_own_seconds(const struct report_times *t)
{
    return t->estimate - t->launch;
}
/* False: an older result, which does not have it. */
bool report_model_of(const json_t *kernel, struct report_model *out);
void report_times_of(const struct device_profile *d, const struct report_model *m,
                     struct report_times *out);
/* The estimate of the same kernel for a grid that fills the device several times over. */
struct report_model report_model_full(const struct device_profile *d, const struct report_model *m);

/* -- advice, inside ---------------------------------------------------------------------------- */

struct subject {
    const struct device_profile *d;
    const json_t *kernel, *line; /* line: NULL for rules of the kernel */
    bool known;                  /* the model is */
    struct report_model model, full;
    struct report_times times, full_times;
    double launches;
    struct arena *arena;
    struct report_advices *out;
    const char *kind, *title;
    double weight;
};
/* Of the line, or of the kernel, over all launches; of one launch. */
double advice_counter(const struct subject *s, const char *name);
double advice_per_launch(const struct subject *s, const char *name);
/* Says it; changed: what the remedy makes of the model (of s->model and of s->full), which gives
 * the gain. */
struct remedy {
    struct report_model now, full;
};
struct remedy advice_remedy(const struct subject *s);
void advice_say(struct subject *s, const struct remedy *r, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* One of the two models of a remedy, for loops over both; how many times its work is s->model's. */
struct report_model *advice_each(struct remedy *r, const struct subject *s, int which,
                                 double *scale);

/* Takes away from an amount, to zero at most. */
void advice_less(uint64_t *amount, double by);
/* Sectors of L2, and its requests in proportion. */
void advice_less_l2(struct work *w, double sectors);
/* The distance in bytes that most neighbouring lanes have; 0: none stands out. */
int64_t advice_distance(const struct access *a);

#define ADVICE(name, scope, title, when) void rule_##name(struct subject *s);
#include "report/advice.def"
#undef ADVICE

#endif
