/* SPDX-License-Identifier: Apache-2.0
 *
 * advice_line.c: the rules of advice.def that look at one source line. A remedy is named only after
 * the model has been asked what it would give.
 */
#include "report/report_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const ops[] = {"load", "store"};

/* "space_op_what" */
static double
access_counter(const struct subject *s, const char *space, const char *op, const char *what)
{
    char name[80];
    snprintf(name, sizeof name, "%s_%s_%s", space, op, what);
    return advice_counter(s, name);
}

/* -- shared memory ----------------------------------------------------------------------------- */

/* Without so many passes a launch. */
static struct remedy
fewer_passes(const struct subject *s, double passes)
{
    struct remedy r = advice_remedy(s);
    double n;
    for (int k = 0; k < 2; k++) {
        struct report_model *m = advice_each(&r, s, k, &n);
        advice_less(&m->work.shared_wavefronts, n * passes);
        m->waiting.pipe_wavefronts -= n * passes;
    }
    return r;
}

static void
conflicts_of(struct subject *s, const char *op, double conflicts, double wavefronts)
{
    struct access a;
    struct access_cost cost;
    struct remedy r = fewer_passes(s, conflicts / s->launches);
    char remedy[160] = "";
    uint64_t row;
    if (!report_sample(s->line, "shared", op, &a))
        return;
    model_access(s->d, &a, &cost);
    uint32_t pad = report_padding(s->d, &a, &row);
    if (pad)
        snprintf(
            remedy, sizeof remedy,
            "; with rows of %llu bytes instead of %llu (one element of padding) there are none",
            (unsigned long long)(row + pad), (unsigned long long)row);
    advice_say(s, &r, "%u-way bank conflict: %s of %s wavefronts of the shared %ss are in excess%s",
               cost.degree, report_count(s->arena, conflicts), report_count(s->arena, wavefronts),
               op, remedy);
}

void
rule_bank_conflicts(struct subject *s)
{
    for (int k = 0; k < 2; k++) {
        double conflicts = access_counter(s, "shared", ops[k], "bank_conflicts");
        double wavefronts = access_counter(s, "shared", ops[k], "wavefronts");
        if (conflicts > 0.05 * wavefronts)
            conflicts_of(s, ops[k], conflicts, wavefronts);
    }
}

void
rule_shared_atomics(struct subject *s)
{
    double conflicts = advice_counter(s, "shared_atomic_bank_conflicts");
    double requests = advice_counter(s, "shared_atomic_requests");
    struct remedy r = fewer_passes(s, conflicts / s->launches);
    if (conflicts > requests)
        advice_say(
            s, &r,
            "shared atomics meet at the same bank: %.3g passes per request; threads of a warp that "
            "add up among themselves first need fewer",
            (conflicts + requests) / requests);
}

void
rule_shared_loads(struct subject *s)
{
    double loads = advice_counter(s, "shared_load_requests"),
           passes = advice_per_launch(s, "shared_load_wavefronts");
    double fma =
        (advice_counter(s, "flops_f32") + advice_counter(s, "flops_f64")) / 64; /* of warps */
    const struct report_times *t = &s->full_times;
    double busy = t->pipe > t->bound.each[BOUND_SHARED] ? t->pipe : t->bound.each[BOUND_SHARED];
    struct remedy r = fewer_passes(s, passes / 2);
    if (fma <= 0 || loads < 0.5 * fma || busy < 0.5 * t->work ||
        passes * s->launches <
            0.25 * report_number(s->kernel, "counters", "shared_load_wavefronts", NULL))
        return;
    advice_say(s, &r,
               "%.2g loads from shared memory for each multiply-add, and shared memory is the "
               "limit: let each "
               "thread compute 2 x 2 elements, so that what it loads into registers serves twice; "
               "4 x 4 save "
               "more",
               loads / fma);
}

/* -- global memory ----------------------------------------------------------------------------- */

/* Without so many sectors a launch on the way to L1, of which L2 and device memory have their
 * shares, and so many lines of the pipe. dram: does device memory move less, too? */
static struct remedy
fewer_sectors(const struct subject *s, double sectors, double lines, bool dram)
{
    struct remedy r = advice_remedy(s);
    double n;
    for (int k = 0; k < 2; k++) {
        struct report_model *m = advice_each(&r, s, k, &n);
        double l2 =
            m->work.l1_sectors ? (double)m->work.l2_sectors / (double)m->work.l1_sectors : 1;
        double memory =
            m->work.l2_sectors ? (double)m->work.dram_bytes / 32 / (double)m->work.l2_sectors : 1;
        l2 = l2 > 1 ? 1 : l2;
        memory = memory > 1 ? 1 : memory;
        advice_less(&m->work.l1_sectors, n * sectors);
        advice_less_l2(&m->work, n * sectors * l2);
        if (dram)
            advice_less(&m->work.dram_bytes, n * sectors * l2 * memory * 32);
        m->waiting.pipe_wavefronts -= n * lines;
    }
    return r;
}

