/* SPDX-License-Identifier: Apache-2.0
 *
 * advice.c: what the figures of a kernel say. Each rule looks at one figure, speaks only when that
 * figure is bad enough to matter, and names it; a remedy is named only after the model has been asked
 * what it would give. Rules for lines first, then for the kernel: rules_of_line, rules_of_kernel.
 */
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct subject {
    const struct device_profile *d;
    const json_t *kernel, *line; /* line: NULL for rules of the kernel */
    struct arena *arena;
    struct report_advices *out;
    double weight;
};

static void say(struct subject *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void
say(struct subject *s, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    VEC_PUSH(&s->out->list,
             (struct report_advice){.text = arena_strdup(s->arena, text),
                                    .file = s->line ? report_text(s->line, "file") : NULL,
                                    .line = s->line ? (int)report_number(s->line, "line", NULL) : 0,
                                    .weight = s->weight});
}

static double
counter(const struct subject *s, const char *name)
{
    return report_number(s->line ? s->line : s->kernel, "counters", name, NULL);
}

/* -- samples: the worst access of a line ------------------------------------------------------------ */

bool
report_sample(const json_t *line, const char *space, const char *op, struct access *out)
{
    size_t k;
    json_t *sample;
    memset(out, 0, sizeof *out);
    out->space = strcmp(space, "shared") == 0 ? ACCESS_SHARED : ACCESS_GLOBAL;
    out->op = strcmp(op, "load") == 0    ? ACCESS_LOAD
              : strcmp(op, "store") == 0 ? ACCESS_STORE
                                         : ACCESS_ATOMIC;
    json_array_foreach(json_object_get(line, "samples"), k, sample)
    {
        if (strcmp(report_text(sample, "space"), space) != 0 ||
            strcmp(report_text(sample, "op"), op) != 0)
            continue;
        const json_t *address = json_object_get(sample, "addresses");
        out->width = (uint32_t)report_number(sample, "size", NULL);
        for (size_t l = 0; l < 32 && l < json_array_size(address); l++) {
            const json_t *at = json_array_get(address, l);
            out->address[l] = (uint64_t)json_integer_value(at);
            out->mask |= json_is_integer(at) ? 1u << l : 0;
        }
        return out->mask && out->width && out->width <= 16;
    }
    return false;
}

/* The distance that most neighbouring lanes have; 0: none stands out. */
static int64_t
usual_distance(const struct access *a)
{
    int64_t distance[32];
    uint32_t count = 0, best = 0;
    int64_t found = 0;
    for (uint32_t l = 1; l < 32; l++)
        if ((a->mask >> l & 1) && (a->mask >> (l - 1) & 1))
            distance[count++] = (int64_t)(a->address[l] - a->address[l - 1]);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t same = 0;
        for (uint32_t k = 0; k < count; k++)
            same += distance[k] == distance[i];
        if (same > best) {
            best = same;
            found = distance[i];
        }
    }
    return best * 2 > count ? found : 0;
}

/* Wavefronts when every row of `row` bytes is followed by `pad` bytes more. */
static uint32_t
padded_conflicts(const struct device_profile *d, const struct access *a, uint64_t row, uint64_t pad)
{
    struct access b = *a;
    struct access_cost cost;
    for (uint32_t l = 0; l < 32; l++)
        b.address[l] += b.address[l] / row * pad;
    model_access(d, &b, &cost);
    return cost.bank_conflicts;
}

uint32_t
report_padding(const struct device_profile *d, const struct access *a, uint64_t *row)
{
    int64_t stride = llabs(usual_distance(a));
    uint32_t pad = a->width > 4 ? a->width : 4;
    *row = (uint64_t)stride;
    return stride > (int64_t)a->width && padded_conflicts(d, a, *row, pad) == 0 ? pad : 0;
}

/* -- rules for lines ---------------------------------------------------------------------------------- */

static void
bank_conflicts(struct subject *s, const char *op, double conflicts, double wavefronts)
{
    struct access a;
    struct access_cost cost;
    char remedy[160] = "";
    uint64_t row;
    if (!report_sample(s->line, "shared", op, &a))
        return;
    model_access(s->d, &a, &cost);
    uint32_t pad = report_padding(s->d, &a, &row);
    if (pad)
        snprintf(remedy, sizeof remedy,
                 "; with rows of %llu bytes instead of %llu (one element of padding) there are none",
                 (unsigned long long)(row + pad), (unsigned long long)row);
    say(s, "%u-way bank conflict: %s of %s wavefronts of the shared %ss are in excess%s",
        cost.degree, report_count(s->arena, conflicts), report_count(s->arena, wavefronts), op,
        remedy);
}

