/* SPDX-License-Identifier: Apache-2.0
 *
 * play.c: a wave's accesses are played to the model's caches side by side: of every warp of every
 * resident block its first access, then the second one, and so on; a step is one access of each.
 * Some steps at a time: first each SM's warps to its L1, then what they leave for L2, of all SMs in
 * the order of the steps. Start with player_wave().
 *
 * Where memory has partitions (1.x), a step lasts as long as its busiest partition: the sum of
 * those against even spreading is the price of partition camping.
 */
#include "profile/play_priv.h"

#include <string.h>

enum { PARTITIONS = 16, SECTOR = 32, PER_LINE = 4 };

struct step {
    uint64_t in[PARTITIONS], all;
};

enum { MOST_HANDS = 16 };

/* One SM's warps. */
struct crew {
    struct stream *stream;
    size_t count;
    uint32_t sm;
    struct hand *hand; /* who played it last */
    uint64_t step;     /* in all */
    /* In that one's asked, of each part of L2: the first step's; [MOST_STEPS]: each step's end. */
    size_t first[MOST_HANDS], *end[MOST_HANDS];
};

/* A thread that plays. */
struct hand {
    struct player *player;
    uint32_t number;
    pthread_t thread;
    struct gather gather;
    struct rows rows;
    struct history history;          /* the last steps of one SM */
    struct cache_arrivals arrivals;  /* in the step in hand */
    struct cache_counts step;        /* its loads and those that wait: no other counts; */
    uint32_t weight;                 /*   how many steps they stand for, 0: they are not counted */
    VEC(uint64_t) left;              /* what of one is for L2, */
    VEC(uint64_t) asked[MOST_HANDS]; /* by parts, and all of it by SM */
    VEC(uint64_t) sorted;            /* what is asked of its own part, by step */
    struct cache_counts counts;
};
enum job { JOB_L1, JOB_L2, JOB_OVER };

struct player {
    const struct device_profile *device;
    struct cache_system *system;
    struct sampling *sampling; /* NULL: none */
    uint32_t sms, warps;
    struct pages pages;
    struct hand hand[MOST_HANDS];
    uint32_t hands, parts; /* at work in this wave; those of L2 */
    bool hired;
    bool few; /* SMs at work in this wave */
    pthread_mutex_t gate;
    pthread_barrier_t begin, end; /* of a job, where several are */
    enum job job;
    struct crew *crew;
    size_t crews, steps;       /* the job's */
    VEC(struct stream) stream; /* of the wave */
    VEC(size_t) ends;          /* the crews' */
    struct step *step;         /* [steps], where memory has partitions */
    double busiest, even;
};

/* -- steps ------------------------------------------------------------------------------------- */

static void
count_partitions(struct player *p, struct step *step, uint64_t word)
{
    uint64_t first = (word >> CACHE_LINE_SHIFT) * PER_LINE;
    for (uint32_t k = 0; k < PER_LINE; k++)
        if (word >> k & 1) {
            step->in[model_partition(p->device, (first + k) * SECTOR) % PARTITIONS]++;
            step->all++;
        }
}

static void
add_steps(struct player *p, size_t steps)
{
    for (size_t k = 0; k < steps; k++) {
        uint64_t most = 0;
        for (int n = 0; n < PARTITIONS; n++)
            most = p->step[k].in[n] > most ? p->step[k].in[n] : most;
        p->busiest += (double)most;
        p->even += (double)p->step[k].all / p->device->memory_partitions;
        p->step[k] = (struct step){{0}, 0};
    }
}

/* What L1 leaves of these lines goes to the parts of L2; how many requests that is. */
static size_t
ask_l2(struct hand *h, uint32_t sm, const uint64_t *line, size_t n)
{
    struct player *p = h->player;
    uint64_t *out[MOST_HANDS];
    for (uint32_t part = 0; part < p->parts; part++) {
        while (h->asked[part].room < h->asked[part].count + n)
            h->asked[part].at =
                ls_grow(h->asked[part].at, &h->asked[part].room, sizeof *h->asked[part].at);
        out[part] = h->asked[part].at + h->asked[part].count;
    }
    if (p->parts == 1) {
        size_t asked = cache_system_l1(p->system, sm, line, n, out[0], &h->counts);
        if (h->weight)
            cache_count_waits(&h->arrivals, line, n, out[0], asked, &h->step);
        h->asked[0].count += asked;
        return asked;
    }
    while (h->left.room < n)
        h->left.at = ls_grow(h->left.at, &h->left.room, sizeof *h->left.at);
    size_t asked = cache_system_l1(p->system, sm, line, n, h->left.at, &h->counts);
    if (h->weight)
        cache_count_waits(&h->arrivals, line, n, h->left.at, asked, &h->step);
    cache_system_split(h->left.at, asked, p->parts, out);
    for (uint32_t part = 0; part < p->parts; part++)
        h->asked[part].count = (size_t)(out[part] - h->asked[part].at);
    return asked;
}

