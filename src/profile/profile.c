/* SPDX-License-Identifier: Apache-2.0
 *
 * profile.c: the tool. launch_begin finds the launch's struct kernel and makes a struct watch; each
 * jit_block gets a struct sheet, where its thread counts; launch_end adds the sheets up by source
 * line. Start with tool_launch_begin().
 */
#include "profile/profile_priv.h"

#include <stdlib.h>
#include <string.h>

/* -- sums -------------------------------------------------------------------------------------- */

void
sums_add(struct sums *to, const struct sums *from)
{
    uint64_t *t = (uint64_t *)to;
    const uint64_t *f = (const uint64_t *)from;
    for (size_t k = 0; k < SUMS_WORDS; k++)
        t[k] += f[k];
    for (size_t k = 0; k < SPACES * OPERATIONS; k++)
        if ((&to->degree[0][0])[k] < (&from->degree[0][0])[k])
            (&to->degree[0][0])[k] = (&from->degree[0][0])[k];
    for (int w = 0; w < WAITS; w++)
        to->waits[w] += from->waits[w];
    to->loads |= from->loads;
}

/* -- kernels and lines ------------------------------------------------------------------------- */

static bool
same_launch(const struct kernel *k, const struct jit_tool_launch *l)
{
    return strcmp(k->name, l->kernel->name) == 0 && k->size.shared_bytes == l->shared_bytes &&
           memcmp(k->size.grid, l->launch->grid, sizeof k->size.grid) == 0 &&
           memcmp(k->size.block, l->launch->block, sizeof k->size.block) == 0 &&
           memcmp(&k->module, &l->module->hash, sizeof k->module) == 0;
}

static uint32_t
count_places(const struct ptx_module *m)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < m->func_count; k++)
        n += m->funcs[k]->insn_count;
    return n;
}

/* The estimate is made before registers are allocated. A launch that runs has enough of them for a
 * block at least: ptxas spills beyond that, and gives whole eights where a warp is the unit. */
static uint32_t
registers_of(const struct device_profile *d, const struct kernel *k, const struct ptx_func *f,
             uint32_t estimate)
{
    uint32_t threads = k->size.block[0] * k->size.block[1] * k->size.block[2],
             most = d->max_registers_per_thread;
    uint32_t blocks = f->limits.minnctapersm ? f->limits.minnctapersm : 1;
    threads = (threads + 31) / 32 * 32;
    if (threads && d->registers_per_block / threads < most)
        most = d->registers_per_block / threads;
    if (threads &&
        d->registers_per_sm / threads / blocks < most) /* __launch_bounds__' second number */
        most = d->registers_per_sm / threads / blocks;
    if (f->limits.maxnreg && f->limits.maxnreg < most) /* -maxrregcount */
        most = f->limits.maxnreg;
    if (d->registers_per_warp && most > 8 && most < d->max_registers_per_thread)
        most &= ~7u;
    return estimate < most ? estimate : most;
}

static void
kernel_occupancy(struct kernel *k, const struct device_profile *d)
{
    struct occupancy_query q = {
        .threads_per_block = k->size.block[0] * k->size.block[1] * k->size.block[2],
        .registers_per_thread = k->size.registers,
        .static_shared = k->size.static_shared,
        .dynamic_shared = (uint32_t)(k->size.shared_bytes - k->size.static_shared)};
    model_occupancy(d, &q, &k->occupancy);
    /* It runs, so that a block fits: ptxas would have spilled the rest (1.x gives registers to
     * pairs of warps, which the division above does not know). */
    while (!k->occupancy.blocks_per_sm && k->occupancy.limited_by[0] == 'r' &&
           k->size.registers > 1) {
        q.registers_per_thread = --k->size.registers;
        model_occupancy(d, &q, &k->occupancy);
    }
}

static struct kernel *
new_kernel(struct profile *p, const struct jit_tool_launch *l)
{
    struct kernel *k = ls_alloc(sizeof *k);
    k->module = l->module->hash;
    k->without = p->without;
    k->name = arena_strdup(&k->arena, l->kernel->name);
    memcpy(k->size.grid, l->launch->grid, sizeof k->size.grid);
    memcpy(k->size.block, l->launch->block, sizeof k->size.block);
    k->size.shared_bytes = l->shared_bytes;
    k->size.static_shared = l->code->needs.shared_bytes;
    k->size.registers_wanted = l->code->needs.registers;
    k->size.registers = registers_of(p->device, k, l->kernel, l->code->needs.registers);
    k->size.local_bytes = l->code->needs.local_bytes;
    k->places = count_places(l->module);
    k->line_of = ARENA_ARRAY(&k->arena, uint32_t, k->places);
    kernel_occupancy(k, p->device);
    *p->last = k;
    p->last = &k->next;
    return k;
}