static void
rule_bank_conflicts(struct subject *s)
{
    static const char *const ops[] = {"load", "store"};
    for (int k = 0; k < 2; k++) {
        char name[64], all[64];
        snprintf(name, sizeof name, "shared_%s_bank_conflicts", ops[k]);
        snprintf(all, sizeof all, "shared_%s_wavefronts", ops[k]);
        double conflicts = counter(s, name), wavefronts = counter(s, all);
        if (conflicts > 0.05 * wavefronts)
            bank_conflicts(s, ops[k], conflicts, wavefronts);
    }
}

static void
rule_shared_atomics(struct subject *s)
{
    double conflicts = counter(s, "shared_atomic_bank_conflicts");
    double requests = counter(s, "shared_atomic_requests");
    if (conflicts > requests)
        say(s, "shared atomics meet at the same bank: %.3g passes per request; threads of a warp that "
               "add up among themselves first need fewer",
            (conflicts + requests) / requests);
}

static void
sectors(struct subject *s, const char *op, double moved, double ideal, double requests)
{
    struct access a;
    int64_t stride = report_sample(s->line, "global", op, &a) ? llabs(usual_distance(&a)) : 0;
    char where[96] = "";
    if (stride > (int64_t)a.width)
        snprintf(where, sizeof where, ": neighbouring threads are %lld bytes apart",
                 (long long)stride);
    say(s, "global %ss move %.3g times the data asked for (%.3g sectors a request, %.3g would do)%s",
        op, moved / ideal, moved / requests, ideal / requests, where);
}

static void
rule_sectors(struct subject *s)
{
    static const char *const ops[] = {"load", "store"};
    for (int k = 0; k < 2; k++) {
        char name[64], best[64], all[64];
        snprintf(name, sizeof name, "global_%s_sectors", ops[k]);
        snprintf(best, sizeof best, "global_%s_sectors_ideal", ops[k]);
        snprintf(all, sizeof all, "global_%s_requests", ops[k]);
        double moved = counter(s, name), ideal = counter(s, best);
        if (ideal > 0 && moved >= 1.5 * ideal)
            sectors(s, ops[k], moved, ideal, counter(s, all));
    }
}

/* Before 5.0: against one transaction per half-warp (1.x) or per 128 bytes asked for. */
static void
rule_transactions(struct subject *s)
{
    static const char *const ops[] = {"load", "store"};
    for (int k = 0; k < 2; k++) {
        char name[64], all[64];
        snprintf(name, sizeof name, "global_%s_transactions", ops[k]);
        snprintf(all, sizeof all, "global_%s_requests", ops[k]);
        double moved = counter(s, name), requests = counter(s, all);
        struct access a;
        struct access_cost cost;
        if (!moved || !report_sample(s->line, "global", ops[k], &a))
            continue;
        for (uint32_t l = 0; l < 32; l++) /* the same lanes, side by side */
            a.address[l] = (uint64_t)l * a.width;
        model_access(s->d, &a, &cost);
        uint32_t best = 0;
        for (uint32_t t = 0; t < cost.transaction_count; t++)
            best += cost.transactions[t].count;
        if (moved >= 1.5 * best * requests)
            say(s, "global %ss take %.3g transactions a request; %u when the threads' data lie side "
                   "by side and aligned",
                ops[k], moved / requests, best);
    }
}

static void
rule_constant(struct subject *s)
{
    double requests = counter(s, "constant_load_requests");
    double steps = counter(s, "constant_load_wavefronts"), best = counter(s, "constant_load_wavefronts_ideal");
    if (requests > 0 && steps >= 1.5 * best)
        say(s, "threads of a warp read %.3g different addresses of constant memory at once, which are "
               "served one after the other; global or shared memory serves them together",
            steps / requests);
}

static void
rule_local(struct subject *s)
{
    double requests = counter(s, "local_load_requests") + counter(s, "local_store_requests");
    if (requests > 0)
        say(s, "%s accesses of warps to local memory (an array with a computed index, or registers that "
               "did not suffice): they go to device memory through the caches",
            report_count(s->arena, requests));
}

static void
rule_divergence(struct subject *s)
{
    double all = counter(s, "branches"), split = counter(s, "branches_divergent");
    if (all > 0 && split > 0.1 * all)
        say(s, "the threads of a warp part ways at %.0f %% of the branches (%s of %s): both sides are "
               "run one after the other",
            100 * split / all, report_count(s->arena, split), report_count(s->arena, all));
}

/* -- rules for kernels ----------------------------------------------------------------------------------- */

static void
rule_camping(struct subject *s)
{
    double factor = report_number(s->kernel, "roofline", "partition_camping", NULL);
    if (factor >= 1.5)
        say(s, "partition camping: the busiest of %u memory partitions serves %.3g times its share: "
               "blocks that run together ask for addresses that agree modulo %u bytes",
            s->d->memory_partitions, factor, s->d->memory_partitions * s->d->partition_bytes);
}