/* What repeats the last steps is counted, and only looked up where others were between (again.c).
 * What asks L2 for nothing are loads that hit. */
static void
play_lines(struct hand *h, uint32_t sm, struct past *own)
{
    struct past *same = history_same(&h->history, own);
    uint64_t before = h->counts.l1_sectors;
    if (!same) {
        own->clean = ask_l2(h, sm, own->line, own->count) == 0;
        own->sectors = h->counts.l1_sectors - before;
        return;
    }
    size_t n = history_touched(&h->history, own, same, h->player->system);
    if (n)
        ask_l2(h, sm, h->history.line, n);
    own->clean = true; /* an earlier step found these lines together: no set has too many of them */
    own->sectors = same->sectors;
    uint64_t more = own->sectors - (h->counts.l1_sectors - before);
    h->counts.l1_sectors += more;
    h->counts.l1_hits += more;
    h->step.line_loads += own->count - n;
}

/* How many steps of all SMs the one in hand stands for, in the count of loads that wait; 0: it is
 * not counted. Of few SMs the first steps all are; else one in eight, by a hash, so that none of a
 * loop's accesses is always left out: to count all takes a fifth more time in streams and sparse
 * products. */
static uint32_t
weight_of(const struct player *p, const struct crew *c)
{
    enum { ALL = 256, SHARE = 8 };
    if (p->few && c->step < ALL)
        return 1;
    return (c->step + c->sm * 0x10001ull) * 0x9e3779b97f4a7c15ull >> 61 ? 0 : SHARE;
}

/* Loads that repeat the ones before them wait where those do. */
static void
count_waits(struct hand *h)
{
    uint64_t loads = h->step.line_loads, waits = h->step.line_waits, more = h->gather.repeated;
    h->counts.line_loads += h->weight * (loads + more);
    h->counts.line_waits += h->weight * (waits + (loads ? more * waits / loads : 0));
    h->step.line_loads = h->step.line_waits = h->gather.repeated = 0;
}

/* Plays one step of an SM's warps: the row's lines go to its L1. */
static void
play_row(struct hand *h, struct crew *c, size_t row, struct step *step)
{
    size_t count = h->rows.count[row];
    h->weight = weight_of(h->player, c);
    c->step++;
    struct past *own = history_next(&h->history, count * MOST_LINES);
    own->count = gather_lines(&h->gather, h->rows.word + row * h->rows.room, count, own->line);
    for (size_t l = 0; step && l < own->count; l++)
        count_partitions(h->player, step, own->line[l]);
    play_lines(h, c->sm, own);
    count_waits(h);
}

static void
play_l1(struct hand *h, struct crew *c, size_t steps)
{
    struct player *p = h->player;
    c->hand = h;
    history_begin(&h->history);
    for (uint32_t part = 0; part < p->parts; part++)
        c->first[part] = h->asked[part].count;
    for (size_t k = 0; k < steps; k++) {
        if (k % ROWS == 0)
            c->count = gather_rows(&h->rows, c->stream, c->count);
        if (h->rows.count[k % ROWS])
            play_row(h, c, k % ROWS, p->step ? &p->step[k] : NULL);
        for (uint32_t part = 0; part < p->parts; part++)
            c->end[part][k] = h->asked[part].count;
    }
}

/* What the SMs ask of this hand's part of L2 in these steps, in the order of the steps. */
static void
play_l2(struct hand *h)
{
    struct player *p = h->player;
    uint32_t part = h->number;
    h->sorted.count = 0;
    for (uint32_t n = 0; n < p->hands; n++)
        h->sorted.count += p->hand[n].asked[part].count;
    while (h->sorted.room < h->sorted.count)
        h->sorted.at = ls_grow(h->sorted.at, &h->sorted.room, sizeof *h->sorted.at);
    uint64_t *to = h->sorted.at;
    for (size_t k = 0; k < p->steps; k++)
        for (size_t n = 0; n < p->crews; n++) {
            const struct crew *c = &p->crew[n];
            const uint64_t *asked = c->hand->asked[part].at;
            for (size_t from = k ? c->end[part][k - 1] : c->first[part]; from < c->end[part][k];
                 from++)
                *to++ = asked[from];
        }
    cache_system_l2(p->system, h->sorted.at, h->sorted.count, &h->counts);
}

