/* SPDX-License-Identifier: Apache-2.0
 *
 * passing.c: blocks that are passed over: nothing can stop the launch in them, so that they run in
 * code that asks nobody before each instruction, and counts instructions instead. What can: who is
 * stepped, watches, edits, and breakpoints, whose conditions (struct debug_filter) say in which
 * blocks. Where a launch goes once more, blocks whose end is known are passed over that end before
 * the position it goes to.
 *
 * A block that fails, or that a user's interrupt finds, is left: a snapshot before it goes on, up
 * to it, and executes it by instructions.
 */
#include "debug/debug_priv.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    PASS_FROM = 1 << 22,      /* positions of a launch: before them the code does not pay */
    SNAPSHOT_MS = 100,        /* of passed blocks between two snapshots */
    HANG_MS = 200,            /* how long a passed block may go on after the user's interrupt */
    HANG_POSITIONS = 1 << 24, /* how far such a block goes by instructions before it stops */
};

/* -- filters ------------------------------------------------------------------------------------
 */

enum truth { NO, YES, UNKNOWN };

struct operand {
    uint32_t value;
    bool known;
};

/* thread NULL: any thread of the block. */
static struct operand
variable(const struct debug *d, uint32_t n, const uint32_t block[3], const uint32_t *thread)
{
    const struct jit_launch *l = d->run->of.launch;
    const uint32_t *of[] = {thread, block, l->block, l->grid};
    const uint32_t *at = of[n / 3];
    return (struct operand){at ? at[n % 3] : 0, at != NULL};
}

static struct operand
arithmetic(uint32_t op, struct operand a, struct operand b)
{
    uint32_t x = a.value, y = b.value;
    bool known = a.known && b.known && (y || (op != DEBUG_F_DIV && op != DEBUG_F_MOD));
    y = known ? y : 1;
    switch (op) {
    case DEBUG_F_ADD: x += y; break;
    case DEBUG_F_SUB: x -= y; break;
    case DEBUG_F_MUL: x *= y; break;
    case DEBUG_F_DIV: x /= y; break;
    case DEBUG_F_MOD: x %= y; break;
    case DEBUG_F_EQ: x = x == y; break;
    case DEBUG_F_NE: x = x != y; break;
    case DEBUG_F_LT: x = x < y; break;
    case DEBUG_F_LE: x = x <= y; break;
    case DEBUG_F_GT: x = x > y; break;
    case DEBUG_F_GE: x = x >= y; break;
    default: known = false; break;
    }
    return (struct operand){x, known};
}

static struct operand
logic(uint32_t op, struct operand a, struct operand b)
{
    bool decides = op == DEBUG_F_OR;
    bool decided = (a.known && !a.value == !decides) || (b.known && !b.value == !decides);
    return (struct operand){decided ? decides : !decides, decided || (a.known && b.known)};
}

static enum truth
filter_says(const struct debug *d, const struct debug_filter *f, const uint32_t block[3],
            const uint32_t *thread)
{
    struct operand stack[DEBUG_FILTER_CODE];
    uint32_t n = 0;
    for (uint32_t k = 0; k < f->count; k++) {
        uint32_t op = f->code[k] >> 24, what = f->code[k] & DEBUG_FILTER_CONSTANT;
        if (op == DEBUG_F_CONSTANT)
            stack[n++] = (struct operand){what, true};
        else if (op == DEBUG_F_VARIABLE)
            stack[n++] = variable(d, what, block, thread);
        else if (op == DEBUG_F_UNKNOWN)
            stack[n++] = (struct operand){0};
        else if (op == DEBUG_F_NOT)
            stack[n - 1].value = !stack[n - 1].value;
        else if (op == DEBUG_F_AND || op == DEBUG_F_OR)
            stack[n - 2] = logic(op, stack[n - 2], stack[n - 1]), n--;
        else
            stack[n - 2] = arithmetic(op, stack[n - 2], stack[n - 1]), n--;
    }
    return n != 1 || !stack[0].known ? UNKNOWN : stack[0].value ? YES : NO;
}

/* What a debugger sends is evaluated without looking: operands are there, nothing is out of range.
 */
static bool
is_sound(const struct debug_filter *f)
{
    uint32_t n = 0;
    if (f->count > DEBUG_FILTER_CODE)
        return false;
    for (uint32_t k = 0; k < f->count; k++) {
        uint32_t op = f->code[k] >> 24;
        uint32_t takes = op <= DEBUG_F_UNKNOWN ? 0 : op == DEBUG_F_NOT ? 1 : 2;
        if (op > DEBUG_F_OR || n < takes ||
            (op == DEBUG_F_VARIABLE && (f->code[k] & DEBUG_FILTER_CONSTANT) >= 12))
            return false;
        n += 1 - takes;
    }
    return n == (f->count ? 1 : 0);
}