static struct kernel *
kernel_of(struct profile *p, const struct jit_tool_launch *l)
{
    for (struct kernel *k = p->kernels; k; k = k->next)
        if (same_launch(k, l))
            return k;
    return new_kernel(p, l);
}

static uint32_t
find_line(struct kernel *k, const char *file, uint32_t number)
{
    for (uint32_t n = 0; n < k->lines.count; n++)
        if (k->lines.at[n].number == number && strcmp(k->lines.at[n].file, file) == 0)
            return n;
    VEC_PUSH(&k->lines, (struct line){.file = arena_strdup(&k->arena, file), .number = number});
    return (uint32_t)k->lines.count - 1;
}

/* The line that instruction n of f was compiled from; of PTX without lines its own. */
static struct line *
line_of(struct kernel *k, const struct ptx_func *f, uint32_t place, uint32_t n)
{
    if (!k->line_of[place]) {
        const struct ptx_loc *l = jit_place_loc(f, &f->insns[n]);
        k->line_of[place] = 1 + (l ? find_line(k, f->module->files[l->file].name, l->line)
                                   : find_line(k, f->module->path, f->insns[n].line));
    }
    return &k->lines.at[k->line_of[place] - 1];
}

/* -- launches ---------------------------------------------------------------------------------- */

static void *
tool_launch_begin(struct jit_tool *t, const struct jit_tool_launch *l)
{
    struct profile *p = (struct profile *)t;
    struct watch *w = ls_alloc(sizeof *w);
    w->profile = p;
    w->launch = *l;
    pthread_mutex_init(&w->lock, NULL);
    pthread_mutex_init(&w->shapes.lock, NULL);
    pthread_mutex_lock(&p->lock);
    w->kernel = kernel_of(p, l);
    w->places = w->kernel->places;
    w->phases = p->phases && !w->kernel->launches && phases_fit(l->launch);
    sampling_begin(w);
    pthread_mutex_unlock(&p->lock);
    verdict_begin(w);
    w->replay = p->caches ? replay_new(w) : NULL;
    uneven_begin(w);
    slowest_begin(w);
    return w;
}

static void
tool_block_begin(struct jit_block *b)
{
    struct sheet *s = b->tool ? b->tool : sheet_take(b->launch->tool);
    b->tool = s = sampling_sheet(s, b->index);
    b->counts = s->counts;
    b->seen = s->seen;
    b->batches = s->batches;
    b->seen_mask = s->watch->key_mask[SPACE_SHARED] | s->watch->key_mask[SPACE_GLOBAL];
    b->trace = s->trace;
    s->phase = 0;
    b->ran = slowest_block(s, b->index) ? slowest_ran : NULL;
    if (s->watch->replay)
        b->trace_local = s->local_line = replay_local(s->watch->replay, b->index);
}

static void
tool_block_end(struct jit_block *b)
{
    struct sheet *s = b->tool;
    uneven_block(s, b->index);
    if (s->watch->replay)
        replay_block(s->watch->replay, b->index, s);
}

static void
add_site(struct line *line, const struct site *s)
{
    verdict_fold(s, &line->sums);
    struct sample *worst = &line->sample[s->space][s->operation];
    if (!worst->lanes || s->sample.excess > worst->excess)
        *worst = s->sample;
}

/* The instruction as text, and how often warps came to it. */
static void
keep_text(struct kernel *k, struct line *line, const struct ptx_func *f, uint32_t place, uint32_t n,
          uint64_t warps)
{
    if (!k->said)
        k->said = ARENA_ARRAY(&k->arena, struct said *, k->places);
    if (!k->said[place]) {
        struct text text = {0};
        ptx_print_insn(f, &f->insns[n], &text);
        k->said[place] = ARENA_NEW(&k->arena, struct said);
        k->said[place]->text = arena_strdup(&k->arena, text.at ? text.at : "");
        k->said[place]->place = place;
        VEC_PUSH(&line->said, k->said[place]);
        text_free(&text);
    }
    k->said[place]->warps += warps;
}

static enum mix_as
mix_as(const struct kernel *k, uint32_t place)
{
    if (!model_has(k->without, MODEL_EXPANSION))
        return MIX_PTX;
    return k->folded && k->folded[place] ? (enum mix_as)k->folded[place] : MIX_EXPANDED;
}

