/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_focus.c: the thread in focus in cuda-gdb's words, and what kernels, blocks, warps, lanes and
 * threads there are.
 */
#include "cli/debug/commands.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* -- the focus --------------------------------------------------------------------------------- */

static void
show_focus(struct session *s)
{
    const struct debug_thread *t = &s->focus.thread;
    uint32_t n = session_linear(s, t);
    session_say(s, "%s block %s thread %s (warp %u, lane %u) at %s\n", session_kernel(s),
                session_triple(s, t->block), session_triple(s, t->thread), n / 32, n % 32,
                session_where(s, session_module(s), session_place(s)));
}

/* "(1,2,3)", "(1,2)", "1": what is left out is 0. */
static bool
triple(const char **p, uint32_t out[3])
{
    const char *q = word_skip(*p);
    bool open = *q == '(';
    out[0] = out[1] = out[2] = 0;
    q += open;
    for (int k = 0; k < 3; k++) {
        char *end;
        q = word_skip(q);
        if (!isdigit((unsigned char)*q))
            return false;
        unsigned long n = strtoul(q, &end, 0);
        out[k] = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
        q = open ? word_skip(end) : end;
        if (!open || *q != ',')
            break;
        q++;
    }
    if (open && *q++ != ')')
        return false;
    *p = word_skip(q);
    return true;
}

struct wish {
    struct debug_thread t;
    bool block, thread, warp, lane;
    uint32_t warp_number, lane_number;
};

static bool
read_wish(struct session *s, const char *args, struct wish *w, struct ls_error *err)
{
    for (const char *p = args; *p;) {
        uint32_t at[3];
        size_t n = 0;
        while (isalpha((unsigned char)p[n]))
            n++;
        const char *word = arena_strndup(&s->scratch, p, n);
        p = word_skip(p + n);
        if (*p == ',')
            p = word_skip(p + 1);
        if (!*word)
            return ls_fail(err, LS_ERR_USAGE, "cuda: what is `%s'?", p);
        if (!triple(&p, at))
            return ls_fail(err, LS_ERR_USAGE, "cuda %s: a number or (x,y,z) is missing", word);
        if (*p == ',')
            p = word_skip(p + 1);
        if (!strcmp(word, "block")) {
            memcpy(w->t.block, at, sizeof at);
            w->block = true;
        } else if (!strcmp(word, "thread")) {
            memcpy(w->t.thread, at, sizeof at);
            w->thread = true;
        } else if (!strcmp(word, "warp")) {
            w->warp_number = at[0];
            w->warp = true;
        } else if (!strcmp(word, "lane")) {
            w->lane_number = at[0];
            w->lane = true;
        } else if (!strcmp(word, "kernel") || !strcmp(word, "grid") || !strcmp(word, "device") ||
                   !strcmp(word, "sm")) {
            bool launch = !strcmp(word, "grid") || !strcmp(word, "kernel");
            if (at[0] != 0 && !(launch && at[0] == s->target.stop.launch))
                return ls_fail(err, LS_ERR_INPUT, "cuda %s %u: there is only %s %u", word, at[0],
                               word, launch ? (unsigned)s->target.stop.launch : 0);
        } else {
            return ls_fail(err, LS_ERR_USAGE,
                           "cuda %s is not known: kernel, block, thread, warp, lane", word);
        }
    }
    return true;
}

/* Which thread the words mean: what they leave out stays as it is. */
static struct debug_thread
meant(struct session *s, const struct wish *w)
{
    struct debug_thread t = w->t;
    uint32_t linear = s->focus.valid ? session_linear(s, &s->focus.thread) : 0;
    if (!w->block && s->focus.valid)
        memcpy(t.block, s->focus.thread.block, sizeof t.block);
    if (w->thread)
        return t;
    if (w->warp || w->lane)
        return session_thread_of(s, t.block, w->warp ? w->warp_number : linear / 32,
                                 w->lane   ? w->lane_number
                                 : w->warp ? 0
                                           : linear % 32);
    if (w->block)
        return session_thread_of(s, t.block, 0, 0);
    if (s->focus.valid)
        memcpy(t.thread, s->focus.thread.thread, sizeof t.thread);
    return t;
}

static bool
inside(const struct session *s, const struct debug_thread *t)
{
    bool in = true;
    for (int k = 0; k < 3; k++)
        in = in && t->thread[k] < s->target.stop.block[k] && t->block[k] < s->target.stop.grid[k];
    return in;
}

