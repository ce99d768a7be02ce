/* SPDX-License-Identifier: Apache-2.0
 *
 * debug.c: the tool: it is opened, launches begin and end, and stop.
 *
 * Generated code asks before an instruction only where the position or the place's byte say so
 * (struct jit_steps); debug_arm sets both. While a thread is stepped, an access is watched for, or
 * the user has interrupted, every instruction asks.
 */
#define _GNU_SOURCE /* on_exit */
#include "debug/debug_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_INTERVAL = 1 << 18 }; /* instructions from one snapshot to the next, at first */

static uint64_t
now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* -- stops ------------------------------------------------------------------------------------- */

static bool
is_stepping(const struct debug_go *go)
{
    uint32_t how = go->how == DEBUG_GO_BACK ? go->back : go->how;
    return how == DEBUG_GO_STEP || how == DEBUG_GO_INSN;
}

/* Sets d->steps: at which position and places the engine calls the debugger next, and whether it
 * announces accesses. d->mode, d->go, watchpoints, snapshots and edits decide. */
static void
debug_arm(struct debug *d)
{
    const struct debug_code *c = d->run->code;
    bool looks = d->mode == MODE_GO || d->mode == MODE_SEARCH;
    bool watches = d->shared->watch_count && (looks || d->why == DEBUG_WHY_WATCH);
    uint64_t stop = d->mode == MODE_GO ? UINT64_MAX : d->target, edit = debug_edit_next(d);
    stop = d->snapshots.next < stop ? d->snapshots.next : stop;
    d->steps.stop = edit < stop ? edit : stop;
    d->steps.tell = watches || d->mode == MODE_LAST;
    d->steps.flags = d->hits.count || (looks && is_stepping(&d->go)) ? c->all
                     : looks                                         ? c->flags
                                                                     : c->none;
    bool begins = d->mode == MODE_GO && d->go.launches && !d->steps.position && !d->stopped;
    bool registers = (watches || d->mode == MODE_LAST) && debug_watches_registers(d);
    if (begins || registers || atomic_load(&d->interrupted))
        d->steps.flags = c->all;
}

/* Lanes that execute the warp's next instruction: of those that come to it its guard may leave some
 * out. */
uint32_t
debug_lanes(struct debug *d, const struct jit_activation *a)
{
    const struct ptx_func *func;
    const struct ptx_insn *p;
    const struct wir_insn *i = debug_next(d, a);
    if (!jit_place(d->run->of.module, i->place, &func, &p) || p->guard == PTX_NO_REG)
        return a->mask;
    const struct jit_code_map *code =
        debug_map_of(d, d->run->code, d->run->of.module->funcs[a->function])->code;
    uint32_t reg = code->wir->frames[i->frame].reg_base + p->guard, holds;
    memcpy(&holds, (const uint8_t *)a + code->reg[reg], sizeof holds);
    holds = a->mask & (p->guard_negated ? ~holds : holds);
    return holds ? holds : a->mask;
}

/* The debugger keeps in a block's tool pointer how many of its barriers are complete. */
static uint32_t
phase_of(const struct jit_block *b)
{
    return (uint32_t)(uintptr_t)b->tool;
}

static void
fill(struct debug *d, const struct jit_warp *w, struct debug_stop *s)
{
    const struct debug_run *run = d->run;
    s->module = run->code->number;
    s->kernel = run->of.kernel->index;
    s->place = NO_PLACE;
    s->launch = d->launch;
    s->passed = d->passing.blocks;
    s->position = d->steps.position;
    memcpy(s->grid, run->of.launch->grid, sizeof s->grid);
    memcpy(s->block, run->of.launch->block, sizeof s->block);
    if (!w)
        return;
    memcpy(s->at, w->block->ctaid, sizeof s->at);
    s->phase = phase_of(w->block);
    s->warp = w->warp;
    if (w->activation) {
        s->place = debug_next(d, w->activation)->place;
        s->lanes = debug_lanes(d, w->activation);
        s->depth = debug_depth(d, w->activation);
    }
}