static void
add_function(struct kernel *k, const struct ptx_func *f, uint32_t first, const struct sheet *s)
{
    bool ptx = s->watch->profile->ptx;
    for (uint32_t n = 0; n < f->insn_count; n++) {
        const uint64_t *c = s->counts + (size_t)JIT_COUNTS * (first + n);
        if (!c[JIT_COUNT_WARPS])
            continue;
        struct line *line = line_of(k, f, first + n, n);
        if (ptx)
            keep_text(k, line, f, first + n, n, c[JIT_COUNT_WARPS]);
        mix_add(&line->sums, &f->insns[n], mix_as(k, first + n), c[JIT_COUNT_WARPS],
                c[JIT_COUNT_LANES], c[JIT_COUNT_DIVERGENT]);
        products_add(&line->sums, s, first + n);
        for (const struct site *site = s->site[first + n]; site; site = site->next) {
            add_site(line, site);
            mix_atomic(&line->sums, &f->insns[n], site,
                       k->atomics.as ? k->atomics.as[first + n] : ATOMIC_EACH);
        }
    }
}

static void
add_sheet(struct kernel *k, const struct ptx_module *m, const struct sheet *s)
{
    uint32_t first = 0;
    for (uint32_t n = 0; n < m->func_count; n++) {
        add_function(k, m->funcs[n], first, s);
        first += m->funcs[n]->insn_count;
    }
}

/* Adds what the launch's sheets have counted of blocks of the first round, or of all others. */
static void
add_sheets(const struct watch *w, bool first)
{
    for (const struct sheet *s = w->sheets; s; s = s->next)
        if (s->first == first)
            add_sheet(w->kernel, w->launch.module, s);
}

/* The same of a sampled launch: what is counted of some rounds stands for more of them. */
static void
add_sampled(const struct watch *w)
{
    struct kernel *k = w->kernel;
    for (size_t n = 0; n < k->lines.count; n++) {
        k->lines.at[n].begun = k->lines.at[n].sums;
        for (size_t i = 0; i < k->lines.at[n].said.count; i++)
            k->lines.at[n].said.at[i]->begun = k->lines.at[n].said.at[i]->warps;
    }
    add_sheets(w, false);
    for (size_t n = 0; n < k->lines.count; n++) {
        struct line *line = &k->lines.at[n];
        uint64_t *sum = (uint64_t *)&line->sums;
        const uint64_t *begun = (const uint64_t *)&line->begun;
        for (size_t i = 0; i < SUMS_WORDS; i++)
            sum[i] = begun[i] + sampling_scale(w->sampling, sum[i] - begun[i]);
        for (size_t i = 0; i < line->said.count; i++) {
            struct said *said = line->said.at[i];
            said->warps = said->begun + sampling_scale(w->sampling, said->warps - said->begun);
        }
    }
    add_sheets(w, true);
}

/* What a warp waits for, to the lines. */
static void
begin_waits(const struct watch *w)
{
    struct kernel *k = w->kernel;
    uint32_t place = 0;
    chain_waiting(w);
    for (uint32_t n = 0; k->chained.waits && n < w->launch.module->func_count; n++) {
        const struct ptx_func *f = w->launch.module->funcs[n];
        for (uint32_t i = 0; i < f->insn_count; i++, place++) {
            double *waits = k->chained.waits[place];
            if (waits[WAIT_MEMORY] + waits[WAIT_SHARED] + waits[WAIT_ARITHMETIC] <= 0)
                continue;
            struct line *line = line_of(k, f, place, i);
            for (int x = 0; x < WAITS; x++)
                line->sums.waits[x] += waits[x];
            line->sums.loads |= k->chained.loads[place];
        }
    }
}

/* What the launch of this kernel before, or copies, fills and other kernels where nothing but them
 * has been there, have left in L2, and launches between have not driven out, need not come from
 * device memory again. */
static void
note_warm(struct profile *p, struct kernel *k)
{
    double kept = model_kept(p->device, working_set_since(&p->working_set, k->launch));
    k->warm.launches += kept > 0;
    k->warm.kept += kept;
    k->launch = p->working_set.launch;
}

static void
tool_launch_end(struct jit_tool *t, const struct jit_tool_launch *l, bool fine)
{
    struct profile *p = (struct profile *)t;
    struct watch *w = l->launch->tool;
    pthread_mutex_lock(&p->lock);
    uneven_end(w);
    for (struct sheet *s = w->sheets; s; s = s->next) {
        jit_counts_sum(s->counts, w->places);
        verdict_flush(s);
        batch_flush(s);
    }
    w->kernel->launches++;
    w->kernel->failed += !fine;
    if (w->phases)
        w->kernel->phases = phases_json(w);
    p->working_set.launch++;
    if (w->replay)
        replay_end(w->replay);
    note_warm(p, w->kernel);
    if (w->kernel->launches == 1 && fine)
        begin_waits(w);
    if (w->sampling)
        add_sampled(w);
    else
        add_sheets(w, false);
    while (w->sheets) {
        struct sheet *s = w->sheets;
        w->sheets = s->next;
        sheet_keep(s);
    }
    slowest_end(w);
    sampling_end(w);
    p->latest = w->kernel;
    pthread_mutex_unlock(&p->lock);
    pthread_mutex_destroy(&w->lock);
    trace_shapes_free(w);
    ls_release(w);
}