static bool
change(struct session *s, const char *args, struct ls_error *err)
{
    struct wish w = {0};
    if (s->target.state != TARGET_STANDS || !s->launch.stands)
        return ls_fail(err, LS_ERR_USAGE, "Focus not set on any active CUDA kernel.");
    if (!*args) {
        if (!session_need_focus(s, err))
            return false;
        show_focus(s);
        return true;
    }
    if (!read_wish(s, args, &w, err))
        return false;
    struct debug_thread t = meant(s, &w);
    if (!inside(s, &t) || (w.lane && w.lane_number > 31))
        return ls_fail(err, LS_ERR_INPUT,
                       "Request cannot be satisfied: no thread %s of block %s in %s.",
                       session_triple(s, t.thread), session_triple(s, t.block), session_kernel(s));
    if (!session_focus(s, &t, err))
        return false;
    session_say(s, "[Switching focus to ");
    show_focus(s);
    running_show_place(s, false);
    return true;
}

bool
cmd_cuda(struct session *s, const char *args, struct ls_error *err)
{
    /* "cuda block" alone asks */
    static const char *const words[] = {"kernel", "grid", "block", "thread",
                                        "warp",   "lane", "sm",    "device"};
    bool asks = *args != 0;
    const char *rest = args;
    for (const char *word; asks && (word = word_next(s, &rest));) {
        bool known = false;
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            known = known || !strcmp(words[k], word);
        asks = known;
    }
    return change(s, asks ? "" : args, err);
}

bool
cmd_thread(struct session *s, const char *args, struct ls_error *err)
{
    return change(s, *args ? arena_printf(&s->scratch, "thread %s", args) : "", err);
}

/* -- what there is ----------------------------------------------------------------------------- */

bool
info_program(struct session *s, const char *args, struct ls_error *err)
{
    (void)args;
    if (s->target.state != TARGET_STANDS)
        return ls_fail(err, LS_ERR_USAGE, "The program is not being run.");
    if (!s->launch.stands) {
        session_say(s, "The program stands, no kernel is being run.\n");
        return true;
    }
    session_say(s, "Process %d, launch %llu, position %llu%s: %s\n", (int)s->target.pid,
                (unsigned long long)s->target.stop.launch,
                (unsigned long long)s->target.stop.position, s->launch.over ? " (over)" : "",
                session_kernel(s));
    if (s->target.stop.passed)
        session_say(s, "%llu blocks in which nothing could stop it were passed over.\n",
                    (unsigned long long)s->target.stop.passed);
    return true;
}

bool
info_kernels(struct session *s, const char *args, struct ls_error *err)
{
    (void)args, (void)err;
    if (s->launch.stands)
        session_say(s, "* launch %llu  %s  block %s%s\n", (unsigned long long)s->target.stop.launch,
                    session_kernel(s), session_triple(s, s->target.stop.at),
                    s->launch.over ? "  (over)" : "");
    for (size_t m = 0; m < s->modules.count; m++) {
        const struct symbols *y = s->modules.at[m].symbols;
        if (s->modules.at[m].linked)
            continue;
        for (size_t k = 0; k < y->function_count; k++)
            if (y->functions[k].ptx->is_kernel && y->functions[k].ptx->has_body)
                session_say(s, "  %s at %s\n", y->functions[k].name,
                            session_where(s, &s->modules.at[m], y->functions[k].first));
    }
    return true;
}

static bool
same_block(const uint32_t a[3], const uint32_t b[3])
{
    return !memcmp(a, b, 3 * sizeof *a);
}

static struct debug_warp *
warps_of(struct session *s, uint32_t *count, struct ls_error *err)
{
    if (s->target.state != TARGET_STANDS || !s->launch.stands) {
        ls_fail(err, LS_ERR_USAGE, "No kernel is being run.");
        return NULL;
    }
    return target_warps(&s->target, count, err);
}

bool
info_blocks(struct session *s, const char *args, struct ls_error *err)
{
    (void)args;
    uint32_t count = 0;
    struct debug_warp *w = warps_of(s, &count, err);
    if (!w)
        return false;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t warps = 1;
        const struct debug_warp *first = &w[k];
        for (; k + 1 < count && same_block(w[k + 1].block, first->block); k++)
            warps++;
        bool focus = s->focus.valid && same_block(first->block, s->focus.thread.block);
        session_say(s, "%c block %s  %u warp%s\n", focus ? '*' : ' ',
                    session_triple(s, first->block), warps, warps == 1 ? "" : "s");
    }
    ls_release(w);
    return true;
}

