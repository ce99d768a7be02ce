/* SPDX-License-Identifier: Apache-2.0
 *
 * play.c: a wave's accesses are played to the model's caches side by side: of every warp of every
 * resident block its first access, then the second one, and so on; a step is one access of each. Some
 * steps at a time: first each SM's warps to its L1, then what they leave for L2, of all SMs in the order
 * of the steps. Start with player_wave().
 *
 * Where memory has partitions (1.x), a step lasts as long as its busiest partition: the sum of those
 * against even spreading is the price of partition camping.
 */
#include "profile/profile_priv.h"

#include <stdlib.h>
#include <string.h>

enum { PARTITIONS = 16, SECTOR = 32, PER_LINE = 4, PAGE_SHIFT = 30, TURNS = 64 };
static const uint32_t UNNUMBERED = UINT32_MAX;
/* PAGE_SHIFT: a word's bits from there on are its page, as a page has 2^14 lines. */
_Static_assert(PAGE_SHIFT - CACHE_LINE_SHIFT == 14 && (2 << 20) / 128 == 1 << 14, "pages");

/* Turns of pages: a table of the last ones spares most searches. */
struct turn {
    uint64_t page, shift; /* shift: see page_shift(); the first pages are 0, which no device memory has */
};

/* Pages of 2 MiB by number in the order of their first use: what a program's memory lies at differs
 * from run to run, and what the caches say must not. */
struct pages {
    uint64_t *page;   /* open addressing; 0: free, else the page + 1 */
    uint32_t *number; /* UNNUMBERED: seen in this wave, its first use not found yet */
    uint32_t room, count, numbered; /* room: a power of two */
};

/* Where one warp has got to. */
struct stream {
    const uint64_t *at, *end;
    struct outline *const *shape;
};

struct step {
    uint64_t in[PARTITIONS], all;
};

/* One SM's warps. */
struct crew {
    struct stream *stream;
    size_t count;
    uint32_t sm;
    struct hand *hand;  /* who played it last */
    size_t first, *end; /* in that one's asked, of the first step; [MOST_STEPS]: each step's end */
};

/* A thread that plays. */
struct hand {
    struct player *player;
    uint32_t number;
    pthread_t thread;
    struct turn turn[TURNS];
    VEC(uint64_t) line;  /* of one step of one SM */
    VEC(uint64_t) asked; /* of L2, by SM */
    struct cache_counts counts;
};
enum { MOST_HANDS = 16 };
enum job { JOB_L1, JOB_L2, JOB_OVER };

/* What the blocks use of pages that have no number yet. */
struct first_use {
    struct page_use use;
    uint64_t block; /* in the order in which a step goes through them */
};

struct player {
    const struct device_profile *device;
    struct cache_system *system;
    uint32_t sms, warps;
    struct pages pages;
    VEC(struct first_use) uses;
    bool many; /* pages: see add_uses() */
    struct hand hand[MOST_HANDS];
    uint32_t hands; /* at work in this wave */
    bool hired;
    pthread_mutex_t gate;
    pthread_barrier_t begin, end; /* of a job, where several are */
    enum job job;
    struct crew *crew;
    size_t crews, steps; /* the job's */
    VEC(uint64_t) sorted; /* what is asked of L2, by step */
    struct step *step; /* [steps], where memory has partitions */
    double busiest, even;
};

/* -- pages ------------------------------------------------------------------------------------------------- */

static uint32_t
page_slot(const struct pages *p, uint64_t page)
{
    uint32_t at = (uint32_t)(page * 0x9e3779b97f4a7c15ull >> 32) & (p->room - 1);
    while (p->page[at] && p->page[at] != page + 1)
        at = (at + 1) & (p->room - 1);
    return at;
}

static void
pages_grow(struct pages *p)
{
    struct pages old = *p;
    p->room = old.room ? 2 * old.room : 64;
    p->page = ls_alloc(p->room * sizeof *p->page);
    p->number = ls_alloc(p->room * sizeof *p->number);
    for (uint32_t k = 0; k < old.room; k++)
        if (old.page[k]) {
            uint32_t at = page_slot(p, old.page[k] - 1);
            p->page[at] = old.page[k];
            p->number[at] = old.number[k];
        }
    ls_release(old.page);
    ls_release(old.number);
}

static void
add_page(struct pages *p, uint64_t page)
{
    if (2 * (p->count + 1) > p->room)
        pages_grow(p);
    uint32_t at = page_slot(p, page);
    if (p->page[at])
        return;
    p->page[at] = page + 1;
    p->number[at] = UNNUMBERED;
    p->count++;
}