bool
debug_filters_set(struct debug *d, const struct debug_filter *all, uint32_t count,
                  struct ls_error *err)
{
    struct debug_shared *s = d->shared;
    for (uint32_t k = 0; k < count && count <= FILTERS; k++)
        if (!is_sound(&all[k]))
            return ls_fail(err, LS_ERR_INPUT, "filter %u makes no sense", k);
    s->filters_known = count && count <= FILTERS && all[0].place == NO_PLACE;
    s->filter_count = s->filters_known ? count - 1 : 0;
    memcpy(s->filter, all + 1, sizeof *all * s->filter_count);
    return true;
}

bool
debug_filter_stops(const struct debug *d, const struct jit_warp *w, uint32_t place, uint32_t lanes)
{
    const struct debug_shared *s = d->shared;
    const uint32_t *dim = d->run->of.launch->block;
    const struct debug_filter *f = NULL;
    for (uint32_t k = 0; k < s->filter_count && !f; k++)
        if (s->filter[k].module == d->run->code->number && s->filter[k].place == place)
            f = &s->filter[k];
    bool stops = !f || !f->count;
    for (; lanes && !stops; lanes &= lanes - 1) {
        uint32_t n = w->warp * JIT_LANES + (uint32_t)__builtin_ctz(lanes);
        uint32_t thread[3] = {n % dim[0], n / dim[0] % dim[1], n / dim[0] / dim[1]};
        stops = filter_says(d, f, w->block->ctaid, thread) != NO;
    }
    return stops;
}

/* -- what can stop the launch in a block --------------------------------------------------------
 */

static bool
breaks_in(const struct debug *d, const uint32_t block[3])
{
    const struct debug_shared *s = d->shared;
    bool breaks = false;
    for (uint32_t k = 0; k < s->filter_count && !breaks; k++) {
        const struct debug_filter *f = &s->filter[k];
        breaks = f->module == d->run->code->number &&
                 (!f->count || filter_says(d, f, block, NULL) != NO);
    }
    for (uint32_t k = 0; k < s->catch_count && !breaks; k++) {
        const struct debug_catch *c = &s->catches[k];
        breaks = c->launch == d->launch && !memcmp(c->thread.block, block, sizeof c->thread.block);
    }
    return breaks;
}

static bool
focus_in(const struct debug *d, const uint32_t block[3], uint64_t number)
{
    uint32_t how = d->go.how == DEBUG_GO_BACK ? d->go.back : d->go.how;
    const uint32_t *f = d->go.focus.block, *grid = d->run->of.launch->grid;
    if (how != DEBUG_GO_STEP && how != DEBUG_GO_INSN)
        return false;
    /* one that is over is told of before the next instruction */
    return f[0] + grid[0] * (f[1] + (uint64_t)grid[1] * f[2]) <= number;
}

static bool
edits_in(const struct debug *d, uint64_t end)
{
    const struct debug_shared *s = d->shared;
    struct debug_edit e;
    for (uint32_t at = 0; at < s->edits_end; at += (uint32_t)(sizeof e + e.bytes)) {
        memcpy(&e, s->edits + at, sizeof e);
        if (e.position >= d->steps.position && e.position < end)
            return true;
    }
    return false;
}

/* Where it ended before; UINT64_MAX: it has not. */
static uint64_t
end_of(const struct debug *d, uint64_t number)
{
    return number < d->shared->ends_known ? d->passing.ends[number] : UINT64_MAX;
}

static bool
may_pass(struct debug *d, const uint32_t block[3], uint64_t number)
{
    const struct debug_shared *s = d->shared;
    uint64_t end = end_of(d, number);
    if (d->hits.count || s->watch_count || !s->filters_known || number == s->left_block ||
        atomic_load(&d->interrupted) || edits_in(d, end))
        return false;
    switch (d->mode) {
    case MODE_GO:
        return !(d->go.launches && !d->stopped) && !breaks_in(d, block) &&
               !focus_in(d, block, number);
    case MODE_TARGET: return end < d->target;
    case MODE_SEARCH: return end < d->target && !breaks_in(d, block) && !focus_in(d, block, number);
    case MODE_LAST: break;
    }
    return false;
}

/* -- blocks -------------------------------------------------------------------------------------
 */

static uint64_t
now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

