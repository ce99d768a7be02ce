/* SPDX-License-Identifier: Apache-2.0
 *
 * result.c: the figures as JSON: `profile --json`, version 1. A counter is written where its space
 * and operation occur; the ones of instructions always.
 */
#include "profile/profile_priv.h"

static json_t *
counters_json(const struct sums *s)
{
    json_t *j = json_object();
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {
        {"instructions", s->instructions},
        {"thread_instructions", s->thread_instructions},
        {"flops_f32", s->flops_f32},
        {"flops_f64", s->flops_f64},
        {"branches", s->branches},
        {"branches_divergent", s->branches_divergent},
        {"barriers", s->barriers},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        json_object_set_new(j, rows[k].name, json_integer((json_int_t)rows[k].value));
    return j;
}

static json_t *
kernel_json(const struct kernel *k)
{
    struct sums all = {0};
    json_t *lines = json_array();
    for (size_t n = 0; n < k->lines.count; n++) {
        const struct line *l = &k->lines.at[n];
        sums_add(&all, &l->sums);
        json_array_append_new(lines, json_pack("{s:s, s:i, s:o}", "file", l->file, "line",
                                               (int)l->number, "counters",
                                               counters_json(&l->sums)));
    }
    return json_pack("{s:s, s:I, s:[i,i,i], s:[i,i,i], s:{s:i, s:i, s:s}, s:o, s:o}", "name",
                     k->name, "launches", (json_int_t)k->launches, "grid", (int)k->grid[0],
                     (int)k->grid[1], (int)k->grid[2], "block", (int)k->block[0],
                     (int)k->block[1], (int)k->block[2], "occupancy", "blocks_per_sm",
                     (int)k->occupancy.blocks_per_sm, "warps_per_sm",
                     (int)k->occupancy.warps_per_sm, "limited_by", k->occupancy.limited_by,
                     "counters", counters_json(&all), "lines", lines);
}

json_t *
result_json(struct profile *p, bool complete)
{
    char cc[32];
    snprintf(cc, sizeof cc, "%u.%u", p->device->cc_major, p->device->cc_minor);
    json_t *kernels = json_array();
    for (const struct kernel *k = p->kernels; k; k = k->next)
        json_array_append_new(kernels, kernel_json(k));
    return json_pack("{s:i, s:{s:s, s:s}, s:b, s:o}", "version", 1, "device", "name",
                     p->device->name, "cc", cc, "complete", (int)complete, "kernels", kernels);
}