/* Lines of 128 bytes that the access touches, beyond those that its bytes fill. */
static double
lines_in_excess(const struct access *a)
{
    uint64_t seen[64];
    uint32_t n = 0, lanes = (uint32_t)__builtin_popcount(a->mask);
    for (uint32_t l = 0; l < 32; l++) {
        uint32_t k = 0;
        if (!(a->mask >> l & 1))
            continue;
        while (k < n && seen[k] != a->address[l] / 128)
            k++;
        seen[k] = a->address[l] / 128;
        n += k == n;
    }
    double best = (lanes * a->width + 127) / 128;
    return n > best ? n - best : 0;
}

struct moved {
    const char *op;
    double sectors, ideal, requests; /* of all launches */
    bool sampled;
    struct access sample;
    int64_t distance; /* between neighbours; 0: no usual one */
};

static bool
find_moved(const struct subject *s, int op, struct moved *m)
{
    *m = (struct moved){.op = ops[op]};
    m->sectors = access_counter(s, "global", m->op, "sectors");
    m->ideal = access_counter(s, "global", m->op, "sectors_ideal");
    m->requests = access_counter(s, "global", m->op, "requests");
    m->sampled = report_sample(s->line, "global", m->op, &m->sample);
    m->distance = m->sampled ? llabs(advice_distance(&m->sample)) : 0;
    return m->ideal > 0 && m->sectors > m->ideal;
}

static struct remedy
side_by_side(const struct subject *s, const struct moved *m, bool dram)
{
    double lines = m->sampled ? lines_in_excess(&m->sample) * m->requests : 0;
    return fewer_sectors(s, (m->sectors - m->ideal) / s->launches, lines / s->launches, dram);
}

/* Bytes that all loads ask for, against those that device memory read first: fields of structures
 * that nobody reads come along. */
static bool
leaves_gaps(const struct subject *s)
{
    double asked = 32 * (report_number(s->kernel, "counters", "global_load_sectors_ideal", NULL) +
                         report_number(s->kernel, "counters", "global_atomic_sectors_ideal", NULL));
    return report_number(s->kernel, "counters", "bytes_dram_first", NULL) >= 1.5 * asked;
}

static bool
is_half_used(const struct subject *s, const struct moved *m)
{
    return m->op == ops[0] && m->distance > (int64_t)m->sample.width && m->distance < 32 &&
           leaves_gaps(s);
}

void
rule_uncoalesced(struct subject *s)
{
    struct moved m;
    for (int k = 0; k < 2; k++) {
        if (!find_moved(s, k, &m) || m.sectors < 1.5 * m.ideal || m.distance < 32)
            continue;
        struct remedy r = side_by_side(s, &m, false);
        advice_say(s, &r,
                   "global %ss move %.3g times the data asked for (%.3g sectors a request, %.3g "
                   "would do): "
                   "neighbouring threads are %lld bytes apart; let threadIdx.x run along memory, "
                   "or go through a "
                   "tile in shared memory",
                   m.op, m.sectors / m.ideal, m.sectors / m.requests, m.ideal / m.requests,
                   (long long)m.distance);
    }
}

void
rule_half_used(struct subject *s)
{
    struct moved m;
    if (!find_moved(s, 0, &m) || !is_half_used(s, &m))
        return;
    struct remedy r = side_by_side(s, &m, true);
    advice_say(s, &r,
               "of each %lld bytes that come from memory %u are used: what lies between is never "
               "read; an array for "
               "each field instead of an array of structures",
               (long long)m.distance, m.sample.width);
}

void
rule_excess_sectors(struct subject *s)
{
    struct moved m;
    for (int k = 0; k < 2; k++) {
        if (!find_moved(s, k, &m) || m.distance >= 32 || is_half_used(s, &m))
            continue;
        bool shifted = m.sampled && m.distance == (int64_t)m.sample.width;
        if (m.sectors < (shifted ? 1.2 : 1.5) * m.ideal)
            continue;
        struct remedy r = side_by_side(s, &m, false);
        char where[128] = ": threads ask here and there";
        if (shifted)
            snprintf(
                where, sizeof where,
                ": a warp begins in the middle of a sector; pad rows to a multiple of 32 bytes");
        else if (m.distance)
            snprintf(where, sizeof where, ": neighbouring threads are %lld bytes apart",
                     (long long)m.distance);
        advice_say(s, &r,
                   "global %ss move %.3g times the data asked for (%.3g sectors a request, %.3g "
                   "would do)%s",
                   m.op, m.sectors / m.ideal, m.sectors / m.requests, m.ideal / m.requests, where);
    }
}