/* -- the tool ---------------------------------------------------------------------------------- */

/* One "key=value" of the options. */
static bool
take_option(struct profile *p, const char *word, struct ls_error *err)
{
    enum { MOST_MIB = 1 << 20 };
    if (ls_starts_with(word, "sample="))
        return profile_sample(word + strlen("sample="), &p->sample_every, err);
    const char *value = strchr(word, '=');
    uint64_t n;
    if (value && ls_parse_u64(value + 1, &n)) {
        if (ls_starts_with(word, "caches=") && n <= 1) {
            p->caches = n;
            return true;
        }
        if (ls_starts_with(word, "phases=") && n <= 1) {
            p->phases = n;
            return true;
        }
        if (ls_starts_with(word, "ptx=") && n <= 1) {
            p->ptx = n;
            return true;
        }
        if (ls_starts_with(word, "trace=") && n >= 1 && n <= MOST_MIB) {
            p->trace_bytes = n << 20;
            return true;
        }
    }
    return ls_fail(err, LS_ERR_USAGE,
                   "profile takes caches=, phases=, ptx=, sample=, trace=, not \"%s\"", word);
}

static bool
take_options(struct profile *p, const char *options, struct ls_error *err)
{
    struct arena arena = {0};
    bool good = true;
    char *rest = arena_strdup(&arena, options ? options : ""), *word;
    while (good && (word = strsep(&rest, ",")))
        good = !*word || take_option(p, word, err);
    arena_free(&arena);
    return good;
}

struct jit_tool *
profile_open(const struct device_profile *d, const char *options, struct ls_error *err)
{
    struct profile *p = ls_alloc(sizeof *p);
    p->tool = (struct jit_tool){.events = JIT_EVENT_COUNT | JIT_EVENT_ACCESS | JIT_EVENT_SEEN,
                                .launch_begin = tool_launch_begin,
                                .launch_end = tool_launch_end,
                                .counts = sampling_counts,
                                .block_begin = tool_block_begin,
                                .block_end = tool_block_end,
                                .access = verdict_access,
                                .pattern = verdict_pattern,
                                .halves = verdict_halves,
                                .batch = batch_announced,
                                .product = products_announced};
    p->device = d;
    p->last = &p->kernels;
    p->caches = true;
    p->trace_bytes = 512ull << 20;
    pthread_mutex_init(&p->lock, NULL);
    pthread_mutex_init(&p->slab_lock, NULL);
    pthread_mutex_init(&p->sheet_lock, NULL);
    if (take_options(p, options, err) &&
        model_without(getenv("LOCKSTEP_MODEL"), &p->without, err)) {
        if (p->phases) { /* each access is wanted */
            p->tool.events &= ~(uint32_t)JIT_EVENT_SEEN;
            p->tool.access = phases_access;
            p->tool.pattern = phases_pattern;
            p->tool.barrier = phases_barrier;
        }
        return &p->tool;
    }
    profile_close(&p->tool);
    return NULL;
}

char *
profile_write(struct jit_tool *t, bool complete)
{
    struct profile *p = (struct profile *)t;
    pthread_mutex_lock(&p->lock);
    json_t *j = result_json(p, complete);
    pthread_mutex_unlock(&p->lock);
    char *text = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(j);
    return text;
}

double
profile_last_seconds(struct jit_tool *t)
{
    struct profile *p = (struct profile *)t;
    pthread_mutex_lock(&p->lock);
    struct kernel *k = p->latest;
    double all = k ? result_estimate(p->device, k) * (double)k->launches : 0, last = 0;
    if (k) {
        last = all > k->seconds ? all - k->seconds : 0;
        k->seconds += last;
    }
    pthread_mutex_unlock(&p->lock);
    return last;
}

void
profile_close(struct jit_tool *t)
{
    struct profile *p = (struct profile *)t;
    while (p->kernels) {
        struct kernel *k = p->kernels;
        p->kernels = k->next;
        for (size_t n = 0; n < k->lines.count; n++)
            VEC_FREE(&k->lines.at[n].said);
        VEC_FREE(&k->lines);
        json_decref(k->phases);
        arena_free(&k->arena);
        ls_release(k);
    }
    cache_system_free(p->spare);
    sheets_free(p);
    working_set_free(&p->working_set);
    while (p->slabs) {
        struct slab *s = p->slabs;
        p->slabs = s->next;
        free(s);
    }
    pthread_mutex_destroy(&p->slab_lock);
    pthread_mutex_destroy(&p->sheet_lock);
    pthread_mutex_destroy(&p->lock);
    ls_release(p);
}