/* Where the focus stands as it is let go: a step ends where that changes. */
static void
note_focus(struct debug *d)
{
    struct debug_place p;
    struct ls_error ignored;
    struct debug_who who = {.thread = d->go.focus};
    d->line = d->depth = 0;
    d->focus = NULL;
    d->left = false;
    if (!is_stepping(&d->go) || !debug_locate(d, &who, &p, &ignored))
        return;
    struct jit_standing st;
    struct text frames = {0};
    d->run->of.look(p.block, p.warp, &st);
    debug_frames(d, &p, &frames);
    d->line = debug_line(d, p.map->code->wir->insns[p.site].place);
    d->depth = (uint32_t)(frames.count / sizeof(struct debug_frame)) - 1;
    /* In a function without lines: the line is the caller's. */
    for (uint32_t k = 0, depth = d->depth; !d->line && k <= depth; k++) {
        struct debug_frame f;
        memcpy(&f, frames.at + k * sizeof f, sizeof f);
        d->line = debug_line(d, f.place);
        d->depth = d->line ? depth - k : depth;
    }
    d->focus = st.warp->activation ? st.warp : NULL;
    d->focus_lane = 1u << p.lane;
    text_free(&frames);
}

static void
tell_stop(struct debug *d, struct debug_stop *s, const char *text)
{
    s->text = text ? (uint32_t)strlen(text) : 0;
    d->stopped = true;
    for (;;) {
        debug_send(d, DEBUG_E_STOP, 0, s, sizeof *s, text, s->text);
        debug_serve(d);
        if (d->go.how != DEBUG_GO_POSITION || d->go.position != d->steps.position || d->failed)
            break;
        s->why = DEBUG_WHY_POSITION; /* it is there */
    }
    atomic_store(&d->interrupted, false);
    d->mode = MODE_GO;
    if (d->go.how == DEBUG_GO_POSITION) {
        d->mode = MODE_TARGET;
        d->why = DEBUG_WHY_POSITION;
        d->target = d->go.position;
    }
    note_focus(d);
    debug_plan_snapshot(d);
}

void
debug_stop(struct debug *d, const struct jit_warp *w, enum debug_why why, const char *text)
{
    struct debug_stop s = {.why = why};
    fill(d, w, &s);
    tell_stop(d, &s, text);
}

void
debug_stop_failed(struct debug *d, const struct jit_fault *f)
{
    struct debug_stop s = {.why = DEBUG_WHY_FAULT};
    fill(d, f->warp, &s);
    s.place = f->has_place ? f->place : s.place;
    s.lanes = f->lanes ? f->lanes : s.lanes;
    s.address = f->address;
    tell_stop(d, &s, f->text);
}

/* -- stepping ---------------------------------------------------------------------------------- */

/* Whether the warp's instruction is the focus'. */
static bool
is_focus(struct debug *d, const struct jit_warp *w)
{
    const struct debug_thread *t = &d->go.focus;
    const uint32_t *dim = d->run->of.launch->block;
    uint32_t n = t->thread[0] + dim[0] * (t->thread[1] + dim[1] * t->thread[2]);
    if (w->warp != n / JIT_LANES || memcmp(w->block->ctaid, t->block, sizeof t->block))
        return false;
    d->focus = w;
    d->focus_lane = 1u << n % JIT_LANES;
    return w->activation->mask & d->focus_lane;
}

/* Its warp has come by, and the thread is not in it any more. */
static bool
has_left(const struct debug *d)
{
    return d->left ||
           (d->focus && !(((const struct jit_activation *)(const void *)d->focus->frame)->alive &
                          d->focus_lane));
}

/* The thread begins, behind the launch's begin: further back it is not to be found. */
static bool
is_first(const struct debug *d, uint32_t place)
{
    const struct ptx_func *func;
    const struct ptx_insn *i;
    return d->steps.position && jit_place(d->run->of.module, place, &func, &i) &&
           func == d->run->of.kernel && i == func->insns;
}