/* Before 5.0: against one transaction per half-warp (1.x) or per 128 bytes asked for. */
void
rule_transactions(struct subject *s)
{
    for (int k = 0; k < 2; k++) {
        double moved = access_counter(s, "global", ops[k], "transactions");
        double requests = access_counter(s, "global", ops[k], "requests");
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
        double all = report_number(s->kernel, "counters", "global_load_transactions", NULL) +
                     report_number(s->kernel, "counters", "global_store_transactions", NULL);
        double saved = (moved - best * requests) / (all > 0 ? all : 1);
        struct remedy r = fewer_sectors(s, saved * (double)s->model.work.l2_sectors, 0, true);
        if (moved >= 1.5 * best * requests)
            advice_say(
                s, &r,
                "global %ss take %.3g transactions a request; %u when the threads' data lie side "
                "by side and aligned",
                ops[k], moved / requests, best);
    }
}

void
rule_atomics(struct subject *s)
{
    double words = advice_per_launch(s, "global_atomic_words"), all = 0, n;
    const struct report_times *t = &s->full_times;
    struct remedy r = advice_remedy(s);
    double slices =
        model_memory_rates(s->d)->slices; /* spread over all of L2 they are not on few addresses */
    bool spread = slices > 0 && (double)s->model.work.hot_passes * slices <
                                    2 * (double)s->model.work.atomic_passes;
    if (words <= 0 || spread || t->bound.each[BOUND_ATOMIC] < 0.2 * t->work)
        return;
    for (int k = 0; k < 2; k++) {
        struct report_model *m = advice_each(&r, s, k, &n);
        double blocks = (double)m->work.blocks, hot = (double)m->work.hot_words;
        double left = hot > blocks ? blocks / hot : 1;
        uint64_t *const amounts[] = {&m->work.hot_words, &m->work.atomic_passes,
                                     &m->work.hot_passes, &m->work.hot_floats, &m->work.hot_swaps};
        for (size_t a = 0; a < sizeof amounts / sizeof *amounts; a++)
            *amounts[a] = (uint64_t)((double)*amounts[a] * left);
    }
    all = report_number(s->kernel, "counters", "global_atomic_words", NULL) / s->launches;
    advice_say(s, &r,
               "%s of %s atomics a launch meet on one line of 128 bytes, where L2 takes one after "
               "the other: add up "
               "within the warp or in shared memory, then one atomic for each block",
               report_count(s->arena, (double)s->model.work.hot_words),
               report_count(s->arena, all));
}

/* -- other memories ---------------------------------------------------------------------------- */

void
rule_constant(struct subject *s)
{
    double requests = advice_counter(s, "constant_load_requests"), n;
    double steps = advice_counter(s, "constant_load_wavefronts");
    double best = advice_counter(s, "constant_load_wavefronts_ideal");
    struct remedy r = advice_remedy(s);
    if (requests <= 0 || steps < 1.5 * best)
        return;
    for (int k = 0; k < 2; k++) {
        struct report_model *m = advice_each(&r, s, k, &n);
        advice_less(&m->work.constant_words, n * (steps - best) / s->launches);
    }
    advice_say(
        s, &r,
        "threads of a warp read %.3g different addresses of constant memory at once, which are "
        "served one after the other; global or shared memory serves them together",
        steps / requests);
}

void
rule_local(struct subject *s)
{
    double requests =
        advice_counter(s, "local_load_requests") + advice_counter(s, "local_store_requests");
    double sectors =
        advice_per_launch(s, "local_load_sectors") + advice_per_launch(s, "local_store_sectors");
    if (requests <= 0)
        return;
    struct remedy r = fewer_sectors(s, sectors, sectors / 4, true);
    advice_say(s, &r,
               "%s accesses of warps to local memory (an array with a computed index, or registers "
               "that did not "
               "suffice): they go to device memory through the caches; indices that are known when "
               "loops are "
               "unrolled keep it in registers",
               report_count(s->arena, requests));
}

/* -- instructions ------------------------------------------------------------------------------ */