/* Has come to the block that is to be executed by instructions. */
static void
resume(struct debug *d)
{
    enum debug_resume how = d->passing.resume;
    if (d->mode != MODE_TARGET || how == RESUME_NOT || d->steps.position != d->target)
        return;
    d->passing.resume = RESUME_NOT;
    d->mode = MODE_GO;
    if (how == RESUME_INTERRUPT) {
        d->mode = MODE_TARGET;
        d->why = DEBUG_WHY_INTERRUPT;
        d->target = d->steps.position + HANG_POSITIONS;
    }
}

/* Whether no snapshot was made here. */
static bool
is_new(const struct debug *d)
{
    int n = debug_snapshot_at(d, d->steps.position);
    return d->mode != MODE_LAST && (n < 0 || d->shared->snapshot[n].position != d->steps.position);
}

bool
debug_pass_ask(struct debug *d, const uint32_t block[3], uint64_t number)
{
    struct debug_passing *p = &d->passing;
    p->clean = d->snapshots.begin && d->steps.position >= PASS_FROM && number < ENDS;
    p->begin = d->steps.position;
    p->number = number;
    resume(d);
    return p->clean && may_pass(d, block, number);
}

bool
debug_pass_snapshot(const struct debug *d, bool passes)
{
    uint64_t since = d->passing.since;
    return since && (!passes || now_ms() - since > SNAPSHOT_MS) && is_new(d);
}

void
debug_pass_since(struct debug *d, bool passes, bool anew)
{
    struct debug_passing *p = &d->passing;
    if (!passes && p->since)
        debug_plan_snapshot(d);
    p->since = !passes ? 0 : p->since && !anew ? p->since : now_ms();
}

void
debug_pass_begin(struct debug *d, struct jit_block *b)
{
    const struct jit_launch *l = b->launch;
    uint32_t places = d->run->code->places;
    if (d->passing.clean && b->local) /* the same, whether blocks before it were passed over */
        memset(b->local, 0, (size_t)l->warps * JIT_LANES * l->local_stride);
    d->passing.flying = b->passed;
    if (!b->passed)
        return;
    if (d->passing.places < places) {
        ls_release(d->passing.counts);
        d->passing.counts = ls_alloc(sizeof *b->counts * JIT_COUNTS * (places + 1));
        d->passing.places = places;
    }
    b->counts = d->passing.counts;
    memset(b->counts, 0, sizeof *b->counts * JIT_COUNTS * (places + 1));
}

void
debug_pass_end(struct debug *d, const struct jit_block *b)
{
    uint32_t places = d->run->code->places;
    if (b->passed) {
        jit_counts_sum(b->counts, places);
        for (uint32_t k = 0; k < places; k++)
            d->steps.position += b->counts[(size_t)JIT_COUNTS * k + JIT_COUNT_WARPS];
        d->passing.blocks++;
        d->passing.flying = false;
    }
    /* of another number: the engine no longer asks, and it may have no room in ends[] */
    if (d->passing.clean && !d->run->outer && b->index == d->passing.number) {
        d->passing.ends[b->index] = d->steps.position;
        if (d->shared->ends_known <= b->index)
            d->shared->ends_known = b->index + 1;
    }
}

/* -- blocks that are left -----------------------------------------------------------------------
 */

void
debug_pass_leave(struct debug *d, enum debug_resume how)
{
    struct debug_order *o = &d->shared->order;
    d->shared->left_block = d->passing.number;
    *o = (struct debug_order){.go = d->go};
    o->later.position = UINT64_MAX;
    o->mode = MODE_TARGET;
    o->why = DEBUG_WHY_POSITION;
    o->target = d->passing.begin;
    o->resume = how;
    debug_become(d, debug_snapshot_at(d, o->target));
}

/* Called in the handler of the user's interrupt, and of the timer that it starts (timer). The
 * interrupt alone does not leave the block, which may be about to end by itself; HANG_MS later the
 * timer does. A search is never left: it passes only over blocks that are known to end, and leaving
 * would overwrite its order. */
void
debug_pass_interrupted(struct debug *d, bool timer)
{
    struct debug_passing *p = &d->passing;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG};
    struct itimerspec soon = {.it_value = {.tv_nsec = HANG_MS * 1000000}};
    if (timer && d->mode != MODE_SEARCH && p->interrupted == p->number + 1)
        debug_pass_leave(d, RESUME_INTERRUPT);
    if (timer)
        return;
    p->interrupted = p->number + 1;
    if (p->timer_of != getpid() && timer_create(CLOCK_MONOTONIC, &event, &p->timer) == 0)
        p->timer_of = getpid(); /* a child made by fork has none */
    if (p->timer_of == getpid())
        timer_settime(p->timer, 0, &soon, NULL);
}