/* -- jobs -------------------------------------------------------------------------------------- */

/* A hand's part of the job: of L1 every so manieth SM, of L2 its part,
 * where there is one for it. */
static void
do_part(struct hand *h)
{
    struct player *p = h->player;
    for (size_t c = h->number; p->job == JOB_L1 && c < p->crews; c += p->hands)
        play_l1(h, &p->crew[c], p->steps);
    if (p->job == JOB_L2 && h->number < p->parts)
        play_l2(h);
}

static void *
help(void *context)
{
    struct hand *h = context;
    struct player *p = h->player;
    pthread_mutex_lock(&p->gate); /* until it is known how many there are */
    pthread_mutex_unlock(&p->gate);
    for (;;) {
        pthread_barrier_wait(&p->begin);
        if (p->job == JOB_OVER)
            return NULL;
        do_part(h);
        pthread_barrier_wait(&p->end);
    }
}

static void
do_job(struct player *p, enum job job)
{
    p->job = job;
    if (p->hands > 1)
        pthread_barrier_wait(&p->begin);
    do_part(&p->hand[0]);
    if (p->hands > 1 && job != JOB_OVER)
        pthread_barrier_wait(&p->end);
}

/* Starts the threads that play a wave: as many as the caller asks for, MOST_HANDS at most. */
static void
hire(struct player *p, uint32_t hands)
{
    p->hands = hands < MOST_HANDS ? hands : MOST_HANDS;
    if (p->step || p->hands < 2) /* steps are counted together */
        p->hands = 1;
    if (p->hands == 1)
        return;
    p->hired = true;
    pthread_mutex_lock(&p->gate);
    uint32_t n = 1;
    while (n < p->hands && !pthread_create(&p->hand[n].thread, NULL, help, &p->hand[n]))
        n++;
    p->hands = n;
    pthread_barrier_init(&p->begin, NULL, n);
    pthread_barrier_init(&p->end, NULL, n);
    pthread_mutex_unlock(&p->gate);
}

static void
dismiss(struct player *p)
{
    if (!p->hired)
        return;
    do_job(p, JOB_OVER);
    for (uint32_t n = 1; n < p->hands; n++)
        pthread_join(p->hand[n].thread, NULL);
    p->hired = false;
    pthread_barrier_destroy(&p->begin);
    pthread_barrier_destroy(&p->end);
}

/* -- waves ------------------------------------------------------------------------------------- */

/* Steps that are played at a time: so many that an SM's tags are
 * fetched for some hundred accesses. */
enum { MOST_STEPS = 256, AT_A_TIME = 1 << 18 };

static void
add_streams(struct player *p, const struct played *b)
{
    for (uint32_t w = 0; b->words && w < p->warps; w++)
        if (b->start[w] < b->start[w + 1])
            VEC_PUSH(&p->stream,
                     (struct stream){b->words + b->start[w], b->words + b->start[w + 1]});
}

static void
play_all(struct player *p, struct crew *crew, size_t crews, size_t streams)
{
    p->parts = cache_system_parts(p->system, p->hands);
    while (p->ends.room < crews * p->parts * MOST_STEPS)
        p->ends.at = ls_grow(p->ends.at, &p->ends.room, sizeof *p->ends.at);
    for (size_t c = 0; c < crews; c++)
        for (uint32_t part = 0; part < p->parts; part++)
            crew[c].end[part] = p->ends.at + (c * p->parts + part) * MOST_STEPS;
    enum { FEW = 16 };
    p->crew = crew;
    p->few = crews <= FEW;
    while (streams) {
        size_t steps = AT_A_TIME / streams, left = 0;
        p->steps = steps < ROWS ? ROWS : steps > MOST_STEPS ? MOST_STEPS : steps / ROWS * ROWS;
        p->crews = crews;
        streams = 0;
        do_job(p, JOB_L1);
        do_job(p, JOB_L2);
        for (uint32_t n = 0; n < p->hands; n++)
            for (uint32_t part = 0; part < p->parts; part++)
                p->hand[n].asked[part].count = 0;
        if (p->step)
            add_steps(p, p->steps);
        for (size_t c = 0; c < crews; c++) {
            if (!crew[c].count)
                continue;
            streams += crew[c].count;
            if (left != c) { /* their ends stay where they are */
                struct crew own = crew[left];
                crew[left] = crew[c];
                memcpy(crew[left].end, own.end, sizeof own.end);
            }
            left++;
        }
        crews = left;
    }
}