void
rule_divergence(struct subject *s)
{
    double all = advice_counter(s, "branches"), split = advice_counter(s, "branches_divergent"), n;
    double lanes = report_number(s->kernel, "counters", "thread_instructions", NULL);
    double warps = report_number(s->kernel, "counters", "instructions", NULL);
    double every = report_number(s->kernel, "counters", "branches_divergent", NULL);
    double on = warps > 0 ? lanes / (32 * warps) : 1;
    struct remedy r = advice_remedy(s);
    if (all <= 0 || split <= 0.1 * all || on > 0.9)
        return;
    for (int k = 0; k < 2; k++) {
        struct report_model *m = advice_each(&r, s, k, &n);
        double left = 1 - (1 - on) * split / every;
        m->work.warp_instructions = (uint64_t)((double)m->work.warp_instructions * left);
        m->work.issue_slots = (uint64_t)((double)m->work.issue_slots * left);
        m->waiting.warp_clocks *= left;
        m->waiting.block_clocks *= left;
    }
    advice_say(
        s, &r,
        "the threads of a warp part ways at %.0f %% of the branches (%s of %s): both sides are "
        "run one after the other; of 32 lanes %.0f work in the mean. Let whole warps decide alike",
        100 * split / all, report_count(s->arena, split), report_count(s->arena, all), 32 * on);
}

void
rule_dependent(struct subject *s)
{
    const json_t *w = json_object_get(s->line, "waits");
    double clocks = report_number(w, "memory", NULL), n;
    bool chase = json_is_true(json_object_get(w, "chase")),
         indirect = json_is_true(json_object_get(w, "indirect"));
    struct remedy r = advice_remedy(s);
    if ((!chase && !indirect) || clocks < 0.2 * s->model.waiting.warp_clocks ||
        (s->full_times.work < 1.3 * s->full_times.bound.seconds &&
         s->times.work < 1.3 * s->times.bound.seconds))
        return;
    for (int k = 0; k < 2; k++) {
        struct report_model *m = advice_each(&r, s, k, &n);
        m->waiting.warp_clocks -= clocks / 2;
        m->waiting.block_clocks -= clocks / 2;
    }
    if (chase)
        advice_say(s, &r,
                   "each load needs the address that the one before it brought: a warp waits %.0f "
                   "of its %.0f clocks "
                   "here; let a thread follow two chains at once, or keep the data in an array",
                   clocks, s->model.waiting.warp_clocks);
    else
        advice_say(s, &r,
                   "the address comes from another load, so that the two wait one after the other: "
                   "%.0f of a warp's "
                   "%.0f clocks; load the indices of the next turn ahead",
                   clocks, s->model.waiting.warp_clocks);
}

void
rule_conversions(struct subject *s)
{
    double doubles = advice_per_launch(s, "flops_f64"),
           converted = advice_per_launch(s, "conversions_f64"), n;
    double all = report_number(s->kernel, "counters", "flops_f64", NULL);
    double made = report_number(s->kernel, "counters", "conversions_f64", NULL);
    struct remedy r = advice_remedy(s);
    if (doubles <= 0 || converted <= 0 || 4 * made < all)
        return;
    for (int k = 0; k < 2; k++) {
        struct report_model *m = advice_each(&r, s, k, &n);
        advice_less(&m->work.flops_f64, n * doubles);
        m->work.flops_f32 += (uint64_t)(n * doubles);
        advice_less(&m->work.warp_instructions, n * converted / 32);
        advice_less(&m->work.issue_slots, n * converted / 32);
        advice_less(&m->work.special_operations, n * converted);
    }
    advice_say(s, &r,
               "single precision is converted to double and back (%s conversions): a constant like "
               "2.0 instead of "
               "2.0f, or sqrt instead of sqrtf; this device does %u operations a clock and SM in "
               "double precision, "
               "%u in single",
               report_count(s->arena, converted * s->launches), s->d->fp64_per_clock_sm,
               s->d->fp32_per_clock_sm);
}

void
rule_division(struct subject *s)
{
    enum { STEPS = 20 }; /* mix.c's */
    double divisions = advice_per_launch(s, "divisions"), n;
    double all = report_number(s->kernel, "counters", "thread_instructions", NULL) / s->launches;
    struct remedy r = advice_remedy(s);
    if (divisions <= 0 || divisions * STEPS < 0.1 * all)
        return;
    for (int k = 0; k < 2; k++) {
        struct report_model *m = advice_each(&r, s, k, &n);
        advice_less(&m->work.warp_instructions, n * divisions * (STEPS - 1) / 32);
        advice_less(&m->work.issue_slots, n * divisions * (STEPS - 1) / 32);
        advice_less(&m->work.int_operations, n * divisions * (STEPS - 1));
        advice_less(&m->work.alu_operations, n * divisions * (STEPS - 1));
        advice_less(&m->work.special_operations, n * divisions); /* the reciprocal */
    }
    advice_say(s, &r,
               "%s divisions of integers (or remainders), some %d instructions each: by a power of "
               "two, by a constant "
               "(a template's argument), or a counter that is carried along they cost one",
               report_count(s->arena, divisions * s->launches), STEPS);
}