static bool
step_ends(struct debug *d, const struct jit_warp *w)
{
    bool back = d->mode == MODE_SEARCH;
    if (!is_focus(d, w))
        return false;
    uint32_t depth = debug_depth(d, w->activation);
    uint32_t place = debug_next(d, w->activation)->place, line = debug_line(d, place);
    if (back && is_first(d, place)) {
        d->line = line ? line : UINT32_MAX; /* of none so far */
        d->depth = depth;
        return true;
    }
    if (depth > d->go.depth)
        return false;
    if ((back ? d->go.back : d->go.how) == DEBUG_GO_INSN)
        return true;
    bool ends = line && (line != d->line || depth != d->depth);
    struct debug_order *o = &d->shared->order;
    if (back && line && !d->line && o->begin) {
        /* Whether its line begins here is not known: what was before decides. */
        o->first = (struct debug_line_start){d->steps.position, line, depth};
        ends = false;
    }
    if (back && line) {
        d->line = line;
        d->depth = depth;
    }
    return ends;
}

/* -- a step ------------------------------------------------------------------------------------ */

/* What makes the launch stop before the warp's instruction; false: nothing. */
static bool
stops(struct debug *d, const struct jit_warp *w, struct debug_stop *s)
{
    uint32_t place = debug_next(d, w->activation)->place;
    const struct debug_code *c = d->run->code;
    bool hit = d->hits.count && debug_watch_hit(d, s);
    if (hit)
        return true;
    uint32_t flags = place < c->places ? c->flags[place] : 0;
    bool breaks = flags & FLAG_BREAK && debug_filter_stops(d, w, place, s->lanes);
    if (breaks || (flags & FLAG_CATCH && debug_catch_hit(d, w, place)))
        s->why = DEBUG_WHY_BREAK;
    else if (is_stepping(&d->go) && step_ends(d, w))
        s->why = DEBUG_WHY_STEP;
    else if (d->mode == MODE_GO && is_stepping(&d->go) && has_left(d))
        s->why = DEBUG_WHY_LEFT;
    else if (d->mode == MODE_GO && d->go.launches && !d->steps.position && !d->stopped)
        s->why = DEBUG_WHY_LAUNCH;
    else
        return false;
    return true;
}

static void
decide(struct debug *d, const struct jit_warp *w)
{
    bool there = d->steps.position == d->target;
    struct debug_stop s = {0};
    fill(d, w, &s);
    if (atomic_load(&d->interrupted)) {
        s.why = DEBUG_WHY_INTERRUPT;
        tell_stop(d, &s, NULL);
        return;
    }
    switch (d->mode) {
    case MODE_LAST:
        debug_watch_hit(d, &s); /* all of them: none stops */
        if (there)
            debug_last_over(d);
        return;
    case MODE_SEARCH:
        if (there)
            debug_search_over(d);
        if (stops(d, w, &s))
            debug_note_found(d, (enum debug_why)s.why);
        d->hits.count = 0;
        return;
    case MODE_TARGET:
        s.why = d->why;
        if (d->hits.count && !debug_watch_hit(d, &s))
            s.why = d->why;
        d->hits.count = 0;
        if (there)
            tell_stop(d, &s, NULL);
        return;
    case MODE_GO:
        if (stops(d, w, &s))
            tell_stop(d, &s, NULL);
        while (d->mode == MODE_GO && d->hits.count && debug_watch_hit(d, &s)) /* of the same step */
            tell_stop(d, &s, NULL);
        return;
    }
}

/* As the process before this one has left word. */
static void
take_order(struct debug *d)
{
    const struct debug_order *o = &d->shared->order;
    d->mode = o->mode;
    d->why = o->why;
    d->go = o->go;
    d->target = o->target;
    d->passing.resume = o->resume;
    d->line = d->depth = 0;
    d->focus = NULL;
    d->left = false;
    d->hits.count = 0;
    d->stopped = true;
    atomic_store(&d->interrupted, false);
}

