/* SPDX-License-Identifier: Apache-2.0
 *
 * sampling.c: launches of which only a sample of the blocks is counted (option sample=N). What is
 * taken is a round: as many blocks, one behind the other, as the device holds at a time, so that
 * the simulated caches see what they would see of these. The first round, which finds cold caches,
 * is always taken and stands for itself alone. The others are dealt into strata of neighbours, as
 * many as rounds are to be taken: of the first one the second round is taken, of each other one by
 * a hash of the stratum's number, so that no period of the grid is met with. What they count is
 * scaled by the blocks that they stand for. How far that may be off follows from how unlike the
 * rounds that follow each other in the sample are (successive differences: Wolter, Introduction to
 * Variance Estimation, 8.2). Rounds that are unlike all that were taken are not foretold.
 */
#include "profile/profile_priv.h"

#include <math.h>

/* Fewer say nothing of how unlike they are. */
enum { LEAST_ROUNDS = 6 };

bool
profile_sample(const char *text, uint64_t *every, struct ls_error *err)
{
    enum { MOST = 1000000 };
    *every = 1;
    if (!text || !*text || (ls_parse_u64(text, every) && *every >= 1 && *every <= MOST))
        return true;
    return ls_fail(err, LS_ERR_USAGE, "a sample is one block in 1 (all) to %d, not in \"%s\"", MOST,
                   text);
}

/* splitmix64's last step. */
static uint64_t
hash(uint64_t n)
{
    n = (n + 1) * 0x9e3779b97f4a7c15ull;
    n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9ull;
    n = (n ^ n >> 27) * 0x94d049bb133111ebull;
    return n ^ n >> 31;
}

static uint64_t
blocks_of_round(const struct sampling *x, uint64_t round)
{
    uint64_t first = round * x->round;
    return x->blocks - first < x->round ? x->blocks - first : x->round;
}

static void
pick(struct sampling *x)
{
    uint64_t strata = x->picked - 1, others = x->rounds - 1;
    x->counted = x->round;
    for (uint64_t k = 0; k < strata; k++) {
        uint64_t from = 1 + k * others / strata, to = 1 + (k + 1) * others / strata;
        x->pick[k + 1] = k ? from + hash(k) % (to - from) : from;
        x->counted += blocks_of_round(x, x->pick[k + 1]);
        for (uint64_t r = from; r < to; r++)
            x->stratum[r] = (uint32_t)k + 1;
    }
}

/* Why all blocks of the launch are counted; NULL: a sample will do. */
static const char *
why_all(const struct watch *w, uint64_t rounds, uint64_t wanted)
{
    if (w->launch.whole)
        return w->launch.whole;
    if (w->phases)
        return "each access is shown by itself";
    return rounds <= LEAST_ROUNDS || wanted >= rounds || rounds > UINT32_MAX
               ? "it has few rounds of blocks"
               : NULL;
}

void
sampling_begin(struct watch *w)
{
    const struct device_profile *d = w->profile->device;
    const struct kernel *k = w->kernel;
    uint64_t every = w->profile->sample_every,
             blocks = (uint64_t)k->size.grid[0] * k->size.grid[1] * k->size.grid[2];
    if (every <= 1)
        return;
    uint64_t round = (uint64_t)(d->sm_count ? d->sm_count : 1) *
                     (k->occupancy.blocks_per_sm ? k->occupancy.blocks_per_sm : 1);
    uint64_t rounds = (blocks + round - 1) / round, wanted = (rounds + every - 1) / every;
    wanted = wanted < LEAST_ROUNDS ? LEAST_ROUNDS : wanted;
    w->kernel->sampled.why = why_all(w, rounds, wanted);
    w->kernel->sampled.of += blocks;
    if (w->kernel->sampled.why) {
        w->kernel->sampled.blocks += blocks;
        return;
    }
    struct sampling *x = w->sampling = ls_alloc(sizeof *x);
    *x = (struct sampling){.round = round,
                           .blocks = blocks,
                           .rounds = rounds,
                           .picked = (uint32_t)wanted,
                           .pick = ls_alloc(wanted * sizeof *x->pick),
                           .stratum = ls_alloc(rounds * sizeof *x->stratum),
                           .figure = ls_alloc(wanted * sizeof *x->figure)};
    pick(x);
    *w->launch.sampled = true;
}

/* -- blocks ------------------------------------------------------------------------------------ */

bool
sampling_counts(const struct jit_launch *l, uint64_t block)
{
    const struct sampling *x = ((const struct watch *)l->tool)->sampling;
    uint64_t round = block / x->round;
    return x->pick[x->stratum[round]] == round;
}

uint64_t
sampling_stand_in(const struct sampling *x, uint64_t block)
{
    if (!x)
        return block;
    uint64_t round = x->pick[x->stratum[block / x->round]];
    return round * x->round + block % x->round % blocks_of_round(x, round);
}

uint64_t
sampling_next(const struct sampling *x, uint64_t round)
{
    uint32_t at = x ? x->stratum[round] : 0;
    return !x ? round + 1 : at + 1 < x->picked ? x->pick[at + 1] : UINT64_MAX;
}

