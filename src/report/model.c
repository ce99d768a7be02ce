/* SPDX-License-Identifier: Apache-2.0
 *
 * model.c: see report_model.h.
 */
#include "report/report_model.h"

#include <string.h>

static uint64_t
whole(const json_t *m, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(m, key));
    return n > 0 ? (uint64_t)n : 0;
}

bool
report_model_of(const json_t *kernel, struct report_model *out)
{
    const json_t *m = json_object_get(kernel, "model");
    memset(out, 0, sizeof *out);
    if (!m)
        return false;
#define WORK(name, meaning) out->work.name = whole(m, #name);
#include "model/model_work.def"
#undef WORK
    out->work.blocks_per_sm = (uint32_t)whole(m, "blocks_per_sm");
    out->work.without = whole(m, "without");
    out->waiting = (struct waiting){
        .warp_clocks = report_number(m, "warp_clocks", NULL),
        .first_clocks = report_number(m, "first_clocks", NULL),
        .block_clocks = report_number(m, "block_clocks", NULL),
        .slowest = report_number(m, "slowest", NULL),
        .meets = json_is_true(json_object_get(m, "meets")),
        .warps_per_block = (uint32_t)whole(m, "warps_per_block"),
        .pipe_wavefronts = report_number(m, "pipe_wavefronts", NULL),
        .once_clocks = report_number(m, "once_clocks", NULL),
        .once_share = report_number(m, "once_share", NULL),
        .memory_waits = report_number(m, "memory_waits", NULL),
        .drain_clocks = report_number(m, "drain_clocks", NULL),
        .uneven = {report_number(m, "busiest_sm", NULL), report_number(m, "longest_block", NULL)}};
    return out->work.blocks > 0;
}

void
report_times_of(const struct device_profile *d, const struct report_model *m,
                struct report_times *out)
{
    memset(out, 0, sizeof *out);
    model_time_bound(d, &m->work, &out->bound);
    out->pipe = model_pipe_seconds(d, &m->work, m->waiting.pipe_wavefronts);
    out->work = model_time_states(d, &m->work, &out->bound, &m->waiting, &out->states);
    out->starts = model_starts(d, &m->work);
    out->launch = model_launch_cost(d).seconds;
    out->estimate = model_time_launch(d, &m->work, &m->waiting, out->work);
}

struct report_model
report_model_full(const struct device_profile *d, const struct report_model *m)
{
    enum { WAVES = 8 };
    struct report_model f = *m;
    struct work *w = &f.work;
    uint64_t per = w->blocks_per_sm ? w->blocks_per_sm : 1, fill = WAVES * per * d->sm_count;
    if (!w->blocks || w->blocks >= fill)
        return f;
    double scale = (double)fill / (double)w->blocks;
    uint64_t *amounts[] = {
#define WORK(name, meaning) &w->name,
#include "model/model_work.def"
#undef WORK
    };
    for (size_t k = 0; k < sizeof amounts / sizeof *amounts; k++)
        *amounts[k] = (uint64_t)((double)*amounts[k] * scale);
    f.waiting.pipe_wavefronts *= scale;
    w->blocks = fill;
    return f;
}