static void
on_step(struct jit_warp *w)
{
    struct debug_run *run = w->block->launch->tool;
    struct debug *d = run->debug;
    d->runs = w;
    if (d->steps.position >= d->snapshots.next) {
        if (debug_snapshot(d))
            take_order(d);
        debug_plan_snapshot(d);
    }
    debug_edit_again(d);
    decide(d, w);
    debug_on_registers(d, w);
    debug_arm(d);
    d->runs = NULL;
}

static bool
on_passes(struct jit_tool *t, const uint32_t block[3], uint64_t number)
{
    struct debug *d = (struct debug *)t;
    if (d->run->outer)
        return false;
    bool passes = debug_pass_ask(d, block, number), anew = debug_pass_snapshot(d, passes);
    if (anew) {
        if (debug_snapshot(d))
            take_order(d);
        passes = debug_pass_ask(d, block, number);
    }
    debug_pass_since(d, passes, anew);
    debug_arm(d);
    return passes;
}

/* -- launches ---------------------------------------------------------------------------------- */

static void
tell_module(struct debug *d, struct debug_code *c)
{
    struct debug_module m = {.number = c->number};
    if (c->ptx->text) {
        debug_send(d, DEBUG_E_MODULE, 0, &m, sizeof m, c->ptx->text, c->ptx->text_bytes);
    } else {
        struct text t = {0};
        ptx_print(c->ptx, &t);
        debug_send(d, DEBUG_E_MODULE, 0, &m, sizeof m, t.at, t.count);
        text_free(&t);
    }
    debug_serve(d);
}

/* Zeroed. */
static void *
shared_memory(size_t size)
{
    void *p =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        ls_out_of_memory(size);
    return p;
}

static struct debug_code *
code_of(struct debug *d, const struct ptx_module *m)
{
    for (size_t k = 0; k < d->codes.count; k++)
        if (d->codes.at[k]->ptx == m)
            return d->codes.at[k];
    struct debug_code *c = ls_alloc(sizeof *c);
    c->ptx = m;
    c->number = (uint32_t)d->codes.count;
    for (uint32_t k = 0; k < m->func_count; k++)
        c->places += m->funcs[k]->insn_count;
    c->map = ls_alloc(sizeof(struct debug_map *) * (m->func_count + 1));
    c->line = shared_memory(sizeof *c->line * (c->places + 1));
    c->flags = shared_memory(c->places + 1);
    c->all = ls_alloc(c->places + 1);
    c->none = ls_alloc(c->places + 1);
    memset(c->all, 1, c->places);
    VEC_PUSH(&d->codes, c);
    tell_module(d, c);
    return c;
}

/* Its number is not given again. */
static void
on_forget(struct jit_tool *t, const struct ptx_module *m)
{
    struct debug *d = (struct debug *)t;
    pthread_mutex_lock(&d->lock);
    for (size_t k = 0; k < d->codes.count; k++) {
        struct debug_code *c = d->codes.at[k];
        if (c->ptx != m)
            continue;
        for (uint32_t f = 0; f < m->func_count; f++) {
            struct debug_map *map = c->map[f];
            jit_code_map_free(map ? map->code : NULL);
            ls_release(map ? map->known : NULL);
            ls_release(map);
            c->map[f] = NULL;
        }
        for (uint32_t p = 0; p < c->places; p++) {
            d->shared->breaks -= c->flags[p] & FLAG_BREAK;
            c->flags[p] = 0;
        }
        c->ptx = NULL;
    }
    pthread_mutex_unlock(&d->lock);
}

/* A snapshot costs a process: where nothing is known to stop the launch it is made as long as that
 * does not take much of the time. */