uint64_t
sampling_last(const struct sampling *x, uint64_t rounds)
{
    return x ? x->pick[x->picked - 1] : rounds - 1;
}

double
sampling_blocks(const struct watch *w)
{
    const uint32_t *g = w->kernel->size.grid;
    return w->sampling ? (double)w->sampling->counted : (double)g[0] * g[1] * g[2];
}

/* Those of the first round are counted by themselves. */
struct sheet *
sampling_sheet(struct sheet *s, uint64_t block)
{
    const struct sampling *x = s->watch->sampling;
    bool first = x && block < x->round;
    if (s->first == first)
        return s;
    if (!s->twin) {
        s->twin = sheet_take(s->watch);
        s->twin->twin = s;
        s->twin->first = first;
    }
    return s->twin;
}

void
sampling_block(struct sampling *x, uint64_t block, uint64_t instructions)
{
    uint64_t *sum = &x->figure[x->stratum[block / x->round]][SAMPLED_INSTRUCTIONS];
    __atomic_fetch_add(sum, instructions, __ATOMIC_RELAXED);
}

/* -- caches ------------------------------------------------------------------------------------ */

void
sampling_played(struct sampling *x, const struct cache_counts *c, uint32_t pages)
{
    if (x->played >= x->picked)
        return;
    uint64_t *figure = x->figure[x->played];
    if (!x->played) {
        x->first = *c;
        x->first_pages = pages;
    }
    figure[SAMPLED_L1] = c->l1_sectors - x->last.l1_sectors;
    figure[SAMPLED_L2] = c->l2_sectors - x->last.l2_sectors;
    figure[SAMPLED_DRAM] = c->dram_bytes_read - x->last.dram_bytes_read;
    x->last = *c;
    x->played++;
}

uint64_t
sampling_scale(const struct sampling *x, uint64_t n)
{
    uint64_t all = x->blocks - x->round, part = x->counted - x->round;
    return (uint64_t)(((unsigned __int128)n * all + part / 2) / part);
}

void
sampling_scale_caches(const struct sampling *x, struct cache_counts *c)
{
    uint64_t *all = (uint64_t *)c;
    const uint64_t *first = (const uint64_t *)&x->first;
    for (size_t k = 0; k < sizeof *c / sizeof *all; k++)
        all[k] = first[k] + sampling_scale(x, all[k] - first[k]);
}

uint64_t
sampling_scale_page(const struct sampling *x, uint32_t number, uint64_t bytes)
{
    return x && number >= x->first_pages ? sampling_scale(x, bytes) : bytes;
}

/* -- the error --------------------------------------------------------------------------------- */

/* Student's t that 95 % lie within, by Cornish and Fisher (5 degrees of freedom: 2.57). */
static double
student(double v)
{
    const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

static double
per_block(const struct sampling *x, uint32_t k, enum sampled_figure f)
{
    return (double)x->figure[k][f] / (double)blocks_of_round(x, x->pick[k]);
}

/* By what share more of device memory is read for where a round does not find what its neighbour
 * has left: the second round, which does, beside the others. */
static double
strange_neighbours(const struct sampling *x)
{
    double read = 0;
    for (uint32_t k = 2; k < x->picked; k++)
        read += per_block(x, k, SAMPLED_DRAM) / (x->picked - 2);
    return read > 0 ? fabs(1 - per_block(x, 1, SAMPLED_DRAM) / read) : 0;
}

/* Of the whole figure: what 95 % of such samples are off by at most. */
static double
error_of(const struct sampling *x, enum sampled_figure f)
{
    double n = x->picked - 1, others = (double)(x->blocks - x->round), squares = 0, sum = 0,
           left = 1 - n / (double)(x->rounds - 1);
    for (uint32_t k = 1; k < x->picked; k++) {
        double step = k > 1 ? per_block(x, k, f) - per_block(x, k - 1, f) : 0;
        sum += (double)x->figure[k][f];
        squares += step * step;
    }
    double all = (double)x->figure[0][f] + sum * others / (double)(x->counted - x->round),
           deviation = sqrt(squares / 2 / (n - 1) / n * left) * others;
    double error = all > 0 ? student(2 * (n - 1) / 3) * deviation / all : 0;
    return f == SAMPLED_DRAM ? error + strange_neighbours(x) : error;
}

void
sampling_end(struct watch *w)
{
    struct sampling *x = w->sampling;
    struct sampled *to = &w->kernel->sampled;
    if (!x)
        return;
    to->blocks += x->counted;
    to->rounds = x->picked;
    for (int f = 0; f < SAMPLED_FIGURES; f++)
        to->error[f] = fmax(to->error[f], error_of(x, (enum sampled_figure)f));
    ls_release(x->pick);
    ls_release(x->stratum);
    ls_release(x->figure);
    ls_release(x);
    w->sampling = NULL;
}

double
sampled_error(const struct sampled *s)
{
    double most = 0;
    for (int f = 0; f < SAMPLED_FIGURES; f++)
        most = fmax(most, s->error[f]);
    return most;
}