/* What makes the page's number of it, to be added to a word. */
static inline uint64_t
page_shift(const struct pages *p, struct turn turn[TURNS], uint64_t page)
{
    struct turn *t = &turn[page % TURNS];
    if (t->page != page)
        *t = (struct turn){page, (p->number[page_slot(p, page)] - page) << PAGE_SHIFT};
    return t->shift;
}

/* -- streams ------------------------------------------------------------------------------------------------ */

/* By step, then as the streams stand. */
static int
compare_uses(const void *one, const void *other)
{
    const struct first_use *a = one, *b = other;
    const uint64_t x[] = {a->use.step, a->block, a->use.warp, a->use.line};
    const uint64_t y[] = {b->use.step, b->block, b->use.warp, b->use.line};
    for (int k = 0; k < 4; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

static void
add_uses(struct player *p, const struct played *b, uint64_t block)
{
    for (uint32_t k = 0; b->words && k < b->use_count; k++) {
        add_page(&p->pages, b->use[k].page);
        if (p->pages.number[page_slot(&p->pages, b->use[k].page)] == UNNUMBERED)
            VEC_PUSH(&p->uses, (struct first_use){b->use[k], block});
    }
    /* More pages than were noted: the whole block is looked at. */
    struct traced t;
    const uint64_t *at = b->words, *end = at ? at + b->start[p->warps] : NULL;
    while (b->use_count == BLOCK_PAGES && at < end) {
        at = trace_next(at, b->shape, &t);
        for (uint32_t k = 0; k < t.count; k++)
            if (!(t.line[k] & LINE_CONTINUES))
                add_page(&p->pages, (t.base + (uint64_t)t.line[k]) >> PAGE_SHIFT);
    }
    p->many |= b->words && b->use_count == BLOCK_PAGES;
}

static void
give_number(struct pages *p, uint64_t page)
{
    uint32_t *number = &p->number[page_slot(p, page)];
    if (*number == UNNUMBERED)
        *number = p->numbered++;
}

/* Where a block uses many pages: going through the wave once, as far as it takes to meet all of them. */
static void
walk_pages(struct pages *p, const struct stream *from, size_t count)
{
    struct stream *stream = ls_alloc((count + 1) * sizeof *stream);
    memcpy(stream, from, count * sizeof *stream);
    while (count && p->numbered < p->count) {
        size_t left = 0;
        for (size_t k = 0; k < count; k++) {
            struct stream s = stream[k];
            struct traced t;
            s.at = trace_next(s.at, s.shape, &t);
            for (uint32_t l = 0; l < t.count; l++)
                if (!(t.line[l] & LINE_CONTINUES))
                    give_number(p, (t.base + (uint64_t)t.line[l]) >> PAGE_SHIFT);
            if (s.at < s.end)
                stream[left++] = s;
        }
        count = left;
    }
    ls_release(stream);
}

/* Pages that the wave is the first to use get their numbers. */
static void
number_pages(struct player *p, const struct stream *stream, size_t count)
{
    if (p->many) {
        walk_pages(&p->pages, stream, count);
    } else if (p->uses.count) {
        qsort(p->uses.at, p->uses.count, sizeof *p->uses.at, compare_uses);
        for (size_t k = 0; k < p->uses.count; k++)
            give_number(&p->pages, p->uses.at[k].use.page);
    }
    p->uses.count = 0;
    p->many = false;
}

/* A page's use; guess: by the page's lower bits where it was found last. */
static void
note_use(struct page_uses *u, uint8_t guess[TURNS], struct page_use own)
{
    uint32_t at = guess[own.page % TURNS];
    if (at >= u->count || u->use[at].page != own.page)
        for (at = 0; at < u->count && u->use[at].page != own.page; at++)
            ;
    if (at == BLOCK_PAGES)
        return;
    guess[own.page % TURNS] = (uint8_t)at;
    if (at == u->count || u->use[at].step > own.step)
        u->use[at] = own;
    u->count += at == u->count;
}

void
play_pages(struct page_uses *u, uint32_t warp, const struct jit_trace *trace, struct outline *const *shapes)
{
    uint64_t last = UINT64_MAX, step = 0;
    uint8_t guess[TURNS] = {0};
    for (const uint64_t *at = trace->start; at < trace->at; step++) {
        const struct outline *shape = shapes ? shapes[*at & (SHAPES - 1)] : NULL;
        uint64_t number = *at >> CACHE_LINE_SHIFT;
        struct traced t;
        if (shape && (number + (uint64_t)shape->low) >> (PAGE_SHIFT - CACHE_LINE_SHIFT) == last &&
            (number + (uint64_t)shape->high) >> (PAGE_SHIFT - CACHE_LINE_SHIFT) == last) {
            u->runs += shape->runs;
            at++;
            continue;
        }
        at = trace_next(at, shapes, &t);
        for (uint32_t k = 0; k < t.count; k++) {
            uint64_t page = (t.base + (uint64_t)t.line[k]) >> PAGE_SHIFT;
            if (t.line[k] & LINE_CONTINUES)
                continue;
            u->runs++;
            if (page != last)
                note_use(u, guess, (struct page_use){page, step, warp, k});
            last = page;
        }
    }
}

/* -- steps -------------------------------------------------------------------------------------------------- */

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

enum { AHEAD = 24 };

/* An access's lines, a page's number put in for each run of them. */
static void
put_lines(struct hand *h, const struct traced *t, uint64_t *to)
{
    uint64_t shift = 0;
    for (uint32_t k = 0; k < t->count; k++) {
        uint64_t word = t->base + (uint64_t)t->line[k];
        if (!(t->line[k] & LINE_CONTINUES))
            shift = page_shift(&h->player->pages, h->turn, word >> PAGE_SHIFT);
        to[k] = word + shift;
    }
}

/* One access of each warp, its pages' numbers put in; warps that are through leave. */
static size_t
gather(struct hand *h, struct crew *c)
{
    enum { MOST = JIT_LANES * 8 };
    size_t left = 0, n = 0;
    while (h->line.room < c->count * MOST)
        h->line.at = ls_grow(h->line.at, &h->line.room, sizeof *h->line.at);
    uint64_t *to = h->line.at;
    for (size_t k = 0; k < c->count; k++) {
        struct stream *s = &c->stream[k];
        const uint64_t *at = s->at, *end = s->end;
        uint64_t word = *at, number = word >> CACHE_LINE_SHIFT;
        const struct outline *shape = s->shape ? s->shape[word & (SHAPES - 1)] : NULL;
        __builtin_prefetch(at + AHEAD); /* too many streams for the host to see them */
        uint64_t page = shape ? (number + (uint64_t)shape->low) >> (PAGE_SHIFT - CACHE_LINE_SHIFT) : 0;
        if (shape && (number + (uint64_t)shape->high) >> (PAGE_SHIFT - CACHE_LINE_SHIFT) == page) {
            uint64_t base = (number << CACHE_LINE_SHIFT) + page_shift(&h->player->pages, h->turn, page);
            uint32_t count = shape->count, l = 0;
            do
                to[n++] = base + (uint64_t)shape->line[l];
            while (++l < count);
            at++;
        } else {
            struct traced t;
            at = trace_next(at, s->shape, &t);
            put_lines(h, &t, to + n);
            n += t.count;
        }
        s->at = at;
        if (at < end && left++ != k)
            c->stream[left - 1] = *s;
    }
    c->count = left;
    return n;
}

static void
play_l1(struct hand *h, struct crew *c, size_t steps)
{
    struct player *p = h->player;
    c->hand = h;
    c->first = h->asked.count;
    for (size_t k = 0; k < steps; k++) {
        size_t n = c->count ? gather(h, c) : 0;
        for (size_t l = 0; p->step && l < n; l++)
            count_partitions(p, &p->step[k], h->line.at[l]);
        while (h->asked.room < h->asked.count + n)
            h->asked.at = ls_grow(h->asked.at, &h->asked.room, sizeof *h->asked.at);
        h->asked.count += cache_system_l1(p->system, c->sm, h->line.at, n,
                                          h->asked.at + h->asked.count, &h->counts);
        c->end[k] = h->asked.count;
    }
}

/* What the SMs ask of L2 in these steps, in the order of the steps. */
static void
sort_asked(struct player *p)
{
    p->sorted.count = 0;
    for (uint32_t n = 0; n < p->hands; n++)
        p->sorted.count += p->hand[n].asked.count;
    while (p->sorted.room < p->sorted.count)
        p->sorted.at = ls_grow(p->sorted.at, &p->sorted.room, sizeof *p->sorted.at);
    uint64_t *to = p->sorted.at;
    for (size_t k = 0; k < p->steps; k++)
        for (size_t n = 0; n < p->crews; n++) {
            const struct crew *c = &p->crew[n];
            const uint64_t *asked = c->hand->asked.at;
            for (size_t from = k ? c->end[k - 1] : c->first; from < c->end[k]; from++)
                *to++ = asked[from];
        }
    for (uint32_t n = 0; n < p->hands; n++)
        p->hand[n].asked.count = 0;
}

/* -- jobs --------------------------------------------------------------------------------------------------- */

/* A hand's part of the job: of L1 every so manieth SM, of L2 every so manieth set. */
static void
do_part(struct hand *h)
{
    struct player *p = h->player;
    for (size_t c = h->number; p->job == JOB_L1 && c < p->crews; c += p->hands)
        play_l1(h, &p->crew[c], p->steps);
    if (p->job == JOB_L2)
        cache_system_l2(p->system, p->sorted.at, p->sorted.count, h->number, p->hands, &h->counts);
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

/* As many hands as are wanted and to be had. */
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

/* -- waves --------------------------------------------------------------------------------------------------- */

/* Steps that are played at a time: so many that an SM's tags are fetched for some hundred accesses. */
enum { MOST_STEPS = 256, AT_A_TIME = 1 << 18 };

static size_t
add_streams(const struct player *p, const struct played *b, struct stream *out)
{
    size_t n = 0;
    for (uint32_t w = 0; b->words && w < p->warps; w++)
        if (b->start[w] < b->start[w + 1])
            out[n++] = (struct stream){b->words + b->start[w], b->words + b->start[w + 1], b->shape};
    return n;
}

static void
play_all(struct player *p, struct crew *crew, size_t crews, size_t streams)
{
    size_t *end = ls_alloc((crews + 1) * MOST_STEPS * sizeof *end);
    for (size_t c = 0; c < crews; c++)
        crew[c].end = end + c * MOST_STEPS;
    p->crew = crew;
    while (streams) {
        size_t steps = AT_A_TIME / streams, left = 0;
        p->steps = steps < 4 ? 4 : steps > MOST_STEPS ? MOST_STEPS : steps;
        p->crews = crews;
        streams = 0;
        do_job(p, JOB_L1);
        sort_asked(p);
        do_job(p, JOB_L2);
        if (p->step)
            add_steps(p, p->steps);
        for (size_t c = 0; c < crews; c++) {
            size_t *own = crew[left].end;
            if (!crew[c].count)
                continue;
            streams += crew[c].count;
            crew[left] = crew[c];
            crew[left++].end = own;
        }
        crews = left;
    }
    ls_release(end);
}

/* Block i of a wave is on SM i mod SMs. */
void
player_wave(struct player *p, const struct played *block, uint64_t blocks, uint32_t hands)
{
    struct stream *stream = ls_alloc((blocks * p->warps + 1) * sizeof *stream);
    struct crew *crew = ls_alloc(p->sms * sizeof *crew);
    size_t count = 0, crews = 0;
    uint64_t order = 0;
    for (uint32_t sm = 0; sm < p->sms; sm++) {
        size_t before = count;
        for (uint64_t i = sm; i < blocks; i += p->sms) {
            add_uses(p, &block[i], order++);
            count += add_streams(p, &block[i], stream + count);
        }
        if (count > before)
            crew[crews++] = (struct crew){.stream = stream + before, .count = count - before, .sm = sm};
    }
    number_pages(p, stream, count);
    hire(p, hands);
    play_all(p, crew, crews, count);
    dismiss(p);
    ls_release(stream);
    ls_release(crew);
}

struct player *
player_new(const struct device_profile *d, struct cache_system *system, uint32_t warps)
{
    struct player *p = ls_alloc(sizeof *p);
    p->device = d;
    p->system = system;
    p->sms = d->sm_count ? d->sm_count : 1;
    p->warps = warps;
    p->step = d->memory_partitions ? ls_alloc(MOST_STEPS * sizeof *p->step) : NULL;
    pthread_mutex_init(&p->gate, NULL);
    for (uint32_t n = 0; n < MOST_HANDS; n++) {
        p->hand[n].player = p;
        p->hand[n].number = n;
    }
    return p;
}

void
player_end(struct player *p, struct kernel *k)
{
    for (uint32_t n = 0; n < MOST_HANDS; n++) {
        cache_system_add(p->system, &p->hand[n].counts);
        VEC_FREE(&p->hand[n].line);
        VEC_FREE(&p->hand[n].asked);
    }
    struct cache_counts c = cache_system_counts(p->system, true), *to = &k->caches;
    to->l1_sectors += c.l1_sectors;
    to->l1_hits += c.l1_hits;
    to->l2_sectors += c.l2_sectors;
    to->l2_hits += c.l2_hits;
    to->l2_loads += c.l2_loads;
    to->dram_bytes_read += c.dram_bytes_read;
    to->dram_bytes_written += c.dram_bytes_written;
    k->camping_busiest += p->busiest;
    k->camping_even += p->even;
    ls_release(p->pages.page);
    ls_release(p->pages.number);
    ls_release(p->step);
    VEC_FREE(&p->uses);
    VEC_FREE(&p->sorted);
    pthread_mutex_destroy(&p->gate);
    ls_release(p);
}