static bool
is_worth_recording(const struct debug *d)
{
    bool can_stop = d->shared->breaks || d->shared->watch_count || d->go.launches ||
                    is_stepping(&d->go) || debug_catch_launch(d);
    return can_stop || d->snapshots.forking * 10 <= now_ns() - d->snapshots.opened;
}

static void
begin_outermost(struct debug *d)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    d->steps.began = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    d->launch++;
    text_free(&d->caller.text);
    if (d->caller.here)
        d->caller.tell(d->caller.here(), &d->caller.text);
    d->steps.position = 0;
    d->mode = MODE_GO;
    d->stopped = d->failed = d->left = false;
    d->focus = NULL;
    d->line = d->depth = 0;
    d->printed = d->shared->printed = 0;
    d->shared->edits_end = 0;
    d->hits.count = 0;
    d->snapshots.interval = FIRST_INTERVAL;
    d->passing = (struct debug_passing){.timer = d->passing.timer,
                                        .timer_of = d->passing.timer_of,
                                        .ends = d->passing.ends,
                                        .counts = d->passing.counts,
                                        .places = d->passing.places};
    d->shared->ends_known = 0;
    d->shared->left_block = UINT64_MAX;
    d->snapshots.made = 0;
    debug_look_for_threads(d->snapshots.cannot, sizeof d->snapshots.cannot);
    d->snapshots.begin = !d->snapshots.cannot[0] && is_worth_recording(d);
    if (!d->snapshots.begin && !d->snapshots.cannot[0])
        strcpy(d->snapshots.cannot, "nothing was to stop this launch when it began");
    d->snapshots.next = d->snapshots.begin ? 0 : UINT64_MAX;
    debug_catch_interrupts(d);
}

static void *
on_launch_begin(struct jit_tool *t, const struct jit_tool_launch *l)
{
    struct debug *d = (struct debug *)t;
    bool nested = d->run && pthread_equal(d->holder, pthread_self());
    if (!nested)
        pthread_mutex_lock(&d->lock);
    d->holder = pthread_self();
    d->memory = l->memory;
    struct debug_run *run = ls_alloc(sizeof *run);
    struct debug_code *c = code_of(d, l->module);
    *run = (struct debug_run){.outer = d->run, .debug = d, .of = *l, .code = c};
    d->run = run;
    if (!nested)
        begin_outermost(d);
    debug_arm(d);
    return run;
}

static void
end_outermost(struct debug *d, bool fine)
{
    if (fine && d->mode == MODE_SEARCH)
        debug_search_over(d);
    if (fine && d->mode == MODE_LAST)
        debug_last_over(d);
    struct debug_stop s = {.why = DEBUG_WHY_END};
    if (fine && d->hits.count) { /* made by the last instruction */
        fill(d, NULL, &s);
        while (debug_watch_hit(d, &s))
            tell_stop(d, &s, NULL);
    }
    if (fine && (d->stopped || is_stepping(&d->go)))
        debug_stop(d, NULL, DEBUG_WHY_END, NULL);
    debug_drop_snapshots(d, UINT64_MAX);
    debug_watch_forget(d);
    debug_leave_interrupts();
    atomic_store(&d->interrupted, false);
}

static void
on_launch_end(struct jit_tool *t, const struct jit_tool_launch *l, bool fine)
{
    struct debug *d = (struct debug *)t;
    struct debug_run *run = d->run;
    if (!run->outer)
        end_outermost(d, fine);
    d->run = run->outer;
    VEC_FREE(&run->blocks);
    ls_release(run);
    if (d->run)
        debug_arm(d);
    else
        pthread_mutex_unlock(&d->lock);
}

static void
on_block_begin(struct jit_block *b)
{
    struct debug_run *run = b->launch->tool;
    b->tool = NULL;
    VEC_PUSH(&run->blocks, b);
    debug_pass_begin(run->debug, b);
}