static void
add_counts(struct cache_counts *to, const struct cache_counts *from)
{
    uint64_t *t = (uint64_t *)to;
    for (size_t k = 0; k < sizeof *to / sizeof *t; k++)
        t[k] += ((const uint64_t *)from)[k];
}

static struct cache_counts
counts_so_far(const struct player *p)
{
    struct cache_counts c = cache_system_counts(p->system, false);
    c.dram_bytes_kept = cache_system_dirty(p->system);
    c.dram_bytes_written += c.dram_bytes_kept;
    for (uint32_t n = 0; n < MOST_HANDS; n++)
        add_counts(&c, &p->hand[n].counts);
    return c;
}

/* Block i of a wave is on SM i mod SMs. */
void
player_wave(struct player *p, const struct played *block, uint64_t blocks,
            struct outline *const *shape, uint32_t hands)
{
    struct crew *crew = ls_alloc(p->sms * sizeof *crew);
    size_t crews = 0;
    uint64_t order = 0;
    p->stream.count = 0;
    for (uint32_t sm = 0; sm < p->sms; sm++) {
        size_t before = p->stream.count;
        for (uint64_t i = sm; i < blocks; i += p->sms) {
            pages_add(&p->pages, &block[i], p->warps, order++, shape);
            add_streams(p, &block[i]);
        }
        if (p->stream.count > before)
            crew[crews++] = (struct crew){.count = p->stream.count - before, .sm = sm};
    }
    struct stream *next = p->stream.at; /* it moves while it grows */
    for (size_t c = 0; c < crews; next += crew[c++].count)
        crew[c].stream = next;
    pages_number(&p->pages, p->stream.at, p->stream.count, shape);
    for (uint32_t n = 0; n < MOST_HANDS; n++)
        p->hand[n].gather.shape = shape;
    hire(p, hands);
    play_all(p, crew, crews, p->stream.count);
    dismiss(p);
    ls_release(crew);
    if (p->sampling) {
        struct cache_counts c = counts_so_far(p);
        sampling_played(p->sampling, &c, p->pages.numbered);
    }
}

struct player *
player_new(const struct device_profile *d, struct cache_system *system, uint32_t warps,
           struct sampling *x)
{
    struct player *p = ls_alloc(sizeof *p);
    p->device = d;
    p->system = system;
    p->sampling = x;
    p->sms = d->sm_count ? d->sm_count : 1;
    p->warps = warps;
    p->step = d->memory_partitions ? ls_alloc(MOST_STEPS * sizeof *p->step) : NULL;
    pthread_mutex_init(&p->gate, NULL);
    for (uint32_t n = 0; n < MOST_HANDS; n++) {
        struct hand *h = &p->hand[n];
        h->player = p;
        h->number = n;
        h->gather.wide = cache_system_wide(system);
        h->gather.pages = &p->pages;
        h->gather.counts = &h->counts;
        h->gather.repeats = !p->step && cache_system_repeats(system);
    }
    return p;
}

/* Bytes of each page that the launch has touched. */
static void
add_working_set(const struct player *p, struct working_set *f)
{
    enum { LINES = 1 << (PAGE_SHIFT - CACHE_LINE_SHIFT) };
    for (uint32_t at = 0; at < p->pages.room; at++)
        if (p->pages.page[at] && p->pages.number[at] < p->pages.numbered)
            working_set_add(f, p->pages.page[at] - 1,
                            sampling_scale_page(
                                p->sampling, p->pages.number[at],
                                cache_system_used(p->system, p->pages.number[at] * LINES, LINES)));
}

void
player_end(struct player *p, struct kernel *k, struct working_set *f)
{
    add_working_set(p, f);
    for (uint32_t n = 0; n < MOST_HANDS; n++) {
        cache_system_add(p->system, &p->hand[n].counts);
        k->traced += p->hand[n].gather.runs;
        history_free(&p->hand[n].history);
        VEC_FREE(&p->hand[n].left);
        VEC_FREE(&p->hand[n].sorted);
        for (uint32_t part = 0; part < MOST_HANDS; part++)
            VEC_FREE(&p->hand[n].asked[part]);
        ls_release(p->hand[n].rows.word);
    }
    struct cache_counts c = cache_system_counts(p->system, true);
    if (p->sampling)
        sampling_scale_caches(p->sampling, &c);
    add_counts(&k->caches, &c);
    k->camping_busiest += p->busiest;
    k->camping_even += p->even;
    pages_free(&p->pages);
    ls_release(p->step);
    VEC_FREE(&p->stream);
    VEC_FREE(&p->ends);
    pthread_mutex_destroy(&p->gate);
    ls_release(p);
}