static void
rule_grid(struct subject *s)
{
    double blocks = 1;
    for (size_t k = 0; k < 3; k++)
        blocks *= json_number_value(json_array_get(json_object_get(s->kernel, "grid"), k));
    double per_sm = report_number(s->kernel, "occupancy", "blocks_per_sm", NULL), sms = s->d->sm_count;
    if (blocks < sms) {
        say(s, "%.0f blocks leave %.0f of %.0f SMs without work", blocks, sms - blocks, sms);
    } else if (per_sm > 0 && blocks > per_sm * sms) {
        double waves = blocks / (per_sm * sms), full = (double)(int64_t)waves;
        if (waves > full && waves < full + 0.5 && full <= 3)
            say(s, "%.3g waves of blocks: the last one fills only %.0f %% of the device", waves,
                100 * (waves - full));
    }
}

static void
rule_block(struct subject *s)
{
    double threads = 1;
    for (size_t k = 0; k < 3; k++)
        threads *= json_number_value(json_array_get(json_object_get(s->kernel, "block"), k));
    int64_t lanes = (int64_t)threads % 32;
    if (lanes && threads < 512)
        say(s, "%.0f threads a block: %lld of 32 lanes of its last warp are empty", threads,
            (long long)(32 - lanes));
}

static void
rule_occupancy(struct subject *s)
{
    const json_t *o = json_object_get(s->kernel, "occupancy");
    double share = report_number(o, "occupancy", NULL);
    const char *limit = report_text(o, "limited_by");
    if (share <= 0 || share >= 0.5)
        return;
    if (strcmp(limit, "registers") == 0)
        say(s, "%.0f registers a thread allow %.0f of %u warps per SM",
            report_number(o, "registers_per_thread", NULL),
            report_number(o, "warps_per_sm", NULL), s->d->max_warps_per_sm);
    else if (strcmp(limit, "shared") == 0)
        say(s, "%.0f bytes of shared memory a block allow %.0f of %u warps per SM",
            report_number(o, "shared_bytes", NULL), report_number(o, "warps_per_sm", NULL),
            s->d->max_warps_per_sm);
    else
        say(s, "blocks this small fill %.0f of %u warps per SM: %u blocks are the most",
            report_number(o, "warps_per_sm", NULL), s->d->max_warps_per_sm, s->d->max_blocks_per_sm);
}

/* Bytes asked for against bytes that came from memory. */
static void
rule_reuse(struct subject *s)
{
    double moved = 32 * counter(s, "global_load_sectors"), read = counter(s, "bytes_dram_read");
    double shared = counter(s, "shared_load_requests");
    if (read > 0 && moved >= 8 * read && !shared)
        say(s, "every byte from device memory is loaded %.3g times (the caches serve the rest): a tile in "
               "shared memory would be loaded once per block",
            moved / read);
}

static void
rule_double(struct subject *s)
{
    const char *busiest = report_text(json_object_get(s->kernel, "roofline"), "busiest");
    if (strcmp(busiest, "fp64") == 0 && s->d->fp64_per_clock_sm * 4 < s->d->fp32_per_clock_sm)
        say(s, "double precision is the busiest resource: this device does %u a clock and SM, and %u in "
               "single precision",
            s->d->fp64_per_clock_sm, s->d->fp32_per_clock_sm);
}

static void (*const rules_of_line[])(struct subject *) = {
    rule_bank_conflicts, rule_shared_atomics, rule_sectors, rule_transactions,
    rule_constant,       rule_local,          rule_divergence,
};
static void (*const rules_of_kernel[])(struct subject *) = {
    rule_camping, rule_grid, rule_block, rule_occupancy, rule_reuse, rule_double,
};

static int
by_weight(const void *x, const void *y)
{
    double a = ((const struct report_advice *)x)->weight, b = ((const struct report_advice *)y)->weight;
    return a < b ? 1 : a > b ? -1 : 0;
}

void
report_advise(const struct device_profile *d, const json_t *kernel, struct arena *a,
              struct report_advices *out)
{
    struct subject s = {.d = d, .kernel = kernel, .arena = a, .out = out};
    double all = report_number(kernel, "roofline", "seconds", NULL);
    size_t k;
    json_t *line;
    json_array_foreach(json_object_get(kernel, "lines"), k, line)
    {
        s.line = line;
        s.weight = all > 0 ? report_number(line, "bound", "seconds", NULL) / all : 0;
        for (size_t r = 0; r < sizeof rules_of_line / sizeof *rules_of_line; r++)
            rules_of_line[r](&s);
    }
    s.line = NULL;
    s.weight = 1;
    for (size_t r = 0; r < sizeof rules_of_kernel / sizeof *rules_of_kernel; r++)
        rules_of_kernel[r](&s);
    if (out->list.count)
        qsort(out->list.at, out->list.count, sizeof *out->list.at, by_weight);
}