static const char *
state_word(const struct debug_warp *w)
{
    switch ((enum debug_warp_state)w->state) {
    case DEBUG_W_READY: return "ready";
    case DEBUG_W_RUNS: return "runs";
    case DEBUG_W_BARRIER: return "at a barrier";
    case DEBUG_W_WAITS: return "waits";
    case DEBUG_W_DONE: return "done";
    }
    return "?";
}

bool
info_warps(struct session *s, const char *args, struct ls_error *err)
{
    (void)args;
    uint32_t count = 0;
    struct debug_warp *w = warps_of(s, &count, err);
    const uint32_t *block = s->focus.valid ? s->focus.thread.block : s->target.stop.at;
    if (!w)
        return false;
    session_say(s, "  warp  active    block       first place   state\n");
    for (uint32_t k = 0; k < count; k++) {
        if (!same_block(w[k].block, block))
            continue;
        bool focus = s->focus.valid && session_linear(s, &s->focus.thread) / 32 == w[k].warp;
        uint32_t first = w[k].alive ? (uint32_t)__builtin_ctz(w[k].alive) : 0;
        session_say(s, "%c %4u  %08x  %-10s  %-12s  %s\n", focus ? '*' : ' ', w[k].warp, w[k].alive,
                    session_triple(s, w[k].block), session_where_lane(s, &w[k], first),
                    state_word(&w[k]));
    }
    ls_release(w);
    return true;
}

static const struct debug_warp *
focus_warp(const struct session *s, const struct debug_warp *w, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (same_block(w[k].block, s->focus.thread.block) &&
            w[k].warp == session_linear(s, &s->focus.thread) / 32)
            return &w[k];
    return NULL;
}

bool
info_lanes(struct session *s, const char *args, struct ls_error *err)
{
    (void)args;
    uint32_t count = 0;
    if (!session_need_focus(s, err))
        return false;
    struct debug_warp *all = warps_of(s, &count, err);
    const struct debug_warp *w = all ? focus_warp(s, all, count) : NULL;
    for (uint32_t k = 0; w && k < 32; k++) {
        struct debug_thread t = session_thread_of(s, w->block, w->warp, k);
        uint32_t linear = w->warp * 32 + k;
        const uint32_t *n = s->target.stop.block;
        if (linear >= n[0] * n[1] * n[2])
            break;
        session_say(s, "%c %2u  thread %-12s %s\n",
                    session_linear(s, &s->focus.thread) == linear ? '*' : ' ', k,
                    session_triple(s, t.thread),
                    w->place[k] == NO_PLACE ? "exited" : session_where_lane(s, w, k));
    }
    ls_release(all);
    return all != NULL;
}

/* Runs of threads that stand at one place. */
bool
info_threads(struct session *s, const char *args, struct ls_error *err)
{
    (void)args;
    uint32_t count = 0;
    struct debug_warp *w = warps_of(s, &count, err);
    if (!w)
        return false;
    for (uint32_t k = 0; k < count * 32;) {
        const struct debug_warp *first = &w[k / 32];
        uint32_t place = first->place[k % 32], from = k, n = 0;
        while (k < count * 32 && same_block(w[k / 32].block, first->block) &&
               w[k / 32].place[k % 32] == place) {
            n++;
            k++;
        }
        if (place == NO_PLACE)
            continue;
        uint32_t last = from + n - 1;
        struct debug_thread a = session_thread_of(s, first->block, first->warp, from % 32);
        struct debug_thread b = session_thread_of(s, first->block, w[last / 32].warp, last % 32);
        uint32_t at = s->focus.valid ? session_linear(s, &s->focus.thread) : 0;
        bool focus = s->focus.valid && same_block(first->block, s->focus.thread.block) &&
                     at >= session_linear(s, &a) && at <= session_linear(s, &b);
        session_say(s, "%c block %s threads %s to %s  %4u  %s\n", focus ? '*' : ' ',
                    session_triple(s, first->block), session_triple(s, a.thread),
                    session_triple(s, b.thread), n, session_where_lane(s, first, from % 32));
    }
    ls_release(w);
    return true;
}