static void
on_barrier(struct jit_block *b, uint32_t barrier, const uint32_t *arrived, const uint32_t *waiting,
           uint32_t place)
{
    b->tool = (void *)(uintptr_t)(phase_of(b) + 1);
}

static void
on_block_over(struct jit_block *b)
{
    struct debug_run *run = b->launch->tool;
    struct debug *d = run->debug;
    size_t n = 0;
    debug_pass_end(d, b);
    if (d->focus && d->focus->block == b) {
        d->left = true;
        d->focus = NULL;
    }
    for (size_t k = 0; k < run->blocks.count; k++)
        if (run->blocks.at[k] != b)
            run->blocks.at[n++] = run->blocks.at[k];
    run->blocks.count = n;
}

static void
on_printed(struct jit_tool *t, uint64_t size, uint64_t *skip)
{
    struct debug *d = (struct debug *)t;
    uint64_t shown = d->shared->printed;
    *skip = shown <= d->printed ? 0 : shown - d->printed < size ? shown - d->printed : size;
    d->printed += size;
    d->shared->printed = shown < d->printed ? d->printed : shown;
}

/* -- the tool ---------------------------------------------------------------------------------- */

static void
on_end(int status, void *context)
{
    struct debug *d = context;
    if (d->fd >= 0 && getpid() == d->shared->active)
        debug_over(d, status);
}

/* In a child that the program makes the debugger has no part. */
void
debug_host(struct jit_tool *t, uint32_t (*here)(void),
           void (*tell)(uint32_t number, struct text *out))
{
    struct debug *d = (struct debug *)t;
    d->caller.here = here;
    d->caller.tell = tell;
}

void
debug_forked(struct jit_tool *t)
{
    struct debug *d = (struct debug *)t;
    close(d->fd);
    d->fd = -1;
}

static bool
is_socket(int fd)
{
    int type;
    socklen_t size = sizeof type;
    return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

struct jit_tool *
debug_open(const struct device_profile *profile, const char *options, struct ls_error *err)
{
    const char *name = getenv("LOCKSTEP_DEBUG_FD");
    uint64_t fd;
    if (*options) {
        ls_fail(err, LS_ERR_USAGE, "debug has no options");
        return NULL;
    }
    if (!name || !ls_parse_u64(name, &fd) || fd > INT32_MAX || !is_socket((int)fd)) {
        ls_fail(err, LS_ERR_USAGE,
                "LOCKSTEP_DEBUG_FD=%s is no socket: `lockstep debug` starts "
                "programs with one",
                name ? name : "");
        return NULL;
    }
    struct debug_shared *shared = shared_memory(sizeof *shared);
    /* What the program starts runs by itself. */
    unsetenv("LOCKSTEP_TOOL");
    unsetenv("LOCKSTEP_DEBUG_FD");
    fcntl((int)fd, F_SETFD, FD_CLOEXEC);
    struct debug *d = ls_alloc(sizeof *d);
    d->tool = (struct jit_tool){.events = JIT_EVENT_STEP | JIT_EVENT_ACCESS,
                                .launch_begin = on_launch_begin,
                                .launch_end = on_launch_end,
                                .block_begin = on_block_begin,
                                .block_end = on_block_over,
                                .block_dropped = on_block_over,
                                .barrier = on_barrier,
                                .access = debug_on_access,
                                .pattern = debug_on_pattern,
                                .steps = &d->steps,
                                .step = on_step,
                                .passes = on_passes,
                                .fault = debug_on_fault,
                                .printed = on_printed,
                                .forget = on_forget};
    d->fd = (int)fd;
    d->shared = shared;
    d->passing.ends = shared_memory(sizeof *d->passing.ends * ENDS);
    shared->first = shared->active = getpid();
    d->snapshots.opened = now_ns();
    pthread_mutex_init(&d->lock, NULL);
    on_exit(on_end, d);
    return &d->tool;
}

char *
debug_write_result(struct jit_tool *t, bool complete)
{
    return strdup("{}\n");
}
